/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.c - opening an event with whatever drives it, and whether that takes a counter of a PMU.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "catalogue/cat_pfm.h"
#include "base/message.h"
#include "unit/unit.h"

int upci_sources_create(struct upci_sources *sources, const struct upci_context *context)
{
	int error;

	memset(sources, 0, sizeof(*sources));
	error = upci_perf_create(context, &sources->perf);
	if (!error)
		error = upci_files_create(context->pid, context->tid, &sources->files);
	if (error)
		upci_sources_destroy(sources);
	return error;
}

void upci_sources_destroy(struct upci_sources *sources)
{
	upci_perf_destroy(sources->perf);
	upci_files_destroy(sources->files);
	memset(sources, 0, sizeof(*sources));
}

/* The kernel's number for the CPU-time clock of any thread or process, which
 * works from every thread of ours (pthread_getcpuclockid needs a pthread_t). */
static clockid_t cpu_clock(pid_t id, bool thread)
{
	return (clockid_t)(~(unsigned)id << 3 | (thread ? 6u : 2u));
}

static int open_clock(const struct upci_context *context, const struct upci_event *event, int *handle)
{
	clockid_t clock = event->driver.clock;
	struct timespec now;

	if (clock == CLOCK_THREAD_CPUTIME_ID) {
		if (context->kind != UPC_CONTEXT_THREAD)
			return upci_fail(UPC_ENOSUPP, "%s: only the context of a thread has it", event->name);
		clock = cpu_clock(context->tid, true);
	} else if (clock == CLOCK_PROCESS_CPUTIME_ID) {
		if (!context->pid)
			return upci_fail(UPC_ENOSUPP, "%s: only the context of a thread or process has it",
					 event->name);
		clock = cpu_clock(context->pid, false);
	}
	if (clock_gettime(clock, &now) < 0)
		return upci_fail(UPC_ENOSUPP,
				 "%s: the kernel does not show this clock of another process's thread; "
				 "perf::TASK-CLOCK does",
				 event->name);
	*handle = clock;
	return 0;
}

/* What is everybody's would pass for the group's. */
static int check_cgroup(const struct upci_context *context, const struct upci_event *event)
{
	const enum upc_source source = event->driver.source;

	if (!context->cgroup || (source != UPC_SOURCE_FILE && source != UPC_SOURCE_CLOCK))
		return 0;
	return upci_fail(UPC_ENOSUPP, "%s: %s, not a control group's: count it in the context of the machine",
			 event->name,
			 source == UPC_SOURCE_FILE ? "is a file's of the whole machine" : "is a clock");
}

int upci_source_open(struct upci_sources *sources, const struct upci_context *context,
		     const struct upci_event *event, struct upci_binding *binding)
{
	struct upci_perf_spec spec;
	int result = check_cgroup(context, event);

	if (result)
		return result;
	binding->source = (uint8_t)event->driver.source;
	binding->is_level = event->kind == UPC_KIND_LEVEL;
	binding->unscaled_count = event->kind == UPC_KIND_COUNT && event->driver.mul == event->driver.div;
	switch (event->driver.source) {
	case UPC_SOURCE_PERF:
	case UPC_SOURCE_TRACEPOINT:
		result = upci_perf_encode_for(&event->driver, context, &spec);
		if (!result)
			result = upci_perf_add(sources->perf, &spec, binding->flags & UPC_COUNTER_HALTED,
					       event->name);
		break;
	case UPC_SOURCE_FILE:
		result = upci_files_add(sources->files, &event->driver);
		break;
	case UPC_SOURCE_CLOCK:
		result = open_clock(context, event, &binding->handle);
		return result;
	case UPC_SOURCE_REPLAY:
	case UPC_SOURCE_SIMULATION:
		return 0; /* whatever has the unit's registers has all its inputs */
	default:
		return upci_fail(UPC_ENOEVENT, "%s: nothing on this machine drives it: %s", event->name,
				 event->why ? event->why : "");
	}
	if (result < 0)
		return result;
	binding->handle = result;
	return 0;
}

void upci_source_close(struct upci_sources *sources, const struct upci_binding *binding)
{
	switch (binding->source) {
	case UPC_SOURCE_PERF:
	case UPC_SOURCE_TRACEPOINT:
		upci_perf_remove(sources->perf, binding->handle);
		break;
	case UPC_SOURCE_FILE:
		upci_files_remove(sources->files, binding->handle);
		break;
	default:
		break;
	}
}

/* ---- public ---------------------------------------------------------------- */

int upc_catalogue_needs_pmu(struct upc_catalogue *c, uint32_t code)
{
	const unsigned everywhere = UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR;
	const struct upci_event *event;
	struct upci_perf_spec spec;
	int error;

	if (!c)
		return upci_fail(UPC_EINVAL, "upc_catalogue_needs_pmu: a catalogue is needed");
	event = upci_catalogue_event(c, code);
	if (!event)
		return upci_fail(UPC_ENOEVENT, "no event has the code %u", code);
	if (event->driver.source == UPC_SOURCE_DERIVED)
		return upci_fail(UPC_EINVAL,
				 "%s: is computed of others, which upc_catalogue_terms tells: ask for those",
				 event->name);
	if (event->driver.source != UPC_SOURCE_PERF)
		return 0;
	error = upci_perf_encode(&event->driver, everywhere, &spec);
	return error ? error : !upci_perf_is_software(&spec);
}
