/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode.h - computes the tallies of one execution of a guest's instruction from its bytes.
 *
 * Terms:
 *   guest      a simulated program, and its instruction set (guest.h)
 *   core       one of the four processors of the simulated Blue Gene/P node (model.h)
 *   tally      the number of times that something happened on a core (enum upcs_tally, model.h)
 *   pipe       one of the two integer pipelines of a Blue Gene/P core, I and J
 *   class      a tally of a pipe or of the FPU: the operations of one sort, such as IPIPE_BRANCHES
 *   operation  one step of Blue Gene/P's processor, as a part of the work of a guest's instruction
 *   lane       one of the numbers in a vector register
 *   word       an instruction's bytes as a number, from which fields are taken (upcs_guest_word)
 *   key        the bytes of an x86 instruction that determine its tallies (decode_x86_key.c)
 *   upcs_put_  functions that count an operation: they add it to an instruction's tallies
 *
 * decode.c uses capstone for x86 instructions. decode_x86.c, decode_arm64.c, decode_ppc.c and
 * decode_riscv.c decode one instruction set each. They are pure: the same bytes always give the
 * same tallies.
 *
 * The rules, for all guests (doc/reference/CLASSES.md lists the instructions of each)
 *   Every instruction that begins counts once as INSTRUCTIONS. Its other tallies are those of the
 *   same work on Blue Gene/P: an instruction that adds a word of memory to a register is a load
 *   and an addition.
 *
 *   A pipe's INSTRUCTIONS are all operations that the pipe executes. Each operation is in one of
 *   the pipe's classes. Simple integer operations are in the J pipe: ADD_SUB, LOGICAL_OPS (including
 *   moves and nops, which are an "or" on PowerPC), SHROTMK (shifts, rotates, extensions of sign or
 *   zero). The I pipe has comparisons and other instructions that only set flags or a carry, or use
 *   them; multiplication and division; branches; and everything that concerns the machine: system
 *   calls, traps and barriers (PROCESS_CONTROL), special registers (OTHER), TLBs. Loads, stores and
 *   floating point are in neither pipe.
 *
 *   DATA_LOADS and DATA_STORES are all loads and stores, including those of floating-point and vector
 *   registers. The loads and stores of floating-point and vector registers are counted a second time as the
 *   FPU's: as QUADWORD for 16 bytes at once, as OTHER for fewer.
 *
 *   An operation wider than two double words, the width of Blue Gene/P's FPU, counts as the number of
 *   two-wide operations that do the same work: w/2 for w lanes of floating point of any size, and bytes/16
 *   for loads, stores, and operations on vectors of integers (DUAL_PIPE_OTHER_NON_STORAGE_OPS), rounded up.
 *   Blue Gene/P has no two-wide division: w lanes are w of DIV_1.
 */
#ifndef UPCS_DECODE_H
#define UPCS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"
#include "decode/model.h"

enum {
	UPCS_INSN_CALL = 1,   /* a jump that stores the next instruction's address as return address */
	UPCS_INSN_RETURN = 2, /* a jump to a return address, by the machine's convention */
	UPCS_INSN_INDIRECT =
		4, /* a jump whose target is not in the instruction (including calls and returns) */
	UPCS_INSN_FAULTS = 8,   /* can raise a signal: accesses memory, divides or traps */
	UPCS_INSN_UNKNOWN = 16, /* unknown to the decoder: counted as IPIPE_OTHER and UNKNOWN */

	/*
	 * An x86 string instruction with a repeat prefix. QEMU begins it once for each iteration and, unless
	 * a comparison ends it, once more to find that no iteration is left. All tallies except INSTRUCTIONS
	 * are those of one iteration, which has DATA_LOADS + DATA_STORES memory accesses. If it is begun
	 * without an access to memory, that is no iteration.
	 */
	UPCS_INSN_REPEATS = 32,
	/* x86: changes memory atomically (lock). */
	UPCS_INSN_ATOMIC = 64,
};

struct upcs_insn {
	uint8_t tally[UPCS_STATIC];
	uint8_t flags;
};

struct upcs_decoder;

/* Create a decoder, which one thread at a time may use. Return NULL if memory is short or capstone was built
 * without the instruction set. */
struct upcs_decoder *upcs_decoder_create(enum upcs_guest guest);
void upcs_decoder_destroy(struct upcs_decoder *decoder);

/* Decode the instruction at address. bytes are in the order of the guest's memory. *insn is set for any
 * bytes. */
void upcs_decode(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
		 struct upcs_insn *insn);

/* Write the disassembled instruction that begins with these bytes to name, and return its length. Return 0
 * and "" if the disassembler does not know it, or the guest has no disassembler here. */
#define UPCS_INSN_NAME 48
size_t upcs_decode_name(struct upcs_decoder *decoder, uint64_t address, const void *bytes, size_t n,
			char name[UPCS_INSN_NAME]);

/* ---- for decode_*.c -------------------------------------------------------------- */

struct cs_insn;

/* Compute the key of an instruction of at most 15 bytes. Instructions with the same key and length have the
 * same tallies. */
#define UPCS_X86_KEY 16u
void upcs_x86_key(const uint8_t *bytes, size_t n, uint8_t key[UPCS_X86_KEY]);

/* True for a prefix that processors ignore if it has no meaning. */
bool upcs_x86_is_prefix(uint8_t byte);
/*
 * Decode an x86 instruction. At the call, *insn is zero except for INSTRUCTIONS, which is 1.
 * upcs_decode_x86_unknown decodes instructions that capstone does not know, from all of their bytes.
 * upcs_decode_x86 uses capstone's details in cs. Return false if the function does not know the instruction.
 */
bool upcs_decode_x86_unknown(const uint8_t *bytes, size_t n, struct upcs_insn *insn);
bool upcs_decode_x86(const struct cs_insn *cs, struct upcs_insn *insn);
/* Decode from the fields of the instruction's word (upcs_guest_word) of n bytes. capstone would not help: it
 * has no operands of PowerPC, and lacks some instructions of these sets. Rows of guests.def name these
 * functions. */
void upcs_decode_arm64(uint32_t word, size_t n, struct upcs_insn *insn);
void upcs_decode_ppc(uint32_t word, size_t n, struct upcs_insn *insn);
void upcs_decode_riscv(uint32_t word, size_t n, struct upcs_insn *insn);

/* Count an operation of the I pipe (upcs_put_i) or of the J pipe (upcs_put_j): add 1 to the pipe's
 * INSTRUCTIONS, and to the given tally if it is a different one. */
static inline void upcs_put_i(struct upcs_insn *insn, enum upcs_tally tally)
{
	insn->tally[UPCS_IPIPE_INSTRUCTIONS]++;
	if (tally != UPCS_IPIPE_INSTRUCTIONS)
		insn->tally[tally]++;
}

/* Count a word that is no instruction, or an instruction of an unsupported extension. */
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

/* Count a load or store of this number of bytes. fpu: of a floating-point or vector register. */
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
