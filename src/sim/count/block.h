/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block.h - a translated block in parts, of which each is counted when it begins, and the
 * kinds that parts are of. Pure: it sees what instructions tally, and no program.
 *
 * A part ends where the next has to be counted on its own:
 *   - a function that is a region begins in the middle of the block, or another one where they are
 *     counted one by one, or
 *   - blocks are counted exactly (the program handles faults), and the instruction before
 *     it can fault. An instruction is counted when it begins, so that is in the part that
 *     it ends; whether the next one begins is known when it has not faulted, or
 *   - an instruction that repeats itself follows, or has gone before (UPCS_INSN_REPEATS), or
 *   - one follows that QEMU may have begin twice: it leaves the block and executes it alone, in a
 *     block of its own, then the rest in another. It is therefore counted when the next begins.
 *     Such instructions are atomic ones that are not aligned, and, in blocks that are rewritten,
 *     those that store. Exact blocks are an exception: an instruction that may fault counts when
 *     it begins, and once too often when it begins twice.
 */
#ifndef UPCS_BLOCK_H
#define UPCS_BLOCK_H

#include "count/counts.h"
#include "decode/decode.h"

/* More than any translation has (QEMU's TCG_MAX_INSNS is 512). */
#define UPCS_BLOCK_MAX 1024u

struct upcs_part {
	uint32_t first; /* its first instruction in the block */
	uint32_t at;    /* the one that it is counted with: the first, or the one behind it */
	uint32_t kind;
	bool repeats;    /* kind is of one iteration, and is counted when that touches memory */
	uint16_t enters; /* bit per region: begins with its first instruction */
};

/* One instruction of a block. */
struct upcs_block_insn {
	struct upcs_insn insn;
	uint16_t enters;
	bool apart;        /* begins a part, whatever it is */
	uint32_t function; /* whose it is; another than before begins a part */
};

struct upcs_block {
	bool exact;
	bool rewritten; /* its instructions may store to its own page */
	uint32_t n;     /* instructions, given */
	struct upcs_block_insn insn[UPCS_BLOCK_MAX];
	uint32_t nothing; /* the kind that tallies nothing */
	uint32_t parts;   /* found; 0 where one of them could have no kind */
	struct upcs_part part[UPCS_BLOCK_MAX];
};

/* All kinds of a process, in its own memory; forked children inherit them. */
struct upcs_kinds;

/* NULL: no memory. */
struct upcs_kinds *upcs_kinds_create(void);
void upcs_kinds_destroy(struct upcs_kinds *kinds);
uint32_t upcs_kinds_all(const struct upcs_kinds *kinds, const struct upcs_kind **all);

/*
 * Splits the block, and finds or makes the kinds. New ones are given to counts first, which
 * may be NULL. When kinds run short, parts are of no function; false then. When they still do, parts
 * are single instructions.
 */
bool upcs_block_split(struct upcs_block *block, struct upcs_kinds *kinds, struct upcs_counts *counts);

#endif
