/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_sampler.c - the kernel's own overflow signals. Part of the perf source.
 *
 * A sampler is a second event of the same encoding, alone: not in the group of the
 * counting one, since from Linux 6.16 on a sampling event that is throttled stops its
 * whole group, and counts would be lost. No ring is mapped, so nothing is recorded;
 * what is left is the signal, to one thread, with the descriptor in si_fd.
 *
 * The kernel's behaviour (tried on 6.18):
 *
 *   The phase. The period goes on where it was over DISABLE and ENABLE, and over
 *   RESET, which only zeroes the count. PERIOD on a disabled event begins it anew. On
 *   an enabled software event it does so wrongly: a signal at the very next count,
 *   and the next by the old period. The order here is always DISABLE, PERIOD, ENABLE.
 *
 *   The kernel has no first period of another length: PERIOD begins anew. The first
 *   is therefore armed by itself, and the handler of its signal arms the rest
 *   (irregular_period_over).
 *
 *   Where signals come. One each for page faults, context switches, migrations and
 *   tracepoints, at exactly k periods: also when the program blocks the signal
 *   meanwhile, and those of one system call one by one when it returns. A single
 *   signal for all, where one happening counts many (tp::sched:sched_stat_runtime
 *   counts nanoseconds). Clocks: from a timer, late by the time that the signal takes,
 *   and not more the longer it goes on; never below 10 us; with the kernel excluded, a
 *   tick that falls into the kernel gives no signal. Context switches, migrations and
 *   tracepoints inside the kernel neither count nor signal when it is excluded, those
 *   of system calls' entries do both.
 *
 *   A thread that never gets on. A page fault that has to wait for the memory map's
 *   lock is given up when a signal is pending, and tried again: at a signal each
 *   fault, for ever. A clock whose signals come faster than they are handled does
 *   the same. Both are refused. The other counts of a handler itself (instructions, its
 *   system calls and its return) have to be less than the period, or the thread runs
 *   handlers only; the program has to see to that.
 *
 *   Fewer signals than periods, but never fewer counts: above
 *   kernel.perf_event_max_sample_rate the kernel sends none until its next tick
 *   (software events that count one at a time are not throttled); and when
 *   RLIMIT_SIGPENDING signals of the user wait already, SIGIO comes in place of the
 *   signal, whose default is to end the process: a program that blocks the signal for
 *   long has to ignore SIGIO.
 *
 *   A sampler of a hardware event takes a counter more. It is pinned, so that where
 *   others hold the counters it is given up at once and for all, which a read of it
 *   tells; else it would wait, in silence, for counters to become free.
 *
 *   An exec with a signal still pending ends the new program, which does not handle
 *   it: stop first.
 *
 * All calls come from one thread at a time. The handler runs on the counted
 * thread, on top of any of them or beside another thread's: hence atomics, each
 * written here and read in upci_samplers_signalled, or the other way round.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/perf_groups.h"
#include "perf/perf_open.h"
#include "perf/perf_sampler.h"
#include "upc.h"
#include "base/words.h"

/* Below, the thread has little time left besides handling: a signal costs 3 us on
 * bare metal and 15 to 27 on a virtual machine. */
#define CLOCK_PERIOD_MIN_NS 100000u

/* The kernel takes 63 bits. More is no sooner met: at ten counts a nanosecond, 29
 * years. */
static uint64_t kernel_period(uint64_t period)
{
	return period > INT64_MAX ? INT64_MAX : period;
}

void upci_samplers_init(struct upci_samplers *samplers)
{
	unsigned i;

	memset(samplers, 0, sizeof(*samplers));
	for (i = 0; i < UPCI_SAMPLERS_MAX; i++)
		samplers->at[i].fd = -1;
}

static int fd_of(const struct upci_sampler *s)
{
	return __atomic_load_n(&s->fd, __ATOMIC_ACQUIRE);
}

/* The place of a handle's sampler, or top. */
static unsigned place_of_sampler(const struct upci_samplers *samplers, int handle)
{
	unsigned i;

	for (i = 0; i < samplers->top; i++)
		if (samplers->at[i].fd >= 0 && samplers->at[i].handle == handle)
			break;
	return i;
}

static struct upci_sampler *find_sampler(struct upci_samplers *samplers, int handle)
{
	unsigned i = place_of_sampler(samplers, handle);

	return i < samplers->top ? &samplers->at[i] : NULL;
}

bool upci_samplers_has(const struct upci_samplers *samplers, int handle)
{
	return place_of_sampler(samplers, handle) < samplers->top;
}

/* Forgets, then closes. A copy of the descriptor in another process would keep the
 * event going, so it is disabled as well. */
static void close_sampler(struct upci_sampler *s, bool ours)
{
	struct upci_bag bag = {0};
	int fd = s->fd;

	__atomic_store_n(&s->fd, -1, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (fd < 0)
		return;
	if (ours)
		(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (!ours || !s->slow) {
		close(fd);
		return;
	}
	upci_bag_add(&bag, &fd, 1);
	upci_bag_let_go(&bag);
}

void upci_samplers_gather(const struct upci_samplers *samplers, struct upci_bag *bag)
{
	unsigned i;

	for (i = 0; i < samplers->top; i++)
		if (samplers->at[i].fd >= 0 && samplers->at[i].slow)
			upci_bag_add(bag, &samplers->at[i].fd, 1);
}

void upci_samplers_clear(struct upci_samplers *samplers, bool ours)
{
	unsigned i;

	for (i = 0; i < samplers->top; i++)
		close_sampler(&samplers->at[i], ours);
	upci_samplers_init(samplers);
}

static bool is_clock(const struct upci_perf_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE &&
	       (spec->config == PERF_COUNT_SW_TASK_CLOCK || spec->config == PERF_COUNT_SW_CPU_CLOCK);
}

int upci_samplers_check(const struct upci_samplers *samplers, int handle, const struct upci_perf_spec *spec,
			uint64_t period, int signal, const char *name)
{
	unsigned i, others = 0;

	if (signal < SIGRTMIN || signal > SIGRTMAX)
		return upci_fail(UPC_EINVAL, "%s: %d is no real-time signal (%d to %d)", name, signal,
				 SIGRTMIN, SIGRTMAX);
	if (is_clock(spec) && period < CLOCK_PERIOD_MIN_NS)
		return upci_fail(
			UPC_EINVAL,
			"%s: at a signal each %llu ns the program would get nowhere; choose %u or more", name,
			(unsigned long long)period, CLOCK_PERIOD_MIN_NS);
	if (period == 1 && spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_PAGE_FAULTS)
		return upci_fail(
			UPC_EINVAL,
			"%s: at a signal each page fault the kernel may never finish one; choose 2 or "
			"more",
			name);
	for (i = 0; i < samplers->top; i++)
		others += samplers->at[i].fd >= 0 && samplers->at[i].handle != handle;
	if (others == UPCI_SAMPLERS_MAX)
		return upci_fail(UPC_ECONFLICT, "%s: %u live events have thresholds already; clear one first",
				 name, others);
	return 0;
}

int upci_sampler_open(pid_t tid, const struct upci_perf_spec *spec, uint64_t period, const char *name)
{
	const struct upci_perf_target target = {.tid = tid, .cpu = -1};
	struct perf_event_attr attr = upci_perf_attr(spec);
	int fd;

	attr.sample_period = kernel_period(period);
	attr.wakeup_events = 1;
	attr.disabled = 1;
	/* Signals come all the time, or it is known that they do not: never in turn with
	 * what others count. Software events need no counter. */
	attr.pinned = upci_perf_key(spec->type) != UPCI_PERF_SOFTWARE;
	/* remove_on_exec keeps most of the signals away that come in an exec, where no
	 * handler is left for them; it came with Linux 5.13. */
	attr.remove_on_exec = 1;
	fd = upci_perf_open(&attr, &target, -1);
	if (fd < 0 && (errno == EINVAL || errno == E2BIG)) {
		attr.remove_on_exec = 0;
		fd = upci_perf_open(&attr, &target, -1);
	}
	if (fd >= 0)
		return fd;
	/* The event was opened for counting before: only its signals can be invalid. */
	if (errno == EINVAL || errno == EOPNOTSUPP)
		return upci_fail(UPC_ENOSUPP, "%s: its PMU counts, but has no overflow signals", name);
	return upci_perf_fail(name, &target, upci_perf_key(spec->type) != UPCI_PERF_SOFTWARE);
}

static int set_up_signal(int fd, pid_t tid, int signal)
{
	struct f_owner_ex owner = {F_OWNER_TID, tid};

	if (fcntl(fd, F_SETSIG, signal) < 0 || fcntl(fd, F_SETOWN_EX, &owner) < 0)
		return -1;
	return fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
}

int upci_samplers_put(struct upci_samplers *samplers, int handle, int fd, uint32_t type, uint64_t period,
		      bool halted, pid_t tid, int signal, const char *name)
{
	struct upci_sampler *s = find_sampler(samplers, handle);

	if (set_up_signal(fd, tid, signal) < 0) {
		int e = errno;

		close(fd);
		return upci_fail(e == ESRCH ? UPC_ENOTASK : UPC_ESYSTEM, "%s: overflow signals: fcntl: %s",
				 name, strerror(e));
	}
	if (s)
		close_sampler(s, true);
	for (s = samplers->at; s->fd >= 0; s++)
		;
	s->handle = handle;
	s->halted = halted;
	s->on = false;
	s->slow = type == PERF_TYPE_TRACEPOINT;
	s->period = period;
	s->target = 0;
	__atomic_store_n(&s->fd, fd, __ATOMIC_RELEASE);
	if (samplers->top <= (unsigned)(s - samplers->at))
		__atomic_store_n(&samplers->top, (unsigned)(s - samplers->at) + 1, __ATOMIC_RELEASE);
	return 0;
}

void upci_samplers_remove(struct upci_samplers *samplers, int handle)
{
	struct upci_sampler *s = find_sampler(samplers, handle);
	unsigned top = samplers->top;

	if (!s)
		return;
	close_sampler(s, true);
	while (top && samplers->at[top - 1].fd < 0)
		top--;
	__atomic_store_n(&samplers->top, top, __ATOMIC_RELEASE);
}

/* A thread that is gone counts no more, and there is nothing to switch. */
static int control_sampler(int fd, unsigned long request, void *arg)
{
	if (ioctl(fd, request, arg) < 0 && errno != ESRCH)
		return upci_fail(UPC_ESYSTEM, "overflow signals: perf ioctl: %s", upci_words_of_errno(errno));
	return 0;
}

/* on is set before the event is: see irregular_period_over. */
static int switch_sampler(struct upci_sampler *s, bool on)
{
	__atomic_store_n(&s->on, on, __ATOMIC_SEQ_CST);
	return control_sampler(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
}

int upci_samplers_run(struct upci_samplers *samplers, bool run)
{
	int error = 0, failed;
	unsigned i;

	samplers->running = run;
	for (i = 0; i < samplers->top; i++) {
		struct upci_sampler *s = &samplers->at[i];

		if (s->fd < 0 || s->on == (run && !s->halted))
			continue;
		failed = switch_sampler(s, !s->on);
		error = error ? error : failed;
	}
	return error;
}

/* Whether the kernel has given up a sampler: a read of one byte then gives the end of the file, else
 * it fails, since a value is longer. A halted sampler owes no signals. */
bool upci_samplers_starved(const struct upci_samplers *samplers, int handle)
{
	unsigned i = place_of_sampler(samplers, handle);
	char byte;

	return i < samplers->top && !samplers->at[i].halted && read(samplers->at[i].fd, &byte, 1) == 0;
}

int upci_samplers_halt(struct upci_samplers *samplers, int handle, bool halt)
{
	struct upci_sampler *s = find_sampler(samplers, handle);

	if (!s)
		return 0;
	s->halted = halt;
	return s->on == (samplers->running && !halt) ? 0 : switch_sampler(s, !s->on);
}

int upci_samplers_restart(struct upci_samplers *samplers, int handle, uint64_t left)
{
	struct upci_sampler *s = find_sampler(samplers, handle);
	uint64_t first;
	int error;

	if (!s)
		return 0;
	if (!left || left > s->period)
		return upci_fail(UPC_EINVAL, "%llu counts cannot be left of a period of %llu",
				 (unsigned long long)left, (unsigned long long)s->period);
	first = kernel_period(left);
	/* A handler that comes in between is of the old period, and must not arm
	 * anything: without a target it does not, and with one the count is below. */
	__atomic_store_n(&s->target, 0, __ATOMIC_SEQ_CST);
	error = control_sampler(s->fd, PERF_EVENT_IOC_DISABLE, NULL);
	if (!error)
		error = control_sampler(s->fd, PERF_EVENT_IOC_RESET, NULL);
	if (!error)
		error = control_sampler(s->fd, PERF_EVENT_IOC_PERIOD, &first);
	if (error)
		return error;
	if (left != s->period)
		__atomic_store_n(&s->target, left, __ATOMIC_SEQ_CST);
	return s->on ? control_sampler(s->fd, PERF_EVENT_IOC_ENABLE, NULL) : 0;
}

/*
 * In the handler, where the first period was not a whole one. The sampler's own count
 * says by how much the signal came after the target; what is left to the next multiple
 * is the next period, irregular again unless the signal was at once. Also when
 * signals were lost, so it always comes back to the multiples. A count below the
 * target: the signal is older than the target, or one of several that a blocked
 * signal has gathered; false.
 *
 * The sampler misses the counts between DISABLE and ENABLE: once after a preset,
 * signals are late by the counts of the two system calls in between, which are none
 * for page faults.
 *
 * The sampler may be switched off meanwhile, by another thread or by the code that
 * the handler interrupted. switch_sampler sets on first and the event then; here the
 * event is set first and on read again: whichever comes last leaves the event off.
 *
 * ioctl and read of a perf event are bare system calls, as safe as the read that
 * POSIX lists.
 */
static bool irregular_period_over(struct upci_sampler *s, int fd, uint64_t target)
{
	uint64_t count, ahead;
	int saved = errno;
	bool over = true;

	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count)) {
		over = count >= target;
		ahead = over ? s->period - (count - target) % s->period : 0;
		if (over) {
			uint64_t next = kernel_period(ahead);

			(void)ioctl(fd, PERF_EVENT_IOC_PERIOD, &next);
			__atomic_store_n(&s->target, count == target ? 0 : count + ahead, __ATOMIC_SEQ_CST);
		}
	}
	if (__atomic_load_n(&s->on, __ATOMIC_SEQ_CST)) {
		(void)ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		if (!__atomic_load_n(&s->on, __ATOMIC_SEQ_CST))
			(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	errno = saved;
	return over;
}

int upci_samplers_signalled(struct upci_samplers *samplers, int fd)
{
	unsigned i, top = __atomic_load_n(&samplers->top, __ATOMIC_ACQUIRE);

	for (i = 0; fd >= 0 && i < top; i++) {
		struct upci_sampler *s = &samplers->at[i];
		uint64_t target;

		if (fd_of(s) != fd)
			continue;
		target = __atomic_load_n(&s->target, __ATOMIC_SEQ_CST);
		return !target || irregular_period_over(s, fd, target) ? s->handle : -1;
	}
	return -1;
}
