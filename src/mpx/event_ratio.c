/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_ratio.c - the public calls on ratios of a set's events, and on relations between them. Each call
 * requests a pair from the core, which then records how the errors of the two events correlate.
 */
#include <math.h>
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "core/error.h"
#include "event_ratio.h"
#include "mpx.h"
#include "stat/joint.h"
#include "stat/ratio.h"

#define TERMS_MAX 32

static int refuse_absent_event(const struct mpxi_handle *handle, uint32_t event)
{
	return mpxi_error(PAPI_ENOEVNT, "event set %d has no event 0x%x", handle->number, event);
}

/* Find a stopped set of the calling thread that is not process-wide. */
static int find_stopped(int set, struct mpxi_handle **handle)
{
	int error = mpxi_thread_find(set, handle);

	if (error)
		return error;
	if ((*handle)->process)
		return mpxi_error(
			PAPI_ENOSUPP,
			"event set %d is process-wide: ratios and relations are of sets of one thread", set);
	if (mpxi_set_runs((*handle)->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it before ratios or relations change",
				  set);
	return PAPI_OK;
}

/* ---- ratios --------------------------------------------------------------------------- */

static unsigned find_asked_ratio(const struct mpxi_asked *asked, uint32_t numerator, uint32_t denominator)
{
	unsigned i;

	for (i = 0; i < asked->ratios; i++)
		if (asked->ratio[i].numerator == numerator && asked->ratio[i].denominator == denominator)
			break;
	return i;
}

static void drop_ratio(struct mpxi_asked *asked, unsigned i)
{
	asked->ratios--;
	memmove(asked->ratio + i, asked->ratio + i + 1, (asked->ratios - i) * sizeof(asked->ratio[0]));
}

static int add_ratio(struct mpxi_handle *handle, uint32_t numerator, uint32_t denominator)
{
	struct mpxi_asked *asked = &handle->asked;
	struct mpxi_asked_ratio *more;
	unsigned i = mpxi_handle_index(handle, numerator), k = mpxi_handle_index(handle, denominator);
	unsigned n = mpxi_set_events(handle->set);

	if (i == n || k == n)
		return refuse_absent_event(handle, i == n ? numerator : denominator);
	if (i == k)
		return mpxi_error(PAPI_EINVAL, "the ratio of the event 0x%x to itself is 1", numerator);
	if (find_asked_ratio(asked, numerator, denominator) < asked->ratios)
		return mpxi_error(PAPI_ECNFLCT, "event set %d has this ratio already", handle->number);
	more = realloc(asked->ratio, (asked->ratios + 1) * sizeof(*more));
	if (!more)
		return mpxi_error(PAPI_ENOMEM, "out of memory for a ratio");
	asked->ratio = more;
	if (mpxi_set_pair(handle->set, i, k))
		return PAPI_ENOMEM;
	more[asked->ratios++] = (struct mpxi_asked_ratio){numerator, denominator};
	return PAPI_OK;
}

int mpx_set_add_ratio(int set, int numerator, int denominator)
{
	struct mpxi_handle *handle;
	int error = find_stopped(set, &handle);

	return error ? error : add_ratio(handle, (uint32_t)numerator, (uint32_t)denominator);
}

int mpx_set_remove_ratio(int set, int numerator, int denominator)
{
	struct mpxi_handle *handle;
	int error = find_stopped(set, &handle);
	unsigned i;

	if (error)
		return error;
	i = find_asked_ratio(&handle->asked, (uint32_t)numerator, (uint32_t)denominator);
	if (i == handle->asked.ratios)
		return mpxi_error(PAPI_ENOEVNT, "event set %d has no ratio of the event 0x%x to 0x%x", set,
				  (unsigned)numerator, (unsigned)denominator);
	drop_ratio(&handle->asked, i);
	mpxi_set_unpair(handle->set, mpxi_handle_index(handle, (uint32_t)numerator),
			mpxi_handle_index(handle, (uint32_t)denominator));
	return PAPI_OK;
}

static struct mpx_ratio ratio_of(const struct mpxi_handle *handle, const struct mpxi_asked_ratio *asked)
{
	unsigned i = mpxi_handle_index(handle, asked->numerator),
		 k = mpxi_handle_index(handle, asked->denominator);
	const struct mpxi_pair_windows pair = {
		mpxi_set_window(handle->set, i),
		mpxi_set_window(handle->set, k),
		mpxi_set_pair_window(handle->set, i, k),
	};
	const uint64_t size = pair.both ? pair.both->sums.size : 0, time = pair.a->time;
	struct mpxi_ratio r;

	mpxi_ratio(&pair, mpxi_library_estimator(), &r);
	mpxi_thread_judge_ratio(mpxi_self, &pair, &r);
	return (struct mpx_ratio){
		.numerator = (int)asked->numerator,
		.denominator = (int)asked->denominator,
		.flags = (r.exact ? MPX_EXACT : 0) | (r.never ? MPX_UNCOUNTED : 0) |
			 (r.rough ? MPX_ROUGH : 0) | (r.open ? MPX_UNBOUNDED : 0) |
			 (r.guessed ? MPX_CAREFUL : 0) | (r.uneven ? MPX_UNEVEN : 0) |
			 (r.slowed ? MPX_SLOWED : 0) | (mpxi_set_lost(handle->set) ? MPX_LOST : 0),
		.value = r.value,
		.standard_error = r.standard_error,
		.low = r.low,
		.high = r.high,
		.together = r.exact ? 1
			    : time  ? fmin((double)size / (double)time, 1)
				    : 0,
	};
}

static int read_handle_set(const struct mpxi_handle *handle)
{
	int error = mpxi_set_read(handle->set);

	return error ? mpxi_error(error, "PAPI cannot read a group of event set %d: %s", handle->number,
				  mpxi_papi_words(error))
		     : PAPI_OK;
}

int mpx_set_ratios(int set, struct mpx_ratio *ratios, int n)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_ratio, together, mpxi_error);
	struct mpxi_handle *handle;
	struct mpx_ratio mine;
	int error = mpxi_thread_find(set, &handle), i;

	if (error)
		return error;
	if (n < 0 || (n && !ratios) || (unsigned)n > handle->asked.ratios)
		return mpxi_error(PAPI_EINVAL, "n is %d, and %u ratios were asked of event set %d", n,
				  handle->asked.ratios, set);
	if (!n)
		return PAPI_OK;
	error = upci_sized_check(&sized, ratios);
	if (!error)
		error = read_handle_set(handle);
	if (error)
		return error;
	for (i = 0; i < n; i++) {
		mine = ratio_of(handle, &handle->asked.ratio[i]);
		upci_sized_give_to(&sized, ratios, (size_t)i, &mine);
	}
	return PAPI_OK;
}

/* ---- relations ------------------------------------------------------------------------ */

static void free_relation(struct mpxi_asked_relation *relation)
{
	free(relation->event);
	free(relation->coefficient);
}

/* Release the first n pairs of a relation whose two events are in the set. */
static void unpair_relation(struct mpxi_handle *handle, const struct mpxi_asked_relation *relation,
			    unsigned n)
{
	unsigned i, k, events = mpxi_set_events(handle->set);

	for (i = 0; i < relation->n; i++)
		for (k = 0; k < i && n; k++, n--) {
			unsigned a = mpxi_handle_index(handle, relation->event[i]);
			unsigned b = mpxi_handle_index(handle, relation->event[k]);

			if (a < events && b < events)
				mpxi_set_unpair(handle->set, a, b);
		}
}

static int pair_all(struct mpxi_handle *handle, const struct mpxi_asked_relation *relation)
{
	unsigned i, k, done = 0;

	for (i = 0; i < relation->n; i++)
		for (k = 0; k < i; k++, done++)
			if (mpxi_set_pair(handle->set, mpxi_handle_index(handle, relation->event[i]),
					  mpxi_handle_index(handle, relation->event[k]))) {
				unpair_relation(handle, relation, done);
				return PAPI_ENOMEM;
			}
	return PAPI_OK;
}

static int check_relation(const struct mpxi_handle *handle, const int *codes, const double *coefficients,
			  int n)
{
	int i, k;

	if (!codes || !coefficients || n < 2 || n > TERMS_MAX)
		return mpxi_error(PAPI_EINVAL, "a relation has 2 to %d events: n is %d, or a list is NULL",
				  TERMS_MAX, n);
	for (i = 0; i < n; i++) {
		if (mpxi_handle_index(handle, (uint32_t)codes[i]) == mpxi_set_events(handle->set))
			return refuse_absent_event(handle, (uint32_t)codes[i]);
		if (!isfinite(coefficients[i]) || coefficients[i] == 0)
			return mpxi_error(PAPI_EINVAL, "coefficient %d of the relation is %g", i,
					  coefficients[i]);
		for (k = 0; k < i; k++)
			if (codes[k] == codes[i])
				return mpxi_error(PAPI_EINVAL, "the event 0x%x is twice in the relation",
						  (unsigned)codes[i]);
	}
	return PAPI_OK;
}

static int add_relation(struct mpxi_handle *handle, const int *codes, const double *coefficients, unsigned n)
{
	struct mpxi_asked *asked = &handle->asked;
	struct mpxi_asked_relation mine = {.n = n}, *more;
	unsigned i;
	int error = PAPI_ENOMEM;

	more = realloc(asked->relation, (asked->relations + 1) * sizeof(*more));
	asked->relation = more ? more : asked->relation;
	mine.event = malloc(n * sizeof(mine.event[0]));
	mine.coefficient = malloc(n * sizeof(mine.coefficient[0]));
	if (more && mine.event && mine.coefficient) {
		for (i = 0; i < n; i++)
			mine.event[i] = (uint32_t)codes[i];
		memcpy(mine.coefficient, coefficients, n * sizeof(mine.coefficient[0]));
		error = pair_all(handle, &mine);
	}
	if (error) {
		free_relation(&mine);
		return mpxi_error(error, "out of memory for a relation of %u events", n);
	}
	more[asked->relations++] = mine;
	return PAPI_OK;
}

int mpx_set_add_relation(int set, const int *codes, const double *coefficients, int n)
{
	struct mpxi_handle *handle;
	int error = find_stopped(set, &handle);

	if (!error)
		error = check_relation(handle, codes, coefficients, n);
	return error ? error : add_relation(handle, codes, coefficients, (unsigned)n);
}

static void drop_relation(struct mpxi_handle *handle, unsigned i)
{
	struct mpxi_asked *asked = &handle->asked;

	unpair_relation(handle, &asked->relation[i], ~0u);
	free_relation(&asked->relation[i]);
	asked->relations--;
	memmove(asked->relation + i, asked->relation + i + 1,
		(asked->relations - i) * sizeof(asked->relation[0]));
}

int mpx_set_clear_relations(int set)
{
	struct mpxi_handle *handle;
	int error = find_stopped(set, &handle);

	while (!error && handle->asked.relations)
		drop_relation(handle, handle->asked.relations - 1);
	return error;
}

static bool has_term(const struct mpxi_asked_relation *relation, uint32_t event)
{
	unsigned i;

	for (i = 0; i < relation->n; i++)
		if (relation->event[i] == event)
			return true;
	return false;
}

void mpxi_asked_remove(struct mpxi_handle *handle, uint32_t event)
{
	struct mpxi_asked *asked = &handle->asked;
	unsigned i;

	for (i = asked->ratios; i-- > 0;)
		if (asked->ratio[i].numerator == event || asked->ratio[i].denominator == event)
			drop_ratio(asked, i);
	for (i = asked->relations; i-- > 0;)
		if (has_term(&asked->relation[i], event))
			drop_relation(handle, i);
}

/* ---- reconciled estimates --------------------------------------------------------------- */

/* Buffers for a reconciliation. */
struct work {
	struct mpxi_part *part;         /* [events]    */
	struct mpxi_relation *relation; /* [relations] */
	unsigned *index;                /* [relations * TERMS_MAX] */
	bool *wrong;                    /* [relations] */
	unsigned *of;                   /* [relations]: index of the requested relation */
	unsigned relations;
	struct mpxi_joint *joint;
};

static void free_work(struct work *work)
{
	free(work->part);
	free(work->relation);
	free(work->index);
	free(work->wrong);
	free(work->of);
	mpxi_joint_free(work->joint);
}

static bool make_work(const struct mpxi_handle *handle, struct work *work)
{
	unsigned n = mpxi_set_events(handle->set), m = handle->asked.relations;

	*work = (struct work){
		.part = calloc(n, sizeof(*work->part)),
		.relation = calloc(m, sizeof(*work->relation)),
		.index = calloc((size_t)m * TERMS_MAX, sizeof(*work->index)),
		.wrong = calloc(m, sizeof(*work->wrong)),
		.of = calloc(m, sizeof(*work->of)),
		.joint = mpxi_joint_create(n),
	};
	return work->part && work->relation && work->index && work->wrong && work->of && work->joint;
}

/* Return the window behind event i's estimate: the clock's window, as for pairs, if the event shares slices
 * with another event; else the best window. */
static const struct mpxi_window *window_of_estimate(const struct mpxi_handle *handle, unsigned i)
{
	unsigned k, n = mpxi_set_events(handle->set);

	for (k = 0; k < n; k++) {
		const struct mpxi_window *both = k == i ? NULL : mpxi_set_pair_window(handle->set, i, k);

		if (both && both->sums.size)
			return mpxi_set_window(handle->set, i);
	}
	return mpxi_set_best_window(handle->set, i, mpxi_library_estimator());
}

static void fill_joint(const struct mpxi_handle *handle, struct work *work)
{
	enum mpxi_estimator estimator = mpxi_library_estimator();
	unsigned i, k, n = mpxi_set_events(handle->set);
	struct mpxi_bond bond;

	for (i = 0; i < n; i++) {
		mpxi_part_of(window_of_estimate(handle, i), estimator, &work->part[i]);
		mpxi_joint_event(work->joint, i, &work->part[i]);
		for (k = 0; k < i; k++) {
			const struct mpxi_pair_windows pair = {
				window_of_estimate(handle, i),
				window_of_estimate(handle, k),
				mpxi_set_pair_window(handle->set, i, k),
			};

			mpxi_bond_of(&pair, &work->part[i], &work->part[k], estimator, &bond);
			mpxi_joint_bond(work->joint, i, k, &bond);
		}
	}
}

/* Fill in the relations whose events have all been counted. */
static void fill_relations(const struct mpxi_handle *handle, struct work *work)
{
	unsigned i, k;

	for (i = 0; i < handle->asked.relations; i++) {
		const struct mpxi_asked_relation *asked = &handle->asked.relation[i];
		unsigned *index = work->index + (size_t)i * TERMS_MAX;
		bool known = true;

		for (k = 0; k < asked->n; k++) {
			index[k] = mpxi_handle_index(handle, asked->event[k]);
			known &= !work->part[index[k]].never;
		}
		if (!known)
			continue;
		work->of[work->relations] = i;
		work->relation[work->relations++] =
			(struct mpxi_relation){asked->n, index, asked->coefficient};
	}
}

static void move_by_relation(const struct mpxi_part *part, double value, double variance,
			     struct mpxi_moved *moved)
{
	moved->by_relation = true;
	moved->flags |= MPX_RECONCILED;
	mpxi_part_moved(part, value, variance, &moved->estimate);
}

static void give_moved(const struct work *work, unsigned n, struct mpxi_moved *moved)
{
	unsigned i, k;

	for (i = 0; i < n; i++) {
		double before = work->part[i].outcome.value, value = work->joint->value[i];
		double variance = work->joint->covariance[(size_t)i * n + i];

		if (!work->part[i].exact && !work->part[i].never &&
		    (value != before || variance != fmax(work->part[i].variance, work->part[i].floor)))
			move_by_relation(&work->part[i], value, variance, &moved[i]);
	}
	for (i = 0; i < work->relations; i++)
		for (k = 0; k < work->relation[i].n; k++)
			moved[work->relation[i].event[k]].flags |=
				work->wrong[i] ? MPX_CONTRADICTED : MPX_RECONCILED;
}

struct mpxi_moved *mpxi_asked_moved(const struct mpxi_handle *handle)
{
	unsigned n = mpxi_set_events(handle->set);
	struct mpxi_moved *moved = calloc(n, sizeof(*moved));
	struct work work;

	if (!moved || !handle->asked.relations)
		return moved;
	if (!make_work(handle, &work)) {
		free_work(&work);
		free(moved);
		return NULL;
	}
	fill_joint(handle, &work);
	fill_relations(handle, &work);
	if (mpxi_joint_reconcile(work.joint, work.relation, work.relations, work.wrong)) {
		give_moved(&work, n, moved);
	} else {
		free(moved);
		moved = NULL;
	}
	free_work(&work);
	return moved;
}
