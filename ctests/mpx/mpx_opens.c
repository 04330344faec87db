/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_opens - the calls that open tracepoints: adds do not, starts do, and the handlers that end
 * time slices never open anything, neither those of PAPI's multiplexed sets nor those of libmpx.
 * Each part is a process of its own, in which a filter of the kernel's refuses perf_event_open, or
 * ends the process. Later threads look up no names of clocks: the first one has found the clock.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "mpx_util.h"

#define EVENTS 4
/* The result of a part that cannot install its filter. */
#define NO_FILTER 77

static const char *const names[EVENTS] = {
	"upc:::tp::syscalls:sys_enter_getppid",
	"upc:::tp::syscalls:sys_exit_getppid",
	"upc:::tp::syscalls:sys_enter_getuid",
	"upc:::tp::syscalls:sys_exit_getuid",
};

/* Sets the action on a system call, from here on in this process. */
static int filter(unsigned call, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = 4, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define ROUNDS 100

/* Works for so much CPU time, in which all four events have turns. */
static void work_for(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end) {
		work(20);
		(void)syscall(SYS_getuid);
	}
}

static int is_counted(const long long *value)
{
	int i;

	for (i = 0; i < EVENTS && value[i] > 0; i++)
		;
	return i == EVENTS;
}

/* ---- parts: 0 is success ----------------------------------------------------- */

/* PAPI_set_multiplex, in groups of one. */
static int slices_of_papi(void)
{
	long long value[EVENTS] = {0};
	PAPI_option_t option = {.multiplex = {.ns = 200000}};
	int set = PAPI_NULL, i;

	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	if (PAPI_create_eventset(&set) || PAPI_assign_eventset_component(set, find_component()))
		return 1;
	option.multiplex.eventset = set;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	if (PAPI_set_opt(PAPI_MULTIPLEX, &option))
		return 2;
	for (i = 0; i < EVENTS; i++)
		if (PAPI_add_named_event(set, names[i]))
			return 3;
	if (PAPI_start(set))
		return 4;
	if (filter(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS))
		return NO_FILTER;
	/* Time that the hypervisor gives to others is CPU time, and no time for turns. */
	for (i = 0; i < ROUNDS && !is_counted(value); i++) {
		work_for(100000000);
		if (PAPI_read(set, value))
			return 7;
	}
	if (PAPI_stop(set, value))
		return 5;
	return is_counted(value) ? 0 : 6;
}

static int slices_of_mpx(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	long long value[EVENTS] = {0};
	int set = PAPI_NULL, i;

	options.slice_ns = 200000;
	options.group_max = 1;
	if (mpx_library_init(MPX_ABI_VERSION, &options) || mpx_set_create(&set))
		return 2;
	for (i = 0; i < EVENTS; i++)
		if (mpx_set_add_named_event(set, names[i]))
			return 3;
	if (mpx_set_start(set))
		return 4;
	if (filter(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS))
		return NO_FILTER;
	for (i = 0; i < ROUNDS && !is_counted(value); i++) {
		work_for(100000000);
		if (mpx_set_read(set, value))
			return 7;
	}
	if (mpx_set_stop(set, value))
		return 5;
	return is_counted(value) ? 0 : 6;
}

/* Starts a set of the first n names, in groups of so many, 0: of all. */
static int started_set(unsigned group_max, int n)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int set = PAPI_NULL, i;

	options.clock = MPX_CLOCK_CPU;
	options.group_max = group_max;
	if (mpx_library_init(MPX_ABI_VERSION, &options) || mpx_set_create(&set))
		return PAPI_NULL;
	for (i = 0; i < n; i++)
		if (mpx_set_add_named_event(set, names[i]))
			return PAPI_NULL;
	return mpx_set_start(set) ? PAPI_NULL : set;
}

/* Makes estimates where opening a file ends the process: the measurement of a count's cost looks for a
 * tracepoint first. */
static int estimates(int set, int n, unsigned flags)
{
	struct mpx_estimate e[EVENTS] = {{.size = sizeof(e[0])}};
	int i;

	if (mpx_set_stop(set, NULL) || mpx_set_estimates(set, e, n))
		return 5;
	for (i = 0; i < n; i++)
		if ((e[i].flags & (MPX_EXACT | MPX_SLOWED)) != flags)
			return 6;
	return 0;
}

static int exact_estimates(void)
{
	int set = started_set(0, 1);

	if (set == PAPI_NULL)
		return 3;
	if (filter(SYS_openat, SECCOMP_RET_KILL_PROCESS))
		return NO_FILTER;
	work(100000);
	return estimates(set, 1, MPX_EXACT);
}

/* A count in a millisecond slows nothing. */
static int calm_estimates(void)
{
	int set = started_set(1, EVENTS), i;
	uint64_t end;

	if (set == PAPI_NULL)
		return 3;
	if (filter(SYS_openat, SECCOMP_RET_KILL_PROCESS))
		return NO_FILTER;
	for (i = 0; i < 200; i++) {
		(void)syscall(SYS_getppid);
		(void)syscall(SYS_getuid);
		for (end = cpu_ns() + 2000000; cpu_ns() < end;)
			;
	}
	return estimates(set, EVENTS, 0);
}

/* The start opens the tracepoints, which the adds did not: it fails, says why, and leaves a set as it was. */
static int start_fails(void)
{
	long long value[EVENTS] = {0};
	int set = set_with(FAULTS), i, before, state = 0, said[2];
	char line[512] = "";

	for (i = 0; i < EVENTS; i++)
		if (PAPI_add_named_event(set, names[i]))
			return 3;
	if (filter(SYS_perf_event_open, SECCOMP_RET_ERRNO | EACCES))
		return NO_FILTER;
	before = open_files();
	if (pipe(said) || dup2(said[1], STDERR_FILENO) < 0)
		return 4;
	if (PAPI_start(set) != PAPI_EPERM)
		return 5;
	if (read(said[0], line, sizeof(line) - 1) <= 0 || !strstr(line, names[0] + 10))
		return 6;
	close(said[0]);
	close(said[1]);
	if (open_files() != before || PAPI_state(set, &state) || !(state & PAPI_STOPPED))
		return 7;
	/* Without the tracepoints the set starts. */
	for (i = 0; i < EVENTS; i++)
		if (PAPI_remove_named_event(set, names[i]))
			return 8;
	if (PAPI_start(set))
		return 9;
	touch_pages(100);
	if (PAPI_stop(set, value))
		return 10;
	return about(value[0], 100) ? 0 : 11;
}

static int adds_open_nothing(void)
{
	int set = set_with(names[0]), i, round, before = open_files();

	for (round = 0; round < 20; round++) {
		for (i = 1; i < EVENTS; i++)
			if (PAPI_add_named_event(set, names[i]) || open_files() != before)
				return 3;
		for (i = 1; i < EVENTS; i++)
			if (PAPI_remove_named_event(set, names[i]))
				return 4;
	}
	return 0;
}

static __thread int asked, in_vain;

/* Stands in front of PAPI's function. */
int PAPI_event_name_to_code(const char *name, int *code)
{
	int (*real)(const char *, int *) = (int (*)(const char *, int *))dlsym(RTLD_NEXT, __func__);
	int error = real ? real(name, code) : PAPI_ENOINIT;

	asked++;
	in_vain += error != PAPI_OK;
	return error;
}

/* The number of names that PAPI did not know until a set counted. -1: the set does not count, or it has asked
 * for no names here. */
static int count_in_vain(void)
{
	const char *faults = faults_event();
	long long value = 0;
	int set = PAPI_NULL;

	if (mpx_set_create(&set) || mpx_set_add_named_event(set, faults) || mpx_set_start(set))
		return -1;
	touch_pages(100);
	if (mpx_set_stop(set, &value) || mpx_set_destroy(&set) || value < 100)
		return -1;
	return asked ? in_vain : -1;
}

static void *count_in_thread(void *argument)
{
	*(int *)argument = count_in_vain();
	return NULL;
}

static int later_thread_seeks_nothing(void)
{
	int first, later = -1;
	pthread_t thread;

	if (mpx_library_init(MPX_ABI_VERSION, NULL))
		return 2;
	first = count_in_vain();
	if (first < 0 || pthread_create(&thread, NULL, count_in_thread, &later) || pthread_join(thread, NULL))
		return 3;
	printf("# names that PAPI does not know: %d of the first thread, %d of another one\n", first, later);
	fflush(stdout);
	return later < 0 ? 3 : later ? 4 : 0;
}

/* ---- processes ------------------------------------------------------------------ */

static void run(int (*part)(void), const char *what)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		start_papi();
		_exit(part());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail_out("no process can be made");
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
		skip("%s: this kernel has no filters of system calls", what);
	else
		ok(status == 0, "%s: status %#x", what, status);
}

/* In a process of its own: PAPI is not initialised here. */
static int has_tracepoints(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		start_papi();
		_exit(set_with(names[0]) == PAPI_NULL);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(void)
{
	run(later_thread_seeks_nothing, "a later thread looks up its events, and seeks no clock");
	if (!has_tracepoints() && !machine_traces()) {
		skip("no tracepoints for this user");
		return done();
	}
	run(adds_open_nothing, "adds and removals open nothing");
	run(start_fails, "a start that fails says which event");
	run(slices_of_papi, "no handler of a multiplexed set opens anything");
	run(slices_of_mpx, "no handler of libmpx opens anything");
	run(exact_estimates, "an exact estimate does not measure the cost of a count");
	run(calm_estimates, "... nor does an estimate of events that are rare");
	return done();
}
