/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_covariates - mpx_set_covariate: page faults come in bursts, and those without the disk, which
 * are all of them, are estimated by all that there were; a set beside it goes by the clock.
 */
#include <math.h>

#include "mpx_util.h"

static double thread_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As long as 400 page faults take, half a millisecond at least: a covariate that counts less than 100 in a
 * slice is not chosen. */
static uint64_t slice_length(void)
{
	const double begun = thread_seconds();
	double fault;

	touch_pages(2000);
	fault = 1e9 * (thread_seconds() - begun) / 2000;
	return fault * 400 > 5e5 ? (uint64_t)(fault * 400) : 500000;
}

static void begin(unsigned group_max, const char *covariate)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	options.group_max = group_max;
	options.slice_ns = slice_length();
	options.clock = MPX_CLOCK_CPU;
	options.covariate = covariate;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
}

static int make_set(void)
{
	int set = PAPI_NULL;

	works(mpx_set_create(&set));
	works(mpx_set_add_named_event(set, MINOR));
	works(mpx_set_add_named_event(set, MAJOR));
	works(mpx_set_add_named_event(set, FAULTS));
	return set;
}

/* Bursts of some slices, and as long without any, whatever a page fault takes here (0.2 to 30 us). */
static long long burst(int times)
{
	long long faults = 0;
	double begun, end;
	int i;

	for (i = 0; i < times; i++) {
		size_t n = 500 + 1500 * ((unsigned)i * 7 % 5);

		begun = thread_seconds();
		touch_pages(n);
		faults += (long long)n;
		end = thread_seconds();
		end += (end - begun) * ((unsigned)i * 3 % 4) / 1.5;
		while (thread_seconds() < end)
			;
	}
	return faults;
}

/* A slice that load made long leaves the covariate no better than the clock, and the clock is chosen then:
 * the burst is measured again, five times at most. By the clock alone no standard error is smaller. */
enum { MEASUREMENTS = 5 };

static bool goes_by_the_covariate(int set, int other)
{
	struct mpx_estimate by, clock;
	long long truth;

	works(mpx_set_start(other));
	works(mpx_set_start(set));
	truth = burst(60);
	works(mpx_set_stop(set, NULL));
	works(mpx_set_stop(other, NULL));
	by = estimate_of(set, 0);
	clock = estimate_of(other, 0);
	note("%lld: by the covariate %.0f (%.0f), by the clock %.0f (%.0f)", truth, by.estimate,
	     by.standard_error, clock.estimate, clock.standard_error);
	return !(by.flags & MPX_EXACT) && by.standard_error < .9 * clock.standard_error &&
	       fabs(by.estimate - (double)truth) <= .01 * (double)truth + FAULTS_SLACK;
}

static void goes_with_it(void)
{
	int set, other, third, i;

	begin(1, MPX_NO_COVARIATE);
	set = make_set();
	other = make_set();
	third = make_set();
	works(mpx_set_covariate(set, FAULTS));
	works(mpx_set_covariate(set, FAULTS));
	works(mpx_set_covariate(third, MAJOR));
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_covariate(set, NULL));
	refuses(PAPI_ECNFLCT, mpx_set_start(third));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_start(third));
	works(mpx_set_stop(third, NULL));
	for (i = 0; i < MEASUREMENTS && !goes_by_the_covariate(set, other); i++)
		;
	ok(i < MEASUREMENTS,
	   "it goes with the covariate, and is known better than the same event of a set without");
	works(mpx_library_shutdown());
}

static void refusals(void)
{
	int set, process = PAPI_NULL;
	long long value[3];

	refuses(PAPI_ENOINIT, mpx_set_covariate(0, FAULTS));
	begin(0, MPX_NO_COVARIATE);
	set = make_set();
	refuses(PAPI_ENOEVST, mpx_set_covariate(-1, FAULTS));
	refuses(PAPI_ENOEVNT, mpx_set_covariate(set, "upc:::perf::NONE-SUCH"));
	refuses(PAPI_ENOSUPP, mpx_set_covariate(set, "upc:::vm::pgfault"));
	works(mpx_set_create_process(&process));
	refuses(PAPI_ENOSUPP, mpx_set_covariate(process, FAULTS));
	works(mpx_set_covariate(set, NULL));
	works(mpx_set_covariate(set, MPX_NO_COVARIATE));
	/* In regions nothing of other covariates is left. */
	works(mpx_set_start(set));
	touch_pages(100);
	works(mpx_set_stop(set, value));
	works(mpx_set_covariate(set, MAJOR));
	works(mpx_set_domain(set, PAPI_DOM_USER));
	works(mpx_set_start(set));
	touch_pages(200);
	works(mpx_set_stop(set, value));
	ok(about(value[0], 200), "exact as ever: %lld of 200", value[0]);
	{
		struct mpx_estimate e = MPX_OPTIONS_INIT(mpx_estimate);

		works(mpx_set_region_estimates(set, 0, &e, 1));
		ok(about(e.value, 200), "the region has %lld", e.value);
	}
	works(mpx_library_shutdown());
	begin(0, FAULTS);
	set = make_set();
	refuses(PAPI_ECNFLCT, mpx_set_covariate(set, MINOR));
	works(mpx_set_covariate(set, NULL));
	works(mpx_library_shutdown());
}

int main(void)
{
	start_papi();
	refusals();
	goes_with_it();
	PAPI_shutdown();
	return done();
}
