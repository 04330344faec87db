/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_advice.c - advice for the readers of a report.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_advice.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/common.h"

#define ADVICE_MAX 768
#define SHOWN 3 /* number of unknown instructions in the text; JSON lists all */

/* ---- instructions that the decoder does not know ------------------------------------------- */

/* True if no earlier entry is the same instruction. Several processes may have added the same instruction,
 * and the file may have any content. */
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

/* Return the code's guest, or a default if the file is corrupt. */
static enum upcs_guest guest_of(const struct upcs_code *code)
{
	return code->guest < UPCS_GUESTS ? (enum upcs_guest)code->guest : UPCS_X86_64;
}

static uint32_t word_of(const struct upcs_code *code)
{
	return upcs_guest_word(guest_of(code), code->bytes, 4);
}

void run_code_text(const struct upcs_code *code, char text[RUN_CODE_MAX])
{
	const enum upcs_guest guest = guest_of(code);
	size_t unit = upcs_guests[guest].unit, bytes = code->n == unit ? unit : 4, n = 0;

	text[0] = '\0';
	if (unit > 1)
		snprintf(text, RUN_CODE_MAX, "0x%0*" PRIx32, (int)(2 * bytes),
			 upcs_guest_word(guest, code->bytes, bytes));
	else
		for (unsigned i = 0; i < code->n && i < UPCS_CODE_BYTES; i++)
			n += (size_t)snprintf(text + n, RUN_CODE_MAX - n, "%s%02x", i > 0 ? " " : "",
					      code->bytes[i]);
}

static void note_unknown_code(const struct run_report *report, void (*note)(void *to, const char *text),
			      void *to)
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

/* True if the code is a system call. The code translated last need not be the code that ended the program. */
static bool is_call(const struct upcs_code *code)
{
	return upcs_insn_has(word_of(code), &upcs_guests[guest_of(code)].system_call);
}

static bool is_trap(const struct upcs_code *code)
{
	const struct upcs_insn_bits *trap = upcs_guests[guest_of(code)].trap;

	while (trap->mask != 0 && !upcs_insn_has(word_of(code), trap))
		trap++;
	return trap->mask != 0;
}

static const char *instead_of(const struct upcs_code *code)
{
	const struct upcs_guest_info *info = &upcs_guests[guest_of(code)];
	unsigned i = 0;

	while (!upcs_insn_has(word_of(code), &info->instead[i].bits))
		i++;
	return info->instead[i].text;
}

/* Return the full code of an instruction if the list of unknown instructions has it, else code. The emulator
 * reads only as many bytes as it needs to see that it does not know the instruction. */
static const struct upcs_code *whole_of_code(const struct upcs_results *results, const struct upcs_code *code)
{
	const struct upcs_unknown *unknown;

	for (unsigned i = 0; (unknown = run_unknown(results, i)) != NULL; i++)
		if (unknown->code.address == code->address && unknown->code.guest == code->guest &&
		    unknown->code.n > code->n)
			return &unknown->code;
	return code;
}

/* True if the signal ended the program, or a child of the program: a script returns its child's status. */
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
	/* If no instruction raised the signal, the process itself or another process sent it. */
	if (!process->died || process->last.n == 0 || is_call(&process->last))
		return;
	trap = is_trap(&process->last);
	if (!illegal && !trap)
		return;
	code = whole_of_code(report->results, &process->last);
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
	note_unknown_code(report, note, to);
	note_death(report, note, to);
	if (report->counts.spins > 0)
		note(to,
		     "threads of OpenMP wait actively here, which counts as instructions and makes counts differ "
		     "from run to run: set OMP_WAIT_POLICY=passive");
}
