/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_scale_sets.c - a thread with many event sets over many events. The events form a ring. Each set
 * contains the exact event and eight neighbours in the ring, seven of which are also in the next set. The
 * known events are at equal distances in the ring.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "mpx_scale.h"

/* WIDTH: ring events in a set. WORK: work between two sets, some ms, so that each set has several slices of
 * each group. */
enum { WIDTH = 8, WORK = 200 };

struct big_set {
	int set;
	unsigned first; /* index of the first event in the ring */
	struct scale_truth start;
};

static const struct scale_options *options;
static int *ring;  /* [events]: codes */
static int *known; /* [events]: number of the known event at this index; 0: none */
static int exact;  /* code of the exact event */
static struct big_set *sets;
static struct scale_truth truth;
static struct scale_score found;
static struct scale_sets_info info;

/* ---- choice of the events -------------------------------------------------------------- */

static void take_known(void)
{
	unsigned i;

	scale_check(PAPI_event_name_to_code(scale_name(0), &exact), scale_name(0));
	for (i = 1; i < SCALE_KNOWN; i++) {
		unsigned at = (i - 1) * (options->events / (SCALE_KNOWN - 1));

		scale_check(PAPI_event_name_to_code(scale_name(i), &ring[at]), scale_name(i));
		known[at] = (int)i;
	}
}

static bool is_known(int code)
{
	unsigned i;

	if (code == exact)
		return true;
	for (i = 0; i < options->events; i++)
		if (known[i] && ring[i] == code)
			return true;
	return false;
}

/* Fill free places of the ring, from index at on, with tracepoints whose names begin with prefix, or do not
 * if with is false. Return the index after the last one. */
static unsigned take(unsigned at, const char *prefix, bool with)
{
	const char *const all = "upc:::tp::";
	int component = PAPI_get_component_index("upc"), code = PAPI_NATIVE_MASK, error;
	char name[PAPI_MAX_STR_LEN];
	int trial;

	for (error = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); !error && at < options->events;
	     error = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		while (at < options->events && known[at])
			at++;
		if (at == options->events)
			break;
		if (PAPI_event_code_to_name(code, name) || strncmp(name, all, strlen(all)) != 0 ||
		    (strncmp(name, prefix, strlen(prefix)) == 0) != with || is_known(code))
			continue;
		scale_check(mpx_set_create(&trial), "mpx_set_create");
		if (mpx_set_add_event(trial, code))
			info.refused++;
		else
			ring[at++] = code;
		scale_check(mpx_set_destroy(&trial), "mpx_set_destroy");
	}
	return at;
}

/* Fill the ring. System calls come first, since they are the same on all machines. */
static void choose_events(void)
{
	const char *const calls = "upc:::tp::syscalls:";
	unsigned at;

	ring = calloc(options->events, sizeof(*ring));
	known = calloc(options->events, sizeof(*known));
	if (!ring || !known)
		abort();
	take_known();
	at = take(take(0, calls, true), calls, false);
	while (at < options->events && known[at])
		at++;
	if (at < options->events) {
		fprintf(stderr,
			"mpx_scale: this machine has not %u tracepoints that can be counted: use --events\n",
			options->events);
		exit(1);
	}
	info.events = options->events;
}

/* ---- sets ------------------------------------------------------------------------------ */

static void start(struct big_set *b)
{
	double begin;

	b->start = truth;
	begin = bench_now_ns();
	scale_check(mpx_set_start(b->set), "mpx_set_start");
	found.start_ns += bench_now_ns() - begin;
	found.starts++;
}

static void judge(struct big_set *b)
{
	struct mpx_estimate estimate[WIDTH + 1] = {{.size = sizeof(estimate[0])}};
	double begin = bench_now_ns();
	unsigned i, k;

	scale_check(mpx_set_estimates(b->set, estimate, WIDTH + 1), "mpx_set_estimates");
	found.read_ns += bench_now_ns() - begin;
	found.reads++;
	if (!(estimate[0].flags & MPX_EXACT))
		scale_fail("a set of many: an event that always counts is not exact");
	scale_judge(&found, &estimate[0], truth.count[0] - b->start.count[0], "a set of many");
	for (i = 0; i < WIDTH; i++) {
		k = (unsigned)known[(b->first + i) % options->events];
		if (k)
			scale_judge(&found, &estimate[i + 1], truth.count[k] - b->start.count[k],
				    "a set of many");
	}
}

void scale_sets_start(const struct scale_options *o)
{
	double begin = bench_now_ns();
	unsigned i, k;

	options = o;
	choose_events();
	sets = calloc(options->sets, sizeof(*sets));
	if (!sets)
		abort();
	for (i = 0; i < options->sets; i++) {
		sets[i].first = (unsigned)((uint64_t)i * options->events / options->sets);
		scale_check(mpx_set_create(&sets[i].set), "mpx_set_create");
		scale_check(mpx_set_add_event(sets[i].set, exact), scale_name(0));
		for (k = 0; k < WIDTH; k++)
			scale_check(
				mpx_set_add_event(sets[i].set, ring[(sets[i].first + k) % options->events]),
				"mpx_set_add_event");
	}
	for (i = 0; i < options->sets; i++)
		start(&sets[i]);
	info.made_s = (bench_now_ns() - begin) / 1e9;
}

void scale_sets_turn(const atomic_bool *end)
{
	unsigned i = 0;

	while (!atomic_load(end)) {
		scale_work(&truth, WORK);
		/* Read a set that goes on, then stop and restart another one. */
		judge(&sets[(i + options->sets / 2) % options->sets]);
		scale_check(mpx_set_stop(sets[i].set, NULL), "mpx_set_stop");
		info.stopped++;
		judge(&sets[i]);
		start(&sets[i]);
		i = (i + 1) % options->sets;
	}
}

void scale_sets_stop(struct scale_score *score)
{
	struct mpx_thread_info mine = MPX_OPTIONS_INIT(mpx_thread_info);
	double begin = bench_now_ns();
	unsigned i;

	scale_check(mpx_thread_get_info(&mine), "mpx_thread_get_info");
	info.groups = mine.groups;
	info.memory = mine.memory;
	if (mine.events < options->events)
		scale_fail("%u events are in the master list, not %u", mine.events, options->events);
	scale_thread_info(&found);
	for (i = 0; i < options->sets; i++) {
		scale_check(mpx_set_stop(sets[i].set, NULL), "mpx_set_stop");
		judge(&sets[i]);
		scale_check(mpx_set_destroy(&sets[i].set), "mpx_set_destroy");
	}
	info.closed_s = (bench_now_ns() - begin) / 1e9;
	scale_add(score, &found);
	free(sets);
	free(ring);
	free(known);
}

struct scale_sets_info scale_sets_info(void)
{
	return info;
}
