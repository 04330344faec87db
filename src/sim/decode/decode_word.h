/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_word.h - functions shared by the decoders of guests whose instructions are 32-bit words with fields.
 *
 * Decoders for AArch64 and PowerPC check only the fields that distinguish instructions. A word that is
 * invalid only because of a bit that is not checked is counted as the instruction that its checked fields
 * select. When executed, such a word traps.
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_DECODE_WORD_H
#define UPCS_DECODE_WORD_H

#include "decode/decode.h"

/* Return bits high to low of a word; bit 0 is the lowest. */
static inline unsigned upcs_bits(uint32_t word, unsigned high, unsigned low)
{
	return (unsigned)(word >> low & (UINT32_C(0xffffffff) >> (31 - (high - low))));
}

static inline bool upcs_bit(uint32_t word, unsigned i)
{
	return word >> i & 1;
}

/* Count a simple integer operation: in the I pipe if the instruction sets flags or a carry, else in the J
 * pipe. */
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

/* Count an operation that concerns the machine, such as a trap or an access to a special register. The
 * instruction may be privileged, and then raises a signal. */
static inline void upcs_put_machine(struct upcs_insn *insn, enum upcs_tally tally)
{
	upcs_put_i(insn, tally);
	insn->flags |= UPCS_INSN_FAULTS;
}

/* Count a floating-point operation on one number. */
static inline void upcs_put_fp(struct upcs_insn *insn, enum upcs_tally tally)
{
	insn->tally[tally]++;
}

/* Count a floating-point operation on several lanes. The parameter one is the tally of the same operation on
 * a single number. */
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
	case UPCS_FPU_DIV_1: /* no two-wide division: each lane counts */
		insn->tally[UPCS_FPU_DIV_1] += lanes;
		return;
	default:
		insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += pairs;
	}
}

/* Count an operation on a vector of integers of at most 16 bytes. */
static inline void upcs_put_vector(struct upcs_insn *insn)
{
	insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS]++;
}

#endif
