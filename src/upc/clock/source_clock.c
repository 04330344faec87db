/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source_clock.c - a unit's source for the clocks of clock_gettime.
 * Terms: base/target.h.
 */
#include <time.h>

#include "base/message.h"
#include "base/source.h"
#include "base/target.h"

/* Room for twice the counters: a commit opens new clocks before it closes old ones. */
#define CLOCKS (2u * UPC_COUNTERS)

struct clock_source {
	struct upci_source source; /* must be the first member */
	struct {
		bool used;
		clockid_t clock;
	} of[CLOCKS];
};

/*
 * Return the kernel's clock number for the CPU time of any thread or process. The number is valid
 * in every thread of the caller's process. pthread_getcpuclockid would need a pthread_t.
 */
static clockid_t cpu_clock(pid_t id, bool thread)
{
	return (clockid_t)(~(unsigned)id << 3 | (thread ? 6u : 2u));
}

/* Set *clock to the kernel's clock for an event in this context. Return 0, or an error with message. */
static int choose_kernel_clock(const struct upci_context *context, const struct upci_event *event,
			       clockid_t *clock)
{
	struct timespec now;

	*clock = event->driver.clock;
	if (context->cgroup)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: is a clock, not a control group's: count it in the context of the machine",
			event->name);
	if (*clock == CLOCK_THREAD_CPUTIME_ID) {
		if (context->kind != UPC_CONTEXT_THREAD)
			return upci_fail(UPC_ENOSUPP, "%s: only the context of a thread has it", event->name);
		*clock = cpu_clock(context->tid, true);
	} else if (*clock == CLOCK_PROCESS_CPUTIME_ID) {
		if (!context->pid)
			return upci_fail(UPC_ENOSUPP, "%s: only the context of a thread or process has it",
					 event->name);
		*clock = cpu_clock(context->pid, false);
	}
	if (clock_gettime(*clock, &now) == 0)
		return 0;
	return upci_fail(UPC_ENOSUPP,
			 "%s: the kernel does not show this clock of another process's thread; "
			 "perf::TASK-CLOCK does",
			 event->name);
}

static int clock_open(struct upci_source *source, const struct upci_context *context,
		      const struct upci_event *event, bool halted)
{
	struct clock_source *s = (struct clock_source *)source;
	clockid_t clock;
	unsigned handle = 0;
	int error = choose_kernel_clock(context, event, &clock);

	(void)halted;
	if (error)
		return error;
	while (handle < CLOCKS && s->of[handle].used)
		handle++;
	if (handle == CLOCKS)
		return upci_fail(UPC_ECONFLICT, "%s: all %u clocks are taken", event->name, CLOCKS);
	s->of[handle].clock = clock;
	s->of[handle].used = true;
	return (int)handle;
}

static void clock_close(struct upci_source *source, int handle)
{
	((struct clock_source *)source)->of[handle].used = false;
}

static int clock_read(struct upci_source *source, uint64_t *value, uint8_t *state)
{
	const struct clock_source *s = (const struct clock_source *)source;
	struct timespec now;
	unsigned handle;

	for (handle = 0; handle < source->handles; handle++) {
		if (!s->of[handle].used)
			continue;
		state[handle] = UPCI_SOURCE_LOST;
		if (clock_gettime(s->of[handle].clock, &now) != 0)
			continue;
		state[handle] = UPCI_SOURCE_EXACT;
		value[handle] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	return 0;
}

const struct upci_source_ops upci_clock_source = {
	.gone = "its clock is gone; the counter keeps the last value",
	.size = sizeof(struct clock_source),
	.open = clock_open,
	.close = clock_close,
	.read = clock_read,
};
