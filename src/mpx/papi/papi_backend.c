/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_backend.c - creates a thread's backend, tries its options, and destroys the backend, also in a
 * forked child.
 *
 * Terms: papi/papi_backend.h.
 */
#include <linux/perf_event.h>
#include <papi.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "papi/papi_group.h"
#include "papi/papi_serve.h"

int mpxi_papi_check(struct mpxi_papi *papi, uint32_t event)
{
	PAPI_event_info_t info;
	int fits = mpxi_papi_is_there();

	if (fits)
		return fits;
	if (PAPI_get_event_info((int)mpxi_papi_code_of(event), &info) == PAPI_OK && mpxi_papi_is_rate(&info))
		return mpxi_error(MPXI_ENOSUPP,
				  "%s is a rate, or no sum of counts (%s): it cannot be added up over "
				  "time slices",
				  info.symbol, info.derived);
	fits = mpxi_papi_fits(papi, &event, 1);
	if (fits == 0)
		return mpxi_papi_refuse(event, MPXI_ECNFLCT);
	return fits < 0 ? fits : PAPI_OK;
}

/* Refuse a covariate that does not count for one thread (whose: what it counts for), since the covariate
 * is in every group. */
static int refuse_covariate(uint32_t event, const char *whose)
{
	char name[128];

	mpxi_papi_name(event, name, sizeof(name));
	return mpxi_error(MPXI_ENOSUPP,
			  "%s cannot be the covariate: a signal handler would read it in each slice, and it "
			  "counts for %s",
			  name, whose);
}

/* Register the thread with PAPI by creating an event set in it. */
static int enter_thread(struct mpxi_papi *papi)
{
	const unsigned before = mpxi_papi_count_threads(PAPI_thread_id());
	int set, error = mpxi_papi_new_set(&set);

	if (error)
		return error;
	(void)PAPI_destroy_eventset(&set);
	papi->owner = PAPI_thread_id();
	/* namesakes is 0 if PAPI has the thread in its list with another id, as in a forked child of a
	 * program that has passed its own id function to PAPI. mpxi_papi_is_gone is then always false. */
	papi->namesakes = mpxi_papi_count_threads(papi->owner);
	papi->introduced = papi->namesakes > before;
	return PAPI_OK;
}

bool mpxi_papi_introduced(const struct mpxi_papi *papi)
{
	return papi->introduced && papi->process == getpid() && !mpxi_papi_is_gone(papi);
}

void mpxi_papi_leave(void)
{
	(void)PAPI_unregister_thread();
}

/* ---- the covariate ------------------------------------------------------------------- */

static int open_hardware(uint64_t config, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static void close_hardware(int descriptor)
{
	(void)close(descriptor);
}

/* True if instructions need no general counter. The test runs once in a process, since the processor
 * does not change. */
static bool instructions_are_free(void)
{
	static const struct mpxi_pmu pmu = {open_hardware, close_hardware};
	static atomic_int known; /* 0: not yet known; 1: no; 2: yes */
	int free = atomic_load(&known);

	if (!free) {
		free = mpxi_papi_instructions_are_free(&pmu) ? 2 : 1;
		atomic_store(&known, free);
	}
	return free == 2;
}

static void take_covariate(struct mpxi_papi *papi, uint32_t event)
{
	papi->covariate = event;
	papi->has_covariate = true;
	mpxi_papi_name(event, papi->covariate_name, sizeof(papi->covariate_name));
}

/* Use instructions as the covariate if they take no counter from any group, and the clock is an event of
 * the PMU. */
static void let_instructions_serve(struct mpxi_papi *papi)
{
	PAPI_event_info_t info;
	int code = PAPI_TOT_INS;

	if (!papi->has_clock || PAPI_get_event_component((int)papi->clock) != 0 || !instructions_are_free() ||
	    PAPI_get_event_info(code, &info) != PAPI_OK || info.count != 1)
		return;
	take_covariate(papi, (uint32_t)code);
	papi->has_covariate = mpxi_papi_ops.fits(papi, NULL, 0) > 0;
}

bool mpxi_papi_has_covariate(const struct mpxi_papi *papi)
{
	return papi->has_covariate && !papi->chosen;
}

const char *mpxi_papi_covariate_name(const struct mpxi_papi *papi)
{
	return mpxi_papi_has_covariate(papi) ? papi->covariate_name : NULL;
}

static int set_papi_up(struct mpxi_papi *papi, const struct mpxi_papi_options *options)
{
	const char *whose;
	int error, fits;

	error = enter_thread(papi);
	if (!error)
		error = mpxi_papi_choose_clock(papi, options->clock);
	if (!error && options->may_serve)
		let_instructions_serve(papi);
	if (error || !options->has_covariate)
		return error;
	error = mpxi_papi_check(papi, options->covariate);
	if (error)
		return error;
	whose = mpxi_papi_counts_for(options->covariate);
	if (whose)
		return refuse_covariate(options->covariate, whose);
	take_covariate(papi, options->covariate);
	fits = mpxi_papi_ops.fits(papi, NULL, 0);
	if (fits == 0)
		return mpxi_error(MPXI_ECNFLCT, "the clock (%s) and the covariate cannot be counted together",
				  papi->clock_name);
	return fits < 0 ? fits : PAPI_OK;
}

int mpxi_papi_create(const struct mpxi_papi_options *options, struct mpxi_papi **made)
{
	struct mpxi_papi *papi;
	int error = mpxi_papi_init();

	if (error)
		return error;
	papi = calloc(1, sizeof(*papi));
	if (!papi)
		return mpxi_error(MPXI_ENOMEM, "no memory for a thread's events");
	papi->process = getpid();
	papi->upc = PAPI_get_component_index("upc");
	papi->group_max = options->group_max;
	error = set_papi_up(papi, options);
	if (error) {
		mpxi_papi_destroy(papi);
		return error;
	}
	*made = papi;
	return PAPI_OK;
}

/* Create a backend for an attached thread. The clock is not tried, since the attached thread may be
 * asleep. A clock that counts in the calling thread also counts in another thread. */
int mpxi_papi_create_attached(const struct mpxi_papi *own, const struct mpxi_papi_target *target,
			      struct mpxi_papi **made)
{
	struct mpxi_papi *papi = calloc(1, sizeof(*papi));

	if (!papi)
		return mpxi_error(MPXI_ENOMEM, "no memory for another thread's events");
	papi->target = *target;
	papi->owner = own->owner;
	papi->namesakes = own->namesakes;
	papi->process = own->process;
	papi->has_clock = own->has_clock;
	papi->clock = own->clock;
	papi->has_covariate = mpxi_papi_has_covariate(own);
	papi->covariate = own->covariate;
	papi->group_max = own->group_max;
	papi->upc = own->upc;
	papi->refuses_time = true;
	memcpy(papi->covariate_name, own->covariate_name, sizeof(papi->covariate_name));
	memcpy(papi->clock_name, own->clock_name, sizeof(papi->clock_name));
	*made = papi;
	return PAPI_OK;
}

void mpxi_papi_forget(struct mpxi_papi *papi)
{
	struct mpxi_papi_group *group;

	while ((group = papi->groups)) {
		papi->groups = group->next;
		free(group);
	}
	mpxi_papi_fits_clear(papi);
	free(papi);
}

bool mpxi_papi_is_gone(const struct mpxi_papi *papi)
{
	return mpxi_papi_count_threads(papi->owner) < papi->namesakes;
}

void mpxi_papi_destroy(struct mpxi_papi *papi)
{
	/* Do not close a forked child's copies of its parent's PAPI sets. Do not close PAPI sets that
	 * PAPI_shutdown or PAPI_unregister_thread has already destroyed. */
	if (papi->groups && papi->process == getpid() && !mpxi_papi_is_gone(papi))
		while (papi->groups)
			mpxi_papi_ops.close(papi, papi->groups);
	mpxi_papi_forget(papi);
}

const char *mpxi_papi_clock_name(const struct mpxi_papi *papi)
{
	return papi->clock_name;
}

const char *mpxi_papi_clock_unit(const struct mpxi_papi *papi)
{
	return papi->has_clock ? "cycles" : "ns";
}
