/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.c - slice timers: the signal handler, and the code common to all kinds of timers. The kinds are in
 * timer_task_clock.c, timer_posix.c and timer_virtual.c.
 *
 * Terms: ticker/timer.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* gettid */
#endif
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/error.h"
#include "ticker/timer_attached.h"
#include "ticker/timer_kind.h"

/*
 * The thread's open timer. The handler on the same thread reads it. It may run on threads that never had a
 * timer, where the first access to a dynamic TLS variable would allocate memory. Initial-exec TLS exists
 * from the thread's start.
 */
static _Thread_local __attribute__((tls_model("initial-exec"))) _Atomic(struct mpxi_timer *) mine;

/* QEMU's user mode before 9.1 calls x86-64 handlers with a stack that is misaligned by 8 bytes. */
#ifdef __x86_64__
#define ALIGNED __attribute__((force_align_arg_pointer))
#else
#define ALIGNED
#endif

/* Return the attached timer whose descriptor sent the signal; NULL if the signal is the thread's own
 * tick, or was sent with kill or tgkill. */
static struct mpxi_attached *attached_of_sig(const struct mpxi_timer *timer, const siginfo_t *info)
{
	struct mpxi_attached *attached = timer->attached;

	if (info->si_code < POLL_IN || info->si_code > POLL_HUP)
		return NULL;
	while (attached && attached->fd != info->si_fd)
		attached = attached->next;
	return attached;
}

static _Atomic uint64_t cost_timed, cost_ns, cost_squares;

static void add_cost_sig(uint64_t ns)
{
	atomic_fetch_add_explicit(&cost_timed, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cost_ns, ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&cost_squares, ns * ns, memory_order_relaxed);
}

void mpxi_timers_cost(struct mpxi_tick_cost *cost)
{
	cost->timed = atomic_load_explicit(&cost_timed, memory_order_relaxed);
	cost->ns = atomic_load_explicit(&cost_ns, memory_order_relaxed);
	cost->squares = atomic_load_explicit(&cost_squares, memory_order_relaxed);
}

/*
 * Signal handler. It calls these functions of libc: clock_gettime, pthread_setcancelstate, which changes
 * only a word of the thread, and, for VIRTUAL, tgkill (timer_virtual.c). errno is restored. The file that
 * defines tick_sig lists what tick_sig calls. timer_attached.c calls ioctl, read and poll.
 */
ALIGNED static void on_timer_signal(int signo, siginfo_t *info, void *context)
{
	const int error = errno;
	struct mpxi_timer *timer = atomic_load_explicit(&mine, memory_order_relaxed);
	struct mpxi_attached *attached = timer ? attached_of_sig(timer, info) : NULL;
	const bool timed = timer && ++timer->ticks % MPXI_TICK_SAMPLE == 0;
	const uint64_t begin = timed ? mpxi_timer_cpu_sig() : 0;
	bool tick = timer != NULL;
	int cancel;

	/* Mark this signal frame so that inside_stack.c ignores it, since its bytes stay in memory below
	 * the stack pointer after the return. The kernel writes 0 to uc_link and does not read it. */
	((ucontext_t *)context)->uc_link = context;
	/* A SIGVTALRM from the kernel is for the whole process; a SIGVTALRM that another thread has
	 * forwarded is for this thread. */
	if (signo == SIGVTALRM && info->si_code == SI_KERNEL)
		tick = mpxi_timer_forward_sig(timer ? timer->slot : NULL) && tick;
	if (tick) {
		/* The tick reads descriptors, and read is a cancellation point. If the thread were
		 * cancelled, it would end there, in the middle of the interrupted code. */
		(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		timer->starved = false;
		mpxi_in_handler = true;
		if (attached)
			attached->signal_sig(attached, context);
		else
			timer->timers->tick_sig(context);
		mpxi_in_handler = false;
		(void)pthread_setcancelstate(cancel, NULL);
	}
	if (timed)
		add_cost_sig(mpxi_timer_cpu_sig() - begin);
	errno = error;
}

static const struct mpxi_timer_ops *const kinds[] = {
	&mpxi_timer_task_clock, &mpxi_timer_posix, &mpxi_timer_virtual, /* best first */
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Number of timers to try. Environments with few timers have fewer: QEMU's user mode gives a process 32. */
#define ENOUGH 64

/* Open n timers for the calling thread and close them again. Return 0 or the error of the first that
 * could not be opened. */
static int try_some(struct mpxi_timers *trial, unsigned n)
{
	struct mpxi_timer timer[ENOUGH];
	unsigned i;
	int error = 0;

	for (i = 0; i < n && !error; i++) {
		timer[i] = (struct mpxi_timer){
			.timers = trial, .slice_ns = trial->slice_ns, .fd = -1, .tid = gettid()};
		error = trial->ops->open(&timer[i]);
	}
	i -= error != 0;
	while (i-- > 0)
		trial->ops->close(&timer[i]);
	return error;
}

static int try_kind(struct mpxi_timers *timers, const struct mpxi_timer_ops *ops, unsigned n)
{
	struct mpxi_timers trial = *timers;
	int error;

	if (ops->kind == MPXI_TIMER_VIRTUAL && timers->signo && timers->signo != SIGVTALRM)
		return mpxi_error(MPXI_EINVAL, "the interval timer ITIMER_VIRTUAL has the signal "
					       "SIGVTALRM and no other");
	trial.ops = ops;
	/* The trial needs some signal number, but never sends the signal, since the timer is not armed.
	 * SIGRTMIN exists in emulators, too. */
	if (!trial.signo)
		trial.signo = SIGRTMIN;
	error = try_some(&trial, n);
	if (!error)
		timers->ops = ops;
	return error;
}

static int choose_timer_kind(struct mpxi_timers *timers, enum mpxi_timer_kind kind)
{
	int error = MPXI_EINVAL;
	size_t i;

	for (i = 0; i < KINDS; i++) {
		if (kind != MPXI_TIMER_AUTO && kind != kinds[i]->kind)
			continue;
		/* If AUTO chooses a kind, there must be timers of that kind for all threads. */
		error = try_kind(timers, kinds[i],
				 kind == MPXI_TIMER_AUTO && kinds[i]->kind == MPXI_TIMER_THREAD ? ENOUGH : 1);
		if (!error && kinds[i]->kind == MPXI_TIMER_VIRTUAL)
			timers->signo = SIGVTALRM;
		if (!error || kind != MPXI_TIMER_AUTO)
			break;
	}
	return error;
}

/* Choose the kind and the signal, and install the handler. */
static int begin_timers(struct mpxi_timers *timers, enum mpxi_timer_kind kind, int signo)
{
	int error;

	timers->signo = signo;
	error = choose_timer_kind(timers, kind);
	return error ? error : mpxi_timer_signal_take(timers, on_timer_signal);
}

static bool signal_is_usable(int signo)
{
	switch (signo) {
	case SIGKILL:
	case SIGSTOP:
	case SIGCONT:
	case SIGCHLD: /* used by the kernel */
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGTRAP: /* sent for faults */
	case SIGABRT:
	case SIGSYS:
	case SIGIO:
		return false;
	default:
		/* The signals between the standard ones and SIGRTMIN belong to glibc. */
		return signo >= 0 && signo <= SIGRTMAX && (signo < 32 || signo >= SIGRTMIN);
	}
}

int mpxi_timers_create(enum mpxi_timer_kind kind, uint64_t slice_ns, int signo,
		       void (*tick_sig)(void *context), struct mpxi_timers **timers)
{
	struct mpxi_timers *t;
	int error;

	if (!tick_sig || !timers)
		return mpxi_error(MPXI_EINVAL, "a slice timer needs a function to call");
	if (slice_ns < MPXI_SLICE_MIN || slice_ns > MPXI_SLICE_MAX)
		return mpxi_error(MPXI_EINVAL,
				  "a time slice of %llu ns; it must be from 100 us "
				  "to 10 s",
				  (unsigned long long)slice_ns);
	if (!signal_is_usable(signo))
		return mpxi_error(MPXI_EINVAL,
				  "signal %d cannot be that of a slice timer; name a "
				  "real-time signal, or 0 for a free one",
				  signo);
	if ((unsigned)kind > MPXI_TIMER_VIRTUAL)
		return mpxi_error(MPXI_EINVAL, "there is no slice timer of kind %d", (int)kind);
	t = calloc(1, sizeof(*t));
	if (!t)
		return mpxi_error(MPXI_ENOMEM, "no memory for a slice timer");
	t->slice_ns = slice_ns;
	t->tick_sig = tick_sig;
	error = begin_timers(t, kind, signo);
	/* No kind has enough timers, and the program uses the interval timer. Take THREAD all the same,
	 * since few timers are better than none. */
	if (error && kind == MPXI_TIMER_AUTO)
		error = begin_timers(t, MPXI_TIMER_THREAD, signo);
	if (error) {
		free(t);
		return error;
	}
	*timers = t;
	return MPXI_OK;
}

void mpxi_timers_destroy(struct mpxi_timers *timers)
{
	if (!timers)
		return;
	mpxi_timer_signal_give_back(timers);
	free(timers);
}

enum mpxi_timer_kind mpxi_timers_kind(const struct mpxi_timers *timers)
{
	return timers->ops->kind;
}

int mpxi_timers_signal(const struct mpxi_timers *timers)
{
	return timers->signo;
}

static sigset_t signals_of(const struct mpxi_timers *timers)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, timers->signo);
	return set;
}

/*
 * Consume the signals pending for this thread, which has blocked the signal. mask holds the signals that
 * the thread had blocked before. If the thread had not blocked SIGIO, SIGIO has been delivered already.
 */
static void drain_thread_signals(const struct mpxi_timers *timers, const sigset_t *mask)
{
	mpxi_timer_signal_drain(timers->signo);
	if (timers->holds_sigio && sigismember(mask, SIGIO))
		mpxi_timer_signal_drain(SIGIO);
}

int mpxi_timer_open(struct mpxi_timer *timer, struct mpxi_timers *timers)
{
	return mpxi_timer_open_for(timer, timers, timers->slice_ns);
}

int mpxi_timer_open_for(struct mpxi_timer *timer, struct mpxi_timers *timers, uint64_t slice_ns)
{
	const sigset_t set = signals_of(timers);
	sigset_t before;
	int error;

	if (atomic_load_explicit(&mine, memory_order_relaxed))
		return mpxi_error(MPXI_EISRUN, "the thread has a slice timer already");
	memset(timer, 0, sizeof(*timer));
	timer->fd = -1;
	timer->timers = timers;
	timer->slice_ns = slice_ns;
	timer->tid = gettid();
	/* different start in each thread, so that threads time different ticks */
	timer->ticks = (unsigned)timer->tid;
	error = timers->ops->open(timer);
	if (error)
		return error;
	timer->open = true;
	atomic_signal_fence(memory_order_release); /* a handler on this thread sees the complete timer */
	atomic_store_explicit(&mine, timer, memory_order_relaxed);
	pthread_sigmask(SIG_UNBLOCK, &set, &before);
	timer->was_blocked = sigismember(&before, timers->signo) == 1;
	return MPXI_OK;
}

void mpxi_timer_close(struct mpxi_timer *timer)
{
	sigset_t set, before;

	if (!timer->open)
		return;
	mpxi_timer_disarm(timer);
	set = signals_of(timer->timers);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	timer->timers->ops->close(timer);
	drain_thread_signals(timer->timers, &before);
	atomic_store_explicit(&mine, NULL, memory_order_relaxed);
	timer->open = false;
	/* If the program has blocked the signal since the timer was opened, the signal stays blocked. */
	if (!timer->was_blocked && sigismember(&before, timer->timers->signo) == 0)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

uint64_t mpxi_timer_cpu_sig(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Number of signals in a batch. Two batches are timed, and the shorter time is used. */
#define COST_BATCH 16

uint64_t mpxi_timers_signal_ns(struct mpxi_timers *timers)
{
	const sigset_t set = signals_of(timers);
	uint64_t begin, ns, least = UINT64_MAX;
	struct sigaction action;
	sigset_t before;
	int batch, i;

	if (atomic_load_explicit(&mine, memory_order_relaxed) || sigaction(timers->signo, NULL, &action) ||
	    action.sa_sigaction != on_timer_signal)
		return 0;
	pthread_sigmask(SIG_UNBLOCK, &set, &before);
	for (batch = 0; batch < 2; batch++) {
		begin = mpxi_timer_cpu_sig();
		for (i = 0; i < COST_BATCH; i++)
			(void)tgkill(getpid(), gettid(), timers->signo);
		ns = mpxi_timer_cpu_sig() - begin;
		least = ns < least ? ns : least;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return least / COST_BATCH;
}

/* Unblock the timers' signal. Return true if it was blocked. */
static bool unblock_timer_signals(const struct mpxi_timers *timers)
{
	const sigset_t set = signals_of(timers);
	sigset_t before;

	pthread_sigmask(SIG_UNBLOCK, &set, &before);
	return sigismember(&before, timers->signo) == 1;
}

bool mpxi_timer_mend(struct mpxi_timer *timer)
{
	const struct mpxi_timer_ops *ops = timer->timers->ops;
	enum mpxi_timer_handler handler;
	bool blocked, gone;

	/* The timer may be closed: a thread that ends closes its timer before it stops its groups. */
	if (mpxi_in_handler || !timer->open)
		return false;
	handler = mpxi_timer_signal_mend(timer->timers);
	timer->starved = handler == MPXI_HANDLER_TAKEN;
	blocked = unblock_timer_signals(timer->timers);
	gone = ops->mend && ops->mend(timer);
	return blocked || gone || handler != MPXI_HANDLER_OURS;
}

/* Undo what the program has done to the signal while the timer was not armed. The message does not use
 * strsignal, which allocates memory, since a signal handler of the program may arm a timer. */
int mpxi_timer_prepare(struct mpxi_timer *timer)
{
	if (mpxi_timer_signal_mend(timer->timers) == MPXI_HANDLER_TAKEN && timer->starved)
		return mpxi_error(MPXI_ECNFLCT,
				  "the program has taken signal %d, which ends time slices: let it use "
				  "another one, or name another one for the slice timer",
				  timer->timers->signo);
	(void)unblock_timer_signals(timer->timers);
	return MPXI_OK;
}

int mpxi_timer_arm(struct mpxi_timer *timer)
{
	int error;

	if (timer->armed)
		return MPXI_OK;
	error = mpxi_in_handler ? MPXI_OK : mpxi_timer_prepare(timer);
	if (error)
		return error;
	error = timer->timers->ops->arm(timer);
	if (!error)
		timer->armed = true;
	return error;
}

void mpxi_timer_disarm(struct mpxi_timer *timer)
{
	if (!timer->armed)
		return;
	timer->timers->ops->disarm(timer);
	timer->armed = false;
}

void mpxi_timers_pause(struct mpxi_timers *timers)
{
	struct mpxi_timer *timer = atomic_load_explicit(&mine, memory_order_relaxed);
	const sigset_t set = signals_of(timers);
	struct mpxi_attached *attached;
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, &set, &before);
	for (attached = timer ? timer->attached : NULL; attached; attached = attached->next)
		attached->hold(attached, true);
	if (timers->ops->kind == MPXI_TIMER_VIRTUAL)
		mpxi_timer_virtual_pause(timer);
	else if (timer && timer->armed)
		timers->ops->disarm(timer);
	drain_thread_signals(timers, &before);
	/* Restore the mask, since the new program inherits it. */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void mpxi_timers_resume(struct mpxi_timers *timers)
{
	struct mpxi_timer *timer = atomic_load_explicit(&mine, memory_order_relaxed);
	struct mpxi_attached *attached;

	for (attached = timer ? timer->attached : NULL; attached; attached = attached->next)
		attached->hold(attached, false);
	if (timers->ops->kind == MPXI_TIMER_VIRTUAL)
		mpxi_timer_virtual_resume(timer);
	else if (timer && timer->armed)
		timers->ops->arm(timer);
}

void mpxi_timer_forget(struct mpxi_timer *timer)
{
	sigset_t set;

	if (!timer->open)
		return;
	timer->timers->ops->forget(timer);
	timer->open = timer->armed = false;
	if (atomic_load_explicit(&mine, memory_order_relaxed) != timer)
		return; /* the timer belongs to a thread that does not exist in this process */
	atomic_store_explicit(&mine, NULL, memory_order_relaxed);
	set = signals_of(timer->timers);
	if (timer->was_blocked)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void mpxi_timers_forget(struct mpxi_timers *timers)
{
	if (!timers)
		return;
	mpxi_timer_signal_forget();
	cost_timed = cost_ns = cost_squares = 0;
	if (timers->ops->kind == MPXI_TIMER_VIRTUAL)
		mpxi_timer_virtual_forget();
	mpxi_timers_destroy(timers);
}
