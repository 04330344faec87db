/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86_more.c - decodes the few x86 instructions that QEMU executes and that capstone 4 or capstone 5
 * does not know, so that the tallies are the same with both versions.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode.h"

bool upcs_x86_is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf2:
	case 0xf3:
		return true;
	default:
		return false;
	}
}

/* The parts of an encoding. */
struct encoding {
	unsigned map;    /* 1: 0F, 2: 0F38, 3: 0F3A; 0 none */
	bool vex, wide;  /* wide: 32 bytes */
	bool narrow;     /* there is a prefix 66 */
	unsigned prefix; /* field of the VEX prefix; 1 means 66 */
	uint8_t opcode, modrm;
	size_t n; /* number of bytes after the opcode */
};

static bool parse_encoding(const uint8_t *p, size_t n, struct encoding *e)
{
	if (n >= 5 && p[0] == 0xc4) {
		e->vex = true;
		e->map = p[1] & 31;
		e->wide = p[2] & 4;
		e->prefix = p[2] & 3;
		e->opcode = p[3];
		e->modrm = p[4];
		e->n = n - 4;
		return true;
	}
	if (n && (p[0] & 0xf0) == 0x40) { /* REX */
		p++;
		n--;
	}
	if (n && p[0] == 0x0f) {
		p++;
		n--;
		e->map = 1;
	}
	if (!n)
		return false;
	e->opcode = p[0];
	e->n = n - 1;
	e->modrm = e->n ? p[1] : 0;
	return true;
}

static bool decode_vex(const struct encoding *e, struct upcs_insn *insn)
{
	bool broadcast = e->map == 2 && e->opcode == 0x5a;
	bool aes = e->map == 2 && e->opcode >= 0xdc && e->opcode <= 0xdf;
	bool product = e->map == 3 && e->opcode == 0x44;

	if (!e->wide && e->modrm >= 0xc0) {
		/* kmovd, kmovq; kshiftl, kshiftr of all sizes */
		if (e->n == 1 && e->map == 1 && e->prefix == 3 && (e->opcode == 0x92 || e->opcode == 0x93)) {
			upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
			return true;
		}
		if (e->n == 2 && e->map == 3 && e->prefix == 1 && e->opcode >= 0x30 && e->opcode <= 0x33) {
			upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
			return true;
		}
	}
	/* vbroadcasti128; vaesenc and its like, vpclmulqdq of 32 bytes */
	if (e->prefix != 1 || !e->wide || !(broadcast || aes || product))
		return false;
	if (e->modrm < 0xc0)
		upcs_put_load(insn, broadcast ? 16 : 32, true);
	insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += 2;
	return true;
}

/* True for second encodings of x87: fcom, fcomp, fxch and fstp with registers. */
static bool is_x87_alias(const struct encoding *e)
{
	switch (e->opcode) {
	case 0xdc:
		return e->modrm >= 0xd0 && e->modrm <= 0xdf;
	case 0xdd:
		return e->modrm >= 0xc8 && e->modrm <= 0xcf;
	case 0xde:
		return e->modrm >= 0xd0 && e->modrm <= 0xd7;
	case 0xdf:
		return e->modrm >= 0xc8 && e->modrm <= 0xdf;
	default:
		return false;
	}
}

/* True if the branch has a displacement of 4 bytes. After a prefix 66, AMD reads 2 bytes and Intel 4. */
static bool is_distance(const struct encoding *e)
{
	return e->n == 4 || (e->n == 2 && e->narrow);
}

static bool decode_one_byte(const struct encoding *e, struct upcs_insn *insn)
{
	if ((e->opcode == 0xe8 || e->opcode == 0xe9) && is_distance(e)) {
		if (e->opcode == 0xe8) {
			upcs_put_store(insn, 8, false);
			insn->flags |= UPCS_INSN_CALL;
		}
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		return true;
	}
	if (e->n && e->opcode == 0x63) { /* movsxd that extends nothing */
		if (e->modrm < 0xc0)
			upcs_put_load(insn, 4, false);
		else
			upcs_put_j(insn, UPCS_JPIPE_SHROTMK);
		return true;
	}
	if (is_x87_alias(e)) {
		insn->tally[UPCS_FPU_OTHER_NON_STORAGE_OPS]++;
		return true;
	}
	return false;
}

static bool decode_0f(const struct encoding *e, struct upcs_insn *insn)
{
	if (e->opcode == 0xff || e->opcode == 0xb9) { /* ud0, ud1: emulators do not read the operands */
		upcs_put_i(insn, UPCS_IPIPE_PROCESS_CONTROL);
		insn->flags |= UPCS_INSN_FAULTS;
		return true;
	}
	if (!e->n)
		return false;
	if (e->opcode >= 0x80 && e->opcode <= 0x8f && is_distance(e)) {
		upcs_put_i(insn, UPCS_IPIPE_BRANCHES);
		return true;
	}
	if (e->opcode >= 0x18 && e->opcode <= 0x1f) { /* reserved nops, some used by shadow stacks */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return true;
	}
	if (e->opcode == 0x0d) { /* all prefetches */
		insn->tally[UPCS_DCACHE_OPS]++;
		return true;
	}
	if (e->opcode == 0x01 && (e->modrm == 0xee || e->modrm == 0xef)) { /* rdpkru, wrpkru */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		insn->flags |= UPCS_INSN_FAULTS;
		return true;
	}
	return false;
}

bool upcs_decode_x86_unknown(const uint8_t *bytes, size_t n, struct upcs_insn *insn)
{
	struct encoding e = {0};

	while (n && upcs_x86_is_prefix(*bytes)) {
		e.narrow |= *bytes == 0x66;
		bytes++;
		n--;
	}
	if (!parse_encoding(bytes, n, &e))
		return false;
	if (e.vex)
		return decode_vex(&e, insn);
	return e.map ? decode_0f(&e, insn) : decode_one_byte(&e, insn);
}
