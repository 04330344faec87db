/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_svg.c - pictures. Lengths along x are shares of the page's width, so that a picture fits a narrow
 * window and its letters keep their shape. Lengths along y are pixels.
 *
 * Terms: page/page.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "page/page_put.h"

/* Return a number that can be drawn; 0 for all others. */
static double drawable_number(double value)
{
	return isfinite(value) && value > 0 ? value : 0;
}

static void put_svg_number(struct page *page, double value, unsigned decimals)
{
	char text[PAGE_NUMBER_MAX];

	page_format_number(value, decimals, text);
	page_put(page, text);
}

void page_figure_begin(struct page *page, const char *kind, const char *caption, const char *unit)
{
	page_block(page);
	page_putf(page, "<figure class=\"%s\" id=\"picture-%u\">\n<figcaption>", kind, ++page->made);
	page_put_text(page, caption);
	if (unit) {
		page_put(page, " <small>");
		page_put_text(page, unit);
		page_put(page, "</small>");
	}
	page_put(page, "</figcaption>\n");
}

void page_figure_end(struct page *page, size_t left_out, const char *words)
{
	char number[PAGE_NUMBER_MAX];

	if (left_out) {
		page_format_count(left_out, number);
		page_putf(page, "<p class=\"cut\">Not drawn%s: %s</p>\n", words, number);
	}
	page_put(page, "</figure>\n");
}

/* ---- bars ----------------------------------------------------------------------------------- */

static void put_bar(struct page *page, const struct page_bar *bar, unsigned decimals, double full)
{
	const double low = 100 * drawable_number(bar->min) / full,
		     high = 100 * drawable_number(bar->max) / full;

	page_put(page, "<tr><th scope=\"row\">");
	page_put_text(page, bar->label);
	page_putf(page,
		  "</th><td class=\"draw\"><svg class=\"bar\" aria-hidden=\"true\">"
		  "<rect class=\"s1\" y=\"3\" height=\"10\" width=\"%.3f%%\"></rect>",
		  100 * drawable_number(bar->mean) / full);
	if (high > low)
		page_putf(page,
			  "<line class=\"spread\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"8\" y2=\"8\"></line>"
			  "<line class=\"spread\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"4\" y2=\"12\"></line>"
			  "<line class=\"spread\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"4\" y2=\"12\"></line>",
			  low, high, low, low, high, high);
	page_put(page, "</svg></td><td class=\"n\">");
	put_svg_number(page, bar->mean, decimals);
	page_put(page, "</td><td class=\"n\"><small>");
	put_svg_number(page, bar->min, decimals);
	page_put(page, " to ");
	put_svg_number(page, bar->max, decimals);
	page_put(page, "</small></td></tr>\n");
}

void page_bars(struct page *page, const char *caption, const char *unit, unsigned decimals,
	       const struct page_bar *bars, size_t n)
{
	const size_t shown = n < PAGE_BARS ? n : PAGE_BARS;
	double full = 0;
	size_t i;

	page_figure_begin(page, "bars", caption, unit);
	for (i = 0; i < shown; i++)
		full = fmax(full, fmax(drawable_number(bars[i].max), drawable_number(bars[i].mean)));
	page_put(page,
		 "<table><thead><tr><th scope=\"col\"></th><td></td><th scope=\"col\" class=\"n\">Mean</th>"
		 "<th scope=\"col\" class=\"n\">Least to most</th></tr></thead>\n<tbody>\n");
	for (i = 0; i < shown; i++)
		put_bar(page, &bars[i], decimals, full > 0 ? full : 1);
	page_put(page, "</tbody></table>\n");
	page_figure_end(page, n - shown, "");
}

/* ---- a tree of calls ------------------------------------------------------------------------ */

#define LINE 22        /* height of a level in pixels */
#define LEVELS 128     /* limit of levels that are drawn */
#define NARROWEST 5e-4 /* share of the whole; narrower nodes are not drawn */

struct place {
	double x, width; /* left end and width, as shares of the whole picture */
	double below;    /* sum of the children's values */
	double next;     /* left end of the next child */
	double scale;    /* the children's width / value; estimates may exceed the parent's value */
	unsigned level;
};

/* Sum the children of each node. Return false if a node comes before its parent. */
static bool sum_up(const struct page_node *nodes, size_t n, struct place *place, double *full)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (nodes[i].parent == PAGE_ROOT)
			*full += drawable_number(nodes[i].value);
		else if (nodes[i].parent < i)
			place[nodes[i].parent].below += drawable_number(nodes[i].value);
		else
			return false;
	}
	return true;
}

static unsigned lay_out_nodes(const struct page_node *nodes, size_t n, struct place *place, double full)
{
	unsigned deepest = 0;
	double next = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct place *p = &place[i], *above = NULL;
		const double value = drawable_number(nodes[i].value);

		if (nodes[i].parent == PAGE_ROOT) {
			p->x = next;
			p->width = full > 0 ? value / full : 0;
			next += p->width;
		} else {
			above = &place[nodes[i].parent];
			p->level = above->level + 1;
			p->x = above->next;
			p->width = value * above->scale;
			above->next += p->width;
		}
		p->next = p->x;
		p->scale = p->below > 0 ? p->width / fmax(p->below, value) : 0;
		if (p->level < LEVELS && p->width >= NARROWEST && p->level > deepest)
			deepest = p->level;
	}
	return deepest;
}

/* Return a colour that depends on the name only, so that it is the same wherever the name appears. */
static unsigned colour_of_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; name && *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 15) % 6 + 1;
}

static void put_svg_node(struct page *page, const struct page_node *node, const struct place *p,
			 unsigned decimals, const char *unit)
{
	page_putf(page, "<svg x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%u\"><title>", 100 * p->x,
		  p->level * LINE, 100 * p->width, LINE - 1);
	page_put_text(page, node->name);
	page_put(page, ": ");
	put_svg_number(page, node->value, decimals);
	if (unit) {
		page_put(page, " ");
		page_put_text(page, unit);
	}
	page_putf(page, ", %.1f %%</title><rect class=\"c%u\" width=\"100%%\" height=\"100%%\"></rect>",
		  100 * p->width, colour_of_name(node->name));
	if (p->width > .008) {
		page_put(page, "<text x=\"5\" y=\"15\">");
		page_put_text(page, node->name);
		page_put(page, "</text>");
	}
	page_put(page, "</svg>\n");
}

void page_icicle(struct page *page, const char *caption, const char *unit, unsigned decimals,
		 const struct page_node *nodes, size_t n)
{
	struct place *place = calloc(n ? n : 1, sizeof(*place));
	double full = 0;
	unsigned deepest;
	size_t i, left_out = 0;

	errno = place ? EINVAL : ENOMEM;
	if (!place || !sum_up(nodes, n, place, &full)) {
		page_failed(page);
		free(place);
		return;
	}
	deepest = lay_out_nodes(nodes, n, place, full);
	page_figure_begin(page, "icicle", caption, unit);
	page_putf(page,
		  "<svg class=\"tree\" height=\"%u\" role=\"group\" aria-label=\"Call tree: the widths are "
		  "shares of the whole\">\n",
		  (deepest + 1) * LINE);
	for (i = 0; i < n; i++)
		if (place[i].level < LEVELS && place[i].width >= NARROWEST)
			put_svg_node(page, &nodes[i], &place[i], decimals, unit);
		else
			left_out++;
	page_put(page, "</svg>\n");
	page_figure_end(page, left_out, ", since too narrow or too deep");
	free(place);
}
