/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_segment.c - the engine "segment": runs any number of cycles of periodic inputs at once. It gives the
 * same counters, interrupts, parity errors, cycles and order as the reference engine, in a time that does not
 * depend on the number of cycles.
 *
 * A run is n cycles from t on; "in cycle k" counts from the beginning of the run. For a counter, counts(m) is
 * the number of its counts in cycles 0..m-1 (wave.h; always 0 while the unit is stopped). Let low be the
 * low-order counter at the beginning. Carry number c, from 1, falls in the cycle of count 4096 * c - low. The
 * number of carries in cycles 0..m-1 is therefore
 *
 *     carries(m) = (low + counts(m)) div 4096
 *
 * The array update visits the counter in the cycles k with t + k = 16 * i modulo 4096, before the counts of
 * that cycle: once every 4096 cycles.
 *
 * Between two carries lies a visit
 *   Carries are 4096 counts apart, so at least 4096 cycles. One of the 4096 cycles
 *   that follow a carry has a visit. If that is the cycle of the next carry, the
 *   visit comes first. A carry thus finds its latch clear, and none is lost.
 *   Software clears the latch when it writes the low-order counter. If a latch is
 *   set when a run begins, a visit therefore comes before the run's first carry.
 *
 *   Let v be the cycle of the run's last visit. It clears the latch, and at most
 *   one carry follows. The latch thus ends as carries(n) - carries(v). Without a
 *   visit it ends as the old latch plus carries(n), of which at most one is 1.
 *   The word (array word plus latch, modulo 2^52) advances by one per carry and
 *   by nothing else. The array word is the word less the latch.
 *
 * Arming
 *   Let word be the counter's word at the beginning, and j = threshold - word,
 *   modulo 2^52. Let the interrupt be enabled and not pending. A carry fires if
 *   the counter is armed, as the last evaluation before the carry decided:
 *
 *   - Carry c > 1: a visit between the previous carry and this one saw the word
 *     word + c - 1. The carry fires if j = c - 1, and it is the first that does.
 *   - Carry 1: if a visit came before it, that visit saw the word as it was at the
 *     beginning, and the carry fires if j = 0. Otherwise the carry fires if the
 *     counter was armed when the run began. The two differ after a flipped bit,
 *     and if the run begins between a carry and its visit.
 *
 *   After it has fired, the interrupt is pending: the counter is not armed again,
 *   and nothing fires again. A run has at most 2^52 carries (64 bits of cycles),
 *   so no later carry meets the same word: j + 1 is the only one. If nothing
 *   fired, the last visit decides whether the counter ends armed: a carry after a
 *   visit that armed the counter would have fired.
 *
 * Parity
 *   The first visit finds a word in which an odd number of bits was flipped since
 *   its parity was computed. Between two visits only flips change the array word,
 *   and software makes those, so a run finds at most one error per counter, in the
 *   cycle of the first visit.
 *
 * The first event
 *   Counters do not affect each other, and an event in a cycle does not depend on
 *   later cycles. The first event of a run is therefore the earliest that any
 *   counter would have in the whole run. A run that ends with that cycle is the
 *   same run cut short: it has this event, others of the same cycle, and none
 *   before.
 *
 *   Either carry j + 1 or carry 1 fires. It is count 4096 * j + 4096 - low, or
 *   4096 - low. A counter has at most one count per cycle, so the carry cannot
 *   come before the cycle of that number less 1. If that cycle lies past the
 *   earliest event known so far, the counter's wave need not be examined.
 *
 * Terms: engine/engine.h, engine/threshold.h.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/regs.h"
#include "engine/wave.h"

#define WORD_MASK ((UINT64_C(1) << 52) - 1)
#define LOW_MASK 4095u
#define ROUND 4096u /* cycles in which the array update visits all counters */

struct counter {
	uint64_t array; /* array word, 52 bits */
	uint16_t low;   /* low-order counter, 12 bits */
	uint8_t field;  /* UPC_FIELD_* */
	bool latch;
	bool damaged; /* an odd number of bits was flipped since the parity of the array word was computed */
	bool sampled; /* p is a sample of the chosen input */
	bool p;       /* sample of the previous cycle */
};

struct upci_engine {
	struct counter counter[UPC_COUNTERS];
	uint64_t threshold;
	uint64_t t;      /* cycles so far, which is the number of the next */
	uint64_t closed; /* number of cycles that were computed in closed form */
	bool run;
	struct upci_engine_sink sink;
};

static uint64_t segment_counter_word(const struct counter *c)
{
	return (c->array + c->latch) & WORD_MASK;
}

static bool may_arm(const struct counter *c)
{
	return (c->field & (UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_INTERRUPT_PENDING)) ==
	       UPC_FIELD_INTERRUPT_ENABLE;
}

static void set_armed(struct counter *c, bool armed)
{
	c->field &= (uint8_t)~UPC_FIELD_ARMED;
	if (armed)
		c->field |= UPC_FIELD_ARMED;
}

static void arm_segment_counter(const struct upci_engine *e, struct counter *c)
{
	set_armed(c, may_arm(c) && segment_counter_word(c) == upci_word(e->threshold));
}

/* Repair the parity. Return true if an error is to be reported. While the flag is set, good and bad parity
 * look the same: only a write of the counter clears the flag, and the write makes the parity good in either
 * case. */
static bool check_segment_parity(struct counter *c)
{
	bool found = c->damaged && !(c->field & UPC_FIELD_PARITY_ERROR);

	c->damaged = false;
	if (found)
		c->field |= UPC_FIELD_PARITY_ERROR;
	return found;
}

/* ---- the events of a run, in order -------------------------------------------- */

/* A heap with the earliest event on top, since qsort may allocate. In a run, a counter has at most one event
 * of each kind. */
struct queue {
	unsigned length;
	struct found {
		uint64_t cycle; /* cycle of the run */
		unsigned order; /* order within a cycle: UPC_COUNTERS * event + counter */
	} found[2 * UPC_COUNTERS];
};

static bool is_found_before(const struct found *a, const struct found *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void queue_put(struct queue *q, uint64_t cycle, enum upci_engine_event event, unsigned counter)
{
	struct found new = {cycle, UPC_COUNTERS * (unsigned)event + counter};
	unsigned at = q->length++;

	for (; at && is_found_before(&new, &q->found[(at - 1) / 2]); at = (at - 1) / 2)
		q->found[at] = q->found[(at - 1) / 2];
	q->found[at] = new;
}

static struct found queue_take(struct queue *q)
{
	struct found top = q->found[0], last = q->found[--q->length];
	unsigned at = 0, child;

	while ((child = 2 * at + 1) < q->length) {
		if (child + 1 < q->length && is_found_before(&q->found[child + 1], &q->found[child]))
			child++;
		if (!is_found_before(&q->found[child], &last))
			break;
		q->found[at] = q->found[child];
		at = child;
	}
	q->found[at] = last;
	return top;
}

/* ---- a run --------------------------------------------------------------- */

/* Return the number of carries in the first counts of a run. The sum is made in two steps, since low + counts
 * may exceed 2^64. */
static uint64_t carries_of(const struct counter *c, uint64_t counts)
{
	return (counts >> 12) + (((counts & LOW_MASK) + c->low) >> 12);
}

/* Return the number of the carry that fires, from 1, or 0 if none of the run's carries does. first is the
 * cycle of the first visit, n or later if there is none. */
static uint64_t firing_carry(const struct counter *c, const struct upci_counting *counting, uint64_t j,
			     uint64_t carries, uint64_t first)
{
	bool armed = c->field & UPC_FIELD_ARMED;

	if (!carries)
		return 0;
	/* Without a visit in the run, first lies past the end of the run and so past carry 1, and carries_of
	 * is not 0. */
	if (armed != (j == 0) && !carries_of(c, upci_wave_counts(counting, first)))
		armed = j == 0;
	if (armed)
		return 1;
	return j && j < carries ? j + 1 : 0;
}

static inline struct upci_counting counting_of(const struct upci_engine *e, const struct counter *c,
					       const struct upci_wave *wave)
{
	const enum upc_mode mode = (enum upc_mode)((c->field & UPC_FIELD_MODE) >> 2);

	if (!e->run)
		return (struct upci_counting){{1, 0, 0}, 0};
	return upci_wave_counting(wave, mode, c->sampled, c->p);
}

/* Return threshold - word, modulo 2^52. */
static uint64_t words_to_threshold(const struct upci_engine *e, const struct counter *c)
{
	return (upci_word(e->threshold) - segment_counter_word(c)) & WORD_MASK;
}

static void run_counter(const struct upci_engine *e, unsigned i, struct counter *c,
			const struct upci_wave *wave, uint64_t n, struct queue *q)
{
	const uint64_t first = (16 * i - e->t) % ROUND;
	const uint64_t last = first + (n - 1 - first) / ROUND * ROUND; /* last visit, valid if visited */
	const bool visited = first < n;
	const uint64_t start = segment_counter_word(c), j = words_to_threshold(e, c);
	const struct upci_counting counting = counting_of(e, c, wave);
	uint64_t counts, carries, seen, fires;
	unsigned low;
	bool latch;

	counts = upci_wave_counts(&counting, n);
	carries = carries_of(c, counts);
	low = (c->low + counts) & LOW_MASK;

	/* seen is the number of carries before the last visit. None came after that visit if the low-order
	 * counter now holds at least as many counts as there were cycles after it. */
	seen = carries;
	if (!visited)
		seen = 0;
	else if (carries && low < n - last)
		seen = carries_of(c, upci_wave_counts(&counting, last));
	latch = carries > seen || (!visited && c->latch);

	if (visited && check_segment_parity(c))
		queue_put(q, first, UPCI_ENGINE_PARITY, i);
	if (may_arm(c)) {
		fires = firing_carry(c, &counting, j, carries, first);
		if (fires) {
			c->field |= UPC_FIELD_INTERRUPT_PENDING;
			set_armed(c, false);
			queue_put(q, upci_wave_count_cycle(&counting, (fires << 12) - c->low),
				  UPCI_ENGINE_INTERRUPT, i);
		} else if (visited) {
			set_armed(c, j == (seen & WORD_MASK));
		}
	}
	c->array = (start + carries - latch) & WORD_MASK;
	c->latch = latch;
	c->low = (uint16_t)low;
	c->p = upci_wave_at(wave, n - 1);
	c->sampled = true;
}

static const struct upci_wave *choose_counter_wave(const struct upci_wave *wave, unsigned i,
						   const struct counter *c)
{
	return &wave[UPC_COUNTERS * (c->field & UPC_FIELD_INPUT) + i];
}

/* Run n cycles. The sink is called when the run is over, and finds the registers as they are then. */
static void run_segment_waves(struct upci_engine *e, const struct upci_wave *wave, uint64_t n)
{
	const uint64_t t = e->t;
	struct queue q;
	unsigned i;

	if (n == 0)
		return;
	q.length = 0;
	for (i = 0; i < UPC_COUNTERS; i++)
		run_counter(e, i, &e->counter[i], choose_counter_wave(wave, i, &e->counter[i]), n, &q);
	e->t += n;
	e->closed += n;
	while (q.length) {
		struct found f = queue_take(&q);

		e->sink.event(e->sink.arg, (enum upci_engine_event)(f.order / UPC_COUNTERS),
			      f.order % UPC_COUNTERS, t + f.cycle);
	}
}

/* ---- a run up to its first event ------------------------------------------- */

/* Return the cycle in which the counter's interrupt fires in a run of n cycles, or n if it does not. */
static uint64_t interrupt_cycle(const struct upci_engine *e, unsigned i, const struct counter *c,
				const struct upci_wave *wave, uint64_t n)
{
	const uint64_t first = (16 * i - e->t) % ROUND, j = words_to_threshold(e, c);
	const uint64_t skipped = c->field & UPC_FIELD_ARMED ? 0 : j; /* carries before the one that fires */
	struct upci_counting counting;
	uint64_t carries, fires;

	/* 64 bits suffice, since j is below 2^52. */
	if ((skipped << 12) + (LOW_MASK - c->low) >= n)
		return n;
	counting = counting_of(e, c, wave);
	carries = carries_of(c, upci_wave_counts(&counting, n));
	fires = firing_carry(c, &counting, j, carries, first);
	return fires ? upci_wave_count_cycle(&counting, (fires << 12) - c->low) : n;
}

/* Return the cycle of the counter's first event in a run of n cycles, or n if there is none. */
static uint64_t first_event(const struct upci_engine *e, unsigned i, const struct counter *c,
			    const struct upci_wave *wave, uint64_t n)
{
	const uint64_t visit = (16 * i - e->t) % ROUND;

	if (c->damaged && !(c->field & UPC_FIELD_PARITY_ERROR) && visit < n)
		n = visit;
	return e->run && may_arm(c) ? interrupt_cycle(e, i, c, wave, n) : n;
}

static uint64_t run_segment_until(struct upci_engine *e, const struct upci_wave *wave, uint64_t n)
{
	uint64_t first = n;
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++)
		first = first_event(e, i, &e->counter[i], choose_counter_wave(wave, i, &e->counter[i]),
				    first);
	if (first < n)
		n = first + 1;
	run_segment_waves(e, wave, n);
	return n;
}

/* ---- software ---------------------------------------------------------- */

static uint64_t compose_segment_status(const struct upci_engine *e)
{
	unsigned seen = 0, i;

	for (i = 0; i < UPC_COUNTERS; i++)
		seen |= e->counter[i].field;
	return (seen & UPC_FIELD_INTERRUPT_PENDING ? 1u : 0u) | (seen & UPC_FIELD_PARITY_ERROR ? 2u : 0u);
}

static int read_segment_register(struct upci_engine *e, unsigned offset, uint64_t *value)
{
	unsigned i;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		struct counter *c = &e->counter[offset / 8];

		*value = segment_counter_word(c) << 12 | c->low;
		if (check_segment_parity(c))
			e->sink.event(e->sink.arg, UPCI_ENGINE_PARITY, offset / 8, e->t);
	} else if (offset < UPC_REG_START_STOP) {
		const struct counter *c = &e->counter[offset - UPC_REG_CONFIG(0)];

		*value = 0;
		for (i = 0; i < 8; i++)
			*value |= (uint64_t)c[i].field << 8 * i;
	} else if (offset == UPC_REG_START_STOP) {
		*value = e->run;
	} else if (offset == UPC_REG_STATUS) {
		*value = compose_segment_status(e);
	} else {
		*value = e->threshold;
	}
	return 0;
}

static void write_segment_counter(const struct upci_engine *e, struct counter *c, uint64_t value)
{
	c->low = value & LOW_MASK;
	c->array = upci_word(value);
	c->latch = c->damaged = false;
	c->field &= (uint8_t) ~(UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_PARITY_ERROR);
	arm_segment_counter(e, c);
}

static void write_segment_field(const struct upci_engine *e, struct counter *c, uint8_t value)
{
	uint8_t flags = c->field & (uint8_t)~UPCI_FIELD_WRITABLE;

	if ((c->field ^ value) & UPC_FIELD_INPUT)
		c->sampled = false;
	if (!(value & UPC_FIELD_INTERRUPT_ENABLE))
		flags &= (uint8_t)~UPC_FIELD_INTERRUPT_PENDING;
	c->field = (value & UPCI_FIELD_WRITABLE) | flags;
	arm_segment_counter(e, c);
}

static int write_segment_register(struct upci_engine *e, unsigned offset, uint64_t value)
{
	unsigned i;

	if (offset % 8 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		write_segment_counter(e, &e->counter[offset / 8], value);
	} else if (offset < UPC_REG_START_STOP) {
		/* One byte per counter: the offset is the number of the first counter. */
		struct counter *c = &e->counter[offset - UPC_REG_CONFIG(0)];

		for (i = 0; i < 8; i++)
			write_segment_field(e, &c[i], (uint8_t)(value >> 8 * i));
	} else if (offset == UPC_REG_START_STOP) {
		e->run = value & 1;
	} else if (offset == UPC_REG_THRESHOLD) {
		e->threshold = value;
		for (i = 0; i < UPC_COUNTERS; i++)
			arm_segment_counter(e, &e->counter[i]);
	}
	/* The status register is read-only. */
	return 0;
}

static void peek_segment_engine(const struct upci_engine *e, uint64_t *counter, uint8_t *field, bool *suspect)
{
	unsigned i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct counter *c = &e->counter[i];

		counter[i] = segment_counter_word(c) << 12 | c->low;
		field[i] = c->field;
		suspect[i] = c->damaged && !(c->field & UPC_FIELD_PARITY_ERROR);
	}
}

static void flip_segment_bit(struct upci_engine *e, unsigned counter, unsigned bit)
{
	e->counter[counter].array ^= UINT64_C(1) << bit;
	e->counter[counter].damaged ^= true;
}

/* ---- the engine -------------------------------------------------------------- */

static struct upci_engine *create_segment_engine(const struct upci_engine_sink *sink)
{
	struct upci_engine *e = calloc(1, sizeof(*e));

	if (e)
		e->sink = *sink;
	return e;
}

static void destroy_segment_engine(struct upci_engine *e)
{
	free(e);
}

static uint64_t segment_engine_cycles(const struct upci_engine *e)
{
	return e->t;
}

static uint64_t segment_engine_cycles_closed(const struct upci_engine *e)
{
	return e->closed;
}

const struct upci_engine_ops upci_engine_segment = {
	.name = "segment",
	.create = create_segment_engine,
	.destroy = destroy_segment_engine,
	.read = read_segment_register,
	.write = write_segment_register,
	.peek = peek_segment_engine,
	.flip = flip_segment_bit,
	.run_waves = run_segment_waves,
	.run_until = run_segment_until,
	.run_signals = NULL,
	.cycles = segment_engine_cycles,
	.cycles_closed = segment_engine_cycles_closed,
};
