/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_overflow - PAPI_overflow in hardware. With a script each callback must come at exactly its
 * multiple of the threshold; live, page faults are counted.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <unwind.h>

#include "papi_script.h"

#define CYCLES 5000
#define EVENTS 200
#define LIMIT 64 /* of PAPI: the bits of its vector */

/* The record of the handler's calls. */
static struct {
	int calls[EVENTS]; /* by index of the event in its set */
	int threshold[EVENTS];
	int total, wrong; /* wrong: not at a multiple, or without a threshold */
	int stop, write, nested;
	void *address;
	uintptr_t program_counter;
} seen;

static void forget(void)
{
	memset(&seen, 0, sizeof(seen));
}

static void on_exact(int set, void *address, long long vector, void *context)
{
	static long long values[1024];
	int indices[LIMIT];
	int n = LIMIT;
	int index;

	seen.total++;
	seen.address = address;
	seen.program_counter = program_counter(context);
	if (PAPI_get_overflow_event_index(set, vector, indices, &n) != PAPI_OK || n != 1 ||
	    PAPI_read(set, values) != PAPI_OK) {
		seen.wrong++;
		return;
	}
	index = indices[0];
	seen.calls[index]++;
	if (!seen.threshold[index] || values[index] != (long long)seen.calls[index] * seen.threshold[index])
		seen.wrong++;
	seen.stop = PAPI_stop(set, NULL);
	seen.write = PAPI_reset(set);
}

static int overflow(int set, int index, int threshold)
{
	int codes[EVENTS];
	int n = EVENTS;

	if (PAPI_list_events(set, codes, &n) != PAPI_OK || index >= n)
		return PAPI_EBUG;
	seen.threshold[index] = threshold;
	return PAPI_overflow(set, codes[index], threshold, 0, on_exact);
}

/* The first n ids that have names, each of its own counter. */
static int ids_of(int *ids, int n)
{
	int id, found = 0;

	for (id = 0; id < 512 && found < n; id++)
		if (bgp_names[id] && (id < 256 || !bgp_names[id - 256]))
			ids[found++] = id;
	return found;
}

/* Writes a script; in each of its parts all of these events happen once a cycle. */
static void write_script(int parts)
{
	static char text[100000];
	int ids[EVENTS];
	int n = ids_of(ids, EVENTS);
	size_t used = (size_t)sprintf(text, "upc-trace 1\n");
	int part, i;

	for (part = 0; part < parts; part++) {
		used += (size_t)sprintf(text + used, "c %d", CYCLES);
		for (i = 0; i < n; i++)
			used += (size_t)sprintf(text + used, " %d", ids[i]);
		used += (size_t)sprintf(text + used, "\ns\n");
	}
	use_script(text);
}

/* Each test has a thread of its own, and so the script from its beginning. */
static void *run_one(void *argument)
{
	void (*test)(void);

	memcpy(&test, argument, sizeof(test));
	forget();
	test();
	PAPI_unregister_thread();
	return NULL;
}

static void run(void (*test)(void))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_one, &test);
	pthread_join(thread, NULL);
}

static int first_set(int n)
{
	int ids[EVENTS];

	ids_of(ids, n);
	return set_of(ids, n);
}

/* Plays one part. Returns whether each event with a threshold had the callbacks that it must have. */
__attribute__((noinline)) static int plays_right(int set)
{
	static long long values[1024];
	int i, total = 0;

	memset(seen.calls, 0, sizeof(seen.calls));
	seen.total = seen.wrong = 0;
	if (PAPI_start(set) != PAPI_OK || PAPI_read(set, values) != PAPI_OK ||
	    PAPI_stop(set, values) != PAPI_OK)
		return 0;
	for (i = 0; i < EVENTS; i++) {
		int wanted = seen.threshold[i] ? CYCLES / seen.threshold[i] : 0;

		total += wanted;
		if (seen.calls[i] != wanted) {
			note("event %d: %d callbacks, not %d", i, seen.calls[i], wanted);
			return 0;
		}
	}
	for (i = 0; i < PAPI_num_events(set); i++)
		if (values[i] != CYCLES)
			return 0;
	return !seen.wrong && seen.total == total;
}

/* ---- behind a script ------------------------------------------------------ */

static void one_event(void)
{
	int set = first_set(3);

	ok(overflow(set, 1, 7) == PAPI_OK && plays_right(set),
	   "each callback is at a multiple of 7: %d, %d wrong", seen.total, seen.wrong);
	ok(_Unwind_FindEnclosingFunction(seen.address) == (void *)plays_right,
	   "its address is that of the PAPI_read that played");
	ok(!seen.program_counter || seen.program_counter == (uintptr_t)seen.address,
	   "and so is the context's program counter");
	ok(seen.stop == PAPI_EISRUN && seen.write == PAPI_EISRUN,
	   "the handler cannot stop or reset the set: %d %d", seen.stop, seen.write);
	ok(plays_right(set), "the next start begins anew");
	ok(overflow(set, 1, 1000) == PAPI_OK && plays_right(set), "another threshold");
	ok(overflow(set, 2, 1) == PAPI_OK && plays_right(set), "one more event, at each count");
	ok(overflow(set, 2, INT_MAX) == PAPI_OK && overflow(set, 1, CYCLES + 1) == PAPI_OK &&
		   plays_right(set) && !seen.total,
	   "thresholds that are not met call nobody");
	ok(overflow(set, 1, 0) == PAPI_OK && overflow(set, 2, 0) == PAPI_OK && plays_right(set),
	   "taken away they are gone");
	ok(overflow(set, 2, 0) == PAPI_EINVAL, "what has none cannot lose it");
	ok(overflow(set, 0, 11) == PAPI_OK && plays_right(set), "and on again");
	drop(&set);
}

/* All handlers of one cycle are called, one for each event. */
static void together(void)
{
	static long long values[4];
	int set = first_set(4);
	int i;

	for (i = 0; i < 4; i++)
		overflow(set, i, 500);
	ok(plays_right(set) && seen.total == 40, "four events at once give a call each: %d", seen.total);
	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK, "another part");
	ok(PAPI_accum(set, values) == PAPI_OK && values[0] == 3 * CYCLES, "PAPI_accum plays as well");
	/* 5000 + 5000 of the two parts, and the accum has reset. */
	ok(seen.calls[0] == 10 + 10 + 10, "with its callbacks: %d", seen.calls[0]);
	PAPI_stop(set, values);
	drop(&set);
}

static void as_many_as_can_be(void)
{
	int set = first_set(LIMIT + 2);
	int i, good = 1;

	for (i = 0; i < LIMIT; i++)
		good = good && overflow(set, i, 13 + 37 * i) == PAPI_OK;
	ok(good && plays_right(set), "%d events, each with its own threshold: %d callbacks", LIMIT,
	   seen.total);
	ok(overflow(set, LIMIT, 100) == PAPI_ECNFLCT, "one more is PAPI_ECNFLCT");
	seen.threshold[LIMIT] = 0;
	ok(plays_right(set), "and has changed nothing");
	ok(overflow(set, 5, 0) == PAPI_OK && overflow(set, LIMIT, 100) == PAPI_OK && plays_right(set),
	   "in the place of another one it fits, at a position above %d", LIMIT);
	for (i = 0; i < LIMIT; i++)
		good = good && (i == 5 || overflow(set, i, 0) == PAPI_OK);
	ok(good && plays_right(set), "it alone is left");
	drop(&set);
}

static void high_positions(void)
{
	int set = first_set(EVENTS);
	int i, good = 1;

	for (i = 0; i < LIMIT; i++) {
		int index = EVENTS - 1 - 2 * i;

		good = good && overflow(set, index, 100 + i) == PAPI_OK;
	}
	ok(good && plays_right(set), "%d events with positions up to %d", LIMIT, EVENTS);
	drop(&set);
}

/* PAPI's tables name events by their places in the set, which change. */
static void additions_and_removals(void)
{
	int ids[8], codes[8], n = 8, i;
	int set = first_set(6);

	ids_of(ids, 8);
	for (i = 0; i < 6; i += 2)
		overflow(set, i, 50 + i);
	ok(plays_right(set), "three of six");
	ok(PAPI_remove_named_event(set, event_name(ids[1], NULL)) == PAPI_OK,
	   "an event before others is removed");
	memset(seen.threshold, 0, sizeof(seen.threshold));
	seen.threshold[0] = 50;
	seen.threshold[1] = 52;
	seen.threshold[3] = 54;
	ok(plays_right(set), "the others keep their thresholds");
	ok(PAPI_add_named_event(set, event_name(ids[6], NULL)) == PAPI_OK &&
		   PAPI_add_named_event(set, event_name(ids[7], NULL)) == PAPI_OK && plays_right(set),
	   "also when more are added");
	ok(PAPI_remove_named_event(set, event_name(ids[2], NULL)) == PAPI_OK,
	   "one that has a threshold is removed");
	seen.threshold[1] = 0;
	seen.threshold[3] = 0;
	seen.threshold[2] = 54;
	ok(plays_right(set), "the others keep theirs, and their handler");
	ok(PAPI_list_events(set, codes, &n) == PAPI_OK && n == 6 &&
		   PAPI_overflow(set, codes[0], 0, 0, NULL) == PAPI_OK,
	   "one is taken away without naming a handler");
	seen.threshold[0] = 0;
	ok(plays_right(set), "the rest keep it");
	ok(PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK,
	   "a set with thresholds can be cleaned up");
}

/* Presets move the multiples, a reset begins anew. */
static void presets(void)
{
	static long long values[256];
	int set = first_set(1);

	overflow(set, 0, 2000);
	PAPI_start(set);
	values[0] = 3999;
	ok(PAPI_write(set, values) == PAPI_OK, "preset to one before a multiple");
	seen.calls[0] = 1; /* the one at 2000 */
	ok(PAPI_read(set, values) == PAPI_OK && values[0] == 8999 && seen.total == 3 && !seen.wrong,
	   "the multiples above it follow: %d calls, %d wrong", seen.total, seen.wrong);
	seen.calls[0] = 0;
	ok(PAPI_reset(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values[0] == CYCLES &&
		   seen.total == 5 && !seen.wrong,
	   "after a reset they begin anew");
	drop(&set);
}

static void two_sets(void)
{
	int one = first_set(2);
	int two = first_set(3);

	overflow(one, 1, 300);
	ok(plays_right(one), "a first set");
	forget();
	overflow(two, 2, 700);
	ok(plays_right(two), "a second one of the same thread, with its own thresholds");
	forget();
	seen.threshold[1] = 300;
	ok(plays_right(one), "and the first again");
	drop(&one);
	drop(&two);
}

static void refused_events(void)
{
	int set = first_set(1);
	int code;

	/* A formula that the catalogue has: PU0 to PU3's or what is listed first. */
	if (ok(PAPI_add_named_event(set, "upc:::FP_OPS") == PAPI_OK, "a derived event")) {
		PAPI_event_name_to_code("upc:::FP_OPS", &code);
		ok(overflow(set, 0, 100) == PAPI_OK, "a plain event has a threshold");
		ok(PAPI_overflow(set, code, 100, 0, on_exact) == PAPI_ENOSUPP, "a derived one cannot");
		ok(PAPI_remove_event(set, code) == PAPI_OK && plays_right(set), "and has changed nothing");
	}
	drop(&set);
}

static void exact(void)
{
	write_script(12);
	start_papi();
	run(one_event);
	run(together);
	run(as_many_as_can_be);
	run(high_positions);
	run(additions_and_removals);
	run(presets);
	run(two_sets);
	run(refused_events);
	PAPI_shutdown();
}

/* ---- live ------------------------------------------------------------------ */

static _Thread_local volatile struct {
	int calls, wrong;
	void *address;
} live;

static void on_live(int set, void *address, long long vector, void *context)
{
	int indices[LIMIT];
	int n = LIMIT;

	(void)context;
	live.calls++;
	live.address = address;
	if (PAPI_get_overflow_event_index(set, vector, indices, &n) != PAPI_OK || n != 1 || indices[0] != 0)
		live.wrong++;
	errno = EILSEQ;
}

__attribute__((noinline)) static void fault(size_t n)
{
	touch_pages(n);
	live.wrong += 0; /* no tail call */
}

/* touch_pages may have been inlined. */
static int made_by(void *address)
{
	void *function = _Unwind_FindEnclosingFunction(address);

	return function == (void *)fault || function == (void *)touch_pages;
}

static int forget_live(void)
{
	live.calls = live.wrong = 0;
	live.address = NULL;
	return 1;
}

static void *live_thread(void *argument)
{
	int *good = argument;
	long long value;
	int set = set_with(FAULTS);
	int code, i;

	forget_live();
	PAPI_event_name_to_code(FAULTS, &code);
	good[0] = PAPI_overflow(set, code, 100, 0, on_live);
	PAPI_start(set);
	for (i = 0; i < 10; i++)
		touch_pages(100);
	PAPI_stop(set, &value);
	good[1] = live.calls;
	good[2] = (int)(value / 100);
	drop(&set);
	PAPI_unregister_thread();
	return NULL;
}

static void live_faults(void)
{
	struct sigaction io;
	pthread_t thread[4];
	int good[4][3];
	long long values[2];
	int set = set_with(FAULTS);
	int code, code2, i;

	PAPI_event_name_to_code(FAULTS, &code);
	PAPI_event_name_to_code("upc:::perf::MINOR-FAULTS", &code2);
	if (!ok(PAPI_overflow(set, code, 100, 0, on_live) == PAPI_OK, "page faults have a threshold"))
		return;
	sigaction(SIGIO, NULL, &io);
	ok(io.sa_handler == SIG_IGN, "SIGIO cannot end the program meanwhile");
	ok(PAPI_start(set) == PAPI_OK, "start");
	fault(10000);
	ok(PAPI_stop(set, values) == PAPI_OK && live.calls == values[0] / 100 && !live.wrong,
	   "%lld faults give %d callbacks", values[0], live.calls);
	ok(live.address && made_by(live.address), "the address is where they are made");
	touch_pages(1000);
	ok(forget_live() && PAPI_start(set) == PAPI_OK && PAPI_stop(set, values) == PAPI_OK && !live.calls,
	   "a start begins anew");
	ok(PAPI_overflow(set, code, 1000, 0, on_live) == PAPI_OK && PAPI_start(set) == PAPI_OK,
	   "another threshold");
	touch_pages(4500);
	ok(PAPI_stop(set, values) == PAPI_OK && live.calls == 4, "gives %d callbacks", live.calls);
	ok(PAPI_add_event(set, code2) == PAPI_OK && forget_live() && PAPI_start(set) == PAPI_OK,
	   "with another event in the set");
	touch_pages(2500);
	ok(PAPI_stop(set, values) == PAPI_OK && live.calls == 2 && !live.wrong && about(values[1], 2500),
	   "it keeps it: %d, %lld", live.calls, values[1]);
	ok(PAPI_overflow(set, code, 0, 0, on_live) == PAPI_OK && forget_live() && PAPI_start(set) == PAPI_OK,
	   "taken away");
	touch_pages(2500);
	ok(PAPI_stop(set, values) == PAPI_OK && !live.calls && about(values[0], 2500),
	   "it is gone, and the event counts");
	sigaction(SIGIO, NULL, &io);
	ok(io.sa_handler == SIG_DFL, "SIGIO is as it was");
	drop(&set);
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, live_thread, good[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		ok(good[i][0] == PAPI_OK && good[i][1] == good[i][2] && good[i][1] >= 10,
		   "thread %d has its own: %d callbacks", i, good[i][1]);
	}
}

/* A forked child's set begins anew, with its thresholds; the parent's goes on. */
static void forked(void)
{
	long long value;
	int set = set_with(FAULTS);
	int code, status = -1;
	pid_t child;

	PAPI_event_name_to_code(FAULTS, &code);
	PAPI_overflow(set, code, 100, 0, on_live);
	PAPI_start(set);
	touch_pages(500);
	forget_live();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (PAPI_stop(set, &value) != PAPI_OK || PAPI_start(set) != PAPI_OK)
			_exit(1);
		forget_live();
		touch_pages(1050);
		if (PAPI_stop(set, &value) != PAPI_OK)
			_exit(2);
		_exit(live.calls == value / 100 && live.calls >= 10 ? 0 : 3);
	}
	ok(waitpid(child, &status, 0) == child && status == 0, "a forked child's set has its thresholds: %d",
	   status);
	forget_live();
	touch_pages(500);
	ok(PAPI_stop(set, &value) == PAPI_OK && live.calls >= 4, "and the parent's goes on: %d", live.calls);
	drop(&set);
}

static void live_refusals(void)
{
	static const char *const names[] = {"upc:::mem::MemFree", "upc:::time::real_ns"};
	long long values[2];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int set = set_with(FAULTS);
		int code;

		if (!ok(PAPI_event_name_to_code(names[i], &code) == PAPI_OK &&
				PAPI_add_event(set, code) == PAPI_OK,
			"%s", names[i]))
			continue;
		ok(PAPI_overflow(set, code, 100, 0, on_live) == PAPI_ENOSUPP, "%s is refused", names[i]);
		ok(still_counts(set, 2), "and the set is as it was");
		ok(PAPI_overflow(set, code, 100, PAPI_OVERFLOW_FORCE_SW, on_live) == PAPI_OK,
		   "PAPI's own emulation takes it");
		ok(PAPI_overflow(set, code, 0, 0, on_live) == PAPI_OK && PAPI_start(set) == PAPI_OK &&
			   PAPI_stop(set, values) == PAPI_OK,
		   "and lets it go");
		drop(&set);
	}
}

static void on_emulated(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)context;
	live.calls++;
	live.wrong += vector != 1 || !address;
}

static void emulated(void)
{
	int set = set_with("upc:::perf::TASK-CLOCK");
	struct rusage usage;
	long long value;
	int code;

	forget_live();
	PAPI_event_name_to_code("upc:::perf::TASK-CLOCK", &code);
	ok(PAPI_overflow(set, code, 1000000, PAPI_OVERFLOW_FORCE_SW, on_emulated) == PAPI_OK,
	   "PAPI_OVERFLOW_FORCE_SW");
	PAPI_start(set);
	/* Until it calls; a second of CPU time is a hundred of its ticks and more. */
	do
		getrusage(RUSAGE_THREAD, &usage);
	while (live.calls < 2 && usage.ru_utime.tv_sec + usage.ru_stime.tv_sec < 5);
	PAPI_stop(set, &value);
	ok(live.calls >= 2 && !live.wrong, "is emulated by PAPI's timer: %d callbacks in %lld ns", live.calls,
	   value);
	drop(&set);
}

int main(void)
{
	setenv("UPC_QUIET", "1", 1);
	exact();
	unsetenv("UPC_SOURCE");
	start_papi();
	live_faults();
	forked();
	live_refusals();
	emulated();
	PAPI_shutdown();
	return done();
}
