/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cost.c - what libmpx costs, each beside a floor of the same run:
 * - the end of a slice: a signal that a thread sends itself, whose handler switches
 *   groups, beside one whose handler stops, reads and starts bare perf groups;
 * - a program's CPU time with slices, beside the same timer with an empty handler;
 * - a read of a set of 4 to 64 events, beside the clock and one read of a group of
 *   four, by PAPI and bare.
 *
 * The events are system calls that the program does not make, in groups of four.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "mpx.h"

enum { GROUP = 4, MOST = 64, ROUNDS = 31, NEVER = 1000000000 };

static const char *const call[] = {
	"getuid", "geteuid", "getgid", "getegid", "getppid", "getpgid", "getsid", "umask",
	"times", "getcpu", "lseek", "dup", "chdir", "mkdir", "rmdir", "link", "unlink", "symlink",
	"chmod", "chown", "sync", "truncate", "getcwd", "rename", "access", "pause", "alarm",
	"getpriority", "sysinfo", "newuname", "sethostname", "flock",
};
_Static_assert(sizeof(call) / sizeof(call[0]) == MOST / 2, "an enter and an exit each");

static void check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "mpx_cost: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

static void need(bool have, const char *what)
{
	if (have)
		return;
	perror(what);
	exit(1);
}

static void name_of(char *name, size_t size, const char *before, unsigned i, const char *between)
{
	snprintf(name, size, "%ssyscalls%ssys_%s_%s", before, between, i % 2 ? "exit" : "enter",
		 call[i / 2]);
}

/* ---- the bare floor -------------------------------------------------------------------- */

/* Two groups of tracepoints that are never open at once. */
static int leader[2];

static int open_perf(struct perf_event_attr *attr, int group)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
	need(fd >= 0, "perf_event_open");
	return fd;
}

static int open_group(unsigned first)
{
	unsigned long long id;
	unsigned i;
	int head = -1, fd;

	for (i = first; i < first + GROUP; i++) {
		struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
					       .read_format = PERF_FORMAT_GROUP,
					       .disabled = head < 0};
		char path[128], name[64];
		FILE *file;

		name_of(name, sizeof(name), "", i, "/");
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
		file = fopen(path, "re");
		need(file && fscanf(file, "%llu", &id) == 1, path);
		fclose(file);
		attr.config = id;
		fd = open_perf(&attr, head);
		if (head < 0)
			head = fd;
	}
	return head;
}

static void raw_read_sig(int fd)
{
	uint64_t buffer[GROUP + 1];

	if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
		abort();
}

static volatile sig_atomic_t ticks;

static void raw_switch_sig(int number)
{
	static volatile sig_atomic_t current;

	(void)number;
	ticks++;
	ioctl(leader[current], PERF_EVENT_IOC_DISABLE, 0);
	raw_read_sig(leader[current]);
	current = !current;
	ioctl(leader[current], PERF_EVENT_IOC_ENABLE, 0);
}

static void empty_sig(int number)
{
	(void)number;
	ticks++;
}

static void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigfillset(&action.sa_mask);
	need(!sigaction(number, &action, NULL), "sigaction");
}

/* ---- libmpx -------------------------------------------------------------------------- */

static int set;

/* A handler that finds an address of PAPI's on the stack walks it, also where the word is
 * left over from a call that is over. Here it is to find none but those we put there. */
static __attribute__((noinline)) void scrub_stack(void)
{
	volatile char left_over[64 << 10];
	size_t i;

	for (i = 0; i < sizeof(left_over); i++)
		left_over[i] = 0;
}

static void start_mpx(uint64_t slice_ns, unsigned events)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	char name[PAPI_MAX_STR_LEN];
	unsigned i;

	options.slice_ns = slice_ns;
	options.group_max = GROUP;
	options.timer = MPX_TIMER_TASK_CLOCK;
	check(mpx_library_init(MPX_ABI_VERSION, &options), "mpx_library_init");
	check(mpx_set_create(&set), "mpx_set_create");
	for (i = 0; i < events; i++) {
		name_of(name, sizeof(name), "upc:::tp::", i, ":");
		check(mpx_set_add_named_event(set, name), name);
	}
	check(mpx_set_start(set), "mpx_set_start");
	scrub_stack();
}

static void end_mpx(void)
{
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
	check(mpx_library_shutdown(), "mpx_library_shutdown");
}

/* ---- the end of a slice ---------------------------------------------------------------- */

static void send(void *arg, unsigned calls)
{
	int number = *(int *)arg;
	long pid = getpid(), tid = syscall(SYS_gettid);

	while (calls--)
		syscall(SYS_tgkill, pid, tid, number);
}

static void send_from_walked_stack(void *arg, unsigned calls)
{
	volatile uintptr_t left_over = (uintptr_t)PAPI_read + 1;

	send(arg, calls);
	(void)left_over;
}

static void slice_ends(void)
{
	int mpx, raw = SIGRTMIN + 1, empty = SIGRTMIN + 2;
	struct bench_subject subject[] = {{send, &mpx, 0},
					  {send, &raw, 0},
					  {send, &empty, 0},
					  {send_from_walked_stack, &mpx, 0}};
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;

	handle(raw, raw_switch_sig);
	handle(empty, empty_sig);
	start_mpx(NEVER, 4 * GROUP);
	check(mpx_library_get_info(&info), "mpx_library_get_info");
	mpx = info.signal_number;
	check(mpx_thread_get_info(&before), "mpx_thread_get_info");
	bench_in_turn(subject, 4, 100);
	check(mpx_thread_get_info(&after), "mpx_thread_get_info");
	end_mpx();
	/* That each signal was the end of a slice. */
	need(after.slices - before.slices >= 2 * 100 * (BENCH_SAMPLES + 1), "slices");
	bench_print("mpx_slice_end", subject[0].median, "ns");
	bench_print("mpx_slice_end_floor", subject[1].median, "ns");
	bench_print("mpx_signal", subject[2].median, "ns");
	bench_ratio("mpx_slice_end_to_floor", subject[0].median / subject[1].median);
	bench_ratio("mpx_slice_end_walked_to_floor", subject[3].median / subject[1].median);
}

/* ---- a program with slices --------------------------------------------------------------- */

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* CPU time of a piece of work that no event comes in. */
static double work(uint64_t ns)
{
	volatile uint64_t sink = 1;
	double start = cpu_ns();
	uint64_t i;

	/* About half a ns each. */
	for (i = 0; i < 2 * ns; i++)
		sink = sink * 5 + 1;
	return cpu_ns() - start;
}

static int open_timer(uint64_t slice_ns, int number)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = slice_ns,
				       .wakeup_events = 1,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
	int fd = open_perf(&attr, -1);

	need(!fcntl(fd, F_SETSIG, number) && !fcntl(fd, F_SETOWN_EX, &owner) &&
		     !fcntl(fd, F_SETFL, O_RDWR | O_ASYNC),
	     "a signal of a perf event");
	return fd;
}

/* The work under a timer with this handler. */
static double with_timer(uint64_t slice_ns, void (*handler)(int), uint64_t length)
{
	int number = SIGRTMIN + 2, timer;
	double ns;

	ticks = 0;
	handle(number, handler);
	timer = open_timer(slice_ns, number);
	ioctl(timer, PERF_EVENT_IOC_ENABLE, 0);
	ns = work(length);
	ioctl(timer, PERF_EVENT_IOC_DISABLE, 0);
	close(timer);
	need(ticks >= 5, "a timer's signals");
	return ns;
}

/* The work under libmpx; *part is how much of it was in switches, in percent. */
static double with_mpx(uint64_t slice_ns, uint64_t length, double *part)
{
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;
	double ns;

	start_mpx(slice_ns, 4 * GROUP);
	check(mpx_thread_get_info(&before), "mpx_thread_get_info");
	ns = work(length);
	check(mpx_thread_get_info(&after), "mpx_thread_get_info");
	end_mpx();
	*part = 100 * (1 - (double)(after.time - before.time) / ns);
	return ns;
}

static double least(double a, double b)
{
	return a && a < b ? a : b;
}

/*
 * Work of 20 slices: with nothing, with the timer alone, with bare groups, with libmpx; in
 * turn. The least CPU time of each is taken: noise of a machine that is shared is a
 * hundred times what is looked for, and only ever adds.
 */
static void program(uint64_t slice_ns, const char *name)
{
	enum { BARE, EMPTY, RAW, MPX, CASES };
	static const char *const what[CASES] = {"", "empty_handler", "bare_switch", "slices"};
	static double part[ROUNDS];
	double ns[CASES] = {0}, cost[CASES];
	uint64_t length = 20 * slice_ns;
	char line[64];
	unsigned i, k;

	for (i = 0; i < ROUNDS; i++) {
		ns[BARE] = least(ns[BARE], work(length));
		ns[EMPTY] = least(ns[EMPTY], with_timer(slice_ns, empty_sig, length));
		ns[RAW] = least(ns[RAW], with_timer(slice_ns, raw_switch_sig, length));
		ns[MPX] = least(ns[MPX], with_mpx(slice_ns, length, &part[i]));
	}
	for (k = EMPTY; k < CASES; k++) {
		cost[k] = 100 * (ns[k] / ns[BARE] - 1);
		snprintf(line, sizeof(line), "mpx_%s_%s", name, what[k]);
		bench_print(line, cost[k], "%");
	}
	snprintf(line, sizeof(line), "mpx_%s_in_switches", name);
	bench_print(line, bench_median(part, ROUNDS), "%");
	snprintf(line, sizeof(line), "mpx_%s_program_to_empty_handler", name);
	bench_ratio(line, ns[MPX] / ns[EMPTY]);
	snprintf(line, sizeof(line), "mpx_%s_cost_to_empty_handler", name);
	bench_ratio(line, cost[MPX] / cost[EMPTY]);
	snprintf(line, sizeof(line), "mpx_%s_cost_to_bare_switch", name);
	bench_ratio(line, cost[MPX] / cost[RAW]);
}

/* ---- a read --------------------------------------------------------------------------- */

static void read_set(void *arg, unsigned calls)
{
	long long value[MOST];

	(void)arg;
	while (calls--)
		check(mpx_set_read(set, value), "mpx_set_read");
}

/* A group of the same events in PAPI alone. */
static int start_papi(void)
{
	int papi = PAPI_NULL, i, component;
	char name[PAPI_MAX_STR_LEN];

	component = PAPI_get_component_index("upc");
	check(PAPI_create_eventset(&papi), "PAPI_create_eventset");
	check(PAPI_assign_eventset_component(papi, component), "PAPI_assign_eventset_component");
	/* In a context of its own, beside those of libmpx. */
	check(PAPI_attach(papi, (unsigned long)syscall(SYS_gettid)), "PAPI_attach");
	for (i = 0; i < GROUP; i++) {
		name_of(name, sizeof(name), "upc:::tp::", (unsigned)i, ":");
		check(PAPI_add_named_event(papi, name), name);
	}
	check(PAPI_start(papi), "PAPI_start");
	return papi;
}

static void read_papi(void *arg, unsigned calls)
{
	long long value[GROUP];
	struct timespec t;

	while (calls--) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		check(PAPI_read(*(int *)arg, value), "PAPI_read");
	}
}

static void read_raw(void *arg, unsigned calls)
{
	struct timespec t;

	(void)arg;
	while (calls--) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		raw_read_sig(leader[0]);
	}
}

static void reads(void)
{
	static const unsigned events[] = {GROUP, 16, MOST};
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	unsigned i, k;
	int number, papi;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct bench_subject subject[] = {{read_set, NULL, 0}, {read_papi, &papi, 0},
						  {read_raw, NULL, 0}};
		static const char *const above[] = {"papi", "raw"};
		char line[64];

		start_mpx(NEVER, events[i]);
		papi = start_papi();
		check(mpx_library_get_info(&info), "mpx_library_get_info");
		number = info.signal_number;
		/* Each event has had slices. */
		send(&number, MOST);
		bench_in_turn(subject, 3, 100);
		check(PAPI_stop(papi, NULL), "PAPI_stop");
		check(PAPI_cleanup_eventset(papi), "PAPI_cleanup_eventset");
		check(PAPI_destroy_eventset(&papi), "PAPI_destroy_eventset");
		end_mpx();
		snprintf(line, sizeof(line), "mpx_read_%u", events[i]);
		bench_print(line, subject[0].median, "ns");
		for (k = 1; k <= 2; k++) {
			snprintf(line, sizeof(line), "mpx_read_%u_above_%s", events[i],
				 above[k - 1]);
			bench_print(line, (subject[0].median - subject[k].median) / events[i],
				    "ns/event");
		}
	}
}

int main(void)
{
	leader[0] = open_group(0);
	leader[1] = open_group(GROUP);
	slice_ends();
	scrub_stack();
	reads();
	scrub_stack();
	program(1000000, "1ms");
	program(10000000, "10ms");
	return 0;
}
