/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_progress.c - prints a line on the terminal that shows a simulated program's progress.
 *
 * No output of the program may be overwritten. If the program's standard output is a terminal, there is no
 * line unless --progress was given, and then the lines scroll. Otherwise each line overwrites the line
 * before, and the cursor stays at the line's end, where a message of the program would follow.
 */
#include "run/run_progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/common.h"

#define FIRST_NS 1000000000
#define EVERY_NS 500000000
#define TEXT_MAX 120

/* True if upc_run is in the foreground. A background process would be stopped by writing, or write into the
 * foreground's output. */
static bool is_terminal_ours(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* True if stderr is a terminal and the program does not write to one. */
static bool is_alone(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

bool run_progress_is_shown(enum run_progress progress)
{
	return progress == RUN_PROGRESS_ON || (progress == RUN_PROGRESS_TERMINAL && is_alone());
}

void run_progress_begin(struct run_progress_line *line, enum run_progress progress, int64_t ns)
{
	*line = (struct run_progress_line){
		.shown = run_progress_is_shown(progress),
		.alone = is_alone(),
		.time = ns,
		.start = ns,
	};
}

int64_t run_progress_due(const struct run_progress_line *line)
{
	if (!line->shown)
		return -1;
	return line->time == line->start ? line->start + FIRST_NS : line->time + EVERY_NS;
}

/* Return the instructions per second since the last line. */
static double rate_since_line(const struct run_progress_line *line, uint64_t instructions, int64_t ns)
{
	if (ns <= line->time)
		return 0;
	return (double)(instructions - line->instructions) * 1e9 / (double)(ns - line->time);
}

void run_progress_show(struct run_progress_line *line, const struct run_counts *counts,
		       const struct upcs_results *results, int64_t ns)
{
	char text[TEXT_MAX], count[UTIL_NUMBER_MAX];
	uint64_t instructions;
	unsigned threads;

	instructions = run_instructions(counts, results, &threads);
	util_format_count(instructions / 1000000, count);
	snprintf(text, sizeof(text), "%.1f s, %s million instructions, %.1f million a second, %u thread%s",
		 (double)(ns - line->start) / 1e9, count, rate_since_line(line, instructions, ns) / 1e6,
		 threads, threads == 1 ? "" : "s");
	line->instructions = instructions;
	line->time = ns;
	if (isatty(STDERR_FILENO) && !is_terminal_ours())
		return;
	if (!line->alone) {
		fprintf(stderr, "upc_run: %s\n", text);
		return;
	}
	fputs("\r", stderr);
	util_put(stderr, text, util_width(stderr) - 1);
	fputs("\033[K", stderr);
	fflush(stderr);
	line->written = true;
}

void run_progress_end(struct run_progress_line *line)
{
	if (line->written && is_terminal_ours()) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	line->written = false;
}
