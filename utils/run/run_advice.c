/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_advice.c - what the reader of a report can do about it.
 */
#include "run/run_advice.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/common.h"

#define ADVICE_MAX 768
#define SHOWN 3 /* of the instructions that nobody knows; JSON has all */

/* ---- instructions that the decoder does not know ------------------------------------------- */

/* Several processes may have written the same one, and the file may be anything. */
static bool is_first(const struct upcs_results *results, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (upcs_unknown_is_same(&results->unknown[k].code, &results->unknown[i].code))
			return false;
	return true;
}

const struct upcs_unknown *run_unknown(const struct upcs_results *results, unsigned i)
{
	for (unsigned k = 0; k < UPCS_CODES_MAX; k++) {
		const struct upcs_unknown *unknown = &results->unknown[k];

		if (__atomic_load_n(&unknown->state, __ATOMIC_ACQUIRE) == UPCS_ENDED &&
		    is_first(results, k) && i-- == 0)
			return unknown;
	}
	return NULL;
}

static uint32_t word_of(const struct upcs_code *code)
{
	const uint8_t *b = code->bytes;

	return code->guest == UPCS_PPC
		       ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
		       : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

void run_code_text(const struct upcs_code *code, char text[RUN_CODE_MAX])
{
	size_t n = 0;

	text[0] = '\0';
	if (code->guest != UPCS_X86_64)
		snprintf(text, RUN_CODE_MAX, "0x%08" PRIx32, word_of(code));
	else
		for (unsigned i = 0; i < code->n && i < UPCS_CODE_BYTES; i++)
			n += (size_t)snprintf(text + n, RUN_CODE_MAX - n, "%s%02x", i > 0 ? " " : "",
					      code->bytes[i]);
}

static void note_unknown(const struct run_report *report, void (*note)(void *to, const char *text), void *to)
{
	uint64_t times = report->counts.sum[0].item[UPCS_UNKNOWN];
	char text[ADVICE_MAX], count[UTIL_NUMBER_MAX], bytes[RUN_CODE_MAX];
	const struct upcs_unknown *unknown;
	size_t n;

	if (times == 0)
		return;
	util_format_count(times, count);
	n = (size_t)snprintf(text, sizeof(text),
			     "%s time%s an instruction was executed that the decoder does not know, "
			     "each time one of INSTRUCTIONS, IPIPE_OTHER and UNKNOWN",
			     count, times == 1 ? "" : "s");
	for (unsigned i = 0;
	     i < SHOWN && (unknown = run_unknown(report->results, i)) != NULL && n < sizeof(text); i++) {
		run_code_text(&unknown->code, bytes);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s%s%.*s%s at 0x%" PRIx64 " of %.*s",
				      i == 0 ? ":" : ",", bytes, unknown->name[0] != '\0' ? " (" : "",
				      (int)sizeof(unknown->name), unknown->name,
				      unknown->name[0] != '\0' ? ")" : "", unknown->code.address,
				      (int)sizeof(unknown->program), unknown->program);
	}
	note(to, text);
}

/* ---- instructions that end programs -------------------------------------------------------- */

/* Of the system: what is translated last need not be what ended it. */
static bool is_call(const struct upcs_code *code)
{
	switch (code->guest) {
	case UPCS_X86_64:
		return code->bytes[0] == 0x0f && code->bytes[1] == 0x05;
	case UPCS_AARCH64:
		return (word_of(code) & 0xffe0001f) == 0xd4000001;
	default:
		return word_of(code) == 0x44000002;
	}
}

static bool is_trap(const struct upcs_code *code)
{
	const uint8_t *b = code->bytes;

	switch (code->guest) {
	case UPCS_X86_64: /* int3; ud2, ud1, ud0 */
		b += b[0] == 0x67;
		return b[0] == 0xcc || (b[0] == 0x0f && (b[1] == 0x0b || b[1] == 0xb9 || b[1] == 0xff));
	case UPCS_AARCH64: /* udf; brk */
		return word_of(code) >> 16 == 0 || (word_of(code) & 0xffe0001f) == 0xd4200000;
	default: /* trap; what is no instruction by definition */
		return word_of(code) == 0x7fe00008 || word_of(code) == 0;
	}
}

/* Of mffs and its kind on PowerPC: those that are new write the rounding mode. */
static bool is_power9(uint32_t word)
{
	return word >> 26 == 63 && (word >> 1 & 0x3ff) == 583 && (word >> 16 & 31) != 0;
}

static const char *instead_of(const struct upcs_code *code)
{
	switch (code->guest) {
	case UPCS_X86_64:
		return code->bytes[0] == 0x62
			       ? "it is of AVX-512; compile for x86-64-v3 (-march=x86-64-v3), not for this machine "
				 "(-march=native)"
			       : "compile for x86-64-v3 (-march=x86-64-v3), not for this machine (-march=native)";
	case UPCS_AARCH64:
		return "compile without SVE and SME, which are not simulated (-march=armv8-a)";
	default:
		return is_power9(word_of(code))
			       ? "it is of POWER9 (mffscrn and its like), and the mathematical functions of glibc 2.31 and "
				 "later have it: link those of another C library"
			       : "compile for an older processor (-mcpu=powerpc)";
	}
}

/* The emulator reads no further than to where it knows that it does not know it. */
static const struct upcs_code *whole_of(const struct upcs_results *results, const struct upcs_code *code)
{
	const struct upcs_unknown *unknown;

	for (unsigned i = 0; (unknown = run_unknown(results, i)) != NULL; i++)
		if (unknown->code.address == code->address && unknown->code.guest == code->guest &&
		    unknown->code.n > code->n)
			return &unknown->code;
	return code;
}

/* What ends a program as signal does, or its child: a script hands on that one's status. */
static bool ended_by(int status, int signal)
{
	return (WIFSIGNALED(status) && WTERMSIG(status) == signal) ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal);
}

static void note_death(const struct run_report *report, void (*note)(void *to, const char *text), void *to)
{
	const struct upcs_process *process =
		WIFSIGNALED(report->status) ? &report->gathered->own : &report->gathered->died;
	char text[ADVICE_MAX], bytes[RUN_CODE_MAX], name[UPCS_WORD_MAX];
	bool illegal = ended_by(report->status, SIGILL), trap;
	const struct upcs_code *code;

	if (!illegal && !ended_by(report->status, SIGTRAP))
		return;
	/* Or it was sent the signal, by itself or others. */
	if (!process->died || process->last.n == 0 || is_call(&process->last))
		return;
	trap = is_trap(&process->last);
	if (!illegal && !trap)
		return;
	code = whole_of(report->results, &process->last);
	run_code_text(code, bytes);
	run_process_name(process, name);
	snprintf(text, sizeof(text), "%s, most likely %s at 0x%" PRIx64 " of %s%s%s",
		 trap ? "what ended it is a trap, which programs execute on purpose"
		      : "the emulator does not have the instruction that ended it",
		 bytes, code->address, name, trap ? "" : ": ", trap ? "" : instead_of(code));
	note(to, text);
}

void run_advice(const struct run_report *report, void (*note)(void *to, const char *text), void *to)
{
	note_unknown(report, note, to);
	note_death(report, note, to);
	if (report->counts.spins > 0)
		note(to,
		     "threads of OpenMP wait actively here, which counts as instructions and makes counts differ "
		     "from run to run: set OMP_WAIT_POLICY=passive");
}
