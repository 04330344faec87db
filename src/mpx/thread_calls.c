/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_calls.c - the public calls on the calling thread: registration, its master event list, and
 * information about it.
 */
#include <papi.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "mpx.h"
#include "base/sized.h"
#include "process/target.h"
#include "process/thread.h"

int mpx_thread_register(void)
{
	struct mpxi_thread *thread;

	return mpxi_thread_get(&thread);
}

int mpx_thread_end(void)
{
	if (!mpxi_library_lock())
		return PAPI_ENOINIT;
	mpxi_library_unlock();
	mpxi_thread_end();
	return PAPI_OK;
}

int mpx_thread_master_list(struct mpx_master_event *list, int n)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_master_event, current, mpxi_error);
	struct mpxi_thread *thread;
	struct mpxi_master *events;
	struct mpxi_core_info core;
	unsigned count, i;
	int error = mpxi_thread_get(&thread);

	if (error)
		return error;
	if (n < 0 || (n && !list))
		return mpxi_error(PAPI_EINVAL, "n is negative, or list is NULL");
	if (n)
		error = upci_sized_check(&sized, list);
	if (error)
		return error;
	mpxi_core_info(thread->core, &core);
	if ((unsigned)n > core.events)
		n = (int)core.events;
	events = calloc(n ? (size_t)n : 1, sizeof(*events));
	if (!events)
		return mpxi_error(PAPI_ENOMEM, "out of memory for a list of %d events", n);
	count = mpxi_core_master(thread->core, events, (unsigned)n);
	for (i = 0; i < count && i < (unsigned)n; i++) {
		const struct mpxi_master *e = &events[i];
		struct mpx_master_event mine = {
			.code = (int)mpxi_papi_code_of(e->event),
			.references = e->references,
			.activations = e->activations,
			.count = e->count,
			.counted_time = e->size,
			.slices = e->slices,
			.group = (int)e->group,
			.current = e->current,
			.domain = (int)mpxi_papi_domain_of(e->event),
		};

		upci_sized_give_to(&sized, list, i, &mine);
	}
	free(events);
	return (int)count;
}

int mpx_thread_get_info(struct mpx_thread_info *info)
{
	static const struct upci_sized sized = UPCI_SIZED(mpx_thread_info, memory, mpxi_error);
	struct mpx_thread_info mine = {0};
	const struct mpxi_target *target;
	const struct mpxi_handle *handle;
	struct mpxi_core_info core;
	struct mpxi_thread *thread;
	int error = mpxi_thread_get(&thread);

	if (error)
		return error;
	error = upci_sized_check(&sized, info);
	if (error)
		return error;
	mpxi_core_info(thread->core, &core);
	mine.clock = mpxi_papi_clock_name(thread->papi);
	mine.clock_unit = mpxi_papi_clock_unit(thread->papi);
	mine.covariate = mpxi_papi_covariate_name(thread->papi);
	mine.time = core.time;
	mine.slices = core.slices;
	mine.put_off = thread->put_off;
	mine.lost = core.lost;
	mine.groups = core.groups;
	mine.events = core.events;
	mine.running = core.running;
	mine.memory = core.memory + sizeof(*thread);
	for (handle = thread->sets; handle; handle = handle->next)
		mine.memory += sizeof(*handle) + mpxi_regions_memory(&handle->regions);
	for (target = thread->targets; target; target = target->next) {
		mpxi_core_info(target->core, &core);
		mine.memory += sizeof(*target) + core.memory;
	}
	upci_sized_give(&sized, info, &mine);
	return PAPI_OK;
}
