/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - timing that is robust on a noisy machine: short batches, alternating with those of the compared
 * subjects, and medians.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_SAMPLES 101

static inline double bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static inline double bench_median(double *sample, size_t n)
{
	qsort(sample, n, sizeof(*sample), bench_compare);
	return sample[n / 2];
}

/* A subject to time. run performs the operation calls times. */
struct bench_subject {
	void (*run)(void *arg, unsigned calls);
	void *arg;
	double median; /* ns a call */
};

/* Time n subjects in alternation, BENCH_SAMPLES batches of calls each. Store the medians. */
static inline void bench_in_turn(struct bench_subject *subject, unsigned n, unsigned calls)
{
	double *sample = calloc((size_t)n * BENCH_SAMPLES, sizeof(*sample));
	unsigned s, i;

	if (!sample)
		abort();
	for (i = 0; i < n; i++)
		subject[i].run(subject[i].arg, calls);
	for (s = 0; s < BENCH_SAMPLES; s++)
		for (i = 0; i < n; i++) {
			double start = bench_now_ns();

			subject[i].run(subject[i].arg, calls);
			sample[(size_t)i * BENCH_SAMPLES + s] = (bench_now_ns() - start) / calls;
		}
	for (i = 0; i < n; i++)
		subject[i].median = bench_median(sample + (size_t)i * BENCH_SAMPLES, BENCH_SAMPLES);
	free(sample);
}

static inline void bench_print(const char *name, double value, const char *unit)
{
	printf("bench %s %.3f %s\n", name, value, unit);
	fflush(stdout);
}

static inline void bench_ratio(const char *name, double value)
{
	printf("ratio %s %.3f\n", name, value);
	fflush(stdout);
}

#endif
