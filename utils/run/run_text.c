/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_text.c - what a run has counted, as a table for people.
 *
 * The rows are laid out by upc_stat's table; here is what they are: events under the
 * headings of what they belong to, a column a core, or a region where there are some.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "run/run_guest.h"
#include "run/run_report.h"
#include "lib/stat_table.h"

static const char *group_of(unsigned item)
{
	if (item >= UPCS_TALLIES)
		return "derived";
	if (item == UPCS_INSTRUCTIONS || item == UPCS_UNKNOWN)
		return "instructions";
	if (item <= UPCS_IPIPE_OTHER)
		return "integer pipes";
	return item < UPCS_FPU_ADD_SUB_1 || item >= UPCS_STATIC ? "loads and stores" : "floating point";
}

/* In the order in which they are shown. */
static unsigned item_at(unsigned i)
{
	static const unsigned first[] = {UPCS_INSTRUCTIONS, UPCS_UNKNOWN};
	const unsigned n = sizeof(first) / sizeof(first[0]);

	return i < n ? first[i] : i < UPCS_STATIC ? i - n : i;
}

/* Rows and columns of a table; the columns' numbers lie row by row. */
struct table {
	unsigned item[UPCS_ITEMS], n;
	struct stat_row row[UPCS_ITEMS];
	struct stat_column *column;
	uint64_t *values; /* n_columns times UPCS_ITEMS */
	double *percents;
	unsigned *flags;
	char (*name)[UPCS_WORD_MAX];
	unsigned n_columns;
	unsigned doubt; /* of the first column */
};

/* A column that has no numbers shows none. */
static unsigned flag_of(unsigned doubt)
{
	return upcs_bound_of(doubt) == UPCS_BOUND_NONE ? UPC_COUNTER_NEVER : 0;
}

static int table_begin(struct table *table, const struct run_report *report, unsigned max)
{
	const struct run_events *events = &report->options->events;

	memset(table, 0, sizeof(*table));
	for (unsigned i = 0; i < UPCS_ITEMS; i++)
		if (run_events_has_item(events, item_at(i)))
			table->item[table->n++] = item_at(i);
	table->column = calloc(max + 1, sizeof(*table->column));
	table->values = calloc((size_t)(max + 1) * UPCS_ITEMS, sizeof(*table->values));
	table->percents = calloc((size_t)(max + 1) * UPCS_ITEMS, sizeof(*table->percents));
	table->flags = calloc((size_t)(max + 1) * UPCS_ITEMS, sizeof(*table->flags));
	table->name = calloc(max + 1, sizeof(*table->name));
	if (table->column != NULL && table->values != NULL && table->percents != NULL && table->flags != NULL &&
	    table->name != NULL)
		return 0;
	util_error("out of memory");
	return -1;
}

static void table_end(struct table *table)
{
	free(table->column);
	free(table->values);
	free(table->percents);
	free(table->flags);
	free(table->name);
}

/* ">=solve" where it is not exact. */
static void mark(char to[UPCS_WORD_MAX], unsigned doubt, const char *name)
{
	snprintf(to, UPCS_WORD_MAX, "%s%s", run_report_mark(doubt), name);
}

/* The first column, which is all or the sum. */
static void put_total(struct table *table, const struct run_vector *vector)
{
	table->doubt = vector->doubt;
	for (unsigned i = 0; i < table->n; i++) {
		unsigned item = table->item[i];

		table->row[i] = (struct stat_row){
			.name = upcs_item_name(item),
			.unit = "",
			.subsystem = group_of(item),
			.description = "",
			.scope = UPC_SCOPE_CONTEXT,
			.kind = UPC_KIND_COUNT,
			.flags = flag_of(vector->doubt),
			.value = vector->item[item],
			.percent = flag_of(vector->doubt) ? 0 : run_percent(vector, item),
		};
	}
}

/* Another column; returns which. */
static unsigned put_column(struct table *table, const struct run_vector *vector, const char *name,
			   bool percents)
{
	unsigned c = table->n_columns++;
	size_t at = (size_t)c * UPCS_ITEMS;

	mark(table->name[c], vector->doubt, name);
	table->column[c] = (struct stat_column){
		.name = table->name[c],
		.values = table->values + at,
		.flags = table->flags + at,
		.percents = percents ? table->percents + at : NULL,
	};
	for (unsigned i = 0; i < table->n; i++) {
		table->values[at + i] = vector->item[table->item[i]];
		table->percents[at + i] = flag_of(vector->doubt) ? 0 : run_percent(vector, table->item[i]);
		table->flags[at + i] = flag_of(vector->doubt);
	}
	return c;
}

static struct stat_style style_of(const struct run_report *report)
{
	const struct run_options *options = report->options;

	return (struct stat_style){
		.width = util_width(report->out),
		.colour = util_colour(report->out),
		.zeros = options->zeros || (options->events.asked && options->events.plain),
		.unseen = true,
	};
}

static void table_print(const struct run_report *report, const struct table *table, const char *total)
{
	const struct stat_style style = style_of(report);
	char first[UPCS_WORD_MAX];

	mark(first, table->doubt, total);
	stat_table_print_columns(report->out, table->row, table->n, first, table->column, table->n_columns,
				 &style);
}

/* ---- the tables ------------------------------------------------------------------------ */

static void print_regions(const struct run_report *report)
{
	struct table table;

	if (table_begin(&table, report, report->options->regions) == 0) {
		put_total(&table, &report->counts.sum[0]);
		for (unsigned r = 0; r < report->options->regions; r++)
			put_column(&table, &report->counts.sum[1 + r], report->options->region[r], true);
		table_print(report, &table, "whole run");
	}
	table_end(&table);
}

/* A single core needs no sum; it is the first column then. */
static void print_cores(const struct run_report *report)
{
	unsigned places[1 + UPCS_CORES], n = 0, first;
	struct table table;
	char name[16];

	for (unsigned place = 0; place <= UPCS_CORES; place++)
		if (run_report_has_place(report, place))
			places[n++] = place;
	first = n == 2 && places[0] == 0 && !report->options->events.asked ? 1 : 0;
	if (n == 0)
		return;
	if (table_begin(&table, report, n) == 0) {
		put_total(&table, run_report_vector(report, 0, places[first]));
		for (unsigned i = first + 1; i < n; i++) {
			snprintf(name, sizeof(name), "PU%u", places[i] - 1);
			put_column(&table, run_report_vector(report, 0, places[i]), name, false);
		}
		snprintf(name, sizeof(name), "PU%u", places[first] - 1);
		table_print(report, &table, places[first] == 0 ? "all cores" : name);
	}
	table_end(&table);
}

static void print_processes(const struct run_report *report)
{
	const struct run_gathered *gathered = report->gathered;
	struct table table;

	fputs("\n Processes\n\n", report->out);
	if (table_begin(&table, report, gathered->processes) == 0) {
		put_total(&table, &report->counts.sum[0]);
		for (unsigned p = 0; p < gathered->processes; p++) {
			const struct run_process_row *process = gathered->process[p];
			char name[UPCS_WORD_MAX];

			run_process_name(&process->record, name);
			table.column[put_column(&table, process->vector, name, false)].tid =
				process->record.pid;
		}
		table_print(report, &table, "all");
	}
	table_end(&table);
}

static void print_threads(const struct run_report *report)
{
	const struct run_gathered *gathered = report->gathered;
	struct table table;

	fputs("\n Threads\n\n", report->out);
	if (table_begin(&table, report, gathered->threads) == 0) {
		put_total(&table, &report->counts.sum[0]);
		for (unsigned t = 0; t < gathered->threads; t++) {
			const struct run_thread_row *thread = gathered->thread[t];
			char name[32];

			snprintf(name, sizeof(name), "PU%u", thread->core);
			table.column[put_column(&table, thread->vector, name, false)].tid = thread->tid;
		}
		table_print(report, &table, "all");
	}
	table_end(&table);
}

static void print_parts(const struct run_report *report)
{
	if (report->options->per_process)
		print_processes(report);
	if (report->options->per_thread)
		print_threads(report);
	if (report->options->functions)
		run_report_functions(report);
}

/* ---- before and after them --------------------------------------------------------------- */

static void print_head(const struct run_report *report)
{
	const struct run_counts *counts = &report->counts;
	char title[400], text[200], processes[UTIL_NUMBER_MAX], threads[UTIL_NUMBER_MAX];
	unsigned width = util_width(report->out), column;
	int cores = __builtin_popcount(counts->cores);
	bool long_title;

	run_report_title(report, title, sizeof(title));
	util_format_count(counts->processes, processes);
	util_format_count(counts->threads, threads);
	snprintf(text, sizeof(text), ": %s, %s process%s, %s thread%s on %d core%s, %.3f s",
		 upcs_guest_name(counts->guest), processes, counts->processes == 1 ? "" : "es", threads,
		 counts->threads == 1 ? "" : "s", cores, cores == 1 ? "" : "s", report->seconds);
	long_title = 1 + util_columns(title) + util_columns(text) > width;
	fputs("\n ", report->out);
	/* A long command is cut, not what was counted. */
	column = 1 + util_columns(text) + 13 < width ? width - 1 - util_columns(text) - 3 : 10;
	util_put(report->out, title, long_title ? column : UINT32_MAX);
	fprintf(report->out, "%s%s\n\n", long_title ? "..." : "", text);
}

static double flops(const struct run_vector *vector)
{
	return vector->item[UPCS_INSTRUCTIONS] > 0
		       ? (double)vector->item[UPCS_FP_OPS] / (double)vector->item[UPCS_INSTRUCTIONS]
		       : 0;
}

static void print_note(void *to, const char *text)
{
	const struct run_report *report = to;

	fputs("  Note: ", report->out);
	util_wrap(report->out, text, 8, 8, util_width(report->out));
	fputs(".\n", report->out);
}

/* Says what the pipes are, where the report has names of theirs. */
static void print_pipes(const struct run_report *report)
{
	for (unsigned item = UPCS_JPIPE_INSTRUCTIONS; item <= UPCS_IPIPE_OTHER; item++)
		if (run_events_has_item(&report->options->events, item)) {
			fputs("  ", report->out);
			util_wrap(report->out, UTIL_PIPES, 2, 2, util_width(report->out));
			fputs(".\n", report->out);
			return;
		}
}

/* As many as an instruction does; none are said in words, and few are not rounded to none. */
static void put_flops(FILE *out, const struct run_vector *vector, const char *none)
{
	if (upcs_bound_of(vector->doubt) == UPCS_BOUND_NONE)
		fputs("an unknown number of", out);
	else if (vector->item[UPCS_FP_OPS] == 0)
		fputs(none, out);
	else if (flops(vector) < 0.001)
		fputs("fewer than 0.001", out);
	else
		fprintf(out, "%.3f", flops(vector));
}

static void print_end(const struct run_report *report)
{
	const struct run_counts *counts = &report->counts;
	FILE *out = report->out;

	fputs("\n  ", out);
	put_flops(out, &counts->sum[0], "no");
	fprintf(out, " floating-point operations%s\n",
		counts->sum[0].item[UPCS_FP_OPS] > 0 ? " an instruction" : "");
	for (unsigned r = 0; r < report->options->regions; r++) {
		char times[UTIL_NUMBER_MAX];

		util_format_count(counts->entered[r], times);
		fputs("  ", out);
		put_flops(out, &counts->sum[1 + r], "none");
		fputs(" in ", out);
		util_put(out, report->options->region[r], 200);
		if (upcs_bound_of(run_entered_doubt(counts, r)) == UPCS_BOUND_NONE)
			fputs(", entered an unknown number of times\n", out);
		else
			fprintf(out, ", entered %s time%s\n", times, counts->entered[r] == 1 ? "" : "s");
	}
	if (run_report_doubts(report) == 0)
		fputs("  Percents are of INSTRUCTIONS. All counts are exact: of every instruction that\n"
		      "  began, as what a Blue Gene/P core would have done for it.\n",
		      out);
	else
		fputs("  Percents are of INSTRUCTIONS. The truth is at least the counts of columns with >=,\n"
		      "  and at most those of columns with <=; columns with ? have none. All other counts are\n"
		      "  exact: of every instruction that began, as what a Blue Gene/P core would have done.\n",
		      out);
	print_pipes(report);
	run_report_notes(report, print_note, (void *)report);
	fputc('\n', out);
}

/* As upc_stat shows what it counts: an event a row, with its share. */
void run_report_stat(const struct run_report *report)
{
	const struct stat_style style = style_of(report);
	const unsigned width = style.width;
	struct table table;
	char title[400];

	run_report_title(report, title, sizeof(title));
	fputs("\n Counts of ", report->out);
	util_put(report->out, title, util_columns(title) <= width - 12 ? width - 12 : width - 15);
	fputs(util_columns(title) <= width - 12 ? "\n\n" : "...\n\n", report->out);
	if (table_begin(&table, report, 0) == 0) {
		put_total(&table, &report->counts.sum[0]);
		stat_table_print(report->out, table.row, table.n, &style);
	}
	table_end(&table);
	print_parts(report);
	fprintf(report->out, "\n  %.6f s elapsed, simulated\n", report->seconds);
	print_pipes(report);
	run_report_notes(report, print_note, (void *)report);
	fputc('\n', report->out);
}

void run_report_text(const struct run_report *report)
{
	print_head(report);
	if (report->options->regions > 0)
		print_regions(report);
	else
		print_cores(report);
	print_parts(report);
	print_end(report);
}
