/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_ppc_memory.c - decodes PowerPC's loads and stores. Each register loaded or stored counts once.
 *
 * Updating an address is free. A conditional store that fails counts as a store.
 *
 * Terms: decode/decode.h.
 */
#include "decode/decode_ppc.h"

static void put_loads(struct upcs_insn *insn, unsigned n, unsigned bytes)
{
	while (n--)
		upcs_put_load(insn, bytes, false);
}

static void put_stores(struct upcs_insn *insn, unsigned n, unsigned bytes)
{
	while (n--)
		upcs_put_store(insn, bytes, false);
}

/* Opcode 31, integer registers. Return false for other instructions. */
static bool decode_integers(uint32_t word, struct upcs_insn *insn)
{
	unsigned n = upcs_bits(word, 15, 11); /* lswi, stswi: number of bytes; 0 means 32 */
	unsigned words = n ? (n + 3) / 4 : 8;

	switch (upcs_bits(word, 10, 1)) {
	case 52:  /* lbarx */
	case 87:  /* lbzx */
	case 119: /* lbzux */
		put_loads(insn, 1, 1);
		return true;
	case 116: /* lharx */
	case 279: /* lhzx */
	case 311: /* lhzux */
	case 343: /* lhax */
	case 375: /* lhaux */
	case 790: /* lhbrx */
		put_loads(insn, 1, 2);
		return true;
	case 20:  /* lwarx */
	case 23:  /* lwzx */
	case 55:  /* lwzux */
	case 310: /* eciwx */
	case 533: /* lswx: XER holds the number of words, which is unknown here */
	case 534: /* lwbrx */
		put_loads(insn, 1, 4);
		return true;
	case 597: /* lswi */
		put_loads(insn, words, 4);
		return true;
	case 215: /* stbx */
	case 247: /* stbux */
	case 694: /* stbcx. */
		put_stores(insn, 1, 1);
		return true;
	case 407: /* sthx */
	case 439: /* sthux */
	case 726: /* sthcx. */
	case 918: /* sthbrx */
		put_stores(insn, 1, 2);
		return true;
	case 150: /* stwcx. */
	case 151: /* stwx */
	case 183: /* stwux */
	case 438: /* ecowx */
	case 661: /* stswx: as lswx */
	case 662: /* stwbrx */
		put_stores(insn, 1, 4);
		return true;
	case 725: /* stswi */
		put_stores(insn, words, 4);
		return true;
	default:
		return false;
	}
}

/* Opcode 31, registers of the FPU and vectors. Return false for other instructions. */
static bool decode_fpu(uint32_t word, struct upcs_insn *insn)
{
	switch (upcs_bits(word, 10, 1)) {
	case 7: /* lvebx */
		upcs_put_load(insn, 1, true);
		return true;
	case 39: /* lvehx */
		upcs_put_load(insn, 2, true);
		return true;
	case 71:  /* lvewx */
	case 535: /* lfsx */
	case 567: /* lfsux */
	case 855: /* lfiwax */
	case 887: /* lfiwzx */
		upcs_put_load(insn, 4, true);
		return true;
	case 599: /* lfdx */
	case 631: /* lfdux */
		upcs_put_load(insn, 8, true);
		return true;
	case 103: /* lvx */
	case 359: /* lvxl */
		upcs_put_load(insn, 16, true);
		return true;
	case 135: /* stvebx */
		upcs_put_store(insn, 1, true);
		return true;
	case 167: /* stvehx */
		upcs_put_store(insn, 2, true);
		return true;
	case 199: /* stvewx */
	case 663: /* stfsx */
	case 695: /* stfsux */
	case 983: /* stfiwx */
		upcs_put_store(insn, 4, true);
		return true;
	case 727: /* stfdx */
	case 759: /* stfdux */
		upcs_put_store(insn, 8, true);
		return true;
	case 231: /* stvx */
	case 487: /* stvxl */
		upcs_put_store(insn, 16, true);
		return true;
	case 6:  /* lvsl: makes a mask, loads nothing */
	case 38: /* lvsr */
		upcs_put_vector(insn);
		return true;
	default:
		return false;
	}
}

bool upcs_decode_ppc_indexed(uint32_t word, struct upcs_insn *insn)
{
	return decode_integers(word, insn) || decode_fpu(word, insn);
}

bool upcs_decode_ppc_memory(uint32_t word, struct upcs_insn *insn)
{
	unsigned opcode = upcs_bits(word, 31, 26);

	switch (opcode) {
	case 32: /* lwz */
	case 33: /* lwzu */
		put_loads(insn, 1, 4);
		return true;
	case 34: /* lbz */
	case 35: /* lbzu */
		put_loads(insn, 1, 1);
		return true;
	case 40: /* lhz */
	case 41: /* lhzu */
	case 42: /* lha */
	case 43: /* lhau */
		put_loads(insn, 1, 2);
		return true;
	case 46: /* lmw: from the register to the last */
		put_loads(insn, 32 - upcs_bits(word, 25, 21), 4);
		return true;
	case 36: /* stw */
	case 37: /* stwu */
		put_stores(insn, 1, 4);
		return true;
	case 38: /* stb */
	case 39: /* stbu */
		put_stores(insn, 1, 1);
		return true;
	case 44: /* sth */
	case 45: /* sthu */
		put_stores(insn, 1, 2);
		return true;
	case 47: /* stmw */
		put_stores(insn, 32 - upcs_bits(word, 25, 21), 4);
		return true;
	case 48: /* lfs */
	case 49: /* lfsu */
	case 50: /* lfd */
	case 51: /* lfdu */
		upcs_put_load(insn, opcode < 50 ? 4 : 8, true);
		return true;
	case 52: /* stfs */
	case 53: /* stfsu */
	case 54: /* stfd */
	case 55: /* stfdu */
		upcs_put_store(insn, opcode < 54 ? 4 : 8, true);
		return true;
	default:
		return false;
	}
}
