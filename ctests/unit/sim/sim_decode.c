/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_decode - the border to capstone: any bytes give tallies, and the same ones always.
 */
#include "../unit_test.h"

#include "decode/decode.h"

TEST(test_create)
{
	unsigned guest;

	for (guest = 0; guest < UPCS_GUESTS; guest++) {
		struct upcs_decoder *decoder = upcs_decoder_create((enum upcs_guest)guest);

		assert_non_null(decoder);
		upcs_decoder_destroy(decoder);
	}
	assert_null(upcs_decoder_create(UPCS_GUESTS));
	upcs_decoder_destroy(NULL);
}

static void assert_unknown(struct upcs_decoder *decoder, const char *bytes, size_t n)
{
	struct upcs_insn insn, expected = {.flags = UPCS_INSN_UNKNOWN | UPCS_INSN_FAULTS};

	expected.tally[UPCS_INSTRUCTIONS] = 1;
	expected.tally[UPCS_IPIPE_INSTRUCTIONS] = 1;
	expected.tally[UPCS_IPIPE_OTHER] = 1;
	expected.tally[UPCS_UNKNOWN] = 1;
	memset(&insn, 0xa5, sizeof(insn));
	upcs_decode(decoder, 0, bytes, n, &insn);
	assert_memory_equal(&insn, &expected, sizeof(insn));
}

TEST(test_unknown_bytes)
{
	struct upcs_decoder *decoder = upcs_decoder_create(UPCS_X86_64);

	assert_non_null(decoder);
	assert_unknown(decoder, "", 0);
	assert_unknown(decoder, "\x06", 1);             /* not in 64 bits */
	assert_unknown(decoder, "\x48\x89", 2);         /* cut */
	assert_unknown(decoder, "\x90\x90", 2);         /* two instructions */
	assert_unknown(decoder, "\x66\x66\x66", 3);     /* prefixes alone */
	assert_unknown(decoder, "\xc4\xe2\x7d\x5a", 4); /* a cut vbroadcasti128 */
	assert_unknown(decoder, "\x0f\x1f", 2);
	upcs_decoder_destroy(decoder);
}

/* Where all instructions are words: bytes of any other number. */
TEST(test_cut_words)
{
	const enum upcs_guest guests[] = {UPCS_AARCH64, UPCS_PPC};
	unsigned i;

	for (i = 0; i < 2; i++) {
		struct upcs_decoder *decoder = upcs_decoder_create(guests[i]);

		assert_non_null(decoder);
		assert_unknown(decoder, "", 0);
		assert_unknown(decoder, "\x60\x00", 2);
		assert_unknown(decoder, "\x60\x00\x00\x00\x60", 5);
		upcs_decoder_destroy(decoder);
	}
}

/* Bytes that the key leaves out may be any others. */
TEST(test_keys)
{
	struct upcs_decoder *one = upcs_decoder_create(UPCS_X86_64),
			    *other = upcs_decoder_create(UPCS_X86_64);
	uint64_t random = 1;
	unsigned i, different = 0;
	size_t n, k;

	for (i = 0; i < 400000; i++) {
		uint8_t bytes[15], changed[15], key[UPCS_X86_KEY];
		struct upcs_insn insn, same;

		for (k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(random_next(&random) >> 20);
		if (i % 4 == 0)
			bytes[0] = 0x0f;
		else if (i % 4 == 1)
			bytes[0] = 0x48;
		/* The length that makes it one instruction, if there is one. */
		for (n = 1; n <= sizeof(bytes); n++) {
			upcs_decode(one, 0, bytes, n, &insn);
			if (!(insn.flags & UPCS_INSN_UNKNOWN))
				break;
		}
		if (n > sizeof(bytes))
			continue;
		upcs_x86_key(bytes, n, key);
		for (k = 0; k < n; k++)
			changed[k] = key[k] == bytes[k] ? bytes[k] : (uint8_t)(random_next(&random) >> 20);
		different += memcmp(bytes, changed, n) != 0;
		upcs_decode(other, 0, changed, n, &same);
		assert_memory_equal(&insn, &same, sizeof(insn));
	}
	assert_true(different > 50000);
	upcs_decoder_destroy(one);
	upcs_decoder_destroy(other);
}

static unsigned sum_of(const uint8_t *tally, enum upcs_tally first, enum upcs_tally last)
{
	unsigned sum = 0, k;

	for (k = first; k <= last; k++)
		sum += tally[k];
	return sum;
}

/* Whatever the bytes: an instruction is counted, parts are not more than the whole, and
 * neither the decoder's past nor the bytes behind them change what they are. */
TEST(test_random_bytes)
{
	uint64_t seed = 1, word[2];
	unsigned guest, i;

	for (guest = 0; guest < UPCS_GUESTS; guest++) {
		struct upcs_decoder *one = upcs_decoder_create((enum upcs_guest)guest);
		struct upcs_decoder *other = upcs_decoder_create((enum upcs_guest)guest);

		assert_non_null(one);
		assert_non_null(other);
		for (i = 0; i < 30000; i++) {
			struct upcs_insn insn, again;
			unsigned unit = upcs_guests[guest].unit;
			/* x86: 15 bytes at most; others 4, or 2 where there are such. */
			uint8_t *exact, n = (uint8_t)(unit == 1 ? 1 + i % 15 : unit + i % 2 * (4 - unit));
			const uint8_t *t = insn.tally;

			word[0] = random_next(&seed);
			word[1] = random_next(&seed);
			exact = malloc(n); /* the sanitizer sees a byte too many */
			assert_non_null(exact);
			memcpy(exact, word, n);
			upcs_decode(one, 0x1000, exact, n, &insn);
			free(exact);
			if (i % 3 == 0) /* has another past */
				continue;
			upcs_decode(other, 0x1000, word, n, &again);
			assert_memory_equal(&insn, &again, sizeof(insn));
			assert_int_equal(t[UPCS_INSTRUCTIONS], 1);
			/* A pipe's total is its classes (doc/reference/CLASSES.md). */
			assert_int_equal(sum_of(t, UPCS_JPIPE_ADD_SUB, UPCS_JPIPE_SHROTMK),
					 t[UPCS_JPIPE_INSTRUCTIONS]);
			assert_int_equal(sum_of(t, UPCS_IPIPE_MULT_DIV, UPCS_IPIPE_OTHER),
					 t[UPCS_IPIPE_INSTRUCTIONS]);
			assert_true(t[UPCS_FPU_QUADWORD_LOADS] + t[UPCS_FPU_OTHER_LOADS] <=
				    t[UPCS_DATA_LOADS]);
			assert_true(t[UPCS_FPU_QUADWORD_STORES] + t[UPCS_FPU_OTHER_STORES] <=
				    t[UPCS_DATA_STORES]);
			if (t[UPCS_DATA_LOADS] || t[UPCS_DATA_STORES])
				assert_true(insn.flags & UPCS_INSN_FAULTS);
		}
		upcs_decoder_destroy(one);
		upcs_decoder_destroy(other);
	}
}

/* More instructions than are kept, each again and again, in other orders and places: bytes that begin
 * as others do, and are fewer or more. */
TEST(test_kept)
{
	enum { N = 20000 };
	struct upcs_decoder *up = upcs_decoder_create(UPCS_X86_64), *down = upcs_decoder_create(UPCS_X86_64);
	struct upcs_insn *insn = malloc(N * sizeof(*insn)), again;
	uint8_t bytes[8] = {0x48, 0x8b, 0x80}; /* mov of memory at %rax, displaced, into %rax */
	uint32_t i, k;

	assert_non_null(up);
	assert_non_null(down);
	assert_non_null(insn);
	for (k = 0; k < 2; k++)
		for (i = 0; i < N; i++) {
			bytes[1] = i % 3 ? 0x8b : 0x89; /* or a store */
			memcpy(bytes + 3, &i, sizeof(i));
			upcs_decode(up, i, bytes, 7 + (i % 5 == 0), &again);
			if (k)
				assert_memory_equal(&insn[i], &again, sizeof(again));
			insn[i] = again;
			assert_int_equal(again.flags & UPCS_INSN_UNKNOWN, i % 5 ? 0 : UPCS_INSN_UNKNOWN);
			if (i % 5)
				assert_int_equal(again.tally[UPCS_DATA_STORES], i % 3 == 0);
		}
	for (i = N; i-- > 0;) {
		bytes[1] = i % 3 ? 0x8b : 0x89;
		memcpy(bytes + 3, &i, sizeof(i));
		upcs_decode(down, 0x1000, bytes, 7 + (i % 5 == 0), &again);
		assert_memory_equal(&insn[i], &again, sizeof(again));
	}
	free(insn);
	upcs_decoder_destroy(up);
	upcs_decoder_destroy(down);
}

UNIT_TESTS(sim_decode, NULL, NULL)
