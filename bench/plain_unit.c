/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plain_unit.c - a running unit as a plain loop over cycles and counters. Only the compiler optimises it,
 * with -O3.
 */
#include "plain_unit.h"

#define WORD_MASK ((UINT64_C(1) << 52) - 1)

void plain_unit_configure(struct plain_unit *unit, unsigned counter, uint8_t field)
{
	struct plain_counter *c = &unit->counter[counter];

	c->input = field & UPC_FIELD_INPUT;
	c->mode = (field & UPC_FIELD_MODE) >> 2;
	c->enabled = (field & UPC_FIELD_INTERRUPT_ENABLE) != 0;
}

uint64_t plain_unit_read(const struct plain_unit *unit, unsigned counter)
{
	const struct plain_counter *c = &unit->counter[counter];

	return (c->array + c->latch) << 12 | c->low;
}

static void update(struct plain_unit *unit, struct plain_counter *c)
{
	c->array = (c->array + c->latch) & WORD_MASK;
	c->latch = 0;
	c->armed = c->enabled && !c->pending && c->array == unit->threshold >> 12;
}

static void carry(struct plain_unit *unit, struct plain_counter *c)
{
	c->latch = 1;
	if (c->armed) {
		c->armed = 0;
		c->pending = 1;
		unit->interrupts++;
	}
}

void plain_unit_run(struct plain_unit *unit, const struct upci_signals *signals, uint64_t n)
{
	uint64_t k;
	unsigned i;

	for (k = 0; k < n; k++, unit->t++) {
		if (unit->t % 16 == 0)
			update(unit, &unit->counter[unit->t / 16 % UPC_COUNTERS]);
		for (i = 0; i < UPC_COUNTERS; i++) {
			struct plain_counter *c = &unit->counter[i];
			uint8_t s = signals[k].bank[c->input][i / 64] >> i % 64 & 1, count;

			switch (c->mode) {
			case UPC_MODE_HIGH:
				count = s;
				break;
			case UPC_MODE_RISE:
				count = s & !c->p;
				break;
			case UPC_MODE_FALL:
				count = c->p & !s;
				break;
			default:
				count = !s;
			}
			c->p = s;
			c->low += count;
			if (c->low == 4096) {
				c->low = 0;
				carry(unit, c);
			}
		}
	}
}
