/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that the decoder does not know: the first few, of several processes, each once.
 */
#include "count/results.h"
#include "../unit_test.h"

static struct upcs_unknown what_of(uint8_t byte, uint8_t n, uint32_t guest)
{
	struct upcs_unknown what = {.state = UPCS_MAKING,
				    .code = {.address = 0x1000u + byte, .guest = guest, .n = n}};

	memset(what.code.bytes, byte, n);
	return what;
}

static void note(struct upcs_unknown *list, uint8_t byte, uint8_t n, uint32_t guest)
{
	const struct upcs_unknown what = what_of(byte, n, guest);

	upcs_unknown_note(list, &what);
}

static unsigned noted(const struct upcs_unknown *list)
{
	unsigned n = 0;

	for (unsigned i = 0; i < UPCS_CODES_MAX; i++)
		n += list[i].state == UPCS_ENDED;
	return n;
}

TEST(test_first)
{
	struct upcs_unknown list[UPCS_CODES_MAX] = {0};

	note(list, 7, 3, UPCS_X86_64);
	note(list, 7, 3, UPCS_X86_64); /* the same one */
	assert_int_equal(noted(list), 1);
	note(list, 7, 4, UPCS_X86_64);
	note(list, 7, 4, UPCS_PPC);
	assert_int_equal(noted(list), 3);
	assert_int_equal(list[0].code.address, 0x1007);
	assert_int_equal(list[0].code.n, 3);
	assert_int_equal(list[2].code.guest, UPCS_PPC);
	for (uint8_t i = 0; i < 100; i++)
		note(list, i, 15, UPCS_X86_64);
	assert_int_equal(noted(list), UPCS_CODES_MAX);
	assert_int_equal(list[UPCS_CODES_MAX - 1].code.bytes[14], UPCS_CODES_MAX - 4);
	/* They differ in their last byte alone. */
	list[1].code = list[0].code;
	list[1].code.bytes[2] ^= 1;
	assert_false(upcs_unknown_is_same(&list[0].code, &list[1].code));
	/* Whatever lies there. */
	list[0].code.n = list[1].code.n = 255;
	assert_false(upcs_unknown_is_same(&list[0].code, &list[1].code));
}

/* No place is given twice, and none is left half written. */
TEST(test_processes)
{
	struct upcs_unknown *list =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	assert_true((void *)list != MAP_FAILED);
	for (uint8_t k = 0; k < 8; k++)
		if (fork() == 0) {
			note(list, k, 5, UPCS_AARCH64);
			_exit(0);
		}
	while (wait(&status) > 0)
		assert_int_equal(status, 0);
	assert_int_equal(noted(list), 8);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < i; k++)
			assert_false(upcs_unknown_is_same(&list[i].code, &list[k].code));
	munmap(list, 4096);
}

UNIT_TESTS(sim_unknown, NULL, NULL)
