/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_demo.c - writes a page with every element that a page can have, for page.sh: page_demo FILE [ROWS].
 * The names contain hostile text, such as HTML.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

static const char *const names[] = {"main",
				    "solve",
				    "</script><script>document.title='broken'</script>",
				    "exchange \"halo\" & 'edges' <b>",
				    "]]> --> <!-- <style> \\u003c",
				    "broken \xff\xfe\xc3 utf-8",
				    "tab\there, line\nfeed, escape \x1b[31m",
				    "right to left \xe2\x80\xae mark",
				    "\xd0\xb8\xd0\xbc\xd1\x8f \xe5\x90\x8d\xe5\x89\x8d",
				    "a_very_long_name_of_a_function_that_templates_made<std::vector<double, "
				    "std::allocator<double>>, 42>::operator()(unsigned long) const"};
enum { NAMES = sizeof(names) / sizeof(*names) };

static void write_table(struct page *page, size_t rows)
{
	static const struct page_column columns[] = {
		{.header = "Region", .help = "As the \"program\" names it"},
		{.header = "Calls", .kind = PAGE_COUNT},
		{.header = "Time", .unit = "s", .kind = PAGE_NUMBER, .decimals = 6},
		{.header = "PAPI_TOT_CYC", .unit = "inclusive", .kind = PAGE_ESTIMATE},
		{.header = "PAPI_L2_DCM", .unit = "exclusive", .kind = PAGE_ESTIMATE},
	};
	struct page_cell cell[5] = {{0}};
	size_t i;

	page_table(page, "Regions", columns, 5);
	for (i = 0; i < rows; i++) {
		double value = 4.2e9 / (1 + (double)((i * 7) % rows));

		cell[0].text = names[i % NAMES];
		cell[0].depth = i % NAMES > 3 ? (unsigned)(i % 3) + 1 : (unsigned)(i % NAMES);
		cell[1].count = (i * 7919) % 100003;
		cell[1].absent = i == 0;
		cell[2].value = 12.5 / (double)(i + 1);
		cell[3].value = floor(value);
		cell[3].interval = i % 5 != 4;
		cell[3].exact = i % 5 == 4;
		cell[3].count = 18446744073709551615u - i;
		cell[3].low = value * .98;
		cell[3].high = value * 1.02;
		cell[4].value = 12345.0 * (double)(i % 11);
		cell[4].interval = true;
		cell[4].low = 0;
		cell[4].high = 30000.0 * (double)(i % 11);
		cell[4].flags = i % 4 == 1 ? "rough" : i % 4 == 2 ? "rough, <lost>" : NULL;
		cell[4].at_least = i % 7 == 3;
		cell[4].absent = i % 7 == 5;
		page_row(page, cell);
	}
	page_table_end(page);
}

static void write_pictures(struct page *page)
{
	struct page_bar bars[NAMES];
	struct page_node nodes[3 * NAMES + 1] = {{.name = "(whole)", .parent = PAGE_ROOT, .value = 12.5}};
	size_t i;

	for (i = 0; i < NAMES; i++)
		bars[i] = (struct page_bar){names[i], 4.0 / (double)(i + 2), 6.0 / (double)(i + 2),
					    9.5 / (double)(i + 2)};
	for (i = 0; i < NAMES; i++) {
		double value = 12.5 / (double)(1 << (i + 1));

		nodes[1 + i] = (struct page_node){names[i], 0, value};
		nodes[1 + NAMES + i] = (struct page_node){names[(i + 1) % NAMES], 1 + i, value * .7};
		nodes[1 + 2 * NAMES + i] =
			(struct page_node){names[(i + 4) % NAMES], 1 + NAMES + i, value * .4};
	}
	page_bars(page, "Time of 8 threads, inclusive", "s", 3, bars, NAMES);
	page_icicle(page, "Call paths", "s", 6, nodes, 3 * NAMES + 1);
}

/* Write two charts. The first covers a day in minutes: four lines with two gaps and an isolated point. The
 * second covers many more half minutes. */
static void write_lines(struct page *page)
{
	enum { MINUTES = 1440, MANY = 100000, LINES = 4 };
	static double time[MANY], value[LINES][MANY];
	struct page_line line[LINES];
	const struct page_band bands[] = {{18000, 25140, "taken by </title><script> (pid 1)"},
					  {60000, 60000, "yielded"}};
	struct page_chart chart = {.caption = "Memory bandwidth of node17 <numa>",
				   .unit = "B/s",
				   .prefix = true,
				   .decimals = 2,
				   .started = 1792000000,
				   .time = time,
				   .n = MINUTES,
				   .line = line,
				   .lines = LINES,
				   .peak = 25.6e9,
				   .peak_words = "2 channels of 1600 MT/s & 8 bytes",
				   .band = bands,
				   .bands = 2};
	size_t i, k;

	for (i = 0; i < MANY; i++) {
		time[i] = 60 * (double)i;
		for (k = 0; k < LINES; k++)
			value[k][i] = 1e9 * ((double)(4 - k) + sin((double)i / 90 + (double)k));
		value[3][i] += i % 50000 == 777 ? 9e9 : 0;
	}
	for (k = 0; k < LINES; k++) {
		line[k] = (struct page_line){names[k], value[k], 0};
		for (i = 300; i < 420; i++)
			value[k][i] = NAN;
	}
	value[1][360] = 2e9;
	page_lines(page, &chart);
	chart.caption = "Many points";
	chart.n = MANY;
	chart.peak = 0;
	chart.started = 0;
	page_lines(page, &chart);
}

int main(int argc, char **argv)
{
	size_t rows = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 40;
	FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct page *page =
		out ? page_begin(out, "Regions of ./lulesh2.0 -s 30 </title>", "2 processes, 8 threads")
		    : NULL;
	json_t *data;
	int error;

	if (!page) {
		fprintf(stderr, "usage: page_demo FILE [ROWS]\n");
		return 2;
	}
	page_fact(page, "Command", "./lulesh2.0 -s 30 --title '</dd><script>'");
	page_fact(page, "Host", "node17");
	page_fact(page, "Started", "2026-11-23T15:38:22Z");
	page_note(page, "solve: left open inside (12 times)");
	page_text(page,
		  "Values are inclusive. Intervals are of 95 %: of twenty, one does not have what was.");
	page_section(page, "Pictures");
	write_pictures(page);
	page_section(page, "Lines");
	write_lines(page);
	page_section(page, "Tables");
	write_table(page, rows ? rows : 1);
	data = json_pack("{s:s, s:[i,f]}", "na</script>me", "<!--<script>&\xe2\x80\xa8", "numbers", 1, 2.5);
	page_data(page, "data", data);
	json_decref(data);
	error = page_end(page);
	if (fclose(out) && !error)
		error = errno;
	if (error)
		fprintf(stderr, "page_demo: %s\n", strerror(error));
	return error ? 1 : 0;
}
