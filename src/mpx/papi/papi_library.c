/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_library.c - what MPX needs of PAPI as a whole before threads count.
 */
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "papi/papi_group.h"
#include "papi/papi_set.h"

/* Places in PAPI's table of event sets, and those of them that are left to the program. */
#define SETS 4096
#define SETS_LEFT 64

/*
 * PAPI finds a set in a table that any thread's PAPI_create_eventset may move when it is
 * full, without a lock for those who look; a handler would look into freed memory. The
 * table never shrinks, so it is made large while nobody counts, and we take no set near its
 * end. PAPI gives a set the lowest free place.
 */
static atomic_int places; /* how many there are; mpxi_papi_new_set asks in every thread */

static void grow_set_table(void)
{
	static int set[SETS];
	int n = 0, most = 0;

	while (n < SETS) {
		set[n] = PAPI_NULL;
		if (PAPI_create_eventset(&set[n]) != PAPI_OK)
			break;
		most = set[n] > most ? set[n] : most;
		n++;
	}
	while (n-- > 0)
		(void)PAPI_destroy_eventset(&set[n]);
	atomic_store(&places, most + 1);
}

int mpxi_papi_new_set(int *set)
{
	int error, most = atomic_load(&places) - SETS_LEFT;

	*set = PAPI_NULL;
	error = PAPI_create_eventset(set);
	if (error)
		return mpxi_error(error, "PAPI cannot create an event set: %s", mpxi_papi_words(error));
	if (*set < most)
		return PAPI_OK;
	(void)PAPI_destroy_eventset(set);
	*set = PAPI_NULL;
	return mpxi_error(MPXI_ENOMEM,
			  "PAPI has no more than %d event sets while threads count: use fewer threads, "
			  "or fewer events in each",
			  most);
}

/* It may have begun anew since: then it knows nothing of threads until mpxi_papi_init. */
bool mpxi_papi_has_ended_sig(void)
{
	return PAPI_is_initialized() == PAPI_NOT_INITED || PAPI_thread_id() == (unsigned long)PAPI_EMISC;
}

/* PAPI has no words while it is not initialised. */
static const char *words_of(int error)
{
	const char *words = PAPI_strerror(error);

	return words && *words ? words : "an error without a name";
}

const char *mpxi_papi_words(int error)
{
	if (mpxi_papi_has_ended_sig())
		return "the program has ended PAPI (PAPI_shutdown): call mpx_library_shutdown, and "
		       "mpx_library_init anew";
	return words_of(error);
}

int mpxi_papi_is_there(void)
{
	if (!mpxi_papi_has_ended_sig())
		return PAPI_OK;
	return mpxi_error(PAPI_ENOINIT, "PAPI counts nothing: %s", mpxi_papi_words(PAPI_ENOINIT));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of grown; nests in nothing */
static atomic_uint beginnings;                           /* partner: mpxi_papi_beginnings, in any thread */
static int grown;                                        /* PAPI was initialised, with a large table */

/* Not pthread_self: it is the next thread's as soon as one has ended, and PAPI then takes
 * the one that never unregistered for the other. In a forked child PAPI knows the thread
 * by its parent's number still, so that stays. */
static unsigned long my_id(void)
{
	static __thread unsigned long id;

	if (!id)
		id = (unsigned long)syscall(SYS_gettid);
	return id;
}

/* Without threads PAPI takes no locks at all. It keeps the first function that it was
 * given: a user's own stays. */
static int start_papi_threads(void)
{
	(void)PAPI_thread_init(my_id);
	if (PAPI_thread_id() != (unsigned long)PAPI_EMISC)
		return PAPI_OK;
	return mpxi_error(MPXI_ENOSUPP, "PAPI was used by several threads before PAPI_thread_init: call "
					"that, or MPX, first");
}

unsigned mpxi_papi_beginnings(void)
{
	return atomic_load(&beginnings);
}

int mpxi_papi_init(void)
{
	int version, error = PAPI_OK;

	pthread_mutex_lock(&lock);
	if (mpxi_papi_has_ended_sig())
		grown = 0;
	if (PAPI_is_initialized() == PAPI_NOT_INITED) {
		version = PAPI_library_init(PAPI_VER_CURRENT);
		if (version != PAPI_VER_CURRENT)
			error = version > 0
					? mpxi_error(MPXI_EINVAL,
						     "PAPI's library is version %d.%d, its header %d.%d",
						     PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
						     PAPI_VERSION_MAJOR(PAPI_VERSION),
						     PAPI_VERSION_MINOR(PAPI_VERSION))
					: mpxi_error(version, "PAPI cannot be initialised: %s",
						     words_of(version));
	}
	if (!error)
		error = start_papi_threads();
	if (!error && !grown) {
		grow_set_table();
		atomic_fetch_add(&beginnings, 1);
		grown = 1;
	}
	pthread_mutex_unlock(&lock);
	return error;
}

unsigned mpxi_papi_count_threads(unsigned long id)
{
	PAPI_thread_id_t *list;
	unsigned found = 0;
	int n = 0, i;

	if (mpxi_papi_has_ended_sig() || PAPI_list_threads(NULL, &n) != PAPI_OK || n < 1)
		return 0;
	n += 64; /* threads that come meanwhile */
	list = calloc((size_t)n, sizeof(*list));
	if (!list)
		return 0;
	if (PAPI_list_threads(list, &n) == PAPI_OK)
		for (i = 0; i < n; i++)
			found += list[i] == id;
	free(list);
	return found;
}
