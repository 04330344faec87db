/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * block.c - parts of blocks, and the table of kinds.
 *
 * Terms: count/thread.h.
 */
#include "count/block.h"

#include <string.h>
#include <sys/mman.h>

#define SLOTS (2 * UPCS_KINDS_MAX) /* half of the slots stay free */
#define NO_KIND UINT32_MAX

struct upcs_kinds {
	uint32_t n;
	uint32_t slot[SLOTS]; /* index of a kind plus 1, or 0 */
	struct upcs_kind kind[UPCS_KINDS_MAX];
};

struct upcs_kinds *upcs_kinds_create(void)
{
	/* 18 MB of address space, of which few pages are ever touched. */
	void *p = mmap(NULL, sizeof(struct upcs_kinds), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void upcs_kinds_destroy(struct upcs_kinds *kinds)
{
	munmap(kinds, sizeof(*kinds));
}

uint32_t upcs_kinds_all(const struct upcs_kinds *kinds, const struct upcs_kind **all)
{
	*all = kinds->kind;
	return kinds->n;
}

static uint32_t hash_kind(const struct upcs_kind *kind)
{
	uint64_t h = 0;
	unsigned i;

	for (i = 0; i < UPCS_STATIC; i++)
		h = (h ^ kind->tally[i]) * 0x9e3779b97f4a7c15u;
	h = (h ^ kind->function) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static uint32_t kind_of(struct upcs_kinds *kinds, struct upcs_counts *counts, const struct upcs_kind *kind,
			uint32_t limit)
{
	uint32_t at = hash_kind(kind) % SLOTS;

	for (; kinds->slot[at]; at = (at + 1) % SLOTS)
		if (memcmp(&kinds->kind[kinds->slot[at] - 1], kind, sizeof(*kind)) == 0)
			return kinds->slot[at] - 1;
	if (kinds->n >= limit || (counts && !upcs_counts_add_kind(counts, kind)))
		return NO_KIND;
	kinds->kind[kinds->n] = *kind;
	kinds->slot[at] = ++kinds->n;
	return kinds->n - 1;
}

static bool is_plain_insn(const struct upcs_block_insn *insn)
{
	return !insn->enters && !insn->apart && !(insn->insn.flags & UPCS_INSN_REPEATS);
}

/* True if the instruction is counted when the next one begins. The last instruction of a block has no next
 * one; the blocks that QEMU executes alone have a single instruction. */
static bool is_late_insn(const struct upcs_block *block, uint32_t i)
{
	const struct upcs_block_insn *insn = &block->insn[i];

	if (block->exact || i + 1 >= block->n || !is_plain_insn(insn) || !is_plain_insn(insn + 1))
		return false;
	return insn->insn.flags & UPCS_INSN_ATOMIC ||
	       (block->rewritten && insn->insn.tally[UPCS_DATA_STORES]);
}

static bool ends_part(const struct upcs_block *block, uint32_t i)
{
	return i + 1 == block->n || is_late_insn(block, i + 1) || block->insn[i + 1].enters ||
	       block->insn[i + 1].apart || block->insn[i].function != block->insn[i + 1].function ||
	       (block->insn[i].insn.flags | block->insn[i + 1].insn.flags) & UPCS_INSN_REPEATS ||
	       (block->exact && block->insn[i].insn.flags & UPCS_INSN_FAULTS);
}

/* Limits of splitting. */
struct limits {
	uint32_t kinds;
	bool singly;
};

static bool split_block(struct upcs_block *block, struct upcs_kinds *kinds, struct upcs_counts *counts,
			const struct limits *limits)
{
	struct upcs_kind kind = {.function = 0};
	uint32_t i, first = 0;
	unsigned t;

	block->parts = 0;
	for (i = 0; i < block->n; i++) {
		struct upcs_part *part = &block->part[block->parts];

		for (t = 0; t < UPCS_STATIC; t++)
			kind.tally[t] += block->insn[i].insn.tally[t];
		if (!limits->singly && !ends_part(block, i))
			continue;
		part->first = first;
		part->at = is_late_insn(block, first) ? first + 1 : first;
		part->enters = block->insn[first].enters;
		part->repeats = (block->insn[first].insn.flags & UPCS_INSN_REPEATS) != 0;
		kind.function = block->insn[first].function;
		part->kind = kind_of(kinds, counts, &kind, limits->kinds);
		if (part->kind == NO_KIND)
			return false;
		block->parts++;
		first = i + 1;
		memset(&kind, 0, sizeof(kind));
	}
	return true;
}

static bool forget_functions(struct upcs_block *block)
{
	bool any = false;
	uint32_t i;

	for (i = 0; i < block->n; i++) {
		any |= block->insn[i].function != 0;
		block->insn[i].function = 0;
	}
	return any;
}

bool upcs_block_split(struct upcs_block *block, struct upcs_kinds *kinds, struct upcs_counts *counts)
{
	static const struct upcs_kind nothing;
	const struct limits named = {UPCS_KINDS_NAMED, false},
			    whole = {UPCS_KINDS_MAX - UPCS_KINDS_SINGLE, false},
			    singly = {UPCS_KINDS_MAX, true};
	bool forgot;

	block->nothing = kind_of(kinds, counts, &nothing, UPCS_KINDS_MAX);
	if (split_block(block, kinds, counts, &named))
		return true;
	forgot = forget_functions(block);
	if (!split_block(block, kinds, counts, &whole) && !split_block(block, kinds, counts, &singly))
		block->parts = 0;
	return !forgot;
}
