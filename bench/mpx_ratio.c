/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_ratio.c - accuracy of intervals of ratios, and the gain from relations between estimates, in a
 * simulation with known true counts. The events are accesses, hits and misses, where accesses = hits +
 * misses. The events are in the same group or in different groups. Each measurement is repeated many times.
 *
 * Figures of a row, for the ratio misses / accesses: how often the 95 % interval contained the true ratio;
 * its half width divided by 1.96 times the rms error, both relative to the true ratio; how many intervals had
 * no upper end. Figures after the relation accesses = hits + misses was applied: how often each event's
 * interval contained the true count; the rms error divided by the previous one; and how often the relation
 * was found to be violated.
 *
 * Usage: mpx_ratio [repeats]
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "random.h"
#include "stat/joint.h"

#define SLICE 1000000u
#define MAX_GROUPS 16

enum { ACCESSES, MISSES, HITS, EVENTS };

static struct mpxi_spacing spacing;
/* The kind of load in a slice. */
enum shape {
	STEADY,
	PHASED, /* rates of both change together */
	MIXED,  /* and the share of misses, too  */
};

struct row {
	enum shape shape;
	unsigned groups, rounds;
	double rate, share;     /* accesses per slice, share of misses */
	unsigned place[EVENTS]; /* the group of each event */
	double uneven;
};

struct measured {
	struct mpxi_window event[EVENTS], both[EVENTS][EVENTS];
	double truth[EVENTS];
};

struct load {
	const struct row *row;
	double left, rate, share;
};

static void come(struct load *load, double slices, double count[EVENTS])
{
	const struct row *row = load->row;
	double hits = 0, misses = 0;

	while (slices > 0) {
		double step = fmin(slices, load->left);

		misses += step * load->rate * load->share;
		hits += step * load->rate * (1 - load->share);
		slices -= step;
		load->left -= step;
		if (load->left > 0)
			continue;
		load->left = row->shape == STEADY ? 1e9 : exp(log(3) + log(20) * bench_uniform());
		load->rate =
			row->rate * (row->shape == STEADY ? 1 : exp(log(.2) + log(25) * bench_uniform()));
		load->share = row->share * (row->shape == MIXED ? .2 + 1.6 * bench_uniform() : 1);
	}
	count[HITS] = bench_poisson(hits);
	count[MISSES] = bench_poisson(misses);
	count[ACCESSES] = count[HITS] + count[MISSES];
}

static void measure(const struct row *row, struct measured *m)
{
	struct mpxi_stat stat[EVENTS] = {{0}}, both[EVENTS][EVENTS] = {{{0}}};
	struct mpxi_mark start, end;
	struct mpxi_lengths lengths = {0};
	struct load load = {.row = row};
	unsigned order[MAX_GROUPS], round, i, j, k;
	uint64_t now = 12345;
	double count[EVENTS];

	memset(m, 0, sizeof(*m));
	mpxi_stat_open(&stat[0], now);
	for (j = 0; j < EVENTS; j++) {
		stat[j] = stat[0];
		for (k = 0; k < EVENTS; k++)
			both[j][k] = stat[0];
	}
	mpxi_stat_start(&stat[0], NULL, now, &start);
	for (i = 0; i < row->groups; i++)
		order[i] = i;
	for (round = 0; round < row->rounds; round++) {
		for (i = row->groups; i > 1; i--) {
			unsigned other = (unsigned)(bench_uniform() * i), o = order[other];

			order[other] = order[i - 1];
			order[i - 1] = o;
		}
		for (i = 0; i < row->groups; i++) {
			double length = 1 + row->uneven * (2 * bench_uniform() - 1);
			struct mpxi_slice slice = {.begin = now,
						   .end = now + (uint64_t)(length * SLICE),
						   .typical = lengths.typical};

			come(&load, length, count);
			now = slice.end;
			for (j = 0; j < EVENTS; j++) {
				m->truth[j] += count[j];
				slice.count = (uint64_t)count[j];
				if (order[i] != row->place[j])
					continue;
				mpxi_stat_slice_sig(&stat[j], &slice, &spacing);
				for (k = 0; k < j; k++) {
					slice.count = (uint64_t)(count[j] + count[k]);
					if (order[i] == row->place[k])
						mpxi_stat_slice_sig(&both[j][k], &slice, &spacing);
				}
			}
			mpxi_lengths_add_sig(&lengths, slice.end - slice.begin);
		}
	}
	for (j = 0; j < EVENTS; j++) {
		mpxi_stat_read(&stat[j], NULL, now, &end);
		mpxi_window_add(&m->event[j], &start, &end);
		m->event[j].lengths = lengths;
		for (k = 0; k < j; k++) {
			mpxi_stat_read(&both[j][k], NULL, now, &end);
			mpxi_window_add(&m->both[j][k], &start, &end);
			m->both[j][k].lengths = lengths;
			m->both[k][j] = m->both[j][k];
		}
	}
}

static bool reconcile(const struct measured *m, enum mpxi_estimator estimator, double value[EVENTS],
		      double error[EVENTS], double freedom[EVENTS])
{
	static const unsigned event[] = {ACCESSES, MISSES, HITS};
	static const double coefficient[] = {1, -1, -1};
	struct mpxi_relation relation = {3, event, coefficient};
	struct mpxi_joint *joint = mpxi_joint_create(EVENTS);
	struct mpxi_part part[EVENTS];
	struct mpxi_bond bond;
	bool wrong = false;
	unsigned j, k;

	for (j = 0; joint && j < EVENTS; j++) {
		mpxi_part_of(&m->event[j], estimator, &part[j]);
		mpxi_joint_event(joint, j, &part[j]);
		for (k = 0; k < j; k++) {
			struct mpxi_pair_windows pair = {&m->event[j], &m->event[k], &m->both[j][k]};

			mpxi_bond_of(&pair, &part[j], &part[k], estimator, &bond);
			mpxi_joint_bond(joint, j, k, &bond);
		}
	}
	if (!joint || !mpxi_joint_reconcile(joint, &relation, 1, &wrong))
		exit(1);
	for (j = 0; j < EVENTS; j++) {
		value[j] = joint->value[j];
		error[j] = sqrt(joint->covariance[j * EVENTS + j]);
		freedom[j] = joint->freedom[j];
	}
	mpxi_joint_free(joint);
	return wrong;
}

static const char *const estimators[] = {"ratio", "interpolated", "covariate", "auto"};

static void run(const char *name, const struct row *row, enum mpxi_estimator estimator, unsigned repeats)
{
	unsigned held = 0, open = 0, wrong = 0, after[EVENTS] = {0}, i, j;
	double bias = 0, squares = 0, width = 0, before[EVENTS] = {0}, then[EVENTS] = {0};
	struct measured m;

	for (i = 0; i < repeats; i++) {
		struct mpxi_pair_windows pair = {&m.event[MISSES], &m.event[ACCESSES],
						 &m.both[MISSES][ACCESSES]};
		double value[EVENTS], error[EVENTS], freedom[EVENTS], truth;
		struct mpxi_ratio r;

		measure(row, &m);
		truth = m.truth[MISSES] / m.truth[ACCESSES];
		mpxi_ratio(&pair, estimator, &r);
		held += truth >= r.low && truth <= r.high;
		open += r.open;
		if (!r.open) {
			bias += r.value / truth - 1;
			squares += pow(r.value / truth - 1, 2);
			width += (r.high - r.low) / 2 / truth;
		}
		wrong += reconcile(&m, estimator, value, error, freedom);
		for (j = 0; j < EVENTS; j++) {
			struct mpxi_part part;

			mpxi_part_of(&m.event[j], estimator, &part);
			before[j] += pow(part.outcome.value - m.truth[j], 2);
			then[j] += pow(value[j] - m.truth[j], 2);
			after[j] += fabs(value[j] - m.truth[j]) <= mpxi_student(freedom[j]) * error[j] + .5;
		}
	}
	i = repeats - open ? repeats - open : 1;
	printf("%-34s %-12s held %5.1f  bias %6.2f %%  to_needed %5.2f  open %4.1f %%   after: held %5.1f %5.1f %5.1f"
	       "  error %.2f %.2f %.2f  wrong %.2f %%\n",
	       name, estimators[estimator], 100. * held / repeats, 100 * bias / i,
	       width / i / 1.96 / sqrt(squares / i), 100. * open / repeats, 100. * after[0] / repeats,
	       100. * after[1] / repeats, 100. * after[2] / repeats, sqrt(then[0] / before[0]),
	       sqrt(then[1] / before[1]), sqrt(then[2] / before[2]), 100. * wrong / repeats);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct row row;
	} rows[] = {
		{"together, steady, 4 groups", {STEADY, 4, 50, 1000, .1, {0, 0, 0}, .08}},
		{"together, steady, 16 groups", {STEADY, 16, 50, 1000, .1, {0, 0, 0}, .08}},
		{"together, few misses", {STEADY, 4, 50, 1, .05, {0, 0, 0}, .08}},
		{"together, phased, 4 groups", {PHASED, 4, 50, 1000, .1, {0, 0, 0}, .08}},
		{"together, mixed, 4 groups", {MIXED, 4, 50, 1000, .1, {0, 0, 0}, .08}},
		{"together, mixed, 16 groups", {MIXED, 16, 50, 1000, .1, {0, 0, 0}, .08}},
		{"together, mixed, 2 groups", {MIXED, 2, 50, 1000, .5, {0, 0, 0}, .08}},
		{"together, mixed, 10 rounds", {MIXED, 4, 10, 1000, .1, {0, 0, 0}, .08}},
		{"together, almost all", {MIXED, 4, 50, 1000, .5, {0, 0, 0}, .08}},
		{"apart, steady, 2 groups", {STEADY, 2, 50, 1000, .1, {0, 1, 1}, .08}},
		{"apart, steady, 2 groups, half", {STEADY, 2, 50, 1000, .5, {0, 1, 1}, .08}},
		{"apart, steady, 2 groups, most", {STEADY, 2, 50, 1000, .95, {0, 1, 1}, .08}},
		{"apart, steady, 4 groups", {STEADY, 4, 50, 1000, .1, {0, 1, 2}, .08}},
		{"apart, steady, 4 groups, most", {STEADY, 4, 50, 1000, .95, {0, 1, 2}, .08}},
		{"apart, steady, 16 groups", {STEADY, 16, 50, 1000, .1, {0, 1, 2}, .08}},
		{"apart, few misses", {STEADY, 4, 50, 1, .05, {0, 1, 2}, .08}},
		{"apart, phased, 2 groups", {PHASED, 2, 50, 1000, .1, {0, 1, 1}, .08}},
		{"apart, phased, 4 groups", {PHASED, 4, 50, 1000, .1, {0, 1, 2}, .08}},
		{"apart, phased, 16 groups", {PHASED, 16, 50, 1000, .1, {0, 1, 2}, .08}},
		{"apart, mixed, 4 groups", {MIXED, 4, 50, 1000, .1, {0, 1, 2}, .08}},
		{"misses with accesses, mixed", {MIXED, 4, 50, 1000, .1, {0, 0, 1}, .08}},
		{"together, mixed, uneven", {MIXED, 4, 50, 1000, .1, {0, 0, 0}, .95}},
		{"apart, mixed, uneven", {MIXED, 4, 50, 1000, .1, {0, 1, 2}, .95}},
		{"apart, few of both, 10 rounds", {STEADY, 16, 10, .3, .2, {0, 1, 2}, .08}},
	};
	unsigned repeats = argc > 1 ? (unsigned)atoi(argv[1]) : 2000, i, e;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (e = 0; e < 3; e++) {
			static const enum mpxi_estimator each[] = {MPXI_RATIO, MPXI_INTERPOLATED, MPXI_AUTO};

			bench_seed = 1000 * i + e;
			run(rows[i].name, &rows[i].row, each[e], repeats);
		}
	return 0;
}
