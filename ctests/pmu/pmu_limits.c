/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_limits - a PMU that has too few counters: events are refused by name, halted ones and
 * thresholds keep their counters, a start that cannot count is refused, and an event that never
 * counted is never shown as 0. The domains in which the PMU counts are tested as well.
 */
#include "pmu_unit.h"

static unsigned room; /* how many of them fit */

/* Starts, works and stops. Returns whether all went well, and in grown the growth of the instructions. */
static int counts(struct upc_unit *u, unsigned long n, uint64_t *grown)
{
	int error, before, after;
	uint64_t first = value_of(u, event[0], &before);

	error = upc_unit_start(u);
	work(n);
	error = error ? error : upc_unit_stop(u);
	*grown = value_of(u, event[0], &after) - first;
	if (error || before || after)
		note("%s", upc_last_message());
	return !error && !before && !after;
}

/* Checks that the unit counts, and on aarch64 exactly: the instructions that it adds do not depend on n. */
static void check_counts(struct upc_unit *u, const char *what)
{
	uint64_t one = 0, two = 0;
	int good = counts(u, LOOPS, &one) && counts(u, 2 * LOOPS, &two);

	ok(good && one >= LOOPS && two > one, "%s: it counts", what);
#ifdef __aarch64__
	ok(two - one == 2 * LOOPS && one - 2 * LOOPS < 1000, "%s: 2n + %llu", what,
	   (unsigned long long)(one - 2 * LOOPS));
#endif
}

/* ---- what does not fit is refused when it is added ------------------------- */

static void test_room(void)
{
	struct upc_unit *u = create(0, NULL);
	int error = 0;

	for (room = 0; room < events; room++) {
		error = upc_unit_add(u, event[room]);
		if (error)
			break;
	}
	note("%u events fit", room);
	refused(error, "one event too many", "in a run of its own");
	check_counts(u, "all that fit");
	upc_unit_destroy(u);
}

static void halt(struct upc_unit *u, uint32_t code, int go_on)
{
	unsigned flags;
	int counter = counter_of(u, code, &flags);
	int error = go_on ? upc_counter_continue(u, counter) : upc_counter_halt(u, counter);

	if (error)
		note("%s", upc_last_message());
}

static void test_halted(void)
{
	struct upc_unit_options self = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u = create(0, NULL);
	unsigned i, added = 0;
	int error = 0;

	for (i = 0; i < room + 2; i++) {
		error = upc_unit_add(u, event[i]);
		if (error)
			break;
		halt(u, event[i], 0);
		added++;
	}
	ok(added == room, "of events that are halted as well %u fit", added);
	refused(error, "one that is halted too many", "in a run of its own");
	for (i = 0; i < added; i++)
		halt(u, event[i], 1);
	check_counts(u, "halted, then continued");
	for (i = 0; i < added; i++)
		halt(u, event[i], 0);
	/* Opened anew they are halted from the beginning. */
	ok(upc_unit_retarget(u, &self) == 0, "halted events are opened anew");
	error = upc_unit_add(u, event[room]);
	refused(error, "one more", "in a run of its own");
	for (i = 0; i < added; i++)
		halt(u, event[i], 1);
	check_counts(u, "opened halted, then continued");
	halt(u, event[0], 0);
	ok(upc_unit_remove(u, event[1]) == 0 && upc_unit_add(u, event[room]) == 0,
	   "where one is removed another one fits");
	upc_unit_destroy(u);
}

static void test_thresholds(void)
{
	struct upc_unit *u = create(room, NULL);
	uint64_t threshold = 1;
	int error;

	signal(SIGRTMIN, SIG_IGN);
	upc_unit_set_interrupt(u, NULL, NULL, SIGRTMIN);
	error = upc_unit_set_threshold(u, event[0], 1u << 30);
	refused(error, "a threshold without a counter for it", "in a run of its own");
	ok(!upc_unit_get_threshold(u, event[0], &threshold) && !threshold, "there is no threshold then");
	check_counts(u, "after a threshold was refused");
	upc_unit_remove(u, event[room - 1]);
	ok(upc_unit_set_threshold(u, event[0], 1u << 30) == 0, "a threshold takes the counter that is free");
	ok(upc_unit_set_threshold(u, event[0], 1u << 29) == 0, "and the same one when it is changed");
	error = upc_unit_add(u, event[room - 1]);
	refused(error, "an event beside it", "in a run of its own");
	check_counts(u, "with a threshold");
	upc_unit_destroy(u);
}

static void test_scattered(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	int error;

	options.inherit = 1;
	u = create(room, &options);
	error = upc_unit_add(u, event[room]);
	refused(error, "one too many to inherit", "in a run of its own");
	check_counts(u, "events to inherit, added one by one");
	upc_unit_destroy(u);
}

/* ---- counters that others hold --------------------------------------------- */

static void test_two_units(void)
{
	struct upc_unit *a = create(room - 2, NULL), *b = create(room - 2, NULL);
	uint32_t faults = 0;
	uint64_t value;
	unsigned flags = 0;
	int error;

	upc_catalogue_find(c, "perf::TASK-CLOCK", &faults);
	upc_unit_add(b, faults);
	upc_unit_start(a);
	refused(upc_unit_start(b), "a second unit's start", "stop those first");
	ok(!upc_unit_running(b), "it does not run");
	work(LOOPS);
	value = value_of(b, faults, &error);
	ok(!error && !value, "and has counted nothing");
	counter_of(b, event[0], &flags);
	ok(!(flags & (UPC_COUNTER_NEVER | UPC_COUNTER_PARTIAL)),
	   "its counters are not called uncounted for it");
	error = upc_unit_stop(a);
	value = value_of(a, event[0], &error);
	ok(!error && value >= LOOPS, "the first one counts on");
	check_counts(b, "the second one when the first has stopped");
	upc_unit_destroy(a);
	check_counts(b, "and when it is gone");
	upc_unit_destroy(b);
}

static void check_flag(struct upc_unit *u, unsigned flag, const char *when)
{
	unsigned flags = 0;
	int error;

	(void)value_of(u, event[0], &error);
	counter_of(u, event[0], &flags);
	flags &= UPC_COUNTER_NEVER | UPC_COUNTER_PARTIAL;
	ok(error == (flag ? UPC_EPARTIAL : 0) && flags == flag, "%s: a read gives %d, flags 0x%x", when,
	   error, flags);
}

/* A start of another task's unit cannot tell that counters are missing: reads and the stop report it. */
static void test_other_task(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *holder, *u;
	struct other other;
	uint64_t part, value;
	int error;

	start_other(&other);
	options.pid = other.pid;
	options.domain = UPC_DOMAIN_USER;
	holder = create(room - 2, &options);
	u = create(room - 2, &options);
	upc_unit_start(holder);
	ok(upc_unit_start(u) == 0, "of another task a start cannot tell");
	let_work(&other);
	check_flag(u, UPC_COUNTER_NEVER, "never counted, running");
	ok(upc_unit_stop(u) == UPC_EPARTIAL, "and so does the stop: %s", upc_last_message());
	check_flag(u, UPC_COUNTER_NEVER, "never counted, stopped");
	check_flag(holder, 0, "who has the counters");
	upc_unit_stop(holder);

	upc_unit_reset(u);
	check_flag(u, 0, "after a reset");
	ok(upc_unit_start(u) == 0, "it starts again");
	let_work(&other);
	check_flag(u, 0, "when the counters are free");
	part = value_of(u, event[0], &error);
	ok(!error && part >= LOOPS, "it counts then");
	ok(upc_unit_stop(u) == 0, "and stops");

	upc_unit_start(holder);
	upc_unit_start(u);
	let_work(&other);
	check_flag(u, UPC_COUNTER_PARTIAL, "counted before and not now");
	value = value_of(u, event[0], &error);
	ok(value >= part && value < part + LOOPS, "what was counted is kept, once");
	upc_unit_stop(holder);
	(void)upc_unit_stop(u);
	check_flag(u, UPC_COUNTER_PARTIAL, "stopped");
	upc_unit_reset(u);
	upc_unit_start(u);
	let_work(&other);
	value = value_of(u, event[0], &error);
	ok(!error && value >= LOOPS && value <= part + LOOPS / 2, "after a reset it counts from 0");
	upc_unit_destroy(holder);
	upc_unit_destroy(u);
	end_other(&other);
}

/* ---- domains ---------------------------------------------------------------- */

static uint64_t instructions_in(unsigned domain, const char *name)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	uint64_t value = 0;
	uint32_t code;
	struct upc_unit *u = NULL;
	int i, error;

	options.domain = domain;
	error = upc_unit_create(c, &options, &u);
	error = error ? error : upc_catalogue_find(c, name, &code);
	error = error ? error : upc_unit_add(u, code);
	error = error ? error : upc_unit_start(u);
	for (i = 0; i < 1000 && !error; i++)
		(void)getppid();
	error = error ? error : upc_unit_stop(u);
	if (!error)
		value = value_of(u, code, &error);
	if (error)
		note("%s", upc_last_message());
	upc_unit_destroy(u);
	return error ? UINT64_MAX : value;
}

static void test_domains(void)
{
	const uint64_t user = instructions_in(UPC_DOMAIN_USER, "perf::INSTRUCTIONS");
	const uint64_t unsaid = instructions_in(0, "perf::INSTRUCTIONS");
	const uint64_t kernel = instructions_in(UPC_DOMAIN_KERNEL, "perf::INSTRUCTIONS");
	const uint64_t both = instructions_in(UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL, "perf::INSTRUCTIONS");

	note("1,000 system calls: user %llu, none chosen %llu, kernel %llu, both %llu",
	     (unsigned long long)user, (unsigned long long)unsaid, (unsigned long long)kernel,
	     (unsigned long long)both);
	if (kernel == UINT64_MAX) {
		skip("the kernel may not be counted here");
	} else {
		ok(both > user + 10000 && kernel > 10000,
		   "the kernel's instructions are counted where they are chosen");
		ok(instructions_in(0, "perf::INSTRUCTIONS:k") > 10000, "and where the event's name says so");
		ok(instructions_in(0, "perf::INSTRUCTIONS:u:k") > user + 10000, "also where it says both");
		ok(instructions_in(0, "perf::CONTEXT-SWITCHES") != UINT64_MAX,
		   "software events count as before");
	}
	ok(unsaid >= user - 100 && unsaid <= user + 100,
	   "where no domain is chosen the CPU's PMU counts user mode");
}

int main(void)
{
	open_events();
	if (events < 2) {
		skip("no PMU that opens events here");
	} else {
		test_room();
		if (room >= 4 && room + 2 <= events) {
			test_halted();
			test_thresholds();
			test_scattered();
			test_two_units();
			test_other_task();
		} else {
			skip("%u of %u events fit: the PMU has other limits than these tests", room, events);
		}
		test_domains();
	}
	upc_catalogue_close(c);
	return done();
}
