/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_rig_cost - cost of a time slice on a hardware PMU. Compares libmpx with alternating two event sets in
 * PAPI, with perf's disable, read and enable, and with an empty handler of the same timer. In the emulated
 * machine (scripts/pmu/pmu-shell), a nanosecond is an instruction.
 */
#include <errno.h>
#include <fcntl.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>

#include "../ctests/pmu/pmu_util.h"
#include "bench.h"
#include "mpx.h"

/* Both groups use six counters: five events and the cycle counter. */
#define MEMBERS 6
static const char *const name[2][MEMBERS] = {
	{"PAPI_TOT_CYC", "perf::INSTRUCTIONS", "perf::INSTRUCTIONS:u", "perf::INSTRUCTIONS:u=1",
	 "perf::PERF_COUNT_HW_INSTRUCTIONS", "perf::PERF_COUNT_HW_INSTRUCTIONS:u"},
	{"PAPI_TOT_CYC", "perf_raw::r8", "perf_raw::r8:u", "perf_raw::r8:u=1", "perf_raw::r0008",
	 "perf_raw::r0008:u"},
};
#define SLICES 400

static void check(int error, const char *what)
{
	if (error) {
		fprintf(stderr, "%s: %s\n", what, PAPI_strerror(error));
		exit(1);
	}
}

static void check_mpx(int error)
{
	if (error) {
		fprintf(stderr, "%s\n", mpx_last_message());
		exit(1);
	}
}

/* ---- two groups in turn ------------------------------------------------------------- */

static int group[2][MEMBERS];
static int papi_set[2];
static unsigned turn;

static void open_groups(void)
{
	unsigned g, i;

	for (g = 0; g < 2; g++)
		for (i = 0; i < MEMBERS; i++) {
			struct perf_event_attr attr = {
				.size = sizeof(attr),
				.type = PERF_TYPE_HARDWARE,
				.config = i ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES,
				.disabled = !i,
				.exclude_kernel = 1,
				.read_format = PERF_FORMAT_GROUP,
			};

			group[g][i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, i ? group[g][0] : -1,
						   PERF_FLAG_FD_CLOEXEC);
			if (group[g][i] < 0) {
				perror("perf_event_open");
				exit(77);
			}
		}
	ioctl(group[turn][0], PERF_EVENT_IOC_ENABLE, 0);
}

static void close_groups(void)
{
	unsigned g, i;

	for (g = 0; g < 2; g++)
		for (i = 0; i < MEMBERS; i++)
			close(group[g][i]);
}

static void read_group(void *unused, unsigned calls)
{
	uint64_t got[1 + MEMBERS];
	struct timespec now;

	(void)unused;
	for (; calls; calls--) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (read(group[turn][0], got, sizeof(got)) < 0)
			perror("read");
	}
}

static void perf_turns(void *unused, unsigned calls)
{
	uint64_t got[1 + MEMBERS];

	(void)unused;
	for (; calls; calls--, turn ^= 1) {
		if (read(group[turn][0], got, sizeof(got)) < 0)
			perror("read");
		ioctl(group[turn][0], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(group[turn ^ 1][0], PERF_EVENT_IOC_ENABLE, 0);
	}
}

static void open_papi(void)
{
	unsigned g, i;

	for (g = 0; g < 2; g++) {
		papi_set[g] = PAPI_NULL;
		check(PAPI_create_eventset(&papi_set[g]), "PAPI_create_eventset");
		for (i = 0; i < MEMBERS; i++)
			check(PAPI_add_named_event(papi_set[g], name[g][i]), name[g][i]);
	}
	check(PAPI_start(papi_set[turn]), "PAPI_start");
}

static void close_papi(void)
{
	long long value[MEMBERS];
	unsigned g;

	check(PAPI_stop(papi_set[turn], value), "PAPI_stop");
	for (g = 0; g < 2; g++) {
		check(PAPI_cleanup_eventset(papi_set[g]), "PAPI_cleanup_eventset");
		check(PAPI_destroy_eventset(&papi_set[g]), "PAPI_destroy_eventset");
	}
}

static void papi_turns(void *unused, unsigned calls)
{
	long long value[MEMBERS];

	(void)unused;
	for (; calls; calls--, turn ^= 1) {
		check(PAPI_stop(papi_set[turn], value), "PAPI_stop");
		check(PAPI_start(papi_set[turn ^ 1]), "PAPI_start");
	}
}

static void papi_again(void *unused, unsigned calls)
{
	long long value[MEMBERS];

	(void)unused;
	for (; calls; calls--) {
		check(PAPI_stop(papi_set[turn], value), "PAPI_stop");
		check(PAPI_start(papi_set[turn]), "PAPI_start");
	}
}

static void papi_read(void *unused, unsigned calls)
{
	long long value[MEMBERS];

	(void)unused;
	for (; calls; calls--)
		check(PAPI_read(papi_set[turn], value), "PAPI_read");
}

static void mpx_read(void *set, unsigned calls)
{
	long long value[2 * MEMBERS];

	for (; calls; calls--)
		check_mpx(mpx_set_read(*(int *)set, value));
}

static double time_of(void (*run)(void *arg, unsigned calls), void *arg)
{
	struct bench_subject subject = {.run = run, .arg = arg};

	bench_in_turn(&subject, 1, 20);
	return subject.median;
}

/* ---- ticks ----------------------------------------------------------------------------- */

static volatile unsigned ticks;

static void on_tick(int signo)
{
	(void)signo;
	ticks++;
}

/* Do work for about SLICES slices of a millisecond. Return the time in ns. */
static double work(void)
{
	double from = bench_now_ns();

	loop((uint64_t)SLICES * 1000000 / PER_ROUND);
	return bench_now_ns() - from;
}

/* Work with the timer that libmpx uses and a handler that only counts ticks. Return the time in ns. */
static double empty_ticks(uint64_t slice_ns)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = slice_ns,
		.wakeup_events = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = (pid_t)syscall(SYS_gettid)};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	double took;

	if (fd < 0 || sigaction(SIGRTMAX, &action, NULL) || fcntl(fd, F_SETSIG, SIGRTMAX) ||
	    fcntl(fd, F_SETOWN_EX, &owner) || fcntl(fd, F_SETFL, O_RDWR | O_ASYNC)) {
		perror("a timer of the task clock");
		exit(1);
	}
	ticks = 0;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	took = work();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
	return took;
}

static double mpx_ticks(unsigned *slices, unsigned *put_off)
{
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;
	int set;
	unsigned g, i;
	double took;

	check_mpx(mpx_set_create(&set));
	for (g = 0; g < 2; g++)
		for (i = g; i < MEMBERS; i++)
			check_mpx(mpx_set_add_named_event(set, name[g][i]));
	check_mpx(mpx_set_start(set));
	check_mpx(mpx_thread_get_info(&before));
	took = work();
	check_mpx(mpx_thread_get_info(&after));
	check_mpx(mpx_set_stop(set, NULL));
	check_mpx(mpx_set_destroy(&set));
	*slices = (unsigned)(after.slices - before.slices);
	*put_off = (unsigned)(after.put_off - before.put_off);
	return took;
}

static void tick_cost(uint64_t slice_ns)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	double bare = work(), empty, mpx;
	unsigned slices, put_off;
	char title[64];

	empty = (empty_ticks(slice_ns) - bare) / ticks;
	options.slice_ns = slice_ns;
	options.timer = MPX_TIMER_TASK_CLOCK;
	check_mpx(mpx_library_init(MPX_ABI_VERSION, &options));
	mpx = mpx_ticks(&slices, &put_off);
	mpx = (mpx - bare) / slices;
	check_mpx(mpx_library_shutdown());
	snprintf(title, sizeof(title), "empty_tick_%u_us", (unsigned)(slice_ns / 1000));
	bench_print(title, empty, "ns");
	snprintf(title, sizeof(title), "mpx_tick_%u_us", (unsigned)(slice_ns / 1000));
	bench_print(title, mpx, "ns");
	snprintf(title, sizeof(title), "mpx_switch_%u_us", (unsigned)(slice_ns / 1000));
	bench_print(title, mpx - empty, "ns");
	snprintf(title, sizeof(title), "mpx_put_off_%u_us", (unsigned)(slice_ns / 1000));
	bench_print(title, put_off, "of the ticks");
}

int main(void)
{
	double floor, floor_read, papi_two, mpx;
	unsigned i;
	int set;

	need_pmu();
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_thread_init(pthread_self) != PAPI_OK) {
		fprintf(stderr, "PAPI cannot be initialised\n");
		return 1;
	}
	open_groups();
	floor = time_of(perf_turns, NULL);
	floor_read = time_of(read_group, NULL);
	close_groups();
	open_papi();
	bench_print("perf_turns", floor, "ns");
	bench_print("papi_one_set", time_of(papi_again, NULL), "ns");
	papi_two = time_of(papi_turns, NULL);
	bench_print("papi_turns", papi_two, "ns");
	bench_print("perf_clock_and_read", floor_read, "ns");
	bench_print("papi_read", time_of(papi_read, NULL), "ns");
	close_papi();
	check_mpx(mpx_library_init(MPX_ABI_VERSION, NULL));
	check_mpx(mpx_set_create(&set));
	for (i = 0; i < MEMBERS; i++)
		check_mpx(mpx_set_add_named_event(set, name[0][i]));
	check_mpx(mpx_set_start(set));
	mpx = time_of(mpx_read, &set);
	bench_print("mpx_read", mpx, "ns");
	bench_ratio("mpx_read_to_clock_and_read", mpx / floor_read);
	bench_print("mpx_read_more_an_event", (mpx - floor_read) / MEMBERS, "ns");
	check_mpx(mpx_set_stop(set, NULL));
	check_mpx(mpx_library_shutdown());
	tick_cost(1000000);
	tick_cost(200000);
	return 0;
}
