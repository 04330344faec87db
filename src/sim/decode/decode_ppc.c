/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_ppc.c - decodes 32-bit PowerPC: integers, branches and the machine. PowerPC is the reference,
 * because Blue Gene/P's instructions are PowerPC's. decode_ppc_memory.c decodes loads and stores,
 * decode_ppc_fpu.c floating point and vectors.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_ppc.h"

/* The record bit, and the overflow bit of arithmetic: both set flags. */
static bool sets_record_flags(uint32_t word)
{
	return upcs_bit(word, 0);
}

static bool record_overflow(uint32_t word)
{
	return upcs_bit(word, 0) || upcs_bit(word, 10);
}

/* Count an operation on the data cache. faults: the processor checks the access, as that of a store if the
 * operation writes or discards a line, else as that of a load. Prefetches never fault. */
static void data_cache(struct upcs_insn *insn, bool faults)
{
	insn->tally[UPCS_DCACHE_OPS]++;
	if (faults)
		insn->flags |= UPCS_INSN_FAULTS;
}

static void put_ppc_branch(struct upcs_insn *insn, unsigned flags)
{
	upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
	insn->flags |= flags;
}

/* bc: conditional, by a displacement. "bcl 20,31,.+4" loads the next instruction's address. */
static void branch_conditional(uint32_t word, struct upcs_insn *insn)
{
	const uint32_t fetch_address = 0x429f0005;

	put_ppc_branch(insn, sets_record_flags(word) && word != fetch_address ? UPCS_INSN_CALL : 0);
}

/* Opcode 19: branches to registers, condition register. */
static void decode_19(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 10, 1)) {
	case 16: /* bclr */
		put_ppc_branch(insn, UPCS_INSN_INDIRECT |
					     (sets_record_flags(word) ? UPCS_INSN_CALL : UPCS_INSN_RETURN));
		return;
	case 528: /* bcctr */
		put_ppc_branch(insn, UPCS_INSN_INDIRECT | (sets_record_flags(word) ? UPCS_INSN_CALL : 0));
		return;
	case 0: /* mcrf */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return;
	case 33:  /* crnor */
	case 129: /* crandc */
	case 193: /* crxor */
	case 225: /* crnand */
	case 257: /* crand */
	case 289: /* creqv */
	case 417: /* crorc */
	case 449: /* cror */
		upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
		return;
	case 150: /* isync */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	case 38: /* rfmci */
	case 39: /* rfdi */
	case 50: /* rfi */
	case 51: /* rfci */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

/* Opcode 31, arithmetic and logic. Return false for other instructions. */
static bool decode_31_integer(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 10, 1)) {
	case 40:       /* subf */
	case 40 + 512: /* subfo, and so on */
	case 104:      /* neg */
	case 104 + 512:
	case 266: /* add */
	case 266 + 512:
		upcs_put_simple(insn, UPCS_ADD_SUB, record_overflow(word));
		return true;
	case 0:  /* cmp */
	case 32: /* cmpl */
	case 8:  /* subfc */
	case 8 + 512:
	case 10: /* addc */
	case 10 + 512:
	case 136: /* subfe */
	case 136 + 512:
	case 138: /* adde */
	case 138 + 512:
	case 200: /* subfze */
	case 200 + 512:
	case 202: /* addze */
	case 202 + 512:
	case 232: /* subfme */
	case 232 + 512:
	case 234: /* addme */
	case 234 + 512:
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return true;
	case 11:  /* mulhwu */
	case 75:  /* mulhw */
	case 235: /* mullw */
	case 235 + 512:
	case 395: /* divweu */
	case 395 + 512:
	case 427: /* divwe */
	case 427 + 512:
	case 459: /* divwu */
	case 459 + 512:
	case 491: /* divw */
	case 491 + 512:
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		return true;
	case 26:  /* cntlzw */
	case 28:  /* and */
	case 60:  /* andc */
	case 122: /* popcntb */
	case 124: /* nor */
	case 154: /* prtyw */
	case 284: /* eqv */
	case 316: /* xor */
	case 378: /* popcntw */
	case 412: /* orc */
	case 444: /* or */
	case 476: /* nand */
		upcs_put_simple(insn, UPCS_LOGICAL, sets_record_flags(word));
		return true;
	case 24:  /* slw */
	case 536: /* srw */
	case 922: /* extsh */
	case 954: /* extsb */
		upcs_put_simple(insn, UPCS_SHROTMK, sets_record_flags(word));
		return true;
	case 792: /* sraw: sets the carry */
	case 824: /* srawi */
		upcs_put_i(insn, UPCS_IPIPE_SHROTMK);
		return true;
	case 78:  /* dlmzb */
	case 508: /* cmpb */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return true;
	default:
		if (upcs_bits(word, 5, 1) != 15) /* isel */
			return false;
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return true;
	}
}

/* True if user programs may access the register: LR, CTR and XER. */
static bool is_user_register(uint32_t word)
{
	unsigned spr = upcs_bits(word, 15, 11) << 5 | upcs_bits(word, 20, 16);

	return spr == 1 || spr == 8 || spr == 9;
}

/* Opcode 31, caches and the machine. Return false for other instructions. */
static bool decode_31_machine(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 10, 1)) {
	case 246: /* dcbtst */
	case 278: /* dcbt */
	case 342: /* dst */
	case 374: /* dstst */
	case 822: /* dss */
		data_cache(insn, false);
		return true;
	case 54:   /* dcbst */
	case 86:   /* dcbf */
	case 454:  /* dccci */
	case 470:  /* dcbi */
	case 758:  /* dcba */
	case 1014: /* dcbz */
		data_cache(insn, true);
		return true;
	case 339: /* mfspr */
	case 467: /* mtspr */
		if (is_user_register(word))
			upcs_put_i(insn, UPCS_IPIPE_OTHER);
		else
			upcs_put_machine(insn, UPCS_IPIPE_OTHER);
		return true;
	case 19:  /* mfcr */
	case 144: /* mtcrf */
	case 371: /* mftb */
	case 512: /* mcrxr */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		return true;
	case 62:  /* wait */
	case 598: /* sync */
	case 854: /* eieio */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return true;
	case 4:   /* tw */
	case 22:  /* icbt */
	case 83:  /* mfmsr */
	case 131: /* wrtee */
	case 146: /* mtmsr */
	case 163: /* wrteei */
	case 966: /* iccci */
	case 982: /* icbi */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return true;
	case 210:  /* mtsr */
	case 242:  /* mtsrin */
	case 306:  /* tlbie */
	case 370:  /* tlbia */
	case 566:  /* tlbsync */
	case 595:  /* mfsr */
	case 659:  /* mfsrin */
	case 786:  /* tlbivax */
	case 914:  /* tlbsx */
	case 946:  /* tlbre */
	case 978:  /* tlbwe, tlbld */
	case 1010: /* tlbli */
		upcs_put_machine(insn, UPCS_IPIPE_TLB_OPS);
		return true;
	default:
		return false;
	}
}

void upcs_decode_ppc(uint32_t word, size_t n, struct upcs_insn *insn)
{
	unsigned opcode = upcs_bits(word, 31, 26);

	if (n != 4) {
		upcs_put_unknown(insn);
		return;
	}
	switch (opcode) {
	case 3: /* twi */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	case 4:
		upcs_decode_ppc_vector(word, insn);
		return;
	case 7: /* mulli */
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		return;
	case 8:  /* subfic */
	case 10: /* cmpli */
	case 11: /* cmpi */
	case 12: /* addic */
	case 13: /* addic. */
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	case 14: /* addi */
	case 15: /* addis */
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	case 16:
		branch_conditional(word, insn);
		return;
	case 17: /* sc */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	case 18: /* b */
		put_ppc_branch(insn, sets_record_flags(word) ? UPCS_INSN_CALL : 0);
		return;
	case 19:
		decode_19(word, insn);
		return;
	case 20: /* rlwimi */
	case 21: /* rlwinm */
	case 23: /* rlwnm */
		upcs_put_simple(insn, UPCS_SHROTMK, sets_record_flags(word));
		return;
	case 24: /* ori: nop too */
	case 25: /* oris */
	case 26: /* xori */
	case 27: /* xoris */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return;
	case 28: /* andi. */
	case 29: /* andis. */
		upcs_put_i(insn, UPCS_IPIPE_LOGICAL_OPS);
		return;
	case 31:
		if (!decode_31_integer(word, insn) && !upcs_decode_ppc_indexed(word, insn) &&
		    !decode_31_machine(word, insn))
			upcs_put_unknown(insn);
		return;
	case 59:
	case 63:
		upcs_decode_ppc_fpu(word, insn);
		return;
	default:
		if (!upcs_decode_ppc_memory(word, insn))
			upcs_put_unknown(insn);
	}
}
