/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_set.c - starts and stops PAPI event sets quickly even if several sets alternate.
 *
 * PAPI remembers for each thread which set it used last. If another set is started, perf_event closes and
 * reopens all its descriptors, which takes tens of microseconds. PAPI_set_opt with PAPI_DATA_ADDRESS makes
 * a stopped set the last used one, and then calls the set's component. The component does not support
 * address ranges, and refuses without a system call. PAPI_start then takes the set for the one that was
 * used last, and reopens nothing. If a later PAPI does not work like this, starts are slow but correct.
 *
 * Terms: papi/papi_backend.h.
 */
#include <errno.h>
#include <papi.h>

#include "core/error.h"
#include "papi/papi_group.h"

/* Check that the component is enabled. Return PAPI_OK, or an error with a message. */
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

/* Set the message for a set that cannot count in another thread. Only components that support
 * PAPI_attach can do so. */
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
	/* Attach before events are added, since PAPI attaches each event when it is added. A component
	 * that cannot attach counts the thread that starts the set. The component perf_event does the
	 * same on a machine without a PMU, where PAPI_attach fails (mpxi_papi_refuse_trial). */
	set->alternates = info->attach;
	error = info->attach ? PAPI_attach(set->id, (unsigned long)target) : PAPI_ECMP;
	set->attached = error == PAPI_OK;
	if (target && error)
		return refuse_set_target(set, info, target, error);
	/* Set the domain before events are added, too, since each event gets it when it is added. */
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
	/* PAPI reports "too many events" (PAPI_ECOUNT) if no file descriptors are left. */
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
	/* After PAPI_shutdown the table of sets is freed, but PAPI would still read it. */
	if (!mpxi_papi_has_ended_sig() && PAPI_cleanup_eventset(set->id) == PAPI_OK)
		(void)PAPI_destroy_eventset(&set->id);
	set->id = PAPI_NULL;
}

/* Make this set the one that PAPI used last, so that its start is fast, whether the set is attached or
 * not. Components that cannot attach are left out: only one of their sets can run, and their reaction to
 * PAPI_DATA_ADDRESS has not been verified. */
static void make_last_sig(const struct mpxi_papi_set *set)
{
	PAPI_option_t option;

	if (!set->alternates)
		return;
	/* Skip this if PAPI's error output (PAPI_DEBUG) is on, since PAPI would print the refusal, or
	 * stop the program. */
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
	 * PAPI_stop reads first and does not stop the set if the read fails, for example for a perf group
	 * that lost its counters to others. PAPI_start on an attached set that runs resets and enables it;
	 * then PAPI_stop succeeds.
	 */
	if (error && error != PAPI_ENOINIT && set->attached) {
		again = PAPI_start(set->id);
		if (!again)
			(void)PAPI_stop(set->id, NULL);
	}
	return error;
}
