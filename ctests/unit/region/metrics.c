/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics: files that are right and wrong; values, errors and intervals of counts whose truth is
 * known; how often intervals hold the truth; missing and partial counts.
 */
#include "../test_dir.h"
#include "metrics/metrics.h"
#include "stat/level.h"

#define EVENTS                                \
	"upc-metrics 1\n"                     \
	"event A = perf \"skl::A\"\n"         \
	"event B = perf \"perf::B-WITH:u\"\n" \
	"event C = perf \"upc:::C\"\n"

static const char *const names[] = {"skl::A", "perf::B-WITH:u", "C"};

static struct metrics *parse(const char *text)
{
	struct metrics *m;

	if (metrics_parse(text, strlen(text), "share/test.metrics", &m))
		fail_msg("%s", upc_last_message());
	return m;
}

static struct upcr_value estimated(double value, double error, double freedom, unsigned flags)
{
	double half = error * mpxi_level_default_student(fmin(freedom, 1e6));

	return upcr_estimated(value, error, value - half, value + half, .5, flags);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

/* The metric of one formula over A, B and C. */
static struct metric_value value_of(const char *formula, const struct metrics_counts *counts)
{
	char text[1000];
	struct metrics *m;
	struct metrics_columns *columns;
	struct metric_value value;

	snprintf(text, sizeof(text), EVENTS "derived M = \"%s\"\n", formula);
	m = parse(text);
	columns = metrics_bind(m, names, 3);
	assert_non_null(columns);
	metrics_value(m, 0, columns, counts, &value);
	metrics_unbind(columns);
	metrics_free(m);
	return value;
}

static struct metric_value value(const char *formula, const struct upcr_value *counts)
{
	return value_of(formula, &(struct metrics_counts){.seconds = 2.5, .calls = 10, .value = counts});
}

/* ---- files ------------------------------------------------------------------------------------ */

TEST(test_file)
{
	struct metrics *m =
		parse(EVENTS "# a comment\n"
			     "derived SUM = \"A + 2*B\" unit \"things\" describe \"All of it.\"\n"
			     "derived RATE = \"(SUM) / time\"\n"
			     "derived SHARE = \"(100*PAPI_TOT_INS) / (A + upc:::C)\" # and one\n");

	assert_string_equal(metrics_set(m), "test");
	assert_int_equal(metrics_count(m), 3);
	assert_string_equal(metrics_at(m, 0)->name, "SUM");
	assert_string_equal(metrics_at(m, 0)->unit, "things");
	assert_string_equal(metrics_at(m, 0)->description, "All of it.");
	assert_string_equal(metrics_at(m, 1)->formula, "(SUM) / time");
	assert_null(metrics_at(m, 1)->unit);
	/* Events in the order in which they are needed, each once; time is none. */
	assert_int_equal(metrics_events(m), 4);
	assert_string_equal(metrics_event(m, 0), "skl::A");
	assert_string_equal(metrics_event(m, 1), "perf::B-WITH:u");
	assert_string_equal(metrics_event(m, 2), "PAPI_TOT_INS");
	assert_string_equal(metrics_event(m, 3), "upc:::C");
	assert_true(metrics_needs(m, 1, 0) && metrics_needs(m, 1, 1) && !metrics_needs(m, 1, 2));
	assert_true(metrics_needs(m, 2, 0) && !metrics_needs(m, 2, 1) && metrics_needs(m, 2, 2));
	metrics_free(m);
	m = parse("upc-metrics 1");
	assert_true(!metrics_count(m) && !metrics_events(m));
	metrics_free(m);
}

TEST(test_wrong_files)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"", "f:1:1: expected 'upc-metrics 1' on the first line"},
		{"upc-wiring 1\n", "f:1:1: expected 'upc-metrics 1'"},
		{"upc-metrics 2\n", "f:1:13: expected version 1"},
		{"upc-metrics 1 x\n", "f:1:15: expected the end of the line"},
		{"upc-metrics 1\ndrive X\n", "f:2:1: expected 'event' or 'derived', found 'drive'"},
		{"upc-metrics 1\nremove X\n", "f:2:1: expected 'event' or 'derived'"},
		{"upc-metrics 1\nevent X = clock realtime\n", "f:2:17: expected 'perf'"},
		{"upc-metrics 1\nevent X = perf \"a::b\" * 2\n", "found one with a factor"},
		{"upc-metrics 1\nevent time = perf \"a::b\"\n", "f:2:7: expected a name of your own"},
		{"upc-metrics 1\nderived calls = \"PAPI_X\"\n", "f:2:9: expected a name of your own"},
		{"upc-metrics 1\nderived X = \"PAPI_X\"\nderived X = \"PAPI_Y\"\n",
		 "f:3:9: expected each name once in a file, found 'X' as on line 2"},
		{EVENTS "derived X = \"sqrt(A)\"\n", "f:5:14: expected a name of this file"},
		{EVENTS "derived X = \"A ** B\"\n", "f:5:17: expected an integer"},
		{EVENTS "derived X = \"A / B\"\n", "f:5:16: expected '+', '-' or the end"},
		{EVENTS "event CYCLES = perf \"x::y\"\nderived X = \"(A) / CYCELS\"\n",
		 "f:6:20: expected a name of this file, an event of PAPI, 'time' or 'calls', found 'CYCELS'; "
		 "did you mean CYCLES?"},
		{EVENTS "derived X = \"(A) / tiem\"\n", "did you mean time?"},
		{EVENTS "derived X = \"Y\"\nderived Y = \"A\"\n", "a derived name from a line above"},
		{EVENTS "derived X = \"X\"\n", "a derived name from a line above"},
		{EVENTS "derived R = \"(A) / B\"\nderived X = \"R + A\"\n", "found 'R', which is a ratio"},
		{EVENTS "derived X = \"A - A\"\n", "terms that cancel each other"},
		{EVENTS "derived X = \"(A) / (B - B)\"\n", "terms that cancel each other"},
		{EVENTS "derived X = \"A\" unit \"a\" unit \"b\"\n", "the unit once"},
		{EVENTS "derived X = \"A", "f:5:13: expected a closing"},
	};
	struct metrics *m;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		m = (struct metrics *)state;
		assert_int_equal(metrics_parse(wrong[i].text, strlen(wrong[i].text), "f", &m), UPC_EWIRING);
		assert_null(m);
		assert_message(wrong[i].message);
	}
	assert_int_equal(metrics_parse("upc-metrics 1\n\0", 15, "f", &m), UPC_EWIRING);
	assert_int_equal(metrics_load("/nonexistent/x.metrics", &m), UPC_EWIRING);
	assert_message("/nonexistent/x.metrics: the file of metrics cannot be opened");
	assert_int_equal(metrics_load("/dev/null", &m), UPC_EWIRING);
	assert_message("expected a regular file");
}

/* ---- values of exact counts -------------------------------------------------------------------- */

TEST(test_exact)
{
	const struct upcr_value counts[] = {upcr_exact(1000), upcr_exact(30), upcr_exact(7)};
	struct metric_value v = value("(3*A - B) / 4", counts);

	assert_true(v.exact && !v.missing && !v.open && v.value == 2970 / 4. && v.error == 0);
	assert_true(v.low == v.value && v.high == v.value);
	assert_true(value("(A) / time", counts).value == 400);
	assert_true(value("(A + B) / calls", counts).value == 103);
	/* No integers: nothing is cut off. */
	assert_true(near(value("(C) / A", counts).value, .007));
	assert_true(near(value("(100*C) / (A + C)", counts).value, 700 / 1007.));
	assert_true(near(value("(1000000000*time - A) / (1000000000*time)", counts).value, 1 - 4e-7));
	assert_true(value("B - A", counts).value == -970);
	/* The rest of the time may be below 0: clocks are read one after the other. */
	v = value("(1000000000*time - A) / (1000000000*time)", counts);
	assert_true(!v.exact && v.unsure);
	assert_true(value("(A) / time", counts).exact && value("B - A", counts).exact);
}

TEST(test_nothing_below)
{
	struct upcr_value counts[] = {upcr_exact(5), upcr_exact(0), upcr_exact(7)};
	struct metric_value v = value("(A) / B", counts);

	assert_true(isnan(v.value) && v.open && v.low == 0 && isinf(v.high) && !v.missing);
	v = value("(A) / (B - C)", counts);
	assert_true(isnan(v.value) && v.open && isinf(v.low) && isinf(v.high));
	v = value_of("(A) / time", &(struct metrics_counts){.value = counts});
	assert_true(isnan(v.value) && v.open);
}

/* ---- errors and intervals ----------------------------------------------------------------------- */

TEST(test_one_estimate)
{
	struct upcr_value counts[] = {estimated(1000, 50, 10, UPCR_ROUGH), upcr_exact(250), upcr_exact(7)};
	struct metric_value v;

	/* An interval that is not symmetrical stays so. */
	counts[0].low = 900;
	v = value("(2*A) / B", counts);
	assert_true(!v.exact && v.value == 8 && near(v.error, .4) && near(v.freedom, counts[0].freedom));
	assert_true(near(v.low, 7.2) && near(v.high, counts[0].high * 2 / 250) && v.flags == UPCR_ROUGH);
	/* It falls with its divisor. */
	v = value("(B) / A", counts);
	assert_true(v.value == .25 && near(v.error, .25 * .05) && !v.open);
	assert_true(near(v.high, 250 / 900.) && near(v.low, 250 / counts[0].high));
	/* Above and below: A / (A + B) rises with A. */
	v = value("(A) / (A + B)", counts);
	assert_true(near(v.value, .8) && near(v.low, 900 / 1150.));
	assert_true(near(v.high, counts[0].high / (counts[0].high + 250)));
	assert_true(near(v.error, 50 * 250 / (1250. * 1250)));
	/* The same above and below: one, whatever it is. */
	v = value("(A) / A", counts);
	assert_true(v.value == 1 && v.error == 0 && v.low == 1 && v.high == 1);
	/* A divisor that may be 0. */
	counts[0] = estimated(1000, 600, 10, 0);
	v = value("(B) / A", counts);
	assert_true(v.open && v.value == .25 && v.low == 0 && isinf(v.high));
	v = value("(B - C) / A", counts);
	assert_true(v.open && isinf(v.low) && isinf(v.high));
}

TEST(test_errors)
{
	const struct upcr_value counts[] = {estimated(1000, 30, INFINITY, 0), estimated(500, 20, INFINITY, 0),
					    upcr_exact(7)};
	double known[9] = {1, 0, NAN, 0, 1, NAN, NAN, NAN, 1};
	struct metrics_counts with = {.seconds = 1, .calls = 1, .value = counts, .correlation = known};
	struct metric_value v;

	/* Nothing is known: as bad as it can be. */
	v = value("A + 2*B", counts);
	assert_true(near(v.error, 70) && near(v.high - v.value, 70 * mpxi_level_default_student(1e6)));
	assert_true(near(value("A - 2*B", counts).error, 70));
	/* 1/500 * (30 + 2 * 20) */
	assert_true(near(value("(A) / B", counts).error, .14));
	/* To the first order of x = A/(A+B): (B dA - A dB) / (A+B)^2, both as bad as can be. */
	assert_true(near(value("(A) / (A + B)", counts).error, (500 * 30 + 1000 * 20) / 2250000.));
	/* Independent of each other. */
	assert_true(near(value_of("A + 2*B", &with).error, 50));
	assert_true(near(value_of("(A) / B", &with).error, sqrt(900 + 1600) / 500));
	/* They go together. */
	known[1] = known[3] = .5;
	assert_true(near(value_of("A + 2*B", &with).error, sqrt(900 + 1600 + 1200)));
	assert_true(near(value_of("(A) / B", &with).error, sqrt(900 + 1600 - 1200) / 500));
	known[1] = known[3] = 1;
	assert_true(near(value_of("2*A - 3*B + C", &with).error, 0) ||
		    value_of("2*A - 3*B + C", &with).error < 1e-4);
}

TEST(test_not_finite)
{
	struct upcr_value counts[] = {upcr_exact(1000), upcr_exact(500), estimated(70, 7, 9, 0)};
	struct metric_value v;

	counts[0].error = counts[0].high = INFINITY;
	counts[0].low = 0;
	counts[0].estimated = 1;
	v = value("(A) / B", counts);
	assert_true(v.value == 2 && v.low == 0 && isinf(v.high) && isinf(v.error));
	v = value("A + C", counts);
	assert_true(v.value == 1070 && v.low == 0 && isinf(v.high));
	v = value("(C) / (A + B)", counts);
	assert_true(v.open && v.low == 0 && isinf(v.high));
	counts[0].error = counts[0].low = counts[0].high = NAN;
	v = value("A - B", counts);
	assert_true(v.value == 500 && isinf(v.low) && isinf(v.high));
}

/* ---- coverage ----------------------------------------------------------------------------------- */

enum { DRAWS = 4000 };

/* Draws of A, B and C with known errors, of which A's and B's go together so much: how often the
 * interval holds the truth, and what the values' standard deviation is. */
static double coverage(const char *formula, const double truth[3], const double error[3], double together,
		       bool told, double *deviation, double *claimed)
{
	double sum = 0, squares = 0, errors = 0, whole;
	double known[9] = {1, together, 0, together, 1, 0, 0, 0, 1};
	const struct upcr_value exact[] = {upcr_exact((uint64_t)truth[0]), upcr_exact((uint64_t)truth[1]),
					   upcr_exact((uint64_t)truth[2])};
	uint64_t seed = 20;
	char text[1000];
	struct metrics *m;
	struct metrics_columns *columns;
	int i, holds = 0;

	snprintf(text, sizeof(text), EVENTS "derived M = \"%s\"\n", formula);
	m = parse(text);
	columns = metrics_bind(m, names, 3);
	assert_non_null(columns);
	whole = value(formula, exact).value;
	for (i = 0; i < DRAWS; i++) {
		double a = random_normal(&seed),
		       b = together * a + sqrt(1 - together * together) * random_normal(&seed);
		const struct upcr_value counts[] = {
			estimated(truth[0] + error[0] * a, error[0], INFINITY, 0),
			estimated(truth[1] + error[1] * b, error[1], INFINITY, 0),
			estimated(truth[2] + error[2] * random_normal(&seed), error[2], INFINITY, 0)};
		struct metric_value v;

		metrics_value(m, 0, columns,
			      &(struct metrics_counts){.seconds = 2.5,
						       .calls = 10,
						       .value = counts,
						       .correlation = told ? known : NULL},
			      &v);
		holds += v.low <= whole && whole <= v.high;
		sum += v.value;
		squares += v.value * v.value;
		errors += v.error;
	}
	metrics_unbind(columns);
	metrics_free(m);
	*deviation = sqrt(squares / DRAWS - sum / DRAWS * (sum / DRAWS));
	*claimed = errors / DRAWS;
	return (double)holds / DRAWS;
}

TEST(test_monte_carlo)
{
	static const double truth[3] = {100000, 60000, 5000}, error[3] = {3000, 2500, 300};
	static const double together[] = {-.9, -.5, 0, .5, .9};
	static const char *const formulas[] = {"A + 2*B - C", "(A) / B", "(100*C) / (A + B)",
					       "(A - C) / (A + B)", "(A + B + C) / time"};
	double deviation, claimed;
	size_t i, k;

	for (i = 0; i < sizeof(formulas) / sizeof(formulas[0]); i++)
		for (k = 0; k < sizeof(together) / sizeof(together[0]); k++) {
			double held =
				coverage(formulas[i], truth, error, together[k], true, &deviation, &claimed);

			/* 4000 draws: 0.0034 is a standard deviation. */
			assert_true(held > .95 - .017 && held < .95 + .017);
			assert_true(fabs(claimed / deviation - 1) < .06);
			held = coverage(formulas[i], truth, error, together[k], false, &deviation, &claimed);
			assert_true(held > .95 - .017);
			assert_true(claimed > .94 * deviation);
		}
}

/* A divisor with an error of a third: straight errors would hold the truth too rarely. */
TEST(test_wide_divisor)
{
	static const double truth[3] = {1000, 1000, 0}, error[3] = {100, 300, 0};
	double deviation, claimed;

	assert_true(coverage("(A) / B", truth, error, 0, true, &deviation, &claimed) > .95 - .017);
}

/* ---- what was not counted ------------------------------------------------------------------------ */

TEST(test_missing)
{
	static const char *const there[] = {"PAPI_NATIVE_upc:::C", "perf::B-WITH:u"};
	struct upcr_value counts[] = {upcr_exact(7), upcr_uncounted()};
	struct metrics *m = parse(EVENTS "derived X = \"(A + B) / (C + skl::D + time)\"\n"
					 "derived Y = \"(C) / calls\"\n");
	struct metrics_columns *columns = metrics_bind(m, there, 2);
	const struct metrics_counts of = {.seconds = 1, .calls = 7, .value = counts};
	const char *missing[4] = {NULL};
	struct metric_value v;

	assert_non_null(columns);
	assert_int_equal(metrics_missing(m, 0, columns, NULL, missing, 4), 2);
	assert_string_equal(missing[0], "skl::A");
	assert_string_equal(missing[1], "skl::D");
	/* Here B was not counted either. */
	assert_int_equal(metrics_missing(m, 0, columns, &of, missing, 4), 3);
	assert_string_equal(missing[1], "perf::B-WITH:u");
	assert_int_equal(metrics_missing(m, 0, columns, &of, missing, 1), 3);
	metrics_value(m, 0, columns, &of, &v);
	assert_true(v.missing == 3 && isnan(v.value));
	metrics_value(m, 1, columns, &of, &v);
	assert_true(!v.missing && v.value == 1 && v.exact);
	metrics_unbind(columns);
	metrics_free(m);
}

TEST(test_lower_bounds)
{
	struct upcr_value counts[] = {upcr_exact(1000), upcr_exact(500), upcr_exact(7)},
			  part = upcr_uncounted();
	struct metric_value v;

	upcr_add_independent(&counts[0], &part);
	v = value("A + B", counts);
	assert_true(v.at_least && !v.unsure && !v.exact && v.value == 1500 && v.low == 1500 && isinf(v.high));
	v = value("(A) / (A + B)", counts);
	assert_true(v.at_least && isinf(v.high));
	v = value("(B) / A", counts);
	assert_true(v.unsure && !v.at_least && v.low == 0 && isinf(v.high));
	v = value("B - A", counts);
	assert_true(v.unsure && isinf(v.low) && isinf(v.high));
	counts[1] = upcr_estimated(500, 0, 500, 500, 1, UPCR_PARTIAL);
	v = value("(A) / B", counts);
	assert_true(v.unsure && v.flags == UPCR_PARTIAL && v.low == 0 && isinf(v.high));
	v = value("A + B", counts);
	assert_true(v.at_least && v.low == 1500);
}

/* ---- sets ------------------------------------------------------------------------------------------ */

TEST(test_sets)
{
	char **sets;
	struct metrics *m;

	assert_int_equal(make_test_dir(state), 0);
	assert_int_equal(setenv("UPC_METRICS", test_dir, 1), 0);
	assert_int_equal(metrics_open("nopmu", &m), UPC_ENOEVENT);
	assert_message("has none");
	test_put("nopmu.metrics", EVENTS "derived X = \"A\"\n");
	test_put("papi.metrics", "upc-metrics 1\nderived X = \"PAPI_TOT_INS\"\n");
	test_put("other.txt", "");
	sets = metrics_names();
	assert_non_null(sets);
	assert_string_equal(sets[0], "nopmu");
	assert_string_equal(sets[1], "papi");
	assert_null(sets[2]);
	metrics_names_free(sets);
	assert_int_equal(metrics_open("papi", &m), 0);
	assert_string_equal(metrics_set(m), "papi");
	/* A preset is of no PMU. */
	assert_false(metrics_fits(m));
	metrics_free(m);
	assert_int_equal(metrics_open("nopmo", &m), UPC_ENOEVENT);
	assert_message("there is no set of metrics 'nopmo': did you mean nopmu?; there are nopmu, papi");
	assert_int_equal(metrics_open(test_path("nopmu.metrics"), &m), 0);
	metrics_free(m);
	/* A set is chosen also where none is of this machine: "papi" with a PMU, "nopmu" without one. */
	assert_int_equal(metrics_choose(&m), 0);
	assert_int_equal(metrics_count(m), 1);
	metrics_free(m);
	assert_int_equal(remove_test_dir(state), 0);
}

/* A Blue Gene/P event of the core that a thread is on: one of core 0's. */
static void check_blue_gene(struct upc_catalogue *c, const char *event)
{
	char name[200];
	uint32_t code;

	if (!strncmp(event, "PU_", 3))
		snprintf(name, sizeof(name), "PU0_%s", event + 3);
	else
		snprintf(name, sizeof(name), "%s", event);
	/* Only a simulated node has PU0_INSTRUCTIONS. */
	if (strcmp(name, "PU0_INSTRUCTIONS") && upc_catalogue_find(c, name, &code))
		fail_msg("%s", upc_last_message());
}

/* The sets that come with the tools; metrics.sh asks libpfm4 for the events of PMUs. */
TEST(test_shipped)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	const char *srcdir = getenv("srcdir");
	struct upc_catalogue *c;
	char folder[4096], **sets;
	struct metrics *chosen;
	unsigned k, event, n;

	snprintf(folder, sizeof(folder), "%s/share/upc/metrics", srcdir ? srcdir : ".");
	if (access(folder, R_OK))
		skip_because("there is no %s", folder);
	assert_int_equal(setenv("UPC_METRICS", folder, 1), 0);
	assert_int_equal(upc_catalogue_open(&options, &c), 0);
	sets = metrics_names();
	assert_non_null(sets);
	for (n = 0; sets[n]; n++) {
		struct metrics *m;

		if (metrics_open(sets[n], &m))
			fail_msg("%s", upc_last_message());
		assert_true(metrics_count(m) > 5);
		for (k = 0; k < metrics_count(m); k++) {
			const struct metric *metric = metrics_at(m, k);

			if (!metric->unit || !metric->description)
				fail_msg("%s: %s has no unit or description", sets[n], metric->name);
		}
		for (event = 0; event < metrics_events(m); event++)
			if (!strcmp(sets[n], "bgp"))
				check_blue_gene(c, metrics_event(m, event) + strlen("upc:::"));
		metrics_free(m);
	}
	assert_true(n >= 14);
	/* There is one for each machine. */
	assert_int_equal(metrics_choose(&chosen), 0);
	metrics_free(chosen);
	metrics_names_free(sets);
	upc_catalogue_close(c);
}

UNIT_TESTS(metrics, NULL, NULL)
