/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The enabled and running times of counters. Times of one group are compared with each other,
 * and times of different clocks by what was asked before and after: nothing here depends on
 * how fast the machine is.
 */
#include "unit/unit.h"
#include "unit/unit_time.h"
#include "catalogue_test.h"
#include "script_test.h"

/* The kernel's clock of events is not the programs' clock: they may differ by 1 in 500, and a tick. */
#define DRIFT(ns) ((ns) / 500 + 100000)

static void work(void)
{
	uint64_t end = now_ns() + 3000000;

	while (now_ns() < end)
		touch_fresh_pages(10);
}

struct times {
	uint64_t enabled, running;
};

/* The times of the last read; this reads no source. */
static struct times known(struct upc_unit *u, uint32_t code)
{
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	int i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		assert_int_equal(upc_counter_state(u, i, &info), 0);
		if (info.flags & UPC_COUNTER_BOUND && info.code == code)
			return (struct times){info.enabled_ns, info.running_ns};
	}
	fail_msg("event %u has no counter", code);
	return (struct times){0, 0};
}

static struct times times(struct upc_unit *u, uint32_t code)
{
	assert_int_equal(upc_unit_read(u, NULL), 0);
	return known(u, code);
}

/* The time of an event that counted all the time. */
static uint64_t whole(struct upc_unit *u, uint32_t code)
{
	struct times t = times(u, code);

	assert_true(t.enabled == t.running);
	return t.enabled;
}

static int counter_of(struct upc_unit *u, uint32_t code)
{
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	int i;

	for (i = 0; i < UPC_COUNTERS; i++)
		if (!upc_counter_state(u, i, &info) && info.flags & UPC_COUNTER_BOUND && info.code == code)
			return i;
	return -1;
}

static struct upc_unit *create(const struct upc_unit_options *options, const uint32_t *codes, unsigned n)
{
	struct upc_unit *u;
	unsigned i;

	if (upc_unit_create(c, options, &u))
		fail_msg("%s", upc_last_message());
	for (i = 0; i < n; i++)
		if (upc_unit_add(u, codes[i]))
			fail_msg("%s", upc_last_message());
	return u;
}

/* ---- runs of a unit -------------------------------------------------------------------- */

/* Halts, continues and resets the second of two events; its time is shorter than the first's by the
 * time that it was halted. */
static void check_halts(struct upc_unit *u, uint32_t all, uint32_t halted)
{
	const int counter = counter_of(u, halted);
	uint64_t before, begun, held, least, most, halts;

	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	before = whole(u, all);
	assert_int_equal(upc_counter_halt(u, counter), 0);
	begun = whole(u, all);
	held = whole(u, halted);
	assert_true(held > 0);
	assert_in_range(held, 0, begun);
	work();
	assert_true(whole(u, halted) == held);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	assert_true(whole(u, halted) == held);
	least = whole(u, all) - begun;
	assert_int_equal(upc_counter_continue(u, counter), 0);
	most = whole(u, all) - before;
	work();
	/* Both times are of one read. */
	assert_int_equal(upc_unit_stop(u), 0);
	assert_true(whole(u, halted) > held);
	halts = known(u, all).enabled - known(u, halted).enabled;
	assert_in_range(halts, least - (least < DRIFT(least) ? least : DRIFT(least)), most + DRIFT(most));
	assert_true(known(u, halted).enabled == known(u, halted).running);
	/* A counter that was halted and reset begins at 0 when it continues. */
	assert_int_equal(upc_counter_halt(u, counter), 0);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_true(whole(u, all) == 0);
	assert_true(whole(u, halted) == 0);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	assert_true(whole(u, halted) == 0);
	before = whole(u, all);
	assert_true(before > 0);
	assert_int_equal(upc_counter_continue(u, counter), 0);
	work();
	assert_int_equal(upc_unit_stop(u), 0);
	held = whole(u, halted);
	assert_true(held > 0);
	assert_in_range(held, 0, whole(u, all) - before + DRIFT(held));
}

/* A unit's time is the sum of its runs. */
static void check_runs(struct upc_unit *u, uint32_t code, bool wall)
{
	uint64_t least = 0, most = 0, outer, inner, at, last = 0;
	unsigned i;

	assert_int_equal(upc_unit_reset(u), 0);
	assert_true(whole(u, code) == 0);
	for (i = 0; i < 4; i++) {
		outer = now_ns();
		assert_int_equal(upc_unit_start(u), 0);
		inner = now_ns();
		work();
		at = whole(u, code);
		assert_true(at > last);
		last = at;
		work();
		least += now_ns() - inner;
		assert_int_equal(upc_unit_stop(u), 0);
		most += now_ns() - outer;
		at = whole(u, code);
		assert_true(at > last);
		last = at;
		/* The time does not grow while the unit is stopped. */
		work();
		assert_true(whole(u, code) == last);
	}
	assert_in_range(last, 1, most + DRIFT(most));
	if (wall)
		assert_in_range(last, least - DRIFT(least), most + DRIFT(most));
}

/* A reset in a run, and an event that comes in one; alike: by the same clock as the first. */
static void check_in_run(struct upc_unit *u, uint32_t code, uint32_t other, bool alike)
{
	uint64_t before, after, most, least, begun;

	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	before = now_ns();
	assert_int_equal(upc_unit_reset(u), 0);
	assert_true(known(u, code).enabled == 0);
	work();
	after = whole(u, code);
	most = now_ns() - before;
	assert_in_range(after, 1, most + DRIFT(most));

	before = whole(u, code);
	assert_int_equal(upc_unit_add(u, other), 0);
	after = whole(u, code);
	begun = whole(u, other);
	assert_in_range(begun, 0, known(u, code).enabled - before + DRIFT(after));
	work();
	/* Both times are of one read. */
	begun = whole(u, other);
	least = known(u, code).enabled - after;
	assert_in_range(begun, !alike ? 1 : least - (least < DRIFT(least) ? least : DRIFT(least)),
			known(u, code).enabled - before + DRIFT(least));
	/* The first goes on without it. */
	before = whole(u, code);
	assert_int_equal(upc_unit_remove(u, other), 0);
	work();
	assert_true(whole(u, code) > before);
	assert_int_equal(upc_unit_stop(u), 0);
	/* The event begins at 0 again. */
	assert_int_equal(upc_unit_add(u, other), 0);
	assert_true(whole(u, other) == 0);
	assert_int_equal(upc_unit_remove(u, other), 0);
}

static void check_all(const struct upc_unit_options *options, const uint32_t codes[3], bool wall, bool alike)
{
	struct upc_unit *u = create(options, codes, 2);

	check_runs(u, codes[0], wall);
	check_runs(u, codes[1], wall);
	check_halts(u, codes[0], codes[1]);
	check_halts(u, codes[1], codes[0]);
	check_in_run(u, codes[0], codes[2], alike);
	upc_unit_destroy(u);
}

static void take_software(uint32_t codes[3])
{
	codes[0] = event_code(c, "perf::PAGE-FAULTS");
	codes[1] = event_code(c, "perf::MINOR-FAULTS");
	codes[2] = event_code(c, "perf::MAJOR-FAULTS");
}

TEST(test_thread)
{
	needs_perf();
	uint32_t codes[3];

	take_software(codes);
	check_all(NULL, codes, false, true);
	/* An event whose count its group's leader gives, with and without others. */
	codes[2] = event_code(c, "perf::TASK-CLOCK");
	check_all(NULL, codes, false, true);
	codes[0] = event_code(c, "perf::TASK-CLOCK");
	codes[2] = event_code(c, "perf::MAJOR-FAULTS");
	check_all(NULL, codes, false, true);
}

/* A thread's enabled time is the time that it had a CPU: what the task clock counts. */
TEST(test_task_clock)
{
	needs_perf();
	const uint32_t codes[] = {event_code(c, "perf::PAGE-FAULTS"), event_code(c, "perf::TASK-CLOCK")};
	struct upc_unit *u = create(NULL, codes, 2);
	const struct timespec nap = {.tv_nsec = 20000000};
	uint64_t values[2];

	assert_int_equal(upc_unit_start(u), 0);
	work();
	nanosleep(&nap, NULL);
	work();
	assert_int_equal(upc_unit_read_added(u, values, 2), 0);
	assert_true(known(u, codes[0]).enabled == values[1]);
	assert_true(known(u, codes[1]).running == values[1]);
	assert_true(values[1] > 0);
	upc_unit_destroy(u);
}

TEST(test_others)
{
	needs_perf();
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	uint32_t codes[3];

	take_software(codes);
	options.context = UPC_CONTEXT_PROCESS;
	check_all(&options, codes, false, true);
	options.context = UPC_CONTEXT_THREAD;
	options.inherit = 1;
	check_all(&options, codes, false, true);
	if (geteuid() != 0)
		skip_because("counting CPUs needs root");
	options.inherit = 0;
	options.context = UPC_CONTEXT_CPU;
	check_all(&options, codes, true, true);
	/* The time of all CPUs is their mean: as long as one CPU's. */
	options.context = UPC_CONTEXT_MACHINE;
	check_all(&options, codes, true, true);
}

/* Clocks and files, by themselves and beside the kernel's. */
TEST(test_local)
{
	needs_perf();
	uint32_t codes[3] = {event_code(c, "time::real_ns"), event_code(c, "vm::pgfault"),
			     event_code(c, "time::boot_ns")};

	check_all(NULL, codes, true, true);
	codes[2] = event_code(c, "perf::PAGE-FAULTS");
	check_all(NULL, codes, true, false);
}

/* Whether a removed event is still there, and what counts is to be opened anew. */
static enum upci_source_wish wish(struct upc_unit *u)
{
	return upci_sources_wish(&u->sources);
}

/* The group's first event, which leads the others, goes; then all are opened anew. */
TEST(test_leader)
{
	needs_perf();
	uint32_t codes[3];
	struct upc_unit *u;
	uint64_t before, again;

	take_software(codes);
	u = create(NULL, codes, 3);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	assert_int_equal(upc_unit_remove(u, codes[0]), 0);
	work();
	assert_int_equal(upc_counter_halt(u, counter_of(u, codes[2])), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	before = whole(u, codes[1]);
	again = whole(u, codes[2]);
	assert_int_equal(wish(u), UPCI_SOURCE_RENEW);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_FINE);
	assert_true(known(u, codes[1]).enabled == before);
	assert_true(known(u, codes[2]).enabled == again);
	work();
	assert_true(whole(u, codes[1]) > before);
	assert_true(whole(u, codes[2]) == again);
	assert_int_equal(upc_counter_continue(u, counter_of(u, codes[2])), 0);
	work();
	assert_true(whole(u, codes[2]) > again);
	/* The same again, with the time kept from the first round. */
	assert_int_equal(upc_unit_remove(u, codes[1]), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	again = whole(u, codes[2]);
	assert_int_equal(wish(u), UPCI_SOURCE_RENEW);
	assert_int_equal(upc_unit_start(u), 0);
	assert_true(known(u, codes[2]).enabled == again);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_true(known(u, codes[2]).enabled == 0);
	upc_unit_destroy(u);
}

TEST(test_other_counters)
{
	needs_perf();
	uint32_t codes[3];
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct upc_transaction *t;
	struct upc_unit *u;
	uint64_t before, ran;

	take_software(codes);
	u = create(NULL, codes, 1);
	assert_int_equal(upc_unit_start(u), 0);
	work();
	/* Nothing is bound. */
	assert_int_equal(upc_counter_state(u, 9, &info), 0);
	assert_true(info.enabled_ns == 0 && info.running_ns == 0);
	/* Another event of the same counter begins at 0. */
	assert_true(whole(u, codes[0]) > 0);
	before = now_ns();
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, codes[0], codes[1]), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	ran = whole(u, codes[1]);
	assert_in_range(ran, 0, now_ns() - before + DRIFT(ran));
	/* A preset is no reset. */
	work();
	before = whole(u, codes[1]);
	assert_int_equal(upc_unit_write_events(u, &codes[1], 1, &(uint64_t){5}), 0);
	assert_true(known(u, codes[1]).enabled >= before);
	assert_int_equal(upc_unit_stop(u), 0);
	/* A new target starts the times anew. */
	options.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upc_unit_retarget(u, &options), 0);
	assert_true(whole(u, codes[1]) == 0);
	upc_unit_destroy(u);
}

/* An event that is moved to another counter keeps its times. */
TEST(test_moves)
{
	needs_perf();
	const uint32_t codes[] = {event_code(c, "time::real_ns"), event_code(c, "perf::PAGE-FAULTS"),
				  event_code(c, "perf::MINOR-FAULTS")};
	struct upc_unit *u = create(NULL, codes, 2);
	struct upc_transaction *t;
	uint64_t before[2];

	assert_int_equal(upc_unit_start(u), 0);
	work();
	/* The reset makes the clock's times begin later than the unit. */
	assert_int_equal(upc_unit_reset(u), 0);
	work();
	assert_int_equal(upc_unit_stop(u), 0);
	before[0] = whole(u, codes[0]);
	before[1] = whole(u, codes[1]);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, codes[2], 0), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(counter_of(u, codes[2]), 0);
	assert_true(counter_of(u, codes[0]) > 0);
	assert_true(before[0] > 0 && whole(u, codes[0]) == before[0]);
	assert_true(before[1] > 0 && whole(u, codes[1]) == before[1]);
	assert_true(whole(u, codes[2]) == 0);
	upc_unit_destroy(u);
}

TEST(test_fork)
{
	needs_perf();
	const uint32_t codes[] = {event_code(c, "perf::PAGE-FAULTS"), event_code(c, "time::real_ns")};
	struct upc_unit *u = create(NULL, codes, 2);
	uint64_t before;
	int i;
	pid_t pid;

	assert_int_equal(upc_unit_start(u), 0);
	work();
	before = whole(u, codes[0]);
	pid = fork();
	if (!pid) {
		bool good = true;

		for (i = 0; i < 2; i++)
			good = good && !known(u, codes[i]).enabled;
		good = good && !upc_unit_start(u);
		work();
		for (i = 0; i < 2; i++)
			good = good && whole(u, codes[i]) > 0 && whole(u, codes[i]) < before + now_ns();
		_exit(good ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(end_of(pid), 0);
	assert_true(whole(u, codes[0]) >= before);
	upc_unit_destroy(u);
}

/* The times of ended children that inherited are added to the parent's, as their counts are. */
TEST(test_children)
{
	needs_perf();
	const uint32_t codes[] = {event_code(c, "perf::PAGE-FAULTS")};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	static struct upc_unit *u; /* valgrind looks for it in the child that ends, too */
	uint64_t before, child = 0;
	int pipes[2];
	pid_t pid;

	options.inherit = 1;
	u = create(&options, codes, 1);
	assert_int_equal(upc_unit_start(u), 0);
	before = whole(u, codes[0]);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		struct timespec t;

		work();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		child = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		_exit(write(pipes[1], &child, sizeof(child)) != sizeof(child));
	}
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(read(pipes[0], &child, sizeof(child)), sizeof(child));
	close(pipes[0]);
	close(pipes[1]);
	assert_true(child > 0);
	assert_true(whole(u, codes[0]) - before + DRIFT(child) >= child);
	upc_unit_destroy(u);
}

/* ---- an exec that starts a unit ---------------------------------------------------------- */

/* Starts a child that calls exec when the test writes to *go; a unit is to start at that exec. */
static pid_t start_child(int *go)
{
	int pipes[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		close(pipes[1]);
		if (read(pipes[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "read line", (char *)NULL);
		_exit(9);
	}
	assert_true(pid > 0);
	close(pipes[0]);
	*go = pipes[1];
	return pid;
}

TEST(test_exec)
{
	needs_perf();
	const uint32_t codes[] = {event_code(c, "perf::PAGE-FAULTS"), event_code(c, "perf::TASK-CLOCK")};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	uint64_t values[2] = {0, 0};
	int go, status, tries;

	options.pid = start_child(&go);
	options.enable_on_exec = 1;
	u = create(&options, codes, 2);
	assert_int_equal(upc_unit_start(u), 0);
	assert_true(whole(u, codes[0]) == 0);
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
	assert_int_equal(waitpid(options.pid, &status, 0), options.pid);
	for (tries = 0; tries < 100 && !values[0]; tries++)
		assert_int_equal(upc_unit_read_added(u, values, 2), 0);
	assert_true(values[0] > 0 && values[1] > 0);
	assert_true(known(u, codes[0]).enabled == values[1]);
	assert_true(known(u, codes[0]).running == values[1]);
	upc_unit_destroy(u);
}

/* ---- everything in any order --------------------------------------------------------------- */

enum { OTHERS = 4, KINDS = 2 };

/*
 * Two events stay all the time, one of the kernel's and one of the unit's own clock. For each other
 * event, the test knows the two readings of its kind's clock between which it came, was halted or
 * went on; they give its least and its most time.
 */
static struct {
	uint32_t code;
	unsigned kind;
	bool there, halted;
	uint64_t least, most;
} other[OTHERS];
static uint32_t stays[KINDS];

static void read_stays(struct upc_unit *u, uint64_t at[KINDS])
{
	unsigned k;

	assert_int_equal(upc_unit_read(u, NULL), 0);
	for (k = 0; k < KINDS; k++)
		at[k] = known(u, stays[k]).enabled;
}

static void change_one(struct upc_unit *u, unsigned i, uint64_t random)
{
	if (!other[i].there) {
		assert_int_equal(upc_unit_add(u, other[i].code), 0);
		other[i].there = true;
		other[i].halted = false;
		other[i].least = other[i].most = 0;
	} else if (random % 4 == 0) {
		assert_int_equal(upc_unit_remove(u, other[i].code), 0);
		other[i].there = false;
	} else {
		other[i].halted = !other[i].halted;
		assert_int_equal((other[i].halted ? upc_counter_halt
						  : upc_counter_continue)(u, counter_of(u, other[i].code)),
				 0);
	}
}

TEST(test_random)
{
	needs_perf();
	static const char *const names[OTHERS] = {"perf::MINOR-FAULTS", "perf::MAJOR-FAULTS", "time::raw_ns",
						  "vm::pgfault"};
	uint64_t random = 7, before[KINDS], after[KINDS], last[KINDS] = {0};
	struct upc_unit *u;
	unsigned round, i, k;

	stays[0] = event_code(c, "perf::PAGE-FAULTS");
	stays[1] = event_code(c, "time::real_ns");
	for (i = 0; i < OTHERS; i++) {
		memset(&other[i], 0, sizeof(other[i]));
		other[i].code = event_code(c, names[i]);
		other[i].kind = i / 2;
	}
	/* The first event leads its group, and will be removed. */
	u = create(NULL, &other[0].code, 1);
	other[0].there = true;
	for (k = 0; k < KINDS; k++)
		assert_int_equal(upc_unit_add(u, stays[k]), 0);
	for (round = 0; round < 2000; round++) {
		const uint64_t what = random_next(&random) % 8;
		const unsigned which = (unsigned)(random_next(&random) % OTHERS);
		const bool was = other[which].there && !other[which].halted;
		unsigned spin;

		for (spin = (unsigned)(random_next(&random) % 300); spin; spin--)
			(void)now_ns();
		read_stays(u, before);
		for (k = 0; k < KINDS; k++)
			assert_true(before[k] >= last[k]);
		for (i = 0; i < OTHERS; i++)
			if (other[i].there && !other[i].halted) {
				other[i].least += before[other[i].kind] - last[other[i].kind];
				other[i].most += before[other[i].kind] - last[other[i].kind];
			}
		if (what == 0) {
			assert_int_equal(upc_unit_running(u) ? upc_unit_stop(u) : upc_unit_start(u), 0);
		} else if (what == 1 && random_next(&random) % 8 == 0) {
			assert_int_equal(upc_unit_reset(u), 0);
			for (i = 0; i < OTHERS; i++)
				other[i].least = other[i].most = 0;
			memset(before, 0, sizeof(before));
		} else if (what > 4) {
			change_one(u, which, random_next(&random));
		}
		read_stays(u, after);
		for (i = 0; i < OTHERS; i++) {
			const bool is = other[i].there && !other[i].halted;
			const uint64_t passed = after[other[i].kind] - before[other[i].kind];

			/* The event may have counted in this time, or not. */
			if (is || (i == which && was))
				other[i].most += passed;
			if (is && (i != which || was))
				other[i].least += passed;
			if (other[i].there) {
				struct times t = known(u, other[i].code);

				assert_true(t.enabled == t.running);
				assert_in_range(t.enabled, other[i].least, other[i].most);
			}
		}
		memcpy(last, after, sizeof(last));
	}
	upc_unit_destroy(u);
}

/* ---- behind a script ---------------------------------------------------------------------- */

static void assert_cycles(struct upc_unit *u, uint32_t code, uint64_t cycles)
{
	assert_true(known(u, code).enabled == cycles);
	assert_true(known(u, code).running == cycles);
}

TEST(test_script)
{
	struct upc_catalogue *own =
		open_script("upc-trace 1\nc 100 0\ns\nc 1000\ns\nc 7 0\ns\nc 50\ns\nc 3\n");
	const uint32_t code = event_code(own, "PU0_JPIPE_INSTRUCTIONS"),
		       late = event_code(own, "PU1_JPIPE_INSTRUCTIONS");
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(own, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, code), 0);
	/* Cycles that are played while the unit is stopped add no time. */
	assert_int_equal(upc_unit_play(u), 1);
	assert_cycles(u, code, 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_cycles(u, code, 1000);
	assert_int_equal(upc_unit_add(u, late), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_cycles(u, code, 1007);
	assert_cycles(u, late, 7);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_cycles(u, code, 1007);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_cycles(u, code, 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_cycles(u, code, 3);
	assert_cycles(u, late, 3);
	upc_unit_destroy(u);
	upc_catalogue_close(own);
}

/* ---- a source that goes away -------------------------------------------------------------- */

/* A read that reports all clocks as lost, without an error of its own. */
static int read_nothing(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	const unsigned n = source->handles;

	(void)value;
	memset(state, UPCI_SOURCE_LOST, n);
	return 0;
}

TEST(test_lost)
{
	const uint32_t code = event_code(c, "time::real_ns");
	struct upc_unit *u = create(NULL, &code, 1);
	struct upci_source *clocks = u->sources.of[UPCI_ROW_CLOCK];
	struct upci_source_ops away = *clocks->ops;
	struct times before, after;

	away.read = read_nothing;
	assert_int_equal(upc_unit_start(u), 0);
	work();
	before = times(u, code);
	assert_true(before.enabled == before.running);
	clocks->ops = &away;
	work();
	assert_int_equal(upc_unit_read(u, NULL), UPC_ELOST);
	after = known(u, code);
	assert_true(after.enabled > before.enabled);
	assert_true(after.running == before.running);
	clocks->ops = &upci_clock_source;
	work();
	(void)upc_unit_read(u, NULL);
	after = known(u, code);
	assert_true(after.running > before.running);
	assert_true(after.running < after.enabled);
	(void)upc_unit_stop(u);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_true(known(u, code).enabled == 0);
	upc_unit_destroy(u);
}

UNIT_TESTS(unit_time, open_catalogue, close_catalogue)
