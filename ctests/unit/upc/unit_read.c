/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From readings to registers: sources that step back or begin anew, sources that
 * go away, scales, levels.
 */
#include <pthread.h>
#include <sched.h>

#include "catalogue/derived.h"
#include "catalogue/formula.h"
#include "unit/unit.h"
#include "catalogue_test.h"

static uint32_t clock_event(const char *name, int clock, uint32_t mul, uint32_t div, enum upc_kind kind)
{
	struct upci_event event = {.name = name,
				   .unit = "ns",
				   .subsystem = "test",
				   .description = "Test.",
				   .id = UPC_NO_ID,
				   .kind = kind};
	int64_t code;

	event.driver.source = UPC_SOURCE_CLOCK;
	event.driver.mul = mul;
	event.driver.div = div;
	event.driver.clock = clock;
	code = upci_catalogue_put(c, &event);
	assert_true(code >= 0);
	return (uint32_t)code;
}

static int notices;

static void count_notice(const char *line, void *arg)
{
	(void)line;
	(void)arg;
	notices++;
}

TEST(test_steps_back)
{
	uint32_t code = clock_event("test::mono", CLOCK_MONOTONIC, 1, 1, UPC_KIND_COUNT);
	struct upc_unit *u;
	uint64_t value, before, anew;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, code), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_read_events(u, &code, 1, &before), 0);
	/* Behind what was read before, by half of the time since the machine began: held, nothing added,
	 * no notice. */
	notices = 0;
	upc_set_message_callback(count_notice, NULL);
	u->binding[0].last += u->binding[0].last / 2;
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), 0);
	assert_true(value == before);
	assert_int_equal(notices, 0);
	/* Far behind: a source that began anew; said, and counted on from here. */
	u->binding[0].last = UINT64_MAX / 2;
	anew = now_ns();
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), 0);
	assert_true(value == before);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(notices, 1);
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), 0);
	assert_in_range(value, before + 1, before + now_ns() - anew);
	upc_set_message_callback(NULL, NULL);
	upc_unit_destroy(u);
}

/* A thread that tells its number, and lives until it is let go. */
struct mortal {
	pthread_barrier_t born, dies;
	pid_t tid;
};

static void *live(void *arg)
{
	struct mortal *mortal = arg;

	mortal->tid = gettid();
	pthread_barrier_wait(&mortal->born);
	pthread_barrier_wait(&mortal->dies);
	return NULL;
}

/* The kernel has no clock of a thread that has ended, which can be after it was joined. */
static void end(struct mortal *mortal, pthread_t thread)
{
	char path[64];

	pthread_barrier_wait(&mortal->dies);
	pthread_join(thread, NULL);
	snprintf(path, sizeof(path), "/proc/self/task/%d", (int)mortal->tid);
	while (access(path, F_OK) == 0)
		sched_yield();
}

TEST(test_a_source_that_goes_away)
{
	uint32_t good = clock_event("test::good", CLOCK_MONOTONIC, 1, 1, UPC_KIND_COUNT);
	uint32_t bad = clock_event("test::bad", CLOCK_THREAD_CPUTIME_ID, 1, 1, UPC_KIND_COUNT), codes[2];
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct mortal mortal;
	struct upc_unit *u;
	uint64_t values[2], again[2];
	pthread_t thread;

	codes[0] = bad;
	codes[1] = good;
	pthread_barrier_init(&mortal.born, NULL, 2);
	pthread_barrier_init(&mortal.dies, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, live, &mortal), 0);
	pthread_barrier_wait(&mortal.born);
	options.pid = mortal.tid;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	assert_int_equal(upc_unit_add(u, bad), 0);
	assert_int_equal(upc_unit_add(u, good), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_read_events(u, codes, 2, values), 0);
	end(&mortal, thread);
	assert_int_equal(upc_unit_read_events(u, codes, 2, again), UPC_ELOST);
	assert_message("test::bad");
	assert_true(again[0] == values[0] && again[1] > values[1]);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_true(info.flags & UPC_COUNTER_LOST);
	/* Without it the others go on without an error. */
	assert_int_equal(upc_unit_remove(u, bad), 0);
	assert_int_equal(upc_unit_read_events(u, &good, 1, values), 0);
	upc_unit_destroy(u);
}

/* A formula has the flags of its terms. */
TEST(test_flags)
{
	uint32_t a = clock_event("test::a", CLOCK_MONOTONIC, 1, 1, UPC_KIND_COUNT);
	uint32_t b = clock_event("test::b", CLOCK_MONOTONIC_RAW, 1, 1, UPC_KIND_COUNT);
	struct upci_event sum = {.name = "test::sum", .description = "", .id = UPC_NO_ID};
	struct upci_formula_error error;
	uint32_t codes[3] = {a, b, 0};
	unsigned flags[3] = {0};
	struct upc_unit *u;
	int i;

	assert_int_equal(upci_formula_parse(c, "test::a + test::b", &sum.formula, &error), 0);
	assert_int_equal(upci_derived_settle(c, &sum), 0);
	codes[2] = (uint32_t)upci_catalogue_put(c, &sum);
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_flags(u, codes, 1, flags), UPC_EINVAL);
	assert_message("is not added");
	for (i = 0; i < 3; i++)
		assert_int_equal(upc_unit_add(u, codes[i]), 0);
	assert_int_equal(upc_unit_flags(u, codes, 3, flags), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(flags[i], UPC_COUNTER_BOUND);
	u->binding[1].flags = UPC_COUNTER_LOST;
	assert_int_equal(upc_unit_flags(u, codes, 3, flags), 0);
	assert_int_equal(flags[0], UPC_COUNTER_BOUND);
	assert_int_equal(flags[1], UPC_COUNTER_BOUND | UPC_COUNTER_LOST);
	assert_int_equal(flags[2], UPC_COUNTER_BOUND | UPC_COUNTER_LOST);
	u->binding[1].flags = UPC_COUNTER_NEVER;
	assert_int_equal(upc_unit_flags(u, codes, 3, flags), 0);
	assert_int_equal(flags[1], UPC_COUNTER_BOUND | UPC_COUNTER_NEVER);
	assert_int_equal(flags[2], UPC_COUNTER_BOUND | UPC_COUNTER_PARTIAL);
	u->binding[0].flags = UPC_COUNTER_NEVER;
	assert_int_equal(upc_unit_flags(u, codes, 3, flags), 0);
	assert_int_equal(flags[2], UPC_COUNTER_BOUND | UPC_COUNTER_NEVER);
	upc_unit_destroy(u);
}

TEST(test_scales_and_levels)
{
	uint32_t us = clock_event("test::us", CLOCK_MONOTONIC, 1, 1000, UPC_KIND_COUNT);
	uint32_t level = clock_event("test::level", CLOCK_REALTIME, 3, 2, UPC_KIND_LEVEL);
	uint64_t value, around, inside, from;
	struct upc_unit *u;
	int i;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, us), 0);
	assert_int_equal(upc_unit_add(u, level), 0);
	from = ns_of(CLOCK_REALTIME);
	around = now_ns();
	assert_int_equal(upc_unit_start(u), 0);
	inside = now_ns();
	/* Reading often loses nothing to rounding. */
	for (i = 0; i < 2000; i++)
		assert_int_equal(upc_unit_read_events(u, &us, 1, &value), 0);
	inside = now_ns() - inside;
	assert_int_equal(upc_unit_stop(u), 0);
	around = now_ns() - around;
	assert_int_equal(upc_unit_get_events(u, &us, 1, &value), 0);
	assert_in_range(value, inside / 1000, around / 1000 + 1);
	/* The time of day may be set meanwhile, by a little. */
	assert_int_equal(upc_unit_get_events(u, &level, 1, &value), 0);
	assert_in_range(value / 3 * 2, from - 5000000000u, ns_of(CLOCK_REALTIME) + 5000000000u);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_get_events(u, &level, 1, &value), 0);
	assert_true(value > from);
	upc_unit_destroy(u);
}

TEST(test_levels_in_registers)
{
	uint32_t level = clock_event("test::reglevel", CLOCK_REALTIME, 1, 1, UPC_KIND_LEVEL);
	struct upc_unit *u;
	uint64_t config, again, held;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, level), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &config), 0);
	/* Threshold 0 arms at word 0; the level's word is another. */
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), config | UPC_FIELD_INTERRUPT_ENABLE), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &config), 0);
	assert_int_equal(config & UPC_FIELD_ARMED, 0);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), config), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &again), 0);
	assert_int_equal(again, config);
	/* Halted, it stays as it was, over a stop and a start. */
	assert_int_equal(upc_counter_halt(u, 0), 0);
	assert_int_equal(upc_unit_get_events(u, &level, 1, &held), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_read_events(u, &level, 1, &again), 0);
	assert_true(again == held);
	upc_unit_destroy(u);
}

UNIT_TESTS(unit_read, open_catalogue, close_catalogue)
