/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer_attached.c - slices of another thread, the attached thread. There are two perf events of its task
 * clock. One overflows at a slice's end, sends its signal to the calling thread and stops; the handler
 * starts it again (PERF_EVENT_IOC_REFRESH). The other event only counts: it replaces clock_gettime, which
 * does not work for a thread of another process. Polling that event also shows that the thread has ended
 * (POLLHUP). The thread id does not show this, since it may have been reused.
 *
 * If the kernel permits it, the events include kernel mode. Slices then never double in length
 * (timer_task_clock.c), and since the signals go to another thread, they interrupt no system call of the
 * attached thread.
 *
 * Terms: ticker/timer.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/words.h"
#include "core/error.h"
#include "ticker/timer_attached.h"
#include "ticker/timer_kind.h"

static int explain_attach_refusal(int error, pid_t tid)
{
	switch (error) {
	case ESRCH:
		return mpxi_error(MPXI_EINVAL, "there is no thread %d, or it has ended", (int)tid);
	case EACCES:
	case EPERM:
		return mpxi_error(
			MPXI_EPERM,
			"the kernel does not let this user count in thread %d: it is for its own user, root, or who has CAP_PERFMON; see /proc/sys/kernel/perf_event_paranoid and /proc/sys/kernel/yama/ptrace_scope",
			(int)tid);
	case EMFILE:
	case ENFILE:
		return mpxi_error(MPXI_ESYS,
				  "no descriptor is left for the clock of thread %d; raise the "
				  "limit of open files (ulimit -n)",
				  (int)tid);
	case ENOMEM:
		return mpxi_error(MPXI_ENOMEM, "the kernel has no memory for the clock of thread %d",
				  (int)tid);
	default:
		return mpxi_error(MPXI_ENOSUPP, "this kernel gives no task clock of thread %d: %s", (int)tid,
				  upci_words_of_errno(error));
	}
}

static int send_signals(const struct mpxi_attached *timer)
{
	if (!mpxi_task_clock_send(timer->fd, timer->own->timers->signo, timer->own->tid))
		return MPXI_OK;
	return mpxi_error(MPXI_ENOSUPP, "perf events cannot send signals here: %s",
			  upci_words_of_errno(errno));
}

static void close_events(struct mpxi_attached *timer)
{
	munmap(timer->page, (size_t)sysconf(_SC_PAGESIZE));
	mpxi_attached_forget(timer);
}

/* Start a slice, or continue a slice that was stopped before its end (loaded). loaded is set before the
 * event is started: the attached thread may run on another CPU, so the signal may come at once, and its
 * handler clears loaded. */
static int go_on_sig(struct mpxi_attached *timer)
{
	const bool has_rest = timer->loaded;

	timer->loaded = true;
	if (has_rest)
		return ioctl(timer->fd, PERF_EVENT_IOC_ENABLE, 0);
	/* After an overflow the kernel sends the signal first and then stops the event (Linux 6.18),
	 * both in one interrupt. A REFRESH between these two steps would be undone. DISABLE waits for
	 * the end of the interrupt. */
	(void)ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
	return ioctl(timer->fd, PERF_EVENT_IOC_REFRESH, 1);
}

static void act_sig(struct mpxi_attached *timer, void *context)
{
	timer->loaded = false;
	timer->tick_sig(timer->arg, context);
	if (timer->armed && !timer->loaded)
		(void)go_on_sig(timer);
}

static void hold_back(struct mpxi_attached *timer, bool hold)
{
	if (!timer->armed)
		return;
	if (hold)
		ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
	else
		(void)go_on_sig(timer);
}

/* Open the event that ends slices. Return 0, or -1 with errno. */
static int open_sampled_event(struct mpxi_attached *timer)
{
	timer->loaded = false;
	timer->fd = mpxi_task_clock_sample(timer->slice_ns, false, timer->tid);
	return timer->fd < 0 ? -1 : ioctl(timer->fd, PERF_EVENT_IOC_ID, &timer->event);
}

int mpxi_attached_open(struct mpxi_attached *timer, uint64_t slice_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int error;

	timer->armed = timer->loaded = false;
	timer->last = timer->mended = 0;
	timer->slice_ns = slice_ns;
	timer->page = MAP_FAILED;
	timer->clock = mpxi_task_clock_event(&attr, timer->tid);
	if (timer->clock < 0)
		return explain_attach_refusal(errno, timer->tid);
	timer->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, timer->clock, 0);
	if (timer->page == MAP_FAILED) {
		error = explain_attach_refusal(errno == EPERM ? ENOMEM : errno, timer->tid);
		mpxi_attached_forget(timer);
		return error;
	}
	error = open_sampled_event(timer) ? explain_attach_refusal(errno, timer->tid) : send_signals(timer);
	/* Both events belong to the same thread if that thread still exists now. */
	if (!error && mpxi_attached_has_ended(timer))
		error = explain_attach_refusal(ESRCH, timer->tid);
	if (error) {
		close_events(timer);
		return error;
	}
	timer->signal_sig = act_sig;
	timer->hold = hold_back;
	timer->next = timer->own->attached;
	atomic_signal_fence(memory_order_release); /* a handler on this thread sees the complete timer */
	timer->own->attached = timer;
	return MPXI_OK;
}

/* Close the descriptors. A forked child does not have the mapped page. */
void mpxi_attached_forget(struct mpxi_attached *timer)
{
	if (timer->fd >= 0)
		close(timer->fd);
	close(timer->clock);
	timer->fd = timer->clock = -1;
	timer->armed = false;
}

void mpxi_attached_close(struct mpxi_attached *timer)
{
	struct mpxi_attached *volatile *at = &timer->own->attached;

	mpxi_attached_disarm(timer);
	/* A forked child may hold the event open: see timer_task_clock.c. */
	fcntl(timer->fd, F_SETFL, O_RDWR);
	while (*at != timer)
		at = (struct mpxi_attached *volatile *)&(*at)->next;
	*at = timer->next;
	atomic_signal_fence(memory_order_seq_cst);
	close_events(timer);
}

int mpxi_attached_arm(struct mpxi_attached *timer)
{
	int error;

	if (timer->armed)
		return MPXI_OK;
	error = mpxi_in_handler ? MPXI_OK : mpxi_timer_prepare(timer->own);
	if (error)
		return error;
	timer->armed = true; /* before the first signal, whose handler would not start the next slice */
	if (go_on_sig(timer)) {
		timer->armed = timer->loaded = false;
		return mpxi_error(MPXI_ESYS,
				  "cannot start the slice timer of thread %d: %s; has the program closed a "
				  "descriptor that is not its own?",
				  (int)timer->tid, upci_words_of_errno(errno));
	}
	return MPXI_OK;
}

void mpxi_attached_disarm(struct mpxi_attached *timer)
{
	if (!timer->armed)
		return;
	/* before the event is stopped, since the handler of a last signal would start another slice */
	timer->armed = false;
	ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Open the event again, at most once in a slice's time. A REFRESH would not do: it cannot be found out
 * whether the event still counts or its signal was lost, and a REFRESH of a counting event would permit
 * one signal too many. While armed is false, a signal of the old event starts no slice. */
static void open_anew(struct mpxi_attached *timer)
{
	const uint64_t now = mpxi_attached_cpu_sig(timer);
	const bool armed = timer->armed;

	if (timer->clock < 0 || now - timer->mended < timer->slice_ns)
		return; /* closed, or forgotten in a forked child, or repaired recently */
	timer->mended = now;
	timer->armed = false;
	if (mpxi_task_clock_is(timer->fd, timer->event)) {
		ioctl(timer->fd, PERF_EVENT_IOC_DISABLE, 0);
		fcntl(timer->fd, F_SETFL, O_RDWR); /* a forked child may hold it open */
		close(timer->fd);
	}
	if (!open_sampled_event(timer))
		(void)mpxi_task_clock_send(timer->fd, timer->own->timers->signo, timer->own->tid);
	timer->armed = armed;
	if (armed && !timer->loaded)
		(void)go_on_sig(timer);
}

bool mpxi_attached_mend(struct mpxi_attached *timer)
{
	/* mpxi_timer_mend unblocks the signal, so a pending signal arrives during this call. */
	const bool mended = mpxi_timer_mend(timer->own);

	if (!mpxi_in_handler)
		open_anew(timer);
	return mended;
}

uint64_t mpxi_attached_cpu_sig(void *arg)
{
	struct mpxi_attached *timer = arg;
	uint64_t now;

	if (read(timer->clock, &now, sizeof(now)) == (ssize_t)sizeof(now) && now > timer->last)
		timer->last = now;
	return timer->last;
}

bool mpxi_attached_has_ended(void *arg)
{
	const struct mpxi_attached *timer = arg;
	struct pollfd poll_fd = {.fd = timer->clock};

	return poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & (POLLHUP | POLLERR);
}
