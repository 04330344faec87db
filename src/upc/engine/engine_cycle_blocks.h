/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle_blocks.h - the cycle engine's inner loop: whole blocks of 16 cycles without an event for the
 * sink.
 *
 * engine_cycle.c includes this once for each instruction set. ISA(name) makes the names, and ISA_TARGET is
 * the attribute. One inline function for all instruction sets would be slow: compilers split vectors that the
 * function's own target lacks before they inline it. Vectors are passed by address, because the way to pass
 * them by value depends on the instruction set. Everything is inlined, so that the sum stays in registers.
 *
 * Terms: engine/engine.h.
 */
#define INLINE static inline ISA_TARGET __attribute__((always_inline))

/* The running sum, kept in registers. ones to eights are bit planes 0 to 3 of the low-order counters. before
 * is the sample of the previous cycle, inverted if the mode inverts it. */
struct ISA(sum) {
	v4 before, ones, twos, fours, eights;
};

/* Full adder in each lane: add *a + *b to *plane. The low bit goes to *plane, the high bit to *carry. */
INLINE void ISA(add)(v4 *carry, v4 *plane, const v4 *a, const v4 *b)
{
	v4 half = *plane ^ *a;

	*carry = (*plane & *a) | (half & *b);
	*plane = half ^ *b;
}

/* Set *count to the lanes that count in a cycle. */
INLINE void ISA(sample)(v4 *count, struct ISA(sum) * sum, const struct wiring *w,
			const struct upci_signals *signals)
{
	const v4 *bank = (const v4 *)signals->bank;
	v4 now = ((bank[0] & w->select[0]) | (bank[1] & w->select[1]) | (bank[2] & w->select[2]) |
		  (bank[3] & w->select[3])) ^
		 w->invert;

	*count = now & ~(sum->before & w->edge);
	sum->before = now;
}

/* Add four cycles. Their counts go into planes 0 and 1; *carry is the carry into plane 2. */
INLINE void ISA(four)(v4 *carry, struct ISA(sum) * sum, const struct wiring *w,
		      const struct upci_signals *signals)
{
	v4 a, b, twos_a, twos_b;

	ISA(sample)(&a, sum, w, &signals[0]);
	ISA(sample)(&b, sum, w, &signals[1]);
	ISA(add)(&twos_a, &sum->ones, &a, &b);
	ISA(sample)(&a, sum, w, &signals[2]);
	ISA(sample)(&b, sum, w, &signals[3]);
	ISA(add)(&twos_b, &sum->ones, &a, &b);
	ISA(add)(carry, &sum->twos, &twos_a, &twos_b);
}

/* Add sixteen cycles; *carry is the carry into plane 4. One bit is enough: a lane's 0..15 in planes 0 to 3
 * plus at most 16 counts is below 32. */
INLINE void ISA(sixteen)(v4 *carry, struct ISA(sum) * sum, const struct wiring *w,
			 const struct upci_signals *signals)
{
	v4 fours_a, fours_b, eights_a, eights_b;

	ISA(four)(&fours_a, sum, w, &signals[0]);
	ISA(four)(&fours_b, sum, w, &signals[4]);
	ISA(add)(&eights_a, &sum->fours, &fours_a, &fours_b);
	ISA(four)(&fours_a, sum, w, &signals[8]);
	ISA(four)(&fours_b, sum, w, &signals[12]);
	ISA(add)(&eights_b, &sum->fours, &fours_a, &fours_b);
	ISA(add)(carry, &sum->eights, &eights_a, &eights_b);
}

/*
 * Run up to the given number of whole blocks, while the unit runs and no lane is fresh. Return the number
 * run. Stop before a block with an event for the sink: a parity error at its array update, or a carry of an
 * armed counter. Only the array update of such a block is done, which has no effect when it is repeated.
 */
static ISA_TARGET uint64_t ISA(run_blocks)(struct upci_engine *e, const struct wiring *wiring,
					   const struct upci_signals *signals, uint64_t blocks)
{
	const struct wiring w = *wiring;
	const bool arming = any_lane_set(&e->enabled);
	struct ISA(sum) sum = {
		.before = e->p.v ^ w.invert,
		.ones = e->low[0].v,
		.twos = e->low[1].v,
		.fours = e->low[2].v,
		.eights = e->low[3].v,
	};
	uint64_t done;
	unsigned k;

	for (done = 0; done < blocks; done++, signals += BLOCK) {
		struct ISA(sum) next = sum;
		v4 carry;

		if (parity_wrong(e, visited_counter(e)))
			break;
		update_cycle_array(e, visited_counter(e));
		ISA(sixteen)(&carry, &next, &w, signals);
		if (arming) {
			union lanes fires = {.v = e->armed.v & carry};

			for (k = 4; k < LOW_BITS; k++)
				fires.v &= e->low[k].v;
			if (any_lane_set(&fires))
				break;
		}
		for (k = 4; k < LOW_BITS; k++) {
			v4 plane = e->low[k].v;

			e->low[k].v = plane ^ carry;
			carry &= plane;
		}
		e->latch.v |= carry;
		sum = next;
		e->t += BLOCK;
	}
	e->p.v = sum.before ^ w.invert;
	e->low[0].v = sum.ones;
	e->low[1].v = sum.twos;
	e->low[2].v = sum.fours;
	e->low[3].v = sum.eights;
	return done;
}

#undef INLINE
#undef ISA
#undef ISA_TARGET
