/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86_more.c - the few x86 instructions that QEMU runs and capstone 4 does not know.
 */
#include "decode.h"

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
	unsigned map;	 /* 1: 0F, 2: 0F38, 3: 0F3A; 0 none */
	bool vex, wide;	 /* 32 bytes */
	unsigned prefix; /* of VEX: 1 is 66 */
	uint8_t opcode, modrm;
};

static bool parse(const uint8_t *p, size_t n, struct encoding *e)
{
	*e = (struct encoding){0};
	if (n >= 5 && p[0] == 0xc4) {
		e->vex = true;
		e->map = p[1] & 31;
		e->wide = p[2] & 4;
		e->prefix = p[2] & 3;
		e->opcode = p[3];
		e->modrm = p[4];
		return true;
	}
	if (n && (p[0] & 0xf0) == 0x40) { /* REX */
		p++;
		n--;
	}
	if (n < 3 || p[0] != 0x0f)
		return false;
	e->map = 1;
	e->opcode = p[1];
	e->modrm = p[2];
	return true;
}

bool upcs_decode_x86_unknown(const uint8_t *bytes, size_t n, struct upcs_insn *insn)
{
	struct encoding e;

	while (n && upcs_x86_is_prefix(*bytes)) {
		bytes++;
		n--;
	}
	if (!parse(bytes, n, &e))
		return false;
	if (e.vex) {
		bool broadcast = e.opcode == 0x5a, aes = e.opcode >= 0xdc && e.opcode <= 0xdf;

		/* vbroadcasti128; vaesenc and its like of 32 bytes */
		if (e.map != 2 || e.prefix != 1 || !e.wide || !(broadcast || aes))
			return false;
		if (e.modrm < 0xc0)
			upcs_put_load(insn, broadcast ? 16 : 32, true);
		insn->tally[UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS] += 2;
		return true;
	}
	if (e.opcode >= 0x18 && e.opcode <= 0x1f) { /* nops to be, some of shadow stacks */
		upcs_put_j(insn, UPCS_JPIPE_LOGICAL_OPS);
		return true;
	}
	if (e.opcode == 0x0d) { /* all prefetches */
		insn->tally[UPCS_DCACHE_OPS]++;
		return true;
	}
	if (e.opcode == 0x01 && (e.modrm == 0xee || e.modrm == 0xef)) { /* rdpkru, wrpkru */
		upcs_put_i(insn, UPCS_IPIPE_OTHER);
		insn->flags |= UPCS_INSN_FAULTS;
		return true;
	}
	return false;
}
