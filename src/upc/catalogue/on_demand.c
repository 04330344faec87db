/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * on_demand.c - reads a catalogue's names when they are needed: one alone, or all.
 */
#include <string.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/cat_trace.h"
#include "catalogue/on_demand.h"
#include "base/process.h"

/*
 * Protects catalogues while their names are being read. The process lock and libpfm4's lock nest in this
 * lock. No signal handler takes it. fork holds it, and so waits until no names are half read.
 */
static pthread_mutex_t adding_lock = PTHREAD_MUTEX_INITIALIZER;
UPCI_FORK_LOCK(adding, &adding_lock, UPCI_FORK_ADDING)

void upci_catalogue_put_off(struct upc_catalogue *c, int (*build)(struct upc_catalogue *c))
{
	upci_catalogue_on_demand(c)->build = build;
}

static bool is_put_off(struct upc_catalogue *c)
{
	return __atomic_load_n(&upci_catalogue_on_demand(c)->build, __ATOMIC_ACQUIRE) != NULL;
}

/* Disable cancellation and take the lock: a thread that is cancelled in between would keep the lock and leave
 * half of the work. */
static struct upci_catalogue_mark begin_adding(struct upc_catalogue *c, int *cancellable)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancellable);
	lock_adding();
	return upci_catalogue_mark(c);
}

/* Release the lock. If the step failed, remove the events that it added. */
static void end_adding(struct upc_catalogue *c, struct upci_catalogue_mark mark, int64_t error,
		       int cancellable)
{
	if (error < 0 && is_put_off(c))
		upci_catalogue_truncate(c, mark);
	unlock_adding();
	pthread_setcancelstate(cancellable, NULL);
}

int upci_catalogue_complete(struct upc_catalogue *c)
{
	struct upci_on_demand *const names = upci_catalogue_on_demand(c);
	struct upci_catalogue_mark mark;
	int cancellable, error = 0;

	if (!is_put_off(c))
		return 0;
	mark = begin_adding(c, &cancellable);
	if (names->build)
		error = names->build(c);
	if (error >= 0)
		__atomic_store_n(&names->build, NULL, __ATOMIC_RELEASE);
	end_adding(c, mark, error, cancellable);
	return error;
}

static int64_t add_alone_locked(struct upc_catalogue *c, const char *name)
{
	struct upci_on_demand *const names = upci_catalogue_on_demand(c);
	int64_t code = upci_catalogue_lookup(c, name);

	if (code >= 0 || !names->build)
		return code;
	if (names->alone == UPCI_ALONE_MAX)
		return UPC_ENOEVENT;
	if (!strncmp(name, "perf::", 6)) {
		code = upci_pfm_find_alone(c, name);
	} else {
		code = upci_tracepoint_find_alone(c, name, names->tracepoints == 0);
		names->tracepoints += code >= 0;
	}
	names->alone += code >= 0;
	/* Other errors count as UPC_ENOEVENT: the reading of all names reports them. */
	return code < 0 && code != UPC_ENOMEM && code != UPC_EMFILE ? UPC_ENOEVENT : code;
}

int64_t upci_catalogue_find_alone(struct upc_catalogue *c, const char *name)
{
	struct upci_catalogue_mark mark;
	int cancellable;
	int64_t code;

	if (!is_put_off(c) || (strncmp(name, "perf::", 6) && strncmp(name, "tp::", 4)))
		return UPC_ENOEVENT;
	mark = begin_adding(c, &cancellable);
	code = add_alone_locked(c, name);
	end_adding(c, mark, code, cancellable);
	return code;
}
