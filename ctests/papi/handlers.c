/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handlers - signal handlers neither print nor allocate nor lock, and make no system call that
 * is not in the table of handler_watch.c. Each case is run by children of its own: one in
 * which all runs of handlers are watched, and some in which the kernel watches one.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>

#include "handler_watch.h"
#include "../mpx/mpx_util.h"

#define RUNS 12 /* of handlers, in a case */

#define CLOCK "upc:::perf::TASK-CLOCK"
#define SWITCHES "upc:::task::voluntary_ctxt_switches"

#define STATS "upc:::process::statm_resident"

static int used; /* the set that handlers use */

/* Something that counts, in user mode for the most part, until handlers have run. */
static void work_on(void)
{
	while (watch_runs() < RUNS)
		work(20), touch_pages(30);
}

static int add(int set, const char *name)
{
	return PAPI_add_named_event(set, name) == PAPI_OK;
}

static int multiplexed(int ns)
{
	PAPI_option_t option = {.multiplex = {.ns = ns}};

	used = PAPI_NULL;
	if (PAPI_create_eventset(&used) != PAPI_OK ||
	    PAPI_assign_eventset_component(used, find_component()) != PAPI_OK)
		return 0;
	option.multiplex.eventset = used;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	return PAPI_set_opt(PAPI_MULTIPLEX, &option) == PAPI_OK;
}

static int code_of(const char *name)
{
	int code = PAPI_NULL;

	return PAPI_event_name_to_code(name, &code) == PAPI_OK ? code : PAPI_NULL;
}

/* ---- the component's own handlers ---------------------------------------------------- */

static int case_ticks(void)
{
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	if (!multiplexed(1000000) || !add(used, FAULTS) || !add(used, MINOR) || !add(used, CLOCK) ||
	    PAPI_start(used) != PAPI_OK)
		return 0;
	work_on();
	return 1;
}

static void read_it(int set, void *address, long long vector, void *context)
{
	long long values[8];

	(void)address;
	(void)vector;
	(void)context;
	PAPI_read(set, values);
}

static void stop_and_start(int set, void *address, long long vector, void *context)
{
	long long values[8];

	(void)address;
	(void)vector;
	(void)context;
	PAPI_stop(set, values);
	PAPI_start(set);
}

static int with_overflow(PAPI_overflow_handler_t handler, int flags)
{
	used = set_with(flags ? CLOCK : FAULTS);
	if (used == PAPI_NULL || !add(used, flags ? FAULTS : CLOCK) || !add(used, SWITCHES) ||
	    PAPI_overflow(used, code_of(flags ? CLOCK : FAULTS), flags ? 1000000 : 100, flags, handler) !=
		    PAPI_OK ||
	    PAPI_start(used) != PAPI_OK)
		return 0;
	work_on();
	return 1;
}

static int case_overflow_read(void)
{
	return with_overflow(read_it, 0);
}

static int case_overflow_stop(void)
{
	return with_overflow(stop_and_start, 0);
}

static int case_emulated(void)
{
	return with_overflow(read_it, PAPI_OVERFLOW_FORCE_SW);
}

/* ---- handlers of the program's that use a set --------------------------------------------- */

static void on_profile(int number)
{
	long long values[8];

	(void)number;
	PAPI_read(used, values);
}

static void on_profile_stop(int number)
{
	long long values[8];

	(void)number;
	PAPI_read(used, values);
	PAPI_reset(used);
	PAPI_stop(used, values);
	PAPI_start(used);
}

/* What the program closes by mistake. */
static void close_events(void)
{
	char path[64], target[64];
	ssize_t length;
	int fd;

	for (fd = 3; fd < 100; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		if (length > 0 && memmem(target, (size_t)length, "perf_event", 10))
			close(fd);
	}
}

/* The CPU time's timer ticks every some milliseconds. */
static int profile(void (*handler)(int), int closes)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	if (PAPI_start(used) != PAPI_OK || sigaction(SIGPROF, &action, NULL) ||
	    setitimer(ITIMER_PROF, &often, NULL))
		return 0;
	if (closes)
		close_events();
	work_on();
	return 1;
}

static int case_files(void)
{
	used = set_with(SWITCHES);
	return used != PAPI_NULL && add(used, FAULTS) && add(used, STATS) && profile(on_profile_stop, 0);
}

/* All but the first wait for longer than this lasts. */
static int case_never(void)
{
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	return multiplexed(1000000000) && add(used, FAULTS) && add(used, MINOR) && profile(on_profile, 0);
}

/* Which the handler starts anew. */
static int case_turns(void)
{
	long long values[8];

	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	if (!multiplexed(1000000) || !add(used, FAULTS) || !add(used, MINOR) || !add(used, CLOCK) ||
	    PAPI_start(used) != PAPI_OK || PAPI_stop(used, values) != PAPI_OK)
		return 0;
	return profile(on_profile_stop, 0);
}

/* A process that has ended leaves nothing to read. */
static int case_lost(void)
{
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	used = PAPI_NULL;
	if (PAPI_create_eventset(&used) != PAPI_OK ||
	    PAPI_assign_eventset_component(used, find_component()) != PAPI_OK ||
	    PAPI_attach(used, (unsigned long)child) != PAPI_OK || !add(used, SWITCHES))
		return 0;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return profile(on_profile, 0);
}

static int case_closed(void)
{
	used = set_with(FAULTS);
	if (used == PAPI_NULL)
		return 0;
	return profile(on_profile_stop, 1);
}

/* ---- MPX ------------------------------------------------------------------------------------ */

static int case_mpx(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int set;

	options.slice_ns = 1000000;
	options.group_max = 1;
	if (mpx_library_init(MPX_ABI_VERSION, &options) || mpx_set_create(&set) ||
	    mpx_set_add_named_event(set, FAULTS) || mpx_set_add_named_event(set, MINOR) ||
	    mpx_set_add_named_event(set, CLOCK) || mpx_set_start(set))
		return 0;
	work_on();
	return 1;
}

/* ---- children ---------------------------------------------------------------------------------- */

struct scenario {
	const char *name;
	int (*run)(void);
	const char *said; /* at the end on standard error, or NULL */
};

static const struct scenario scenarios[] = {
	{"ticks of a multiplexed set", case_ticks, NULL},
	{"an overflow, whose handler reads", case_overflow_read, NULL},
	{"an overflow, whose handler stops and starts", case_overflow_stop, NULL},
	{"an emulated overflow", case_emulated, NULL},
	{"a profiler's handler, with files", case_files, NULL},
	{"a read of what had no slice", case_never, "has had no time slice yet"},
	{"a profiler's handler, with turns", case_turns, NULL},
	{"a read of what is gone", case_lost, "is gone"},
	{"a read of what was closed", case_closed, NULL},
	{"ticks of MPX", case_mpx, NULL},
};

static void child(const struct scenario *scenario, unsigned nth, int report, int error)
{
	long long values[8];

	dup2(error, STDERR_FILENO);
	alarm(120);
	watch_handlers(nth, report);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || !scenario->run()) {
		if (write(report, "cannot\n", 7) != 7)
			_exit(2);
		_exit(0);
	}
	if (used != PAPI_NULL) {
		const struct itimerval never = {{0, 0}, {0, 0}};

		setitimer(ITIMER_PROF, &never, NULL);
		PAPI_stop(used, values);
	}
	watch_end();
}

static void slurp(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t n;

	while (length < size - 1 && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	text[length] = '\0';
	close(fd);
}

static void run(const struct scenario *scenario, unsigned nth)
{
	char found[2000], said[4000], *line;
	int report[2], error[2], status;
	pid_t pid;

	if (pipe(report) || pipe(error))
		exit(2);
	used = PAPI_NULL;
	pid = fork();
	if (pid == 0) {
		close(report[0]);
		close(error[0]);
		child(scenario, nth, report[1], error[1]);
	}
	close(report[1]);
	close(error[1]);
	slurp(error[0], said, sizeof(said));
	slurp(report[0], found, sizeof(found));
	waitpid(pid, &status, 0);
	if (!strcmp(found, "no filter\n")) {
		skip("%s: the kernel has no seccomp here", scenario->name);
		return;
	}
	if (!ok(WIFEXITED(status) && !WEXITSTATUS(status) && !strcmp(found, "done\n"), "%s: %s %u",
		scenario->name, nth ? "system calls of run" : "functions,", nth)) {
		for (line = strtok(found, "\n"); line; line = strtok(NULL, "\n"))
			note("%s", line);
		note("status 0x%x", status);
	}
	if (!nth && scenario->said && !ok(strstr(said, scenario->said), "it is said afterwards"))
		note("said: %s", said);
}

int main(void)
{
	static const unsigned nth[] = {0, 1, 2, 3, RUNS / 2};
	size_t i, k;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip_all("a sanitizer has functions and system calls of its own in handlers");
#endif
	if (!machine_samples())
		skip_all("nothing may be counted here");
	for (i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		for (k = 0; k < sizeof(nth) / sizeof(*nth); k++)
			run(&scenarios[i], nth[k]);
	return done();
}
