/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_set.c - starts and stops PAPI event sets without PAPI's detour for alternating
 * sets.
 *
 * PAPI remembers for each thread which set it used last. When another one is started,
 * perf_event closes and opens all its descriptors, in tens of microseconds. PAPI_set_opt
 * with PAPI_DATA_ADDRESS makes a stopped set the last one and then asks its component,
 * which has no address ranges and refuses, without a system call. The start that follows
 * finds the set as it left it. Where this should not work some day, starts are slow
 * and right.
 */
#include <errno.h>
#include <papi.h>

#include "core/error.h"
#include "papi/papi_group.h"

/* Is this component disabled? PAPI_OK, or the error with a message set. */
static int check_component(int component)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	if (!info)
		return mpxi_error(PAPI_ENOCMP, "PAPI has no component %d", component);
	if (info->disabled && info->disabled != PAPI_EDELAY_INIT)
		return mpxi_error(PAPI_ECMP_DISABLED, "PAPI's component %s is disabled: %s", info->name,
				  info->disabled_reason);
	return PAPI_OK;
}

static void drop_id(struct mpxi_papi_set *set)
{
	(void)PAPI_destroy_eventset(&set->id);
	set->id = PAPI_NULL;
}

/* Another thread is counted by components that attach, or not at all. */
static int refuse_set_target(struct mpxi_papi_set *set, const PAPI_component_info_t *info, pid_t target,
			     int error)
{
	drop_id(set);
	if (!info->attach)
		return mpxi_error(
			MPXI_ENOSUPP,
			"PAPI's component %s cannot count in another thread (it has no attach): add "
			"its events to a set that is not attached",
			info->name);
	if (error == PAPI_ENOEVNT)
		return mpxi_papi_refuse_trial(set->component, "attach to other threads");
	return mpxi_error(error, "PAPI's component %s does not attach to thread %d: %s", info->name,
			  (int)target, mpxi_papi_words(error));
}

int mpxi_papi_set_open(struct mpxi_papi_set *set, int component, unsigned domain, pid_t target)
{
	const PAPI_component_info_t *info;
	int error = check_component(component);

	set->id = PAPI_NULL;
	set->component = component;
	set->n = 0;
	set->alternates = set->attached = set->running = false;
	if (error)
		return error;
	error = mpxi_papi_new_set(&set->id);
	if (error)
		return error;
	error = PAPI_assign_eventset_component(set->id, component);
	info = PAPI_get_component_info(component);
	if (error) {
		drop_id(set);
		return mpxi_error(error, "PAPI has no event set for the component %s: %s", info->name,
				  mpxi_papi_words(error));
	}
	/* A component that cannot attach counts the thread that starts the set, and so does
	 * perf_event where there is no PMU (mpxi_papi_refuse_trial). Events are attached as they
	 * are added, so this comes first. */
	set->alternates = info->attach;
	error = info->attach ? PAPI_attach(set->id, (unsigned long)target) : PAPI_ECMP;
	set->attached = error == PAPI_OK;
	if (target && error)
		return refuse_set_target(set, info, target, error);
	/* Events get their domain as they are added, too. */
	error = domain ? mpxi_papi_set_domain(set, domain) : PAPI_OK;
	if (error)
		drop_id(set);
	return error;
}

int mpxi_papi_set_add(struct mpxi_papi_set *set, uint32_t event)
{
	int error;

	errno = 0;
	error = PAPI_add_event(set->id, (int)mpxi_papi_code_of(event));
	/* PAPI says "too many events" when it means descriptors. */
	if (error == PAPI_ECOUNT && errno == EMFILE)
		return PAPI_ESYS;
	if (error == PAPI_OK)
		set->n++;
	return error;
}

void mpxi_papi_set_close(struct mpxi_papi_set *set)
{
	if (set->id == PAPI_NULL)
		return;
	if (set->running)
		(void)mpxi_papi_set_stop_sig(set);
	/* PAPI_shutdown has freed its table of sets, and PAPI looks into it all the same. */
	if (!mpxi_papi_has_ended_sig() && PAPI_cleanup_eventset(set->id) == PAPI_OK)
		(void)PAPI_destroy_eventset(&set->id);
	set->id = PAPI_NULL;
}

/* The next start of set is one of the set that was used last, attached or not. Components that
 * cannot attach take no turns, and nobody has looked what they make of addresses. */
static void make_last_sig(const struct mpxi_papi_set *set)
{
	PAPI_option_t option;

	if (!set->alternates)
		return;
	/* A PAPI with debugging tells the user of errors, or stops the program. */
	option.debug.level = PAPI_VERB_ESTOP;
	if (PAPI_get_opt(PAPI_DEBUG, &option) != PAPI_OK || option.debug.level != PAPI_QUIET)
		return;
	option.addr.eventset = set->id;
	option.addr.start = option.addr.end = NULL;
	(void)PAPI_set_opt(PAPI_DATA_ADDRESS, &option);
}

int mpxi_papi_set_start_sig(struct mpxi_papi_set *set)
{
	int error;

	if (mpxi_papi_has_ended_sig())
		return PAPI_ENOINIT;
	make_last_sig(set);
	error = PAPI_start(set->id);
	set->running = error == PAPI_OK;
	return error;
}

int mpxi_papi_set_read_sig(struct mpxi_papi_set *set)
{
	return mpxi_papi_has_ended_sig() ? PAPI_ENOINIT : PAPI_read(set->id, set->value);
}

int mpxi_papi_set_stop_sig(struct mpxi_papi_set *set)
{
	int error = mpxi_papi_has_ended_sig() ? PAPI_ENOINIT : PAPI_stop(set->id, set->value), again;

	if (error == PAPI_EISRUN)
		return error;
	set->running = false;
	/*
	 * PAPI_stop reads first and gives up where that fails, as it does with a group
	 * that lost its counters to somebody else. PAPI_start on an attached set that runs
	 * resets and enables it, after which it can be stopped.
	 */
	if (error && error != PAPI_ENOINIT && set->attached) {
		again = PAPI_start(set->id);
		if (!again)
			(void)PAPI_stop(set->id, NULL);
	}
	return error;
}
