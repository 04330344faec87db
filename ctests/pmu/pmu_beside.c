/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_beside - units beside others that hold the PMU's counters, while they run: an event that is
 * added, a halted one that is to go on and a threshold's signals are refused where there is no
 * counter for them, and the events that counted count on; a later loss is reported by each call
 * that reads it, and never shown as a count. The others are opened first: whenever the kernel deals
 * counters out anew, it begins with the events that it has had longest.
 */
#include <sched.h>
#include <stdbool.h>

#include "pmu_unit.h"

#define PERIOD 10000000u /* longer than a tick of an emulator: each has its signal */

static unsigned room; /* how many events fit */

static void find_room(void)
{
	struct upc_unit *u = create(0, NULL);

	while (room < events && !upc_unit_add(u, event[room]))
		room++;
	upc_unit_destroy(u);
}

/* Checks that the unit reads without an error, and that its first event counts on. */
static void goes_on(struct upc_unit *u, const char *what)
{
	uint64_t before, after;
	int error[2];

	before = value_of(u, event[0], &error[0]);
	work(LOOPS);
	after = value_of(u, event[0], &error[1]);
	ok(!error[0] && !error[1] && after - before >= LOOPS, "%s: %d, %d, %llu more", what, error[0],
	   error[1], (unsigned long long)(after - before));
}

static unsigned flags_of(struct upc_unit *u, uint32_t code)
{
	unsigned flags = 0;

	return counter_of(u, code, &flags) < 0 ? 0 : flags;
}

static struct upc_unit *started(unsigned n, const struct upc_unit_options *options)
{
	struct upc_unit *u = create(n, options);

	ok(upc_unit_start(u) == 0, "a unit of %u events starts", n);
	return u;
}

/* Keeps the test on this CPU. Returns the options of a unit on it, which takes the counters away. */
static struct upc_unit_options on_a_cpu(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	cpu_set_t set;

	options.context = UPC_CONTEXT_CPU;
	options.cpu = sched_getcpu();
	CPU_ZERO(&set);
	CPU_SET((unsigned)options.cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return options;
}

/* ---- while it runs ------------------------------------------------------------- */

static void test_add(void)
{
	struct upc_unit *holder = started(room - 2, NULL), *u = started(1, NULL);
	uint64_t value;
	int error;

	ok(upc_unit_add(u, event[1]) == 0, "an event that has room is added to a unit that runs");
	goes_on(u, "it counts on");
	refused(upc_unit_add(u, event[2]), "one more", "beside the unit's events that run");
	goes_on(u, "what was there counts on");
	value = value_of(u, event[2], &error);
	ok(error == UPC_EINVAL, "the refused one is not there");
	goes_on(holder, "and so does the other unit");
	upc_unit_destroy(holder);
	ok(upc_unit_add(u, event[2]) == 0, "when the other has gone there is room");
	value = value_of(u, event[2], &error);
	ok(!error && value < LOOPS, "and it counts from there on");
	upc_unit_destroy(u);
}

static void test_continue(void)
{
	struct upc_unit *holder = create(room - 2, NULL), *u = create(3, NULL);
	unsigned flags = 0;
	int counter = counter_of(u, event[2], &flags);

	ok(upc_counter_halt(u, counter) == 0 && upc_unit_start(u) == 0, "one of three is halted");
	ok(upc_unit_start(holder) == 0, "beside another unit");
	refused(upc_counter_continue(u, counter), "to let it go on", "beside the unit's events");
	ok(flags_of(u, event[2]) & UPC_COUNTER_HALTED, "it stays halted");
	goes_on(u, "the others count on");
	goes_on(holder, "the other unit's too");
	upc_unit_stop(holder);
	ok(upc_counter_continue(u, counter) == 0, "when the other has stopped it goes on");
	goes_on(u, "all count");
	ok(!(flags_of(u, event[2]) & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER)), "and it too");
	upc_unit_destroy(u);
	upc_unit_destroy(holder);
}

/* A refused event does not hide that the group has missed counts. */
static void test_given_up(void)
{
	struct upc_unit_options cpu = on_a_cpu();
	struct upc_unit *u, *holder;
	int error;

	if (upc_unit_create(c, &cpu, &holder)) {
		skip("a CPU may not be counted here");
		return;
	}
	upc_unit_destroy(holder);
	u = started(2, NULL);
	holder = started(room, &cpu);
	work(LOOPS);
	upc_unit_destroy(holder);
	refused(upc_unit_add(u, event[2]), "to add to what was given up", "beside the unit's");
	(void)value_of(u, event[0], &error);
	ok(error == UPC_EPARTIAL, "and it still says so: %s", upc_last_message());
	upc_unit_stop(u);
	upc_unit_reset(u);
	ok(upc_unit_start(u) == 0 && upc_unit_add(u, event[2]) == 0, "started anew it takes one");
	goes_on(u, "and counts");
	upc_unit_destroy(u);
}

/* ---- signals ------------------------------------------------------------------- */

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
	(void)number;
	signals++;
}

static struct upc_unit *with_threshold(void)
{
	struct upc_unit *u = create(1, NULL);

	signal(SIGRTMIN, on_signal);
	upc_unit_set_interrupt(u, NULL, NULL, SIGRTMIN);
	ok(upc_unit_set_threshold(u, event[0], PERIOD) == 0, "a threshold");
	return u;
}

static void expect_signals(struct upc_unit *u, const char *when)
{
	int error;

	signals = 0;
	work(5 * (unsigned long)PERIOD / 2);
	(void)value_of(u, event[0], &error);
	ok(!error && signals >= 4, "%s: %d signals", when, (int)signals);
}

static void test_no_signals_at_start(void)
{
	struct upc_unit *holder = started(room - 1, NULL), *u = with_threshold();
	unsigned flags;
	uint64_t value;
	int error;

	refused(upc_unit_start(u), "a start whose signals have no counter", "overflow signals");
	ok(!upc_unit_running(u), "it does not run");
	work(LOOPS);
	value = value_of(u, event[0], &error);
	flags = flags_of(u, event[0]);
	ok(!error && !value && !(flags & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER)),
	   "it has counted nothing, and missed nothing");
	goes_on(holder, "the other one counts on");
	upc_unit_stop(holder);
	ok(upc_unit_start(u) == 0, "when the other has stopped it starts");
	expect_signals(u, "and signals");
	upc_unit_destroy(u);
	upc_unit_destroy(holder);
}

static void test_signals_lost(void)
{
	struct upc_unit_options cpu = on_a_cpu();
	struct upc_unit *u, *holder;
	uint64_t before, after;
	int error;

	if (upc_unit_create(c, &cpu, &holder)) {
		skip("a CPU may not be counted here");
		return;
	}
	upc_unit_destroy(holder);
	u = with_threshold();
	ok(upc_unit_start(u) == 0, "it starts");
	expect_signals(u, "with all counters");
	before = value_of(u, event[0], &error);
	/* This leaves one of the two counters that the unit has, and the unit's group was there first. */
	holder = started(room - 1, &cpu);
	work(LOOPS);
	after = value_of(u, event[0], &error);
	ok(error == UPC_EPARTIAL && strstr(upc_last_message(), "overflow signals"),
	   "that signals are lost is told: %s", upc_last_message());
	ok(after - before >= LOOPS && flags_of(u, event[0]) & UPC_COUNTER_PARTIAL, "and the count goes on");
	upc_unit_destroy(holder);
	(void)value_of(u, event[0], &error);
	ok(error == UPC_EPARTIAL, "it is told as long as it lasts");
	ok(upc_unit_stop(u) == UPC_EPARTIAL, "by the stop as well");
	ok(upc_unit_reset(u) == 0 && upc_unit_start(u) == 0, "reset, and started anew");
	expect_signals(u, "it signals again");
	upc_unit_destroy(u);
}

/* ---- of another task: the next read tells ---------------------------------------- */

static void test_other_task(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *holder, *u;
	unsigned flags[2], counter;
	uint64_t value = 77;
	struct other other;
	int error;

	start_other(&other);
	options.pid = other.pid;
	options.domain = UPC_DOMAIN_USER;
	holder = started(room - 1, &options);
	u = started(1, &options);
	let_work(&other);
	value = value_of(u, event[0], &error);
	ok(!error && value >= LOOPS, "one beside the others counts");
	ok(upc_unit_add(u, event[1]) == 0, "of another task an add cannot tell");
	let_work(&other);
	(void)value_of(u, event[1], &error);
	flags[0] = flags_of(u, event[0]) & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER);
	flags[1] = flags_of(u, event[1]) & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER);
	ok(error == UPC_EPARTIAL && flags[0] == UPC_COUNTER_PARTIAL, "the one that counted has a part: 0x%x",
	   flags[0]);
	ok(flags[1] == UPC_COUNTER_NEVER, "the new one never counted: 0x%x", flags[1]);
	refused(upc_unit_add(u, event[2]), "one more to what was given up", "beside the unit's");
	upc_unit_destroy(u);

	/* The registers report it as well. */
	u = started(2, &options);
	let_work(&other);
	ok(upc_unit_stop(u) == UPC_EPARTIAL, "two more never count");
	counter = (unsigned)counter_of(u, event[0], flags);
	ok(upc_register_read(u, UPC_REG_COUNTER(counter), &value) == UPC_EPARTIAL && value == 0,
	   "the register of what never counted says so when all stands still");
	ok(upc_register_read(u, UPC_REG_THRESHOLD, &value) == 0, "the others are as they are");
	upc_unit_destroy(u);
	upc_unit_destroy(holder);
	end_other(&other);
}

int main(void)
{
	open_events();
	if (events < 2)
		skip_all("no PMU that opens events here");
	find_room();
	if (room < 4 || room + 2 > events)
		skip_all("%u of %u events fit: the PMU has other limits than these tests", room, events);
	test_add();
	test_continue();
	test_given_up();
	test_no_signals_at_start();
	test_signals_lost();
	test_other_task();
	upc_catalogue_close(c);
	return done();
}
