/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_arm64_simd.c - decodes AArch64's floating point and vectors.
 *
 * An operation on a vector of floating-point numbers counts by the number of lanes. An operation on a vector
 * of integers, of 8 or 16 bytes, counts as one operation on a vector. An operation on a single integer in a
 * vector register counts as one on a single number.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_arm64.h"

#define ADD UPCS_FPU_ADD_SUB_1
#define MULT UPCS_FPU_MULT_1
#define FMA UPCS_FPU_FMA_2
#define DIV UPCS_FPU_DIV_1
#define OTHER UPCS_FPU_OTHER_NON_STORAGE_OPS

/* Count an operation on this number of lanes; 0: on a scalar. */
static void put_lanes_op(struct upcs_insn *insn, enum upcs_tally op, unsigned lanes)
{
	if (lanes)
		upcs_put_lanes(insn, op, lanes);
	else
		upcs_put_fp(insn, op);
}

static void put_integers(struct upcs_insn *insn, bool is_scalar)
{
	if (is_scalar)
		upcs_put_fp(insn, OTHER);
	else
		upcs_put_vector(insn);
}

/* Return the number of lanes of the given size in bytes. Bit 30 is the register's length. */
static unsigned lanes_of(uint32_t word, unsigned bytes)
{
	return (upcs_bit(word, 30) ? 16 : 8) / bytes;
}

/* Scalar floating point of one and two sources, with and without flags and integers. */
static void decode_scalar(uint32_t word, struct upcs_insn *insn)
{
	static const uint8_t two[16] = {MULT, DIV, ADD, ADD, OTHER, OTHER, OTHER, OTHER, MULT};
	unsigned op = upcs_bits(word, 15, 12);

	if (upcs_bit(word, 21) && upcs_bits(word, 11, 10) == 2 && op <= 8)
		upcs_put_fp(insn, two[op]);
	else if (upcs_bit(word, 21) && upcs_bits(word, 11, 10) == 2)
		upcs_put_unknown(insn);
	else
		upcs_put_fp(insn, OTHER);
}

/* Return the tally of an operation on three floating-point registers. op holds the low 3 of the opcode
 * field's 5 bits. */
static enum upcs_tally three_same(unsigned op, bool u, bool a)
{
	switch (op) {
	case 1: /* fmla, fmls */
		return FMA;
	case 2: /* fadd, fsub, faddp; fabd */
		return ADD;
	case 3: /* fmulx, fmul */
		return MULT;
	case 7: /* frecps, frsqrts: a step is 2 - a * b; fdiv */
		return !u ? FMA : a ? OTHER : DIV;
	default: /* maxima, comparisons */
		return OTHER;
	}
}

static void decode_three_same(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	bool u = upcs_bit(word, 29), a = upcs_bit(word, 23), is_double = upcs_bit(word, 22);
	unsigned op = upcs_bits(word, 15, 11), lanes = is_scalar ? 0 : lanes_of(word, is_double ? 8 : 4);

	if (op < 24)
		put_integers(insn, is_scalar);
	else if (!is_scalar && ((op == 25 && u) || (op == 29 && !u))) /* fmlal, fmlal2, fmlsl */
		put_lanes_op(insn, FMA, lanes);
	else
		put_lanes_op(insn, three_same(op & 7, u, a), lanes);
}

static void decode_three_same_half(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	put_lanes_op(insn, three_same(upcs_bits(word, 13, 11), upcs_bit(word, 29), upcs_bit(word, 23)),
		     is_scalar ? 0 : lanes_of(word, 2));
}

/* Dot products, complex numbers, matrices. */
static void decode_three_more(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	unsigned op = upcs_bits(word, 14, 11), size = upcs_bits(word, 23, 22);
	unsigned lanes = lanes_of(word, 1u << size);

	if (is_scalar || !upcs_bit(word, 29) || op < 8)
		put_integers(insn, is_scalar);
	else if (op <= 11) /* fcmla: two of them multiply, one the real and one the imaginary parts */
		put_lanes_op(insn, FMA, lanes);
	else if (op == 12 || op == 14) /* fcadd */
		put_lanes_op(insn, ADD, lanes);
	else if (op == 13) /* bfmmla: 2x4 by 4x2 */
		put_lanes_op(insn, FMA, 16);
	else if (size == 1) /* bfdot: two products a lane */
		put_lanes_op(insn, FMA, lanes_of(word, 2));
	else /* bfmlalb, bfmlalt */
		put_lanes_op(insn, FMA, 4);
}

/* Operations from one register to another. op is a floating-point operation from 24 on, and for some values
 * below. */
static void decode_two_registers(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	bool a = upcs_bit(word, 23), is_double = upcs_bit(word, 22);
	unsigned op = upcs_bits(word, 16, 12);

	if (is_scalar)
		upcs_put_fp(insn, OTHER);
	else if (op == 22 || op == 23) /* fcvtn, fcvtxn, fcvtl, bfcvtn: one side is 16 bytes */
		put_lanes_op(insn, OTHER, is_double ? 2 : 4);
	else if (op == 28 && a) /* urecpe, ursqrte: of integers */
		upcs_put_vector(insn);
	else if (op >= 24 || (op >= 12 && op <= 15 && a)) /* comparisons with 0; fabs, fneg */
		put_lanes_op(insn, OTHER, lanes_of(word, is_double ? 8 : 4));
	else
		upcs_put_vector(insn);
}

/* Operations that combine all lanes into one number, or a pair of lanes in the scalar forms. */
static void decode_across(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	unsigned op = upcs_bits(word, 16, 12);
	bool is_fp = op == 12 || op == 13 || op == 15;

	if (is_scalar)
		upcs_put_fp(insn, op == 13 ? ADD : OTHER); /* faddp */
	else if (is_fp)
		put_lanes_op(insn, OTHER, lanes_of(word, upcs_bit(word, 29) ? 4 : 2));
	else
		upcs_put_vector(insn);
}

/* Operations that use one lane of the last operand for all lanes. */
static void decode_by_element(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	unsigned op = upcs_bits(word, 15, 12), size = upcs_bits(word, 23, 22), lanes;
	bool u = upcs_bit(word, 29);

	lanes = is_scalar ? 0 : lanes_of(word, size == 3 ? 8 : size == 2 ? 4 : 2);
	if (op == 9 && size != 1) /* fmul, fmulx */
		put_lanes_op(insn, MULT, lanes);
	else if (!u && (op == 1 || op == 5) && size != 1) /* fmla, fmls */
		put_lanes_op(insn, FMA, lanes);
	else if (!is_scalar && size == 2 && (u ? op == 8 || op == 12 : op == 0 || op == 4)) /* fmlal */
		put_lanes_op(insn, FMA, lanes);
	else if (!is_scalar && u && (op & 9) == 1 && (size == 1 || size == 2)) /* fcmla */
		put_lanes_op(insn, FMA, lanes);
	else if (!is_scalar && !u && op == 15 && size == 1) /* bfdot: two products a lane */
		put_lanes_op(insn, FMA, lanes);
	else if (!is_scalar && !u && op == 15 && size == 3) /* bfmlalb, bfmlalt */
		put_lanes_op(insn, FMA, 4);
	else
		put_integers(insn, is_scalar);
}

/* Shifts by a constant, including conversions from and to fixed point; moves of constants. */
static void decode_by_constant(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	unsigned op = upcs_bits(word, 15, 11), high = upcs_bits(word, 22, 19);

	if (!is_scalar && high >= 2 && (op == 28 || op == 31)) /* scvtf, ucvtf; fcvtzs, fcvtzu */
		put_lanes_op(insn, OTHER, lanes_of(word, high >= 8 ? 8 : high >= 4 ? 4 : 2));
	else
		put_integers(insn, is_scalar);
}

/* Copies of a lane or of an integer register to all lanes or to one lane, and of a lane to an integer
 * register. */
static void decode_copy(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	bool is_dup = !upcs_bit(word, 29) && upcs_bits(word, 14, 11) <= 1;

	put_integers(insn, is_scalar || !is_dup);
}

/* Encodings shared by scalars and vectors. Bit 28 selects scalars. */
static void decode_vector(uint32_t word, struct upcs_insn *insn, bool is_scalar)
{
	if (upcs_bit(word, 24)) {
		if (!upcs_bit(word, 10))
			decode_by_element(word, insn, is_scalar);
		else if (!upcs_bit(word, 23))
			decode_by_constant(word, insn, is_scalar);
		else
			upcs_put_unknown(insn);
	} else if (upcs_bit(word, 21)) {
		if (upcs_bit(word, 10))
			decode_three_same(word, insn, is_scalar);
		else if (!upcs_bit(word, 11)) /* operands of different lengths: only integers */
			put_integers(insn, is_scalar);
		else if (upcs_bits(word, 20, 17) == 0)
			decode_two_registers(word, insn, is_scalar);
		else if (upcs_bits(word, 20, 17) == 8)
			decode_across(word, insn, is_scalar);
		else if (upcs_bits(word, 20, 17) == 12 && is_scalar)
			upcs_put_fp(insn, OTHER);
		else if (upcs_bits(word, 20, 17) == 12) /* two registers, half precision */
			put_lanes_op(insn, OTHER, lanes_of(word, 2));
		else if (upcs_bits(word, 20, 17) == 4) /* aes, sha: always 16 bytes */
			upcs_put_vector(insn);
		else
			upcs_put_unknown(insn);
	} else if (!upcs_bit(word, 10)) { /* tbl, tbx, zip, uzp, trn, ext; sha */
		upcs_put_vector(insn);
	} else if (upcs_bit(word, 15)) {
		decode_three_more(word, insn, is_scalar);
	} else if (upcs_bit(word, 22) && upcs_bit(word, 14) == 0) {
		decode_three_same_half(word, insn, is_scalar);
	} else if (upcs_bits(word, 23, 22) == 0) {
		decode_copy(word, insn, is_scalar);
	} else {
		upcs_put_unknown(insn);
	}
}

void upcs_decode_arm64_simd(uint32_t word, struct upcs_insn *insn)
{
	if (upcs_bits(word, 31, 24) == 0xce) { /* eor3, bcax, rax1, xar, sha512, sm3, sm4 */
		upcs_put_vector(insn);
	} else if (!upcs_bit(word, 28)) {
		if (upcs_bit(word, 31))
			upcs_put_unknown(insn);
		else
			decode_vector(word, insn, false);
	} else if (upcs_bit(word, 30)) {
		if (upcs_bit(word, 31))
			upcs_put_unknown(insn);
		else
			decode_vector(word, insn, true);
	} else if (upcs_bit(word, 29)) {
		upcs_put_unknown(insn);
	} else if (upcs_bit(word, 24)) { /* fmadd, fmsub, fnmadd, fnmsub */
		upcs_put_fp(insn, FMA);
	} else {
		decode_scalar(word, insn);
	}
}
