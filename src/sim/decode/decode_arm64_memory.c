/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_arm64_memory.c - decodes AArch64's loads and stores.
 *
 * Each register moved counts once, and so does each element if vector registers are loaded by elements,
 * because Blue Gene/P has no instruction that moves two registers. Computing and updating the address is
 * free. An atomic operation is a load, the operation and a store. An exclusive store that fails counts as a
 * store.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_arm64.h"

static void move_registers(struct upcs_insn *insn, bool is_load, unsigned registers, unsigned bytes, bool fpu)
{
	while (registers--) {
		if (is_load)
			upcs_put_load(insn, bytes, fpu);
		else
			upcs_put_store(insn, bytes, fpu);
	}
}

/* Exclusive and ordered accesses, compare and swap. */
static void decode_exclusive(uint32_t word, struct upcs_insn *insn)
{
	bool is_load = upcs_bit(word, 22), is_pair = upcs_bit(word, 21);
	unsigned bytes = 1u << upcs_bits(word, 31, 30), registers = 1;

	if (!upcs_bit(word, 23) && is_pair) { /* pairs: bit 30 is their size */
		bytes = upcs_bit(word, 30) ? 8 : 4;
		registers = 2;
	}
	if (is_pair && (upcs_bit(word, 23) || !upcs_bit(word, 31))) { /* cas, casp */
		unsigned i;

		move_registers(insn, true, registers, bytes, false);
		move_registers(insn, false, registers, bytes, false);
		for (i = 0; i < registers; i++)
			upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	}
	move_registers(insn, is_load, registers, bytes, false);
}

/* ldadd and the like; swp; ldapr. */
static void decode_arm64_atomic(uint32_t word, struct upcs_insn *insn)
{
	unsigned bytes = 1u << upcs_bits(word, 31, 30), op = upcs_bits(word, 14, 12);

	if (upcs_bit(word, 15) && op == 4) { /* ldapr */
		upcs_put_load(insn, bytes, false);
		return;
	}
	if (upcs_bit(word, 26) || (upcs_bit(word, 15) && op)) {
		upcs_put_unknown(insn);
		return;
	}
	upcs_put_load(insn, bytes, false);
	upcs_put_store(insn, bytes, false);
	if (upcs_bit(word, 15)) /* swp */
		return;
	if (op == 0)
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
	else if (op <= 3) /* clr, eor, set */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
	else /* smin, smax, umin, umax: a comparison */
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
}

static void decode_literal(uint32_t word, struct upcs_insn *insn)
{
	unsigned op = upcs_bits(word, 31, 30);

	if (upcs_bit(word, 26)) {
		if (op == 3)
			upcs_put_unknown(insn);
		else
			upcs_put_load(insn, 4u << op, true);
	} else if (op == 3) { /* prfm */
		insn->tally[UPCS_DCACHE_OPS]++;
	} else {
		upcs_put_load(insn, op == 1 ? 8 : 4, false);
	}
}

static void decode_pair(uint32_t word, struct upcs_insn *insn)
{
	unsigned op = upcs_bits(word, 31, 30);
	bool is_load = upcs_bit(word, 22);

	if (op == 3)
		upcs_put_unknown(insn);
	else if (upcs_bit(word, 26))
		move_registers(insn, is_load, 2, 4u << op, true);
	else if (op == 1 && !is_load) /* stgp: two double words, with a tag */
		move_registers(insn, false, 2, 8, false);
	else /* op 1: ldpsw */
		move_registers(insn, is_load, 2, op == 2 ? 8 : 4, false);
}

/* One register. An encoding with address writeback is never a prefetch. */
static void decode_single(uint32_t word, struct upcs_insn *insn)
{
	unsigned size = upcs_bits(word, 31, 30), op = upcs_bits(word, 23, 22);

	if (upcs_bit(word, 26)) {
		if (op >= 2 && size)
			upcs_put_unknown(insn);
		else
			move_registers(insn, op & 1, 1, op >= 2 ? 16 : 1u << size, true);
	} else if (size == 3 && op == 2) { /* prfm, prfum */
		insn->tally[UPCS_DCACHE_OPS]++;
	} else if (op == 3 && size >= 2) {
		upcs_put_unknown(insn);
	} else {
		move_registers(insn, op != 0, 1, 1u << size, false);
	}
}

/* ld1 to ld4, st1 to st4 of whole registers. */
static void decode_structures(uint32_t word, struct upcs_insn *insn)
{
	unsigned registers;

	switch (upcs_bits(word, 15, 12)) {
	case 0: /* 0, 4, 8: ld4, ld3, ld2; 2, 6, 7, 10: ld1 of 4, 3, 1, 2 registers */
	case 2:
		registers = 4;
		break;
	case 4:
	case 6:
		registers = 3;
		break;
	case 7:
		registers = 1;
		break;
	case 8:
	case 10:
		registers = 2;
		break;
	default:
		upcs_put_unknown(insn);
		return;
	}
	move_registers(insn, upcs_bit(word, 22), registers, upcs_bit(word, 30) ? 16 : 8, true);
}

/* ld1 to ld4, st1 to st4 of one element of each register, or of one element that is loaded into all elements
 * of a register. */
static void decode_elements(uint32_t word, struct upcs_insn *insn)
{
	unsigned registers = 1 + 2 * upcs_bit(word, 13) + upcs_bit(word, 21);
	unsigned size = upcs_bits(word, 15, 14);

	if (size == 3) /* one element for all */
		size = upcs_bits(word, 11, 10);
	else if (size == 2 && upcs_bit(word, 10))
		size = 3;
	move_registers(insn, upcs_bit(word, 22), registers, 1u << size, true);
}

/* ldapur, stlur; instructions for memory tags, of which each granule of 16 bytes counts as one access. */
static void decode_unscaled_or_tags(uint32_t word, struct upcs_insn *insn)
{
	unsigned op = upcs_bits(word, 23, 22);

	if (!upcs_bit(word, 21) && upcs_bits(word, 11, 10) == 0)
		decode_single(word, insn);
	else if (upcs_bit(word, 21) && upcs_bits(word, 31, 30) == 3 && upcs_bits(word, 11, 10))
		move_registers(insn, false, op >= 2 ? 2 : 1, 16, false); /* stg, stzg, st2g, stz2g */
	else if (upcs_bit(word, 21) && upcs_bits(word, 31, 30) == 3)
		move_registers(insn, op == 1 || op == 3, 1, 16, false); /* stzgm, ldg, stgm, ldgm */
	else
		upcs_put_unknown(insn);
}

void upcs_decode_arm64_memory(uint32_t word, struct upcs_insn *insn)
{
	bool fpu = upcs_bit(word, 26);

	switch (upcs_bits(word, 29, 28)) {
	case 0:
		if (fpu && upcs_bit(word, 31))
			break;
		if (fpu && upcs_bit(word, 24))
			decode_elements(word, insn);
		else if (fpu)
			decode_structures(word, insn);
		else if (!upcs_bit(word, 24))
			decode_exclusive(word, insn);
		else
			break;
		return;
	case 1:
		if (!upcs_bit(word, 24))
			decode_literal(word, insn);
		else if (!fpu)
			decode_unscaled_or_tags(word, insn);
		else
			break;
		return;
	case 2:
		decode_pair(word, insn);
		return;
	default:
		if (upcs_bit(word, 24) || !upcs_bit(word, 21)) {
			decode_single(word, insn);
		} else if (upcs_bits(word, 11, 10) == 2) {
			decode_single(word, insn);
		} else if (upcs_bits(word, 11, 10) == 0) {
			decode_arm64_atomic(word, insn);
		} else if (!fpu && upcs_bits(word, 31, 30) == 3) { /* ldraa, ldrab: authenticated */
			upcs_put_i(insn, UPCS_IPIPE_OTHER);
			upcs_put_load(insn, 8, false);
		} else {
			break;
		}
		return;
	}
	upcs_put_unknown(insn);
}
