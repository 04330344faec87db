/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what software and signals do to a unit: register accesses at any offset,
 * runs of periodic signals, flipped bits, on the reference, cycle and segment engines;
 * what they answer, tell and end with must be the same. The totals engine gets what it
 * can of it, with thresholds, presets and a handler besides: its invariants must hold,
 * and no count and no interrupt be missing.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/totals.h"
#include "fuzz_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPS_MAX 400     /* of an input: it has to end                            */
#define CYCLES_MAX 6000 /* of an input: more than a round of the array update    */
#define RUN_MAX 4200    /* of one run: all counters are visited in it            */
#define EVENTS_MAX 1024 /* more than an access or a run tells                    */
#define HANDLED_MAX 50  /* writes by a handler in an add                         */

struct event {
	enum upci_engine_event event;
	unsigned counter;
	uint64_t cycle;
};

static const struct upci_engine_ops *const engines[] = {&upci_engine_reference, &upci_engine_cycle,
							&upci_engine_segment};
#define ENGINES (sizeof(engines) / sizeof(engines[0]))

static struct upci_engine *engine[ENGINES];
static struct {
	unsigned n;
	struct event event[EVENTS_MAX];
} told[ENGINES];
static unsigned engine_number[ENGINES];

static struct upci_totals totals;
static uint64_t shown[UPC_COUNTERS];
static uint64_t interrupts; /* of the totals engine */
static struct {
	bool active;
	unsigned offset, left;
	uint64_t value;
} handler;

static struct {
	const uint8_t *at, *end;
	uint64_t cycles; /* run so far */
} input;

/* ---- the input ------------------------------------------------------------- */

/* The next bytes, little-endian; 0 behind the end. */
static uint64_t take(unsigned bytes)
{
	uint64_t value = 0;
	unsigned i;

	for (i = 0; i < bytes && input.at < input.end; i++)
		value |= (uint64_t)*input.at++ << 8 * i;
	return value;
}

/* Any value; those near carries and wraps in few bytes. */
static uint64_t take_value(void)
{
	unsigned kind = (unsigned)take(1);

	switch (kind % 8) {
	case 0:
		return take(8);
	case 1:
		return take(2) << 12;
	case 2:
		return 0 - take(2);
	case 3:
		return (uint64_t)(kind / 8) << 12 | take(2);
	default:
		return ((uint64_t)(kind / 8 % 4 + 1) << 12) - take(1);
	}
}

static unsigned take_offset(void)
{
	unsigned kind = (unsigned)take(1);

	switch (kind % 4) {
	case 0:
		return (unsigned)take(kind < 8 ? 4 : 2);
	case 1:
		return UPC_REG_COUNTER(take(1));
	case 2:
		return UPC_REG_CONFIG(kind / 4 % 32);
	default:
		return UPC_REG_START_STOP + 8 * (kind / 4 % 4);
	}
}

/* ---- engines with a clock ------------------------------------------------------- */

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	unsigned e = *(const unsigned *)arg;

	check(told[e].n < EVENTS_MAX);
	told[e].event[told[e].n++] = (struct event){event, counter, cycle};
}

static void check_told(void)
{
	unsigned e, n;

	for (e = 1; e < ENGINES; e++) {
		check(told[e].n == told[0].n);
		for (n = 0; n < told[0].n; n++) {
			const struct event *a = &told[0].event[n], *b = &told[e].event[n];

			check(a->event == b->event && a->counter == b->counter && a->cycle == b->cycle);
		}
		told[e].n = 0;
	}
	told[0].n = 0;
}

static int read_engines(unsigned offset)
{
	uint64_t value[ENGINES];
	unsigned e;
	int result[ENGINES];

	for (e = 0; e < ENGINES; e++) {
		value[e] = 0x5a5a;
		result[e] = engines[e]->read(engine[e], offset, &value[e]);
		check(result[e] == result[0] && value[e] == value[0]);
		check(result[e] == 0 || (result[e] == UPC_EFAULT && value[e] == 0x5a5a));
	}
	check_told();
	return result[0];
}

static int write_engines(unsigned offset, uint64_t value)
{
	unsigned e;
	int result = engines[0]->write(engine[0], offset, value);

	for (e = 1; e < ENGINES; e++)
		check(engines[e]->write(engine[e], offset, value) == result);
	check_told();
	return result;
}

/* The reference gets the signals themselves: few are ever high. */
static void run_engines(const struct upci_wave *wave, const unsigned *id, unsigned ids, uint64_t n)
{
	static struct upci_signals signals[RUN_MAX];
	unsigned e, i, k;

	for (i = 0; i < ids; i++) {
		const uint64_t bit = UINT64_C(1) << id[i] % 64;

		for (k = 0; k < n; k++)
			if (upci_wave_at(&wave[id[i]], k))
				signals[k].bank[id[i] / 256][id[i] % 256 / 64] |= bit;
	}
	engines[0]->run_signals(engine[0], signals, n);
	memset(signals, 0, n * sizeof(signals[0]));
	for (e = 1; e < ENGINES; e++)
		engines[e]->run_waves(engine[e], wave, n);
	check_told();
	for (e = 0; e < ENGINES; e++)
		check(engines[e]->cycles(engine[e]) == input.cycles);
}

/* ---- totals ----------------------------------------------------------------- */

static void check_totals(void)
{
	static uint64_t counts[UPC_COUNTERS];
	const struct upci_regs *r = &totals.regs;
	uint64_t damaged = 0;
	unsigned i;

	upci_totals_read_all(&totals, counts);
	for (i = 0; i < UPC_COUNTERS; i++) {
		bool pending = r->field[i] & UPC_FIELD_INTERRUPT_PENDING;
		bool enabled = r->field[i] & UPC_FIELD_INTERRUPT_ENABLE;
		bool meets = upci_word(r->counter[i]) == upci_word(r->threshold);

		check(shown[i] == counts[i]);
		check(counts[i] == r->counter[i] - totals.thresholds.offset[i]);
		check(!(r->field[i] & UPC_FIELD_ARMED) == !(enabled && !pending && meets));
		check(enabled || !pending);
		check(totals.thresholds.period[i] ? !pending : !totals.thresholds.offset[i]);
		damaged |= totals.damaged[i / 64];
	}
	check(totals.any_damaged == (damaged != 0));
}

static void on_totals(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	uint64_t value;

	check(arg == NULL && cycle == 0 && counter < UPC_COUNTERS);
	check(shown[counter] == upci_totals_count(&totals, counter));
	interrupts += event == UPCI_ENGINE_INTERRUPT;
	if (!handler.active || !handler.left)
		return;
	handler.left--;
	(void)upci_totals_read(&totals, handler.offset, &value);
	(void)upci_totals_write(&totals, handler.offset, handler.value);
}

static void add_totals(unsigned id, uint64_t k)
{
	unsigned i = id % UPC_COUNTERS;
	uint64_t period = totals.thresholds.period[i], before, distance, expected = 0;

	if (period && k / 100 > period)
		k = 100 * period;
	before = upci_totals_count(&totals, i);
	distance = upci_regs_distance(&totals.regs, i);
	if (!upci_totals_counts(&totals, id))
		k = 0;
	else if (distance && k >= distance)
		expected = period ? 1 + (k - distance) / period : 1;
	interrupts = 0;
	handler.left = HANDLED_MAX;
	upci_totals_add(&totals, id, k);
	if (!handler.active)
		check(upci_totals_count(&totals, i) == before + k && interrupts == expected);
}

/* ---- both ------------------------------------------------------------------- */

static void access_totals(bool write, unsigned offset, uint64_t value, int expected)
{
	static struct upci_totals before;
	uint64_t got = 0x5a5a;

	before = totals;
	handler.left = HANDLED_MAX;
	if (write)
		check(upci_totals_write(&totals, offset, value) == expected);
	else
		check(upci_totals_read(&totals, offset, &got) == expected);
	if (expected != 0)
		check(got == 0x5a5a && memcmp(&totals, &before, sizeof(totals)) == 0);
}

static void run(bool lengthy)
{
	static struct upci_wave wave[UPC_INPUTS];
	unsigned id[4], ids = (unsigned)take(1) % 5, i;
	uint64_t n = 1 + (lengthy ? take(2) % RUN_MAX : take(1));

	if (n > CYCLES_MAX - input.cycles)
		n = CYCLES_MAX - input.cycles;
	if (n == 0)
		return;
	for (i = 0; i < UPC_INPUTS; i++)
		wave[i] = (struct upci_wave){1, 0, 0};
	for (i = 0; i < ids; i++) {
		uint64_t period = 1 + (take(2) >> 3), high = take(1);

		id[i] = (unsigned)take(2) % UPC_INPUTS;
		if (high < 8)
			high = period;
		wave[id[i]] = (struct upci_wave){period, high % (period + 1), take(1) % period};
	}
	input.cycles += n;
	run_engines(wave, id, ids, n);
	for (i = 0; i < ids; i++) {
		const struct upci_wave *w = &wave[id[i]];

		/* As a source might tell it that does not know the phase. Where a threshold
		 * is met too often to be told each time, add_totals is for it. */
		handler.left = HANDLED_MAX;
		if (!totals.thresholds.period[id[i] % UPC_COUNTERS])
			upci_totals_add_signal(&totals, id[i], n / w->period, n / w->period * w->high);
	}
}

static void step(void)
{
	unsigned kind = (unsigned)take(1), i, bit, e;
	uint64_t value;

	switch (kind % 8) {
	case 0:
	case 1:
		i = take_offset();
		value = take_value();
		access_totals(true, i, value, write_engines(i, value));
		break;
	case 2:
		i = take_offset();
		access_totals(false, i, 0, read_engines(i));
		break;
	case 3:
		run(kind & 0x80);
		break;
	case 4:
		i = (unsigned)take(1);
		bit = kind / 8 + (unsigned)take(1) % 21;
		for (e = 0; e < ENGINES; e++)
			engines[e]->flip(engine[e], i, bit);
		upci_totals_flip(&totals, i, bit);
		break;
	case 5:
		i = (unsigned)take(2) % UPC_INPUTS;
		add_totals(i, take_value());
		break;
	case 6:
		i = (unsigned)take(1);
		value = upci_totals_count(&totals, i);
		upci_totals_set_threshold(&totals, i, kind & 0x80 ? 0 : take_value());
		check(upci_totals_count(&totals, i) == value);
		break;
	default:
		i = (unsigned)take(1);
		value = take_value();
		if (kind & 0x80) {
			upci_totals_preset(&totals, i, value);
			check(upci_totals_count(&totals, i) == value);
		} else {
			handler.active = kind & 0x40;
			handler.offset = 8 * i;
			handler.value = value;
			if (kind & 0x20)
				handler.offset = take_offset();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct upci_engine_sink totals_sink = {on_totals, NULL};
	unsigned e, i;

	input.at = data;
	input.end = data + size;
	input.cycles = 0;
	memset(&handler, 0, sizeof(handler));
	memset(shown, 0, sizeof(shown));
	upci_totals_init(&totals, &totals_sink);
	totals.shown = shown;
	for (e = 0; e < ENGINES; e++) {
		const struct upci_engine_sink sink = {on_event, &engine_number[e]};

		engine_number[e] = e;
		told[e].n = 0;
		engine[e] = engines[e]->create(&sink);
		check(engine[e] != NULL);
	}
	for (i = 0; i < OPS_MAX && input.at < input.end; i++) {
		step();
		check_totals();
	}
	for (i = 0; i <= UPC_REG_THRESHOLD; i += 8)
		access_totals(false, i, 0, read_engines(i));
	check_totals();
	for (e = 0; e < ENGINES; e++)
		engines[e]->destroy(engine[e]);
	return 0;
}
