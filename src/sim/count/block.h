/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block.h - splits a translated block into parts, each counted when it begins, and finds the kind of each
 * part. The code works on the tallies of instructions alone, and needs no running program.
 *
 * A part ends where the following instruction must be counted separately:
 *   - A region's function begins in the middle of the block, or another function begins while
 *     functions are counted one by one.
 *   - Blocks are counted exactly (the program handles faults), and the instruction before can fault.
 *     An instruction is counted when it begins, so a faulting instruction belongs to the part that it
 *     ends. Only if it does not fault does the next instruction begin.
 *   - The instruction before or after repeats itself (UPCS_INSN_REPEATS).
 *   - QEMU may begin the following instruction twice: QEMU leaves the block, executes that instruction
 *     alone in a block, and then the rest in another block. The instruction is therefore counted
 *     when the next one begins. Unaligned atomic instructions are of this sort, and so are stores in
 *     blocks that are rewritten. Exact blocks are an exception: an instruction that may fault counts
 *     when it begins, and once too often if it begins twice.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_BLOCK_H
#define UPCS_BLOCK_H

#include "count/counts.h"
#include "decode/decode.h"

/* More than any translation block has (QEMU's TCG_MAX_INSNS is 512). */
#define UPCS_BLOCK_MAX 1024u

struct upcs_part {
	uint32_t first; /* index of the part's first instruction in the block */
	uint32_t at; /* index of the instruction at whose beginning the part is counted: first or first + 1 */
	uint32_t kind;
	bool repeats;    /* kind holds one iteration, counted when the iteration touches memory */
	uint16_t enters; /* bit per region that begins with the part's first instruction */
};

struct upcs_block_insn {
	struct upcs_insn insn;
	uint16_t enters;
	bool apart;        /* always begins a part */
	uint32_t function; /* number of its function; a change of functions begins a part */
};

struct upcs_block {
	bool exact;
	bool rewritten; /* the block's instructions may store to the block's own page */
	uint32_t n;     /* number of instructions, set by the caller */
	struct upcs_block_insn insn[UPCS_BLOCK_MAX];
	uint32_t nothing; /* index of the kind that tallies nothing */
	uint32_t parts;   /* number of parts found; 0 if the kinds did not suffice */
	struct upcs_part part[UPCS_BLOCK_MAX];
};

/* All kinds of a process, in private memory that forked children inherit. */
struct upcs_kinds;

/* Return the table, or NULL if memory is short. */
struct upcs_kinds *upcs_kinds_create(void);
void upcs_kinds_destroy(struct upcs_kinds *kinds);
uint32_t upcs_kinds_all(const struct upcs_kinds *kinds, const struct upcs_kind **all);

/*
 * Split the block, and find or make the parts' kinds. A new kind is added first to counts, unless counts is
 * NULL, and then to kinds. If kinds run short, parts lose their function and the result is false. If kinds
 * still run short, parts are single instructions.
 */
bool upcs_block_split(struct upcs_block *block, struct upcs_kinds *kinds, struct upcs_counts *counts);

#endif
