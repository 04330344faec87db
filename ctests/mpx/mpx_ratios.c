/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_ratios - ratios of events and relations between them through mpx.h: every call's errors, and
 * that they leave all as it was; exact ones; ones of events that take turns.
 */
#include <math.h>
#include <stdint.h>

#include "mpx_util.h"

#define NO_EVENT 0x4fffffff

/* Page faults of all kinds, those without the disk, those with it. */
static const char *const names[] = {FAULTS, MINOR, MAJOR};
static int code[3];

static int make_set(void)
{
	int set = PAPI_NULL, i, n = 3;

	works(mpx_set_create(&set));
	for (i = 0; i < 3; i++)
		works(mpx_set_add_named_event(set, names[i]));
	works(mpx_set_list_events(set, code, &n));
	return set;
}

static struct mpx_ratio ratio_at(int set, int index)
{
	struct mpx_ratio r[4];

	memset(r, 0, sizeof(r));
	r[0].size = sizeof(r[0]);
	works(mpx_set_ratios(set, r, index + 1));
	return r[index];
}

static const double of_faults[] = {1, -1, -1};

static void before_init(void)
{
	struct mpx_ratio r = MPX_OPTIONS_INIT(mpx_ratio);

	refuses(PAPI_ENOINIT, mpx_set_add_ratio(0, NO_EVENT, NO_EVENT));
	refuses(PAPI_ENOINIT, mpx_set_remove_ratio(0, NO_EVENT, NO_EVENT));
	refuses(PAPI_ENOINIT, mpx_set_ratios(0, &r, 0));
	refuses(PAPI_ENOINIT, mpx_set_add_relation(0, code, of_faults, 3));
	refuses(PAPI_ENOINIT, mpx_set_clear_relations(0));
	refuses(PAPI_ENOINIT, mpx_set_reconciled_estimates(0, NULL, 0));
}

static void ratio_errors(void)
{
	struct mpx_ratio r[3];
	int set = make_set(), process = PAPI_NULL;

	memset(r, 0x55, sizeof(r));
	r[0].size = sizeof(r[0]);
	refuses(PAPI_ENOEVST, mpx_set_add_ratio(-1, code[0], code[1]));
	refuses(PAPI_ENOEVNT, mpx_set_add_ratio(set, NO_EVENT, code[1]));
	refuses(PAPI_ENOEVNT, mpx_set_add_ratio(set, code[0], NO_EVENT));
	refuses(PAPI_EINVAL, mpx_set_add_ratio(set, code[0], code[0]));
	refuses(PAPI_ENOEVNT, mpx_set_remove_ratio(set, code[0], code[1]));
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, 1));
	works(mpx_set_ratios(set, NULL, 0));
	works(mpx_set_add_ratio(set, code[1], code[0]));
	refuses(PAPI_ECNFLCT, mpx_set_add_ratio(set, code[1], code[0]));
	works(mpx_set_add_ratio(set, code[0], code[1]));
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, 3));
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, -1));
	refuses(PAPI_EINVAL, mpx_set_ratios(set, NULL, 1));
	r[0].size = 0;
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, 1));
	r[0].size = (size_t)-1;
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, 1));
	ok(r[0].numerator == 0x55555555 && r[1].flags == 0x55555555, "nothing was written");
	works(mpx_set_remove_ratio(set, code[1], code[0]));
	r[0] = ratio_at(set, 0);
	ok(r[0].numerator == code[0] && r[0].denominator == code[1], "the other one is left");
	ok(r[0].flags & MPX_UNCOUNTED && isnan(r[0].value) && isinf(r[0].high) && r[0].low == 0,
	   "before a start nothing is known: %x", r[0].flags);
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_add_ratio(set, code[0], code[2]));
	refuses(PAPI_EISRUN, mpx_set_remove_ratio(set, code[0], code[1]));
	works(mpx_set_stop(set, NULL));
	/* A ratio goes with its event. */
	works(mpx_set_add_ratio(set, code[2], code[0]));
	works(mpx_set_remove_event(set, code[1]));
	r[0] = ratio_at(set, 0);
	ok(r[0].numerator == code[2] && r[0].denominator == code[0], "the ratio of an event that is gone is");
	works(mpx_set_remove_event(set, code[0]));
	refuses(PAPI_EINVAL, mpx_set_ratios(set, r, 1));
	works(mpx_set_destroy(&set));
	works(mpx_set_create_process(&process));
	works(mpx_set_add_named_event(process, names[0]));
	works(mpx_set_add_named_event(process, names[1]));
	refuses(PAPI_ENOSUPP, mpx_set_add_ratio(process, code[0], code[1]));
	refuses(PAPI_ENOSUPP, mpx_set_remove_ratio(process, code[0], code[1]));
	refuses(PAPI_ENOSUPP, mpx_set_add_relation(process, code, of_faults, 2));
	refuses(PAPI_ENOSUPP, mpx_set_clear_relations(process));
	refuses(PAPI_ENOSUPP, mpx_set_reconciled_estimates(process, NULL, 0));
	works(mpx_set_ratios(process, NULL, 0));
	works(mpx_set_destroy(&process));
}

static void relation_errors(void)
{
	int set = make_set(), wrong[] = {code[0], code[1], code[1]}, none[] = {code[0], NO_EVENT};
	double bad[][3] = {{1, 0, -1}, {1, NAN, -1}, {INFINITY, 1, -1}};
	struct mpx_estimate e[3];
	int i;

	refuses(PAPI_ENOEVST, mpx_set_add_relation(-1, code, of_faults, 3));
	refuses(PAPI_EINVAL, mpx_set_add_relation(set, NULL, of_faults, 3));
	refuses(PAPI_EINVAL, mpx_set_add_relation(set, code, NULL, 3));
	for (i = -1; i < 2; i++)
		refuses(PAPI_EINVAL, mpx_set_add_relation(set, code, of_faults, i));
	refuses(PAPI_EINVAL, mpx_set_add_relation(set, code, of_faults, 33));
	refuses(PAPI_EINVAL, mpx_set_add_relation(set, code, of_faults, INT32_MAX));
	refuses(PAPI_EINVAL, mpx_set_add_relation(set, wrong, of_faults, 3));
	refuses(PAPI_ENOEVNT, mpx_set_add_relation(set, none, of_faults, 2));
	for (i = 0; i < 3; i++)
		refuses(PAPI_EINVAL, mpx_set_add_relation(set, code, bad[i], 3));
	works(mpx_set_clear_relations(set));
	e[0].size = sizeof(e[0]);
	refuses(PAPI_EINVAL, mpx_set_reconciled_estimates(set, e, 4));
	refuses(PAPI_EINVAL, mpx_set_reconciled_estimates(set, e, -1));
	refuses(PAPI_EINVAL, mpx_set_reconciled_estimates(set, NULL, 1));
	works(mpx_set_add_relation(set, code, of_faults, 3));
	works(mpx_set_reconciled_estimates(set, e, 3));
	ok(e[0].flags & MPX_UNCOUNTED && !(e[0].flags & (MPX_RECONCILED | MPX_CONTRADICTED)) &&
		   e[0].value == MPX_NEVER,
	   "before a start no relation is applied: %x", e[0].flags);
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_add_relation(set, code, of_faults, 3));
	refuses(PAPI_EISRUN, mpx_set_clear_relations(set));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_remove_event(set, code[2]));
	works(mpx_set_start(set));
	touch_pages(10);
	works(mpx_set_stop(set, NULL));
	e[0].size = sizeof(e[0]);
	works(mpx_set_reconciled_estimates(set, e, 2));
	ok(!(e[0].flags & (MPX_RECONCILED | MPX_CONTRADICTED)), "a relation goes with its event: %x",
	   e[0].flags);
	works(mpx_set_destroy(&set));
}

/* No events take turns: all is known. */
static void exact(void)
{
	static const double of_none[] = {1, 1};
	struct mpx_estimate e[3], plain[3];
	struct mpx_ratio r;
	int set = make_set(), i;

	works(mpx_set_add_ratio(set, code[1], code[0]));
	works(mpx_set_add_ratio(set, code[2], code[0]));
	works(mpx_set_add_relation(set, code, of_faults, 3));
	works(mpx_set_start(set));
	touch_pages(300);
	works(mpx_set_stop(set, NULL));
	memset(plain, 0, sizeof(plain));
	plain[0].size = e[0].size = sizeof(e[0]);
	works(mpx_set_estimates(set, plain, 3));
	works(mpx_set_reconciled_estimates(set, e, 3));
	r = ratio_at(set, 0);
	ok(r.size == sizeof(r) && r.flags == MPX_EXACT &&
		   r.value == (double)plain[1].count / (double)plain[0].count && r.low == r.value &&
		   r.high == r.value && r.standard_error == 0 && r.together == 1,
	   "an exact ratio: %g, flags %x", r.value, r.flags);
	for (i = 0; i < 3; i++)
		ok(e[i].value == plain[i].value && e[i].estimate == plain[i].estimate &&
			   e[i].low == plain[i].low && e[i].high == plain[i].high && e[i].flags & MPX_EXACT,
		   "exact estimates stay: %g", e[i].estimate);
	ok((e[0].flags & (MPX_RECONCILED | MPX_CONTRADICTED)) == MPX_RECONCILED, "and agree: flags %x",
	   e[0].flags);
	/* A relation that does not hold. */
	works(mpx_set_clear_relations(set));
	works(mpx_set_add_relation(set, code, of_none, 2));
	works(mpx_set_reconciled_estimates(set, e, 3));
	ok((e[0].flags & (MPX_RECONCILED | MPX_CONTRADICTED)) == MPX_CONTRADICTED &&
		   e[0].value == plain[0].value && !(e[2].flags & MPX_CONTRADICTED),
	   "a relation that does not hold is said to: flags %x and %x", e[0].flags, e[2].flags);
	works(mpx_set_destroy(&set));
}

static int is_sound(const struct mpx_ratio *r)
{
	return r->low >= 0 && r->high >= r->low && !isnan(r->high) &&
	       (isnan(r->value) || (r->value >= r->low && r->value <= r->high)) &&
	       !(r->flags & MPX_UNBOUNDED) == !isinf(r->high) && r->together >= 0 && r->together <= 1;
}

/* Makes page faults until so many more slices have ended: ticks that fall into the kernel are dropped. */
static void work_for(unsigned slices)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	uint64_t end;
	volatile long k;
	long i;

	works(mpx_thread_get_info(&info));
	end = info.slices + slices;
	for (i = 0; i < 100000 && info.slices < end; i++) {
		touch_pages(50);
		for (k = 0; k < 50000; k++)
			;
		if (mpx_thread_get_info(&info))
			break;
	}
	ok(info.slices >= end, "%u slices more: %llu of %llu", slices, (unsigned long long)info.slices,
	   (unsigned long long)end);
}

/* Events take turns; the checks hold whatever the turns were. */
static void shared(unsigned group_max, const char *covariate)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_estimate e[3], plain[3];
	struct mpx_ratio r[3];
	long long values[3] = {0}, before[3] = {-1, -1, -1};
	int set, i, k;

	o.group_max = group_max;
	o.covariate = covariate;
	o.slice_ns = 1000000;
	o.seed = 7;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	set = make_set();
	works(mpx_set_add_ratio(set, code[1], code[0]));
	works(mpx_set_add_ratio(set, code[0], code[2]));
	works(mpx_set_add_relation(set, code, of_faults, 3));
	works(mpx_set_start(set));
	for (i = 0; i < 8; i++) {
		work_for(6);
		r[0].size = sizeof(r[0]);
		works(mpx_set_ratios(set, r, 2));
		ok(is_sound(&r[0]) && is_sound(&r[1]), "ratios while it runs: %g [%g, %g], %g [%g, %g]",
		   r[0].value, r[0].low, r[0].high, r[1].value, r[1].low, r[1].high);
		e[0].size = sizeof(e[0]);
		works(i % 2 ? mpx_set_read(set, values) : mpx_set_reconciled_estimates(set, e, 3));
		for (k = 0; k < 3; k++) {
			long long now = i % 2 ? values[k] : e[k].value;

			if (now < before[k] || (!(i % 2) && now != MPX_NEVER && now < (long long)e[k].count))
				ok(0, "value %d goes from %lld to %lld, %llu counted", k, before[k], now,
				   (unsigned long long)e[k].count);
			before[k] = now;
		}
	}
	works(mpx_set_stop(set, NULL));
	r[0] = ratio_at(set, 0);
	r[1] = ratio_at(set, 1);
	note("flags %x, together %.2f; flags %x", r[0].flags, r[0].together, r[1].flags);
	/* Nothing reads from a disk here: the count of major faults may be 0. */
	ok(is_sound(&r[0]) && is_sound(&r[1]), "after the stop");
	ok(!(r[0].flags & (MPX_EXACT | MPX_CAREFUL)), "no more is guessed than must be: %x", r[0].flags);
	e[0].size = plain[0].size = sizeof(e[0]);
	works(mpx_set_reconciled_estimates(set, e, 3));
	works(mpx_set_estimates(set, plain, 3));
	for (i = 0; i < 3; i++)
		ok(e[i].low <= e[i].estimate && e[i].estimate <= e[i].high &&
			   e[i].low >= (double)e[i].count &&
			   e[i].standard_error <= plain[i].standard_error * 1.001 &&
			   !e[i].standard_error == !plain[i].standard_error,
		   "%g [%g, %g] of %g, standard error %g of %g", e[i].estimate, e[i].low, e[i].high,
		   plain[i].estimate, e[i].standard_error, plain[i].standard_error);
	if (e[0].flags & MPX_RECONCILED)
		ok(fabs(e[0].estimate - e[1].estimate - e[2].estimate) <= 1e-6 * e[0].estimate ||
			   e[2].estimate == (double)e[2].count,
		   "estimates agree: %.2f = %.2f + %.2f", e[0].estimate, e[1].estimate, e[2].estimate);
	else
		ok(e[0].flags & MPX_CONTRADICTED && e[0].estimate == plain[0].estimate,
		   "or are left as they are: flags %x", e[0].flags);
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

int main(void)
{
	before_init();
	start_papi();
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	ratio_errors();
	relation_errors();
	exact();
	works(mpx_library_shutdown());
	shared(1, NULL);
	shared(2, NULL);
	shared(1, "upc:::perf::TASK-CLOCK");
	shared(2, "upc:::perf::TASK-CLOCK");
	/* Exact, and the others go with it. */
	shared(1, FAULTS);
	PAPI_shutdown();
	return done();
}
