/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_metrics.c - names of metrics as Prometheus has them.
 */
#include "serve/serve_metrics.h"

#include "../unit_test.h"

static void becomes(const char *text, const char *wanted)
{
	size_t length = strlen(text);
	char *bytes = malloc(length ? length : 1), *got; /* without a byte behind it */

	assert_non_null(bytes);
	memcpy(bytes, text, length);
	got = serve_metrics(bytes, &length);
	assert_non_null(got);
	assert_string_equal(got, wanted);
	assert_int_equal(length, strlen(wanted));
	free(got);
	free(bytes);
}

TEST(names)
{
	becomes("# PCP5 a.b 1.2.3 u64\n# HELP a_b help of a_b\n# TYPE a_b counter\na_b{x=\"a_b 1\"} 7\na_b 8\n",
		"# HELP a_b_total help of a_b\n# TYPE a_b_total counter\na_b_total{x=\"a_b 1\"} 7\na_b_total 8\n");
	becomes("# HELP s_count x\n# TYPE s_count gauge\ns_count 1\n# HELP g x\n# TYPE g gauge\ng 2\n",
		"# HELP s_count_value x\n# TYPE s_count_value gauge\ns_count_value 1\n# HELP g x\n# TYPE g gauge\ng 2\n");
	becomes("# TYPE x_total counter\nx_total 1\n# TYPE y_total gauge\ny_total{} 1\n",
		"# TYPE x_total counter\nx_total 1\n# TYPE y_total_value gauge\ny_total_value{} 1\n");
}

TEST(odd)
{
	becomes("", "");
	becomes("\n\n", "");
	becomes("# TYPE ", "# TYPE \n");
	becomes("# TYPE a", "# TYPE a\n");
	becomes("# HELP b x\n# TYPE a counter\nb 1", "# TYPE a_total counter\nb 1\n");
	becomes("ab 1\n# TYPE a counter\nab 2\n", "ab 1\n# TYPE a_total counter\nab 2\n");
}

UNIT_TESTS(serve_metrics, NULL, NULL)
