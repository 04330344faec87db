/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All engines are one unit: random configurations, signals, preloads,
 * thresholds, flips and accesses give the same registers, interrupts and parity
 * errors, at the same cycles and in the same order.
 *
 * UPC_ENGINE_CASES sets the number of cases (1000), UPC_ENGINE_SEED where to
 * begin (1): a failure names the seed of its case.
 */
#include "engine/engine.h"
#include "../unit_test.h"

#define EVENTS_MAX 4096

struct log {
	unsigned n;
	struct {
		enum upci_engine_event event;
		unsigned counter;
		uint64_t cycle;
	} entry[EVENTS_MAX];
};

static const struct upci_engine_ops *const engines[] = {&upci_engine_reference, &upci_engine_cycle,
							&upci_engine_segment};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))

static struct log logs[ENGINES];
static struct upci_engine *engine[ENGINES];

static void note(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct log *log = arg;

	if (log->n < EVENTS_MAX) {
		log->entry[log->n].event = event;
		log->entry[log->n].counter = counter;
		log->entry[log->n].cycle = cycle;
	}
	log->n++;
}

static void compare_logs(uint64_t seed)
{
	unsigned e, i;

	for (e = 1; e < ENGINES; e++) {
		if (logs[e].n != logs[0].n)
			fail_msg("seed %llu: %s has %u events, reference %u", (unsigned long long)seed,
				 engines[e]->name, logs[e].n, logs[0].n);
		for (i = 0; i < logs[0].n && i < EVENTS_MAX; i++)
			if (logs[e].entry[i].event != logs[0].entry[i].event ||
			    logs[e].entry[i].counter != logs[0].entry[i].counter ||
			    logs[e].entry[i].cycle != logs[0].entry[i].cycle)
				fail_msg(
					"seed %llu: %s, event %u: %s of counter %u in cycle %llu, reference %s %u %llu",
					(unsigned long long)seed, engines[e]->name, i,
					logs[e].entry[i].event ? "interrupt" : "parity",
					logs[e].entry[i].counter, (unsigned long long)logs[e].entry[i].cycle,
					logs[0].entry[i].event ? "interrupt" : "parity",
					logs[0].entry[i].counter, (unsigned long long)logs[0].entry[i].cycle);
	}
	for (e = 0; e < ENGINES; e++)
		logs[e].n = 0;
}

static void read_all(uint64_t seed, unsigned offset)
{
	uint64_t value[ENGINES] = {0};
	unsigned e;
	int result[ENGINES];

	for (e = 0; e < ENGINES; e++)
		result[e] = engines[e]->read(engine[e], offset, &value[e]);
	for (e = 1; e < ENGINES; e++)
		if (result[e] != result[0] || value[e] != value[0])
			fail_msg(
				"seed %llu: register 0x%03x is 0x%016llx (%d) in %s, 0x%016llx (%d) in reference",
				(unsigned long long)seed, offset, (unsigned long long)value[e], result[e],
				engines[e]->name, (unsigned long long)value[0], result[0]);
}

static void write_all(unsigned offset, uint64_t value)
{
	unsigned e;
	int result = engines[0]->write(engine[0], offset, value);

	for (e = 1; e < ENGINES; e++)
		assert_int_equal(engines[e]->write(engine[e], offset, value), result);
}

static struct upci_wave random_wave(uint64_t *s)
{
	uint64_t x = random_next(s), period = 1 + (x >> 8) % (x & 1 ? 7 : x & 2 ? 300 : 20000);
	struct upci_wave wave = {period, random_next(s) % (period + 1), random_next(s) % period};

	if ((x & 0xf0) == 0)
		wave = (struct upci_wave){1, x >> 16 & 1, 0};
	return wave;
}

/* Few counters are busy in a case, so that its steps meet each other. */
static unsigned busy_counter(uint64_t *s, uint64_t seed)
{
	return (unsigned)((seed * 37 + random_next(s) % 5 * 51) % UPC_COUNTERS);
}

static void run_all(uint64_t *s, uint64_t seed)
{
	static struct upci_wave wave[UPC_INPUTS];
	uint64_t x = random_next(s), n = 1 + (x >> 8) % (x & 3 ? 40 : x & 0xfc ? 4500 : 40000);
	unsigned i, e, k;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 0, 0};
	for (i = 0; i < 5; i++)
		for (k = 0; k < 4; k++)
			wave[256 * k + (seed * 37 + i * 51) % UPC_COUNTERS] = random_wave(s);
	for (e = 0; e < ENGINES; e++)
		engines[e]->run_waves(engine[e], wave, n);
}

static void step(uint64_t *s, uint64_t seed)
{
	unsigned i = busy_counter(s, seed), e;
	uint64_t x = random_next(s);

	switch (x % 16) {
	case 0:
	case 1:
		write_all(UPC_REG_COUNTER(i), random_near_carry(s));
		break;
	case 2:
	case 3:
		write_all(UPC_REG_CONFIG(i / 8), random_next(s));
		break;
	case 4:
		write_all(UPC_REG_THRESHOLD, random_near_carry(s));
		break;
	case 5:
		write_all(UPC_REG_START_STOP, x >> 8 & 3);
		break;
	case 6:
		read_all(seed, UPC_REG_COUNTER(i));
		break;
	case 7:
		read_all(seed, UPC_REG_CONFIG(i / 8));
		read_all(seed, UPC_REG_STATUS);
		break;
	case 8:
		for (e = 0; x & 0x100 && e < ENGINES; e++)
			engines[e]->flip(engine[e], i, (unsigned)(x >> 16) % 52);
		break;
	case 9:
		write_all((unsigned)(x >> 8) % 0x1000, x);
		read_all(seed, (unsigned)(x >> 20) % 0x1000);
		break;
	default:
		run_all(s, seed);
	}
}

static void one_case(uint64_t seed)
{
	uint64_t s = seed;
	unsigned e, steps = 8 + (unsigned)(random_next(&s) % 40), i;

	for (e = 0; e < ENGINES; e++) {
		const struct upci_engine_sink sink = {note, &logs[e]};

		logs[e].n = 0;
		engine[e] = engines[e]->create(&sink);
		assert_non_null(engine[e]);
	}
	write_all(UPC_REG_START_STOP, 1);
	while (steps--) {
		step(&s, seed);
		compare_logs(seed);
	}
	for (i = 0; i <= UPC_REG_THRESHOLD; i += 8)
		read_all(seed, i);
	compare_logs(seed);
	for (e = 0; e < ENGINES; e++)
		assert_true(engines[e]->cycles(engine[e]) == engines[0]->cycles(engine[0]));
	for (e = 0; e < ENGINES; e++)
		engines[e]->destroy(engine[e]);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

TEST(test_same_bits)
{
	/* valgrind takes fifty times as long. */
	uint64_t n = setting("UPC_ENGINE_CASES", getenv("UPC_TEST_INEXACT") ? 30 : 1000);
	uint64_t seed = setting("UPC_ENGINE_SEED", 1);

	while (n--)
		one_case(seed++);
}

/* Signals from memory and the same as waves. */
TEST(test_signals_and_waves)
{
	static struct upci_signals signals[5000];
	static struct upci_wave wave[UPC_INPUTS];
	uint64_t s = 77;
	unsigned k, i, id, e;

	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = random_wave(&s);
	memset(signals, 0, sizeof(signals));
	for (k = 0; k < 5000; k++)
		for (id = 0; id < UPC_INPUTS; id++)
			if (upci_wave_at(&wave[id], k))
				signals[k].bank[id / 256][id % 256 / 64] |= UINT64_C(1) << id % 64;
	for (e = 0; e < ENGINES; e++) {
		const struct upci_engine_sink sink = {note, &logs[e]};

		logs[e].n = 0;
		engine[e] = engines[e]->create(&sink);
		assert_non_null(engine[e]);
	}
	for (i = 0; i < 32; i++)
		write_all(UPC_REG_CONFIG(i), random_next(&s));
	for (i = 0; i < UPC_COUNTERS; i++)
		write_all(UPC_REG_COUNTER(i), 4096 - random_next(&s) % 3000);
	write_all(UPC_REG_START_STOP, 1);
	for (e = 0; e < ENGINES; e++)
		if (engines[e]->run_signals)
			engines[e]->run_signals(engine[e], signals, 5000);
		else
			engines[e]->run_waves(engine[e], wave, 5000);
	assert_true(logs[0].n > 20);
	compare_logs(77);
	for (i = 0; i <= UPC_REG_THRESHOLD; i += 8)
		read_all(77, i);
	for (e = 0; e < ENGINES; e++)
		engines[e]->destroy(engine[e]);
}

UNIT_TESTS(engines, NULL, NULL)
