/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_decode_words.h - the parts that the tests of the decoders of instruction words share: rows of
 * a word, its text, and its counts, in words; and the rules for any word.
 *
 * The counts of a row: "j.add i.branch load*2 call", say. j. and i. are operations of these
 * pipes, f. and q. loads and stores of the FPU below 16 bytes and of 16, add1 and add2
 * floating point on one and on two numbers. Instructions that load, store or are unknown
 * can end in a signal; rows of others that can say "faults".
 */
#ifndef SIM_DECODE_WORDS_H
#define SIM_DECODE_WORDS_H

#include "decode/decode.h"
#include "../unit_test.h"

struct row {
	uint32_t word;
	const char *text, *counts;
};

typedef void decode_fn(uint32_t word, size_t n, struct upcs_insn *insn);

#define NONE UPCS_STATIC

static const struct {
	const char *name;
	uint8_t tally[4], flags;
} row_words[] = {
	{"j.add", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_ADD_SUB, NONE}, 0},
	{"j.logic", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_LOGICAL_OPS, NONE}, 0},
	{"j.shift", {UPCS_JPIPE_INSTRUCTIONS, UPCS_JPIPE_SHROTMK, NONE}, 0},
	{"i.mul", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_MULT_DIV, NONE}, 0},
	{"i.add", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_ADD_SUB, NONE}, 0},
	{"i.logic", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_LOGICAL_OPS, NONE}, 0},
	{"i.shift", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_SHROTMK, NONE}, 0},
	{"i.branch", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_BRANCHES, NONE}, 0},
	{"i.tlb", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_TLB_OPS, NONE}, 0},
	{"i.process", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_PROCESS_CONTROL, NONE}, 0},
	{"i.other", {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_OTHER, NONE}, 0},
	{"load", {UPCS_DATA_LOADS, NONE}, UPCS_INSN_FAULTS},
	{"store", {UPCS_DATA_STORES, NONE}, UPCS_INSN_FAULTS},
	{"f.load", {UPCS_DATA_LOADS, UPCS_FPU_OTHER_LOADS, NONE}, UPCS_INSN_FAULTS},
	{"f.store", {UPCS_DATA_STORES, UPCS_FPU_OTHER_STORES, NONE}, UPCS_INSN_FAULTS},
	{"q.load", {UPCS_DATA_LOADS, UPCS_FPU_QUADWORD_LOADS, NONE}, UPCS_INSN_FAULTS},
	{"q.store", {UPCS_DATA_STORES, UPCS_FPU_QUADWORD_STORES, NONE}, UPCS_INSN_FAULTS},
	{"dcache", {UPCS_DCACHE_OPS, NONE}, 0},
	{"add1", {UPCS_FPU_ADD_SUB_1, NONE}, 0},
	{"mul1", {UPCS_FPU_MULT_1, NONE}, 0},
	{"fma2", {UPCS_FPU_FMA_2, NONE}, 0},
	{"div1", {UPCS_FPU_DIV_1, NONE}, 0},
	{"other1", {UPCS_FPU_OTHER_NON_STORAGE_OPS, NONE}, 0},
	{"add2", {UPCS_FPU_ADD_SUB_2, NONE}, 0},
	{"mul2", {UPCS_FPU_MULT_2, NONE}, 0},
	{"fma4", {UPCS_FPU_FMA_4, NONE}, 0},
	{"other2", {UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS, NONE}, 0},
	{"call", {NONE}, UPCS_INSN_CALL},
	{"return", {NONE}, UPCS_INSN_RETURN},
	{"indirect", {NONE}, UPCS_INSN_INDIRECT},
	{"faults", {NONE}, UPCS_INSN_FAULTS},
	{"unknown",
	 {UPCS_IPIPE_INSTRUCTIONS, UPCS_IPIPE_OTHER, UPCS_UNKNOWN, NONE},
	 UPCS_INSN_UNKNOWN | UPCS_INSN_FAULTS},
};

/* One word of a row, which may end in *N. */
static void row_add(struct upcs_insn *insn, char *word)
{
	char *star = strchr(word, '*');
	unsigned n = 1, i, k;

	if (star) {
		*star = '\0';
		n = (unsigned)atoi(star + 1);
	}
	for (i = 0; i < sizeof(row_words) / sizeof(row_words[0]); i++) {
		if (strcmp(row_words[i].name, word))
			continue;
		for (k = 0; row_words[i].tally[k] != NONE; k++)
			insn->tally[row_words[i].tally[k]] += n;
		insn->flags |= row_words[i].flags;
		return;
	}
	fail_msg("no word of a row: %s", word);
}

/* All words of a row. */
static void row_parse(struct upcs_insn *insn, const char *text)
{
	char counts[128], *save, *word;

	snprintf(counts, sizeof(counts), "%s", text);
	for (word = strtok_r(counts, " ", &save); word; word = strtok_r(NULL, " ", &save))
		row_add(insn, word);
}

/* For an assembler (ctests/sim/sim_assembled.sh): the bytes as they are in memory, and the text. */
static inline void print_rows(const struct row *rows, size_t n, bool big_endian)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t word = big_endian ? rows[i].word : __builtin_bswap32(rows[i].word);

		printf("%08x %s\n", word, rows[i].text);
	}
}

static void check_rows(const struct row *rows, size_t n, decode_fn *decode)
{
	size_t i;

	for (i = 0; i < n; i++) {
		struct upcs_insn expected = {.tally[UPCS_INSTRUCTIONS] = 1}, insn = expected;
		unsigned k;

		row_parse(&expected, rows[i].counts);
		decode(rows[i].word, 4, &insn);
		for (k = 0; k < UPCS_STATIC; k++)
			if (insn.tally[k] != expected.tally[k])
				fail_msg("%s is \"%s\", but tally %u is %u", rows[i].text, rows[i].counts, k,
					 insn.tally[k]);
		if (insn.flags != expected.flags)
			fail_msg("%s is \"%s\", but its flags are %#x", rows[i].text, rows[i].counts,
				 insn.flags);
	}
}

static unsigned sum(const struct upcs_insn *insn, unsigned first, unsigned last)
{
	unsigned n = 0;

	while (first <= last)
		n += insn->tally[first++];
	return n;
}

/* Checks the rules that hold for any word, an instruction or not. */
static void check_word(uint32_t word, decode_fn *decode)
{
	struct upcs_insn insn = {.tally[UPCS_INSTRUCTIONS] = 1}, again = insn;
	const uint8_t *t = insn.tally;
	unsigned storage, all;

	decode(word, 4, &insn);
	decode(word, 4, &again);
	assert_memory_equal(&insn, &again, sizeof(insn));
	assert_int_equal(t[UPCS_INSTRUCTIONS], 1);

	/* Parts make up the whole. */
	assert_int_equal(sum(&insn, UPCS_JPIPE_ADD_SUB, UPCS_JPIPE_SHROTMK), t[UPCS_JPIPE_INSTRUCTIONS]);
	assert_int_equal(sum(&insn, UPCS_IPIPE_MULT_DIV, UPCS_IPIPE_OTHER), t[UPCS_IPIPE_INSTRUCTIONS]);
	assert_true(t[UPCS_FPU_QUADWORD_LOADS] + t[UPCS_FPU_OTHER_LOADS] <= t[UPCS_DATA_LOADS]);
	assert_true(t[UPCS_FPU_QUADWORD_STORES] + t[UPCS_FPU_OTHER_STORES] <= t[UPCS_DATA_STORES]);

	storage = t[UPCS_DATA_LOADS] + t[UPCS_DATA_STORES];
	assert_true(storage <= 32);
	if (storage)
		assert_true(insn.flags & UPCS_INSN_FAULTS);

	/* Nothing is dropped, and only branches are calls or returns. */
	all = t[UPCS_JPIPE_INSTRUCTIONS] + t[UPCS_IPIPE_INSTRUCTIONS] + storage + t[UPCS_DCACHE_OPS] +
	      sum(&insn, UPCS_FPU_ADD_SUB_1, UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS);
	assert_in_range(all, 1, 32);
	if (insn.flags & (UPCS_INSN_CALL | UPCS_INSN_RETURN | UPCS_INSN_INDIRECT))
		assert_int_equal(t[UPCS_IPIPE_BRANCHES], 1);
	if (insn.flags & UPCS_INSN_UNKNOWN) {
		assert_int_equal(all, 1);
		assert_int_equal(t[UPCS_IPIPE_OTHER], 1);
	}
	assert_int_equal(t[UPCS_UNKNOWN], (insn.flags & UPCS_INSN_UNKNOWN) != 0);
}

static void check_any_word(decode_fn *decode)
{
	uint64_t random = 6;
	unsigned i;

	/* Every combination of the high half, in which opcodes are, with a few low halves. */
	for (i = 0; i < 0x10000; i++) {
		check_word(i << 16, decode);
		check_word(i << 16 | 0xffff, decode);
		check_word(i << 16 | (uint32_t)(random_next(&random) & 0xffff), decode);
	}
	for (i = 0; i < 300000; i++)
		check_word((uint32_t)random_next(&random), decode);
}

#endif
