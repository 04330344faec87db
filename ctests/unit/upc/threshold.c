/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preload for an event's threshold: what is written to the register meets the
 * boundary exactly when the event's count meets the next multiple.
 */
#include "engine/regs.h"
#include "engine/threshold.h"
#include "../unit_test.h"

/* Values at both ends of the 64 bits and around the carry, and any others. */
static uint64_t value_near(uint64_t *s)
{
	static const uint64_t at[] = {0, 1, 4096, UINT64_C(1) << 32, UINT64_C(1) << 52, UINT64_C(1) << 63};
	uint64_t x = random_next(s);

	if (x % 4 == 0)
		return random_next(s) >> x / 4 % 64;
	return at[x / 4 % 6] + x / 64 % 7 - 3;
}

static void check(uint64_t threshold, uint64_t value, uint64_t period)
{
	struct upci_regs regs = {.threshold = threshold}, before;
	uint64_t distance;

	upci_regs_write_field(&regs, 7, UPC_FIELD_INTERRUPT_ENABLE);
	upci_regs_write_counter(&regs, 7, upci_threshold_preload(threshold, value, period));
	distance = upci_regs_distance(&regs, 7);
	if (distance < 1 || distance > period || ((unsigned __int128)value + distance) % period != 0)
		fail_msg("threshold 0x%llx, value %llu, period %llu: fires after %llu counts",
			 (unsigned long long)threshold, (unsigned long long)value, (unsigned long long)period,
			 (unsigned long long)distance);
	before = regs;
	assert_false(upci_regs_add(&regs, 7, distance - 1));
	assert_true(upci_regs_add(&regs, 7, 1));
	assert_true(regs.counter[7] % 4096 == 0);
	assert_true(upci_regs_add(&before, 7, UINT64_MAX));
}

TEST(test_next_multiple)
{
	uint64_t s = 1;
	int n;

	for (n = 0; n < 200000; n++) {
		uint64_t period = value_near(&s);

		check(value_near(&s), value_near(&s), period ? period : 1);
	}
}

TEST(test_known)
{
	/* A multiple has a whole period to go: what has just fired does not fire again. */
	assert_true(upci_threshold_preload(0, 0, 100) == 4096 - 100);
	assert_true(upci_threshold_preload(0, 300, 100) == 4096 - 100);
	assert_true(upci_threshold_preload(0, 301, 100) == 4096 - 99);
	/* The low-order bits of the threshold register are not compared. */
	assert_true(upci_threshold_preload(0x5fff, 7, 4096) == 0x6000 - 4089);
	/* The last word: its boundary is 2^64. */
	assert_true(upci_threshold_preload(UINT64_MAX, 0, 1) == UINT64_MAX);
	/* More than is below the boundary: from the upper end of the 64 bits. */
	assert_true(upci_threshold_preload(0, 0, 5000) == (uint64_t)0 - 904);
	assert_true(upci_threshold_preload(0, UINT64_MAX - 1, UINT64_MAX) == 4095);
}

UNIT_TESTS(threshold, NULL, NULL)
