/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of guests: what holds for each row, and what is looked up.
 */
#include <elf.h>

#include "decode/guest.h"
#include "../unit_test.h"

/* Fields whose absence no other test would find. */
TEST(test_rows)
{
	for (unsigned g = 0; g < UPCS_GUESTS; g++) {
		const struct upcs_guest_info *info = &upcs_guests[g];
		unsigned i, seen = 0;

		assert_string_equal(upcs_guest_name(g), info->name);
		assert_int_equal(upcs_guest_of_target(info->target), g);
		assert_int_equal(upcs_guest_of_elf(info->machine, info->wide, info->big), g);
		assert_non_null(strstr(info->triplet, "-linux-gnu"));
		assert_true(info->chosen && info->named[0]);
		assert_true(info->unit == 1 || info->unit == 2 || info->unit == 4);
		/* A system call's number stands once. Behind the last is an end. */
		for (i = 0; info->call[i].call; i++) {
			assert_true(i + 1 < sizeof(info->call) / sizeof(info->call[0]));
			assert_int_equal(upcs_guest_call((enum upcs_guest)g, info->call[i].number),
					 info->call[i].call);
			seen |= 1u << info->call[i].call;
		}
		/* Each has all of them but signal. */
		assert_int_equal(seen | 1u << UPCS_CALL_SIGNAL, (2u << UPCS_CALL_END) - 2);
		assert_true(info->system_call.mask);
		for (i = 0; info->trap[i].mask; i++)
			assert_int_equal(info->trap[i].value & ~info->trap[i].mask, 0);
		assert_in_range(i, 1, sizeof(info->trap) / sizeof(info->trap[0]) - 1);
		for (i = 0; info->instead[i].bits.mask; i++)
			assert_true(i + 1 < sizeof(info->instead) / sizeof(info->instead[0]));
		assert_non_null(info->instead[i].text);
	}
	assert_string_equal(upcs_guest_name(UPCS_GUESTS), "unknown");
}

TEST(test_lists)
{
	char list[UPCS_GUEST_LIST];

	upcs_guest_list(list, false, " or ");
	assert_string_equal(list, "x86-64, AArch64, 32-bit PowerPC or 64-bit RISC-V");
	upcs_guest_list(list, true, " and ");
	assert_string_equal(list, "x86_64, aarch64, ppc and riscv64");
}

TEST(test_found)
{
	assert_int_equal(upcs_guest_of_target("ppc64"), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_target(""), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_elf(EM_X86_64, true, false), UPCS_X86_64);
	assert_int_equal(upcs_guest_of_elf(EM_X86_64, false, false), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_elf(EM_AARCH64, true, true), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_elf(EM_PPC, false, true), UPCS_PPC);
	assert_int_equal(upcs_guest_of_elf(EM_PPC, false, false), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_elf(EM_RISCV, true, false), UPCS_RISCV64);
	assert_int_equal(upcs_guest_of_elf(EM_RISCV, false, false), UPCS_GUESTS);
	assert_int_equal(upcs_guest_of_elf(EM_RISCV, true, true), UPCS_GUESTS);
}

/* The machine that the test runs on is one of them, or none. */
TEST(test_native)
{
#if defined(__x86_64__)
	assert_true(upcs_guest_is_native(UPCS_X86_64));
#else
	assert_false(upcs_guest_is_native(UPCS_X86_64));
#endif
#if defined(__aarch64__)
	assert_true(upcs_guest_is_native(UPCS_AARCH64));
#else
	assert_false(upcs_guest_is_native(UPCS_AARCH64));
#endif
	assert_false(upcs_guest_is_native(UPCS_PPC));
}

TEST(test_calls)
{
	assert_int_equal(upcs_guest_call(UPCS_X86_64, 59), UPCS_CALL_EXECVE);
	assert_int_equal(upcs_guest_call(UPCS_AARCH64, 281), UPCS_CALL_EXECVEAT);
	assert_int_equal(upcs_guest_call(UPCS_PPC, 173), UPCS_CALL_ACTION);
	assert_int_equal(upcs_guest_call(UPCS_PPC, 59), UPCS_CALL_OTHER);
	assert_int_equal(upcs_guest_call(UPCS_X86_64, 9), UPCS_CALL_MMAP);
	assert_int_equal(upcs_guest_call(UPCS_PPC, 192), UPCS_CALL_MMAP);
	assert_int_equal(upcs_guest_call(UPCS_X86_64, 11), UPCS_CALL_MAP);
	assert_int_equal(upcs_guest_call(UPCS_X86_64, 10), UPCS_CALL_OTHER);
	assert_int_equal(upcs_guest_call(UPCS_AARCH64, 196), UPCS_CALL_SHARE);
	assert_int_equal(upcs_guest_call(UPCS_PPC, 117), UPCS_CALL_SHARE);
	assert_int_equal(upcs_guest_call(UPCS_X86_64, 59 + 65536), UPCS_CALL_OTHER);
	assert_int_equal(upcs_guest_call(UPCS_RISCV64, 221), UPCS_CALL_EXECVE);
	assert_int_equal(upcs_guest_call(UPCS_X86_64, -1), UPCS_CALL_OTHER);
}

TEST(test_words)
{
	const struct upcs_insn_bits bits = {0xffe0001f, 0xd4000001};

	assert_int_equal(upcs_guest_word(UPCS_X86_64, "\x0f\x05\x90\xcc", 4), 0x0f0590cc);
	assert_int_equal(upcs_guest_word(UPCS_AARCH64, "\x01\x02\x03\x04", 4), 0x04030201);
	assert_int_equal(upcs_guest_word(UPCS_PPC, "\x01\x02\x03\x04", 4), 0x01020304);
	assert_int_equal(upcs_guest_word(UPCS_AARCH64, "\x01\x02", 2), 0x0201);
	assert_int_equal(upcs_guest_word(UPCS_PPC, "\x01\x02", 2), 0x0102);
	assert_int_equal(upcs_guest_word(UPCS_RISCV64, "\x01\x02", 2), 0x0201);
	assert_false(upcs_insn_has(0xd4001222, &bits));
	assert_true(upcs_insn_has(0xd4001e01, &bits));
}

UNIT_TESTS(sim_guest, NULL, NULL)
