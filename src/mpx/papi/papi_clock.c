/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_clock.c - chooses the clock of time slices. Candidates are tried by counting for a short time, and
 * the first one that counts is the clock.
 *
 * Terms: papi/papi_backend.h.
 */
#include <linux/perf_event.h>
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "papi/papi_group.h"

/* Names of the event that counts a thread's cycles. The names of libpfm4 are tried if PAPI has no
 * PAPI_TOT_CYC. */
static const char *const cycles[] = {
	"PAPI_TOT_CYC", "perf::PERF_COUNT_HW_CPU_CYCLES", "perf::CYCLES", "CPU_CYCLES", NULL,
};
/* Names of the event that counts cycles in user mode only, whatever PAPI's domain. */
static const char *const user_cycles[] = {
	"perf::CYCLES:u=1:k=0",
	"perf::PERF_COUNT_HW_CPU_CYCLES:u=1:k=0",
	NULL,
};
static const char *const unit_cycles[] = {
	"upc:::TOT_CYC",
	"upc:::perf::CYCLES",
	"upc:::perf::CPU-CYCLES",
	NULL,
};

/* Return 1 if the chosen clock event counts, 0 if not, or an error. Counts for a short time to find out,
 * since some machines accept the event and never count it. */
static int chosen_clock_counts(struct mpxi_papi *papi)
{
	struct mpxi_sample sample = {0};
	volatile unsigned work = 0;
	unsigned i;
	void *group;
	int error = mpxi_papi_ops.open(papi, NULL, 0, &group);

	if (error)
		return error;
	error = mpxi_papi_ops.start_sig(group);
	for (i = 0; i < 20000; i++)
		work = work + i;
	if (!error)
		error = mpxi_papi_ops.stop_sig(group, &sample);
	mpxi_papi_ops.close(papi, group);
	return error ? error : sample.size > 0;
}

static int try_event(struct mpxi_papi *papi, const char *name)
{
	PAPI_event_info_t info;
	int code = PAPI_NULL, error;

	/* A derived event would take two counters from every group. */
	error = PAPI_event_name_to_code(name, &code);
	if (error || PAPI_get_event_info(code, &info) != PAPI_OK ||
	    (code & (int)PAPI_PRESET_MASK && info.count != 1))
		return 0;
	papi->clock = (uint32_t)code;
	papi->has_clock = true;
	papi->has_clock = chosen_clock_counts(papi) > 0;
	if (papi->has_clock)
		snprintf(papi->clock_name, sizeof(papi->clock_name), "%s", name);
	return papi->has_clock;
}

static int try_events(struct mpxi_papi *papi, const char *const *name)
{
	for (; *name; name++)
		if (try_event(papi, *name))
			return 1;
	return 0;
}

/* True if the kernel counts cycles of this thread. PAPI cannot be asked: it may know a processor whose
 * counters the kernel does not support, as in a virtual machine, and vice versa. */
static bool kernel_counts_cycles(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* True if the component upc may be asked for cycles. If asked for an event that it does not have, upc
 * prints an error for the user. Without a PMU it has cycles only if its source (UPC_SOURCE) is a
 * simulation or a replay. */
static bool unit_may_count(void)
{
	const char *source = getenv("UPC_SOURCE");

	return (source && *source && strcmp(source, "live") != 0) || kernel_counts_cycles();
}

/* True if presets count in user mode only. PAPI's first component is perf_event. */
static bool presets_are_of_user(void)
{
	return PAPI_get_component_index("perf_event") == 0 &&
	       PAPI_get_opt(PAPI_DEFDOM, NULL) == PAPI_DOM_USER;
}

static int choose_anew(struct mpxi_papi *papi, enum mpx_clock clock)
{
	switch (clock) {
	case MPX_CLOCK_AUTO:
		if (try_events(papi, cycles) || (unit_may_count() && try_events(papi, unit_cycles)))
			return PAPI_OK;
		break;
	case MPX_CLOCK_CYCLES:
		if (try_events(papi, cycles))
			return PAPI_OK;
		return mpxi_error(MPXI_ENOSUPP,
				  "PAPI counts no cycles here (papi_avail, "
				  "papi_component_avail); the thread's CPU time is a clock everywhere");
	case MPX_CLOCK_UNIT:
		if (try_events(papi, unit_cycles))
			return PAPI_OK;
		return mpxi_error(MPXI_ENOSUPP, "PAPI's component upc counts no cycles of a thread here "
						"(upc_avail); the thread's CPU time is a clock everywhere");
	case MPX_CLOCK_USER:
		/* Prefer the preset: if an event set contains the same preset, the set uses the clock's
		 * count, and the preset takes no turns. */
		if ((presets_are_of_user() && try_event(papi, cycles[0])) || try_events(papi, user_cycles))
			return PAPI_OK;
		return mpxi_error(MPXI_ENOSUPP,
				  "PAPI counts no cycles of user mode alone here (%s; "
				  "papi_component_avail); the thread's CPU time is a clock "
				  "everywhere",
				  user_cycles[0]);
	case MPX_CLOCK_CPU:
		break;
	default:
		return mpxi_error(MPXI_EINVAL, "there is no clock %d", (int)clock);
	}
	snprintf(papi->clock_name, sizeof(papi->clock_name), "thread CPU time");
	return PAPI_OK;
}

/* The clock that an earlier thread has found. It is kept since a search takes longer than the rest of a
 * thread's first call, and the processor does not change. A refusal is not kept, so that each caller
 * gets the message. */
static struct {
	bool known;
	unsigned beginning; /* value of mpxi_papi_beginnings() at the search */
	enum mpx_clock asked;
	int domain; /* PAPI's default domain, on which user_cycles depend */
	bool is_event;
	uint32_t event;
	char name[128];
} clock_found;

/* Protects clock_found. PAPI's locks are taken while it is held. No handler takes it.
 * mpxi_papi_choose_clock, which alone takes it, runs with the library's lock held; since that lock is
 * held across a fork, this one is free in the child. */
static pthread_mutex_t clock_lock = PTHREAD_MUTEX_INITIALIZER;

/* Copy of clock_found.is_event, stored under clock_lock. Pairs with the load in
 * mpxi_papi_clock_is_event, which takes no lock, in any thread. */
static atomic_bool clock_is_event;

bool mpxi_papi_clock_is_event(void)
{
	return atomic_load(&clock_is_event);
}

int mpxi_papi_choose_clock(struct mpxi_papi *papi, enum mpx_clock clock)
{
	const int domain = PAPI_get_opt(PAPI_DEFDOM, NULL);
	const unsigned beginning = mpxi_papi_beginnings();
	int error = PAPI_OK;

	pthread_mutex_lock(&clock_lock);
	if (!clock_found.known || clock_found.beginning != beginning || clock_found.asked != clock ||
	    clock_found.domain != domain) {
		error = choose_anew(papi, clock);
		clock_found.known = !error;
		clock_found.beginning = beginning;
		clock_found.asked = clock;
		clock_found.domain = domain;
		clock_found.is_event = papi->has_clock;
		atomic_store(&clock_is_event, !error && papi->has_clock);
		clock_found.event = papi->clock;
		memcpy(clock_found.name, papi->clock_name, sizeof(clock_found.name));
	}
	papi->has_clock = clock_found.is_event;
	papi->clock = clock_found.event;
	memcpy(papi->clock_name, clock_found.name, sizeof(papi->clock_name));
	pthread_mutex_unlock(&clock_lock);
	return error;
}
