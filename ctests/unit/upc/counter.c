/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Single counters and registers of a live unit.
 */
#include "unit/unit.h"
#include "unit/registers.h"
#include "catalogue_test.h"

static struct upc_unit *u;
static uint32_t faults, clock_ns, level;

static uint64_t value_of(uint32_t code)
{
	uint64_t value;

	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), 0);
	return value;
}

TEST(test_halt_and_continue)
{
	uint64_t held, begun, counted;

	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(10);
	assert_int_equal(upc_counter_halt(u, 0), 0);
	assert_int_equal(upc_counter_halt(u, 1), 0);
	held = value_of(clock_ns);
	touch_fresh_pages(100);
	assert_faults(value_of(faults), 10);
	assert_true(value_of(clock_ns) == held);
	usleep(20000);
	assert_int_equal(upc_counter_continue(u, 0), 0);
	begun = now_ns();
	assert_int_equal(upc_counter_continue(u, 1), 0);
	touch_fresh_pages(100);
	assert_faults(value_of(faults), 110);
	assert_true(value_of(clock_ns) > held);
	/* Counts from the time of the halt do not come later. */
	counted = value_of(clock_ns) - held;
	assert_in_range(counted, 1, now_ns() - begun);
	/* Halted while stopped stays halted over a start. */
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_counter_halt(u, 0), 0);
	held = value_of(faults);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(50);
	assert_true(value_of(faults) == held);
	assert_int_equal(upc_counter_continue(u, 0), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_counter_halt(u, 200), UPC_EINVAL);
	assert_int_equal(upc_counter_halt(u, -1), UPC_EINVAL);
	assert_int_equal(upc_counter_continue(u, 256), UPC_EINVAL);
}

TEST(test_preset)
{
	uint64_t value, levels[1] = {5};

	assert_int_equal(upc_counter_write(u, 0, UINT64_MAX - 5), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_unit_stop(u), 0);
	/* 64 bits, and round. */
	assert_int_equal(upc_counter_read(u, 0, &value), 0);
	assert_faults(value, 94);
	assert_int_equal(upc_unit_write_events(u, &level, 1, levels), UPC_ENOSUPP);
	assert_int_equal(upc_counter_write(u, 2, 5), UPC_ENOSUPP);
	assert_message("level");
	assert_int_equal(upc_counter_write(u, 256, 5), UPC_EINVAL);
}

/* Counters without an event, too, whichever way they were written, and each time. */
TEST(test_reset)
{
	uint64_t value, round;

	for (round = 1; round <= 2; round++) {
		assert_int_equal(upc_counter_write(u, 77, round), 0);
		assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(255), 4095 + round), 0);
		assert_int_equal(upc_counter_write(u, 0, 9), 0);
		assert_int_equal(upc_counter_read(u, 77, &value), 0);
		assert_int_equal(value, round);
		assert_int_equal(upc_unit_reset(u), 0);
		assert_int_equal(upc_counter_read(u, 77, &value), 0);
		assert_int_equal(value, 0);
		assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(255), &value), 0);
		assert_int_equal(value, 0);
		assert_int_equal(upc_counter_read(u, 0, &value), 0);
		assert_int_equal(value, 0);
	}
}

TEST(test_registers)
{
	uint64_t value, config;

	assert_int_equal(upc_register_read(u, 0x918, &value), UPC_EFAULT);
	assert_int_equal(upc_register_read(u, 4, &value), UPC_EFAULT);
	assert_int_equal(upc_register_write(u, 0x918, 0), UPC_EFAULT);
	assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(0), 4090), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &config), 0);
	/* Host events sit on the panel's inputs, and count rises. */
	assert_int_equal(config & 0x0f, 2 | UPC_MODE_RISE << 2);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), config ^ 1), UPC_ENOSUPP);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), config | UPC_FIELD_INTERRUPT_ENABLE), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(upc_register_write(u, UPC_REG_START_STOP, 1), 0);
	assert_true(upc_unit_running(u));
	touch_fresh_pages(20);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_true(value & UPC_FIELD_INTERRUPT_PENDING);
	assert_int_equal(upc_register_write(u, UPC_REG_START_STOP, 2), 0);
	assert_false(upc_unit_running(u));
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), config), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 0);
}

/* A counter that never counted is not a count of 0, whichever way it is read, also when the unit is
 * stopped; the other registers read without an error. */
TEST(test_never_counted)
{
	uint64_t value = 77;

	assert_false(upc_unit_running(u));
	u->partial = true;
	u->binding[0].flags |= UPC_COUNTER_NEVER;
	assert_int_equal(upc_counter_read(u, 0, &value), UPC_EPARTIAL);
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(0), &value), UPC_EPARTIAL);
	assert_message("not counted");
	assert_true(value != 77);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_START_STOP, &value), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_THRESHOLD, &value), 0);
	/* Where only signals were lost, the message says so, and that the count is whole. */
	u->binding[0].flags &= (uint16_t)~UPC_COUNTER_NEVER;
	u->binding[0].flags |= UPC_COUNTER_PARTIAL;
	u->binding[0].silent = true;
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(0), &value), UPC_EPARTIAL);
	assert_message("overflow signals");
	assert_message("counted all the time");
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(0), &value), 0);
	assert_int_equal(value, 0);
}

/* Clocks that are away. */
static int read_nothing(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	const unsigned n = source->handles;

	(void)value;
	memset(state, UPCI_SOURCE_LOST, n);
	return 0;
}

/* A partial count is reported also when a counter behind it has lost its source. */
TEST(test_partial_and_lost)
{
	struct upci_source *clocks = u->sources.of[UPCI_ROW_CLOCK];
	struct upci_source_ops away = *clocks->ops;
	uint64_t value;

	away.read = read_nothing;
	assert_int_equal(upc_unit_start(u), 0);
	u->binding[0].flags |= UPC_COUNTER_PARTIAL;
	clocks->ops = &away;
	assert_int_equal(upc_unit_read(u, NULL), UPC_ELOST);
	clocks->ops = &upci_clock_source;
	(void)upci_unit_write_run(u, false);
	assert_int_equal(upc_counter_read(u, 0, &value), UPC_EPARTIAL);
	(void)upci_unit_write_run(u, true);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_counter_read(u, 0, &value), 0);
}

static int set_up(void **state)
{
	if (open_catalogue(state) || upc_unit_create(c, NULL, &u))
		return -1;
	faults = event_code(c, "perf::PAGE-FAULTS");
	clock_ns = event_code(c, "time::real_ns");
	level = event_code(c, "mem::MemFree");
	return upc_unit_add(u, faults) || upc_unit_add(u, clock_ns) || upc_unit_add(u, level);
}

static int tear_down(void **state)
{
	(void)state;
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	return 0;
}

UNIT_TESTS(counter, set_up, tear_down)
