/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_cost.c - costs of libmpx, each compared with a floor that is measured in the same run:
 * - the end of a slice: a signal that a thread sends itself, whose handler switches groups. The floor is a
 *   handler that stops, reads and starts bare perf groups.
 * - a read of a set of 4 to 64 events. The floor is a clock read and one read of a group of four events,
 * through PAPI and bare.
 * - an entry and an exit of a region. The floor is two reads of the same events through PAPI.
 * - a program's CPU time with slices: mpx_cost_program.c.
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
#include <time.h>
#include <unistd.h>

#include "mpx_cost.h"
#include "tracefs.h"

enum { MOST = 64, NEVER = 1000000000, SIGNALS = 4000 };

static const char *const call[] = {
	"getuid", "geteuid", "getgid", "getegid",     "getppid", "getpgid",  "getsid",      "umask",
	"times",  "getcpu",  "lseek",  "dup",         "chdir",   "mkdir",    "rmdir",       "link",
	"unlink", "symlink", "chmod",  "chown",       "sync",    "truncate", "getcwd",      "rename",
	"access", "pause",   "alarm",  "getpriority", "sysinfo", "newuname", "sethostname", "flock",
};
_Static_assert(sizeof(call) / sizeof(call[0]) == MOST / 2, "an enter and an exit each");

void check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "mpx_cost: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

void need(bool have, const char *what)
{
	if (have)
		return;
	perror(what);
	exit(1);
}

static void name_of(char *name, size_t size, const char *before, unsigned i, const char *between)
{
	snprintf(name, size, "%ssyscalls%ssys_%s_%s", before, between, i % 2 ? "exit" : "enter", call[i / 2]);
}

/* ---- the bare floor -------------------------------------------------------------------- */

/* Two groups of tracepoints that are never enabled at the same time. */
static int leader[2];

int open_perf(struct perf_event_attr *attr, int group)
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
		struct perf_event_attr attr = {
			.type = PERF_TYPE_TRACEPOINT, .read_format = PERF_FORMAT_GROUP, .disabled = head < 0};
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

volatile sig_atomic_t ticks;

void raw_switch_sig(int number)
{
	static volatile sig_atomic_t current;

	(void)number;
	ticks++;
	ioctl(leader[current], PERF_EVENT_IOC_DISABLE, 0);
	raw_read_sig(leader[current]);
	current = !current;
	ioctl(leader[current], PERF_EVENT_IOC_ENABLE, 0);
}

void raw_stop(void)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		ioctl(leader[i], PERF_EVENT_IOC_DISABLE, 0);
}

void empty_sig(int number)
{
	(void)number;
	ticks++;
}

void handle(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigfillset(&action.sa_mask);
	need(!sigaction(number, &action, NULL), "sigaction");
}

/* ---- libmpx -------------------------------------------------------------------------- */

static int set;

/* Clear the unused stack. If libmpx's handler finds an address of PAPI's code on the stack, it unwinds the
 * stack, even if a finished call left the address. The handler must find only addresses that this benchmark
 * stores. */
void scrub_stack(void)
{
	volatile char left_over[64 << 10];
	size_t i;

	for (i = 0; i < sizeof(left_over); i++)
		left_over[i] = 0;
}

void start_mpx(uint64_t slice_ns, unsigned events)
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

void end_mpx(void)
{
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
	check(mpx_library_shutdown(), "mpx_library_shutdown");
}

/* ---- the end of a slice ---------------------------------------------------------------- */

static time_t leap, leapt; /* seconds */

/*
 * Interpose the C library's clock_gettime. A tick ends a slice only after half a slice of CPU time. The
 * handler reads the clock as always, and this function makes that time seem to have passed.
 */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *t)
{
	int error = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_THREAD_CPUTIME_ID) {
		leapt += leap;
		t->tv_sec += leapt;
	}
	return error;
}

/* Send calls signals to this thread. Each subject stops its groups afterwards: starting a perf group is
 * slower while another group runs. */
static void send(const int *number, unsigned calls)
{
	long pid = getpid(), tid = syscall(SYS_gettid);

	while (calls--)
		syscall(SYS_tgkill, pid, tid, *number);
}

static void send_bare(void *number, unsigned calls)
{
	send(number, calls);
	raw_stop();
}

static void send_mpx(void *number, unsigned calls)
{
	check(mpx_set_start(set), "mpx_set_start");
	scrub_stack();
	send(number, calls);
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
}

static void send_from_walked_stack(void *number, unsigned calls)
{
	volatile uintptr_t left_over;

	check(mpx_set_start(set), "mpx_set_start");
	left_over = (uintptr_t)PAPI_read + 1;
	send(number, calls);
	(void)left_over;
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
}

static void slice_ends(void)
{
	int mpx, raw = SIGRTMIN + 1, empty = SIGRTMIN + 2;
	struct bench_subject subject[] = {{send_mpx, &mpx, 0},
					  {send_bare, &raw, 0},
					  {send_bare, &empty, 0},
					  {send_from_walked_stack, &mpx, 0}};
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;

	handle(raw, raw_switch_sig);
	handle(empty, empty_sig);
	start_mpx(NEVER, 4 * GROUP);
	check(mpx_library_get_info(&info), "mpx_library_get_info");
	mpx = info.signal_number;
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_thread_get_info(&before), "mpx_thread_get_info");
	leap = NEVER / 1000000000;
	bench_in_turn(subject, 4, SIGNALS);
	leap = 0;
	check(mpx_thread_get_info(&after), "mpx_thread_get_info");
	check(mpx_set_start(set), "mpx_set_start");
	end_mpx();
	/* Each signal must have ended a slice. */
	need(after.slices - before.slices >= 2 * SIGNALS * (BENCH_SAMPLES + 1), "slices");
	bench_print("mpx_slice_end", subject[0].median, "ns");
	bench_print("mpx_slice_end_floor", subject[1].median, "ns");
	bench_print("mpx_signal", subject[2].median, "ns");
	bench_ratio("mpx_slice_end_to_floor", subject[0].median / subject[1].median);
	bench_ratio("mpx_slice_end_walked_to_floor", subject[3].median / subject[1].median);
}

/* ---- a read --------------------------------------------------------------------------- */

static void read_set(void *arg, unsigned calls)
{
	long long value[MOST];

	(void)arg;
	while (calls--)
		check(mpx_set_read(set, value), "mpx_set_read");
}

/* Start a PAPI set of the first four events. Return its id. */
static int start_papi(void)
{
	int papi = PAPI_NULL, i, component;
	char name[PAPI_MAX_STR_LEN];

	component = PAPI_get_component_index("upc");
	check(PAPI_create_eventset(&papi), "PAPI_create_eventset");
	check(PAPI_assign_eventset_component(papi, component), "PAPI_assign_eventset_component");
	/* Attach the set, which makes it independent of libmpx's running sets. */
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
	ioctl(leader[0], PERF_EVENT_IOC_ENABLE, 0);
	while (calls--) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		raw_read_sig(leader[0]);
	}
	raw_stop();
}

static void reads(void)
{
	static const unsigned events[] = {GROUP, 16, MOST};
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	unsigned i, k;
	int number, papi;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct bench_subject subject[] = {
			{read_set, NULL, 0}, {read_papi, &papi, 0}, {read_raw, NULL, 0}};
		static const char *const above[] = {"papi", "raw"};
		char line[64];

		start_mpx(NEVER, events[i]);
		papi = start_papi();
		check(mpx_library_get_info(&info), "mpx_library_get_info");
		number = info.signal_number;
		/* Give each event some slices. */
		send(&number, MOST);
		bench_in_turn(subject, 3, 100);
		check(PAPI_stop(papi, NULL), "PAPI_stop");
		check(PAPI_cleanup_eventset(papi), "PAPI_cleanup_eventset");
		check(PAPI_destroy_eventset(&papi), "PAPI_destroy_eventset");
		end_mpx();
		snprintf(line, sizeof(line), "mpx_read_%u", events[i]);
		bench_print(line, subject[0].median, "ns");
		for (k = 1; k <= 2; k++) {
			snprintf(line, sizeof(line), "mpx_read_%u_above_%s", events[i], above[k - 1]);
			bench_print(line, (subject[0].median - subject[k].median) / events[i], "ns/event");
		}
	}
}

/* ---- an entry and an exit ----------------------------------------------------------------- */

static void enter_and_exit(void *arg, unsigned calls)
{
	(void)arg;
	while (calls--) {
		check(mpx_set_switch_region(set, 1 + (int)(calls % 8)), "mpx_set_switch_region");
		check(mpx_set_switch_region(set, 0), "mpx_set_switch_region");
	}
}

static void read_papi_twice(void *arg, unsigned calls)
{
	long long value[GROUP];

	while (calls--) {
		check(PAPI_read(*(int *)arg, value), "PAPI_read");
		check(PAPI_read(*(int *)arg, value), "PAPI_read");
	}
}

/* Measure regions with events that fit into one group, so they are not multiplexed. */
static void regions(void)
{
	static const char *const name[GROUP] = {"upc:::perf::PAGE-FAULTS", "upc:::perf::MINOR-FAULTS",
						"upc:::perf::MAJOR-FAULTS", "upc:::perf::CPU-CLOCK"};
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int papi = PAPI_NULL, i;
	struct bench_subject subject[] = {{enter_and_exit, NULL, 0}, {read_papi_twice, &papi, 0}};

	check(mpx_library_init(MPX_ABI_VERSION, &options), "mpx_library_init");
	check(mpx_set_create(&set), "mpx_set_create");
	check(PAPI_create_eventset(&papi), "PAPI_create_eventset");
	check(PAPI_assign_eventset_component(papi, PAPI_get_component_index("upc")),
	      "PAPI_assign_eventset_component");
	check(PAPI_attach(papi, (unsigned long)syscall(SYS_gettid)), "PAPI_attach");
	for (i = 0; i < GROUP; i++) {
		check(mpx_set_add_named_event(set, name[i]), name[i]);
		check(PAPI_add_named_event(papi, name[i]), name[i]);
	}
	check(PAPI_start(papi), "PAPI_start");
	check(mpx_set_start(set), "mpx_set_start");
	bench_in_turn(subject, 2, 100);
	check(PAPI_stop(papi, NULL), "PAPI_stop");
	check(PAPI_cleanup_eventset(papi), "PAPI_cleanup_eventset");
	check(PAPI_destroy_eventset(&papi), "PAPI_destroy_eventset");
	end_mpx();
	bench_print("mpx_region_entry_and_exit", subject[0].median, "ns");
	bench_print("mpx_region_above_two_reads", subject[0].median - subject[1].median, "ns");
}

int main(void)
{
	regions();
	bench_need_tracepoints("mpx_cost");
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
