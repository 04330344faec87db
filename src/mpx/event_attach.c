/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_attach.c - the public calls that move an event set: attach it to another thread or detach it (its
 * events then move to the core of the attached thread, or back), change its domain (its events then become
 * other events), and change its covariate.
 */
#include <papi.h>
#include <string.h>

#include "core/error.h"
#include "event_set.h"
#include "mpx.h"
#include "process/target.h"
#include "process/thread.h"

static int move_event(struct mpxi_set *to, struct mpxi_target *target, uint32_t code, unsigned domain)
{
	uint32_t event;
	int index = mpxi_papi_event(code, domain, &event);

	if (!index && target)
		index = mpxi_target_refuses(event);
	if (!index)
		index = mpxi_event_check(target, event);
	return index ? index : mpxi_set_add(to, event);
}

static unsigned index_of_papi_code(const struct mpxi_set *set, uint32_t code)
{
	unsigned i = 0;

	while (mpxi_papi_code_of(mpxi_set_event(set, i)) != code)
		i++;
	return i;
}

static int move_relation(const struct mpxi_asked_relation *relation, struct mpxi_set *to)
{
	unsigned i, k;
	int error = 0;

	for (i = 0; i < relation->n; i++)
		for (k = 0; k < i && !error; k++)
			error = mpxi_set_pair(to, index_of_papi_code(to, relation->event[i]),
					      index_of_papi_code(to, relation->event[k]));
	return error;
}

/* Request the pairs of all ratios and relations of the handle in the set `to`. */
static int move_ratios(const struct mpxi_handle *handle, struct mpxi_set *to)
{
	const struct mpxi_asked *asked = &handle->asked;
	int error = 0;
	unsigned i;

	for (i = 0; i < asked->ratios && !error; i++)
		error = mpxi_set_pair(to, index_of_papi_code(to, asked->ratio[i].numerator),
				      index_of_papi_code(to, asked->ratio[i].denominator));
	for (i = 0; i < asked->relations && !error; i++)
		error = move_relation(&asked->relation[i], to);
	return error;
}

/* Create a set with the handle's events, in the same order, for this target and domain. target NULL: the
 * calling thread. Return 0 or a negative error. */
static int copy_handle_set(const struct mpxi_handle *handle, struct mpxi_target *target, unsigned domain,
			   struct mpxi_set **made)
{
	const unsigned n = mpxi_set_events(handle->set);
	struct mpxi_set *set;
	uint32_t covariate;
	int error = mpxi_set_create(target ? target->core : mpxi_self->core, &set);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < n && error >= 0; i++)
		error = move_event(set, target, mpxi_papi_code_of(mpxi_set_event(handle->set, i)), domain);
	for (i = 0; i < n && error >= 0; i++)
		error = mpxi_set_always(set, i, mpxi_set_is_always(handle->set, i));
	if (error >= 0 && mpxi_set_has_covariate(handle->set, &covariate))
		error = mpxi_set_covariate(set, &covariate);
	if (error >= 0)
		error = move_ratios(handle, set);
	if (error < 0) {
		mpxi_set_destroy(set);
		return error;
	}
	*made = set;
	return PAPI_OK;
}

/* Make set the handle's set, and destroy the previous set. */
static void replace_handle_set(struct mpxi_handle *handle, struct mpxi_set *set)
{
	unsigned i;

	if (handle->process)
		mpxi_process_replace(handle->process, set);
	mpxi_set_destroy(handle->set);
	handle->set = set;
	for (i = 0; i < mpxi_set_events(set); i++)
		handle->value[i] = MPX_NEVER;
}

static int move_handle(struct mpxi_handle *handle, struct mpxi_target *target)
{
	struct mpxi_target *former = handle->target;
	struct mpxi_set *set;
	int error = copy_handle_set(handle, target, handle->domain, &set);

	if (error)
		return error;
	replace_handle_set(handle, set);
	handle->target = target;
	if (former)
		mpxi_target_put(former);
	return PAPI_OK;
}

static int find_movable(int set, struct mpxi_handle **handle)
{
	int error = mpxi_thread_find(set, handle);

	if (error)
		return error;
	if ((*handle)->process)
		return mpxi_error(PAPI_EINVAL,
				  "event set %d counts in all registered threads: attach one that was made "
				  "by mpx_set_create",
				  set);
	if (mpxi_set_runs((*handle)->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it first", set);
	return PAPI_OK;
}

int mpx_set_attach(int set, int tid)
{
	struct mpxi_handle *handle;
	struct mpxi_target *target;
	int error = find_movable(set, &handle);

	if (error)
		return error;
	if (tid <= 0)
		return mpxi_error(PAPI_EINVAL, "%d is no thread's number (gettid, /proc/PID/task)", tid);
	if (tid == mpxi_self->tid)
		return mpxi_error(PAPI_EINVAL,
				  "thread %d is the calling one, in which its event sets count anyway: "
				  "mpx_set_detach has a set count there again",
				  tid);
	error = mpxi_target_get(mpxi_self, tid, &target);
	if (error)
		return error;
	error = move_handle(handle, target);
	if (error)
		mpxi_target_put(target);
	return error;
}

int mpx_set_detach(int set)
{
	struct mpxi_handle *handle;
	int error = find_movable(set, &handle);

	if (error)
		return error;
	if (!handle->target)
		return mpxi_error(PAPI_EINVAL, "event set %d is not attached", set);
	return move_handle(handle, NULL);
}

/* ---- domains ------------------------------------------------------------------------------ */

/* Discard the counts and the regions' pools, since they belong to other events. */
static void forget_counts(struct mpxi_handle *handle)
{
	unsigned i, k, n = mpxi_set_events(handle->set);

	for (i = 0; i < n; i++)
		handle->accum[i] = (struct mpxi_accum){0};
	for (i = 0; i < handle->regions.n; i++)
		for (k = 0; k < n; k++)
			handle->regions.region[i].pool[k] = (struct mpxi_pool){0};
}

int mpx_set_domain(int set, int domain)
{
	struct mpxi_handle *handle;
	struct mpxi_set *other;
	int error = mpxi_thread_find(set, &handle);

	if (error)
		return error;
	if (domain < 0 || domain > PAPI_DOM_ALL)
		return mpxi_error(PAPI_EINVAL,
				  "%d is no domain: it is made of PAPI_DOM_USER, PAPI_DOM_KERNEL, ..., or 0",
				  domain);
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it before its domain changes", set);
	if ((unsigned)domain == handle->domain)
		return PAPI_OK;
	error = copy_handle_set(handle, handle->target, (unsigned)domain, &other);
	if (error)
		return error;
	replace_handle_set(handle, other);
	handle->domain = (unsigned)domain;
	forget_counts(handle);
	return PAPI_OK;
}

/* ---- covariates --------------------------------------------------------------------------- */

/* Replace the handle's set by a copy with another covariate (event NULL: without one). */
static int exchange_covariate(struct mpxi_handle *handle, const uint32_t *event)
{
	struct mpxi_set *other;
	int error = copy_handle_set(handle, handle->target, handle->domain, &other);

	if (error)
		return error;
	error = mpxi_set_covariate(other, event);
	if (!error)
		error = mpxi_handle_check(handle, other);
	if (error) {
		mpxi_set_destroy(other);
		return error;
	}
	replace_handle_set(handle, other);
	forget_counts(handle);
	return PAPI_OK;
}

/* Check a covariate: it is read in each slice of the counted thread, so it must be per thread. */
static int check_covariate(const struct mpxi_handle *handle, uint32_t event)
{
	const char *whose = mpxi_papi_counts_for(event);
	char name[256];

	mpxi_papi_name(event, name, sizeof(name));
	if (whose)
		return mpxi_error(PAPI_ENOSUPP, "%s counts for %s: a covariate is the thread's own", name,
				  whose);
	return mpxi_event_check(handle->target, event);
}

int mpx_set_covariate(int set, const char *name)
{
	const bool none = !name || strcmp(name, MPX_NO_COVARIATE) == 0;
	struct mpxi_handle *handle;
	uint32_t event, now;
	int error = mpxi_thread_find(set, &handle);
	bool has;

	if (error)
		return error;
	if (handle->process)
		return mpxi_error(PAPI_ENOSUPP,
				  "event set %d is process-wide: covariates are of sets of one thread, or of "
				  "all (mpx_options.covariate)",
				  set);
	if (mpxi_set_runs(handle->set))
		return mpxi_error(PAPI_EISRUN, "event set %d runs: stop it first", set);
	has = mpxi_set_has_covariate(handle->set, &now);
	if (none)
		return has ? exchange_covariate(handle, NULL) : PAPI_OK;
	if (mpxi_papi_has_covariate(mpxi_self->papi))
		return mpxi_error(PAPI_ECNFLCT,
				  "all event sets have the covariate %s: initialise the library with none "
				  "(mpx_options.covariate: MPX_NO_COVARIATE)",
				  mpxi_papi_covariate_name(mpxi_self->papi));
	error = mpxi_papi_code(name, &event);
	if (!error && !(has && event == now))
		error = check_covariate(handle, event);
	if (error || (has && event == now))
		return error;
	return exchange_covariate(handle, &event);
}
