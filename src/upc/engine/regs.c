/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regs.c - reads and writes a unit's registers as software does.
 */
#include "engine/regs.h"

void upci_regs_write_counter(struct upci_regs *r, unsigned i, uint64_t value)
{
	r->counter[i] = value;
	r->field[i] &= (uint8_t) ~(UPC_FIELD_INTERRUPT_PENDING | UPC_FIELD_PARITY_ERROR);
	upci_regs_arm(r, i);
}

void upci_regs_write_field(struct upci_regs *r, unsigned i, uint8_t field)
{
	uint8_t flags = r->field[i] & (uint8_t)~UPCI_FIELD_WRITABLE;

	if (!(field & UPC_FIELD_INTERRUPT_ENABLE))
		flags &= (uint8_t)~UPC_FIELD_INTERRUPT_PENDING;
	r->field[i] = (field & UPCI_FIELD_WRITABLE) | flags;
	upci_regs_arm(r, i);
}

void upci_regs_write_threshold(struct upci_regs *r, uint64_t value)
{
	unsigned i;

	r->threshold = value;
	for (i = 0; i < UPC_COUNTERS; i++)
		upci_regs_arm(r, i);
}

static uint64_t compose_regs_status(const struct upci_regs *r)
{
	unsigned seen = 0, i;

	for (i = 0; i < UPC_COUNTERS; i++)
		seen |= r->field[i];
	return (seen & UPC_FIELD_INTERRUPT_PENDING ? 1u : 0u) | (seen & UPC_FIELD_PARITY_ERROR ? 2u : 0u);
}

int upci_regs_read(const struct upci_regs *r, unsigned offset, uint64_t *value)
{
	unsigned i;

	if (offset & 7 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		*value = r->counter[offset / 8];
	} else if (offset < UPC_REG_START_STOP) {
		unsigned first = (offset - UPC_REG_CONFIG(0)) / 8 * 8;

		*value = 0;
		for (i = 0; i < 8; i++)
			*value |= (uint64_t)r->field[first + i] << (8 * i);
	} else if (offset == UPC_REG_START_STOP) {
		*value = r->run;
	} else if (offset == UPC_REG_STATUS) {
		*value = compose_regs_status(r);
	} else {
		*value = r->threshold;
	}
	return 0;
}

int upci_regs_write(struct upci_regs *r, unsigned offset, uint64_t value)
{
	unsigned i;

	if (offset & 7 || offset > UPC_REG_THRESHOLD)
		return UPC_EFAULT;
	if (offset < UPC_REG_CONFIG(0)) {
		upci_regs_write_counter(r, offset / 8, value);
	} else if (offset < UPC_REG_START_STOP) {
		unsigned first = (offset - UPC_REG_CONFIG(0)) / 8 * 8;

		for (i = 0; i < 8; i++)
			upci_regs_write_field(r, first + i, (uint8_t)(value >> (8 * i)));
	} else if (offset == UPC_REG_START_STOP) {
		r->run = value & 1;
	} else if (offset == UPC_REG_THRESHOLD) {
		upci_regs_write_threshold(r, value);
	}
	/* The status register is read-only. */
	return 0;
}
