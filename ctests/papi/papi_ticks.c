/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_ticks - the ends of slices of the component's multiplexed sets, in programs that hinder
 * them: the rules are those of libmpx (mpx_blocked, mpx_stack, mpx_threads). Each case is run by a
 * child, since the component gives each message once. Page faults are the known counts.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "../lib/signal_frame.h"
#include "papi_util.h"

#define SLICE_NS 1000000
enum { EVENTS = 4 };

static const char *const names[EVENTS] = {FAULTS, "upc:::perf::MINOR-FAULTS", "upc:::perf::MAJOR-FAULTS",
					  "upc:::perf::TASK-CLOCK"};
static long long values[EVENTS];
static int said = -1; /* reads a child's standard error */
static int failed;

/* A check in a child: the exit status tells the parent whether one has failed. */
#define check(condition, ...) ((condition) ? (void)0 : (failed++, note(__VA_ARGS__)))

/* ---- sets and work ------------------------------------------------------------------- */

static int multiplexed(int ns)
{
	PAPI_option_t option = {.multiplex = {.ns = ns}};
	int set = PAPI_NULL, i;

	if (PAPI_create_eventset(&set) != PAPI_OK ||
	    PAPI_assign_eventset_component(set, find_component()) != PAPI_OK)
		return PAPI_NULL;
	option.multiplex.eventset = set;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	if (PAPI_set_opt(PAPI_MULTIPLEX, &option) != PAPI_OK)
		return PAPI_NULL;
	for (i = 0; i < EVENTS; i++)
		if (PAPI_add_named_event(set, names[i]) != PAPI_OK)
			return PAPI_NULL;
	return set;
}

static double cpu_slices(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec) / SLICE_NS;
}

/* Works for so many slices of CPU time; returns the page faults. */
static long work_for(double slices)
{
	const double end = cpu_slices() + slices;
	volatile unsigned i;
	long n = 0;

	while (cpu_slices() < end) {
		touch_pages(16);
		n += 16;
		/* Ticks that fall into the kernel are dropped. */
		for (i = 0; i < 100000; i++)
			;
	}
	return n;
}

/* Works until each event has had a slice since now; ten seconds of CPU time at most. */
static int slices_go_on(int set)
{
	const double end = cpu_slices() + 10000;
	int i;

	if (PAPI_reset(set) != PAPI_OK)
		return 0;
	do {
		if (cpu_slices() > end)
			return 0;
		work_for(1);
		if (PAPI_read(set, values) != PAPI_OK)
			return 0;
		for (i = 0; i < EVENTS && values[i] >= 0; i++)
			;
	} while (i < EVENTS);
	return 1;
}

static void block_all(int block)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

/* Returns whether the component has written a message with that part since the last call. A set
 * that runs keeps the component quiet: the caller has stopped it. */
static int is_said(const char *part)
{
	char text[4000];
	ssize_t n = read(said, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return strstr(text, part) != NULL;
}

#define LOST "time slices"

/* Counts the signals that slices may take and that have handlers. */
static int signals_taken(int *first)
{
	int signo, n = 0;

	for (signo = SIGRTMAX; signo >= SIGRTMIN + 6; signo--) {
		struct sigaction now;

		if (sigaction(signo, NULL, &now) || now.sa_handler == SIG_DFL)
			continue;
		n++;
		*first = signo;
	}
	return n;
}

/* ---- cases ----------------------------------------------------------------------------- */

static volatile sig_atomic_t calls;

/* Runs for many slices, in user mode. */
static void spin(int signo)
{
	const double end = cpu_slices() + 40;
	volatile unsigned i;

	while (cpu_slices() < end) {
		for (i = 0; i < 100000; i++)
			;
		calls += signo > 0;
	}
}

/* Returns how many of the events have had a slice during a handler. */
static int counted_in_handler(int set)
{
	int i, n = 0;

	PAPI_reset(set);
	raise(SIGUSR1);
	PAPI_read(set, values);
	for (i = 0; i < EVENTS; i++)
		n += values[i] >= 0;
	return n;
}

/* The handler runs on a stack that leaves that many bytes to a tick; the memory behind the stack is
 * protected. */
static int counted_on_stack(int set, size_t left)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t frame = signal_frame();
	const struct sigaction action = {.sa_handler = spin, .sa_flags = SA_ONSTACK};
	const stack_t none = {.ss_flags = SS_DISABLE};
	const size_t pages = (2 * frame + left + 2 * page - 1) / page;
	stack_t stack = {.ss_size = (pages - 1) * page};
	char *memory;
	int counted;

	memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE))
		bail_out("no memory for a stack");
	stack.ss_sp = memory + page;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	counted = counted_in_handler(set);
	sigaltstack(&none, NULL);
	munmap(memory, pages * page);
	return counted;
}

static void small_stack(void)
{
	int set = multiplexed(SLICE_NS), counted = EVENTS, tries;

	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "slices end");
	/* One slice may end before the handler begins, and one after it. */
	for (tries = 0; tries < 10 && counted == EVENTS; tries++)
		counted = counted_on_stack(set, 4 << 10);
	check(counted < EVENTS, "none ends on a small stack: %d events were counted", counted);
	for (tries = 0; tries < 10 && counted < EVENTS; tries++)
		counted = counted_on_stack(set, 64 << 10);
	check(counted == EVENTS, "but on a large one: %d", counted);
	check(slices_go_on(set), "they go on");
	drop(&set);
}

/* Ticks that have waited come all at once, and end one slice. */
static void blocked_while_it_runs(void)
{
	int set = multiplexed(SLICE_NS);
	long n;

	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "slices end");
	PAPI_stop(set, values);
	check(!is_said(LOST), "none was lost");
	PAPI_start(set);
	n = work_for(40);
	block_all(1);
	n += work_for(500);
	block_all(0);
	n += work_for(200);
	check(PAPI_stop(set, values) == PAPI_OK && values[0] > n / 2 && values[0] < 2 * n,
	      "%lld of %ld faults", values[0], n);
	check(is_said(LOST), "a slice that is far too long is said");
	drop(&set);
}

static void blocked_for_good(void)
{
	int set = multiplexed(SLICE_NS);

	PAPI_start(set);
	work_for(2);
	PAPI_stop(set, values);
	block_all(1);
	check(PAPI_start(set) == PAPI_OK && slices_go_on(set),
	      "slices end in a thread that has blocked all signals before a later start");
	PAPI_stop(set, values);
	check(!is_said(LOST), "none was lost");
	PAPI_start(set);
	block_all(1);
	work_for(10);
	PAPI_read(set, values);
	check(slices_go_on(set), "a read unblocks the signal that was blocked meanwhile");
	PAPI_stop(set, values);
	check(is_said(LOST), "that no tick could come is said");
	block_all(0);
	drop(&set);
}

static void other(int signo)
{
	calls += signo > 0;
}

static void handler_is_taken(void)
{
	const struct sigaction mine = {.sa_handler = other};
	struct sigaction before;
	int set = multiplexed(SLICE_NS), signo = 0;

	check(PAPI_start(set) == PAPI_OK && slices_go_on(set) && signals_taken(&signo) == 1, "slices end");
	sigaction(signo, &mine, &before);
	work_for(10);
	check(PAPI_stop(set, values) == PAPI_OK && is_said(LOST),
	      "the program takes signal %d, and that is said", signo);
	check(PAPI_start(set) == PAPI_ECNFLCT && is_said("signal"), "it starts no more");
	sigaction(signo, &before, NULL);
	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "but when it has given the signal back");
	drop(&set);
}

static void handler_is_reset(void)
{
	int set = multiplexed(SLICE_NS), signo = 0;

	check(PAPI_start(set) == PAPI_OK && slices_go_on(set) && signals_taken(&signo) == 1, "slices end");
	signal(signo, SIG_IGN);
	work_for(10);
	PAPI_read(set, values);
	check(slices_go_on(set), "a read puts the handler back");
	check(PAPI_stop(set, values) == PAPI_OK && is_said(LOST), "that the signal was ignored is said");
	signal(signo, SIG_DFL);
	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "so does a start");
	drop(&set);
}

static volatile int jumps;
static jmp_buf out;

/* Stands in front of the C library's function. The component reads the clock while it holds a set. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (jumps && clock == CLOCK_THREAD_CPUTIME_ID)
		longjmp(out, 1);
	return (int)syscall(SYS_clock_gettime, clock, t);
}

/* Jumps as a signal's handler would, but at a known place. */
static void left_by_a_jump(void)
{
	static int set;

	set = multiplexed(SLICE_NS);
	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "slices end");
	if (!setjmp(out)) {
		jumps = 1;
		PAPI_read(set, values);
		check(0, "a read is left by a jump");
	}
	jumps = 0;
	check(PAPI_read(set, values) == PAPI_EISRUN, "the next read is refused");
	check(PAPI_reset(set) == PAPI_EISRUN, "and a reset");
}

/* Closes the descriptors from 3 on, as daemons do, except `said`. No event can be read from here on,
 * and nothing ends a slice. */
static void descriptors_are_closed(void)
{
	int set = multiplexed(SLICE_NS), i;
	long n;

	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "slices end");
	PAPI_stop(set, values);
	PAPI_start(set);
	n = work_for(100);
	for (i = 3; i < 1024; i++)
		if (i != said)
			close(i);
	n += work_for(400);
	check(PAPI_stop(set, values) == PAPI_ESYS, "descriptors were closed, and that fails once");
	check(PAPI_stop(set, values) == PAPI_OK && values[0] > n / 3 && values[0] < 3 * n,
	      "%lld of %ld faults", values[0], n);
	check(is_said(LOST), "and that slices were lost is said");
}

/* ---- threads --------------------------------------------------------------------------- */

static pthread_key_t key;
static int of_the_thread, goes_on;

/* The program's destructor measures at the thread's end. */
static void last_words(void *arg)
{
	(void)arg;
	goes_on = slices_go_on(of_the_thread) && PAPI_stop(of_the_thread, values) == PAPI_OK;
}

static void *start_and_end(void *arg)
{
	PAPI_register_thread();
	of_the_thread = multiplexed(SLICE_NS);
	pthread_setspecific(key, arg);
	return PAPI_start(of_the_thread) == PAPI_OK && slices_go_on(of_the_thread) ? arg : NULL;
}

static void thread_ends(void)
{
	int set = multiplexed(SLICE_NS);
	pthread_t thread;
	void *good;

	/* The component's own key is there, and comes before later ones. */
	check(PAPI_start(set) == PAPI_OK && slices_go_on(set), "slices end");
	drop(&set);
	pthread_key_create(&key, last_words);
	pthread_create(&thread, NULL, start_and_end, &key);
	pthread_join(thread, &good);
	check(good != NULL, "a thread's set takes turns");
	check(goes_on, "also while destructors of the program's measure at its end");
	check(!is_said(LOST), "none was lost");
}

struct meeting {
	pthread_barrier_t both;
	int ns, good, signals;
};

static void *run_beside(void *arg)
{
	struct meeting *meeting = arg;
	int set, signo;

	PAPI_register_thread();
	set = multiplexed(meeting->ns);
	meeting->good = PAPI_start(set) == PAPI_OK;
	pthread_barrier_wait(&meeting->both);
	meeting->good &= slices_go_on(set);
	meeting->signals = signals_taken(&signo);
	pthread_barrier_wait(&meeting->both);
	drop(&set);
	return NULL;
}

static void one_signal(void)
{
	struct meeting meeting = {.ns = 3 * SLICE_NS};
	int set = multiplexed(SLICE_NS), good;
	pthread_t thread;

	pthread_barrier_init(&meeting.both, NULL, 2);
	pthread_create(&thread, NULL, run_beside, &meeting);
	good = PAPI_start(set) == PAPI_OK;
	pthread_barrier_wait(&meeting.both);
	check(good && slices_go_on(set), "slices end");
	pthread_barrier_wait(&meeting.both);
	pthread_join(thread, NULL);
	check(meeting.good, "also those of another length, in another thread");
	check(meeting.signals == 1, "by one signal: %d", meeting.signals);
	drop(&set);
}

/* ---- children ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"a small alternate stack", small_stack},
	{"signals blocked meanwhile", blocked_while_it_runs},
	{"signals blocked for good", blocked_for_good},
	{"the program's own handler", handler_is_taken},
	{"a handler that was reset", handler_is_reset},
	{"a call that is left by a jump", left_by_a_jump},
	{"descriptors that were closed", descriptors_are_closed},
	{"the end of a thread", thread_ends},
	{"slices of two lengths", one_signal},
};

static void child(unsigned which)
{
	int error[2];

	if (pipe2(error, O_NONBLOCK | O_CLOEXEC))
		bail_out("no pipe");
	said = error[0];
	dup2(error[1], STDERR_FILENO);
	alarm(600);
	start_papi();
	cases[which].run();
	fflush(stdout);
	_exit(failed > 0);
}

int main(void)
{
	unsigned i;
	int status;
	pid_t pid;

	unsetenv("UPC_QUIET");
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		fflush(stdout);
		pid = fork();
		if (pid == 0)
			child(i);
		waitpid(pid, &status, 0);
		ok(WIFEXITED(status) && !WEXITSTATUS(status), "%s: 0x%x", cases[i].name, (unsigned)status);
	}
	return done();
}
