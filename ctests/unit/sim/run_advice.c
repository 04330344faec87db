/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advice in a report: which there is, and when there is none.
 */
#include "../../../utils/run/run_advice.h"

#include <signal.h>

#include "run_results.h"
#include "../unit_test.h"

static char told[4096];
static struct run_options options;
static struct run_report report;
static struct run_gathered gathered;

static int set_up(void **state)
{
	if (run_results_set_up(state))
		return -1;
	options = (struct run_options){.form = RUN_TEXT};
	report = (struct run_report){.options = &options, .results = results, .gathered = &gathered};
	run_results_process(0, UPCS_X86_64);
	run_results_thread(0, 0);
	return 0;
}

static void take_note(void *to, const char *text)
{
	(void)to;
	strcat(told, text);
	strcat(told, "\n");
}

static void expect(const char *expected)
{
	told[0] = '\0';
	run_results_take(&report.counts);
	run_advice(&report, take_note, NULL);
	assert_string_equal(told, expected);
}

static void code(unsigned i, uint32_t guest, const char *bytes, uint8_t n, const char *name)
{
	struct upcs_unknown *unknown = &results->unknown[i];

	unknown->state = UPCS_ENDED;
	unknown->code = (struct upcs_code){.address = 0x401000 + i, .guest = guest, .n = n};
	memcpy(unknown->code.bytes, bytes, n);
	strcpy(unknown->name, name);
	strcpy(unknown->program, "solver");
}

TEST_WITH(test_unknown, set_up, run_results_tear_down)
{
	/* Translated and not executed. */
	code(0, UPCS_X86_64, "\x62\xf1\x7c\x48\x58\xc1", 6, "vaddps zmm0, zmm0, zmm1");
	expect("");
	results->thread[0].tally[0][UPCS_UNKNOWN] = 1;
	expect("1 time an instruction was executed that the decoder does not know, each time one of INSTRUCTIONS, "
	       "IPIPE_OTHER and UNKNOWN: 62 f1 7c 48 58 c1 (vaddps zmm0, zmm0, zmm1) at 0x401000 of solver\n");
	code(1, UPCS_X86_64, "\x62\xf1\x7c\x48\x58\xc1", 6, ""); /* by another process at the same time */
	code(2, UPCS_PPC, "\xfc\x40\x40\x8e", 4, "");
	code(3, UPCS_AARCH64, "\x01\x02\x03\x04", 4, "");
	code(4, UPCS_X86_64, "\x06", 1, "");
	results->unknown[2].state = UPCS_MAKING;
	results->thread[0].tally[0][UPCS_UNKNOWN] = 1234;
	expect("1,234 times an instruction was executed that the decoder does not know, each time one of INSTRUCTIONS, "
	       "IPIPE_OTHER and UNKNOWN: 62 f1 7c 48 58 c1 (vaddps zmm0, zmm0, zmm1) at 0x401000 of solver, "
	       "0x04030201 at 0x401003 of solver, 06 at 0x401004 of solver\n");
	assert_ptr_equal(run_unknown(results, 2), &results->unknown[4]);
	assert_null(run_unknown(results, 3));
	results->unknown[2].state = UPCS_ENDED;
	told[0] = '\0';
	run_code_text(&run_unknown(results, 1)->code, told);
	assert_string_equal(told, "0xfc40408e");
}

static void last(uint32_t guest, const char *bytes, uint8_t n)
{
	struct upcs_code *code = &gathered.own.last;

	gathered.own.died = 1;
	*code = (struct upcs_code){.address = 0x10000500, .guest = guest, .n = n};
	memcpy(code->bytes, bytes, n);
}

#define ENDED(bytes)                                                                   \
	"the emulator does not have the instruction that ended it, most likely " bytes \
	" at 0x10000500 of program-0: "

TEST_WITH(test_illegal, set_up, run_results_tear_down)
{
	report.status = SIGILL;
	memset(&gathered, 0, sizeof(gathered));
	expect(""); /* it ended otherwise */
	strcpy(gathered.own.program, "/bin/program-0");
	last(UPCS_X86_64, "\x62\xf1", 2);
	expect(ENDED(
		"62 f1") "it is of AVX-512; compile for x86-64-v3 (-march=x86-64-v3), not for this machine "
			 "(-march=native)\n");
	last(UPCS_X86_64, "\x62", 1);
	code(0, UPCS_X86_64, "\x62\xf1\x7c", 3, "");
	results->unknown[0].code.address = 0x10000500;
	expect(ENDED(
		"62 f1 7c") "it is of AVX-512; compile for x86-64-v3 (-march=x86-64-v3), not for this machine "
			    "(-march=native)\n");
	results->unknown[0].state = UPCS_FREE;
	last(UPCS_X86_64, "\xc5\x01", 2);
	expect(ENDED(
		"c5 01") "compile for x86-64-v3 (-march=x86-64-v3), not for this machine (-march=native)\n");
	last(UPCS_AARCH64, "\xe0\xe3\x18\x25", 4);
	expect(ENDED("0x2518e3e0") "compile without SVE and SME, which are not simulated (-march=armv8-a)\n");
	last(UPCS_PPC, "\xfc\x57\x04\x8e", 4);
	expect(ENDED(
		"0xfc57048e") "it is of POWER9 (mffscrn and its like), and the mathematical functions of glibc "
			      "2.31 and later have it: link those of another C library\n");
	last(UPCS_PPC, "\xfc\x40\x04\x8e", 4); /* mffs itself */
	expect(ENDED("0xfc40048e") "compile for an older processor (-mcpu=powerpc)\n");
	last(UPCS_RISCV64, "\x57\x70\x05\x0c", 4);
	expect(ENDED("0x0c057057") "compile without vectors and other extensions (-march=rv64gc)\n");
	last(UPCS_RISCV64, "\x00\x80", 2);
	expect(ENDED("0x8000") "compile without vectors and other extensions (-march=rv64gc)\n");
	/* It was sent the signal. */
	gathered.own.died = 0;
	expect("");
	/* A shell's child. */
	report.status = (128 + SIGILL) << 8;
	last(UPCS_X86_64, "\xc5\x01", 2);
	expect(""); /* of none that we know */
	gathered.died = gathered.own;
	memset(&gathered.own, 0, sizeof(gathered.own));
	expect(ENDED(
		"c5 01") "compile for x86-64-v3 (-march=x86-64-v3), not for this machine (-march=native)\n");
	report.status = 0;
	expect("");
	report.status = SIGSEGV;
	expect("");
}

/* The last translated instruction is a system call: a handler's end, say. */
TEST_WITH(test_calls, set_up, run_results_tear_down)
{
	report.status = SIGILL;
	memset(&gathered, 0, sizeof(gathered));
	last(UPCS_X86_64, "\x0f\x05", 2);
	expect("");
	last(UPCS_AARCH64, "\x01\x00\x00\xd4", 4);
	expect("");
	last(UPCS_PPC, "\x44\x00\x00\x02", 4);
	expect("");
	last(UPCS_RISCV64, "\x73\x00\x00\x00", 4);
	expect("");
}

static void expect_trap(uint32_t guest, const char *bytes, uint8_t n, const char *text)
{
	char expected[256];

	last(guest, bytes, n);
	snprintf(expected, sizeof(expected),
		 "what ended it is a trap, which programs execute on purpose, most likely %s "
		 "at 0x10000500 of program-0\n",
		 text);
	expect(expected);
}

TEST_WITH(test_traps, set_up, run_results_tear_down)
{
	memset(&gathered, 0, sizeof(gathered));
	strcpy(gathered.own.program, "/bin/program-0");
	report.status = SIGILL;
	expect_trap(UPCS_X86_64, "\x0f\x0b", 2, "0f 0b");
	expect_trap(UPCS_X86_64, "\x67\x0f\xb9\x40\x16", 5, "67 0f b9 40 16");
	expect_trap(UPCS_X86_64, "\x0f\xff", 2, "0f ff");
	expect_trap(UPCS_AARCH64, "\x34\x12\x00\x00", 4, "0x00001234");
	expect_trap(UPCS_PPC, "\x00\x00\x00\x00", 4, "0x00000000");
	expect_trap(UPCS_RISCV64, "\x00\x00", 2, "0x0000");
	expect_trap(UPCS_RISCV64, "\x73\x10\x00\xc0", 4, "0xc0001073");
	report.status = (128 + SIGTRAP) << 8;
	expect("");
	report.status = SIGTRAP;
	expect_trap(UPCS_X86_64, "\xcc", 1, "cc");
	expect_trap(UPCS_AARCH64, "\x00\x7d\x20\xd4", 4, "0xd4207d00");
	expect_trap(UPCS_PPC, "\x7f\xe0\x00\x08", 4, "0x7fe00008");
	expect_trap(UPCS_RISCV64, "\x73\x00\x10\x00", 4, "0x00100073");
	expect_trap(UPCS_RISCV64, "\x02\x90", 2, "0x9002");
	/* A debugger's signal, or another's. */
	last(UPCS_X86_64, "\xc5\x01", 2);
	expect("");
}

TEST_WITH(test_waiting, set_up, run_results_tear_down)
{
	expect("");
	results->process[0].spins = 1;
	expect("threads of OpenMP wait actively here, which counts as instructions and makes counts differ from run to "
	       "run: set OMP_WAIT_POLICY=passive\n");
}

UNIT_TESTS(run_advice, NULL, NULL)
