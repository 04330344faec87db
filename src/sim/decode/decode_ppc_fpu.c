/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_ppc_fpu.c - decodes PowerPC's floating point and vectors. Arithmetic can trap if the program enabled
 * traps.
 *
 * Opcode 4 has different meanings in each processor family. This file decodes AltiVec and the 440's
 * multiply-accumulate instructions, whose encodings do not overlap. SPE's encodings overlap AltiVec's, and
 * are not decoded.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_ppc.h"

void upcs_decode_ppc_fpu(uint32_t word, struct upcs_insn *insn)
{
	bool is_double = upcs_bits(word, 31, 26) == 63;
	unsigned a = upcs_bits(word, 5, 1);

	insn->flags |= UPCS_INSN_FAULTS;
	if (a >= 18) {
		switch (a) {
		case 18: /* fdiv */
			upcs_put_fp(insn, UPCS_FPU_DIV_1);
			return;
		case 20: /* fsub */
		case 21: /* fadd */
			upcs_put_fp(insn, UPCS_FPU_ADD_SUB_1);
			return;
		case 25: /* fmul */
			upcs_put_fp(insn, UPCS_FPU_MULT_1);
			return;
		case 28: /* fmsub */
		case 29: /* fmadd */
		case 30: /* fnmsub */
		case 31: /* fnmadd */
			upcs_put_fp(insn, UPCS_FPU_FMA_2);
			return;
		case 22: /* fsqrt */
		case 24: /* fre */
		case 26: /* frsqrte */
			upcs_put_fp(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS);
			return;
		case 23: /* fsel */
			if (!is_double)
				break;
			insn->flags &= ~UPCS_INSN_FAULTS;
			upcs_put_fp(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS);
			return;
		default:
			break;
		}
		upcs_put_unknown(insn);
		return;
	}
	switch (is_double ? upcs_bits(word, 10, 1) : 1023) {
	case 8:   /* fcpsgn */
	case 40:  /* fneg */
	case 72:  /* fmr */
	case 136: /* fnabs */
	case 264: /* fabs */
	case 583: /* mffs */
		insn->flags &= ~UPCS_INSN_FAULTS;
		upcs_put_fp(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS);
		return;
	case 0:   /* fcmpu */
	case 12:  /* frsp */
	case 14:  /* fctiw */
	case 15:  /* fctiwz */
	case 32:  /* fcmpo */
	case 38:  /* mtfsb1 */
	case 64:  /* mcrfs */
	case 70:  /* mtfsb0 */
	case 134: /* mtfsfi */
	case 392: /* frin */
	case 424: /* friz */
	case 456: /* frip */
	case 488: /* frim */
	case 711: /* mtfsf */
	case 814: /* fctid */
	case 815: /* fctidz */
	case 846: /* fcfid */
		upcs_put_fp(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

/* Opcode 4: AltiVec of single precision. Return false for other instructions. */
static bool decode_4_fp(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 5, 0)) {
	case 46: /* vmaddfp */
	case 47: /* vnmsubfp */
		upcs_put_lanes(insn, UPCS_FPU_FMA_2, 4);
		return true;
	case 6: /* comparisons; bit 10 is their record bit */
		switch (upcs_bits(word, 9, 0)) {
		case 198: /* vcmpeqfp */
		case 454: /* vcmpgefp */
		case 710: /* vcmpgtfp */
		case 966: /* vcmpbfp */
			upcs_put_lanes(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS, 4);
			return true;
		default:
			return false;
		}
	case 10:
		/* vaddfp and vsubfp; else estimates, roundings, conversions, maxima */
		if (upcs_bits(word, 10, 0) == 10 || upcs_bits(word, 10, 0) == 74)
			upcs_put_lanes(insn, UPCS_FPU_ADD_SUB_1, 4);
		else
			upcs_put_lanes(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS, 4);
		return true;
	default:
		return false;
	}
}

/* Opcode 4: the 440's products of half words. Return false for other instructions. */
static bool decode_4_multiply(uint32_t word, struct upcs_insn *insn)
{
	/* Bit 10 is the overflow bit of sums; bits 9 to 6 select halves and saturation. */
	switch (upcs_bits(word, 5, 1)) {
	case 8: /* mulchw, mulhhw, mullhw and their unsigned ones */
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		return true;
	case 12: /* macchw, ... */
	case 14: /* nmacchw, ... */
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		upcs_put_simple(insn, UPCS_ADD_SUB, upcs_bit(word, 0) || upcs_bit(word, 10));
		return true;
	default:
		return false;
	}
}

void upcs_decode_ppc_vector(uint32_t word, struct upcs_insn *insn)
{
	unsigned form = upcs_bits(word, 5, 0);

	if (decode_4_fp(word, insn) || decode_4_multiply(word, insn))
		return;
	/* Integers: forms of two operands are even and below 16; those of three are 32 to 44. */
	if ((form < 16 && form % 2 == 0) || (form >= 32 && form <= 44 && form != 35))
		upcs_put_vector(insn);
	else
		upcs_put_unknown(insn);
}
