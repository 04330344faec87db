/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86_key.c - computes the key of an x86 instruction, by which decode.c caches decoded instructions:
 * its bytes without the displacement of an address, and without constants that do not select the operation.
 * The jumps and loads of a program have many different bytes, but few different keys.
 *
 * The key of an instruction whose opcode is in none of the tables here has all of its bytes. Such
 * instructions are found in the cache less often, and are decoded with the same result.
 *
 * Terms: decode/decode.h.
 */
#include <string.h>

#include "decode/decode.h"

/* Bit per opcode. */
struct set {
	uint32_t bits[8];
};

static bool is_opcode_in_set(const struct set *set, uint8_t opcode)
{
	return set->bits[opcode / 32] >> opcode % 32 & 1;
}

/* clang-format off */
/* Opcodes followed only by a constant: arithmetic of the accumulator, push, jumps, mov. */
static const struct set constant_only = {{
	0x30303030, 0x30303030, 0x00000000, 0xffff0500,
	0x00000000, 0xffff0300, 0x00000000, 0x00000b0f,
}};
/* Opcodes with a modrm byte: one-byte opcodes, and those after 0F. */
static const struct set modrm = {{
	0x0f0f0f0f, 0x0f0f0f0f, 0x00000000, 0x00000a08,
	0x0000fffb, 0x00000000, 0xff0f00c3, 0xc0c00000,
}};
static const struct set modrm_0f = {{
	0xc0ff0000, 0x0000ff00, 0xffffffff, 0xff7fffff,
	0xffff0000, 0xfdcbf838, 0xffff007f, 0xffffffff,
}};
/* Opcodes with a modrm byte and, after the address, a constant that does not select the operation. */
static const struct set constant_too = {{
	0x00000000, 0x00000000, 0x00000000, 0x00000a00,
	0x0000000b, 0x00000000, 0x000000c3, 0x00c00000,
}};
/* clang-format on */

/* Return the size of the displacement after the modrm byte at p, and its distance from p in *at. */
static size_t displacement_bytes(const uint8_t *p, size_t n, size_t *at)
{
	unsigned mod = p[0] >> 6, base = p[0] & 7;

	*at = 1;
	if (mod == 3)
		return 0;
	if (base == 4) {
		if (n < 2)
			return 0;
		base = p[1] & 7;
		*at = 2;
	}
	if (mod == 0)
		return base == 5 ? 4 : 0;
	return mod == 1 ? 1 : 4;
}

static void clear_key_bytes(uint8_t *key, size_t from, size_t to, size_t n)
{
	if (to > n)
		to = n;
	if (from < to)
		memset(key + from, 0, to - from);
}

static void clear_address(uint8_t *key, size_t i, size_t n, bool constant)
{
	size_t at, bytes;

	if (i >= n)
		return;
	bytes = displacement_bytes(key + i, n - i, &at);
	clear_key_bytes(key, i + at, constant ? n : i + at + bytes, n);
}

void upcs_x86_key(const uint8_t *bytes, size_t n, uint8_t key[UPCS_X86_KEY])
{
	size_t i = 0;

	memset(key, 0, UPCS_X86_KEY);
	memcpy(key, bytes, n);
	while (i < n && (upcs_x86_is_prefix(key[i]) || key[i] == 0xf0))
		i++;
	if (i < n && (key[i] & 0xf0) == 0x40) /* REX */
		i++;
	if (i >= n)
		return;
	if (key[i] == 0x0f && i + 1 < n) {
		i++;
		if ((key[i] & 0xf0) == 0x80) /* a jump */
			clear_key_bytes(key, i + 1, n, n);
		else if (is_opcode_in_set(&modrm_0f, key[i]))
			clear_address(key, i + 1, n, false);
	} else if (is_opcode_in_set(&constant_only, key[i])) {
		clear_key_bytes(key, i + 1, n, n);
	} else if (is_opcode_in_set(&modrm, key[i])) {
		clear_address(key, i + 1, n, is_opcode_in_set(&constant_too, key[i]));
	}
}
