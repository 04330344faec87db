/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_task_clock.c - timers of kind TASK_CLOCK: a perf event of the kernel's task clock. After each
 * period the event overflows, and its descriptor sends the signal to the thread (O_ASYNC).
 *
 * The event excludes kernel mode. Therefore an ordinary user may open it, a tick never interrupts a system
 * call of the program, no tick is pending when a thread is in exec, and a thread with short slices cannot
 * be kept busy with the delivery of its own signals. The disadvantage: a tick at whose time the thread is
 * in the kernel is dropped, and that slice lasts twice as long.
 *
 * Terms: ticker/timer.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_SETSIG, F_SETOWN_EX */
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/words.h"
#include "core/error.h"
#include "ticker/timer_kind.h"

static int explain_clock_refusal(int error)
{
	switch (error) {
	case EMFILE:
	case ENFILE:
		return mpxi_error(MPXI_ESYS, "no descriptor is left for a slice timer; "
					     "raise the limit of open files (ulimit -n)");
	case ENOMEM:
		return mpxi_error(MPXI_ENOMEM, "the kernel has no memory for a slice timer");
	case EACCES:
	case EPERM:
		return mpxi_error(MPXI_ENOSUPP,
				  "perf events are forbidden here; see "
				  "/proc/sys/kernel/perf_event_paranoid, or take another timer");
	default:
		return mpxi_error(MPXI_ENOSUPP,
				  "this kernel has no task clock to sample by (%s); "
				  "take another timer",
				  upci_words_of_errno(error));
	}
}

/* Move the descriptor above those of the standard streams. Otherwise a program that has closed its
 * standard input would read from the event. */
int mpxi_task_clock_event(struct perf_event_attr *attr, pid_t tid)
{
	int fd, high, error;

	fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM) && !attr->exclude_kernel) {
		attr->exclude_kernel = attr->exclude_hv = 1;
		fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	error = errno;
	close(fd);
	errno = error;
	return high;
}

/* Set O_ASYNC last. Before the owner is set, the signal would go to the process instead of the thread. */
int mpxi_task_clock_send(int fd, int signo, pid_t tid)
{
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = tid};

	return fcntl(fd, F_SETSIG, signo) || fcntl(fd, F_SETOWN_EX, &owner) ||
			       fcntl(fd, F_SETFL, O_RDWR | O_ASYNC)
		       ? -1
		       : 0;
}

int mpxi_task_clock_sample(uint64_t period_ns, bool user_only, pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
	};

	return mpxi_task_clock_event(&attr, tid);
}

static int task_clock_open(struct mpxi_timer *timer)
{
	int fd = mpxi_task_clock_sample(timer->slice_ns, true, 0);

	if (fd < 0)
		return explain_clock_refusal(errno);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &timer->event) ||
	    mpxi_task_clock_send(fd, timer->timers->signo, timer->tid)) {
		int error = errno;

		close(fd);
		return mpxi_error(MPXI_ENOSUPP,
				  "perf events cannot send signals here (%s); "
				  "take another timer",
				  upci_words_of_errno(error));
	}
	timer->fd = fd;
	return MPXI_OK;
}

bool mpxi_task_clock_is(int fd, uint64_t event)
{
	uint64_t id = 0;

	return fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ID, &id) && id == event;
}

static bool task_clock_is_there(const struct mpxi_timer *timer)
{
	return mpxi_task_clock_is(timer->fd, timer->event);
}

static void task_clock_close(struct mpxi_timer *timer)
{
	if (!task_clock_is_there(timer)) {
		timer->fd = -1;
		return;
	}
	/* A forked child may still hold the event open, so close alone might not end it. Clear O_ASYNC,
	 * too, so that no signal can follow. */
	ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
	fcntl(timer->fd, F_SETFL, O_RDWR);
	close(timer->fd);
	timer->fd = -1;
}

static int task_clock_arm(struct mpxi_timer *timer)
{
	if (!task_clock_is_there(timer))
		return mpxi_error(MPXI_ESYS,
				  "the program has closed the descriptor of a slice timer, which is not its "
				  "own: let it close those that it has opened");
	if (ioctl(timer->fd, PERF_EVENT_IOC_ENABLE, 0))
		return mpxi_error(MPXI_ESYS, "cannot start a slice timer: %s", upci_words_of_errno(errno));
	return MPXI_OK;
}

static void task_clock_disarm(struct mpxi_timer *timer)
{
	if (task_clock_is_there(timer))
		ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void task_clock_forget(struct mpxi_timer *timer)
{
	if (task_clock_is_there(timer))
		close(timer->fd);
	timer->fd = -1;
}

static bool task_clock_mend(struct mpxi_timer *timer)
{
	if (task_clock_is_there(timer))
		return false;
	timer->fd = -1;
	if (!task_clock_open(timer) && timer->armed)
		(void)task_clock_arm(timer);
	return true;
}

const struct mpxi_timer_ops mpxi_timer_task_clock = {
	.kind = MPXI_TIMER_TASK_CLOCK,
	.open = task_clock_open,
	.close = task_clock_close,
	.arm = task_clock_arm,
	.disarm = task_clock_disarm,
	.forget = task_clock_forget,
	.mend = task_clock_mend,
};
