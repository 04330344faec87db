/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran.c - the calls for Fortran (include/mpxf.h): subroutines that store the C result in their
 * last argument. Their names have an underscore appended. The compiler appends the lengths of
 * character arguments after all other arguments.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "mpx.h"

/* Declare and define a subroutine. Only compiled Fortran programs call it, so no header declares it. */
#define SUBROUTINE(name, ...)                                                    \
	__attribute__((visibility("default"))) void mpxf_##name##_(__VA_ARGS__); \
	void mpxf_##name##_(__VA_ARGS__)

/* ---- texts ------------------------------------------------------------------------------ */

/* Copy a text without its trailing blanks. NULL: out of memory, with a message. */
static char *text_in(const char *text, size_t length)
{
	char *copy;

	while (length && text[length - 1] == ' ')
		length--;
	copy = strndup(text, length);
	if (!copy)
		(void)mpxi_error(PAPI_ENOMEM, "out of memory for a name of %zu letters", length);
	return copy;
}

static void text_out(char *to, size_t length, const char *text)
{
	size_t n = strnlen(text, length);

	memcpy(to, text, n);
	memset(to + n, ' ', length - n);
}

/* ---- the library ------------------------------------------------------------------------- */

SUBROUTINE(library_init, const int *abi, int *check)
{
	*check = mpx_library_init(*abi, NULL);
}

/* Initialize the library. length is the length of covariate. */
static int init_with(int abi, struct mpx_options *options, long long slice_ns, int group_max,
		     const char *covariate, size_t length)
{
	char *name;
	int result;

	if (slice_ns < 0 || group_max < 0)
		return mpxi_error(PAPI_EINVAL, "slice_ns is %lld and group_max is %d: neither is below 0",
				  slice_ns, group_max);
	name = text_in(covariate, length);
	if (!name)
		return PAPI_ENOMEM;
	options->slice_ns = (uint64_t)slice_ns;
	options->group_max = (unsigned)group_max;
	options->covariate = name[0] ? name : NULL;
	result = mpx_library_init(abi, options);
	free(name);
	return result;
}

SUBROUTINE(library_init_signal, const int *abi, const long long *slice_ns, const int *timer, const int *clock,
	   const int *estimator, const int *group_max, const char *covariate, const int *signal_number,
	   const long long *seed, int *check, size_t length)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	options.timer = (enum mpx_timer) * timer;
	options.clock = (enum mpx_clock) * clock;
	options.estimator = (enum mpx_estimator) * estimator;
	options.signal_number = *signal_number;
	options.seed = (uint64_t)*seed;
	*check = init_with(*abi, &options, *slice_ns, *group_max, covariate, length);
}

SUBROUTINE(library_init_options, const int *abi, const long long *slice_ns, const int *timer,
	   const int *clock, const int *estimator, const int *group_max, const char *covariate, int *check,
	   size_t length)
{
	const int signal_number = 0;
	const long long seed = 0;

	mpxf_library_init_signal_(abi, slice_ns, timer, clock, estimator, group_max, covariate,
				  &signal_number, &seed, check, length);
}

SUBROUTINE(library_get_info, long long *slice_ns, int *timer, int *estimator, int *signal_number,
	   int *threads, int *check)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);

	*check = mpx_library_get_info(&info);
	if (*check)
		return;
	*slice_ns = (long long)info.slice_ns;
	*timer = (int)info.timer;
	*estimator = (int)info.estimator;
	*signal_number = info.signal_number;
	*threads = (int)info.threads;
}

SUBROUTINE(library_shutdown, int *check)
{
	*check = mpx_library_shutdown();
}

SUBROUTINE(version, char *text, size_t length)
{
	text_out(text, length, mpx_version());
}

SUBROUTINE(last_message, char *text, size_t length)
{
	text_out(text, length, mpx_last_message());
}

/* ---- event sets -------------------------------------------------------------------------- */

SUBROUTINE(set_create, int *set, int *check)
{
	*check = mpx_set_create(set);
}

SUBROUTINE(set_create_process, int *set, int *check)
{
	*check = mpx_set_create_process(set);
}

SUBROUTINE(set_destroy, int *set, int *check)
{
	*check = mpx_set_destroy(set);
}

SUBROUTINE(set_add_event, const int *set, const int *code, int *check)
{
	*check = mpx_set_add_event(*set, *code);
}

SUBROUTINE(set_add_events, const int *set, const int *codes, const int *n, int *check)
{
	*check = mpx_set_add_events(*set, codes, *n);
}

SUBROUTINE(set_add_named_event, const int *set, const char *name, int *check, size_t length)
{
	char *copy = text_in(name, length);

	*check = copy ? mpx_set_add_named_event(*set, copy) : PAPI_ENOMEM;
	free(copy);
}

SUBROUTINE(set_remove_event, const int *set, const int *code, int *check)
{
	*check = mpx_set_remove_event(*set, *code);
}

SUBROUTINE(set_remove_named_event, const int *set, const char *name, int *check, size_t length)
{
	char *copy = text_in(name, length);

	*check = copy ? mpx_set_remove_named_event(*set, copy) : PAPI_ENOMEM;
	free(copy);
}

SUBROUTINE(set_cleanup, const int *set, int *check)
{
	*check = mpx_set_cleanup(*set);
}

SUBROUTINE(set_num_events, const int *set, int *check)
{
	*check = mpx_set_num_events(*set);
}

SUBROUTINE(set_list_events, const int *set, int *codes, int *n, int *check)
{
	*check = mpx_set_list_events(*set, codes, n);
}

SUBROUTINE(set_attach, const int *set, const int *tid, int *check)
{
	*check = mpx_set_attach(*set, *tid);
}

SUBROUTINE(set_detach, const int *set, int *check)
{
	*check = mpx_set_detach(*set);
}

SUBROUTINE(set_domain, const int *set, const int *domain, int *check)
{
	*check = mpx_set_domain(*set, *domain);
}

SUBROUTINE(set_always, const int *set, const int *code, const int *on, int *check)
{
	*check = mpx_set_always(*set, *code, *on);
}

SUBROUTINE(set_covariate, const int *set, const char *covariate, int *check, size_t length)
{
	char *copy = text_in(covariate, length);

	*check = !copy ? PAPI_ENOMEM : mpx_set_covariate(*set, *copy ? copy : NULL);
	free(copy);
}

SUBROUTINE(set_state, const int *set, int *state, int *check)
{
	*check = mpx_set_state(*set, state);
}

SUBROUTINE(set_start, const int *set, int *check)
{
	*check = mpx_set_start(*set);
}

SUBROUTINE(set_stop, const int *set, long long *values, int *check)
{
	*check = mpx_set_stop(*set, values);
}

SUBROUTINE(set_read, const int *set, long long *values, int *check)
{
	*check = mpx_set_read(*set, values);
}

SUBROUTINE(set_accum, const int *set, long long *values, int *check)
{
	*check = mpx_set_accum(*set, values);
}

SUBROUTINE(set_reset, const int *set, int *check)
{
	*check = mpx_set_reset(*set);
}

/* ---- estimates ---------------------------------------------------------------------------- */

SUBROUTINE(set_confidence, const int *set, const double *level, int *check)
{
	*check = mpx_set_confidence(*set, *level);
}

#define MOST (1 << 20) /* maximum length of a list; n may be any number */

/* One of the calls that store n estimates of a set. */
typedef int estimates_call(int set, const int *region, struct mpx_estimate *list, int n);

static int of_start(int set, const int *region, struct mpx_estimate *list, int n)
{
	(void)region;
	return mpx_set_estimates(set, list, n);
}

static int estimates_of_region(int set, const int *region, struct mpx_estimate *list, int n)
{
	return mpx_set_region_estimates(set, *region, list, n);
}

static int of_relations(int set, const int *region, struct mpx_estimate *list, int n)
{
	(void)region;
	return mpx_set_reconciled_estimates(set, list, n);
}

static int of_kept(int set, const int *region, struct mpx_estimate *list, int n)
{
	return mpx_set_kept_estimates(set, *region, list, n);
}

/* Allocate and fill *list, which the caller frees. *list is also filled if threads do not answer. The call
 * checks whether the set has n events, since the number of events of another thread's set is not known
 * here. */
static int get_estimates(int set, const int *region, int n, estimates_call *call, struct mpx_estimate **list)
{
	*list = NULL;
	if (n < 0 || n > MOST)
		return mpxi_error(PAPI_EINVAL, "n is %d: the event set has not so many events", n);
	*list = calloc((size_t)n + 1, sizeof(**list));
	if (!*list)
		return mpxi_error(PAPI_ENOMEM, "out of memory for estimates of %d events", n);
	(*list)[0].size = sizeof(**list);
	return call(set, region, *list, n);
}

/* True if list was filled. After PAPI_ESYS it contains the last answers of threads that do not answer. */
static int are_there(int result, const struct mpx_estimate *list, int n)
{
	return list && n && (!result || result == PAPI_ESYS) && list[n - 1].size;
}

static int split_estimates(int set, const int *region, int n, estimates_call *call, double *estimate,
			   double *error, double *low, double *high, int *flags)
{
	struct mpx_estimate *list;
	int result = get_estimates(set, region, n, call, &list), i;

	for (i = 0; are_there(result, list, n) && i < n; i++) {
		estimate[i] = list[i].estimate;
		error[i] = list[i].standard_error;
		low[i] = list[i].low;
		high[i] = list[i].high;
		flags[i] = (int)list[i].flags;
	}
	free(list);
	return result;
}

SUBROUTINE(set_estimates, const int *set, const int *n, double *estimate, double *error, double *low,
	   double *high, int *flags, int *check)
{
	*check = split_estimates(*set, NULL, *n, of_start, estimate, error, low, high, flags);
}

SUBROUTINE(set_estimate_info, const int *set, const int *n, long long *values, long long *counts,
	   long long *counted_time, long long *time, double *coverage, int *threads, int *missed, int *check)
{
	struct mpx_estimate *list;
	int i;

	*check = get_estimates(*set, NULL, *n, of_start, &list);
	for (i = 0; are_there(*check, list, *n) && i < *n; i++) {
		values[i] = list[i].value;
		counts[i] = (long long)list[i].count;
		counted_time[i] = (long long)list[i].counted_time;
		time[i] = (long long)list[i].time;
		coverage[i] = list[i].coverage;
		threads[i] = (int)list[i].threads;
		missed[i] = (int)list[i].missed;
	}
	free(list);
}

/* ---- ratios and relations ----------------------------------------------------------------- */

SUBROUTINE(set_add_ratio, const int *set, const int *numerator, const int *denominator, int *check)
{
	*check = mpx_set_add_ratio(*set, *numerator, *denominator);
}

SUBROUTINE(set_remove_ratio, const int *set, const int *numerator, const int *denominator, int *check)
{
	*check = mpx_set_remove_ratio(*set, *numerator, *denominator);
}

SUBROUTINE(set_ratios, const int *set, const int *n, double *value, double *error, double *low, double *high,
	   double *together, int *flags, int *check)
{
	struct mpx_ratio *list = calloc((size_t)(*n > 0 && *n < MOST ? *n : 1), sizeof(*list));
	int i;

	if (!list) {
		*check = mpxi_error(PAPI_ENOMEM, "out of memory for %d ratios", *n);
		return;
	}
	list[0].size = sizeof(list[0]);
	*check = mpx_set_ratios(*set, list, *n < MOST ? *n : MOST); /* checks n */
	for (i = 0; !*check && i < *n; i++) {
		value[i] = list[i].value;
		error[i] = list[i].standard_error;
		low[i] = list[i].low;
		high[i] = list[i].high;
		together[i] = list[i].together;
		flags[i] = (int)list[i].flags;
	}
	free(list);
}

SUBROUTINE(set_add_relation, const int *set, const int *codes, const double *coefficients, const int *n,
	   int *check)
{
	*check = mpx_set_add_relation(*set, codes, coefficients, *n);
}

SUBROUTINE(set_clear_relations, const int *set, int *check)
{
	*check = mpx_set_clear_relations(*set);
}

SUBROUTINE(set_reconciled_estimates, const int *set, const int *n, double *estimate, double *error,
	   double *low, double *high, int *flags, int *check)
{
	*check = split_estimates(*set, NULL, *n, of_relations, estimate, error, low, high, flags);
}

/* ---- regions ------------------------------------------------------------------------------ */

SUBROUTINE(set_region, const int *set, const int *region, int *check)
{
	*check = mpx_set_region(*set, *region);
}

SUBROUTINE(set_switch_region, const int *set, const int *region, int *check)
{
	*check = mpx_set_switch_region(*set, *region);
}

SUBROUTINE(set_list_regions, const int *set, int *regions, int *n, int *check)
{
	*check = mpx_set_list_regions(*set, regions, n);
}

SUBROUTINE(set_region_estimates, const int *set, const int *region, const int *n, double *estimate,
	   double *error, double *low, double *high, int *flags, int *check)
{
	*check = split_estimates(*set, region, *n, estimates_of_region, estimate, error, low, high, flags);
}

SUBROUTINE(set_kept_estimates, const int *set, const int *region, const int *n, double *estimate,
	   double *error, double *low, double *high, int *flags, int *check)
{
	*check = split_estimates(*set, region, *n, of_kept, estimate, error, low, high, flags);
}

/* ---- threads ------------------------------------------------------------------------------ */

SUBROUTINE(thread_register, int *check)
{
	*check = mpx_thread_register();
}

SUBROUTINE(thread_end, int *check)
{
	*check = mpx_thread_end();
}

SUBROUTINE(thread_get_info, char *clock_name, char *clock_unit, char *covariate, long long *time,
	   long long *slices, long long *put_off, long long *lost, int *groups, int *events, int *running,
	   long long *memory, int *check, size_t name_length, size_t unit_length, size_t covariate_length)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	*check = mpx_thread_get_info(&info);
	if (*check)
		return;
	text_out(clock_name, name_length, info.clock);
	text_out(clock_unit, unit_length, info.clock_unit);
	text_out(covariate, covariate_length, info.covariate ? info.covariate : "");
	*time = (long long)info.time;
	*slices = (long long)info.slices;
	*put_off = (long long)info.put_off;
	*lost = (long long)info.lost;
	*groups = (int)info.groups;
	*events = (int)info.events;
	*running = (int)info.running;
	*memory = (long long)info.memory;
}

SUBROUTINE(thread_master_list, const int *n, int *codes, int *references, int *activations, long long *counts,
	   long long *counted_time, long long *slices, int *group, int *current, int *domain, int *check)
{
	const int room = *n < MOST ? *n : MOST;
	struct mpx_master_event *list = calloc((size_t)(room > 0 ? room : 1), sizeof(*list));
	int i;

	if (!list) {
		*check = mpxi_error(PAPI_ENOMEM, "out of memory for a list of %d events", *n);
		return;
	}
	list[0].size = sizeof(list[0]);
	*check = mpx_thread_master_list(list, room);
	for (i = 0; i < *check && i < room; i++) {
		codes[i] = list[i].code;
		references[i] = (int)list[i].references;
		activations[i] = (int)list[i].activations;
		counts[i] = (long long)list[i].count;
		counted_time[i] = (long long)list[i].counted_time;
		slices[i] = (long long)list[i].slices;
		group[i] = list[i].group;
		current[i] = list[i].current;
		domain[i] = list[i].domain;
	}
	free(list);
}
