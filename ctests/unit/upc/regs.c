/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The register file against a model that is written straight from the contract:
 * 12-bit low-order counters, carry latches, 52-bit array words, one count at a
 * time.
 */
#include "engine/regs.h"
#include "../unit_test.h"

#define WORD_MASK ((UINT64_C(1) << 52) - 1)

struct model {
	uint64_t array[UPC_COUNTERS], threshold;
	unsigned low[UPC_COUNTERS];
	bool latch[UPC_COUNTERS], armed[UPC_COUNTERS], pending[UPC_COUNTERS];
	uint8_t config[UPC_COUNTERS];
};

static uint64_t model_word(const struct model *m, unsigned i)
{
	return (m->array[i] + m->latch[i]) & WORD_MASK;
}

static void model_arm(struct model *m, unsigned i)
{
	m->armed[i] = m->config[i] & UPC_FIELD_INTERRUPT_ENABLE && !m->pending[i] &&
		      model_word(m, i) == m->threshold >> 12;
}

/* The array update of one counter, as between any two counts. */
static void model_update(struct model *m, unsigned i)
{
	m->array[i] = model_word(m, i);
	m->latch[i] = false;
	model_arm(m, i);
}

static bool model_count(struct model *m, unsigned i)
{
	bool fired = false;

	if (m->low[i] == 4095) {
		m->latch[i] = true;
		if (m->armed[i]) {
			m->armed[i] = false;
			m->pending[i] = fired = true;
		}
	}
	m->low[i] = (m->low[i] + 1) & 4095;
	model_update(m, i);
	return fired;
}

static void model_write(struct model *m, unsigned offset, uint64_t value)
{
	unsigned i, first;

	if (offset < 0x800) {
		i = offset / 8;
		m->low[i] = value & 4095;
		m->array[i] = value >> 12;
		m->latch[i] = m->pending[i] = false;
		model_arm(m, i);
	} else if (offset < 0x900) {
		first = (offset - 0x800) / 8 * 8;
		for (i = first; i < first + 8; i++) {
			m->config[i] = (uint8_t)(value >> 8 * (i - first)) & 0x1f;
			if (!(m->config[i] & UPC_FIELD_INTERRUPT_ENABLE))
				m->pending[i] = false;
			model_arm(m, i);
		}
	} else if (offset == 0x910) {
		m->threshold = value;
		for (i = 0; i < UPC_COUNTERS; i++)
			model_arm(m, i);
	}
}

static void assert_same(const struct upci_regs *r, const struct model *m, unsigned i)
{
	uint64_t value;
	uint8_t field = m->config[i] | (m->armed[i] ? UPC_FIELD_ARMED : 0) |
			(m->pending[i] ? UPC_FIELD_INTERRUPT_PENDING : 0);

	assert_int_equal(upci_regs_read(r, UPC_REG_COUNTER(i), &value), 0);
	assert_true(value == (model_word(m, i) << 12 | m->low[i]));
	assert_int_equal(upci_regs_read(r, UPC_REG_CONFIG(i / 8), &value), 0);
	assert_int_equal((uint8_t)(value >> 8 * (i % 8)), field);
}

/* Values near the places where something happens. */
static uint64_t interesting(uint64_t *seed)
{
	uint64_t x = random_next(seed), near = (x >> 8) % 5 << 12;

	switch (x % 4) {
	case 0:
		return near + 4096 - (x >> 32) % 40;
	case 1:
		return UINT64_MAX - (x >> 32) % 5000;
	case 2:
		return near;
	default:
		return near + (x >> 32) % 4096;
	}
}

TEST(test_random_against_model)
{
	uint64_t seed = 1;
	int round;

	for (round = 0; round < 300; round++) {
		struct upci_regs r = {0};
		struct model m = {0};
		int step;

		for (step = 0; step < 60; step++) {
			unsigned i = (unsigned)(random_next(&seed) % 3 * 100), offset;
			uint64_t value = interesting(&seed), k, n;
			bool fired = false;

			switch (random_next(&seed) % 5) {
			case 0:
				offset = UPC_REG_COUNTER(i);
				break;
			case 1:
				offset = UPC_REG_CONFIG(i / 8);
				value = random_next(&seed) & 0x1010101010101010u;
				break;
			case 2:
				offset = UPC_REG_THRESHOLD;
				break;
			default:
				k = random_next(&seed) % (random_next(&seed) % 3 ? 64 : 9000);
				for (n = 0; n < k; n++)
					fired |= model_count(&m, i);
				assert_int_equal(upci_regs_add(&r, i, k), fired);
				assert_same(&r, &m, i);
				continue;
			}
			assert_int_equal(upci_regs_write(&r, offset, value), 0);
			model_write(&m, offset, value);
			assert_same(&r, &m, i);
		}
	}
}

TEST(test_threshold_fires_at_exact_count)
{
	static const struct {
		uint64_t n, m;
	} cases[] = {{0, 1}, {0, 4096}, {1, 256}, {3, 4095}, {1000, 17}};
	size_t c;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct upci_regs r = {0};
		uint64_t n = cases[c].n, m = cases[c].m;

		/* UPC, section 5: preload 4096 - m, fires after 4096 n + m. */
		assert_int_equal(upci_regs_write(&r, UPC_REG_THRESHOLD, 4096 * n), 0);
		assert_int_equal(upci_regs_write(&r, UPC_REG_COUNTER(9), 4096 - m), 0);
		assert_int_equal(upci_regs_write(&r, UPC_REG_CONFIG(1), 0x1000), 0);
		assert_false(upci_regs_add(&r, 9, 4096 * n + m - 1));
		assert_true(upci_regs_add(&r, 9, 1));
		assert_false(upci_regs_add(&r, 9, UINT64_MAX));
	}
}

TEST(test_map_and_status)
{
	struct upci_regs r = {0}, before;
	uint64_t value = 7;

	before = r;
	assert_int_equal(upci_regs_read(&r, 0x001, &value), UPC_EFAULT);
	assert_int_equal(upci_regs_read(&r, 0x918, &value), UPC_EFAULT);
	assert_int_equal(upci_regs_write(&r, 0x918, 1), UPC_EFAULT);
	assert_int_equal(upci_regs_write(&r, 0x804, 1), UPC_EFAULT);
	assert_int_equal(upci_regs_write(&r, UPC_REG_STATUS, 3), 0);
	assert_memory_equal(&r, &before, sizeof(r));
	assert_int_equal(upci_regs_write(&r, UPC_REG_START_STOP, ~UINT64_C(1)), 0);
	assert_int_equal(upci_regs_read(&r, UPC_REG_START_STOP, &value), 0);
	assert_true(value == 0);
	assert_int_equal(upci_regs_write(&r, UPC_REG_THRESHOLD, 0x1fff), 0);
	assert_int_equal(upci_regs_read(&r, UPC_REG_THRESHOLD, &value), 0);
	assert_true(value == 0x1fff);
	/* Enabled at word 0 with threshold word 1: not armed; then a fire shows. */
	assert_int_equal(upci_regs_write(&r, UPC_REG_THRESHOLD, 0), 0);
	assert_int_equal(upci_regs_write(&r, UPC_REG_CONFIG(0), UPC_FIELD_INTERRUPT_ENABLE), 0);
	assert_true(upci_regs_add(&r, 0, 4096));
	assert_int_equal(upci_regs_read(&r, UPC_REG_STATUS, &value), 0);
	assert_true(value == 1);
	/* Disabling acknowledges. */
	assert_int_equal(upci_regs_write(&r, UPC_REG_CONFIG(0), 0), 0);
	assert_int_equal(upci_regs_read(&r, UPC_REG_STATUS, &value), 0);
	assert_true(value == 0);
}

TEST(test_write_back_changes_nothing)
{
	struct upci_regs r = {0}, before;
	uint64_t value;

	upci_regs_write(&r, UPC_REG_CONFIG(0), 0x1f1e1d1c1b1a1918u);
	upci_regs_add(&r, 3, 4096);
	upci_regs_add(&r, 2, 12345);
	before = r;
	upci_regs_read(&r, UPC_REG_CONFIG(0), &value);
	upci_regs_write(&r, UPC_REG_CONFIG(0), value);
	assert_memory_equal(&r, &before, sizeof(r));
}

UNIT_TESTS(regs, NULL, NULL)
