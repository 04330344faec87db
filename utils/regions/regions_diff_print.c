/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff_print.c - two runs as text, JSON and CSV.
 */
#include <math.h>
#include <string.h>

#include "lib/data.h"
#include "regions/regions_diff.h"

enum { COLUMN = 15, NARROW = 12 };

static const char *const verdict[] = {
	[UTIL_OPEN] = "open", [UTIL_SAME] = "same", [UTIL_NOT_TOLD] = "not told",
	[UTIL_LESS] = "less", [UTIL_MORE] = "more",
};

static void put_seconds(FILE *out, const struct regions_counts *counts)
{
	char text[UTIL_NUMBER_MAX] = "-";

	if (counts)
		snprintf(text, sizeof(text), "%.6f", counts->seconds);
	util_put_right(out, text, COLUMN);
}

static void put_calls(FILE *out, const struct regions_counts *counts)
{
	char text[UTIL_NUMBER_MAX] = "-";

	if (counts)
		util_format_count(counts->calls, text);
	util_put_right(out, text, NARROW);
}

static void put_percent(FILE *out, double change, double before)
{
	char text[UTIL_NUMBER_MAX] = "-";

	if (before > 0)
		snprintf(text, sizeof(text), "%+.1f %%", 100 * change / before);
	util_put_right(out, text, NARROW);
}

static void put_value(FILE *out, double value)
{
	char text[UTIL_NUMBER_MAX];

	util_format_count(value < 1.8e19 ? (uint64_t)(value + .5) : UINT64_MAX, text);
	util_put_right(out, text, COLUMN);
}

static unsigned widest(const struct regions_diff *diff)
{
	unsigned width = 20;
	size_t i;

	for (i = 0; i < diff->pairs; i++)
		util_widen(&width, diff->pair[i].name);
	return width < 48 ? width : 48;
}

static void put_times(FILE *out, const struct regions_diff *diff, unsigned first)
{
	static const char *const heads[] = {"Calls", "then", "Time [s]", "then"};
	unsigned i;
	size_t k;

	util_put_left(out, "Region", first);
	for (i = 0; i < 4; i++)
		util_put_right(out, heads[i], i < 2 ? NARROW : COLUMN);
	util_put_right(out, "Change", NARROW);
	fputc('\n', out);
	for (k = 0; k < diff->pairs; k++) {
		const struct regions_pair *pair = &diff->pair[k];

		util_put_left(out, pair->name, first);
		put_calls(out, pair->before);
		put_calls(out, pair->after);
		put_seconds(out, pair->before);
		put_seconds(out, pair->after);
		if (pair->before && pair->after)
			put_percent(out, pair->after->seconds - pair->before->seconds, pair->before->seconds);
		else
			util_put_right(out, pair->before ? "gone" : "new", NARROW);
		fputc('\n', out);
	}
}

static void put_change(FILE *out, const struct regions_diff *diff, const struct regions_changed *changed,
		       unsigned first, unsigned second)
{
	const struct util_difference *d = &changed->difference;

	util_put_left(out, diff->pair[changed->pair].name, first);
	fputs("  ", out);
	util_put_left(out, changed->event, second);
	fputs(changed->exclusive ? "  exclusive" : "  inclusive", out);
	put_value(out, d->before.value);
	put_value(out, d->after.value);
	put_percent(out, d->change, d->before.value);
	if (d->before.exact && d->after.exact) {
		util_put_right(out, "exact", NARROW);
	} else {
		put_percent(out, d->low, d->before.value);
		put_percent(out, d->high, d->before.value);
	}
	fputc('\n', out);
}

bool regions_diff_text(FILE *out, const struct regions_diff *diff, const char *before, const char *after)
{
	unsigned first = widest(diff), second = 5;
	size_t i, told = 0, left[UTIL_MORE + 1] = {0};

	fputs("Regions of ", out);
	util_put(out, before, UINT32_MAX);
	fputs(", then of ", out);
	util_put(out, after, UINT32_MAX);
	fputs("\n\n", out);
	put_times(out, diff, first);
	for (i = 0; i < diff->changes; i++) {
		left[diff->changed[i].difference.verdict]++;
		util_widen(&second, diff->changed[i].event);
	}
	told = left[UTIL_LESS] + left[UTIL_MORE];
	if (told) {
		fputs("\nCounts that differ by more than their errors:\n", out);
		util_put_left(out, "Region", first);
		fputs("  ", out);
		util_put_left(out, "Event", second);
		fputs("           ", out);
		util_put_right(out, "Count", COLUMN);
		util_put_right(out, "then", COLUMN);
		util_put_right(out, "Change", NARROW);
		util_put_right(out, "from", NARROW);
		util_put_right(out, "to", NARROW);
		fputc('\n', out);
	}
	for (i = 0; i < diff->changes; i++)
		if (diff->changed[i].difference.verdict >= UTIL_LESS)
			put_change(out, diff, &diff->changed[i], first, second);
	fprintf(out,
		"\n%zu counts differ, %zu are the same, of %zu the difference is not told from their errors, "
		"%zu were not counted whole.\nTimes are of one run each, and have no errors.\n",
		told, left[UTIL_SAME], left[UTIL_NOT_TOLD], left[UTIL_OPEN]);
	return true;
}

/* ---- for programs --------------------------------------------------------------------------- */

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pair_json(const struct regions_pair *pair)
{
	json_t *object = json_object();

	json_object_set_new(object, "region", util_json_string(pair->name));
	json_object_set_new(object, "calls_before",
			    pair->before ? util_json_count(pair->before->calls) : json_null());
	json_object_set_new(object, "calls_after",
			    pair->after ? util_json_count(pair->after->calls) : json_null());
	json_object_set_new(object, "seconds_before",
			    pair->before ? json_real(pair->before->seconds) : json_null());
	json_object_set_new(object, "seconds_after",
			    pair->after ? json_real(pair->after->seconds) : json_null());
	return object;
}

bool regions_diff_json(FILE *out, const struct regions_diff *diff, const char *before, const char *after)
{
	json_t *root = util_json_begin("upc_regions"), *regions = json_array(), *counts = json_array();
	size_t i;

	for (i = 0; i < diff->pairs; i++)
		json_array_append_new(regions, pair_json(&diff->pair[i]));
	for (i = 0; i < diff->changes; i++) {
		const struct regions_changed *changed = &diff->changed[i];
		const struct util_difference *d = &changed->difference;
		json_t *object = json_object();

		json_object_set_new(object, "region", util_json_string(diff->pair[changed->pair].name));
		json_object_set_new(object, "event", util_json_string(changed->event));
		json_object_set_new(object, "exclusive", json_boolean(changed->exclusive));
		json_object_set_new(object, "before", real_or_null(d->before.value));
		json_object_set_new(object, "after", real_or_null(d->after.value));
		json_object_set_new(object, "change", real_or_null(d->change));
		json_object_set_new(object, "low", real_or_null(d->low));
		json_object_set_new(object, "high", real_or_null(d->high));
		json_object_set_new(object, "chance", real_or_null(d->chance));
		json_object_set_new(object, "verdict", json_string(verdict[d->verdict]));
		json_array_append_new(counts, object);
	}
	json_object_set_new(root, "before", util_json_string(before));
	json_object_set_new(root, "after", util_json_string(after));
	json_object_set_new(root, "regions", regions);
	json_object_set_new(root, "counts", counts);
	return util_json_put(out, root, false) == 0;
}

bool regions_diff_csv(FILE *out, const struct regions_diff *diff)
{
	size_t i;

	fputs("region,event,exclusive,before,after,change,low,high,chance,verdict\n", out);
	for (i = 0; i < diff->changes; i++) {
		const struct regions_changed *changed = &diff->changed[i];
		const struct util_difference *d = &changed->difference;
		char number[6][UTIL_NUMBER_MAX];
		const double value[] = {d->before.value, d->after.value, d->change,
					d->low,          d->high,        d->chance};
		const char *fields[10] = {diff->pair[changed->pair].name, changed->event,
					  changed->exclusive ? "1" : "0"};
		unsigned k;

		for (k = 0; k < 6; k++) {
			snprintf(number[k], sizeof(number[k]), "%.12g", value[k]);
			fields[3 + k] = number[k];
		}
		fields[9] = verdict[d->verdict];
		util_csv_row(out, fields, 10);
	}
	return true;
}
