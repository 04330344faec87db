/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_compare.c - the smallest difference that names a node, against jobs in which a node is made to
 * differ by a little more; and jobs whose nodes cannot be compared.
 */
#include "../unit_test.h"
#include "jobstat/compare.h"

#define NODES_MAX 128u
#define RUNS 100u

enum noise { NORMAL, LOGNORMAL, EXPONENTIAL };

/* A job: how many nodes and parts it has, the noise of a part, and how nodes differ. */
struct made {
	unsigned nodes, parts;
	enum noise noise;
	double size, spread;
};

static double made_noise(const struct made *made, uint64_t *seed)
{
	const double normal = random_normal(seed);

	switch (made->noise) {
	case NORMAL:
		return fmax(1 + made->size * normal, 0.01);
	case LOGNORMAL:
		return exp(made->size * normal);
	default:
		return 1 - made->size - made->size * log(random_uniform(seed));
	}
}

/* The same numbers for the same seed, times factor[k] on node k. */
static void fill(struct compare *c, const struct made *made, uint64_t seed, const double *factor)
{
	c->nodes = made->nodes;
	c->parts = made->parts;
	for (unsigned k = 0; k < made->nodes; k++) {
		const double level = exp(made->spread * random_normal(&seed)) * (factor ? factor[k] : 1);
		double sum = 0;

		for (unsigned p = 0; p < made->parts; p++) {
			const double x = 1e9 * level * made_noise(made, &seed);

			c->part[p * made->nodes + k] = x;
			sum += x;
		}
		c->whole[k] = sum / made->parts;
	}
	compare_run(c);
}

static unsigned named(const struct compare *c)
{
	unsigned n = 0;

	for (unsigned k = 0; k < c->nodes; k++)
		n += c->side[k] != 0;
	return n;
}

static const struct made kinds[] = {
	{5, 32, NORMAL, 0.01, 0},     {8, 32, NORMAL, 0.01, 0},         {16, 20, NORMAL, 0.05, 0.005},
	{64, 32, NORMAL, 0.01, 0.01}, {64, 32, LOGNORMAL, 0.1, 0},      {64, 10, LOGNORMAL, 0.1, 0.02},
	{128, 32, NORMAL, 0.2, 0},    {64, 32, EXPONENTIAL, 0.1, 0.01}, {20, 3, NORMAL, 0.01, 0},
};

/* A node with a thousandth more than the difference is named, and alone; nodes as they are are not. */
TEST(smallest_difference)
{
	struct compare c;

	assert_int_equal(compare_open(&c, NODES_MAX), 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct made *made = &kinds[i];
		unsigned compared = 0, right = 0, wrong = 0, half = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			const unsigned k = run * 7 % made->nodes;
			double factor[NODES_MAX], less, more;

			for (unsigned j = 0; j < made->nodes; j++)
				factor[j] = 1;
			fill(&c, made, 1000 * i + run, factor);
			wrong += named(&c) > 0;
			if (c.comparison != JOBSTAT_COMPARED)
				continue;
			compared++;
			less = c.less;
			more = c.more;
			assert_true(less > 0 && less <= COMPARE_LESS && more > 0 && more <= COMPARE_MORE);
			factor[k] = run % 2 ? 1 - less - 0.001 : 1 + more + 0.001;
			fill(&c, made, 1000 * i + run, factor);
			right += c.side[k] == (run % 2 ? -1 : 1) && named(&c) == 1;
			factor[k] = run % 2 ? 1 - less / 4 : 1 + more / 4;
			fill(&c, made, 1000 * i + run, factor);
			half += c.side[k] != 0;
		}
		print_message("kind %zu: %u compared, %u named, %u at a quarter, %u of equal nodes\n", i,
			      compared, right, half, wrong);
		assert_true(compared >= RUNS / 2);
		assert_true(right * 100 >= compared * 95);
		assert_true(half * 100 <= compared * 5);
		assert_true(wrong <= 5);
	}
	compare_close(&c);
}

/* A node that is an eighth slower than the others is named where noise is 1 %. */
TEST(an_eighth)
{
	static const unsigned sizes[] = {8, 16, 64, 128};
	struct compare c;

	assert_int_equal(compare_open(&c, NODES_MAX), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const struct made made = {sizes[i], 32, NORMAL, 0.01, 0};
		unsigned right = 0, wrong = 0;

		for (unsigned run = 0; run < RUNS; run++) {
			const unsigned k = run * 7 % made.nodes;
			double factor[NODES_MAX];

			fill(&c, &made, run, NULL);
			wrong += named(&c) > 0;
			for (unsigned j = 0; j < made.nodes; j++)
				factor[j] = j == k ? 0.875 : 1;
			fill(&c, &made, run, factor);
			right += c.side[k] == -1 && named(&c) == 1;
		}
		print_message("%u nodes: %u named, %u of equal nodes\n", sizes[i], right, wrong);
		assert_true(right >= 95);
		assert_true(wrong <= 5);
	}
	compare_close(&c);
}

/* Half of the nodes at 0.4 and one at 0.6; ten of 64 at 0.4 to 0.75; and nodes that differ by factors. */
TEST(too_wide)
{
	const struct made made = {64, 32, NORMAL, 0.01, 0}, factors = {64, 32, NORMAL, 0.01, 0.5};
	double factor[NODES_MAX];
	struct compare c;

	assert_int_equal(compare_open(&c, NODES_MAX), 0);
	for (unsigned run = 0; run < RUNS; run++) {
		for (unsigned k = 0; k < 64; k++)
			factor[k] = k % 2 ? 0.4 : k == 30 ? 0.6 : 1;
		fill(&c, &made, run, factor);
		assert_int_equal(c.comparison, JOBSTAT_WIDE);
		for (unsigned k = 0; k < 64; k++)
			factor[k] = k % 6 == 0 && k < 60 ? 0.4 + 0.35 * k / 54 : 1;
		fill(&c, &made, run, factor);
		assert_int_equal(c.comparison, JOBSTAT_WIDE);
		fill(&c, &factors, run, NULL);
		assert_int_equal(c.comparison, JOBSTAT_WIDE);
	}
	compare_close(&c);
}

TEST(not_comparable)
{
	const struct made made = {8, 32, NORMAL, 0.01, 0};
	const double idle[8] = {0, 0, 0, 0, 0, 1, 1, 1};
	struct compare c;

	assert_int_equal(compare_open(&c, NODES_MAX), 0);
	fill(&c, &(struct made){4, 32, NORMAL, 0.01, 0}, 1, NULL);
	assert_int_equal(c.comparison, JOBSTAT_FEW);
	fill(&c, &made, 1, idle);
	assert_int_equal(c.comparison, JOBSTAT_ZERO);
	/* Nodes without a value do not count. */
	fill(&c, &made, 1, NULL);
	assert_int_equal(c.comparison, JOBSTAT_COMPARED);
	for (unsigned k = 0; k < 4; k++)
		c.whole[k] = NAN;
	compare_run(&c);
	assert_int_equal(c.comparison, JOBSTAT_FEW);
	assert_int_equal(named(&c), 0);
	compare_close(&c);
}

/* A node that is slow in less than half of the parts is not slow all of the time. */
TEST(persistence)
{
	const struct made made = {16, 32, NORMAL, 0.01, 0};
	struct compare c;

	assert_int_equal(compare_open(&c, NODES_MAX), 0);
	for (unsigned slow = 8; slow <= 24; slow += 8) {
		fill(&c, &made, 5, NULL);
		c.whole[3] = 0;
		for (unsigned p = 0; p < 32; p++) {
			c.part[p * 16 + 3] *= p < slow ? 0.1 : 1;
			c.whole[3] += c.part[p * 16 + 3] / 32;
		}
		compare_run(&c);
		assert_int_equal(c.side[3], slow < 16 ? 0 : -1);
		if (slow >= 16)
			assert_true(c.share[3] == slow / 32.);
		assert_int_equal(c.in_part[3], -1);
		assert_int_equal(c.in_part[31 * 16 + 3], 0);
	}
	compare_close(&c);
}

UNIT_TESTS(jobstat_compare, NULL, NULL)
