/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_attach - event sets that count in another thread: of a child, and of this process; while it
 * works, after it has been killed, over its exec and its fork, and while the caller has its signals
 * blocked. Truth: the target makes as many page faults as it is told to.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "mpx_util.h"

#define SLICE_NS 1000000
enum { EVENTS = 3, ROUNDS = 1000, PAGES = 16, ALL = ROUNDS * PAGES };

static const char *const names[EVENTS] = {FAULTS, MINOR, "upc:::perf::TASK-CLOCK"};

/* ---- the target ------------------------------------------------------------------------- */

struct target {
	pid_t process, tid;
	int orders, answers;
};

/* In user mode for the most part. */
static void some_work(void)
{
	volatile unsigned i;
	long n;

	for (n = 0; n < ROUNDS; n++) {
		touch_pages(PAGES);
		for (i = 0; i < 200000; i++)
			;
	}
}

static void fork_and_work(void)
{
	pid_t child = fork();

	if (!child) {
		some_work();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void exec_anew(int orders, int answers)
{
	char in[16], out[16];

	snprintf(in, sizeof(in), "%d", orders);
	snprintf(out, sizeof(out), "%d", answers);
	execl("/proc/self/exe", "mpx_attach", "target", in, out, (char *)NULL);
	_exit(1);
}

static void obey(int orders, int answers)
{
	char order;

	while (write(answers, "", 1) == 1 && read(orders, &order, 1) == 1) {
		if (order == 'w')
			some_work();
		else if (order == 'f')
			fork_and_work();
		else if (order == 'e')
			exec_anew(orders, answers);
		else
			break;
	}
}

static void read_fully(int fd)
{
	char answer;

	while (read(fd, &answer, 1) < 0 && errno == EINTR)
		;
}

static void tell(const struct target *target, char order)
{
	if (write(target->orders, &order, 1) != 1)
		note("no order is taken");
}

/* Orders, and waits until it is done. */
static void let(const struct target *target, char order)
{
	tell(target, order);
	read_fully(target->answers);
}

static struct target begin(void)
{
	struct target target;
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		bail_out("no pipes");
	fflush(stdout);
	target.process = fork();
	if (!target.process) {
		close(in[1]);
		close(out[0]);
		obey(in[0], out[1]);
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	target.tid = target.process;
	target.orders = in[1];
	target.answers = out[0];
	read_fully(target.answers);
	return target;
}

static void end(const struct target *target)
{
	close(target->orders);
	close(target->answers);
	while (waitpid(target->process, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- sets ------------------------------------------------------------------------------- */

static int set_of(int n)
{
	int set = PAPI_NULL, i;

	works(mpx_set_create(&set));
	for (i = 0; i < n; i++)
		works(mpx_set_add_named_event(set, names[i]));
	return set;
}

static int is_near_to(double value, long n)
{
	return value > (double)n / 2 && value < 2 * (double)n;
}

static void counts_all(int set, const char *where)
{
	struct mpx_estimate faults = estimate_of(set, 0), minor = estimate_of(set, 1);

	ok(is_near_to(faults.estimate, ALL) && is_near_to(minor.estimate, ALL), "%s: %.0f and %.0f of %d",
	   where, faults.estimate, minor.estimate, (int)ALL);
	ok(faults.low <= faults.estimate && faults.estimate <= faults.high &&
		   faults.count <= (uint64_t)faults.high,
	   "its interval holds it");
	ok(faults.slices > 2 && !(faults.flags & (MPX_EXACT | MPX_ENDED)),
	   "events take turns in its time: %llu slices", (unsigned long long)faults.slices);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void refused(const struct target *target, const struct target *dead)
{
	int set = set_of(1), process = PAPI_NULL;

	refuses(PAPI_ENOEVST, mpx_set_attach(set + 12345, target->tid));
	refuses(PAPI_EINVAL, mpx_set_attach(set, 0));
	refuses(PAPI_EINVAL, mpx_set_attach(set, -1));
	refuses(PAPI_EINVAL, mpx_set_attach(set, (int)syscall(SYS_gettid)));
	refuses(PAPI_EINVAL, mpx_set_attach(set, dead->tid));
	refuses(PAPI_EINVAL, mpx_set_detach(set));
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_attach(set, target->tid));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_attach(set, target->tid));
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_attach(set, target->tid));
	refuses(PAPI_EISRUN, mpx_set_detach(set));
	works(mpx_set_stop(set, NULL));
	refuses(PAPI_ENOSUPP, mpx_set_add_named_event(set, "upc:::process::minflt"));
	works(mpx_set_destroy(&set));
	works(mpx_set_create_process(&process));
	refuses(PAPI_EINVAL, mpx_set_attach(process, target->tid));
	works(mpx_set_destroy(&process));
}

static void one_event(const struct target *target)
{
	int set = set_of(1), own = set_of(1);
	long long value = 0;
	struct mpx_estimate e;

	works(mpx_set_attach(set, target->tid));
	works(mpx_set_start(set));
	works(mpx_set_start(own));
	let(target, 'w');
	works(mpx_set_stop(set, &value));
	e = estimate_of(set, 0);
	ok(about(value, ALL) && e.flags & MPX_EXACT, "an event alone is exact: %lld of %d", value, (int)ALL);
	works(mpx_set_stop(own, &value));
	ok(value < ALL / 2, "a set of the thread's own beside it counts the thread: %lld", value);
	works(mpx_set_destroy(&set));
	works(mpx_set_destroy(&own));
}

/* PAPI's own component for perf events. */
static void of_perf_event(const struct target *target)
{
	int set = set_of(0);
	long long value = 0;

	if (mpx_set_add_named_event(set, "perf::PAGE-FAULTS") == PAPI_OK && !machine_has_pmu()) {
		/* It tries instructions first (PAPI 7.0 to 7.3). */
		refuses(PAPI_ENOSUPP, mpx_set_attach(set, target->tid));
		ok(strstr(mpx_last_message(), "PMU") != NULL, "PAPI's perf_event: %s", mpx_last_message());
		works(mpx_set_start(set));
		some_work();
		works(mpx_set_stop(set, &value));
		ok(about(value, ALL), "the set counts in its own thread still: %lld of %d", value, (int)ALL);
	} else if (mpx_set_num_events(set)) {
		works(mpx_set_attach(set, target->tid));
		works(mpx_set_start(set));
		let(target, 'w');
		works(mpx_set_stop(set, &value));
		ok(about(value, ALL), "PAPI's perf_event counts in a child: %lld of %d", value, (int)ALL);
	} else {
		note("PAPI's perf_event has no page faults: %s", mpx_last_message());
	}
	works(mpx_set_destroy(&set));
}

static void many_events(const struct target *target, const struct target *other)
{
	int set = set_of(EVENTS), n = EVENTS, codes[EVENTS] = {0}, later[EVENTS] = {0};
	const double holds[2] = {1, -1};
	struct mpx_ratio ratio = MPX_OPTIONS_INIT(mpx_ratio);
	long long value[EVENTS];

	works(mpx_set_list_events(set, codes, &n));
	works(mpx_set_add_ratio(set, codes[1], codes[0]));
	works(mpx_set_add_relation(set, codes, holds, 2));
	works(mpx_set_attach(set, target->tid));
	works(mpx_set_list_events(set, later, &n));
	ok(n == EVENTS && !memcmp(codes, later, sizeof(codes)), "a set keeps its events");
	works(mpx_set_start(set));
	let(target, 'w');
	works(mpx_set_read(set, value));
	works(mpx_set_stop(set, NULL));
	counts_all(set, "a child");
	works(mpx_set_ratios(set, &ratio, 1));
	ok(ratio.value > 0.5 && ratio.value < 2, "ratios go with the set: %.3f", ratio.value);
	works(mpx_set_clear_relations(set));
	works(mpx_set_remove_ratio(set, codes[1], codes[0]));
	works(mpx_set_attach(set, other->tid));
	works(mpx_set_start(set));
	let(other, 'w');
	works(mpx_set_stop(set, NULL));
	counts_all(set, "another one");
	works(mpx_set_detach(set));
	works(mpx_set_start(set));
	let(other, 'w');
	some_work();
	works(mpx_set_stop(set, NULL));
	counts_all(set, "the thread itself, after a detach");
	works(mpx_set_destroy(&set));
}

/* Takes them. */
static int signals_that_wait(void)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	const struct timespec now = {0, 0};
	sigset_t set;
	int n = 0;

	works(mpx_library_get_info(&info));
	sigemptyset(&set);
	sigaddset(&set, info.signal_number);
	while (sigtimedwait(&set, NULL, &now) >= 0)
		n++;
	return n;
}

static uint64_t all_slices(int set)
{
	uint64_t slices = 0;
	int i;

	for (i = 0; i < EVENTS; i++)
		slices += estimate_of(set, i).slices;
	return slices;
}

/* Hardly a signal waits, however long the caller blocks it; a read mends that, and that one was
 * taken away. */
static void blocked(const struct target *target)
{
	int set = set_of(EVENTS);
	sigset_t all, before;
	int waited;
	uint64_t slices;
	long long value[EVENTS];

	works(mpx_set_attach(set, target->tid));
	works(mpx_set_start(set));
	let(target, 'w');
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	let(target, 'w');
	waited = signals_that_wait();
	ok(waited <= 2, "signals do not pile up: %d", waited);
	works(mpx_set_read(set, value));
	ok(is_near_to(estimate_of(set, 0).estimate, 2 * ALL) || estimate_of(set, 0).flags & MPX_LOST,
	   "what was late is counted, or told");
	slices = all_slices(set);
	let(target, 'w');
	works(mpx_set_stop(set, value));
	sigprocmask(SIG_SETMASK, &before, NULL);
	ok(all_slices(set) > slices + 2, "slices end again: %llu, %llu before",
	   (unsigned long long)all_slices(set), (unsigned long long)slices);
	works(mpx_set_destroy(&set));
}

static volatile int is_late; /* the next start of a slice returns when the slice has ended */
static volatile unsigned starts, late_starts;

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	const struct timespec moment = {0, SLICE_NS};
	unsigned before, moments;
	va_list args;
	int result;

	va_start(args, request);
	result = (int)syscall(SYS_ioctl, fd, request, va_arg(args, void *));
	va_end(args);
	if (request != PERF_EVENT_IOC_REFRESH)
		return result;
	before = ++starts;
	if (is_late) {
		is_late = 0;
		for (moments = 0; starts == before && moments < 2000; moments++)
			(void)nanosleep(&moment, NULL);
		late_starts = starts - before;
	}
	return result;
}

/* The target runs on another CPU, and this thread may wait for its own. */
static void late_start(const struct target *target)
{
	int set = set_of(EVENTS);

	works(mpx_set_attach(set, target->tid));
	tell(target, 'w');
	is_late = 1;
	works(mpx_set_start(set));
	read_fully(target->answers);
	ok(late_starts, "a slice ends before its start has returned, and the next one begins");
	works(mpx_set_stop(set, NULL));
	ok(all_slices(set) > 10, "... and others after it: %llu", (unsigned long long)all_slices(set));
	works(mpx_set_destroy(&set));
}

static void exec_and_fork(const struct target *target)
{
	int set = set_of(1);
	long long first = 0, second = 0, third = 0;

	works(mpx_set_attach(set, target->tid));
	works(mpx_set_start(set));
	let(target, 'e');
	works(mpx_set_read(set, &first));
	let(target, 'w');
	works(mpx_set_read(set, &second));
	ok(second - first >= ALL && second - first < 2 * ALL, "after an exec it is counted: %lld",
	   second - first);
	let(target, 'f');
	works(mpx_set_stop(set, &third));
	ok(third - second < ALL / 2, "what it has forked is not: %lld", third - second);
	works(mpx_set_destroy(&set));
}

static void killed(const struct target *target)
{
	int set = set_of(EVENTS), event = PAPI_NULL;
	struct timespec moment = {.tv_nsec = 1000000};
	struct mpx_estimate e;
	long long value[EVENTS];

	works(mpx_set_attach(set, target->tid));
	works(mpx_set_start(set));
	let(target, 'w');
	tell(target, 'w');
	kill(target->process, SIGKILL);
	end(target);
	do {
		e = estimate_of(set, 0);
		nanosleep(&moment, NULL);
	} while (!(e.flags & MPX_ENDED) && moment.tv_nsec++ < 1010000);
	ok(e.flags & MPX_ENDED, "a set says that its thread has ended");
	works(mpx_set_read(set, value));
	ok(e.estimate > ALL / 2. && e.estimate < 3. * ALL, "and has what was counted until then: %.0f",
	   e.estimate);
	works(mpx_set_stop(set, value));
	ok(estimate_of(set, 0).flags & MPX_ENDED, "also when it is stopped");
	refuses(PAPI_ESYS, mpx_set_start(set));
	PAPI_event_name_to_code("upc:::perf::MAJOR-FAULTS", &event);
	refuses(PAPI_ESYS, mpx_set_add_event(set, event));
	refuses(PAPI_EINVAL, mpx_set_attach(set, target->tid));
	works(mpx_set_detach(set));
	works(mpx_set_start(set));
	some_work();
	works(mpx_set_stop(set, value));
	counts_all(set, "the thread itself, when the other one was killed");
	works(mpx_set_destroy(&set));
}

/* ---- a thread of the process ------------------------------------------------------------- */

struct sibling {
	struct target target;
	int orders, answers;
	bool registers;
};

static void *sibling(void *argument)
{
	struct sibling *s = argument;

	s->target.tid = (pid_t)syscall(SYS_gettid);
	if (s->registers)
		(void)mpx_thread_register();
	obey(s->orders, s->answers);
	return NULL;
}

/* The set outlives the thread, which PAPI knew before. */
static void of_process(bool registers)
{
	struct sibling s = {.registers = registers};
	int in[2], out[2], set = set_of(EVENTS);
	long long value[EVENTS];
	pthread_t thread;

	if (pipe(in) || pipe(out))
		bail_out("no pipes");
	s.orders = in[0];
	s.answers = out[1];
	s.target.orders = in[1];
	s.target.answers = out[0];
	pthread_create(&thread, NULL, sibling, &s);
	read_fully(s.target.answers);
	works(mpx_set_attach(set, s.target.tid));
	works(mpx_set_start(set));
	let(&s.target, 'w');
	works(mpx_set_stop(set, NULL));
	counts_all(set, "a thread of the process");
	works(mpx_set_start(set));
	tell(&s.target, 'q');
	pthread_join(thread, NULL);
	works(mpx_set_read(set, value));
	works(mpx_set_stop(set, value));
	works(mpx_set_detach(set));
	works(mpx_set_destroy(&set));
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
}

int main(int argc, char **argv)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	struct target target, other, dead;

	if (argc == 4) {
		obey(atoi(argv[2]), atoi(argv[3]));
		return 0;
	}
	target = begin();
	other = begin();
	dead = begin();
	end(&dead);
	start_papi();
	options.slice_ns = SLICE_NS;
	options.group_max = 1;
	options.clock = MPX_CLOCK_CPU;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	refused(&target, &dead);
	one_event(&target);
	of_perf_event(&target);
	many_events(&target, &other);
	blocked(&target);
	late_start(&target);
	exec_and_fork(&target);
	of_process(false);
	of_process(true);
	killed(&target);
	end(&other);
	works(mpx_library_shutdown());
	return done();
}
