/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_reference.c - the engine "reference": implements section 3 of the design sentence by sentence,
 * counter by counter and cycle by cycle. It is slow, and the oracle for the other engines.
 * Terms: engine/engine.h.
 */
#include <stdlib.h>

#include "engine/engine.h"

#define WORD_MASK ((UINT64_C(1) << 52) - 1)

struct counter {
	uint64_t array; /* array word, 52 bits */
	bool parity;    /* stored parity of the array word */
	bool latch;     /* carry latch */
	unsigned low;   /* low-order counter, 12 bits */
	/* The counter's field of the configuration register. */
	unsigned input;
	enum upc_mode mode;
	bool enabled, armed, pending, parity_error;
	bool sampled; /* p is a sample of the chosen input */
	bool p;       /* sample of the previous cycle */
};

struct upci_engine {
	struct counter counter[UPC_COUNTERS];
	uint64_t threshold;
	bool run;
	uint64_t t; /* cycles so far, which is the number of the next */
	struct upci_engine_sink sink;
};

static uint64_t reference_counter_word(const struct counter *c)
{
	return (c->array + c->latch) & WORD_MASK;
}

/* Arm the counter if the condition for it holds. */
static void arm_reference_counter(struct upci_engine *e, struct counter *c)
{
	c->armed = c->enabled && !c->pending && reference_counter_word(c) == e->threshold >> 12;
}

static bool parity_of(uint64_t array)
{
	return __builtin_parityll(array);
}

/* Repair wrong parity, and leave the wrong value. If the flag is clear, set it and report the error. */
static void check_reference_parity(struct upci_engine *e, unsigned i)
{
	struct counter *c = &e->counter[i];

	if (parity_of(c->array) == c->parity)
		return;
	c->parity = parity_of(c->array);
	if (c->parity_error)
		return;
	c->parity_error = true;
	e->sink.event(e->sink.arg, UPCI_ENGINE_PARITY, i, e->t);
}

static void set_reference_array(struct counter *c, uint64_t array)
{
	c->array = array;
	c->parity = parity_of(array);
}

/* ---- a cycle ----------------------------------------------------------- */

static void update_reference_array(struct upci_engine *e)
{
	unsigned i = e->t / 16 % UPC_COUNTERS;
	struct counter *c = &e->counter[i];

	check_reference_parity(e, i);
	if (c->latch) {
		c->latch = false;
		set_reference_array(c, (c->array + 1) & WORD_MASK);
	}
	arm_reference_counter(e, c);
}

static bool counts_sample(const struct counter *c, bool s)
{
	switch (c->mode) {
	case UPC_MODE_HIGH:
		return s;
	case UPC_MODE_RISE:
		return c->sampled && s && !c->p;
	case UPC_MODE_FALL:
		return c->sampled && c->p && !s;
	case UPC_MODE_LOW:
		return !s;
	}
	return false;
}

static void count_sample(struct upci_engine *e, unsigned i, bool s)
{
	struct counter *c = &e->counter[i];

	if (e->run && counts_sample(c, s)) {
		c->low = (c->low + 1) & 4095;
		if (c->low == 0) {
			c->latch = true;
			if (c->armed) {
				c->armed = false;
				c->pending = true;
				e->sink.event(e->sink.arg, UPCI_ENGINE_INTERRUPT, i, e->t);
			}
		}
	}
	c->p = s;
	c->sampled = true;
}

static bool signal_bit(const struct upci_signals *signals, unsigned id)
{
	return signals->bank[id / UPC_COUNTERS][id % UPC_COUNTERS / 64] >> id % 64 & 1;
}

static void run_reference_signals(struct upci_engine *e, const struct upci_signals *signals, uint64_t n)
{
	uint64_t k;
	unsigned i;

	for (k = 0; k < n; k++, e->t++) {
		if (e->t % 16 == 0)
			update_reference_array(e);
		for (i = 0; i < UPC_COUNTERS; i++)
			count_sample(e, i, signal_bit(&signals[k], UPC_COUNTERS * e->counter[i].input + i));
	}
}

/* Run cycle k of a run. */
static void wave_cycle(struct upci_engine *e, const struct upci_wave *wave, uint64_t k)
{
	unsigned i;

	if (e->t % 16 == 0)
		update_reference_array(e);
	for (i = 0; i < UPC_COUNTERS; i++)
		count_sample(e, i, upci_wave_at(&wave[UPC_COUNTERS * e->counter[i].input + i], k));
	e->t++;
}

static void run_reference_waves(struct upci_engine *e, const struct upci_wave *wave, uint64_t n)
{
	uint64_t k;

	for (k = 0; k < n; k++)
		wave_cycle(e, wave, k);
}

/* The events of one cycle: the visited counter's parity error, and interrupts. */
struct kept {
	unsigned n;
	struct {
		enum upci_engine_event event;
		unsigned counter;
		uint64_t cycle;
	} entry[1 + UPC_COUNTERS];
};

static void keep_engine_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct kept *kept = arg;

	kept->entry[kept->n].event = event;
	kept->entry[kept->n].counter = counter;
	kept->entry[kept->n].cycle = cycle;
	kept->n++;
}

static uint64_t run_reference_until(struct upci_engine *e, const struct upci_wave *wave, uint64_t n)
{
	const struct upci_engine_sink sink = e->sink;
	struct kept kept = {.n = 0};
	uint64_t k;
	unsigned i;

	e->sink = (struct upci_engine_sink){keep_engine_event, &kept};
	for (k = 0; k < n && !kept.n; k++)
		wave_cycle(e, wave, k);
	e->sink = sink;
	for (i = 0; i < kept.n; i++)
		sink.event(sink.arg, kept.entry[i].event, kept.entry[i].counter, kept.entry[i].cycle);
	return k;
}

/* ---- software ---------------------------------------------------------- */

static uint64_t compose_reference_field(const struct counter *c)
{
	return c->input | (unsigned)c->mode << 2 | (c->enabled ? UPC_FIELD_INTERRUPT_ENABLE : 0) |
	       (c->armed ? UPC_FIELD_ARMED : 0) | (c->pending ? UPC_FIELD_INTERRUPT_PENDING : 0) |
	       (c->parity_error ? UPC_FIELD_PARITY_ERROR : 0);
}

static uint64_t compose_reference_status(const struct upci_engine *e)
{
	uint64_t s = 0;
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++)
		s |= (e->counter[i].pending ? 1u : 0u) | (e->counter[i].parity_error ? 2u : 0u);
	return s;
}

static int read_reference_register(struct upci_engine *e, unsigned offset, uint64_t *value)
{
	unsigned i, first;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		i = offset / 8;
		*value = reference_counter_word(&e->counter[i]) << 12 | e->counter[i].low;
		check_reference_parity(e, i);
	} else if (offset < UPC_REG_START_STOP) {
		first = (offset - UPC_REG_CONFIG(0)) / 8 * 8;
		for (*value = 0, i = 0; i < 8; i++)
			*value |= compose_reference_field(&e->counter[first + i]) << 8 * i;
	} else if (offset == UPC_REG_START_STOP) {
		*value = e->run;
	} else if (offset == UPC_REG_STATUS) {
		*value = compose_reference_status(e);
	} else {
		*value = e->threshold;
	}
	return 0;
}

static void write_reference_counter(struct upci_engine *e, struct counter *c, uint64_t value)
{
	c->low = value & 4095;
	set_reference_array(c, value >> 12);
	c->latch = c->pending = c->parity_error = false;
	arm_reference_counter(e, c);
}

static void write_reference_field(struct upci_engine *e, struct counter *c, uint8_t value)
{
	if (c->input != (value & UPC_FIELD_INPUT))
		c->sampled = false;
	c->input = value & UPC_FIELD_INPUT;
	c->mode = (enum upc_mode)((value & UPC_FIELD_MODE) >> 2);
	c->enabled = value & UPC_FIELD_INTERRUPT_ENABLE;
	if (!c->enabled)
		c->pending = false;
	arm_reference_counter(e, c);
}

static int write_reference_register(struct upci_engine *e, unsigned offset, uint64_t value)
{
	unsigned i, first;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		write_reference_counter(e, &e->counter[offset / 8], value);
	} else if (offset < UPC_REG_START_STOP) {
		first = (offset - UPC_REG_CONFIG(0)) / 8 * 8;
		for (i = 0; i < 8; i++)
			write_reference_field(e, &e->counter[first + i], (uint8_t)(value >> 8 * i));
	} else if (offset == UPC_REG_START_STOP) {
		e->run = value & 1;
	} else if (offset == UPC_REG_THRESHOLD) {
		e->threshold = value;
		for (i = 0; i < UPC_COUNTERS; i++)
			arm_reference_counter(e, &e->counter[i]);
	}
	/* The status register is read-only. */
	return 0;
}

static void peek_reference_engine(const struct upci_engine *e, uint64_t *counter, uint8_t *fields,
				  bool *suspect)
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct counter *c = &e->counter[i];

		counter[i] = reference_counter_word(c) << 12 | c->low;
		fields[i] = (uint8_t)compose_reference_field(c);
		suspect[i] = parity_of(c->array) != c->parity && !c->parity_error;
	}
}

static void flip_reference_bit(struct upci_engine *e, unsigned counter, unsigned bit)
{
	e->counter[counter].array ^= UINT64_C(1) << bit;
}

static struct upci_engine *create_reference_engine(const struct upci_engine_sink *sink)
{
	struct upci_engine *e = calloc(1, sizeof(*e));

	if (e)
		e->sink = *sink;
	return e;
}

static void destroy_reference_engine(struct upci_engine *e)
{
	free(e);
}

static uint64_t reference_engine_cycles(const struct upci_engine *e)
{
	return e->t;
}

static uint64_t reference_engine_cycles_closed(const struct upci_engine *e)
{
	(void)e;
	return 0;
}

const struct upci_engine_ops upci_engine_reference = {
	.name = "reference",
	.create = create_reference_engine,
	.destroy = destroy_reference_engine,
	.read = read_reference_register,
	.write = write_reference_register,
	.peek = peek_reference_engine,
	.flip = flip_reference_bit,
	.run_waves = run_reference_waves,
	.run_until = run_reference_until,
	.run_signals = run_reference_signals,
	.cycles = reference_engine_cycles,
	.cycles_closed = reference_engine_cycles_closed,
};
