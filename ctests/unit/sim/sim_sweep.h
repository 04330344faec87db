/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_sweep.h - the opcode spaces of the guests: all encodings of a group, one after
 * the other. A group is an x86 opcode with all prefixes, or words with the same first bits.
 */
#ifndef SIM_SWEEP_H
#define SIM_SWEEP_H

#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

/* An encoding; of x86 it may lack bytes at its end (constants, displacements). */
typedef void sweep_fn(const uint8_t *bytes, size_t n, void *context);

struct sweep {
	enum upcs_guest guest;
	const char *file;
	unsigned groups;
	void (*name)(unsigned group, char name[16]);
	void (*each)(unsigned group, sweep_fn *fn, void *context);
};

/* ---- x86-64 ----------------------------------------------------------------------- */

/* Four maps without VEX (one byte, 0F, 0F38, 0F3A), three with; 256 opcodes each. */
#define X86_PLAIN_GROUPS (4u * 256u)
#define X86_GROUPS (X86_PLAIN_GROUPS + 3u * 256u)
/* xmm3 is the index where an instruction gathers. */
#define X86_SIB 0x98

/* Prefixes, REX and the first byte of other encodings are no opcodes. */
static bool x86_is_opcode(unsigned map, uint8_t opcode)
{
	if (map == 1) /* 3DNow, which has its opcode at the end */
		return opcode != 0x0f && opcode != 0x38 && opcode != 0x3a;
	if (map != 0)
		return true;
	return !upcs_x86_is_prefix(opcode) && (opcode & 0xf0) != 0x40 && opcode != 0xf0 && opcode != 0x0f &&
	       opcode != 0x62 && opcode != 0xc4 && opcode != 0xc5;
}

/* Those where register operands choose the instruction. */
static bool x86_is_divided(unsigned map, uint8_t opcode)
{
	if (map == 0)
		return opcode >= 0xd8 && opcode <= 0xdf;
	return map == 1 && (opcode <= 0x01 || opcode == 0x1e || opcode == 0xae || opcode == 0xc7);
}

/* All behind the opcode: nothing; registers; memory. Comparisons also have the condition. */
static void x86_operands(uint8_t *bytes, size_t n, unsigned map, uint8_t opcode, sweep_fn *fn, void *context)
{
	unsigned reg, rm, condition, conditions = map == 1 && opcode == 0xc2 ? 64 : 0;
	unsigned divided = x86_is_divided(map, opcode) ? 8 : 1;

	fn(bytes, n, context);
	for (reg = 0; reg < 8; reg++)
		for (rm = 0; rm < divided; rm++) {
			bytes[n] = (uint8_t)(0xc0 | reg << 3 | (divided > 1 ? rm : 1));
			fn(bytes, n + 1, context);
		}
	for (reg = 0; reg < 8; reg++) {
		bytes[n] = (uint8_t)(reg << 3 | 4);
		bytes[n + 1] = X86_SIB;
		fn(bytes, n + 2, context);
	}
	for (condition = 0; condition < conditions; condition++) {
		bytes[n] = 0xc1;
		bytes[n + 1] = (uint8_t)condition;
		fn(bytes, n + 2, context);
	}
}

static void x86_each_plain(unsigned map, uint8_t opcode, sweep_fn *fn, void *context)
{
	static const struct {
		uint8_t n, bytes[2];
	} prefixes[] = {{0, {0}},          {1, {0x66}},       {1, {0xf2}},       {1, {0xf3}}, {1, {0x48}},
			{2, {0x66, 0x48}}, {2, {0xf2, 0x48}}, {2, {0xf3, 0x48}}, {1, {0xf0}}};
	static const uint8_t second[4] = {0, 0, 0x38, 0x3a};
	uint8_t bytes[16];
	unsigned p;
	size_t n;

	for (p = 0; x86_is_opcode(map, opcode) && p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
		n = prefixes[p].n;
		memcpy(bytes, prefixes[p].bytes, n);
		if (map)
			bytes[n++] = 0x0f;
		if (second[map])
			bytes[n++] = second[map];
		bytes[n++] = opcode;
		x86_operands(bytes, n, map, opcode, fn, context);
	}
}

/* Both lengths, W 0 and 1, all prefixes, with a second source and without. */
static void x86_each_vex(unsigned map, uint8_t opcode, sweep_fn *fn, void *context)
{
	uint8_t bytes[16] = {0xc4, (uint8_t)(0xe0 | map), 0, opcode};
	unsigned i;

	for (i = 0; i < 32; i++) {
		unsigned prefix = i & 3, wide = i >> 2 & 1, w = i >> 3 & 1, source = i >> 4;

		bytes[2] = (uint8_t)(w << 7 | (source ? 0xd : 0xf) << 3 | wide << 2 | prefix);
		x86_operands(bytes, 4, map, opcode, fn, context);
	}
}

static void x86_name(unsigned group, char name[16])
{
	static const char *const maps[7] = {"", "0f", "0f38", "0f3a", "vex.0f", "vex.0f38", "vex.0f3a"};

	snprintf(name, 16, "%s%02x", maps[group >> 8], group & 255);
}

static void x86_each(unsigned group, sweep_fn *fn, void *context)
{
	if (group < X86_PLAIN_GROUPS)
		x86_each_plain(group >> 8, (uint8_t)group, fn, context);
	else
		x86_each_vex((group - X86_PLAIN_GROUPS) / 256 + 1, (uint8_t)group, fn, context);
}

/* ---- words ------------------------------------------------------------------------ */

static void word_name(unsigned group, char name[16])
{
	snprintf(name, 16, "%03x", group);
}

/* Bits 31 to 21 are the group; all of 15 to 10 with all of 20 to 16, which are an operand or
 * more of the opcode. */
static void arm64_each(unsigned group, sweep_fn *fn, void *context)
{
	unsigned i;

	for (i = 0; i < 2048; i++) {
		uint32_t word = group << 21 | (i & 31) << 16 | i >> 5 << 10 | 2 << 5 | 1;
		uint8_t bytes[4];

		memcpy(bytes, &word, sizeof(bytes)); /* as both machines order them */
		fn(bytes, sizeof(bytes), context);
	}
}

/* The first six bits are the group; the last eleven are in the order that brings families
 * together: Rc, bits 26 to 30, bits 21 to 25. */
static void ppc_each(unsigned group, sweep_fn *fn, void *context)
{
	unsigned i;

	for (i = 0; i < 2048; i++) {
		uint32_t word = group << 26 | 3 << 21 | 4 << 16 | 5 << 11 | (i & 31) << 6 |
				(i >> 5 & 31) << 1 | i >> 10;
		uint8_t bytes[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8),
				    (uint8_t)word};

		fn(bytes, sizeof(bytes), context);
	}
}

#define RISCV_SHORT_GROUPS 24u
#define RISCV_GROUPS (RISCV_SHORT_GROUPS + 32u * 8u)

/* All of 16 bits, by the last two and the first three; then those of 32 by bits 6 to 2 and 14 to 12, with
 * all of 31 to 20. */
static void riscv_each(unsigned group, sweep_fn *fn, void *context)
{
	unsigned words = group < RISCV_SHORT_GROUPS ? 2048 : 4096, i;

	for (i = 0; i < words; i++) {
		uint32_t word, operation = group - RISCV_SHORT_GROUPS;
		uint8_t bytes[4];

		if (group < RISCV_SHORT_GROUPS)
			word = (group & 7) << 13 | i << 2 | group >> 3;
		else
			word = i << 20 | 2 << 15 | (operation & 7) << 12 | 1 << 7 | operation >> 3 << 2 | 3;
		memcpy(bytes, &word, sizeof(bytes));
		fn(bytes, group < RISCV_SHORT_GROUPS ? 2 : 4, context);
	}
}

static const struct sweep sweeps[] = {
	{UPCS_X86_64, "x86_64", X86_GROUPS, x86_name, x86_each},
	{UPCS_AARCH64, "aarch64", 2048, word_name, arm64_each},
	{UPCS_PPC, "ppc", 64, word_name, ppc_each},
	{UPCS_RISCV64, "riscv64", RISCV_GROUPS, word_name, riscv_each},
};

#endif
