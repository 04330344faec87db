/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_arm64.c - decodes AArch64: integers, branches and the machine. decode_arm64_memory.c decodes loads
 * and stores, decode_arm64_simd.c floating point and vectors.
 *
 * An instruction for which Blue Gene/P would need two instructions counts as two operations: an operation
 * with a shifted or extended operand, a multiplication with addition, a comparison with branch. SVE and SME
 * are not decoded, because their width is not in the instruction.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_arm64.h"

/* Data processing with a constant. */
static void decode_immediate(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 25, 23)) {
	case 0: /* adr, adrp */
	case 1:
	case 3: /* addg, subg: with tags */
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	case 2: /* add, sub, adds, subs: cmp too */
		upcs_put_simple(insn, UPCS_ADD_SUB, upcs_bit(word, 29));
		return;
	case 4: /* and, orr, eor, ands: tst too */
		upcs_put_simple(insn, UPCS_LOGICAL, upcs_bits(word, 30, 29) == 3);
		return;
	case 5: /* movn, movz, movk */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return;
	default: /* bit fields, shifts, extensions; extr */
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
	}
}

/* Operations on two registers, of which one may be shifted; add and sub may extend it instead. */
static void decode_shifted(uint32_t word, struct upcs_insn *insn)
{
	bool is_add = upcs_bit(word, 24), is_extended = is_add && upcs_bit(word, 21), shifts;

	if (is_extended) /* all except "uxtx #0", which changes nothing */
		shifts = upcs_bits(word, 14, 13) != 3 || upcs_bits(word, 12, 10);
	else
		shifts = upcs_bits(word, 15, 10);
	if (shifts)
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
	if (is_add)
		upcs_put_simple(insn, UPCS_ADD_SUB, upcs_bit(word, 29));
	else
		upcs_put_simple(insn, UPCS_LOGICAL, upcs_bits(word, 30, 29) == 3);
}

static void decode_two_sources(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 15, 10)) {
	case 0: /* subp, subps */
		upcs_put_simple(insn, UPCS_ADD_SUB, upcs_bit(word, 29));
		return;
	case 2: /* udiv */
	case 3: /* sdiv */
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		return;
	case 4: /* irg, gmi: tags */
	case 5:
	case 12: /* pacga */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return;
	case 8: /* lslv, lsrv, asrv, rorv */
	case 9:
	case 10:
	case 11:
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		return;
	default:
		if (upcs_bits(word, 15, 13) == 2) /* crc32 */
			upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		else
			upcs_put_unknown(insn);
	}
}

static void decode_one_source(uint32_t word, struct upcs_insn *insn)
{
	unsigned op = upcs_bits(word, 15, 10);

	if (upcs_bits(word, 20, 16) == 1) /* pacia and the like */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
	else if (upcs_bits(word, 20, 16))
		upcs_put_unknown(insn);
	else if (op <= 3) /* rbit, rev16, rev32, rev */
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
	else if (op <= 5) /* clz, cls */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
	else
		upcs_put_unknown(insn);
}

/* Data processing with registers. */
static void decode_register(uint32_t word, struct upcs_insn *insn)
{
	if (!upcs_bit(word, 28)) {
		decode_shifted(word, insn);
		return;
	}
	switch (upcs_bits(word, 24, 21)) {
	case 0: /* adc, sbc, and their flags-setting forms; rmif, setf */
		if (upcs_bits(word, 15, 10))
			upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
		else
			upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	case 2: /* ccmp, ccmn */
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	case 4: /* csel, csinc, csinv, csneg */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return;
	case 6:
		if (upcs_bit(word, 30))
			decode_one_source(word, insn);
		else
			decode_two_sources(word, insn);
		return;
	case 8: /* madd, msub; with register 31 as the addend they are mul */
	case 9:
	case 10:
	case 13:
	case 14:
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		if (upcs_bits(word, 14, 10) != 31)
			upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

/* nop, and the hints that other processors execute as nop. */
static void decode_hint(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 11, 5)) {
	case 1: /* yield, wfe, wfi, sev, sevl, dgh */
	case 2:
	case 3:
	case 4:
	case 5:
	case 6:
	case 16: /* esb, psb, tsb, csdb: barriers */
	case 17:
	case 18:
	case 20:
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	default: /* Blue Gene/P's nop is an "or" */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
	}
}

/* sys: operations on caches and TLBs. */
static void decode_sys(uint32_t word, struct upcs_insn *insn)
{
	unsigned n = upcs_bits(word, 15, 12), m = upcs_bits(word, 11, 8);

	insn->flags |= UPCS_INSN_FAULTS;
	if (n == 8 || (n == 7 && (m == 8 || m == 9))) /* tlbi, at */
		upcs_put_i(insn, UPCS_IPIPE_TLB_OPS);
	else if (n == 7 && (m == 1 || m == 3 || m == 5)) /* ic; cfp, dvp, cpp */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
	else if (n == 7) /* dc */
		insn->tally[UPCS_DCACHE_OPS]++;
	else
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
}

static void decode_arm64_system(uint32_t word, struct upcs_insn *insn)
{
	unsigned op0 = upcs_bits(word, 20, 19), op1 = upcs_bits(word, 18, 16);
	unsigned n = upcs_bits(word, 15, 12);

	if (op0 == 1) {
		decode_sys(word, insn);
	} else if (op0 >= 2) { /* mrs, msr: op1 3 is a register for user programs */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		if (op1 != 3)
			insn->flags |= UPCS_INSN_FAULTS;
	} else if (n == 2 && op1 == 3) {
		decode_hint(word, insn);
	} else if (n == 4 && op1 == 0 && upcs_bits(word, 7, 5) <= 2) { /* cfinv, xaflag, axflag */
		upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
	} else if (n == 4) { /* msr of a constant */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
	} else if (op1 == 3 && (n == 1 || n == 3)) { /* wfet, wfit; clrex, dsb, dmb, isb, sb */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
	} else {
		upcs_put_unknown(insn);
	}
}

/* Branches to registers, including those that check a signature. */
static void decode_branch_register(uint32_t word, struct upcs_insn *insn)
{
	unsigned flags = UPCS_INSN_INDIRECT;

	switch (upcs_bits(word, 24, 21)) {
	case 0: /* br */
	case 8:
		break;
	case 1: /* blr */
	case 9:
		flags |= UPCS_INSN_CALL;
		break;
	case 2: /* ret */
		flags |= UPCS_INSN_RETURN;
		break;
	case 4: /* eret */
	case 5: /* drps */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	default:
		upcs_put_unknown(insn);
		return;
	}
	upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
	insn->flags |= flags;
}

static void decode_branch(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 30, 29)) {
	case 0: /* b, bl */
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		if (upcs_bit(word, 31))
			insn->flags |= UPCS_INSN_CALL;
		return;
	case 1: /* cbz, cbnz; tbz, tbnz */
		if (upcs_bit(word, 25))
			upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
		else
			upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		return;
	case 2:
		if (!upcs_bit(word, 31) && upcs_bits(word, 25, 24) == 0) { /* b.cond */
			upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
			return;
		}
		if (upcs_bit(word, 31) && upcs_bits(word, 25, 24) == 0) {
			upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL); /* svc */
			if (upcs_bits(word, 23, 21) || upcs_bits(word, 4, 0) != 1)
				insn->flags |= UPCS_INSN_FAULTS; /* brk, hlt, hvc, smc */
			return;
		}
		if (upcs_bit(word, 31) && upcs_bit(word, 25)) {
			decode_branch_register(word, insn);
			return;
		}
		if (upcs_bit(word, 31) && upcs_bits(word, 23, 22) == 0) {
			decode_arm64_system(word, insn);
			return;
		}
		break;
	default:
		break;
	}
	upcs_put_unknown(insn);
}

void upcs_decode_arm64(uint32_t word, size_t n, struct upcs_insn *insn)
{
	if (n != 4) {
		upcs_put_unknown(insn);
		return;
	}
	switch (upcs_bits(word, 28, 25)) {
	case 8:
	case 9:
		decode_immediate(word, insn);
		return;
	case 10:
	case 11:
		decode_branch(word, insn);
		return;
	case 4:
	case 6:
	case 12:
	case 14:
		upcs_decode_arm64_memory(word, insn);
		return;
	case 5:
	case 13:
		decode_register(word, insn);
		return;
	case 7:
	case 15:
		upcs_decode_arm64_simd(word, insn);
		return;
	case 0:
		if (word >> 16 == 0) { /* udf: a trap */
			upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
			return;
		}
		break;
	default:
		break;
	}
	upcs_put_unknown(insn);
}
