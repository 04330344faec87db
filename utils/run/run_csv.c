/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_csv.c - what a run has counted, as CSV: a line a number.
 *
 * Events of a core have its name, PU0_FPU_FMA_2; those of the whole run, of a process or of
 * a thread have none. Behind each number: is it exact? One that is no bound
 * either is left out. What is to be known beside the numbers is a line of
 * record note, with its text for an event and no number.
 */
#include <inttypes.h>

#include "lib/common.h"
#include "lib/data.h"
#include "run/run_guest.h"
#include "run/run_report.h"

/* What the numbers are of. */
struct scope {
	const char *name;                    /* run, process, thread, function */
	int32_t pid, tid;                    /* 0: of none */
	const struct run_function *function; /* NULL: of none */
};

static const char *exact(unsigned doubt)
{
	static const char *const words[] = {
		[UPCS_BOUND_EXACT] = "yes",
		[UPCS_BOUND_LOW] = "at least",
		[UPCS_BOUND_HIGH] = "at most",
		[UPCS_BOUND_NONE] = "no",
	};

	return words[upcs_bound_of(doubt)];
}

static void end_line(const struct run_report *report, const struct run_function *function)
{
	fputc(',', report->out);
	if (function != NULL)
		util_csv_put(report->out, function->name);
	fputc(',', report->out);
	if (function != NULL)
		util_csv_put(report->out, function->file);
	fputc('\n', report->out);
}

static void put_line(const struct run_report *report, const struct scope *scope, const char *region,
		     const char *event, uint64_t value, unsigned doubt)
{
	FILE *out = report->out;

	fprintf(out, "%s,", scope->name);
	if (scope->pid != 0)
		fprintf(out, "%" PRId32, scope->pid);
	fputc(',', out);
	if (scope->tid != 0)
		fprintf(out, "%" PRId32, scope->tid);
	fputc(',', out);
	util_csv_put(out, region);
	fprintf(out, ",%s,", event);
	if (upcs_bound_of(doubt) != UPCS_BOUND_NONE)
		fprintf(out, "%" PRIu64, value);
	fprintf(out, ",%s,%.6f,%s,%s", upcs_guest_name(report->counts.guest), report->seconds, upc_version(),
		exact(doubt));
	end_line(report, scope->function);
}

static void put_note(void *to, const char *text)
{
	const struct run_report *report = to;

	fputs("note,,,,", report->out);
	util_csv_put(report->out, text);
	fprintf(report->out, ",,%s,%.6f,%s,", upcs_guest_name(report->counts.guest), report->seconds,
		upc_version());
	end_line(report, NULL);
}

static const char *region_name(const struct run_report *report, unsigned column)
{
	return column == 0 ? "" : report->options->region[column - 1];
}

static void put_run(const struct run_report *report, unsigned column)
{
	static const struct scope run = {.name = "run"};
	char name[RUN_EVENT_NAME_MAX];

	for (unsigned place = 0; place <= UPCS_CORES; place++) {
		const struct run_vector *vector = run_report_vector(report, column, place);

		for (unsigned item = 0; item < UPCS_ITEMS; item++)
			if (run_report_has_place(report, place) &&
			    report->options->events.shown[place][item]) {
				run_event_name(place, item, name);
				put_line(report, &run, region_name(report, column), name, vector->item[item],
					 vector->doubt);
			}
	}
	if (column > 0)
		put_line(report, &run, region_name(report, column), "entered",
			 report->counts.entered[column - 1],
			 run_entered_doubt(&report->counts, column - 1));
}

static void put_vector(const struct run_report *report, const struct scope *scope, unsigned column,
		       const struct run_vector *vector)
{
	for (unsigned item = 0; item < UPCS_ITEMS; item++)
		if (run_events_has_item(&report->options->events, item))
			put_line(report, scope, region_name(report, column), upcs_item_name(item),
				 vector->item[item], vector->doubt);
}

static void put_functions(const struct run_report *report)
{
	for (unsigned i = 0; i < report->functions.n; i++) {
		const struct run_function *function = &report->functions.function[i];
		const struct scope scope = {.name = "function", .function = function};

		for (unsigned item = 0; item < UPCS_ITEMS; item++)
			if (run_function_shows(report, function, item))
				put_line(report, &scope, "", upcs_item_name(item),
					 function->vector.item[item], function->vector.doubt);
	}
}

void run_report_csv(const struct run_report *report)
{
	const struct run_gathered *gathered = report->gathered;
	unsigned columns = 1 + report->options->regions;

	fputs("record,pid,tid,region,event,value,guest,seconds,version,exact,function,file\n", report->out);
	for (unsigned column = 0; column < columns; column++)
		put_run(report, column);
	for (unsigned p = 0; p < gathered->processes; p++) {
		const struct scope scope = {.name = "process", .pid = gathered->process[p]->record.pid};

		for (unsigned column = 0; column < columns; column++)
			put_vector(report, &scope, column, &gathered->process[p]->vector[column]);
	}
	for (unsigned t = 0; t < gathered->threads; t++) {
		const struct run_thread_row *thread = gathered->thread[t];
		const struct scope scope = {.name = "thread", .pid = thread->pid, .tid = thread->tid};

		for (unsigned column = 0; column < columns; column++)
			put_vector(report, &scope, column, &thread->vector[column]);
	}
	put_functions(report);
	run_report_notes(report, put_note, (void *)report);
}
