/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_report.c - the parts that all forms of the report share.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/common.h"
#include "run/run_advice.h"
#include "run/run_sheet.h"
#include "run/run_text.h"

#define NOTE_MAX (UPCS_REGIONS_MAX * (UPCS_WORD_MAX + 2) + 512) /* all regions by name, and a reason */

bool run_report_has_place(const struct run_report *report, unsigned place)
{
	const struct run_events *events = &report->options->events;

	if (!run_events_has_core(events, place))
		return false;
	return place == 0 || events->asked || (report->counts.cores >> (place - 1) & 1) != 0;
}

const struct run_vector *run_report_vector(const struct run_report *report, unsigned column, unsigned place)
{
	return place == 0 ? &report->counts.sum[column] : &report->counts.core[column][place - 1];
}

void run_report_title(const struct run_report *report, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (char *const *word = report->options->command; *word != NULL && n < size; word++)
		n += (size_t)snprintf(text + n, size - n, "%s%s", n > 0 ? " " : "", *word);
}

void run_process_name(const struct upcs_process *process, char name[UPCS_WORD_MAX])
{
	size_t length = strnlen(process->program, UPCS_WORD_MAX - 1);
	char *slash;

	memcpy(name, process->program, length);
	name[length] = '\0';
	slash = strrchr(name, '/');
	if (slash != NULL && slash[1] != '\0')
		memmove(name, slash + 1, strlen(slash));
}

/* ---- doubts ---------------------------------------------------------------------------- */

static const struct {
	const char *reason; /* a word and a short reason */
	const char *what;   /* NULL: another note explains it */
} doubts[] = {
	{"cut: a thread ended within a block",
	 "a thread ended within a block of instructions, by a fault or a signal, and the rest of the block "
	 "counts as well"},
	{"unwound: an exception left it or may have left it",
	 "an exception left it, or may have left it, and what was done until that could be seen does not "
	 "count"},
	{"switched: left or entered by a change of stacks",
	 "it was left or entered by a change of stacks, as coroutines do, and what was done in it after that "
	 "does not count"},
	{"forgot: calls were deeper than are kept",
	 "calls were deeper, or came from more places, than are kept, and what was done after that does not "
	 "count"},
	{"helped: work of other threads for it does not count",
	 "threads that it woke, or that it started and that outlived it, may have worked for it, and that work "
	 "does not count"},
	{"unplaced: work of a team found no region",
	 "a thread of a team worked for a region that could not be told, and its work counts for none"},
	{"missing: something that ran was not counted", NULL},
	{"unseen: its function was chosen unseen",
	 "its function is one of several, chosen while the program ran by a way that cannot be seen, as "
	 "dlsym, and what that did does not count"},
	{"late: the last hundredths of a second may be missing",
	 "threads were killed, still ran, or ended while another began: what they did in the last hundredths "
	 "of a second may not be in the counts"},
	{"jumped: a jump looked like a call",
	 "it was left by a jump that looked like a call, and what was done until that was seen counts as well"},
	{"twice: killed while its counts were moved",
	 "a process was killed while its counts were moved, and some of them may be there twice"},
};

enum sheet_exactness run_report_exactness(unsigned doubt)
{
	static const enum sheet_exactness words[] = {
		[UPCS_BOUND_EXACT] = SHEET_EXACT,
		[UPCS_BOUND_LOW] = SHEET_AT_LEAST,
		[UPCS_BOUND_HIGH] = SHEET_AT_MOST,
		[UPCS_BOUND_NONE] = SHEET_UNCOUNTED,
	};

	return words[upcs_bound_of(doubt)];
}

const char *run_report_doubt(unsigned bit)
{
	return bit < sizeof(doubts) / sizeof(doubts[0]) ? doubts[bit].reason : NULL;
}

static unsigned report_doubts(const struct run_report *report)
{
	unsigned all = report->functions.untold > 0 ? UPCS_DOUBT_MISSING : 0;

	for (unsigned c = 0; c <= report->options->regions; c++)
		all |= report->counts.sum[c].doubt;
	return all;
}

/* "not exact: the whole run, solve: ..." */
static void note_doubt(const struct run_report *report, unsigned bit,
		       void (*note)(void *to, const char *text), void *to)
{
	char text[NOTE_MAX] = "not exact: ";
	size_t n = strlen(text);

	for (unsigned c = 0; c <= report->options->regions; c++)
		if (report->counts.sum[c].doubt >> bit & 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s, ",
					      c == 0 ? "the whole run" : report->options->region[c - 1]);
	snprintf(text + n - 2, sizeof(text) - n + 2, ": %s", doubts[bit].what);
	note(to, text);
}

static void note_doubts(const struct run_report *report, void (*note)(void *to, const char *text), void *to)
{
	unsigned all = report_doubts(report);

	for (unsigned bit = 0; run_report_doubt(bit) != NULL; bit++)
		if ((all >> bit & 1) != 0 && doubts[bit].what != NULL)
			note_doubt(report, bit, note, to);
}

void run_report_notes(const struct run_report *report, void (*note)(void *to, const char *text), void *to)
{
	static const char uncounted[] = "more than there is room for: not in the counts";
	static const char uncounted_memory[] = "more than there is memory for in /dev/shm: not in the counts";
	const struct run_counts *counts = &report->counts;
	const bool late = (report_doubts(report) & UPCS_DOUBT_LATE) != 0;
	const struct {
		uint64_t n;
		const char *one, *many, *what; /* "1 thread has", "2 threads have", ... */
	} told[] = {
		{counts->threads_without, "thread", "threads",
		 counts->no_memory ? uncounted_memory : uncounted},
		{counts->processes_without, "process", "processes",
		 counts->no_memory ? uncounted_memory : uncounted},
		{counts->unfolded, "thread, region or block", "threads, regions or blocks",
		 counts->no_memory ? uncounted_memory : uncounted},
		{counts->cut_off, "process was", "processes were",
		 "killed when there was no memory left in /dev/shm: what was done last is not in the counts"},
		{counts->unread, "process has", "processes have",
		 "left counts that could not be read: what was done last is not in the counts"},
		{counts->lost_whole, "process was", "processes were",
		 late ? "killed" : "killed: all that was done until then is in the counts"},
		{counts->left, "process has", "processes have",
		 "executed a program that could not be simulated, as one that is set-user-id or of "
		 "another user: it ran, and is not in the counts"},
		{report->gathered->processes_merged, "process is", "processes are",
		 "in the sums only: there are more than are shown by themselves"},
		{report->gathered->threads_merged, "thread is", "threads are",
		 "in the sums only: there are more than are shown by themselves"},
		{counts->running, "process", "processes",
		 "still running: counted up to the end of the program"},
	};
	char text[NOTE_MAX], count[UTIL_NUMBER_MAX];

	if (WIFSIGNALED(report->status)) {
		snprintf(text, sizeof(text), "ended by signal %d (%s)", WTERMSIG(report->status),
			 strsignal(WTERMSIG(report->status)));
		note(to, text);
	}
	if (counts->folded > 0)
		note(to, "thread n of a process is counted on core n mod 4");
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (told[i].n == 0)
			continue;
		util_format_count(told[i].n, count);
		snprintf(text, sizeof(text), "%s %s %s", count, told[i].n == 1 ? told[i].one : told[i].many,
			 told[i].what);
		note(to, text);
	}
	if (report->functions.untold > 0) {
		util_format_count(report->functions.untold, count);
		snprintf(text, sizeof(text),
			 "%s instruction%s of functions that could not be told apart: there are "
			 "more than there is room or memory for%s",
			 count, report->functions.untold == 1 ? " is" : "s are",
			 counts->running > 0 ? ", or threads of what still runs came and went" : "");
		note(to, text);
	}
	note_doubts(report, note, to);
	run_advice(report, note, to);
	for (unsigned r = 0; r < report->options->regions; r++) {
		if (report->options->fits[r] != NULL)
			note(to, report->options->fits[r]);
		if (counts->entered[r] > 0)
			continue;
		snprintf(text, sizeof(text),
			 counts->regions_found >> r & 1 ? "region %s was never entered"
							: "region %s was not found in anything that ran",
			 report->options->region[r]);
		note(to, text);
	}
}

bool run_report_print(const struct run_report *report, enum run_form form)
{
	struct run_sheet *sheet = malloc(sizeof(*sheet));
	bool done = sheet != NULL && run_sheet_make(sheet, report, form);

	if (done && form == RUN_JSON)
		done = sheet_json(report->out, &sheet->sheet);
	else if (done && form == RUN_CSV)
		done = sheet_csv(report->out, &sheet->sheet);
	else if (done)
		done = run_text(report, &sheet->sheet, form == RUN_STAT);
	if (sheet != NULL)
		run_sheet_free(sheet);
	free(sheet);
	return done;
}
