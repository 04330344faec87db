/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.c - opens libmpx and calls it. In a simulated program the simulator counts instead.
 * Terms: region/region.h.
 */
#include "region/counts.h"

#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpx.h"
#include "region/simulated.h"
#include "region/whole.h"

#define CALLS(X)                \
	X(last_message)         \
	X(library_init)         \
	X(library_get_info)     \
	X(set_create)           \
	X(set_destroy)          \
	X(set_add_named_event)  \
	X(set_start)            \
	X(set_stop)             \
	X(set_reset)            \
	X(set_region)           \
	X(set_switch_region)    \
	X(set_region_estimates) \
	X(set_kept_estimates)   \
	X(thread_get_info)

static struct {
#define FIELD(name) __typeof__(mpx_##name) *name;
	CALLS(FIELD)
#undef FIELD
} mpx;

static char *event[UPCR_EVENTS_MAX];
static unsigned events;
/* Why each event was refused. The last entry says why nothing is counted. NULL: unknown. */
static char *_Atomic reason[UPCR_EVENTS_MAX + 1];
static bool ready, simulated;
static atomic_int sets; /* sets of simulated threads so far */

/* ---- the library ------------------------------------------------------------------------ */

static void *open_library(char *why, size_t size)
{
	/* Path of a libmpx that is not installed, as in a build tree. */
	const char *path = secure_getenv("UPC_REGIONS_MPX");
	void *library = NULL;

	if (path)
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = dlopen("libmpx.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (!library)
		library = dlopen(UPCR_LIBDIR "/libmpx.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = dlopen("libmpx.so.0", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		snprintf(why, size, "libmpx cannot be opened: %s", dlerror());
	return library;
}

static bool find_calls(void *library, char *why, size_t size)
{
#define ENTRY(name) {"mpx_" #name, offsetof(__typeof__(mpx), name)},
	static const struct {
		const char *name;
		size_t field;
	} entry[] = {CALLS(ENTRY)};
#undef ENTRY
	size_t i;

	for (i = 0; i < sizeof(entry) / sizeof(entry[0]); i++) {
		void *symbol = dlsym(library, entry[i].name);

		if (!symbol) {
			snprintf(why, size, "the libmpx that is found is too old: it has no %s",
				 entry[i].name);
			return false;
		}
		memcpy((char *)&mpx + entry[i].field, &symbol, sizeof(symbol));
	}
	return true;
}

/* Initialise libmpx. True also if the program itself has done so already (PAPI_EISRUN). */
static bool initialise_libmpx(uint64_t slice_ns, char *why, size_t size)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int error;

	options.slice_ns = slice_ns;
	error = mpx.library_init(MPX_ABI_VERSION, &options);
	if (error && error != PAPI_EISRUN)
		snprintf(why, size, "%s", mpx.last_message());
	return !error || error == PAPI_EISRUN;
}

/* Split names at commas into event[]. False if there are more than UPCR_EVENTS_MAX names. */
static bool list_events(const char *names)
{
	char *list = strdup(names), *next, *name;
	bool fit = true;

	for (name = list; name && fit; name = next) {
		next = strchr(name, ',');
		if (next)
			*next++ = '\0';
		fit = !*name || events < UPCR_EVENTS_MAX;
		if (*name && fit)
			event[events++] = name;
	}
	if (!events)
		free(list);
	return fit;
}

static struct upcr_value value_of_estimate(const struct mpx_estimate *e)
{
	unsigned flags =
		(e->flags & MPX_ROUGH ? UPCR_ROUGH : 0) | (e->flags & MPX_LOST ? UPCR_LOST : 0) |
		(e->flags & MPX_PARTIAL ? UPCR_PARTIAL : 0) | (e->flags & MPX_BORROWED ? UPCR_BORROWED : 0) |
		(e->flags & MPX_UNEVEN ? UPCR_UNEVEN : 0) | (e->flags & MPX_SLOWED ? UPCR_SLOWED : 0);

	/* A region without time has a count of 0, unless the thread is still in it: then its current stretch
	 * is missing. */
	if (e->flags & MPX_UNCOUNTED)
		return e->time || e->flags & MPX_PARTIAL ? upcr_uncounted() : upcr_exact(0);
	if (e->flags & MPX_EXACT && !flags)
		return upcr_exact(e->count);
	return upcr_estimated(e->estimate, e->standard_error, e->low, e->high, e->coverage, flags);
}

/* Fault in the code pages that make an estimate: a mark may make an estimate while a region counts page
 * faults. */
static void touch_estimates(void)
{
	const struct mpx_estimate e = {.estimate = 2, .standard_error = 1, .low = 1, .high = 4};
	const struct upcr_value value = value_of_estimate(&e);

	__asm__ volatile("" : : "m"(value));
}

bool upcr_counts_begin(const char *names, uint64_t slice_ns, bool simulate, char *why, size_t size)
{
	void *library;

	if (!list_events(names)) {
		events = 0;
		snprintf(why, size, "there are more than %d", UPCR_EVENTS_MAX);
		return false;
	}
	if (simulate) {
		ready = simulated = events && upcr_simulated_begin(why, size);
		return ready || !events;
	}
	library = events ? open_library(why, size) : NULL;
	ready = library && find_calls(library, why, size) && initialise_libmpx(slice_ns, why, size);
	touch_estimates();
	return ready || !events;
}

unsigned upcr_counts_events(void)
{
	return events;
}

const char *upcr_counts_event(unsigned i)
{
	return i < events ? event[i] : NULL;
}

bool upcr_counts_any(void)
{
	return ready;
}

bool upcr_counts_are_simulated(void)
{
	return simulated;
}

const char *upcr_counts_reason(unsigned i)
{
	return atomic_load(&reason[i < events ? i : UPCR_EVENTS_MAX]);
}

/* Keep the first reason only: all threads have the same events. */
static void keep_reason(unsigned i, const char *words)
{
	char *none = NULL, *copy = strdup(words);

	if (!copy || !atomic_compare_exchange_strong(&reason[i], &none, copy))
		free(copy);
}

uint64_t upcr_counts_slice(void)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);

	return ready && !simulated && mpx.library_get_info(&info) == PAPI_OK ? info.slice_ns : 0;
}

void upcr_counts_clock(char *text, size_t size)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	if (simulated) {
		snprintf(text, size, "none: simulated");
		return;
	}
	snprintf(text, size, "%s", ready && mpx.thread_get_info(&info) == PAPI_OK ? info.clock : "");
}

/* ---- a thread's set ---------------------------------------------------------------------- */

static bool make_counter_set(struct upcr_set *set, void (*refused)(void *arg, const char *event), void *arg)
{
	unsigned i;

	set->events = 0;
	if (mpx.set_create(&set->number)) {
		keep_reason(UPCR_EVENTS_MAX, mpx.last_message());
		return false;
	}
	for (i = 0; i < events; i++) {
		set->place[i] = -1;
		if (mpx.set_add_named_event(set->number, event[i]) == PAPI_OK)
			set->place[i] = (int16_t)set->events++;
		else {
			keep_reason(i, mpx.last_message());
			refused(arg, event[i]);
		}
	}
	return true;
}

/* Touch the part of the thread's stack that marks use, so that no region counts its page faults. */
static __attribute__((noinline)) void touch_stack(const struct upcr_set *set)
{
	const size_t size = 8192 + (size_t)set->events * sizeof(struct mpx_estimate);
	volatile char *below = alloca(size);
	size_t i;

	for (i = 0; i < size; i += 1024)
		below[i] = 0;
}

/* Start the set, which counts from the moment where the early counters end. The first start allocates memory
 * and the first stop touches more of it, so both happen once before the early counters end: afterwards
 * nothing would count that work. */
static bool start_set(struct upcr_set *set, unsigned node, struct upcr_early *early)
{
	if (mpx.set_region(set->number, (int)node) != PAPI_OK)
		return false;
	set->first = node;
	if (early->n) {
		set->early = calloc(events, sizeof(*set->early));
		if (mpx.set_start(set->number) != PAPI_OK || mpx.set_stop(set->number, NULL) != PAPI_OK ||
		    mpx.set_reset(set->number) != PAPI_OK)
			return false;
	}
	upcr_early_end(early, set->early);
	touch_stack(set);
	return mpx.set_start(set->number) == PAPI_OK;
}

bool upcr_counts_start(struct upcr_set *set, unsigned node, struct upcr_early *early,
		       void (*refused)(void *arg, const char *event), void *arg)
{
	unsigned i;

	set->events = 0;
	set->number = -1;
	set->early = NULL;
	if (simulated) {
		set->number = atomic_fetch_add(&sets, 1);
		for (i = 0; i < events; i++)
			if (!upcr_simulated_has(event[i])) {
				keep_reason(i, "the simulator has no such event");
				refused(arg, event[i]);
			}
		return true;
	}
	if (!make_counter_set(set, refused, arg))
		return false;
	if (set->events && start_set(set, node, early))
		return true;
	if (set->events)
		keep_reason(UPCR_EVENTS_MAX, mpx.last_message());
	mpx.set_destroy(&set->number);
	free(set->early);
	set->early = NULL;
	return false;
}

bool upcr_counts_enter(const struct upcr_set *set, const struct upcr_tree *tree)
{
	return upcr_simulated_enter((unsigned)set->number, tree);
}

void upcr_counts_leave(void)
{
	upcr_simulated_leave();
}

/* Cancellation is disabled: PAPI reads descriptors, and a cancelled thread would end inside that read. */
bool upcr_counts_switch(const struct upcr_set *set, unsigned node)
{
	int saved = errno, error, cancel;

	if (simulated)
		return true;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	error = mpx.set_switch_region(set->number, (int)node);
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return error == PAPI_OK;
}

void upcr_counts_stop(const struct upcr_set *set)
{
	if (!simulated)
		(void)mpx.set_stop(set->number, NULL);
}

bool upcr_counts_go_on(const struct upcr_set *set, unsigned node)
{
	return simulated ||
	       (mpx.set_region(set->number, (int)node) == PAPI_OK && mpx.set_start(set->number) == PAPI_OK);
}

void upcr_counts_end(const struct upcr_set *set, unsigned nodes)
{
	int number = set->number;

	free(set->early);
	if (simulated) {
		upcr_simulated_end((unsigned)set->number, nodes);
		return;
	}
	(void)mpx.set_stop(number, NULL);
	(void)mpx.set_destroy(&number);
}

/* ---- values ------------------------------------------------------------------------------ */

static void get_node_value(const struct upcr_set *set, unsigned node, struct upcr_value *value,
			   int (*call)(int, int, struct mpx_estimate *, int))
{
	/* Only as many entries as the set has events: threads' stacks may be small. */
	struct mpx_estimate *estimate = alloca(((size_t)set->events + 1) * sizeof(*estimate));
	unsigned i;
	int error, cancel;

	if (simulated) {
		upcr_simulated_get((unsigned)set->number, node, (const char *const *)event, events, value);
		return;
	}
	memset(estimate, 0, (size_t)set->events * sizeof(*estimate));
	estimate[0].size = sizeof(*estimate);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	error = call(set->number, (int)node, estimate, set->events);
	pthread_setcancelstate(cancel, NULL);
	for (i = 0; i < events; i++) {
		if (set->place[i] < 0)
			value[i] = upcr_uncounted();
		else if (error) /* PAPI_EINVAL: the set has never been in this node */
			value[i] = error == PAPI_EINVAL ? upcr_exact(0) : upcr_uncounted();
		else
			value[i] = value_of_estimate(&estimate[set->place[i]]);
		if (set->early && node == set->first) {
			const struct upcr_value before = upcr_exact(set->early[i]);

			upcr_add_same(&value[i], &before);
		}
	}
}

void upcr_counts_get(const struct upcr_set *set, unsigned node, struct upcr_value *value)
{
	get_node_value(set, node, value, mpx.set_region_estimates);
}

void upcr_counts_kept(const struct upcr_set *set, unsigned node, struct upcr_value *value)
{
	get_node_value(set, node, value, mpx.set_kept_estimates);
}
