/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_report.h - the report of upc_regions.
 * Terms: regions/regions_data.h.
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
	/* Several runs, whose means are by_name and by_path; NULL for one run. */
	const struct regions_runs *runs_by_name, *runs; /* runs: by path */
	const int *status;                              /* of each run, as wait returns it; or NULL */
	const char *turns; /* identifies the measurement in which the runs took turns with others; or NULL */
	unsigned side;     /* side of these runs in that measurement (regions_turn) */
	unsigned unfinished; /* files that processes began and did not complete */
};

/* Print the report in one form. False if out of memory, or if a write failed, with errno; ferror(out) is then
 * true. */
bool regions_print_text(FILE *out, const struct regions_report *report);
bool regions_print_json(FILE *out, const struct regions_report *report);
bool regions_print_csv(FILE *out, const struct regions_report *report);
bool regions_print_hatchet(FILE *out, const struct regions_report *report);
bool regions_print_html(FILE *out, const struct regions_report *report);

/* ---- functions that all forms share (regions_report.c) ------------------------------------------- */

/* Return the keys of used lines, *n of them; the caller frees them. NULL: out of memory. By name, the keys
 * with the most exclusive time come first, and outside comes last. By path, each key follows its parent, and
 * siblings with more time come first. */
uint32_t *regions_order(const struct regions_data *data, const struct regions_sums *sums, uint32_t *n);

/* True for the line of outside, or, by path, for the line of the whole. */
bool regions_is_outside(const struct regions_data *data, enum regions_by by, uint32_t key);

/* Return the exclusive time of all lines, which is the whole. */
double regions_whole_seconds(const struct regions_sums *sums);

/* Return the exclusive counts of all lines. */
struct upcr_value regions_parts_of(const struct regions_sums *sums, uint32_t event);

/* True if no part of the value was counted. */
bool regions_is_nothing(const struct upcr_value *value);

/* Return a text like "4711 name of rank 3", which the caller frees; NULL: out of memory. */
char *regions_thread_text(const struct regions_data *data, const struct regions_process *process,
			  const struct regions_thread *thread);

/* Return the names of a path from the outermost one, separated by " / "; "(whole)" for the empty path. In a
 * deep path, the number of middle names replaces these names, unless whole is true. The caller frees the
 * text. */
char *regions_path_text(const struct regions_data *data, uint32_t path, bool whole);

/* Notes of all processes, those with equal words and name merged, and notes of missing files. The caller
 * frees them with regions_notes_free. */
struct regions_notes {
	struct regions_note *note;
	size_t n;
};

bool regions_notes_of(const struct regions_report *report, struct regions_notes *notes);
void regions_notes_free(struct regions_notes *notes);

#endif
