/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_text.c - what upc_stat has counted, as a table for people.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "stat/stat_report.h"
#include "lib/stat_table.h"

#define FAILED_MAX 6 /* failed runs that are told one by one */

struct ranked {
	unsigned thread;
	uint64_t key;
};

static int busiest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int oldest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* The event that threads are ranked by: CPU time, where it is counted. */
static unsigned key_event(const struct stat_events *events)
{
	for (unsigned i = 0; i < events->n_own; i++)
		if (util_match("*TASK*CLOCK", events->info[i].name))
			return i;
	return 0;
}

static const char *all_of(enum stat_by by)
{
	return by == STAT_BY_THREAD ? "all threads" : by == STAT_BY_PROCESS ? "all processes" : "all CPUs";
}

/*
 * The parts that the table shows, threads in the order of their birth, and one
 * column for all others.
 */
static void print_parts(const struct stat_report *report, const struct stat_sample *sample,
			const struct stat_row *rows, const struct stat_style *style)
{
	const struct stat_parts *parts = report->parts;
	unsigned n = report->events->n_own, key = key_event(report->events), shown, active = 0, columns;
	struct ranked *rank = calloc(parts->n + 1, sizeof(*rank));
	struct stat_column *column = calloc(parts->n + 1, sizeof(*column));
	uint64_t *values = calloc((size_t)(parts->n + 1) * (n + 1), sizeof(*values));
	uint64_t *together = calloc(n + 1, sizeof(*together));
	unsigned *flags = calloc(n + 1, sizeof(*flags)); /* of the others */
	unsigned *rest = calloc(parts->n + 1, sizeof(*rest));
	char others[40];

	if (rank == NULL || column == NULL || values == NULL || together == NULL || flags == NULL ||
	    rest == NULL) {
		util_error("out of memory");
		goto out;
	}
	for (unsigned t = 0; t < parts->n; t++)
		if (stat_part_is_active(report, &parts->part[t], sample->last)) {
			rank[active].key =
				n > 0 ? stat_part_value(report, &parts->part[t], key, sample->last) : 0;
			rank[active++].thread = t;
		}
	shown = report->top > 0 && report->top < active ? report->top : active;
	qsort(rank, active, sizeof(*rank), busiest_first);
	qsort(rank, shown, sizeof(*rank), oldest_first);
	for (unsigned c = 0; c < active; c++) {
		const struct stat_part *part = &parts->part[rank[c].thread];
		unsigned to = c < shown ? c : shown;
		uint64_t *value = &values[(size_t)to * n];

		column[to].tid = c < shown ? part->tid : 0;
		column[to].name = c < shown ? part->name : others;
		column[to].values = value;
		column[to].flags = c < shown ? part->flags : flags;
		for (unsigned i = 0; i < n; i++)
			value[i] += stat_part_value(report, part, i, sample->last);
	}
	for (unsigned c = shown; c < active; c++)
		rest[c - shown] = rank[c].thread;
	stat_parts_sum(parts, rest, active - shown, together, flags);
	for (unsigned i = 0; i < n && shown < active; i++)
		if (report->events->info[i].kind == UPC_KIND_LEVEL)
			values[(size_t)shown * n + i] = together[i];
	snprintf(others, sizeof(others), "%u others", active - shown);
	columns = shown < active ? shown + 1 : active;
	stat_table_print_columns(report->out, rows, n, all_of(report->by), column, columns, style);
out:
	free(rank);
	free(column);
	free(values);
	free(together);
	free(flags);
	free(rest);
}

/* "0.123456 s elapsed", with the spread of several. */
static void put_seconds(FILE *out, const char *before, double seconds, const char *what,
			const struct stat_spread *spread)
{
	fprintf(out, "%s%.6f s %s", before, seconds, what);
	if (spread != NULL)
		fprintf(out, " +- %.2f %%", stat_spread_percent(spread));
}

static void print_times(const struct stat_report *report, const struct stat_sample *sample,
			const struct stat_runs *runs)
{
	double cpus = stat_cpus_used(report, sample);

	if (runs != NULL) {
		struct stat_spread elapsed = stat_runs_time(runs, STAT_ELAPSED),
				   user = stat_runs_time(runs, STAT_USER),
				   system = stat_runs_time(runs, STAT_SYSTEM);

		put_seconds(report->out, "  ", elapsed.mean, "elapsed", &elapsed);
		put_seconds(report->out, ", ", user.mean, "user", &user);
		put_seconds(report->out, ", ", system.mean, "system", &system);
	} else {
		put_seconds(report->out, "  ", sample->seconds, "elapsed", NULL);
		if (sample->has_program) {
			put_seconds(report->out, ", ", sample->end.seconds[STAT_USER], "user", NULL);
			put_seconds(report->out, ", ", sample->end.seconds[STAT_SYSTEM], "system", NULL);
		}
	}
	if (cpus > 0)
		fprintf(report->out, ", %.3f CPUs used", cpus);
	fputc('\n', report->out);
}

/* How a program ended that did not end well. */
static void put_end(FILE *out, int status)
{
	if (WIFSIGNALED(status))
		fprintf(out, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(out, "exit status %d", WEXITSTATUS(status));
}

static void print_failed(FILE *out, const struct stat_runs *runs)
{
	unsigned failed = stat_runs_failed(runs), told = 0;

	if (failed == 0)
		return;
	fprintf(out, "  %u of %u runs failed; what they counted is in the means\n", failed, runs->n);
	for (unsigned k = 0; k < runs->n && told < FAILED_MAX; k++) {
		if (!stat_run_failed(&runs->run[k]))
			continue;
		fprintf(out, "    run %u: ", k + 1);
		put_end(out, runs->run[k].end.status);
		fputc('\n', out);
		told++;
	}
	if (told < failed)
		fprintf(out, "    and %u more\n", failed - told);
}

static void print_end(const struct stat_report *report, const struct stat_sample *sample,
		      const struct stat_runs *runs)
{
	FILE *out = report->out;

	fputc('\n', out);
	print_times(report, sample, runs);
	if (sample->has_program && sample->end.max_resident_kib > 0) {
		char most[UTIL_NUMBER_MAX];

		util_format_count(sample->end.max_resident_kib, most);
		fprintf(out, "  %s KiB resident at most\n", most);
	}
	if (runs != NULL) {
		print_failed(out, runs);
	} else if (sample->has_program && WIFSIGNALED(sample->end.status)) {
		fputs("  ended by ", out);
		put_end(out, sample->end.status);
		fputs(sample->end.timed_out ? ", by --timeout\n" : "\n", out);
	}
	if (report->delay > 0)
		fprintf(out, "  counted from %.3f s after the start on\n", report->delay);
	fputc('\n', out);
}

static void print_title(const struct stat_report *report, const struct stat_runs *runs, unsigned width)
{
	char means[40] = "";
	unsigned room;
	bool fits;

	if (runs != NULL)
		snprintf(means, sizeof(means), ", mean of %u run%s", runs->n, runs->n == 1 ? "" : "s");
	room = width - 12 - (unsigned)strlen(means);
	fits = util_columns(report->title) <= room;
	fputs(" Counts of ", report->out);
	util_put(report->out, report->title, fits ? room : room - 3);
	fprintf(report->out, "%s%s\n\n", fits ? "" : "...", means);
}

/* A tracepoint that the catalogue knows nothing of is described by its own name:
 * that says nothing more beside it. */
static const char *describe_stat_event(const struct upc_event_info *info)
{
	const char *own = strstr(info->name, "::");

	if (info->description == NULL || (own != NULL && strstr(info->description, own + 2) != NULL))
		return "";
	return info->description;
}

static struct stat_row make_event_row(const struct stat_report *report, const struct stat_sample *sample,
				      const struct stat_runs *runs, unsigned i)
{
	const struct upc_event_info *info = &report->events->info[i];
	struct stat_row row = {
		.name = info->name,
		.unit = info->unit,
		.subsystem = info->subsystem,
		.description = describe_stat_event(info),
		.scope = info->scope,
		.kind = info->kind,
		.flags = sample->flags[i],
		.value = sample->values[i],
	};

	if (runs != NULL) {
		struct stat_spread spread = stat_runs_event(runs, i);

		row.repeated = true;
		row.mean = spread.mean;
		row.spread = stat_spread_percent(&spread);
	}
	return row;
}

void stat_text_print(const struct stat_report *report, const struct stat_sample *sample,
		     const struct stat_runs *runs)
{
	const struct stat_events *events = report->events;
	struct stat_row *rows = calloc(events->n + 1, sizeof(*rows));
	struct stat_style style = {
		.width = util_width(report->out),
		.colour = util_colour(report->out),
		.seconds = sample->seconds,
		.zeros = report->zeros,
		/* Every interval would repeat the same names. */
		.unseen = sample->last,
	};
	unsigned own = report->parts != NULL ? events->n_own : 0;

	if (rows == NULL) {
		util_error("out of memory");
		return;
	}
	for (unsigned i = 0; i < events->n; i++)
		rows[i] = make_event_row(report, sample, runs, i);
	fputc('\n', report->out);
	if (sample->last)
		print_title(report, runs, style.width);
	else
		fprintf(report->out, report->repeat > 1 ? " at %.3f s of run %u\n" : " at %.3f s\n",
			sample->time, report->run);
	if (own > 0) {
		print_parts(report, sample, rows, &style);
		if (own < events->n)
			fputc('\n', report->out);
	}
	stat_table_print(report->out, rows + own, events->n - own, &style);
	if (sample->last)
		print_end(report, sample, runs);
	free(rows);
}
