/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_sampler.c - the kernel's own overflow signals. Part of the perf source.
 *
 * A sampler is a second perf event of the same encoding, which is alone in its group. It is not in the group
 * of the counting event, since from Linux 6.16 on a throttled sampling event stops its whole group, and
 * counts would be lost. No ring buffer is mapped, so nothing is recorded. Only the signal remains. It goes to
 * one thread and carries the descriptor in si_fd.
 *
 * The kernel's behaviour (tried on 6.18):
 *
 *   Phase. DISABLE and ENABLE do not change the phase of the period, nor does
 *   RESET, which only zeroes the count. PERIOD on a disabled event restarts it.
 *   On an enabled software event PERIOD works wrongly: a signal comes at the very
 *   next count, and the next one after the old period. The order here is
 *   therefore always DISABLE, PERIOD, ENABLE.
 *
 *   The kernel has no first period of another length, since PERIOD restarts the
 *   period. The first period is therefore set alone, and the handler of its signal
 *   sets the rest (irregular_period_over).
 *
 *   When signals come. Page faults, context switches, migrations and tracepoints
 *   give one signal each, at exactly k periods. This holds even if the program
 *   blocks the signal meanwhile. The signals of one system call come one by one
 *   when it returns. If one occurrence counts many (tp::sched:sched_stat_runtime
 *   counts nanoseconds), there is a single signal for all. Clocks signal from a
 *   timer, late by the time that the signal takes; the delay does not grow. Their
 *   period is never below 10 us. If the kernel is excluded, a tick in the kernel
 *   gives no signal. If the kernel is excluded, context switches, migrations and
 *   tracepoints inside the kernel neither count nor signal, but tracepoints at
 *   the entry of system calls do both.
 *
 *   A thread without progress. A page fault that has to wait for the memory map's
 *   lock is aborted when a signal is pending, and tried again: with a signal at
 *   each fault, for ever. A clock whose signals come faster than they are handled
 *   has the same effect. Both are refused. The other counts of a handler itself
 *   (instructions, its system calls and its return) must be less than the period.
 *   Otherwise the thread runs only handlers. The program must ensure that.
 *
 *   Fewer signals than periods, but never fewer counts. Above
 *   kernel.perf_event_max_sample_rate the kernel sends no signal until its next
 *   tick; software events that count one at a time are not throttled. If
 *   RLIMIT_SIGPENDING signals of the user are pending, the kernel sends SIGIO
 *   instead, whose default action ends the process. A program that blocks the
 *   signal for long must ignore SIGIO.
 *
 *   A sampler of a hardware event takes one more counter. It is pinned. If others
 *   hold the counters, the kernel puts it into error state at once and for good,
 *   which a read of it shows. If it were not pinned, it would wait silently for
 *   a free counter.
 *
 *   An exec with a signal still pending ends the new program, which has no
 *   handler for it. Stop first.
 *
 * All calls come from one thread at a time. The handler runs on the counted thread. It may have interrupted
 * any of the calls, or run at the same time as a call of another thread. Hence the atomics: each is written
 * here and read in upci_samplers_signalled, or the other way round.
 *
 * Terms: perf/perf.h, base/source.h, base/target.h.
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

/* With a shorter period, the thread has little time left besides handling signals: a signal costs 3 us on
 * bare metal and 15 to 27 us on a virtual machine. */
#define CLOCK_PERIOD_MIN_NS 100000u

/* Limit a period to the kernel's 63 bits. At ten counts a nanosecond, that limit is reached after 29
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

/* Return the index of a handle's sampler, or top. */
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

/* Remove the descriptor from the sampler, then close it. A copy in another process would keep the event
 * running, so disable the event first. */
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
	/* Pinned: signals come all the time, or the kernel reports that they do not. The sampler never takes
	 * turns with other events. Software events need no counter. */
	attr.pinned = upci_perf_key(spec->type) != UPCI_PERF_SOFTWARE;
	/* remove_on_exec, new in Linux 5.13, prevents most of the signals that would come during an exec,
	 * when no handler exists for them. */
	attr.remove_on_exec = 1;
	fd = upci_perf_open(&attr, &target, -1);
	if (fd < 0 && (errno == EINVAL || errno == E2BIG)) {
		attr.remove_on_exec = 0;
		fd = upci_perf_open(&attr, &target, -1);
	}
	if (fd >= 0)
		return fd;
	/* The event was opened for counting before, so only its signals can be invalid. */
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

/* Make an ioctl on a sampler. ESRCH is no error: a thread that is gone counts no more. */
static int control_sampler(int fd, unsigned long request, void *arg)
{
	if (ioctl(fd, request, arg) < 0 && errno != ESRCH)
		return upci_fail(UPC_ESYSTEM, "overflow signals: perf ioctl: %s", upci_words_of_errno(errno));
	return 0;
}

/* Switch a sampler on or off. Set s->on before the event is switched: see irregular_period_over. */
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

/* True if the kernel has put a sampler into error state: a read of one byte then returns end of file.
 * Otherwise the read fails, since a value is longer. A halted sampler owes no signals. */
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
	/* A handler that runs in between handles a signal of the old period and must not set a period. It
	 * sets none while target is 0, nor after the new target is set, since the count is below that
	 * target. */
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
 * Set the next period, in the handler, if the first period was not a whole one. The sampler's own count says
 * how far past the target the signal came. The rest up to the next multiple is the next period, which is
 * irregular again unless the signal came at the target exactly. This also works if signals were lost, so
 * signals always return to the multiples. Return false if the count is below the target: the signal is older
 * than the target, or one of several that gathered while it was blocked.
 *
 * The sampler misses the counts between DISABLE and ENABLE. Once after a preset, signals are late by the
 * counts of the two system calls in between; page faults have none there.
 *
 * Another thread, or the code that the handler interrupted, may switch the sampler off meanwhile.
 * switch_sampler sets s->on first and switches the event afterwards. This function enables the event first
 * and reads s->on once more afterwards. Whichever function comes last leaves the event off.
 *
 * ioctl and read of a perf event are bare system calls, as async-signal-safe as the read in POSIX's list.
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
