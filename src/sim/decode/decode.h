/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode.h - from the bytes of a guest's instruction to what one execution of it tallies.
 *
 * decode.c is the border to capstone, which takes x86 instructions apart; decode_x86.c,
 * decode_arm64.c and decode_ppc.c know one instruction set each. They are pure: the same
 * bytes always give the same tallies.
 *
 * The rules, for all guests (doc/reference/CLASSES.md has the instructions of each)
 *   Every instruction that begins is one of INSTRUCTIONS. The rest is counted as Blue
 *   Gene/P would do the same work: an instruction that adds a word of memory to a register
 *   is a load and an addition.
 *
 *   A pipe's INSTRUCTIONS are all operations that it is given, and each is of one of the
 *   pipe's classes. Simple integer operations go to J: ADD_SUB, LOGICAL_OPS (moves and nops
 *   as well, which are an "or" on PowerPC), SHROTMK (shifts, rotates, extensions of sign
 *   or zero). To I go comparisons and what sets flags or a carry for their own sake or uses
 *   them, multiplication and division, branches, and all that is about the machine: system
 *   calls, traps and barriers (PROCESS_CONTROL), special registers (OTHER), TLBs. Loads,
 *   stores and floating point go to neither.
 *
 *   DATA_LOADS and DATA_STORES are all loads and stores, those of floating-point and vector
 *   registers as well. FPU loads and stores are those of floating-point and vector registers
 *   once more: QUADWORD where 16 bytes are moved at once, OTHER below that.
 *
 *   An operation wider than Blue Gene/P's two double words is counted as the two-wide operations
 *   that it takes: w/2 for w lanes of floating point of any size, and bytes/16 for loads,
 *   stores, and operations on vectors of integers (DUAL_PIPE_OTHER_NON_STORAGE_OPS). A last
 *   half counts whole. There is no two-wide division: w lanes are w of DIV_1.
 */
#ifndef UPCS_DECODE_H
#define UPCS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"
#include "decode/model.h"

enum {
	UPCS_INSN_CALL = 1,   /* a jump that leaves its return address behind: that of the next insn */
	UPCS_INSN_RETURN = 2, /* a jump to such an address, by the convention of the machine */
	UPCS_INSN_INDIRECT =
		4,            /* a jump whose target is not in the instruction (calls and returns as well) */
	UPCS_INSN_FAULTS = 8, /* can end in a signal: touches memory, divides, traps */
	UPCS_INSN_UNKNOWN = 16, /* the decoder does not know it: IPIPE_OTHER, UNKNOWN */

	/*
	 * An x86 string instruction with a prefix that repeats it. QEMU runs it once for each
	 * iteration and, where it is not a comparison that ends it, once more to find that none
	 * is left. Its tallies but INSTRUCTIONS are those of an iteration, which has
	 * DATA_LOADS + DATA_STORES accesses to memory: a run without any is none.
	 */
	UPCS_INSN_REPEATS = 32,
	/* x86: changes memory as if alone (lock). */
	UPCS_INSN_ATOMIC = 64,
};

struct upcs_insn {
	uint8_t tally[UPCS_STATIC];
	uint8_t flags;
};

struct upcs_decoder;

/* NULL where capstone cannot do it (no memory, or built without the instruction set). One
 * thread at a time may use a decoder. */
struct upcs_decoder *upcs_decoder_create(enum upcs_guest guest);
void upcs_decoder_destroy(struct upcs_decoder *decoder);

/* bytes in the order of the guest's memory; address that of the instruction. *insn is
 * set whatever the bytes are. */
void upcs_decode(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
		 struct upcs_insn *insn);

/* The length of the instruction that begins with these bytes of memory, and its name, as disassemblers
 * write it; 0 and "" where they do not know it either, or the guest has no disassembler here. */
#define UPCS_INSN_NAME 48
size_t upcs_decode_name(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
			char name[UPCS_INSN_NAME]);

/* ---- for decode_*.c -------------------------------------------------------------- */

struct cs_insn;

/* At most 15 bytes of an instruction: those of the same key and length tally the same. */
#define UPCS_X86_KEY 16u
void upcs_x86_key(const uint8_t *bytes, size_t n, uint8_t key[UPCS_X86_KEY]);

/* One that processors ignore where it means nothing. */
bool upcs_x86_is_prefix(uint8_t byte);
/*
 * In all of these *insn is all zero but for INSTRUCTIONS, which is 1; cs has its details. The
 * first: all bytes of one that capstone does not know. False: neither is it known here.
 */
bool upcs_decode_x86_unknown(const uint8_t *bytes, size_t n, struct upcs_insn *insn);
bool upcs_decode_x86(const struct cs_insn *cs, struct upcs_insn *insn);
/* From the fields of the instruction's word (upcs_guest_word), of n bytes, which capstone would only
 * hide: it has no operands of PowerPC, and not all instructions of either set. Rows of guests.def
 * name these. */
void upcs_decode_arm64(uint32_t word, size_t n, struct upcs_insn *insn);
void upcs_decode_ppc(uint32_t word, size_t n, struct upcs_insn *insn);
void upcs_decode_riscv(uint32_t word, size_t n, struct upcs_insn *insn);

/* An operation of the I or J pipe: one of the pipe's instructions, and of tally where that
 * is not the pipe's INSTRUCTIONS itself. */
static inline void upcs_put_i(struct upcs_insn *insn, enum upcs_tally tally)
{
	insn->tally[UPCS_IPIPE_INSTRUCTIONS]++;
	if (tally != UPCS_IPIPE_INSTRUCTIONS)
		insn->tally[tally]++;
}

/* No instruction, or one of an extension that is not here. */
static inline void upcs_put_unknown(struct upcs_insn *insn)
{
	upcs_put_i(insn, UPCS_IPIPE_OTHER);
	insn->tally[UPCS_UNKNOWN] = 1;
	insn->flags |= UPCS_INSN_UNKNOWN | UPCS_INSN_FAULTS;
}

static inline void upcs_put_j(struct upcs_insn *insn, enum upcs_tally tally)
{
	insn->tally[UPCS_JPIPE_INSTRUCTIONS]++;
	if (tally != UPCS_JPIPE_INSTRUCTIONS)
		insn->tally[tally]++;
}

/* A load or store of so many bytes, into or from the FPU's registers or others. */
static inline void upcs_put_load(struct upcs_insn *insn, unsigned bytes, bool fpu)
{
	unsigned quads = (bytes + 15) / 16;

	insn->tally[UPCS_DATA_LOADS] += fpu && bytes > 16 ? quads : 1;
	if (fpu && bytes >= 16)
		insn->tally[UPCS_FPU_QUADWORD_LOADS] += quads;
	else if (fpu)
		insn->tally[UPCS_FPU_OTHER_LOADS]++;
	insn->flags |= UPCS_INSN_FAULTS;
}

static inline void upcs_put_store(struct upcs_insn *insn, unsigned bytes, bool fpu)
{
	unsigned quads = (bytes + 15) / 16;

	insn->tally[UPCS_DATA_STORES] += fpu && bytes > 16 ? quads : 1;
	if (fpu && bytes >= 16)
		insn->tally[UPCS_FPU_QUADWORD_STORES] += quads;
	else if (fpu)
		insn->tally[UPCS_FPU_OTHER_STORES]++;
	insn->flags |= UPCS_INSN_FAULTS;
}

#endif
