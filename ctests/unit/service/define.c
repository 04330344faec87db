/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of metrics: values on made nodes, and mistakes with their columns.
 */
#include <math.h>

#include "../unit_test.h"
#include "jobstat/define.h"

#define NODES 3

/* The parameters of the made values (count_of, fill): each node has CPUs 0 and 1. */
struct made {
	const struct define *define;
	double step; /* a factor of all values */
	bool gone;   /* CPU 1 of node 2 has no value */
};

static double count_of(const struct made *made, unsigned node, const char *name, unsigned cpu)
{
	const double base = strcmp(name, "cpu.a") == 0 ? 10 : strcmp(name, "cpu.b") == 0 ? 20 : 5;

	return (base + node * 100 + cpu) * made->step;
}

static bool fill(void *arg, unsigned node, unsigned input, bool counts, struct define_vector *vector)
{
	const struct made *made = arg;
	const char *name = define_input(made->define, input);
	const bool is_scalar = strncmp(name, "node.", 5) == 0;
	const unsigned n = is_scalar ? 1 : 2;

	if (define_resize(vector, n) != 0)
		return false;
	vector->vector = !is_scalar;
	for (unsigned i = 0; i < n; i++) {
		/* Nodes may have their CPUs in another order. */
		const unsigned cpu = node == 1 ? n - 1 - i : i;

		vector->number[i] = (int)cpu;
		vector->x[i] = count_of(made, node, name, cpu) * (counts ? 60 : 1);
		if (made->gone && node == 2 && cpu == 1)
			vector->x[i] = NAN;
	}
	return true;
}

static double value_at(const struct define_work *work, unsigned i, unsigned node, int cpu)
{
	const struct define_vector *vector = define_value(work, i, node);

	for (unsigned j = 0; j < vector->n; j++)
		if (vector->number[j] == cpu || !vector->vector)
			return vector->x[j];
	return NAN;
}

static struct define *make(const char *const *text, unsigned n)
{
	struct define *define = NULL;
	char message[300], name[20];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "d%u", i);
		if (define_add(&define, name, text[i], message) != 0)
			fail_msg("%s: %s", text[i], message);
	}
	for (unsigned i = 0; i < define_inputs(define); i++) {
		const char *input = define_input(define, i);

		if (define_set_input(define, i, strncmp(input, "node.", 5) == 0 ? JOBSTAT_NODE : JOBSTAT_CPU,
				     strcmp(input, "cpu.level") == 0, message) != 0)
			fail_msg("%s", message);
	}
	return define;
}

TEST(test_values)
{
	static const char *const text[] = {
		"cpu.a / cpu.b",                                                /* 0 */
		"upc.cpu.a * 2 - -1",                                           /* 1 */
		"sum(cpu.a)",                                                   /* 2 */
		"max(cpu.a) - min(cpu.a)",                                      /* 3 */
		"mean(cpu.a)",                                                  /* 4 */
		"nodes_mean(d2)",                                               /* 5 */
		"threshold(d2, d5)",                                            /* 6 */
		"delta(cpu.a)",                                                 /* 7 */
		"delta(d2)",                                                    /* 8 */
		"rate(d2) + rate(cpu.a) * 0",                                   /* 9 */
		"nodes_sd(sum(cpu.a))",                                         /* 10 */
		"max(cpu.a, cpu.b, 15)",                                        /* 11 */
		"mean(cpu.a, cpu.b)",                                           /* 12 */
		"cpu.a + node.x",                                               /* 13 */
		"ratio(product(cpu.a, 3), scale(difference(cpu.b, cpu.a), 0))", /* 14 */
	};
	struct define *define = make(text, sizeof(text) / sizeof(text[0]));
	struct define_work *work = define_begin(define, NODES);
	struct made made = {define, 1, false};

	assert_non_null(work);
	assert_int_equal(define_run(work, fill, &made, 60), 0);
	for (unsigned k = 0; k < NODES; k++) {
		const double a = 10 + k * 100.0, b = 20 + k * 100.0;

		for (int cpu = 0; cpu < 2; cpu++) {
			assert_float_equal(value_at(work, 0, k, cpu), (a + cpu) / (b + cpu), 1e-6);
			assert_float_equal(value_at(work, 1, k, cpu), 2 * (a + cpu) + 1, 1e-6);
			assert_float_equal(value_at(work, 7, k, cpu), 60 * (a + cpu), 1e-3);
			assert_float_equal(value_at(work, 11, k, cpu), fmax(b + cpu, 15), 1e-6);
			assert_float_equal(value_at(work, 12, k, cpu), (a + b) / 2 + cpu, 1e-6);
			assert_float_equal(value_at(work, 13, k, cpu), a + cpu + 5 + k * 100, 1e-6);
			assert_true(isnan(value_at(work, 14, k, cpu)));
		}
		assert_float_equal(value_at(work, 2, k, 0), 2 * a + 1, 1e-6);
		assert_float_equal(value_at(work, 3, k, 0), 1, 1e-6);
		assert_float_equal(value_at(work, 4, k, 0), a + 0.5, 1e-6);
		assert_float_equal(value_at(work, 5, k, 0), 221, 1e-6);
		assert_float_equal(value_at(work, 6, k, 0), k == 2, 1e-6);
		/* delta(d2) needs an interval before this one. */
		assert_true(isnan(value_at(work, 8, k, 0)));
		assert_float_equal(value_at(work, 10, k, 0), 200, 1e-6);
	}
	made.step = 4;
	assert_int_equal(define_run(work, fill, &made, 60), 0);
	assert_float_equal(value_at(work, 8, 0, 0), 3 * 21, 1e-6);
	assert_float_equal(value_at(work, 9, 1, 1), 3 * 221 / 60.0, 1e-6);
	/* After define_forget there is no interval before the next one. */
	define_forget(work);
	assert_int_equal(define_run(work, fill, &made, 60), 0);
	assert_true(isnan(value_at(work, 8, 0, 0)) && isnan(value_at(work, 9, 1, 1)));
	assert_float_equal(value_at(work, 7, 0, 0), 60 * 4 * 10, 1e-3);
	/* A value that is computed from an unknown one is unknown, and not zero. */
	made.gone = true;
	assert_int_equal(define_run(work, fill, &made, 60), 0);
	assert_true(isnan(value_at(work, 2, 2, 0)) && isnan(value_at(work, 0, 2, 1)) &&
		    isnan(value_at(work, 8, 2, 0)));
	assert_false(isnan(value_at(work, 0, 2, 0)));
	/* nodes_mean is over the nodes that are known. */
	assert_float_equal(value_at(work, 5, 2, 0), 4 * 121, 1e-6);
	define_end(work);
	define_free(define);
}

/* Whether the values of a definition may be added up over a node. */
TEST(test_sums)
{
	static const char *const text[] = {"cpu.a",
					   "cpu.a * 64",
					   "cpu.a / cpu.b",
					   "cpu.a + cpu.b",
					   "cpu.level",
					   "cpu.a * cpu.b",
					   "cpu.a / 4",
					   "max(cpu.a, cpu.b)",
					   "2 * cpu.a + cpu.level",
					   "threshold(cpu.a, 5)",
					   "-cpu.a",
					   "-cpu.level"};
	static const bool sums[] = {true, true,  false, true, false, false,
				    true, false, false, true, true,  false};
	struct define *define = make(text, 12);

	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(define_sums(define, i), sums[i]);
	define_free(define);
}

TEST(test_wrong)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "column 1: expected a number, a metric or a function, found the end"},
		{"a +", "column 4: expected a number"},
		{"a b", "column 3: expected an operation, found 'b'"},
		{"(a", "column 3: expected ')' or an operation, found the end"},
		{"sum(a", "column 6: expected ',' or ')'"},
		{"median(a)", "column 1: expected a function: sum min"},
		{"ratio(a)", "column 8: expected ',': ratio takes two arguments"},
		{"ratio(a, b, c)", "column 11: expected ')': ratio takes two"},
		{"delta(a, b)", "column 8: expected ')': delta takes one"},
		{"1e999", "column 1: expected a number"},
		{"a \x80", "column 3: expected an operation, found '?'"},
	};
	struct define *define = NULL;
	char message[300], deep[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(define_add(&define, "x", cases[i].text, message), -1);
		if (strncmp(message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s: %s", cases[i].text, message);
		/* Nothing of it stays. */
		assert_int_equal(define_count(define), 0);
		assert_int_equal(define_inputs(define), 0);
	}
	memset(deep, '(', sizeof(deep));
	deep[299] = '\0';
	assert_int_equal(define_add(&define, "x", deep, message), -1);
	assert_int_equal(define_add(&define, "1x", "a", message), -1);
	assert_int_equal(define_add(&define, "x", "a", message), 0);
	assert_int_equal(define_add(&define, "x", "a", message), -1);
	assert_non_null(strstr(message, "is defined already"));
	assert_int_equal(define_add(&define, "y", "a + b", message), 0);
	assert_int_equal(define_set_input(define, 0, JOBSTAT_CPU, false, message), 0);
	assert_int_equal(define_set_input(define, 1, JOBSTAT_NUMA, false, message), -1);
	assert_non_null(strstr(message, "do not go together"));
	define_free(define);
}

UNIT_TESTS(define, NULL, NULL)
