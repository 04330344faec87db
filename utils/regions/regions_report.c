/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_report.c - the order of lines, and the texts of paths and notes, for all forms of the report.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/list.h"
#include "regions/regions_records.h"

/* Number of names that are shown at each end of a deep path. */
enum { PATH_ENDS = 16 };

/* Limit of the ranks without a file that are noted by number. */
enum { RANKS_NAMED = 64 };

/* ---- order --------------------------------------------------------------------------------- */

struct sorting {
	const struct regions_data *data;
	const struct regions_sums *sums;
};

static int by_own_time(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	const uint32_t outside = sorting->data->names.n;
	double s = sorting->sums->line[p].counts.own_seconds, t = sorting->sums->line[q].counts.own_seconds;

	if ((p == outside) != (q == outside))
		return p == outside ? 1 : -1;
	if (s != t)
		return s > t ? -1 : 1;
	return p < q ? -1 : p > q;
}

static int by_parent_and_time(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	const struct regions_path *path = sorting->data->path;
	double s = sorting->sums->line[p].counts.seconds, t = sorting->sums->line[q].counts.seconds;

	if (path[p].parent != path[q].parent)
		return path[p].parent < path[q].parent ? -1 : 1;
	if (s != t)
		return s > t ? -1 : 1;
	return p < q ? -1 : p > q;
}

/* Reorder a list that is sorted by parent so that each path follows its parent. Without recursion. */
static bool walk_tree(const struct sorting *sorting, uint32_t *list, uint32_t n)
{
	const struct regions_path *path = sorting->data->path;
	uint32_t *first = malloc((sorting->sums->keys + 1) * sizeof(*first)),
		 *tree = malloc((n + 1) * sizeof(*tree));
	uint32_t *stack = malloc((n + 1) * sizeof(*stack)), depth = 0, done = 0, i, at;

	if (first && tree && stack) {
		memset(first, 0xff, (sorting->sums->keys + 1) * sizeof(*first));
		for (i = n; i-- > 0;)
			if (path[list[i]].parent != REGIONS_NONE)
				first[path[list[i]].parent] = i;
			else
				stack[depth++] = i;
		while (depth) {
			at = stack[depth - 1];
			tree[done++] = list[at];
			/* The next sibling comes after all paths below this one. */
			if (at + 1 < n && path[list[at + 1]].parent == path[list[at]].parent)
				stack[depth - 1]++;
			else
				depth--;
			if (first[list[at]] != REGIONS_NONE)
				stack[depth++] = first[list[at]];
		}
		memcpy(list, tree, done * sizeof(*list));
	}
	free(first);
	free(tree);
	free(stack);
	return done == n;
}

uint32_t *regions_order(const struct regions_data *data, const struct regions_sums *sums, uint32_t *n)
{
	struct sorting sorting = {.data = data, .sums = sums};
	uint32_t *list = malloc((sums->keys + 1) * sizeof(*list)), i;

	*n = 0;
	if (!list)
		return NULL;
	for (i = 0; i < sums->keys; i++)
		if (sums->line[i].counts.used)
			list[(*n)++] = i;
	qsort_r(list, *n, sizeof(*list), sums->by == REGIONS_BY_NAME ? by_own_time : by_parent_and_time,
		&sorting);
	if (sums->by == REGIONS_BY_NAME || walk_tree(&sorting, list, *n))
		return list;
	free(list);
	return NULL;
}

char *regions_path_text(const struct regions_data *data, uint32_t path, bool whole)
{
	const struct regions_path *all = data->path;
	const uint32_t depth = all[path].depth;
	const uint32_t left = whole || depth <= 2 * PATH_ENDS ? 0 : depth - 2 * PATH_ENDS;
	uint32_t *list = malloc((depth + 1) * sizeof(*list)), n = 0;
	char *text = NULL;
	size_t size;
	FILE *out = list ? open_memstream(&text, &size) : NULL;

	for (uint32_t at = path; out && at; at = all[at].parent)
		list[n++] = all[at].name;
	for (uint32_t i = n; out && i-- > 0;) {
		fprintf(out, "%s%s", data->names.text[list[i]], i ? " / " : "");
		if (left && i == n - PATH_ENDS) {
			fprintf(out, "(%u more) / ", left);
			i -= left;
		}
	}
	if (out && !path)
		fputs("(whole)", out);
	free(list);
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

bool regions_is_outside(const struct regions_data *data, enum regions_by by, uint32_t key)
{
	return by == REGIONS_BY_PATH ? !key : key == data->names.n;
}

double regions_whole_seconds(const struct regions_sums *sums)
{
	double seconds = 0;
	uint32_t i;

	for (i = 0; i < sums->keys; i++)
		seconds += sums->line[i].counts.own_seconds;
	return seconds;
}

struct upcr_value regions_parts_of(const struct regions_sums *sums, uint32_t event)
{
	struct upcr_value parts = upcr_exact(0);

	for (uint32_t i = 0; i < sums->keys; i++)
		if (sums->line[i].counts.used)
			upcr_add_independent(&parts, &sums->line[i].counts.own[event]);
	return parts;
}

/* ---- words --------------------------------------------------------------------------------- */

bool regions_is_nothing(const struct upcr_value *value)
{
	return value->uncounted && !value->estimated && !value->whole;
}

char *regions_thread_text(const struct regions_data *data, const struct regions_process *process,
			  const struct regions_thread *thread)
{
	char tid[24] = "", threads[24] = "", whose[48] = "", *text;

	if (thread->tid >= 0)
		snprintf(tid, sizeof(tid), "%ld ", thread->tid);
	if (thread->threads > 1)
		snprintf(threads, sizeof(threads), " (%u)", thread->threads);
	if (process->rank >= 0)
		snprintf(whose, sizeof(whose), " of rank %ld", process->rank);
	else if (data->processes > 1)
		snprintf(whose, sizeof(whose), " of process %ld", process->pid);
	return asprintf(&text, "%s%s%s%s", tid, thread->name, threads, whose) < 0 ? NULL : text;
}

/* ---- notes --------------------------------------------------------------------------------- */

static bool is_same_region_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool add_note(struct regions_notes *notes, const char *what, const char *name, uint64_t times)
{
	struct regions_note *list;
	size_t i;

	for (i = 0; i < notes->n; i++)
		if (is_same_region_text(notes->note[i].what, what) &&
		    is_same_region_text(notes->note[i].name, name)) {
			notes->note[i].times += times;
			return true;
		}
	if (!util_grow(&notes->note, notes->n, sizeof(*list)))
		return false;
	list = &notes->note[notes->n++];
	*list = (struct regions_note){
		.what = strdup(what), .name = name ? strdup(name) : NULL, .times = times};
	return list->what && (!name || list->name);
}

/* Note the ranks from `from` to below `to` as missing; by name, up to RANKS_NAMED. */
static bool note_gap(struct regions_notes *notes, long from, long to, long ranks, unsigned *named)
{
	static const char what[] = "no file was left: killed, ended without exit, or without regions";
	bool done = true;
	char text[64];

	for (; done && from < to && *named < RANKS_NAMED; from++, (*named)++) {
		snprintf(text, sizeof(text), "rank %ld of %ld", from, ranks);
		done = add_note(notes, what, text, 1);
	}
	return done && (from >= to || add_note(notes, what, "further ranks", (uint64_t)(to - from)));
}

/* Note the ranks that left no file, although others report a larger number of ranks. Processes are sorted by
 * rank. */
static bool note_ranks(const struct regions_data *data, struct regions_notes *notes)
{
	long ranks = 0, next = 0;
	unsigned named = 0;
	size_t i;

	for (i = 0; i < data->processes; i++)
		if (data->process[i].ranks > ranks)
			ranks = data->process[i].ranks;
	for (i = 0; i < data->processes; i++) {
		long rank = data->process[i].rank;

		if (rank >= ranks)
			break;
		if (rank > next && !note_gap(notes, next, rank, ranks, &named))
			return false;
		next = rank >= next ? rank + 1 : next;
	}
	return note_gap(notes, next, ranks, ranks, &named);
}

/* True if the process's end is worth a note. The exit status of a program that runs alone is already
 * upc_regions' status. */
static bool ended_early(const struct regions_process *process)
{
	const char *ended = process->ended ? process->ended : "";

	return !strncmp(ended, "signal ", 7) || !strcmp(ended, REGIONS_NO_END) ||
	       (process->rank >= 0 && !strncmp(ended, "exit status ", 12));
}

/* All processes that ended in the same way. */
struct ends {
	char whose[256]; /* such as "ranks 0-2, 4-15" */
	size_t used;
	double least, most; /* times of last marks, in seconds */
	long from, to;      /* range of ranks that is not in whose yet */
};

static void put_run_ends(struct ends *ends)
{
	const size_t room = sizeof(ends->whose) - ends->used;
	int n;

	if (ends->from < 0 || room < 48) {
		if (ends->from >= 0 && room > 8)
			ends->used += (size_t)sprintf(ends->whose + ends->used, ", ...");
		ends->from = -1;
		return;
	}
	n = snprintf(ends->whose + ends->used, room, ends->from == ends->to ? "%s%ld" : "%s%ld-%ld",
		     ends->used ? ", " : "", ends->from, ends->to);
	ends->used += (size_t)n;
	ends->from = -1;
}

static void add_end(struct ends *ends, const struct regions_process *process)
{
	const long number = process->rank >= 0 ? process->rank : process->pid;

	ends->least = process->seconds < ends->least ? process->seconds : ends->least;
	ends->most = process->seconds > ends->most ? process->seconds : ends->most;
	if (ends->from >= 0 && process->rank >= 0 && number <= ends->to + 1) {
		ends->to = number;
		return;
	}
	put_run_ends(ends);
	ends->from = ends->to = number;
}

static bool same_end(const struct regions_process *p, const struct regions_process *q)
{
	return ended_early(p) && ended_early(q) && (p->rank >= 0) == (q->rank >= 0) && p->ranks == q->ranks &&
	       !strcmp(p->ended, q->ended);
}

/* Note all processes that ended like the one at i, unless an earlier process ended like it and has the
 * note. */
static bool note_end(const struct regions_data *data, size_t i, struct regions_notes *notes)
{
	const struct regions_process *process = &data->process[i];
	struct ends ends = {.least = process->seconds, .most = process->seconds, .from = -1};
	char what[256], whose[320], ranks[32] = "";
	const char *how = process->ended;
	bool several = false;
	size_t k;

	for (k = 0; k < i; k++)
		if (same_end(&data->process[k], process))
			return true;
	for (k = i; k < data->processes; k++)
		if (same_end(&data->process[k], process)) {
			add_end(&ends, &data->process[k]);
			several |= k > i;
		}
	put_run_ends(&ends);
	if (process->rank >= 0 && process->ranks >= 0)
		snprintf(ranks, sizeof(ranks), " of %ld", process->ranks);
	snprintf(whose, sizeof(whose), "%s%s %s%s", process->rank >= 0 ? "rank" : "process",
		 !several             ? ""
		 : process->rank >= 0 ? "s"
				      : "es",
		 ends.whose, ranks);
	if (!strncmp(how, "exit", 4))
		snprintf(what, sizeof(what), "ended with %s", how);
	else if (ends.least < ends.most)
		snprintf(what, sizeof(what), "%s%s, last marks at %.3f to %.3f s",
			 !strncmp(how, "signal", 6) ? "ended by " : "", how, ends.least, ends.most);
	else
		snprintf(what, sizeof(what), "%s%s, last mark at %.3f s",
			 !strncmp(how, "signal", 6) ? "ended by " : "", how, ends.least);
	return add_note(notes, what, whose, 1);
}

/* Note, for each event of which more than 1 % of the whole run is in no row, why that is. */
static bool note_rest(const struct regions_report *report, struct regions_notes *notes)
{
	const struct regions_data *data = report->data;
	bool done = true;

	for (uint32_t i = 0; done && !report->runs && i < data->events.n; i++) {
		const struct upcr_value whole = regions_whole_of(data, i);
		struct upcr_value parts;

		if (whole.uncounted)
			continue;
		parts = regions_parts_of(report->by_name, i);
		if (!parts.uncounted && 100 * (whole.value - parts.value) > whole.value)
			done = add_note(
				notes,
				"more than 1 % of the run is in no row, as what children without regions do, "
				"others before their first mark, and threads behind their last one",
				data->events.text[i], 1);
	}
	return done;
}

bool regions_notes_of(const struct regions_report *report, struct regions_notes *notes)
{
	size_t i, k;

	notes->note = NULL;
	notes->n = 0;
	for (i = 0; i < report->data->processes; i++)
		if (ended_early(&report->data->process[i]) && !note_end(report->data, i, notes))
			return false;
	for (i = 0; i < report->data->processes; i++) {
		const struct regions_process *process = &report->data->process[i];

		for (k = 0; k < process->notes; k++)
			if (!add_note(notes, process->note[k].what, process->note[k].name,
				      process->note[k].times))
				return false;
	}
	if (report->unfinished &&
	    !add_note(notes,
		      "a file was begun and not written whole: killed, ended without exit, or still running",
		      NULL, report->unfinished))
		return false;
	return note_rest(report, notes) && note_ranks(report->data, notes);
}

void regions_notes_free(struct regions_notes *notes)
{
	while (notes->n) {
		free(notes->note[--notes->n].what);
		free(notes->note[notes->n].name);
	}
	free(notes->note);
}
