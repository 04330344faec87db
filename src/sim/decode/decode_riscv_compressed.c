/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_riscv_compressed.c - replaces RISC-V's 16-bit instructions (extension C) by 32-bit instructions with
 * the same tallies. The result is good for counting only, because constants and offsets become 0 or 1.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_riscv.h"

#define ZERO 0u
#define RA 1u
#define SP 2u

static uint32_t make_riscv_word(enum upcs_riscv_opcode opcode, unsigned funct3, unsigned rd, unsigned rs1,
				unsigned high)
{
	return (uint32_t)high << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | (uint32_t)opcode << 2 | 3;
}

/* Return the number of a lesser register: one of x8 to x15, which a field of 3 bits can name. */
static unsigned lesser_register(uint16_t half, unsigned low)
{
	return 8 + upcs_bits(half, low + 2, low);
}

static unsigned full_register(uint16_t half)
{
	return upcs_bits(half, 11, 7);
}

/* True if the constant in bits 12 and 6 to 2, the place of the constant in most instructions, is not 0. */
static bool has_constant(uint16_t half)
{
	return upcs_bit(half, 12) || upcs_bits(half, 6, 2);
}

/* c.addi4spn, and loads and stores of a lesser register at an address in a lesser register. */
static uint32_t quadrant_0(uint16_t half)
{
	unsigned reg = lesser_register(half, 2), base = lesser_register(half, 7);

	switch (upcs_bits(half, 15, 13)) {
	case 0: /* c.addi4spn; a half word of 0 always traps */
		if (upcs_bits(half, 12, 5))
			return make_riscv_word(UPCS_RISCV_OP_IMM, 0, reg, SP, 1);
		return half ? UPCS_RISCV_RESERVED : UPCS_RISCV_EBREAK;
	case 1: /* c.fld */
		return make_riscv_word(UPCS_RISCV_LOAD_FP, 3, reg, base, 1);
	case 2: /* c.lw */
		return make_riscv_word(UPCS_RISCV_LOAD, 2, reg, base, 1);
	case 3: /* c.ld */
		return make_riscv_word(UPCS_RISCV_LOAD, 3, reg, base, 1);
	case 5: /* c.fsd */
		return make_riscv_word(UPCS_RISCV_STORE_FP, 3, 1, base, reg);
	case 6: /* c.sw */
		return make_riscv_word(UPCS_RISCV_STORE, 2, 1, base, reg);
	case 7: /* c.sd */
		return make_riscv_word(UPCS_RISCV_STORE, 3, 1, base, reg);
	default:
		return UPCS_RISCV_RESERVED;
	}
}

/* Arithmetic and logic of lesser registers. */
static uint32_t expand_lesser_arithmetic(uint16_t half)
{
	unsigned reg = lesser_register(half, 7), other = lesser_register(half, 2);

	switch (upcs_bits(half, 11, 10)) {
	case 0: /* c.srli */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 5, reg, reg, 1);
	case 1: /* c.srai */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 5, reg, reg, 0x400 | 1);
	case 2: /* c.andi */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 7, reg, reg, 1);
	default:
		break;
	}
	switch (upcs_bit(half, 12) << 2 | upcs_bits(half, 6, 5)) {
	case 0: /* c.sub */
		return make_riscv_word(UPCS_RISCV_OP, 0, reg, reg, 0x400 | other);
	case 1: /* c.xor */
		return make_riscv_word(UPCS_RISCV_OP, 4, reg, reg, other);
	case 2: /* c.or */
		return make_riscv_word(UPCS_RISCV_OP, 6, reg, reg, other);
	case 3: /* c.and */
		return make_riscv_word(UPCS_RISCV_OP, 7, reg, reg, other);
	case 4: /* c.subw */
		return make_riscv_word(UPCS_RISCV_OP_32, 0, reg, reg, 0x400 | other);
	case 5: /* c.addw */
		return make_riscv_word(UPCS_RISCV_OP_32, 0, reg, reg, other);
	default:
		return UPCS_RISCV_RESERVED;
	}
}

static uint32_t quadrant_1(uint16_t half)
{
	unsigned constant = has_constant(half), reg = full_register(half);

	switch (upcs_bits(half, 15, 13)) {
	case 0: /* c.addi, c.nop */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 0, reg, reg, constant);
	case 1: /* c.addiw */
		return reg ? make_riscv_word(UPCS_RISCV_OP_IMM_32, 0, reg, reg, constant)
			   : UPCS_RISCV_RESERVED;
	case 2: /* c.li */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 0, reg, ZERO, constant);
	case 3: /* c.addi16sp, c.lui */
		if (!constant)
			return UPCS_RISCV_RESERVED;
		return reg == SP ? make_riscv_word(UPCS_RISCV_OP_IMM, 0, SP, SP, 1)
				 : make_riscv_word(UPCS_RISCV_LUI, 0, reg, 0, 0);
	case 4:
		return expand_lesser_arithmetic(half);
	case 5: /* c.j */
		return make_riscv_word(UPCS_RISCV_JAL, 0, ZERO, 0, 0);
	case 6: /* c.beqz */
		return make_riscv_word(UPCS_RISCV_BRANCH, 0, 0, lesser_register(half, 7), ZERO);
	default: /* c.bnez */
		return make_riscv_word(UPCS_RISCV_BRANCH, 1, 0, lesser_register(half, 7), ZERO);
	}
}

/* Jumps to registers; moves and additions of any registers. */
static uint32_t any_registers(uint16_t half)
{
	unsigned reg = full_register(half), other = upcs_bits(half, 6, 2);

	if (other) /* c.add, c.mv */
		return make_riscv_word(UPCS_RISCV_OP, 0, reg, upcs_bit(half, 12) ? reg : ZERO, other);
	if (reg) /* c.jalr, c.jr */
		return make_riscv_word(UPCS_RISCV_JALR, 0, upcs_bit(half, 12) ? RA : ZERO, reg, 0);
	return upcs_bit(half, 12) ? UPCS_RISCV_EBREAK : UPCS_RISCV_RESERVED;
}

/* Loads and stores relative to the stack pointer, and others. */
static uint32_t quadrant_2(uint16_t half)
{
	unsigned reg = full_register(half), stored = upcs_bits(half, 6, 2);

	switch (upcs_bits(half, 15, 13)) {
	case 0: /* c.slli */
		return make_riscv_word(UPCS_RISCV_OP_IMM, 1, reg, reg, 1);
	case 1: /* c.fldsp */
		return make_riscv_word(UPCS_RISCV_LOAD_FP, 3, reg, SP, 1);
	case 2: /* c.lwsp */
		return reg ? make_riscv_word(UPCS_RISCV_LOAD, 2, reg, SP, 1) : UPCS_RISCV_RESERVED;
	case 3: /* c.ldsp */
		return reg ? make_riscv_word(UPCS_RISCV_LOAD, 3, reg, SP, 1) : UPCS_RISCV_RESERVED;
	case 4:
		return any_registers(half);
	case 5: /* c.fsdsp */
		return make_riscv_word(UPCS_RISCV_STORE_FP, 3, 1, SP, stored);
	case 6: /* c.swsp */
		return make_riscv_word(UPCS_RISCV_STORE, 2, 1, SP, stored);
	default: /* c.sdsp */
		return make_riscv_word(UPCS_RISCV_STORE, 3, 1, SP, stored);
	}
}

uint32_t upcs_riscv_expanded(uint16_t half)
{
	switch (upcs_bits(half, 1, 0)) {
	case 0:
		return quadrant_0(half);
	case 1:
		return quadrant_1(half);
	default:
		return quadrant_2(half);
	}
}
