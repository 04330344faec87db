/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_riscv.c - decodes 64-bit RISC-V: I, M, A, F, D, C, Zicsr and Zifencei, that is, rv64gc.
 * decode_riscv_compressed.c expands 16-bit instructions.
 *
 * An instruction for which Blue Gene/P would need two instructions counts as two operations: a comparison
 * with branch, and the parts of an atomic instruction. Some operands change an instruction's operation: an
 * addition of zero is a move, and an addition of zero to a 32-bit word is an extension of the sign.
 *
 * All bits of a word are checked: a word in no table of the manual is unknown. Bits that the manual tells
 * processors to ignore are ignored.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_riscv.h"

static unsigned funct3_of_word(uint32_t word)
{
	return upcs_bits(word, 14, 12);
}

static unsigned funct7_of_word(uint32_t word)
{
	return upcs_bits(word, 31, 25);
}

static unsigned rd_of_word(uint32_t word)
{
	return upcs_bits(word, 11, 7);
}

static unsigned rs1_of_word(uint32_t word)
{
	return upcs_bits(word, 19, 15);
}

static unsigned rs2_of_word(uint32_t word)
{
	return upcs_bits(word, 24, 20);
}

/* ---- integers ------------------------------------------------------------------------ */

static void put_add(struct upcs_insn *insn, bool is_move)
{
	upcs_put_j(insn, is_move ? UPCS_JPIPE_LOGICAL_OPS : UPCS_JPIPE_ADD_SUB);
}

/* slli, srli and srai. The bits from low on, above the shift count, select the operation. */
static void decode_riscv_shift(uint32_t word, unsigned low, struct upcs_insn *insn)
{
	unsigned above = upcs_bits(word, 31, low), arithmetic = 1u << (30 - low);

	if (above == 0 || (above == arithmetic && funct3_of_word(word) == 5))
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
	else
		upcs_put_unknown(insn);
}

static void decode_op_imm(uint32_t word, struct upcs_insn *insn)
{
	bool is_zero = upcs_bits(word, 31, 20) == 0;

	switch (funct3_of_word(word)) {
	case 0: /* addi: mv and nop too */
		put_add(insn, is_zero && (rs1_of_word(word) || !rd_of_word(word)));
		return;
	case 1: /* slli */
	case 5: /* srli, srai */
		decode_riscv_shift(word, 26, insn);
		return;
	case 2: /* slti */
	case 3: /* sltiu */
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	default: /* xori, ori, andi */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
	}
}

static void decode_op_imm_32(uint32_t word, struct upcs_insn *insn)
{
	switch (funct3_of_word(word)) {
	case 0: /* addiw: sext.w too */
		if (upcs_bits(word, 31, 20))
			upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		else
			upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		return;
	case 1: /* slliw */
	case 5: /* srliw, sraiw */
		decode_riscv_shift(word, 25, insn);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

static void decode_op(uint32_t word, struct upcs_insn *insn)
{
	switch (funct7_of_word(word) << 3 | funct3_of_word(word)) {
	case 0: /* add; with x0: a move */
		put_add(insn, !rs1_of_word(word) || !rs2_of_word(word));
		return;
	case 0x20 << 3: /* sub */
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	case 2: /* slt */
	case 3: /* sltu */
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return;
	case 4: /* xor */
	case 6: /* or */
	case 7: /* and */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return;
	case 1:             /* sll */
	case 5:             /* srl */
	case 0x20 << 3 | 5: /* sra */
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		return;
	default:
		if (funct7_of_word(word) == 1) /* mul, mulh, mulhsu, mulhu, div, divu, rem, remu */
			upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		else
			upcs_put_unknown(insn);
	}
}

static void decode_op_32(uint32_t word, struct upcs_insn *insn)
{
	switch (funct7_of_word(word) << 3 | funct3_of_word(word)) {
	case 0:         /* addw */
	case 0x20 << 3: /* subw */
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	case 1:             /* sllw */
	case 5:             /* srlw */
	case 0x20 << 3 | 5: /* sraw */
		upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		return;
	case 1 << 3:     /* mulw */
	case 1 << 3 | 4: /* divw */
	case 1 << 3 | 5: /* divuw */
	case 1 << 3 | 6: /* remw */
	case 1 << 3 | 7: /* remuw */
		upcs_put_i(insn, UPCS_IPIPE_MULT_DIV);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

/* ---- loads and stores ----------------------------------------------------------------- */

/* Count the operation between an atomic instruction's load and its store; swap has none. Return false for
 * reserved encodings. */
static bool put_atomic(unsigned op, struct upcs_insn *insn)
{
	switch (op) {
	case 0: /* amoadd */
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return true;
	case 1: /* amoswap */
		return true;
	case 4:  /* amoxor */
	case 8:  /* amoor */
	case 12: /* amoand */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return true;
	case 16: /* amomin, amomax, amominu, amomaxu: compared */
	case 20:
	case 24:
	case 28:
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		return true;
	default:
		return false;
	}
}

/* Operations on words and double words. A conditional store that fails counts as a store. */
static void decode_riscv_atomic(uint32_t word, struct upcs_insn *insn)
{
	unsigned op = upcs_bits(word, 31, 27), bytes = 1u << funct3_of_word(word);
	bool has_size = bytes == 4 || bytes == 8;

	if (has_size && op == 2 && rs2_of_word(word) == 0) { /* lr */
		upcs_put_load(insn, bytes, false);
	} else if (has_size && op == 3) { /* sc */
		upcs_put_store(insn, bytes, false);
	} else if (has_size && put_atomic(op, insn)) {
		upcs_put_load(insn, bytes, false);
		upcs_put_store(insn, bytes, false);
	} else {
		upcs_put_unknown(insn);
	}
}

static void decode_load_store_fp(uint32_t word, bool is_load, struct upcs_insn *insn)
{
	unsigned size = funct3_of_word(word);

	if (size != 2 && size != 3)
		upcs_put_unknown(insn);
	else if (is_load)
		upcs_put_load(insn, 1u << size, true);
	else
		upcs_put_store(insn, 1u << size, true);
}

/* ---- floating point ------------------------------------------------------------------- */

/* Count an operation that rounds. The word is unknown if is_one is false (the other fields select no
 * operation), or if its rounding mode is one of the two reserved ones. */
static void put_rounded(bool is_one, uint32_t word, enum upcs_tally tally, struct upcs_insn *insn)
{
	if (is_one && funct3_of_word(word) != 5 && funct3_of_word(word) != 6)
		upcs_put_fp(insn, tally);
	else
		upcs_put_unknown(insn);
}

/* Count an operation of which the field of the rounding mode selects a variant. is_one: the variant
 * exists. */
static void put_other(bool is_one, struct upcs_insn *insn)
{
	if (is_one)
		upcs_put_fp(insn, UPCS_FPU_OTHER_NON_STORAGE_OPS);
	else
		upcs_put_unknown(insn);
}

/* Return 0 for single precision, 1 for double. */
static unsigned precision_of_word(uint32_t word)
{
	return upcs_bits(word, 26, 25);
}

static void decode_op_fp(uint32_t word, struct upcs_insn *insn)
{
	const enum upcs_tally other = UPCS_FPU_OTHER_NON_STORAGE_OPS;

	switch (precision_of_word(word) > 1 ? 31 : upcs_bits(word, 31, 27)) {
	case 0: /* fadd */
	case 1: /* fsub */
		put_rounded(true, word, UPCS_FPU_ADD_SUB_1, insn);
		return;
	case 2: /* fmul */
		put_rounded(true, word, UPCS_FPU_MULT_1, insn);
		return;
	case 3: /* fdiv */
		put_rounded(true, word, UPCS_FPU_DIV_1, insn);
		return;
	case 4: /* fsgnj, fsgnjn, fsgnjx */
		put_other(funct3_of_word(word) <= 2, insn);
		return;
	case 5: /* fmin, fmax */
		put_other(funct3_of_word(word) <= 1, insn);
		return;
	case 8: /* fcvt.s.d, fcvt.d.s */
		put_rounded(rs2_of_word(word) == 1 - precision_of_word(word), word, other, insn);
		return;
	case 11: /* fsqrt */
		put_rounded(rs2_of_word(word) == 0, word, other, insn);
		return;
	case 20: /* fle, flt, feq */
		put_other(funct3_of_word(word) <= 2, insn);
		return;
	case 24: /* fcvt to w, wu, l, lu */
	case 26: /* fcvt from them */
		put_rounded(rs2_of_word(word) <= 3, word, other, insn);
		return;
	case 28: /* fmv.x.w, fmv.x.d; fclass */
		put_other(rs2_of_word(word) == 0 && funct3_of_word(word) <= 1, insn);
		return;
	case 30: /* fmv.w.x, fmv.d.x */
		put_other(rs2_of_word(word) == 0 && funct3_of_word(word) == 0, insn);
		return;
	default:
		upcs_put_unknown(insn);
	}
}

/* ---- branches, the machine ------------------------------------------------------------ */

/* True for a register of return addresses, by convention: x1 (ra), or x5 (t0) for shared code. */
static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

/* Count a jump. link is the register that gets the next instruction's address. */
static void put_jump(unsigned link, struct upcs_insn *insn)
{
	upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
	if (is_link(link))
		insn->flags |= UPCS_INSN_CALL;
}

static void decode_jalr(uint32_t word, struct upcs_insn *insn)
{
	if (funct3_of_word(word)) {
		upcs_put_unknown(insn);
		return;
	}
	put_jump(rd_of_word(word), insn);
	insn->flags |= UPCS_INSN_INDIRECT;
	if (!is_link(rd_of_word(word)) && is_link(rs1_of_word(word)))
		insn->flags |= UPCS_INSN_RETURN;
}

static void decode_riscv_system(uint32_t word, struct upcs_insn *insn)
{
	unsigned csr = upcs_bits(word, 31, 20);

	if (funct3_of_word(word) == 4) {
		upcs_put_unknown(insn);
		return;
	}
	if (funct3_of_word(word)) { /* csrrw, csrrs, csrrc, also with a constant; 1 to 3: fflags, frm, fcsr */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		if (csr < 1 || csr > 3)
			insn->flags |= UPCS_INSN_FAULTS;
		return;
	}
	if (word == 0x00000073) /* ecall */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
	else if (word == UPCS_RISCV_EBREAK || word == 0x10200073 || /* sret */
		 word == 0x30200073 ||                              /* mret */
		 word == 0x10500073)                                /* wfi */
		upcs_put_machine(insn, UPCS_IPIPE_PROCESS_CONTROL);
	else if (funct7_of_word(word) == 9 && rd_of_word(word) == 0) /* sfence.vma */
		upcs_put_machine(insn, UPCS_IPIPE_TLB_OPS);
	else
		upcs_put_unknown(insn);
}

void upcs_decode_riscv(uint32_t word, size_t n, struct upcs_insn *insn)
{
	bool is_short = upcs_bits(word, 1, 0) != 3;

	if (n != (is_short ? 2 : 4)) {
		upcs_put_unknown(insn);
		return;
	}
	if (is_short)
		word = upcs_riscv_expanded((uint16_t)word);
	switch (upcs_bits(word, 6, 2)) {
	case UPCS_RISCV_LOAD:
		if (funct3_of_word(word) == 7)
			break;
		upcs_put_load(insn, 1u << (funct3_of_word(word) & 3), false);
		return;
	case UPCS_RISCV_LOAD_FP:
		decode_load_store_fp(word, true, insn);
		return;
	case UPCS_RISCV_MISC_MEM: /* fence, fence.i: their other bits are ignored */
		if (funct3_of_word(word) > 1)
			break;
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		return;
	case UPCS_RISCV_OP_IMM:
		decode_op_imm(word, insn);
		return;
	case UPCS_RISCV_AUIPC: /* auipc, lui: an address or its upper half; counted like PowerPC's addis */
	case UPCS_RISCV_LUI:
		upcs_put_j(insn, UPCS_JPIPE_ADD_SUB);
		return;
	case UPCS_RISCV_OP_IMM_32:
		decode_op_imm_32(word, insn);
		return;
	case UPCS_RISCV_STORE:
		if (funct3_of_word(word) > 3)
			break;
		upcs_put_store(insn, 1u << funct3_of_word(word), false);
		return;
	case UPCS_RISCV_STORE_FP:
		decode_load_store_fp(word, false, insn);
		return;
	case UPCS_RISCV_AMO:
		decode_riscv_atomic(word, insn);
		return;
	case UPCS_RISCV_OP:
		decode_op(word, insn);
		return;
	case UPCS_RISCV_OP_32:
		decode_op_32(word, insn);
		return;
	case UPCS_RISCV_MADD:
	case UPCS_RISCV_MSUB:
	case UPCS_RISCV_NMSUB:
	case UPCS_RISCV_NMADD:
		put_rounded(precision_of_word(word) <= 1, word, UPCS_FPU_FMA_2, insn);
		return;
	case UPCS_RISCV_OP_FP:
		decode_op_fp(word, insn);
		return;
	case UPCS_RISCV_BRANCH: /* beq, bne; blt, bge, bltu, bgeu */
		if (funct3_of_word(word) == 2 || funct3_of_word(word) == 3)
			break;
		upcs_put_i(insn, UPCS_IPIPE_ADD_SUB);
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		return;
	case UPCS_RISCV_JALR:
		decode_jalr(word, insn);
		return;
	case UPCS_RISCV_JAL:
		put_jump(rd_of_word(word), insn);
		return;
	case UPCS_RISCV_SYSTEM:
		decode_riscv_system(word, insn);
		return;
	default:
		break;
	}
	upcs_put_unknown(insn);
}
