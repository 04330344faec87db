/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page.c - pages: whatever bytes names have, elements nest and data is JSON; numbers as people read them;
 * errors are reported. The view of a page in a browser is tested by page.sh.
 */
#include <errno.h>
#include <math.h>

#include "page/page_put.h"

#include "../unit_test.h"

/* A page that is written to memory. */
struct written {
	char *text;
	size_t size;
	FILE *out;
	struct page *page;
};

static void begin(struct written *w, const char *title)
{
	w->out = open_memstream(&w->text, &w->size);
	assert_non_null(w->out);
	w->page = page_begin(w->out, title, "subtitle");
	assert_non_null(w->page);
}

static void end(struct written *w)
{
	assert_int_equal(page_end(w->page), 0);
	assert_int_equal(fclose(w->out), 0);
	assert_int_equal(strlen(w->text), w->size);
}

/* ---- elements nest ----------------------------------------------------------------------------- */

/* Skips an attribute's value or an element's name; attributes are quoted, and have no '<' in them. */
static const char *tag_end(const char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != '>'); s++) {
		if (*s == '"')
			quoted = !quoted;
		assert_int_not_equal(*s, '<');
	}
	assert_int_equal(*s, '>');
	return s;
}

/* Each element that begins ends, in turn; texts have no '<', nor an '&' that is none of ours. */
static void assert_nests(const char *s)
{
	char open[64][16];
	unsigned depth = 0;

	assert_memory_equal(s, "<!DOCTYPE html>\n", 16);
	for (s += 16; *s; s++) {
		if (*s == '&' && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) && strncmp(s, "&amp;", 5) &&
		    strncmp(s, "&quot;", 6) && strncmp(s, "&#39;", 5))
			fail_msg("not escaped: %.20s", s);
		if (*s != '<')
			continue;
		if (s[1] == '/') {
			assert_int_not_equal(depth, 0);
			depth--;
			if (strncmp(s + 2, open[depth], strlen(open[depth])) ||
			    s[2 + strlen(open[depth])] != '>')
				fail_msg("in %s: %.20s", open[depth], s);
		} else {
			size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
			const char *close = tag_end(s + 1);

			assert_in_range(n, 1, 15);
			if (close[-1] == '/')
				continue;
			assert_in_range(depth, 0, 62);
			snprintf(open[depth++], 16, "%.*s", (int)n, s + 1);
			s = close;
			if (!strcmp(open[depth - 1], "script") || !strcmp(open[depth - 1], "style")) {
				char last[20];

				snprintf(last, sizeof(last), "</%s>", open[depth - 1]);
				s = strstr(s, last);
				assert_non_null(s);
				s--;
			}
		}
	}
	assert_int_equal(depth, 0);
}

static void assert_utf8(const char *text, size_t size)
{
	json_t *string = json_stringn(text, size);

	assert_non_null(string);
	json_decref(string);
}

/* The JSON of the element with this id, to be dropped. */
static json_t *data_of(const char *text, const char *id)
{
	char begins[80];
	const char *from, *to;
	json_t *value;

	snprintf(begins, sizeof(begins), "id=\"%s\">", id);
	from = strstr(text, begins);
	assert_non_null(from);
	from += strlen(begins);
	to = strstr(from, "</script>");
	assert_non_null(to);
	value = json_loadb(from, (size_t)(to - from), 0, NULL);
	assert_non_null(value);
	return value;
}

/* Each call of the header with this text. */
static void say_all(struct page *page, const char *text)
{
	const struct page_column columns[] = {
		{.header = text, .unit = text, .help = text},
		{.header = text, .kind = PAGE_COUNT},
		{.header = text, .kind = PAGE_NUMBER, .decimals = 3},
		{.header = text, .kind = PAGE_ESTIMATE},
	};
	const struct page_cell cells[] = {
		{.text = text, .depth = 3, .flags = text},
		{.count = UINT64_MAX, .flags = text},
		{.value = NAN},
		{.value = 1234, .interval = true, .low = 1200, .high = 1300, .flags = text},
	};
	const struct page_bar bar = {text, 1, 2, 3};
	const double part[] = {1, 2};
	const struct page_node nodes[] = {{text, PAGE_ROOT, 10}, {text, 0, 6}, {text, 1, 2}};
	size_t i;

	page_fact(page, text, text);
	page_section(page, text);
	page_text(page, text);
	page_note(page, text);
	page_table(page, text, columns, 4);
	for (i = 0; i < PAGE_ROWS + 2; i++)
		page_row(page, cells);
	page_table_end(page);
	page_bars(page, text, text, 2, &bar, 1);
	page_icicle(page, text, text, 2, nodes, 3);
	page_lines(page, &(struct page_chart){.caption = text,
					      .unit = text,
					      .time = part,
					      .n = 2,
					      .line = &(struct page_line){text, part, 0},
					      .lines = 1,
					      .peak = 4,
					      .peak_words = text,
					      .band = &(struct page_band){1, 2, text},
					      .bands = 1});
	page_fact(page, text, text);
}

TEST(hostile_texts)
{
	static const char *const hostile[] = {
		"</script><script>alert(1)</script>",
		"<!--<script>",
		"-->",
		"]]>",
		"\"'><img src=x onerror=y>",
		"&lt;&#0;&",
		"\\\"\\u003c/script>",
		"",
		"\xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80\xe2\x82",
		"\xef\xbf\xbf\xef\xb7\x90\xc2\x85\xe2\x80\xa8\xe2\x80\xae",
		"\xf4\x8f\xbf\xbd\xf0\x9f\x98\x80",
	};
	char every[2 * 255 + 1];
	unsigned i;

	for (i = 0; i < 255; i++) {
		every[i] = (char)(i + 1);
		every[255 + i] = (char)(255 - i);
	}
	every[510] = 0;
	for (i = 0; i <= sizeof(hostile) / sizeof(*hostile); i++) {
		const char *text = i ? hostile[i - 1] : every;
		struct written w;
		json_t *rows;

		begin(&w, text);
		say_all(w.page, text);
		end(&w);
		assert_utf8(w.text, w.size);
		assert_nests(w.text);
		/* Ours: the rows that are data, values over time, and the script. */
		assert_int_equal(times_in(w.text, "<script"), 3);
		assert_null(strstr(w.text, "<!--"));
		rows = data_of(w.text, "table-1-more");
		assert_int_equal(json_array_size(rows), 2);
		json_decref(rows);
		free(w.text);
	}
}

static void assert_text(const char *text, const char *html, const char *json)
{
	struct written w;
	size_t from;

	begin(&w, "t");
	fflush(w.out);
	from = w.size;
	page_put_text(w.page, text);
	fflush(w.out);
	assert_string_equal(w.text + from, html);
	from = w.size;
	page_put_json_text(w.page, text);
	fflush(w.out);
	assert_string_equal(w.text + from, json);
	end(&w);
	free(w.text);
}

TEST(texts)
{
	assert_text("a<b>\"c\"&'d'\\", "a&lt;b&gt;&quot;c&quot;&amp;&#39;d&#39;\\",
		    "a\\u003cb\\u003e\\\"c\\\"\\u0026'd'\\\\");
	assert_text("\n\x1b\x7f", "\xe2\x90\x8a\xe2\x90\x9b\xe2\x90\xa1",
		    "\xe2\x90\x8a\xe2\x90\x9b\xe2\x90\xa1");
	assert_text("\xff-\xc3", "\xef\xbf\xbd-\xef\xbf\xbd", "\xef\xbf\xbd-\xef\xbf\xbd");
	assert_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
		    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_text("\xe2\x80\xae", "\xef\xbf\xbd", "\xef\xbf\xbd");
	assert_text("\xef\xbf\xbf", "\xef\xbf\xbd", "\xef\xbf\xbd");
	assert_text(NULL, "", "");
}

/* ---- numbers ------------------------------------------------------------------------------------ */

#define B "\xe2\x80\xaf"

static void assert_number(double value, unsigned decimals, const char *wanted)
{
	char text[PAGE_NUMBER_MAX];

	page_format_number(value, decimals, text);
	assert_string_equal(text, wanted);
}

TEST(numbers)
{
	char text[PAGE_NUMBER_MAX];

	page_format_count(0, text);
	assert_string_equal(text, "0");
	page_format_count(1000, text);
	assert_string_equal(text, "1" B "000");
	page_format_count(UINT64_MAX, text);
	assert_string_equal(text, "18" B "446" B "744" B "073" B "709" B "551" B "615");
	assert_number(1234567.891, 2, "1" B "234" B "567.89");
	assert_number(999.9996, 3, "1" B "000.000");
	assert_number(-1234, 0,
		      "\xe2\x88\x92"
		      "1" B "234");
	assert_number(0, 3, "0.000");
	assert_number(.000123, 3, "0.00012");
	assert_number(.0006, 3, "0.001");
	assert_number(1e300, 3, "1.00000e+300");
	assert_number(999999999999999, 0, "999" B "999" B "999" B "999" B "999");
	assert_number(INFINITY, 1, "\xe2\x88\x9e");
	assert_number(-INFINITY, 1, "\xe2\x88\x92\xe2\x88\x9e");
	assert_number(NAN, 1, "\xe2\x80\x93");
	assert_number(1, 4000000000u, "1.000000000000");
}

static void assert_interval(double value, double low, double high, const char *wanted)
{
	char text[PAGE_INTERVAL_MAX];

	page_format_interval(value, low, high, 0, text);
	assert_string_equal(text, wanted);
}

TEST(intervals)
{
	assert_interval(5000, 3800, 6200, "\xc2\xb1 1" B "200");
	assert_interval(5000, 3810, 6200, "\xc2\xb1 1" B "200");
	assert_interval(5000, 4000, 6200, "4" B "000 to 6" B "200");
	assert_interval(5000, 4000, INFINITY, "4" B "000 to \xe2\x88\x9e");
	assert_interval(5000, -INFINITY, INFINITY, "\xc2\xb1 ?");
	assert_interval(5000, NAN, 1, "\xc2\xb1 ?");
	assert_interval(0, 0, 0, "\xc2\xb1 0");
	assert_interval(-1e308, -1.7e308, 1.7e308,
			"\xe2\x88\x92"
			"1.70000e+308 to 1.70000e+308");
}

/* ---- tables ------------------------------------------------------------------------------------- */

TEST(cells)
{
	static const struct page_column columns[] = {{.header = "Name"},
						     {.header = "Calls", .kind = PAGE_COUNT},
						     {.header = "Cycles", .kind = PAGE_ESTIMATE}};
	struct page_cell row[3] = {{.text = "a"},
				   {.count = 12345},
				   {.value = 50.5, .interval = true, .low = 40.5, .high = 60.5}};
	struct written w;

	begin(&w, "t");
	page_table(w.page, "c", columns, 3);
	page_row(w.page, row);
	row[0].depth = 1000;
	row[1].absent = true;
	row[2].at_least = true;
	row[2].flags = "rough";
	page_row(w.page, row);
	row[2] = (struct page_cell){.exact = true, .count = UINT64_MAX};
	page_row(w.page, row);
	/* An open table ends with the page. */
	end(&w);
	assert_nests(w.text);
	assert_non_null(strstr(w.text,
			       "<tr><th scope=\"row\">a</th><td class=\"n\" data-v=\"12345\">12" B "345</td>"
			       "<td class=\"n\" data-v=\"50.5\">50.50</td>"
			       "<td class=\"i\"><small>\xc2\xb1 10.00</small></td></tr>"));
	assert_non_null(strstr(
		w.text,
		"<tr><th scope=\"row\" class=\"d24\">a</th><td class=\"n\" data-v=\"\">\xe2\x80\x93</td>"
		"<td class=\"n\" data-v=\"50.5\">\xe2\x89\xa5 50.50</td>"
		"<td class=\"i\"><small></small> <em>rough</em></td></tr>"));
	assert_non_null(strstr(w.text, "data-v=\"18446744073709551616.0\">18" B "446"));
	free(w.text);
}

TEST(long_table)
{
	enum { ROWS = 100000 };
	static const struct page_column columns[] = {{.header = "Name"},
						     {.header = "Time", .kind = PAGE_NUMBER, .decimals = 1}};
	struct page_cell row[2] = {{0}};
	struct written w;
	json_t *rows;
	char name[32];
	unsigned i;

	begin(&w, "t");
	page_table(w.page, "c", columns, 2);
	for (i = 0; i < ROWS; i++) {
		snprintf(name, sizeof(name), "region %u", i);
		row[0].text = name;
		row[1].value = i + .5;
		page_row(w.page, row);
	}
	page_table_end(w.page);
	end(&w);
	assert_nests(w.text);
	assert_int_equal(times_in(w.text, "<tr><th scope=\"row\">"), PAGE_ROWS);
	assert_non_null(strstr(w.text, "The first 1" B "000 of 100" B "000 rows."));
	rows = data_of(w.text, "table-1-more");
	assert_int_equal(json_array_size(rows), ROWS - PAGE_ROWS);
	for (i = PAGE_ROWS; i < ROWS; i += 997) {
		json_t *line = json_array_get(rows, i - PAGE_ROWS);

		snprintf(name, sizeof(name), "region %u", i);
		assert_string_equal(json_string_value(json_array_get(json_array_get(line, 0), 1)), name);
		assert_true(json_real_value(json_array_get(json_array_get(line, 1), 0)) == i + .5);
	}
	json_decref(rows);
	free(w.text);
}

TEST(as_many_as_are_shown)
{
	static const struct page_column column = {.header = "Name"};
	const struct page_cell cell = {.text = "a"};
	struct written w;
	unsigned i;

	begin(&w, "t");
	page_table(w.page, "none", &column, 1);
	page_table_end(w.page);
	page_table(w.page, "all", &column, 1);
	for (i = 0; i < PAGE_ROWS; i++)
		page_row(w.page, &cell);
	page_table_end(w.page);
	page_table_end(w.page);
	end(&w);
	assert_nests(w.text);
	assert_null(strstr(w.text, "class=\"cut\" data-told"));
	assert_int_equal(times_in(w.text, "<script"), 1);
	free(w.text);
}

/* ---- pictures ----------------------------------------------------------------------------------- */

TEST(pictures_of_no_numbers)
{
	const struct page_bar bars[] = {{"a", NAN, -1, INFINITY}, {"b", 0, 0, 0}};
	const struct page_node nodes[] = {{"a", PAGE_ROOT, NAN}, {"b", 0, -1}, {"c", PAGE_ROOT, INFINITY}};
	struct written w;

	begin(&w, "t");
	page_bars(w.page, "b", NULL, 1, bars, 2);
	page_bars(w.page, "none", NULL, 1, bars, 0);
	page_icicle(w.page, "i", NULL, 1, nodes, 3);
	page_icicle(w.page, "none", NULL, 1, nodes, 0);
	end(&w);
	assert_nests(w.text);
	assert_null(strstr(strstr(w.text, "<figure"), "=\"nan"));
	assert_null(strstr(strstr(w.text, "<figure"), "=\"inf"));
	assert_null(strstr(strstr(w.text, "<figure"), "=\"-"));
	free(w.text);
}

TEST(more_bars_than_are_drawn)
{
	static struct page_bar bars[PAGE_BARS + 7];
	struct written w;
	size_t i;

	begin(&w, "t");
	for (i = 0; i < PAGE_BARS + 7; i++)
		bars[i] = (struct page_bar){"a", 1, 1, 1};
	page_bars(w.page, "b", NULL, 1, bars, PAGE_BARS + 7);
	end(&w);
	assert_nests(w.text);
	assert_int_equal(times_in(w.text, "<rect class=\"s1\""), PAGE_BARS);
	assert_non_null(strstr(w.text, "Not drawn: 7<"));
	free(w.text);
}

/* Children that have more than their parent, as estimates may, stay inside of it. */
TEST(icicle)
{
	const struct page_node nodes[] = {
		{"a", PAGE_ROOT, 30}, {"b", 0, 20}, {"c", 0, 40},
		{"d", PAGE_ROOT, 10}, {"e", 3, 5},  {"f", 3, 1e-6},
	};
	struct written w;

	begin(&w, "t");
	page_icicle(w.page, "i", "s", 0, nodes, 6);
	end(&w);
	assert_nests(w.text);
	assert_non_null(
		strstr(w.text,
		       "<svg x=\"0.0000%\" y=\"0\" width=\"75.0000%\" height=\"21\"><title>a: 30 s, 75.0 %"));
	assert_non_null(
		strstr(w.text, "<svg x=\"0.0000%\" y=\"22\" width=\"25.0000%\" height=\"21\"><title>b: "));
	assert_non_null(
		strstr(w.text, "<svg x=\"25.0000%\" y=\"22\" width=\"50.0000%\" height=\"21\"><title>c: "));
	assert_non_null(
		strstr(w.text, "<svg x=\"75.0000%\" y=\"22\" width=\"12.5000%\" height=\"21\"><title>e: "));
	assert_non_null(strstr(w.text, "Not drawn, since too narrow or too deep: 1<"));
	assert_non_null(strstr(w.text, "class=\"tree\" height=\"44\""));
	free(w.text);
}

/* ---- lines over time ---------------------------------------------------------------------------- */

#define GAP 5

/* The path of a line, and its size in bytes. */
static const char *path_of(const char *text, const char *class, size_t *size)
{
	char begins[64];
	const char *path;

	snprintf(begins, sizeof(begins), "<path class=\"%s\" d=\"", class);
	path = strstr(text, begins);
	assert_non_null(path);
	path += strlen(begins);
	*size = strcspn(path, "\"");
	return path;
}

static void assert_path(const char *text, const char *class, const char *wanted)
{
	size_t size;
	const char *path = path_of(text, class, &size);

	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(path, wanted, size);
}

/* Values are not joined where one is missing, nor over a gap in time; one that stands alone is a point. */
TEST(lines)
{
	const double time[] = {0, 1, 2, 3, 10}, a[] = {0, 10, NAN, 5, 5}, b[] = {10, 0, 5, INFINITY, 7};
	const struct page_line line[] = {{"first", a, 0}, {"second", b, 4}};
	const struct page_band band = {2, 3, "taken"};
	struct page_chart chart = {.caption = "c",
				   .unit = "B/s",
				   .decimals = 1,
				   .time = time,
				   .n = 5,
				   .gap = GAP,
				   .line = line,
				   .lines = 2,
				   .peak = 20,
				   .peak_words = "stated",
				   .band = &band,
				   .bands = 1};
	struct written w;

	begin(&w, "t");
	page_lines(w.page, &chart);
	end(&w);
	assert_nests(w.text);
	assert_path(w.text, "l1 t0",
		    "M0.00 220.00L0.00 220.00L100.00 0.00M300.00 110.00L300.00 110.00"
		    "M1000.00 110.00L1000.00 110.00");
	assert_path(w.text, "l2 t0", "M0.00 0.00L0.00 0.00L100.00 220.00L200.00 110.00");
	assert_non_null(strstr(w.text, "<rect class=\"band\" x=\"200.00\" y=\"0\" width=\"100.00\" "
				       "height=\"220\"><title>taken</title></rect>"));
	/* Read without a script: mean, least, most, % of peak, points with a value and without. */
	assert_non_null(strstr(w.text, "first</th><td class=\"n\">5.0</td><td class=\"n\">0.0</td>"
				       "<td class=\"n\">10.0</td><td class=\"n\">25.0</td>"
				       "<td class=\"n\">4</td><td class=\"n\">1</td></tr>"));
	assert_non_null(strstr(w.text, "second</th><td class=\"n\">5.0</td><td class=\"n\">0.0</td>"
				       "<td class=\"n\">10.0</td><td class=\"n\">25.0</td>"
				       "<td class=\"n\">3</td><td class=\"n\">1</td></tr>"));
	assert_non_null(strstr(w.text, "100 % is 20.0 B/s: stated</p>"));
	assert_non_null(strstr(w.text, "2.0 s to 3.0 s: taken</p>"));
	free(w.text);
}

/* Many points: a spike is in a column, a missing value interrupts, and what is written is bounded. */
TEST(many_points)
{
	enum { POINTS = 200000, LINES = 40 };
	static double time[POINTS], value[POINTS];
	struct page_line line[LINES];
	struct page_chart chart = {.caption = "c",
				   .unit = "B/s",
				   .prefix = true,
				   .decimals = 3,
				   .time = time,
				   .n = POINTS,
				   .line = line,
				   .lines = LINES};
	struct written w;
	json_t *all, *low, *high;
	size_t size, i;

	for (i = 0; i < POINTS; i++) {
		time[i] = 60 * (double)i;
		value[i] = 2e9;
	}
	for (i = 0; i < LINES; i++)
		line[i] = (struct page_line){"a", value, 0};
	value[777] = 7e9;
	value[100000] = NAN;
	begin(&w, "t");
	page_lines(w.page, &chart);
	end(&w);
	assert_nests(w.text);
	assert_in_range(w.size, 1, 4000000);
	assert_non_null(strstr(w.text, "200" B "000 points are drawn as 1000 columns"));
	assert_non_null(strstr(w.text, "Not drawn of the lines: 16<"));
	assert_non_null(strstr(w.text, "<small>GB/s</small>"));
	assert_non_null(strstr(w.text, "<td class=\"n\">7.000</td>"));
	path_of(w.text, "l8 t2", &size);
	assert_in_range(size, 1, 20000);
	all = data_of(w.text, "picture-1-data");
	assert_int_equal(json_array_size(json_object_get(all, "lines")), 24);
	low = json_object_get(json_array_get(json_object_get(all, "lines"), 0), "low");
	high = json_object_get(json_array_get(json_object_get(all, "lines"), 0), "high");
	assert_int_equal(json_array_size(low), PAGE_POINTS);
	assert_true(json_real_value(json_array_get(low, 3)) == 2);
	assert_true(json_real_value(json_array_get(high, 3)) == 7);
	assert_true(json_real_value(json_array_get(high, 4)) == 2);
	json_decref(all);
	free(w.text);
}

TEST(lines_of_no_numbers)
{
	const double time[] = {-1e308, 0, 1e308},
		     value[][3] = {{NAN, NAN, NAN}, {-1e308, 1e308, 0}, {0, 1e-320, 0}};
	const struct page_line line[] = {{"none", value[0], 0}, {"large", value[1], 0}, {NULL, value[2], 0}};
	const struct page_band band[] = {
		{NAN, NAN, NULL}, {INFINITY, -INFINITY, "b"}, {-INFINITY, INFINITY, "c"}};
	const double peaks[] = {0, -1, NAN, INFINITY, 1e-320, 1e308};
	struct page_chart chart = {.time = time, .n = 3, .line = line, .lines = 3, .band = band, .bands = 3};
	struct written w;
	unsigned i;

	for (i = 0; i < 24; i++) {
		chart.peak = peaks[i % 6];
		chart.lines = i / 6 == 1 ? 1 : 3;
		chart.line = i / 6 == 2 ? line + 2 : line;
		chart.lines = i / 6 == 2 ? 1 : chart.lines;
		chart.n = i / 6 == 3 ? i % 2 : 3;
		chart.prefix = i & 1;
		begin(&w, "t");
		page_lines(w.page, &chart);
		end(&w);
		assert_nests(w.text);
		assert_null(strstr(strstr(w.text, "<figure"), "nan"));
		assert_null(strstr(strstr(w.text, "<figure"), "=\"inf"));
		free(w.text);
	}
	chart = (struct page_chart){.caption = "none"};
	begin(&w, "t");
	page_lines(w.page, &chart);
	end(&w);
	assert_nests(w.text);
	free(w.text);
}

/* ---- data --------------------------------------------------------------------------------------- */

TEST(data)
{
	json_t *in = json_pack("{s:s, s:[i,f,b,n]}", "</script>&amp;",
			       "<!--<script>\xe2\x80\xa8\xf0\x9f\x98\x80\"\\", "n", 1, 2.5, 1),
	       *out;
	struct written w;

	begin(&w, "t");
	page_data(w.page, "all", in);
	end(&w);
	assert_nests(w.text);
	assert_int_equal(times_in(w.text, "<script"), 2);
	out = data_of(w.text, "all");
	assert_true(json_equal(in, out));
	json_decref(in);
	json_decref(out);
	free(w.text);
}

/* ---- errors ------------------------------------------------------------------------------------- */

/* A file that takes so many bytes. */
static ssize_t take(void *arg, const char *bytes, size_t n)
{
	size_t *left = arg;

	(void)bytes;
	if (n > *left) {
		errno = EDQUOT;
		return 0;
	}
	*left -= n;
	return (ssize_t)n;
}

TEST(write_errors)
{
	static char buffer[1 << 20];
	size_t room;
	FILE *full = fopen("/dev/full", "w");
	struct page *page;
	unsigned failed = 0;

	if (full) {
		page = page_begin(full, "t", NULL);
		assert_non_null(page);
		say_all(page, "a");
		assert_int_equal(page_end(page), ENOSPC);
		fclose(full);
		/* Here the file is first written when the page ends. */
		full = fopen("/dev/full", "w");
		assert_non_null(full);
		setvbuf(full, buffer, _IOFBF, sizeof(buffer));
		page = page_begin(full, "t", NULL);
		assert_non_null(page);
		assert_int_equal(page_end(page), ENOSPC);
		fclose(full);
	}
	for (room = 0; room < 2000000; room += 19991) {
		size_t left = room;
		FILE *out = fopencookie(&left, "w", (cookie_io_functions_t){.write = take});
		int error;

		assert_non_null(out);
		setvbuf(out, buffer, _IOFBF, 512);
		page = page_begin(out, "t", NULL);
		assert_non_null(page);
		say_all(page, "a");
		error = page_end(page);
		if (error)
			assert_int_equal(error, EDQUOT);
		failed += !!error;
		left = SIZE_MAX;
		fclose(out);
	}
	assert_in_range(failed, 1, 100);
}

TEST(misuse)
{
	const struct page_node nodes[] = {{"a", 1, 1}, {"b", PAGE_ROOT, 1}};
	const struct page_cell cell = {0};
	struct written w;

	begin(&w, "t");
	page_row(w.page, &cell);
	assert_int_equal(page_end(w.page), EINVAL);
	fclose(w.out);
	free(w.text);
	begin(&w, "t");
	page_icicle(w.page, "i", NULL, 1, nodes, 2);
	assert_int_equal(page_end(w.page), EINVAL);
	fclose(w.out);
	free(w.text);
	begin(&w, "t");
	page_lines(w.page, &(struct page_chart){.time = (const double[]){1, 1}, .n = 2});
	assert_int_equal(page_end(w.page), EINVAL);
	fclose(w.out);
	free(w.text);
	begin(&w, "t");
	page_lines(w.page, &(struct page_chart){.time = (const double[]){1, NAN}, .n = 2});
	assert_int_equal(page_end(w.page), EINVAL);
	fclose(w.out);
	free(w.text);
	begin(&w, "t");
	page_data(w.page, "none", NULL);
	assert_int_equal(page_end(w.page), EINVAL);
	fclose(w.out);
	free(w.text);
}

UNIT_TESTS(page, NULL, NULL)
