/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The totals engine in random cases: k counts at once are k counts one by one.
 *
 * They are played on an engine with a clock as well: k counts are as many
 * pulses, followed by a round of the array update; thresholds of events are done
 * there by software, with register accesses only. Both must give the same registers,
 * and the same interrupts at the same counts, whatever the handlers do.
 *
 * UPC_ENGINE_CASES sets the number of cases (3000 on the segment engine, and a part of
 * them on the slower ones), UPC_ENGINE_SEED where to begin (1): a failure names the
 * engine and the seed of its case.
 */
#include "engine/totals.h"
#include "../unit_test.h"

#define ROUND 4096 /* cycles in which the array update visits all counters */
#define BUSY 5     /* counters that a case uses, so that its steps meet each other */
#define LOG_MAX 4096

struct log {
	unsigned n;
	struct {
		unsigned counter;
		uint64_t count;
	} entry[LOG_MAX];
	unsigned parity[UPC_COUNTERS]; /* errors told, by counter */
};

static struct upci_totals totals;
static uint64_t shown[UPC_COUNTERS];
static struct log totals_log;

static struct {
	const struct upci_engine_ops *ops;
	struct upci_engine *engine;
	uint64_t period[UPC_COUNTERS], offset[UPC_COUNTERS];
	int fired; /* the counter whose interrupt the last run raised, or -1 */
	uint64_t fired_cycle;
	struct log log;
} oracle;

static uint64_t case_seed;
static unsigned unread; /* bit n: the n-th busy counter was flipped and not read since */

#define fail_case(format, ...) \
	fail_msg("%s, seed %llu: " format, oracle.ops->name, (unsigned long long)case_seed, __VA_ARGS__)

static void log_interrupt(struct log *log, unsigned counter, uint64_t count)
{
	assert_in_range(log->n, 0, LOG_MAX - 1);
	log->entry[log->n].counter = counter;
	log->entry[log->n++].count = count;
}

static unsigned busy_counter(unsigned n)
{
	return (unsigned)((case_seed * 37 + n * 51) % UPC_COUNTERS);
}

/* Configurations with any mode but level-low, which counts between the pulses. */
static uint64_t fields(uint64_t *s)
{
	uint64_t value = random_next(s), low = value & value >> 1 & 0x0404040404040404u;

	return value & ~(low << 1);
}

/* The register write that the handler of the n-th interrupt makes; false: none. */
static bool handler(unsigned n, unsigned counter, unsigned *offset, uint64_t *value)
{
	uint64_t s = case_seed * 1000003 + n, x = random_next(&s);

	if (n >= 40)
		return false; /* it has to end */
	switch (x % 8) {
	case 0:
	case 1: /* a repeating threshold made by hand */
		*offset = UPC_REG_COUNTER(counter);
		*value = random_near_carry(&s);
		return true;
	case 2:
		*offset = UPC_REG_CONFIG(counter / 8);
		*value = fields(&s) | (x & 0x100 ? 0x1010101010101010u : 0);
		return true;
	case 3:
		*offset = UPC_REG_THRESHOLD;
		*value = random_near_carry(&s);
		return true;
	case 4:
		*offset = UPC_REG_START_STOP;
		*value = x >> 8 & 3;
		return true;
	default:
		return false;
	}
}

/* ---- totals --------------------------------------------------------------- */

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	uint64_t value;
	unsigned offset;

	assert_ptr_equal(arg, &totals_log);
	assert_true(cycle == 0);
	assert_true(shown[counter] == upci_totals_count(&totals, counter));
	if (event == UPCI_ENGINE_PARITY) {
		totals_log.parity[counter]++;
		return;
	}
	log_interrupt(&totals_log, counter, upci_totals_count(&totals, counter));
	if (handler(totals_log.n, counter, &offset, &value))
		assert_int_equal(upci_totals_write(&totals, offset, value), 0);
}

static void totals_open(void (*event)(void *, enum upci_engine_event, unsigned, uint64_t))
{
	const struct upci_engine_sink sink = {event, &totals_log};

	upci_totals_init(&totals, &sink);
	memset(shown, 0, sizeof(shown));
	memset(&totals_log, 0, sizeof(totals_log));
	totals.shown = shown;
	assert_int_equal(upci_totals_write(&totals, UPC_REG_START_STOP, 1), 0);
}

/* ---- an engine with a clock ------------------------------------------------ */

static void oracle_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg;
	if (event == UPCI_ENGINE_PARITY) {
		oracle.log.parity[counter]++;
		return;
	}
	if (oracle.fired >= 0)
		fail_case("counters %d and %u fire in one run", oracle.fired, counter);
	oracle.fired = (int)counter;
	oracle.fired_cycle = cycle;
}

static uint64_t oracle_get(unsigned offset)
{
	uint64_t value = 0;

	assert_int_equal(oracle.ops->read(oracle.engine, offset, &value), 0);
	return value;
}

static void oracle_put(unsigned offset, uint64_t value)
{
	assert_int_equal(oracle.ops->write(oracle.engine, offset, value), 0);
}

static uint8_t oracle_field(unsigned i)
{
	return (uint8_t)(oracle_get(UPC_REG_CONFIG(i / 8)) >> 8 * (i % 8));
}

/* n cycles; id is high in all of them, or in every second from the first on. */
static void oracle_run(unsigned id, bool high, bool pulses, uint64_t n)
{
	static struct upci_wave wave[UPC_INPUTS];
	static struct upci_signals signals[ROUND];
	unsigned i, k;

	if (!oracle.ops->run_signals) {
		for (i = 0; i < UPC_INPUTS; i++)
			wave[i] = (struct upci_wave){1, 0, 0};
		wave[id] = (struct upci_wave){1u + pulses, high, 0};
		oracle.ops->run_waves(oracle.engine, wave, n);
		return;
	}
	for (; n; n -= k) {
		uint64_t *word = &signals[0].bank[id / 256][id % 256 / 64];

		k = n < ROUND ? (unsigned)n : ROUND;
		for (i = 0; i < k; i += 1 + pulses)
			word[i * sizeof(signals[0]) / sizeof(*word)] = (uint64_t)high << id % 64;
		oracle.ops->run_signals(oracle.engine, signals, k);
		memset(signals, 0, k * sizeof(signals[0]));
	}
}

/* The array update visits every counter. */
static void oracle_idle(void)
{
	oracle_run(0, false, false, ROUND);
}

static uint64_t oracle_count(unsigned i)
{
	return oracle_get(UPC_REG_COUNTER(i)) - oracle.offset[i];
}

/* The counter is written to so many counts before the boundary; its count stays. */
static void oracle_aim(unsigned i, uint64_t distance)
{
	uint64_t boundary = (oracle_get(UPC_REG_THRESHOLD) | 4095) + 1, count = oracle_count(i);

	oracle_put(UPC_REG_COUNTER(i), boundary - distance);
	oracle.offset[i] = boundary - distance - count;
}

static void oracle_aim_multiple(unsigned i)
{
	if (oracle.period[i])
		oracle_aim(i, oracle.period[i] - oracle_count(i) % oracle.period[i]);
}

static void oracle_write(unsigned offset, uint64_t value)
{
	uint64_t before = oracle_get(offset);
	unsigned i;

	oracle_put(offset, value);
	if (offset == UPC_REG_THRESHOLD && before >> 12 != value >> 12)
		for (i = 0; i < UPC_COUNTERS; i++)
			oracle_aim_multiple(i);
	if (offset >= UPC_REG_CONFIG(0) && offset < UPC_REG_START_STOP)
		for (i = 0; i < 8; i++)
			if ((value & ~before) >> 8 * i & UPC_FIELD_INTERRUPT_ENABLE)
				oracle_aim_multiple(offset - UPC_REG_CONFIG(0) + i);
	oracle_idle();
}

static void oracle_set_threshold(unsigned i, uint64_t period)
{
	uint64_t enable = (uint64_t)UPC_FIELD_INTERRUPT_ENABLE << 8 * (i % 8);
	uint64_t config = oracle_get(UPC_REG_CONFIG(i / 8)) & ~enable;

	if (!period && !oracle.period[i])
		return;
	oracle.period[i] = period;
	oracle_put(UPC_REG_CONFIG(i / 8), config);
	oracle_put(UPC_REG_CONFIG(i / 8), period ? config | enable : config);
	if (period) {
		oracle_aim_multiple(i);
	} else {
		oracle_put(UPC_REG_COUNTER(i), oracle_count(i));
		oracle.offset[i] = 0;
	}
	oracle_idle();
}

static void oracle_preset(unsigned i, uint64_t value)
{
	oracle.offset[i] = 0;
	oracle_put(UPC_REG_COUNTER(i), value);
	oracle_aim_multiple(i);
	oracle_idle();
}

/* The counter's interrupt, and what software does of it before the next cycle. */
static void oracle_interrupt(unsigned i)
{
	unsigned offset;
	uint64_t value;

	if (oracle.period[i])
		oracle_aim(i, oracle.period[i]);
	log_interrupt(&oracle.log, i, oracle_count(i));
	if (handler(oracle.log.n, i, &offset, &value))
		oracle_write(offset, value);
}

static void oracle_add(unsigned id, uint64_t k)
{
	unsigned i = id % UPC_COUNTERS;

	while (k) {
		uint8_t field = oracle_field(i);
		bool edges = (field & UPC_FIELD_MODE) >> 2 != UPC_MODE_HIGH;
		bool falls = (field & UPC_FIELD_MODE) >> 2 == UPC_MODE_FALL;
		uint64_t step = k, room, first = oracle.ops->cycles(oracle.engine), last;

		/* A step ends where the counter could fire. The check below shows that it does not fire
		 * earlier. */
		room = (oracle_get(UPC_REG_THRESHOLD) | 4095) + 1 - oracle_get(UPC_REG_COUNTER(i));
		if (field & UPC_FIELD_INTERRUPT_ENABLE && oracle_get(UPC_REG_START_STOP) &&
		    id / UPC_COUNTERS == (field & UPC_FIELD_INPUT) && room && room < step)
			step = room;
		oracle.fired = -1;
		oracle_run(id, true, edges, edges ? 2 * step : step);
		/* The signal falls before a handler could make this an edge that counts. */
		oracle_run(id, false, false, 1);
		last = first + (edges ? 2 * step - 2 + falls : step - 1);
		if (oracle.fired >= 0) {
			if (oracle.fired != (int)i || oracle.fired_cycle != last)
				fail_case("counter %d fires in cycle %llu, not %u in %llu", oracle.fired,
					  (unsigned long long)oracle.fired_cycle, i,
					  (unsigned long long)last);
			oracle_interrupt(i);
		}
		oracle_idle();
		k -= step;
	}
}

/* ---- both ------------------------------------------------------------------ */

/* Also finds the damage that was not found. */
static void compare(void)
{
	static uint64_t counts[UPC_COUNTERS];
	unsigned i, offset;

	for (offset = 0; offset <= UPC_REG_THRESHOLD; offset += 8) {
		uint64_t value = 0;

		assert_int_equal(upci_totals_read(&totals, offset, &value), 0);
		if (value != oracle_get(offset))
			fail_case("register 0x%03x is 0x%016llx, not 0x%016llx", offset,
				  (unsigned long long)value, (unsigned long long)oracle_get(offset));
	}
	upci_totals_read_all(&totals, counts);
	for (i = 0; i < UPC_COUNTERS; i++) {
		if (counts[i] != oracle_count(i) || shown[i] != counts[i])
			fail_case("count %u is %llu, shown %llu, not %llu", i, (unsigned long long)counts[i],
				  (unsigned long long)shown[i], (unsigned long long)oracle_count(i));
		if (totals_log.parity[i] != oracle.log.parity[i])
			fail_case("counter %u has %u parity errors, not %u", i, totals_log.parity[i],
				  oracle.log.parity[i]);
	}
	unread = 0;
}

static void compare_interrupts(void)
{
	unsigned n;

	for (n = 0; n < totals_log.n && n < oracle.log.n; n++)
		if (totals_log.entry[n].counter != oracle.log.entry[n].counter ||
		    totals_log.entry[n].count != oracle.log.entry[n].count)
			fail_case("interrupt %u: of counter %u at %llu, not of %u at %llu", n,
				  totals_log.entry[n].counter, (unsigned long long)totals_log.entry[n].count,
				  oracle.log.entry[n].counter, (unsigned long long)oracle.log.entry[n].count);
	if (totals_log.n != oracle.log.n)
		fail_case("%u interrupts, not %u", totals_log.n, oracle.log.n);
}

static void write_both(unsigned offset, uint64_t value)
{
	assert_int_equal(upci_totals_write(&totals, offset, value), 0);
	oracle_write(offset, value);
}

/* A number of counts that meets a threshold of the counter a few times at most. */
static uint64_t counts_for(unsigned i, uint64_t *s, uint64_t most)
{
	uint64_t x = random_next(s), k, room = upci_regs_distance(&totals.regs, i);
	uint64_t period = totals.thresholds.period[i];

	switch (x % 8) {
	case 0:
	case 1: /* at the threshold, or beside it */
		k = room + (x >> 8) % 3 - 1;
		break;
	case 2:
		k = random_next(s) >> 24;
		break;
	case 3:
		k = 4096 - totals.regs.counter[i] % 4096;
		break;
	case 4:
		k = (x >> 8) % 10000;
		break;
	default:
		k = (x >> 8) % 40;
	}
	if (period && k / 20 > period)
		k = 20 * period + (x >> 32) % 3;
	return k > most ? k % most : k;
}

static uint64_t some_period(uint64_t *s)
{
	uint64_t x = random_next(s);

	switch (x % 6) {
	case 0:
		return 0;
	case 1:
		return 4095 + (x >> 8) % 3;
	case 2:
		return (UINT64_C(1) << (x >> 8) % 64) + (x >> 16) % 2;
	case 3:
		return UINT64_MAX - (x >> 8) % 9000;
	default:
		return 1 + (x >> 8) % 300;
	}
}

/* Even busy counters get thresholds of events, and odd ones get damage: the other engine's software
 * cannot write a counter and leave its parity as it is. */
static void flip_some(unsigned n, uint64_t *s)
{
	unsigned times = 1 + (unsigned)random_next(s) % 3, i = busy_counter(n | 1);

	compare();
	while (times--) {
		unsigned bit = (unsigned)random_next(s) % 52;

		upci_totals_flip(&totals, i, bit);
		oracle.ops->flip(oracle.engine, i, bit);
	}
	oracle_idle();
	unread |= 1u << (n | 1);
}

static void step(uint64_t *s, uint64_t most)
{
	uint64_t x = random_next(s), k;
	unsigned n = (unsigned)(x >> 32) % BUSY, i = busy_counter(n), id;

	switch (x % 20) {
	case 0:
	case 1:
		if (unread >> n & 1)
			compare();
		write_both(UPC_REG_COUNTER(i), random_near_carry(s));
		break;
	case 2:
	case 3:
		write_both(UPC_REG_CONFIG(i / 8), fields(s));
		break;
	case 4:
		write_both(UPC_REG_THRESHOLD, random_near_carry(s));
		break;
	case 5:
		write_both(UPC_REG_START_STOP, x >> 8 & 3);
		break;
	case 6:
	case 7:
		i = busy_counter(n & ~1u);
		k = some_period(s);
		upci_totals_set_threshold(&totals, i, k);
		oracle_set_threshold(i, k);
		break;
	case 8:
		if (unread >> n & 1)
			compare();
		k = x & 0x100 ? random_near_carry(s) : random_next(s);
		upci_totals_preset(&totals, i, k);
		oracle_preset(i, k);
		break;
	case 9:
		flip_some(n % (BUSY - 1), s);
		break;
	case 10:
		compare();
		break;
	default:
		id = UPC_COUNTERS * (totals.regs.field[i] & UPC_FIELD_INPUT) + i;
		if (x >> 40 & 1)
			id = UPC_COUNTERS * (x >> 41 & 3) + i;
		k = counts_for(i, s, most);
		upci_totals_add(&totals, id, k);
		oracle_add(id, k);
	}
	compare_interrupts();
}

static void one_case(const struct upci_engine_ops *ops, uint64_t seed, uint64_t most)
{
	const struct upci_engine_sink sink = {oracle_event, NULL};
	uint64_t s = seed;
	unsigned steps = 8 + (unsigned)(random_next(&s) % 40);

	case_seed = seed;
	unread = 0;
	totals_open(on_event);
	memset(&oracle, 0, sizeof(oracle));
	oracle.ops = ops;
	oracle.engine = ops->create(&sink);
	assert_non_null(oracle.engine);
	oracle_write(UPC_REG_START_STOP, 1);
	while (steps--)
		step(&s, most);
	compare();
	ops->destroy(oracle.engine);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

TEST(test_one_by_one)
{
	/* valgrind takes fifty times as long. */
	uint64_t n = setting("UPC_ENGINE_CASES", getenv("UPC_TEST_INEXACT") ? 60 : 3000);
	uint64_t seed = setting("UPC_ENGINE_SEED", 1), i;

	for (i = 0; i < n; i++) {
		one_case(&upci_engine_segment, seed + i, UINT64_C(1) << 41);
		if (i % 20 == 0)
			one_case(&upci_engine_cycle, seed + i, 20000);
		if (i % 500 == 0)
			one_case(&upci_engine_reference, seed + i, 5000);
	}
}

UNIT_TESTS(totals_random, NULL, NULL)
