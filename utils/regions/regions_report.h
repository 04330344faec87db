/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_report.h - what upc_regions prints.
 */
#ifndef REGIONS_REPORT_H
#define REGIONS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "metrics/metrics.h"
#include "regions/regions_runs.h"

struct regions_report {
	const struct regions_data *data;
	const struct regions_sums *by_name, *by_path;
	const char *title;
	bool paths, per_thread;
	const struct metrics *metrics; /* or NULL */
	const struct metrics_columns *columns;
	/* Several runs, of which by_name and by_path are the means; or NULL. */
	const struct regions_runs *runs_by_name, *runs; /* runs: by path */
	const int *status;                              /* of each run, as wait has it; or NULL */
	const char *turns;   /* names the measurement in which the runs took turns with others; or NULL */
	unsigned side;       /* in turns (regions_turn) */
	unsigned unfinished; /* files that processes have begun, and not written whole */
};

/* False: out of memory, or errno of a write that failed, which out tells. */
bool regions_print_text(FILE *out, const struct regions_report *report);
bool regions_print_json(FILE *out, const struct regions_report *report);
bool regions_print_csv(FILE *out, const struct regions_report *report);
bool regions_print_hatchet(FILE *out, const struct regions_report *report);
bool regions_print_html(FILE *out, const struct regions_report *report);

/* ---- what they share (regions_report.c) ----------------------------------------------------- */

/* Keys of lines that are used: by name those with most time of their own first, and outside last;
 * by path each below its parent, those with most time first. For the caller to free; NULL: out of
 * memory. *n: how many. */
uint32_t *regions_order(const struct regions_data *data, const struct regions_sums *sums, uint32_t *n);

/* Is a line of what belongs to no region, or, by path, of all. */
bool regions_is_outside(const struct regions_data *data, enum regions_by by, uint32_t key);

/* Time of all lines, of their own: the whole. */
double regions_whole_seconds(const struct regions_sums *sums);

/* Exclusive counts of all lines. */
struct upcr_value regions_parts_of(const struct regions_sums *sums, uint32_t event);

/* Nobody has counted any of it. */
bool regions_is_nothing(const struct upcr_value *value);

/* "4711 name of rank 3". For the caller to free; NULL: out of memory. */
char *regions_thread_text(const struct regions_data *data, const struct regions_process *process,
			  const struct regions_thread *thread);

/* Names of a path from the outermost, with " / " between; "(whole)" of none. Those in the
 * midst of a deep path are a number, unless it is to be whole. For the caller to free. */
char *regions_path_text(const struct regions_data *data, uint32_t path, bool whole);

/* Notes of all processes, those of the same words and name as one, and what the files say by not being
 * there. For the caller to free with regions_notes_free. */
struct regions_notes {
	struct regions_note *note;
	size_t n;
};

bool regions_notes_of(const struct regions_report *report, struct regions_notes *notes);
void regions_notes_free(struct regions_notes *notes);

#endif
