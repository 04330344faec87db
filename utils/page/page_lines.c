/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_lines.c - draws values over time. Lines are in a coordinate space that is stretched to the page's
 * width; the scales next to it have unstretched letters. Without a script the page shows scales, a table of
 * each line's values, and the times in which something was not counted.
 *
 * Terms: page/page.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page/page_axis.h"
#include "page/page_columns.h"
#include "page/page_put.h"

enum {
	WIDE = 1000, /* width of the lines' coordinate space */
	HIGH = 220,  /* height of the lines' coordinate space, also in pixels */
	TOP = 8,     /* margin above the lines in pixels, half the height of a letter */
	STEPS = 5,
	BANDS = 10, /* limit of bands that are described in words */
	BANDS_DRAWN = 1000,
	COLOURS = 8,
	STYLES = 3, /* solid, dashed, dotted */
};

struct drawing {
	struct page *page;
	const struct page_chart *chart;
	struct page_columns columns;
	size_t lines;
	struct page_scale scale;
	double unit; /* divisor of written values */
	const char *prefix;
	double from, to; /* first and last time */
	double step;     /* between marks of time */
};

static double x_of(const struct drawing *d, double time)
{
	const double whole = d->to / 2 - d->from / 2;

	return whole > 0 ? fmin(1, fmax(0, (time / 2 - d->from / 2) / whole)) : .5;
}

static double y_of(const struct drawing *d, double value)
{
	return HIGH * (1 - (value / d->unit - d->scale.low) / (d->scale.high - d->scale.low));
}

/* ---- scales --------------------------------------------------------------------------------- */

static void measure_drawing(struct drawing *d)
{
	double least = 0, most = 0;
	size_t i;

	for (i = 0; i < d->lines * d->columns.n; i++) {
		least = fmin(least, d->columns.value[i].low);
		most = fmax(most, d->columns.value[i].high);
	}
	d->unit = 1;
	d->prefix = "";
	if (d->chart->prefix)
		d->unit = page_prefix_of(fmax(most, -least), &d->prefix);
	d->scale = page_scale_of(least / d->unit, most / d->unit, STEPS);
	if (d->columns.n) {
		d->from = d->chart->time[0];
		d->to = d->chart->time[d->chart->n - 1];
	}
	d->step = page_time_step(d->to - d->from, STEPS);
}

static void put_unit(const struct drawing *d)
{
	page_put_text(d->page, d->prefix);
	page_put_text(d->page, d->chart->unit);
}

static void put_line_values(const struct drawing *d)
{
	const unsigned marks = page_scale_marks(&d->scale);
	char text[PAGE_NUMBER_MAX];
	unsigned k;

	page_putf(d->page, "<svg class=\"scale\" height=\"%d\" aria-hidden=\"true\">", HIGH + 2 * TOP);
	for (k = 0; k < marks; k++) {
		const double value = page_scale_mark(&d->scale, k);

		page_format_number(value, d->scale.decimals, text);
		page_putf(d->page, "<text x=\"100%%\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
			  TOP + 4 + y_of(d, value * d->unit), text);
	}
	page_put(d->page, "</svg>\n");
}

/* Draw the scale in percent. A text below the chart gives the value of 100 %, since most lines are far below
 * 100 %. */
static void put_percents(const struct drawing *d)
{
	const double whole = d->chart->peak / d->unit / 100;
	struct page_scale scale;
	char text[PAGE_NUMBER_MAX];
	unsigned k, marks;

	page_putf(d->page, "<svg class=\"scale percent\" height=\"%d\" aria-hidden=\"true\">",
		  HIGH + 2 * TOP);
	scale = page_scale_of(d->scale.low / whole, d->scale.high / whole, STEPS);
	marks = page_scale_marks(&scale);
	for (k = 0; k < marks; k++) {
		const double value = page_scale_mark(&scale, k), y = y_of(d, value * whole * d->unit);

		if (!(y >= -1 && y <= HIGH + 1))
			continue;
		page_format_number(value, scale.decimals, text);
		page_putf(d->page,
			  "<line x1=\"0\" x2=\"4\" y1=\"%.1f\" y2=\"%.1f\"></line>"
			  "<text x=\"8\" y=\"%.1f\">%s %%</text>",
			  TOP + y, TOP + y, TOP + 4 + y, text);
	}
	page_put(d->page, "</svg>\n");
}

/* Draw the marks of time: with words their labels, else their grid lines. */
static void put_hours(const struct drawing *d, bool words)
{
	const double first = ceil(d->from / d->step - 1e-9);
	char text[PAGE_TIME_MAX];
	unsigned k;

	for (k = 0; d->columns.n && k < 4 * STEPS; k++) {
		const double time = (first + k) * d->step;
		const double x = 100 * x_of(d, time);

		if (time > d->to + d->step * 1e-9)
			break;
		if (words) {
			page_format_time(time, d->step, text);
			page_putf(d->page, "<text x=\"%.3f%%\" y=\"14\" text-anchor=\"%s\">%s</text>", x,
				  x < 3    ? "start"
				  : x > 97 ? "end"
					   : "middle",
				  text);
		} else {
			page_putf(
				d->page,
				"<line class=\"grid\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"></line>",
				x, x, TOP, TOP + HIGH);
		}
	}
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void put_line_path(const struct drawing *d, size_t line)
{
	const struct page_column_value *value = d->columns.value + line * d->columns.n;
	size_t i;

	page_putf(d->page, "<path class=\"l%u t%u\" d=\"", (unsigned)(line % COLOURS) + 1,
		  (unsigned)(line / COLOURS % STYLES));
	for (i = 0; i < d->columns.n; i++, value++) {
		const double x = WIDE * x_of(d, d->columns.time[i]);
		const double y[] = {y_of(d, value->low), y_of(d, value->high)};

		if (isnan(value->low))
			continue;
		page_putf(d->page, "%s%.2f %.2f", value->interrupted ? "M" : "L", x, y[value->down]);
		/* A single point is a line of length 0, whose round ends are visible. */
		if (value->high > value->low || value->interrupted)
			page_putf(d->page, "L%.2f %.2f", x, y[!value->down]);
	}
	page_put(d->page, "\"></path>\n");
}

static void put_bands(const struct drawing *d)
{
	const struct page_band *band = d->chart->band;
	size_t i;

	for (i = 0; i < d->chart->bands && i < BANDS_DRAWN; i++) {
		const double from = WIDE * x_of(d, band[i].from), to = WIDE * x_of(d, band[i].to);

		if (!(band[i].to >= d->from && band[i].from <= d->to))
			continue;
		page_putf(d->page,
			  "<rect class=\"band\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"><title>",
			  from, fmax(to - from, 1), HIGH);
		page_put_text(d->page, band[i].label);
		page_put(d->page, "</title></rect>\n");
	}
}

static void put_plot(const struct drawing *d)
{
	unsigned k;
	size_t i;

	page_putf(d->page, "<svg class=\"plot\" height=\"%d\" role=\"img\" aria-label=\"", HIGH + 2 * TOP);
	page_put_text(d->page, d->chart->caption);
	page_put(d->page, ": lines over time\">\n");
	put_hours(d, false);
	for (k = 0; k < page_scale_marks(&d->scale); k++) {
		const double y = TOP + y_of(d, page_scale_mark(&d->scale, k) * d->unit);

		page_putf(d->page,
			  "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"></line>", y, y);
	}
	page_putf(d->page,
		  "\n<svg y=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">\n", TOP,
		  HIGH, WIDE, HIGH);
	put_bands(d);
	for (i = 0; i < d->lines; i++)
		put_line_path(d, i);
	page_put(d->page, "</svg>\n</svg>\n");
}

/* ---- text parts ---------------------------------------------------------------------------------- */

static void put_lines_number(const struct drawing *d, double value)
{
	char text[PAGE_NUMBER_MAX];

	page_format_number(value / d->unit, d->chart->decimals, text);
	page_put(d->page, text);
}

static void put_legend_row(const struct drawing *d, size_t line)
{
	const double *value = d->chart->line[line].value;
	const size_t own = d->chart->line[line].n ? d->chart->line[line].n : d->chart->n;
	double sum = 0, least = INFINITY, most = -INFINITY;
	size_t n = 0, i;

	for (i = 0; i < d->chart->n && i < own; i++) {
		if (!isfinite(value[i]))
			continue;
		n++;
		sum += (value[i] - sum) / (double)n;
		least = fmin(least, value[i]);
		most = fmax(most, value[i]);
	}
	page_putf(
		d->page,
		"<tr><th scope=\"row\"><svg class=\"key\" viewBox=\"0 0 22 10\" aria-hidden=\"true\"><path class=\"l%u "
		"t%u\" d=\"M1 5L21 5\"></path></svg>",
		(unsigned)(line % COLOURS) + 1, (unsigned)(line / COLOURS % STYLES));
	page_put_text(d->page, d->chart->line[line].label);
	page_put(d->page, "</th><td class=\"n\">");
	put_lines_number(d, n ? sum : NAN);
	page_put(d->page, "</td><td class=\"n\">");
	put_lines_number(d, n ? least : NAN);
	page_put(d->page, "</td><td class=\"n\">");
	put_lines_number(d, n ? most : NAN);
	page_put(d->page, "</td>");
	if (d->chart->peak > 0) {
		char text[PAGE_NUMBER_MAX];

		page_format_number(n ? 100 * (sum / d->chart->peak) : NAN, 1, text);
		page_putf(d->page, "<td class=\"n\">%s</td>", text);
	}
	page_putf(d->page, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td></tr>\n", n, i - n);
}

static void put_legend(const struct drawing *d)
{
	size_t i;

	page_put(d->page, "<div class=\"box\"><table><thead><tr><th scope=\"col\"><small>");
	put_unit(d);
	page_put(d->page, "</small></th><th scope=\"col\" class=\"n\">Mean</th><th scope=\"col\" "
			  "class=\"n\">Least</th><th scope=\"col\" class=\"n\">Most</th>");
	if (d->chart->peak > 0)
		page_put(d->page, "<th scope=\"col\" class=\"n\">Mean, % of peak</th>");
	page_put(d->page, "<th scope=\"col\" class=\"n\">Points</th><th scope=\"col\" "
			  "class=\"n\">Without a value</th></tr></thead>\n<tbody>\n");
	for (i = 0; i < d->lines; i++)
		put_legend_row(d, i);
	page_put(d->page, "</tbody></table></div>\n");
}

static void put_said(const struct drawing *d)
{
	const struct page_chart *chart = d->chart;
	char number[PAGE_NUMBER_MAX], from[PAGE_TIME_MAX], to[PAGE_TIME_MAX];
	size_t i;

	if (chart->peak > 0) {
		page_put(d->page, "<p class=\"cut\">100 % is ");
		put_lines_number(d, chart->peak);
		page_put(d->page, " ");
		put_unit(d);
		page_put(d->page, chart->peak_words ? ": " : "");
		page_put_text(d->page, chart->peak_words);
		page_put(d->page, "</p>\n");
	}
	if (chart->n > d->columns.n) {
		page_format_count(chart->n, number);
		page_putf(
			d->page,
			"<p class=\"cut\">%s points are drawn as %zu columns, each from the least to the most that "
			"is in it.</p>\n",
			number, d->columns.n);
	}
	for (i = 0; i < chart->bands && i < BANDS; i++) {
		const double step = fmin(d->step / 10, 1);

		page_format_time(chart->band[i].from, step, from);
		page_format_time(chart->band[i].to, step, to);
		page_putf(
			d->page,
			"<p class=\"cut\"><svg class=\"key\" viewBox=\"0 0 22 10\" aria-hidden=\"true\"><rect "
			"class=\"band\" width=\"22\" height=\"10\"></rect></svg>%s to %s: ",
			from, to);
		page_put_text(d->page, chart->band[i].label);
		page_put(d->page, "</p>\n");
	}
	if (chart->bands > BANDS)
		page_putf(d->page, "<p class=\"cut\">... and %zu more times.</p>\n", chart->bands - BANDS);
}

/* ---- data ----------------------------------------------------------------------------------- */

static json_t *real_of(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *line_data(const struct drawing *d, size_t line)
{
	const struct page_column_value *value = d->columns.value + line * d->columns.n;
	json_t *low = json_array(), *high = json_array();
	size_t i;

	for (i = 0; i < d->columns.n; i++) {
		json_array_append_new(low, real_of(value[i].low / d->unit));
		json_array_append_new(high, real_of(value[i].high / d->unit));
	}
	return json_pack("{s:o, s:o}", "low", low, "high", high);
}

/* Write the data for the script, without labels. The script takes the labels from the table, where
 * page_put_text has already replaced invalid characters. */
static void put_data(const struct drawing *d)
{
	json_t *time = json_array(), *x = json_array(), *line = json_array(), *all;
	char id[48];
	size_t i;

	for (i = 0; i < d->columns.n; i++) {
		json_array_append_new(time, json_real(d->columns.time[i]));
		json_array_append_new(x, json_real(x_of(d, d->columns.time[i])));
	}
	for (i = 0; i < d->lines; i++)
		json_array_append_new(line, line_data(d, i));
	all = json_pack("{s:o, s:o, s:o, s:f, s:f, s:i, s:i, s:i, s:f, s:f, s:f}", "time", time, "x", x,
			"lines", line, "low", d->scale.low, "high", d->scale.high, "top", TOP, "height", HIGH,
			"decimals", (int)(d->chart->decimals < 12 ? d->chart->decimals : 12), "started",
			d->chart->started, "peak",
			d->chart->peak > 0 && isfinite(d->chart->peak) ? d->chart->peak / d->unit : 0.,
			"step", d->step);
	snprintf(id, sizeof(id), "picture-%u-data", d->page->made);
	page_data(d->page, id, all);
	json_decref(all);
}

/* ---- all ------------------------------------------------------------------------------------ */

void page_lines(struct page *page, const struct page_chart *chart)
{
	struct drawing d = {
		.page = page, .chart = chart, .lines = chart->lines < PAGE_LINES ? chart->lines : PAGE_LINES};
	const int error = page_columns_make(chart, d.lines, &d.columns);

	if (error || !isfinite(chart->started)) {
		page_columns_free(&d.columns);
		errno = error ? error : EINVAL;
		page_failed(page);
		return;
	}
	measure_drawing(&d);
	page_figure_begin(page, "lines", chart->caption, NULL);
	page_put(page, "<p class=\"axes\"><span>");
	put_unit(&d);
	page_put(page, chart->peak > 0 ? "</span><span>% of peak</span></p>\n" : "</span></p>\n");
	page_putf(page, "<div class=\"chart%s\">\n", chart->peak > 0 ? " two" : "");
	put_line_values(&d);
	put_plot(&d);
	if (chart->peak > 0)
		put_percents(&d);
	page_put(page, "<svg class=\"hours\" height=\"20\" aria-hidden=\"true\">");
	put_hours(&d, true);
	page_putf(page, "</svg>\n</div>\n<p class=\"axes time\">time, %s</p>\n", page_time_unit(d.step));
	put_legend(&d);
	put_said(&d);
	put_data(&d);
	page_figure_end(page, chart->lines - d.lines, " of the lines");
	page_columns_free(&d.columns);
}
