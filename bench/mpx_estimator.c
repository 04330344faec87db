/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_estimator.c - accuracy of the estimators of MPX in a simulation with known true counts. The events of a
 * simulated program happen at chosen rates, groups run in a shuffled order, and slices have uneven lengths.
 * Each measurement is repeated many times.
 *
 * The figures for a kind of load and an estimator cover all cases in which the event had at least 20 slices
 * and 20 counts. They are: how often the 95 % interval contains the true count (in all cases, and in the
 * lowest and highest case); the interval's half width, divided by that of the ratio estimator (median over
 * cases of median widths); and how many estimates have an error above max(1 %, 3 / sqrt(C_e)), where C_e is
 * the event's count.
 *
 * Usage: mpx_estimator [repeats [unevenness [case]]]. A case may be regions, kernel or covariate. With a
 * case, or a part of its name, the program prints lines for each case that matches: percent held, half width,
 * error and bias in percent of the true count. All are medians except the bias.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "random.h"
#include "stat/pool.h"

/* One spacing for all slices of all events. */
static struct mpxi_spacing spacing;

#define SLICE 1000000u /* cycles */
#define MAX_GROUPS 16
#define MAX_PHASES 5

enum kind { POISSON, EVEN };
enum shape { STEADY, PHASED, PERIODIC, SHAPES, KERNEL = SHAPES };

/* The covariate: half of it is the event's count itself, noise included; or it follows the event's rate; or
 * it follows the rate of another load. */
enum covariate { HALF, WITH, OTHER };

struct load {
	enum kind kind;
	enum shape shape;
	unsigned phases;
	double length[MAX_PHASES], rate[MAX_PHASES]; /* slices; counts per slice */
	double left;                                 /* rest of the current phase, in slices */
	unsigned phase;
	double due; /* EVEN: fraction of a count to come */
	/* KERNEL: length of a kernel call, and time between two calls, in slices. No event and no tick
	 * happens during a call. dropped: the probability that any other tick falls into the kernel and is
	 * dropped. */
	double call, apart, dropped;
	bool irregular, once;
	double mean; /* expected count of the last slice */
	enum covariate covariate;
	struct load *other; /* the load whose phases the covariate follows (OTHER) */
};

struct score {
	unsigned inside, beyond, uneven;
	double bias, square, *width, *error;
};

static const char *const shapes[] = {"steady", "phased", "periodic"};

static double spread(double low, double high)
{
	return low + (high - low) * bench_uniform();
}

/* Draw the phases of a load, which repeats them cyclically. */
static void draw_load(struct load *load, enum kind kind, enum shape shape, double rate, double round)
{
	unsigned i;

	memset(load, 0, sizeof(*load));
	load->kind = kind;
	load->shape = shape;
	load->phases = shape == STEADY ? 1 : shape == PERIODIC ? 2 : 2 + (unsigned)(bench_uniform() * 4);
	for (i = 0; i < load->phases; i++) {
		load->length[i] = shape == STEADY ? 1e9 : exp(spread(log(5), log(200)));
		load->rate[i] = shape == STEADY ? rate : rate * exp(spread(log(0.1), log(10)));
	}
	if (shape == PERIODIC) {
		/* The period is slightly longer than 1 to 6 rounds. The rate is high for a part of the
		 * period. */
		double period = round * (spread(1, 6) + 0.1180339), high = spread(0.2, 0.8);

		load->length[0] = period * high;
		load->length[1] = period * (1 - high);
		load->rate[0] = rate * 1.9;
		load->rate[1] = rate * 0.2;
	}
	load->phase = (unsigned)(bench_uniform() * load->phases);
	load->left = load->length[load->phase] * bench_uniform();
	load->due = bench_uniform();
}

/* Advance the load by a time in slices. Return its counts in that time. */
static double run_load(struct load *load, double slices)
{
	double mean = 0, n;

	while (slices > 0) {
		double step = fmin(slices, load->left);

		mean += step * load->rate[load->phase];
		slices -= step;
		load->left -= step;
		if (load->left <= 0) {
			load->phase = (load->phase + 1) % load->phases;
			load->left = load->length[load->phase];
		}
	}
	load->mean = mean;
	if (load->kind == POISSON)
		return bench_poisson(mean);
	n = floor(load->due + mean);
	load->due += mean - n;
	return n;
}

static double drawn(double mean, bool irregular)
{
	return irregular ? mean * -log(bench_uniform()) : mean;
}

static uint64_t covariate_of(struct load *load, double count, double length)
{
	switch (load->covariate) {
	case WITH:
		return (uint64_t)bench_poisson(100 * load->mean);
	case OTHER:
		run_load(load->other, length);
		return (uint64_t)bench_poisson(100 * load->other->mean);
	case HALF:
		break;
	}
	return (uint64_t)count + (uint64_t)bench_poisson(50 * length);
}

static void draw_kernel(struct load *load, const struct load *kind, double rate, unsigned slices)
{
	*load = *kind;
	load->rate[0] = rate;
	load->left =
		load->once ? slices * spread(.1, .9) : drawn(load->apart, load->irregular) * bench_uniform();
}

/* Run one slice of a program with phases in the kernel. Return its length in slices, and its counts in
 * *count. */
static double run_kernel(struct load *load, double *count)
{
	double length = 0, counted = 0, tick = 1;
	bool over = false;

	while (!over) {
		double step = fmin(tick - length, load->left);

		length += step;
		counted += step;
		load->left -= step;
		if (load->left <= 0) {
			length += drawn(load->call, load->irregular);
			load->left = load->once ? 1e18 : drawn(load->apart, load->irregular);
			over = length >= tick;
		} else if (bench_uniform() < load->dropped) {
			tick++;
		} else {
			over = true;
		}
	}
	*count = bench_poisson(counted * load->rate[0]);
	return length;
}

static void shuffle(unsigned *order, unsigned n)
{
	unsigned i;

	for (i = n; i > 1; i--) {
		unsigned j = (unsigned)(bench_uniform() * i), other = order[j];

		order[j] = order[i - 1];
		order[i - 1] = other;
	}
}

/* Make one measurement: rounds of all groups, of which group 0 has the event. Return the true count. window:
 * by time, and by the covariate. */
static double measure(struct load *load, unsigned groups, unsigned rounds, double uneven,
		      struct mpxi_window window[2])
{
	static struct mpxi_stat stat[2]; /* by time, and by the covariate */
	uint64_t now[2] = {12345, 678};
	struct mpxi_lengths lengths[2] = {{0}, {0}};
	struct mpxi_spacing spaced[2] = {{0}, {0}};
	struct mpxi_mark start[2], end;
	unsigned order[MAX_GROUPS], round, i, k;
	double truth = 0;

	memset(stat, 0, sizeof(stat));
	memset(window, 0, 2 * sizeof(*window));
	for (k = 0; k < 2; k++) {
		mpxi_stat_open(&stat[k], now[k]);
		mpxi_stat_start(&stat[k], NULL, now[k], &start[k]);
	}
	for (i = 0; i < groups; i++)
		order[i] = i;
	for (round = 0; round < rounds; round++) {
		shuffle(order, groups);
		for (i = 0; i < groups; i++) {
			double length = 1 + uneven * (2 * bench_uniform() - 1);
			double count = load->call > 0 ? 0 : run_load(load, length);
			uint64_t size[2];

			if (load->call > 0)
				length = run_kernel(load, &count);
			size[0] = (uint64_t)(length * SLICE);
			size[1] = covariate_of(load, count, length);
			truth += count;
			for (k = 0; k < 2; k++) {
				struct mpxi_slice slice = {.begin = now[k],
							   .end = now[k] + size[k],
							   .count = (uint64_t)count,
							   .typical = lengths[k].typical};

				if (!order[i])
					mpxi_stat_slice_sig(&stat[k], &slice, &spaced[k]);
				now[k] += size[k];
				mpxi_lengths_add_sig(&lengths[k], size[k]);
			}
		}
	}
	for (k = 0; k < 2; k++) {
		mpxi_stat_read(&stat[k], NULL, now[k], &end);
		mpxi_window_add(&window[k], &start[k], &end);
		window[k].lengths = lengths[k];
		window[k].groups = groups;
		window[k].turns = groups * rounds;
	}
	window[1].by_covariate = true;
	window[1].clock_size = window[0].sums.size;
	window[1].clock_time = window[0].time;
	return truth;
}

static void add_stretch(struct mpxi_pool *pool, const struct mpxi_mark *start, const struct mpxi_mark *end,
			unsigned groups, unsigned turn, unsigned turns, enum mpxi_estimator estimator)
{
	struct mpxi_window window = {
		.groups = groups,
		.turn = turn,
		.turns = turns - turn,
	};

	mpxi_window_add(&window, start, end);
	mpxi_pool_add(pool, &window, estimator, false);
}

/*
 * Measure an inner set, which is started and stopped around regions, and an outer set, which runs all the
 * time. The event's rate is five times higher inside the regions. on, off: mean lengths in slices. Store the
 * pools and true counts: index 0 is the outer set, 1 the inner set.
 */
static void measure_regions(double rate, double on, double off, unsigned groups, unsigned rounds,
			    enum mpxi_estimator estimator, struct mpxi_pool pool[2], double truth[2])
{
	static struct mpxi_stat stat;
	struct mpxi_mark start[2], end;
	struct mpxi_slice slice = {0};
	unsigned order[MAX_GROUPS], round, i, turn = 0, turns = 0;
	double left = on * bench_uniform();
	uint64_t now = 1000;
	bool inside = true;

	memset(&stat, 0, sizeof(stat));
	memset(pool, 0, 2 * sizeof(*pool));
	truth[0] = truth[1] = 0;
	mpxi_stat_open(&stat, now);
	mpxi_stat_start(&stat, NULL, now, &start[0]);
	mpxi_stat_start(&stat, NULL, now, &start[1]);
	for (i = 0; i < groups; i++)
		order[i] = i;
	for (round = 0; round < rounds; round++) {
		shuffle(order, groups);
		for (i = 0; i < groups; i++) {
			double length = 1 + 0.08 * (2 * bench_uniform() - 1);
			bool ours = !order[i];

			slice = (struct mpxi_slice){.begin = now, .end = now};
			while (length > 0) {
				double step = fmin(length, left);
				double count = bench_poisson(step * (inside ? rate : rate / 5));

				now += (uint64_t)(step * SLICE);
				slice.end = now;
				slice.count += (uint64_t)count;
				truth[0] += count;
				truth[1] += inside ? count : 0;
				length -= step;
				left -= step;
				if (left > 0)
					continue;
				if (inside) {
					mpxi_stat_read(&stat, ours ? &slice : NULL, now, &end);
					add_stretch(&pool[1], &start[1], &end, groups, turn, turns,
						    estimator);
				} else {
					mpxi_stat_start(&stat, ours ? &slice : NULL, now, &start[1]);
					turn = turns;
				}
				inside = !inside;
				left = (inside ? on : off) * spread(0.5, 1.5);
			}
			if (ours)
				mpxi_stat_slice_sig(&stat, &slice, &spacing);
			turns++;
		}
	}
	mpxi_stat_read(&stat, NULL, now, &end);
	add_stretch(&pool[0], &start[0], &end, groups, 0, turns, estimator);
	if (inside)
		add_stretch(&pool[1], &start[1], &end, groups, turn, turns, estimator);
}

static void run_regions(double rate, double on, double off, unsigned groups, unsigned rounds,
			unsigned repeats)
{
	static const char *const sets[] = {"outer", "inner"};
	unsigned inside[2][2] = {{0}}, i, e, w;
	double bias[2][2] = {{0}}, width[2][2] = {{0}}, error[2][2] = {{0}};

	for (e = 0; e < 2; e++)
		for (i = 0; i < repeats; i++) {
			struct mpxi_pool pool[2];
			double truth[2];

			measure_regions(rate, on, off, groups, rounds, (enum mpxi_estimator)e, pool, truth);
			for (w = 0; w < 2; w++) {
				struct mpxi_result result;
				const struct mpxi_estimate *x = &result.estimate;

				mpxi_pool_result(&pool[w], (enum mpxi_estimator)e, &result);
				inside[w][e] += truth[w] >= x->low && truth[w] <= x->high;
				bias[w][e] += (x->value - truth[w]) / truth[w] / repeats * 100;
				width[w][e] += (x->high - x->low) / 2 / truth[w] / repeats * 100;
				error[w][e] += pow((x->value - truth[w]) / truth[w], 2) / repeats;
			}
		}
	for (w = 0; w < 2; w++)
		for (e = 0; e < 2; e++)
			printf("regions r%g on%g off%g g%u n%u %s %s cover %5.1f width %.2f bias %.2f to_needed %.2f\n",
			       rate, on, off, groups, rounds, sets[w], e ? "interpolated" : "ratio",
			       100. * inside[w][e] / repeats, width[w][e], bias[w][e],
			       width[w][e] / 196 / sqrt(error[w][e]));
}

#define ESTIMATORS 5
#define CHOICE 4
static const char *const estimators[] = {"ratio", "interpolated", "covariate", "auto", "choice"};

/* Sums over the cases of one kind of load. */
struct total {
	double inside, least, most, beyond, relative[64];
	unsigned cases;
};

static void add_case(struct total *total, const struct score *score, double width, double of_ratio,
		     unsigned repeats)
{
	double inside = 100. * score->inside / repeats;

	total->inside += inside;
	total->least = total->cases ? fmin(total->least, inside) : inside;
	total->most = fmax(total->most, inside);
	total->beyond += 100. * score->beyond / repeats;
	total->relative[total->cases++ % 64] = width / of_ratio;
}

static void run_case(const char *name, const struct load *kind, double rate, unsigned groups, unsigned rounds,
		     double uneven, unsigned repeats, struct total total[ESTIMATORS])
{
	struct score score[ESTIMATORS] = {{0}};
	double ratio_width = 1;
	unsigned i, e;

	for (e = 0; e < ESTIMATORS; e++) {
		score[e].width = calloc(repeats, sizeof(double));
		score[e].error = calloc(repeats, sizeof(double));
		if (!score[e].width || !score[e].error)
			abort();
	}
	for (i = 0; i < repeats; i++) {
		struct mpxi_window window[2];
		struct mpxi_estimate estimate;
		struct load load, other;
		double truth;

		draw_load(&other, kind->kind, kind->shape, rate, groups);
		if (kind->call > 0)
			draw_kernel(&load, kind, rate, groups * rounds);
		else
			draw_load(&load, kind->kind, kind->shape, rate, groups);
		load.covariate = kind->covariate;
		load.other = &other;
		truth = measure(&load, groups, rounds, uneven, window);
		for (e = 0; e < ESTIMATORS; e++) {
			enum mpxi_estimator by = e < CHOICE ? (enum mpxi_estimator)e : MPXI_AUTO;
			const struct mpxi_window *chosen = window;
			double base = fmax(truth, 1), off;

			if (by == MPXI_COVARIATE || e == CHOICE)
				chosen = mpxi_window_choose(&window[0], &window[1], by);
			mpxi_estimate(chosen, by, &estimate);
			off = estimate.value - truth;
			score[e].inside +=
				truth >= estimate.low - 1e-9 * base && truth <= estimate.high + 1e-9 * base;
			score[e].bias += off / base / repeats;
			score[e].square += off / base * off / base / repeats;
			score[e].uneven += estimate.uneven;
			score[e].width[i] = (estimate.high - estimate.low) / 2 / base;
			score[e].error[i] = fabs(off) / base;
			score[e].beyond +=
				fabs(off) / base > fmax(0.01, 3 / sqrt((double)window[0].sums.count));
		}
	}
	for (e = 0; e < ESTIMATORS; e++) {
		double width = 100 * bench_median(score[e].width, repeats);

		if (!e)
			ratio_width = width;
		if (name)
			printf("%s %-12s cover %5.1f width %8.3f error %8.3f bias %7.3f beyond %5.2f "
			       "rms %.3f to_needed %.2f uneven %.0f\n",
			       name, estimators[e], 100. * score[e].inside / repeats, width,
			       100 * bench_median(score[e].error, repeats), 100 * score[e].bias,
			       100. * score[e].beyond / repeats, 100 * sqrt(score[e].square),
			       width / 196 / sqrt(score[e].square), 100. * score[e].uneven / repeats);
		else if (rounds >= 20 && rate * rounds >= 20)
			add_case(&total[e], &score[e], width, ratio_width, repeats);
		free(score[e].width);
		free(score[e].error);
	}
	fflush(stdout);
}

static void run_covariates(unsigned repeats)
{
	static const char *const names[] = {"half", "with", "other"};
	static const unsigned groups[] = {2, 4, 16};
	struct total none[ESTIMATORS] = {{0}};
	char name[100];
	unsigned k, s, g;

	for (k = HALF; k <= OTHER; k++)
		for (s = STEADY; s <= PERIODIC; s++)
			for (g = 0; g < 3; g++) {
				struct load kind = {.shape = (enum shape)s, .covariate = (enum covariate)k};

				snprintf(name, sizeof(name), "covariate %s %s g%u", names[k], shapes[s],
					 groups[g]);
				bench_seed = 1 + g + 10 * s + 100 * k;
				run_case(name, &kind, 1000, groups[g], 40, .02, repeats, none);
			}
}

static void run_kernels(unsigned repeats)
{
	static const double apart[] = {3, 10, 50, 100}, calls[] = {.2, 1, 6, 20}, dropped[] = {0, .3, .7};
	static const char *const patterns[] = {"regular", "irregular", "once"};
	struct total none[ESTIMATORS] = {{0}};
	unsigned p, a, c, d, g;

	for (p = 0; p < 3; p++)
		for (a = 0; a < (p < 2 ? 4 : 1); a++)
			for (c = 0; c < 4; c++)
				for (d = 0; d < 3; d++)
					for (g = 4; g <= 16; g += 12) {
						struct load kind = {.apart = apart[a],
								    .call = calls[c],
								    .dropped = dropped[d],
								    .irregular = p == 1,
								    .once = p == 2};
						char name[100];

						snprintf(name, sizeof(name),
							 "kernel %s apart%g call%g dropped%g g%u",
							 patterns[p], apart[a], calls[c], dropped[d], g);
						bench_seed =
							1 + g + 100 * d + 1000 * c + 10000 * a + 100000 * p;
						run_case(name, &kind, 1000, g, 40, 0, repeats, none);
					}
}

static void print_totals(const char *load, struct total total[ESTIMATORS])
{
	static const char *const figures[] = {"held", "held_least", "held_most", "beyond"};
	char name[200];
	unsigned e, i;

	for (e = 0; e < ESTIMATORS; e++) {
		const struct total *t = &total[e];
		double figure[] = {t->inside / t->cases, t->least, t->most, t->beyond / t->cases};

		for (i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "estimator_%s_%s_%s", load, estimators[e], figures[i]);
			bench_print(name, figure[i], "%");
		}
		if (!e)
			continue;
		snprintf(name, sizeof(name), "estimator_%s_%s_to_ratio_width", load, estimators[e]);
		bench_ratio(name, bench_median(total[e].relative, t->cases));
	}
}

/* Slices with which bench_slices measures the handler's time for one event. */
static struct mpxi_slice slices[1024];

static void time_slices(void *arg, unsigned calls)
{
	struct mpxi_stat *stats = arg;
	unsigned i;

	/* Use 256 events in turn, in groups of four, so that their memory passes through the caches. */
	for (i = 0; i < calls; i++) {
		if (i % 4 == 0)
			spacing = (struct mpxi_spacing){0};
		mpxi_stat_slice_sig(&stats[i % 256], &slices[i / 256 % 1024], &spacing);
	}
}

static void time_copies(void *arg, unsigned calls)
{
	static struct mpxi_stat copy;
	struct mpxi_stat *stats = arg;
	unsigned i;

	for (i = 0; i < calls; i++) {
		memcpy(&copy, &stats[i % 256], sizeof(copy));
		__asm__ volatile("" ::: "memory");
	}
}

static void bench_slices(void)
{
	static struct mpxi_stat stats[256], others[256];
	struct bench_subject subject[] = {{time_slices, stats, 0}, {time_copies, others, 0}};
	uint64_t now = 0;
	unsigned i;

	for (i = 0; i < 1024; i++) {
		uint64_t begin = now + SLICE * (bench_bits() % 7);

		now = begin + SLICE + bench_bits() % 100000;
		slices[i] = (struct mpxi_slice){begin, now, 0, bench_bits() % 1000000, 0};
	}
	bench_in_turn(subject, 2, 256 * 8);
	bench_print("stat_slice", subject[0].median, "ns");
	bench_ratio("stat_slice_to_copy_of_stat", subject[0].median / subject[1].median);
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = {"poisson", "even"};
	static const unsigned groups[] = {2, 4, 16}, rounds[] = {10, 20, 100, 1000};
	static const double rates[] = {0.1, 1, 10, 1000, 1e6}, ons[] = {0.02, 0.3, 2, 20};
	unsigned repeats = argc > 1 ? (unsigned)atoi(argv[1]) : 200, i, g, n, r;
	double uneven = argc > 2 ? atof(argv[2]) : 0.08;
	const char *wanted = argc > 3 ? argv[3] : NULL;

	if (!repeats || !(uneven >= 0 && uneven < 1)) {
		fprintf(stderr, "usage: %s [repeats [unevenness [case]]]\n", argv[0]);
		return 2;
	}
	for (i = 0; wanted && !strcmp(wanted, "regions") && i < 4; i++)
		for (g = 0; g < 3; g++)
			for (r = 2; r < 4; r++)
				run_regions(rates[r], ons[i], ons[i] * 3, groups[g], 100, repeats);
	if (wanted && !strcmp(wanted, "covariate"))
		run_covariates(repeats);
	if (wanted && !strcmp(wanted, "kernel"))
		run_kernels(repeats);
	for (i = 0; i < 2 * SHAPES; i++) {
		struct load load = {.kind = (enum kind)(i % 2), .shape = (enum shape)(i / 2)};
		struct total total[ESTIMATORS] = {{0}};
		char name[100];

		for (r = 0; r < 5; r++)
			for (g = 0; g < 3; g++)
				for (n = 0; n < 4; n++) {
					/* Skip the cases with a thousand rounds, which take minutes. */
					if (!wanted && rounds[n] == 1000)
						continue;
					snprintf(name, sizeof(name), "%s-%s r%g g%u n%u", shapes[i / 2],
						 kinds[i % 2], rates[r], groups[g], rounds[n]);
					if (wanted && !strstr(name, wanted))
						continue;
					bench_seed = 1 + n + 10 * g + 100 * r + 1000 * i;
					run_case(wanted ? name : NULL, &load, rates[r], groups[g], rounds[n],
						 uneven, repeats, total);
				}
		snprintf(name, sizeof(name), "%s_%s", shapes[i / 2], kinds[i % 2]);
		if (!wanted)
			print_totals(name, total);
	}
	if (!wanted)
		bench_slices();
	return 0;
}
