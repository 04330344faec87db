/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_table.c - formats two snapshots of a shared unit as a table of rates. All functions depend on their
 * arguments only, not on a unit, a clock or a terminal.
 *
 * Names and units come from memory that another process writes. They never exceed their arrays, but may have
 * any bytes. Therefore all go through util_put, and none of them determines the table's width.
 */
#include "top/top_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"

#define NAME_MIN 10    /* minimum width of names, on the narrowest line */
#define NAME_WANTED 20 /* if less width is left for names, other columns are dropped */

/* Default widths of columns. Fixed widths keep the columns in place at each refresh, which makes the table
 * readable. */
#define COUNTER_COLUMNS 4
#define VALUE_COLUMNS 13
#define UNIT_COLUMNS 6
#define RATE_COLUMNS 8

/*
 * Maximum difference of a count that wrapped around. A 64-bit count continues at 0 after 2^64 - 1. If a count
 * decreases and the difference modulo 2^64 exceeds WRAP_MAX, the count was reset: no source counts that many
 * events between two snapshots.
 */
#define WRAP_MAX (UINT64_C(1) << 48)

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define LOUD "\033[1;7m"
#define PLAIN "\033[0m"

/* ---- lines ------------------------------------------------------------- */

/*
 * Return the time that rates cover, in ns. The counts are those of the owner's last update, so this is the
 * time between two updates, not between two snapshots. If counts changed without an update (a register was
 * written, or a source is in memory), the time between the snapshots is the best approximation.
 */
static uint64_t span_ns(const struct top_snapshot *before, const struct top_snapshot *now)
{
	if (now->updated_ns > before->updated_ns)
		return now->updated_ns - before->updated_ns;
	return now->read_ns > before->read_ns ? now->read_ns - before->read_ns : 0;
}

bool top_table_news(const struct top_snapshot *before, const struct top_snapshot *now)
{
	return now->updated_ns != before->updated_ns || now->generation != before->generation ||
	       !now->running || memcmp(now->value, before->value, sizeof(now->value)) != 0;
}

double top_table_seconds(const struct top_snapshot *before, const struct top_snapshot *now)
{
	return before == NULL ? 0 : (double)span_ns(before, now) / 1e9;
}

static bool is_same_monitor_event(const struct upc_monitor_event *a, const struct upc_monitor_event *b)
{
	return a->bound && b->bound && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->unit, b->unit) == 0;
}

static void fill_top_line(const struct top_snapshot *before, const struct top_snapshot *now, unsigned counter,
			  struct top_line *line)
{
	const struct upc_monitor_event *event = &now->event[counter];
	uint64_t span, delta;

	*line = (struct top_line){.counter = counter, .event = event, .value = now->value[counter]};
	if (!event->bound) {
		line->note = TOP_UNBOUND;
		return;
	}
	if (event->kind == UPC_KIND_LEVEL) {
		line->note = now->unread[counter] ? TOP_UNREAD : TOP_LEVEL;
		return;
	}
	if (before != NULL && !is_same_monitor_event(&before->event[counter], event)) {
		line->note = TOP_NEW;
		return;
	}
	span = before != NULL ? span_ns(before, now) : 0;
	if (span == 0) {
		line->note = TOP_FIRST;
		return;
	}
	delta = now->value[counter] - before->value[counter];
	if (now->value[counter] < before->value[counter] && delta > WRAP_MAX) {
		line->note = TOP_RESTART;
		return;
	}
	line->note = TOP_RATE;
	line->rate = (double)delta / ((double)span / 1e9);
}

static int by_counter(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static int by_bound(const struct top_line *x, const struct top_line *y)
{
	return (y->note != TOP_UNBOUND) - (x->note != TOP_UNBOUND);
}

static int by_rate(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;
	int order = by_bound(x, y);

	if (order == 0)
		order = (y->note == TOP_RATE) - (x->note == TOP_RATE);
	if (order == 0)
		order = (y->rate > x->rate) - (y->rate < x->rate);
	return order != 0 ? order : by_counter(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;
	int order = by_bound(x, y);

	if (order == 0)
		order = (y->note != TOP_UNREAD) - (x->note != TOP_UNREAD);
	if (order == 0)
		order = (y->value > x->value) - (y->value < x->value);
	return order != 0 ? order : by_counter(a, b);
}

static int by_event_name(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;
	int order = by_bound(x, y);

	if (order == 0)
		order = strcmp(x->event->name, y->event->name);
	return order != 0 ? order : by_counter(a, b);
}

unsigned top_table_lines(const struct top_snapshot *before, const struct top_snapshot *now,
			 enum top_sort sort, bool all, struct top_line lines[UPC_COUNTERS])
{
	static int (*const order[])(const void *a, const void *b) = {
		[TOP_SORT_RATE] = by_rate,
		[TOP_SORT_COUNT] = by_count,
		[TOP_SORT_COUNTER] = by_counter,
		[TOP_SORT_NAME] = by_event_name,
	};
	unsigned n = 0;

	for (unsigned i = 0; i < UPC_COUNTERS; i++)
		if (all || now->event[i].bound)
			fill_top_line(before, now, i, &lines[n++]);
	qsort(lines, n, sizeof(*lines), order[sort]);
	return n;
}

/* ---- cells ------------------------------------------------------------- */

struct cell {
	char value[UTIL_NUMBER_MAX];
	char unit[UTIL_NUMBER_MAX];
	char rate[UTIL_NUMBER_MAX];
};

static void put_rate(const struct top_line *line, char text[UTIL_NUMBER_MAX])
{
	static const char *const words[] = {
		[TOP_FIRST] = "-", [TOP_LEVEL] = "level", [TOP_RESTART] = "restart",
		[TOP_NEW] = "new", [TOP_UNBOUND] = "-",   [TOP_UNREAD] = "unread",
	};
	uint64_t ns = util_unit_ns(line->event->unit);

	if (line->note != TOP_RATE)
		snprintf(text, UTIL_NUMBER_MAX, "%s", words[line->note]);
	else if (ns == 0)
		util_format_rate(line->rate, text);
	else if (line->rate * (double)ns < 1e14)
		/* For an event in units of time, show the share of the time in percent, not a rate. */
		snprintf(text, UTIL_NUMBER_MAX, "%.1f %%", line->rate * (double)ns / 1e7);
	else
		snprintf(text, UTIL_NUMBER_MAX, "%.2g %%", line->rate * (double)ns / 1e7);
}

static void put_top_cell(const struct top_line *line, struct cell *cell)
{
	util_format_value(line->value, line->event->unit, cell->value, cell->unit);
	if (line->note == TOP_UNREAD)
		snprintf(cell->value, sizeof(cell->value), "-");
	put_rate(line, cell->rate);
}

/* ---- text -------------------------------------------------------------- */

unsigned top_table_cut(FILE *out, const char *text, unsigned width)
{
	if (util_columns(text) <= width)
		return util_put(out, text, width);
	if (width <= 3)
		return util_put(out, "...", width);
	return util_put(out, text, width - 3) + util_put(out, "...", 3);
}

static const char *style_on(const struct top_style *style, const char *sequence)
{
	return style->colour ? sequence : "";
}

/* Print a text on one line, cut to the line's width. */
static void say_cut_line(FILE *out, const struct top_style *style, const char *sequence, const char *text)
{
	sequence = style_on(style, sequence);
	fputs(sequence, out);
	top_table_cut(out, text, style->width);
	fprintf(out, "%s\n", sequence[0] != '\0' ? PLAIN : "");
}

static void put_age(uint64_t ns, char text[UTIL_NUMBER_MAX])
{
	uint64_t s = ns / 1000000000;

	if (s < 60)
		snprintf(text, UTIL_NUMBER_MAX, "%.1f s", (double)(ns / 100000000) / 10);
	else if (s < 120 * 60)
		snprintf(text, UTIL_NUMBER_MAX, "%" PRIu64 " min", s / 60);
	else if (s < 48 * 3600)
		snprintf(text, UTIL_NUMBER_MAX, "%" PRIu64 " h", s / 3600);
	else
		snprintf(text, UTIL_NUMBER_MAX, "%" PRIu64 " days", s / 86400);
}

unsigned top_table_print_head(FILE *out, const struct top_head *head, const struct top_style *style)
{
	const char *state = head->over ? "ended" : head->running ? "running" : "stopped";
	char line[1024], age[UTIL_NUMBER_MAX];
	unsigned n = 2;

	snprintf(line, sizeof(line), "%s%s%s, process %d%s%s%s", head->name, head->user != NULL ? " of " : "",
		 head->user != NULL ? head->user : "", (int)head->process,
		 head->command[0] != '\0' ? " (" : "", head->command, head->command[0] != '\0' ? ")" : "");
	say_cut_line(out, style, BOLD, line);
	put_age(head->age_ns, age);
	snprintf(line, sizeof(line), "%s, %u event%s, counts %s old, configuration %" PRIu64 " by thread %d",
		 state, head->events, head->events == 1 ? "" : "s", age, head->generation,
		 (int)head->changed_by);
	say_cut_line(out, style, "", line);
	if (head->keys != NULL) {
		say_cut_line(out, style, DIM, head->keys);
		n++;
	}
	if (head->changed) {
		snprintf(line, sizeof(line),
			 "*** configuration changed by thread %d: %" PRIu64 " -> %" PRIu64 " ***",
			 (int)head->changed_by, head->generation_before, head->generation);
		say_cut_line(out, style, LOUD, line);
		n++;
	}
	if (head->notice != NULL) {
		snprintf(line, sizeof(line), "*** %s ***", head->notice);
		say_cut_line(out, style, LOUD, line);
		n++;
	}
	return n;
}

/* Widths of the columns of a row; 0: the column is omitted. */
struct layout {
	unsigned counter, value, unit, rate, name;
};

static unsigned count_used_columns(const struct layout *layout)
{
	return (layout->counter > 0 ? layout->counter + 1 : 0) + layout->value +
	       (layout->unit > 0 ? 1 + layout->unit : 0) + 2 + layout->rate + 2;
}

static bool has_room(const struct layout *layout, const struct top_style *style)
{
	return style->width >= count_used_columns(layout) + NAME_WANTED;
}

/* Set the widths of value, unit and rate to the widest cell, and at least to the given widths. */
static void widen_all(struct layout *layout, const struct cell *cells, unsigned n, unsigned value,
		      unsigned rate)
{
	layout->value = value;
	layout->rate = rate;
	for (unsigned i = 0; i < n; i++) {
		util_widen(&layout->value, cells[i].value);
		util_widen(&layout->unit, cells[i].unit);
		util_widen(&layout->rate, cells[i].rate);
	}
}

/* Compute the widths. On a narrow line the name matters more than the unit, the counter's number and fixed
 * widths. */
static struct layout lay_out_columns(const struct cell *cells, unsigned n, const struct top_style *style)
{
	struct layout layout = {.counter = COUNTER_COLUMNS, .unit = UNIT_COLUMNS};

	widen_all(&layout, cells, n, VALUE_COLUMNS, RATE_COLUMNS);
	if (!has_room(&layout, style))
		layout.unit = 0;
	if (!has_room(&layout, style))
		layout.counter = 0;
	if (!has_room(&layout, style)) {
		widen_all(&layout, cells, n, sizeof("count") - 1, sizeof("rate") - 1);
		layout.unit = 0;
	}
	layout.name = style->width > count_used_columns(&layout) + NAME_MIN
			      ? style->width - count_used_columns(&layout)
			      : NAME_MIN;
	return layout;
}

static void print_columns_head(FILE *out, const struct layout *layout)
{
	if (layout->counter > 0)
		fprintf(out, "%*s ", (int)layout->counter, "ctr");
	fprintf(out, "%*s", (int)layout->value, "count");
	if (layout->unit > 0)
		fprintf(out, " %-*s", (int)layout->unit, "unit");
	fprintf(out, "  %*s  event", (int)layout->rate, "rate");
}

static void print_top_row(FILE *out, const struct top_line *line, const struct cell *cell,
			  const struct layout *layout, const struct top_style *style)
{
	const char *dim = line->note == TOP_UNBOUND || (line->note == TOP_RATE && line->rate <= 0)
				  ? style_on(style, DIM)
				  : "";

	fputs(dim, out);
	if (layout->counter > 0)
		fprintf(out, "%*u ", (int)layout->counter, line->counter);
	util_put_right(out, cell->value, layout->value);
	if (layout->unit > 0) {
		fputc(' ', out);
		util_put_left(out, cell->unit, layout->unit);
	}
	util_pad(out, 2);
	util_put_right(out, cell->rate, layout->rate);
	util_pad(out, 2);
	top_table_cut(out, line->event->bound ? line->event->name : "(nothing)", layout->name);
	fprintf(out, "%s\n", dim[0] != '\0' ? PLAIN : "");
}

void top_table_print(FILE *out, const struct top_line *lines, unsigned n, const struct top_style *style)
{
	unsigned rows = style->rows > 0 ? style->rows - 1 : UINT32_MAX, shown = n;
	struct cell cells[UPC_COUNTERS];
	struct layout layout;

	if (n > rows)
		shown = rows > 0 ? rows - 1 : 0;
	for (unsigned i = 0; i < n; i++)
		put_top_cell(&lines[i], &cells[i]);
	layout = lay_out_columns(cells, n, style);
	fputs(style_on(style, BOLD), out);
	print_columns_head(out, &layout);
	fprintf(out, "%s\n", style_on(style, PLAIN));
	for (unsigned i = 0; i < shown; i++)
		print_top_row(out, &lines[i], &cells[i], &layout, style);
	if (shown < n && rows > 0)
		fprintf(out, "%*s%u more\n", COUNTER_COLUMNS + 1, "", n - shown);
}

const char *top_table_note(enum top_note note)
{
	static const char *const word[] = {
		[TOP_RATE] = "rate",       [TOP_FIRST] = "first", [TOP_LEVEL] = "level",
		[TOP_RESTART] = "restart", [TOP_NEW] = "new",     [TOP_UNBOUND] = "unbound",
		[TOP_UNREAD] = "unread",
	};

	return word[note];
}
