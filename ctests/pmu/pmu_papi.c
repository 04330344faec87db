/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_papi - the same loop counted through PAPI's own perf_event component and through
 * upc's, in one program: 2n and a constant in both, in one thread and in four; and
 * the event that no longer fits is PAPI_ECNFLCT in both. A flexible set starts where
 * another one holds all counters.
 */
#include <inttypes.h>

#include "../papi/papi_util.h"
#include "pmu_util.h"

#define THREADS 4
#define MANY 32

static unsigned emulated; /* cycles an instruction, where that is constant */

/* An event that is counted through a component, and how many of them a round of loop has. */
struct way {
	int component;
	char event[PAPI_MAX_STR_LEN];
	unsigned per;
};

/* A set of the component that counts user mode. */
static int user_set(int component)
{
	PAPI_option_t option;
	int set = PAPI_NULL;

	memset(&option, 0, sizeof(option));
	if (PAPI_create_eventset(&set) != PAPI_OK ||
	    PAPI_assign_eventset_component(set, component) != PAPI_OK)
		return PAPI_NULL;
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_USER;
	if (PAPI_set_opt(PAPI_DOMAIN, &option) != PAPI_OK)
		return PAPI_NULL;
	return set;
}

static int64_t take_set(int set, uint64_t n, unsigned per)
{
	long long values[MANY];

	if (PAPI_start(set) != PAPI_OK)
		return FAILED;
	loop(n);
	if (PAPI_stop(set, values) != PAPI_OK)
		return FAILED;
	return values[0] - (int64_t)(per * n);
}

/* Returns the least of 21 counts on a real CPU, where interrupts add to some of them; in an emulator one
 * count is taken. */
static int64_t least(int set, uint64_t n, unsigned per)
{
	int64_t best = take_set(set, n, per);
	int i;

	for (i = 0; !emulated && i < 20; i++) {
		int64_t next = take_set(set, n, per);

		if (best == FAILED || (next != FAILED && next < best))
			best = next;
	}
	return best;
}

/* Returns the constant, or FAILED where it is not one. */
static int64_t constant_of(const struct way *way)
{
	int set = user_set(way->component);
	int64_t constant[SIZES];
	int i;

	if (set == PAPI_NULL || PAPI_add_named_event(set, way->event) != PAPI_OK)
		return FAILED;
	take_set(set, 1000, way->per); /* binds symbols that are bound at their first use */
	for (i = 0; i < SIZES; i++)
		constant[i] = least(set, sizes[i], way->per);
	drop(&set);
	return same_over_sizes(way->event, way->per, constant);
}

struct worker {
	const struct way *way;
	pthread_barrier_t *all;
	pthread_t thread;
	int64_t constant;
};

static void *run_worker(void *arg)
{
	struct worker *worker = arg;

	if (PAPI_register_thread() != PAPI_OK)
		worker->constant = FAILED;
	pthread_barrier_wait(worker->all);
	if (worker->constant != FAILED)
		worker->constant = constant_of(worker->way);
	PAPI_unregister_thread();
	return NULL;
}

static void check_loop(const struct way *way)
{
	struct worker workers[THREADS];
	int64_t one = constant_of(way);
	pthread_barrier_t all;
	int64_t after;
	int same = 1;
	int i;

	ok(one != FAILED, "%s: %un + %" PRId64 " for n = 1e3, 1e5, 1e7", way->event, way->per, one);
	pthread_barrier_init(&all, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.way = way, .all = &all};
		pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&all);
	/* Locks cost more in a program that has ever had a second thread. */
	after = constant_of(way);
	for (i = 0; i < THREADS; i++)
		same &= workers[i].constant != FAILED && workers[i].constant == after;
	ok(same, "%s: %un + %" PRId64 " in each of %d threads at once, and in one after them", way->event,
	   way->per, workers[0].constant, THREADS);
}

/* ---- more events than counters -------------------------------------------------- */

/* Finds the CPU's own events, which both components know; cycles may have a counter of their own,
 * and are left out. */
static int find_many(const struct way *own, const struct way *ours, char (*names)[PAPI_MAX_STR_LEN])
{
	int code = PAPI_NATIVE_MASK;
	int n = 0;
	int more, other;

	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, ours->component); more == PAPI_OK && n < MANY;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, ours->component)) {
		char full[PAPI_MAX_STR_LEN];
		const char *name = full + strlen("upc:::");

		if (PAPI_event_code_to_name(code, full) == PAPI_OK && strstr(name, "::") &&
		    strncmp(name, "perf::", 6) != 0 && strncmp(name, "tp::", 4) != 0 &&
		    !strstr(name, "CYC") && PAPI_event_name_to_code(name, &other) == PAPI_OK &&
		    PAPI_get_event_component(other) == own->component)
			snprintf(names[n++], PAPI_MAX_STR_LEN, "%s", name);
	}
	return n;
}

/* Adds the instructions and others until one is refused. */
static void check_many(const struct way *way, const char *prefix, char (*names)[PAPI_MAX_STR_LEN],
		       int available)
{
	int set = user_set(way->component);
	int before[MANY + 1], after[MANY + 1];
	int numbers[2] = {MANY + 1, MANY + 1};
	char name[PAPI_MAX_STR_LEN + 8];
	int64_t alone, full;
	int error = PAPI_OK;
	int fit = 1;
	int i;

	if (!ok(set != PAPI_NULL && PAPI_add_named_event(set, way->event) == PAPI_OK,
		"%s: a set for many events", way->event))
		return;
	alone = take_set(set, sizes[2], way->per);
	for (i = 0; i < available && error == PAPI_OK; i++) {
		numbers[0] = MANY + 1;
		PAPI_list_events(set, before, &numbers[0]);
		if (snprintf(name, sizeof(name), "%s%s", prefix, names[i]) >= (int)sizeof(name))
			continue;
		error = PAPI_add_named_event(set, name);
		fit += error == PAPI_OK;
	}
	if (error == PAPI_OK) {
		skip("both components name only %d events of this PMU, and all fit", available);
	} else {
		PAPI_list_events(set, after, &numbers[1]);
		ok(error == PAPI_ECNFLCT, "%s is refused after %d: %s", name, fit, PAPI_strerror(error));
		if (!strncmp(names[0], "arm_ac57::", strlen("arm_ac57::")))
			ok(fit == 6, "a Cortex-A57 counts six: %d fit", fit);
		ok(numbers[1] == fit && numbers[0] == fit &&
			   !memcmp(before, after, sizeof(*before) * (size_t)fit),
		   "the set has the %d events that it had", fit);
	}
	full = take_set(set, sizes[2], way->per);
	ok(full >= 0 && full <= alone + 1000, "and counts 2n + %" PRId64 ", alone 2n + %" PRId64, full,
	   alone);
	drop(&set);
}

/* ---- beside a set that holds all counters --------------------------------------- */

/* Attached sets of a thread run beside each other. */
static int attached_set(const char *name)
{
	int set = set_with(name);

	return set != PAPI_NULL && PAPI_attach(set, 0) == PAPI_OK ? set : PAPI_NULL;
}

static void check_flexible(const struct way *way, char (*names)[PAPI_MAX_STR_LEN], int available)
{
	char name[PAPI_MAX_STR_LEN + 16];
	int holder = attached_set(way->event), pinned = attached_set(way->event), flexible, i;
	long long values[MANY + 1];
	int error = PAPI_OK;

	for (i = 0; i < available && error == PAPI_OK; i++) {
		snprintf(name, sizeof(name), "upc:::%s", names[i]);
		error = PAPI_add_named_event(holder, name);
	}
	snprintf(name, sizeof(name), "%s:flexible", way->event);
	flexible = attached_set(name);
	if (error == PAPI_OK) {
		skip("both components name only %d events of this PMU, and all fit", available);
	} else {
		ok(PAPI_start(holder) == PAPI_OK, "a set has all counters");
		error = PAPI_start(pinned);
		ok(error == PAPI_ECNFLCT, "another one does not start beside it: %s", PAPI_strerror(error));
		error = PAPI_start(flexible);
		ok(error == PAPI_OK, "a flexible one does: %s", PAPI_strerror(error));
		loop(sizes[1]);
		error = PAPI_read(flexible, values);
		ok(error == PAPI_EMISC, "and says that it does not count: %s", PAPI_strerror(error));
	}
	drop(&holder);
	drop(&pinned);
	drop(&flexible);
}

int main(void)
{
	static char names[MANY][PAPI_MAX_STR_LEN];
	struct way own = {.per = PER_ROUND}, ours = {.per = PER_ROUND};
	int available;

	need_pmu();
	ours.component = start_papi();
	own.component = PAPI_get_component_index("perf_event");
	if (own.component < 0 || PAPI_get_component_info(own.component)->disabled)
		skip_all("PAPI's perf_event component is not active here");
	emulated = cycles_each();
	snprintf(own.event, sizeof(own.event), "perf::INSTRUCTIONS");
	snprintf(ours.event, sizeof(ours.event), "upc:::perf::INSTRUCTIONS");
	check_loop(&own);
	check_loop(&ours);
	if (emulated) {
		struct way own_cycles = own, our_cycles = ours;

		snprintf(own_cycles.event, sizeof(own.event), "perf::CYCLES");
		snprintf(our_cycles.event, sizeof(ours.event), "upc:::perf::CYCLES");
		own_cycles.per = our_cycles.per = PER_ROUND * emulated;
		check_loop(&own_cycles);
		check_loop(&our_cycles);
	} else {
		skip("cycles of a loop are no constant on a CPU");
	}
	available = find_many(&own, &ours, names);
	check_many(&own, "", names, available);
	check_many(&ours, "upc:::", names, available);
	check_flexible(&ours, names, available);
	PAPI_shutdown();
	return done();
}
