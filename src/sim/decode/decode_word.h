/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_word.h - what decode_arm64*.c and decode_ppc*.c share: their instructions are words
 * of 32 bits, which are taken apart by fields.
 *
 * Only the fields that tell instructions apart are looked at. A word that is no instruction
 * because some other bit is wrong counts as its neighbour; it traps when it is executed.
 */
#ifndef UPCS_DECODE_WORD_H
#define UPCS_DECODE_WORD_H

#include "decode/decode.h"

/* Bits high..low of a word, bit 0 the lowest. */
static inline unsigned upcs_bits(uint32_t word, unsigned high, unsigned low)
{
	return (unsigned)(word >> low & (UINT32_C(0xffffffff) >> (31 - (high - low))));
}

static inline bool upcs_bit(uint32_t word, unsigned i)
{
	return word >> i & 1;
}

/* A simple integer operation: the I pipe's where it sets flags or a carry. */
enum upcs_simple { UPCS_ADD_SUB, UPCS_LOGICAL, UPCS_SHROTMK };

static inline void upcs_put_simple(struct upcs_insn *insn, enum upcs_simple op, bool flags)
{
	static const uint8_t of_j[] = {UPCS_JPIPE_ADD_SUB, UPCS_JPIPE_LOGICAL_OPS, UPCS_JPIPE_SHROTMK};
	static const uint8_t of_i[] = {UPCS_IPIPE_ADD_SUB, UPCS_IPIPE_LOGICAL_OPS, UPCS_IPIPE_SHROTMK};

	if (flags)
		upcs_put_i(insn, of_i[op]);
	else
		upcs_put_j(insn, of_j[op]);
}

/* Something about the machine that a program may be refused. */
static inline void upcs_put_machine(struct upcs_insn *insn, enum upcs_tally tally)
{
	upcs_put_i(insn, tally);
	insn->flags |= UPCS_INSN_FAULTS;
}

/* A floating-point operation on one number. */
static inline void upcs_put_fp(struct upcs_insn *insn, enum upcs_tally tally)
{
	insn->tally[tally]++;
}

/* The same on so many lanes, given the tally of the operation on one number. */
static inline void upcs_put_lanes(struct upcs_insn *insn, enum upcs_tally one, unsigned lanes)
{
	unsigned pairs = (lanes + 1) / 2;

	switch (one) {
	case UPCS_FPU_ADD_SUB_1:
		insn->tally[UPCS_FPU_ADD_SUB_2] += pairs;
		return;
	case UPCS_FPU_MULT_1:
		insn->tally[UPCS_FPU_MULT_2] += pairs;
		return;
	case UPCS_FPU_FMA_2:
		insn->tally[UPCS_FPU_FMA_4] += pairs;
		return;
	case UPCS_FPU_DIV_1: /* no two-wide division: one after the other */
		insn->tally[UPCS_FPU_DIV_1] += lanes;
		return;
	default:
		insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += pairs;
	}
}

/* An operation on a vector of integers, of at most 16 bytes. */
static inline void upcs_put_vector(struct upcs_insn *insn)
{
	insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS]++;
}

#endif
