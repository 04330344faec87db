/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_posix.c - timers of kind THREAD: a POSIX timer on the thread's CPU clock, whose signal goes to this
 * thread only. Many kernels check CPU-clock timers only at their periodic interrupt, every 1 to 10 ms. A
 * tick may find the thread in a system call, and interrupt calls that SA_RESTART does not restart (poll,
 * nanosleep). exec deletes the timer and its signals; fork does not pass it on.
 *
 * Terms: ticker/timer.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SIGEV_THREAD_ID */
#endif
#include <errno.h>
#include <string.h>

#include "base/words.h"
#include "core/error.h"
#include "ticker/timer_kind.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct timespec slice_timespec(const struct mpxi_timer *timer)
{
	uint64_t ns = timer->slice_ns;

	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

static int posix_open(struct mpxi_timer *timer)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = timer->timers->signo;
	event.sigev_notify_thread_id = timer->tid;
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer->id)) {
		if (errno == EAGAIN)
			return mpxi_error(MPXI_ESYS,
					  "no timer is left for a thread: the limit of pending signals is "
					  "reached (ulimit -i), or an emulator has few; "
					  "MPX_TIMER_VIRTUAL (mpx_run --timer=virtual) needs none");
		return mpxi_error(errno == ENOMEM ? MPXI_ENOMEM : MPXI_ENOSUPP,
				  "no timer on the thread's CPU clock: %s", upci_words_of_errno(errno));
	}
	timer->left = slice_timespec(timer);
	return MPXI_OK;
}

static void posix_close(struct mpxi_timer *timer)
{
	timer_delete(timer->id);
}

static int posix_arm(struct mpxi_timer *timer)
{
	struct itimerspec when = {.it_value = timer->left, .it_interval = slice_timespec(timer)};

	if (timer_settime(timer->id, 0, &when, NULL))
		return mpxi_error(MPXI_ESYS, "cannot start a slice timer: %s", upci_words_of_errno(errno));
	return MPXI_OK;
}

static void posix_disarm(struct mpxi_timer *timer)
{
	const struct itimerspec never = {.it_value = {0, 0}};
	struct itimerspec old;

	if (timer_settime(timer->id, 0, &never, &old))
		return;
	timer->left = old.it_value;
	/* No time is left: the timer expired just as it was stopped, and its tick is pending. Begin a
	 * new slice. */
	if (!old.it_value.tv_sec && !old.it_value.tv_nsec)
		timer->left = slice_timespec(timer);
}

static void posix_forget(struct mpxi_timer *timer)
{
	/* a forked child does not inherit POSIX timers, and may use the id for a timer of its own */
	(void)timer;
}

const struct mpxi_timer_ops mpxi_timer_posix = {
	.kind = MPXI_TIMER_THREAD,
	.open = posix_open,
	.close = posix_close,
	.arm = posix_arm,
	.disarm = posix_disarm,
	.forget = posix_forget,
};
