/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_text_functions.c - what each function has done itself, as a table for people: a row a function, those
 * that did most first, and one for all others.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/common.h"
#include "run/run_report.h"

#define NAME_MAX_COLUMNS 44u

static const unsigned columns[] = {UPCS_INSTRUCTIONS, UPCS_LD_INS, UPCS_SR_INS, UPCS_FP_OPS, UPCS_BR_INS};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct layout {
	unsigned number[COLUMNS]; /* widths */
	unsigned name;
	uint64_t all; /* instructions */
};

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static void fit(struct layout *layout, const struct run_vector *vector, const char *name)
{
	char text[UTIL_NUMBER_MAX];

	for (unsigned c = 0; c < COLUMNS; c++) {
		util_format_count(vector->item[columns[c]], text);
		layout->number[c] = larger(layout->number[c], (unsigned)strlen(text));
	}
	layout->name = larger(layout->name, util_columns(name));
	if (layout->name > NAME_MAX_COLUMNS)
		layout->name = NAME_MAX_COLUMNS;
}

static void print_head(FILE *out, const struct layout *layout, unsigned doubt)
{
	for (unsigned c = 0; c < COLUMNS; c++) {
		const char *mark = run_report_mark(doubt), *name = upcs_item_name(columns[c]);

		util_pad(out, 2 + layout->number[c] - util_columns(mark) - util_columns(name));
		fprintf(out, "%s%s", mark, name);
		if (c == 0)
			fputs("       %", out);
	}
	fputs("  function", out);
	util_pad(out, layout->name > 8 ? layout->name - 8 : 0);
	fputs("  file\n", out);
}

static void print_row(FILE *out, const struct layout *layout, const struct run_vector *vector,
		      const char *name, const char *file)
{
	char text[UTIL_NUMBER_MAX];
	unsigned n;

	for (unsigned c = 0; c < COLUMNS; c++) {
		util_format_count(vector->item[columns[c]], text);
		fprintf(out, "  %*s", (int)layout->number[c],
			upcs_bound_of(vector->doubt) == UPCS_BOUND_NONE ? "-" : text);
		if (c == 0)
			fprintf(out, "  %6.2f",
				layout->all == 0 ? 0
						 : 100 * (double)vector->item[UPCS_INSTRUCTIONS] /
							   (double)layout->all);
	}
	fputs("  ", out);
	if (util_columns(name) > layout->name) {
		n = util_put(out, name, layout->name - 3);
		n += util_put(out, "...", 3);
	} else {
		n = util_put(out, name, layout->name);
	}
	if (file[0] != '\0') {
		util_pad(out, layout->name - n + 2);
		util_put(out, file, UINT32_MAX);
	}
	fputc('\n', out);
}

void run_report_functions(const struct run_report *report)
{
	const struct run_functions *functions = &report->functions;
	unsigned n =
		report->options->function_rows < functions->n ? report->options->function_rows : functions->n;
	struct run_vector all = run_functions_rest(functions, 0), rest = run_functions_rest(functions, n);
	struct layout layout = {.name = strlen("function"), .all = all.item[UPCS_INSTRUCTIONS]};
	char others[64], count[UTIL_NUMBER_MAX];

	for (unsigned c = 0; c < COLUMNS; c++)
		layout.number[c] =
			util_columns(upcs_item_name(columns[c])) + util_columns(run_report_mark(all.doubt));
	for (unsigned i = 0; i < n; i++)
		fit(&layout, &functions->function[i].vector, functions->function[i].name);
	util_format_count(functions->n - n, count);
	snprintf(others, sizeof(others), "%s other%s", count, functions->n - n == 1 ? "" : "s");
	if (n < functions->n)
		fit(&layout, &rest, others);
	fputs("\n Functions, each without what it calls\n\n", report->out);
	print_head(report->out, &layout, all.doubt);
	for (unsigned i = 0; i < n; i++)
		print_row(report->out, &layout, &functions->function[i].vector, functions->function[i].name,
			  run_function_file(&functions->function[i]));
	if (n < functions->n)
		print_row(report->out, &layout, &rest, others, "");
}
