/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handlers - signal handlers neither print nor allocate nor lock, and make no system call that
 * is not in their case's list. Each case is run by children of its own: one in
 * which all runs of handlers are watched, and some in which the kernel watches one.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "handler_watch.h"
#include "../mpx/mpx_util.h"

#define RUNS 12     /* of handlers, in a case */
#define NOT_HERE -1 /* the machine lacks what a case needs */

#define CLOCK "upc:::perf::TASK-CLOCK"
#define SWITCHES "upc:::task::voluntary_ctxt_switches"

#define STATS "upc:::process::statm_resident"

static int used; /* the set that handlers use */

/* Does work that counts, mostly in user mode, until handlers have run RUNS times. */
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

/* Closes perf events, as a program may do by mistake. */
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

/* Starts the set, and runs the handler at the ticks of the CPU time's timer, which come every few
 * milliseconds. */
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

/* All events but the first wait longer for a slice than the case lasts. */
static int case_never(void)
{
	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	return multiplexed(1000000000) && add(used, FAULTS) && add(used, MINOR) && profile(on_profile, 0);
}

/* The handler starts the multiplexed set anew. */
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
	int known;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	if (child < 0)
		return 0;
	used = PAPI_NULL;
	known = PAPI_create_eventset(&used) == PAPI_OK &&
		PAPI_assign_eventset_component(used, find_component()) == PAPI_OK &&
		PAPI_attach(used, (unsigned long)child) == PAPI_OK && add(used, SWITCHES);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return known && profile(on_profile, 0);
}

static int case_closed(void)
{
	used = set_with(FAULTS);
	if (used == PAPI_NULL)
		return 0;
	return profile(on_profile_stop, 1);
}

/* Profiles the addresses of the program by thresholds. */
static int case_profile(void)
{
	static unsigned buckets[4096];
	extern char __executable_start, etext;
	const unsigned long long scale =
		65536ull * sizeof(buckets) / (unsigned long long)(&etext - &__executable_start);

	used = set_with(FAULTS);
	if (used == PAPI_NULL ||
	    PAPI_profil(buckets, sizeof(buckets), (vptr_t)&__executable_start, (unsigned)scale, used,
			code_of(FAULTS), 100, PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32) != PAPI_OK ||
	    PAPI_start(used) != PAPI_OK)
		return 0;
	work_on();
	return 1;
}

/* ---- MPX ------------------------------------------------------------------------------------ */

static int begin(enum mpx_timer timer, unsigned group_max)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	options.slice_ns = 1000000;
	options.timer = timer;
	options.group_max = group_max;
	return !mpx_library_init(MPX_ABI_VERSION, &options);
}

static int fill(int set)
{
	return !mpx_set_add_named_event(set, FAULTS) && !mpx_set_add_named_event(set, MINOR) &&
	       !mpx_set_add_named_event(set, CLOCK);
}

static int slices_of(enum mpx_timer timer)
{
	int set;

	if (!begin(timer, 1) || mpx_set_create(&set) || !fill(set) || mpx_set_start(set))
		return 0;
	work_on();
	return 1;
}

static int case_mpx(void)
{
	return slices_of(MPX_TIMER_TASK_CLOCK);
}

static int case_thread_timer(void)
{
	return slices_of(MPX_TIMER_THREAD);
}

/* Takes turns with events of PAPI's own component, where it counts here. */
static int case_perf_event(void)
{
	const int component = PAPI_get_component_index("perf_event");
	const PAPI_component_info_t *info = component < 0 ? NULL : PAPI_get_component_info(component);
	int set;

	if (!info || info->disabled || PAPI_query_named_event("perf::PAGE-FAULTS") != PAPI_OK)
		return NOT_HERE;
	if (!begin(MPX_TIMER_AUTO, 1) || mpx_set_create(&set) ||
	    mpx_set_add_named_event(set, "perf::PAGE-FAULTS") ||
	    mpx_set_add_named_event(set, "perf::MINOR-FAULTS") || mpx_set_add_named_event(set, FAULTS) ||
	    mpx_set_start(set))
		return 0;
	work_on();
	return 1;
}

/* Works in a thread to which the other thread's process-wide set makes requests; that set has its
 * events already. */
static void *asked(void *ready)
{
	int registered = mpx_thread_register();

	if (sem_post(ready) || registered)
		return NULL;
	for (;;)
		work(20), touch_pages(30);
}

static int process_wide(enum mpx_timer timer, unsigned group_max, int *set)
{
	static sem_t ready;
	pthread_t thread;

	if (!begin(timer, group_max) || mpx_set_create_process(set) || !fill(*set) ||
	    sem_init(&ready, 0, 0) || pthread_create(&thread, NULL, asked, &ready))
		return 0;
	while (sem_wait(&ready))
		;
	return 1;
}

/* Nothing takes turns: the handler of the other thread starts, reads, accumulates, resets and stops. */
static int case_process(void)
{
	long long values[3] = {0};
	int set;

	if (!process_wide(MPX_TIMER_AUTO, 0, &set))
		return 0;
	while (watch_runs() < 2 * RUNS)
		if (mpx_set_start(set) || mpx_set_read(set, values) || mpx_set_accum(set, values) ||
		    mpx_set_reset(set) || mpx_set_stop(set, values))
			return 0;
	return 1;
}

static int threads_slices(enum mpx_timer timer)
{
	long long values[3] = {0};
	int set;

	if (!process_wide(timer, 1, &set) || mpx_set_start(set))
		return 0;
	/* Ticks, and then requests as well. */
	work_on();
	while (watch_runs() < 2 * RUNS) {
		work(20);
		touch_pages(30);
		if (mpx_set_read(set, values))
			return 0;
	}
	return 1;
}

static int case_process_slices(void)
{
	return threads_slices(MPX_TIMER_TASK_CLOCK);
}

static int case_virtual(void)
{
	return threads_slices(MPX_TIMER_VIRTUAL);
}

static int attached_to(int tid)
{
	int set;

	if (mpx_set_create(&set) || !fill(set) || mpx_set_attach(set, tid) || mpx_set_start(set))
		return 0;
	work_on();
	return 1;
}

static int case_attached(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			work(20), touch_pages(30);
	}
	return begin(MPX_TIMER_AUTO, 1) && attached_to(child);
}

static atomic_int sibling;

static void *attached(void *unused)
{
	atomic_store(&sibling, (int)syscall(SYS_gettid));
	for (;;)
		work(20), touch_pages(30);
	return unused;
}

static int case_attached_thread(void)
{
	pthread_t thread;

	if (!begin(MPX_TIMER_AUTO, 1) || pthread_create(&thread, NULL, attached, NULL))
		return 0;
	while (!atomic_load(&sibling))
		sched_yield();
	return attached_to(atomic_load(&sibling));
}

/* Ticks come between the calls, and within them. */
static int case_regions(void)
{
	int set, region = 0;

	if (!begin(MPX_TIMER_AUTO, 1) || mpx_set_create(&set) || !fill(set) || mpx_set_start(set))
		return 0;
	while (watch_runs() < RUNS) {
		touch_pages(3);
		if (mpx_set_switch_region(set, region++ % 50))
			return 0;
	}
	return 1;
}

/* ---- marks of regions, in the program's handler --------------------------------------------- */

static void (*mark_start)(int number, const char *label, const char *file, int line);
static void (*mark_stop)(int number, const char *file, int line);

static void on_profile_mark(int number)
{
	(void)number;
	mark_start(2, "known", "handlers.c", 2);
	mark_stop(2, "handlers.c", 2);
}

/* The region is known before the timer's handler marks it. */
static int case_marks(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};
	const struct sigaction action = {.sa_handler = on_profile_mark, .sa_flags = SA_RESTART};
	const char *built = getenv("builddir");
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%s/src/region/.libs/libhpm.so", built ? built : ".");
	library = dlopen(path, RTLD_NOW);
	if (!library)
		return 0;
	setenv("UPC_REGIONS_EVENTS", FAULTS, 1);
	mark_start = (void (*)(int, const char *, const char *, int))dlsym(library, "hpmTstart_at");
	mark_stop = (void (*)(int, const char *, int))dlsym(library, "hpmTstop_at");
	if (!mark_start || !mark_stop)
		return 0;
	mark_start(1, "outer", "handlers.c", 1);
	on_profile_mark(0);
	if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &often, NULL))
		return 0;
	work_on();
	return 1;
}

/* ---- children ---------------------------------------------------------------------------------- */

struct scenario {
	const char *name;
	int (*run)(void);
	uint64_t calls;   /* that handlers may make */
	const char *said; /* at the end on standard error, or NULL */
};

/* A group ends, and another one begins; the length of the slice is measured in CPU time. */
#define SLICES (WATCH(ENABLE) | WATCH(DISABLE) | WATCH(READ) | WATCH(CLOCK))
/* The handlers of libmpx also look whether they have interrupted PAPI, on stacks that may not be there. */
#define MPX_SLICES (SLICES | WATCH(GETPID) | WATCH(COPY))
/* The thread and the process of the set are compared with the caller's. */
#define WHO (WATCH(GETPID) | WATCH(GETTID))
/* The thread carries out requests, the first start of a group among them. */
#define REQUESTS (MPX_SLICES | WATCH(ID) | WATCH(FUTEX))
#define ATTACHED (MPX_SLICES | WATCH(REFRESH) | WATCH(PERF_OPEN) | WATCH(CLOSE))

static const struct scenario scenarios[] = {
	{"ticks of a multiplexed set", case_ticks, SLICES, NULL},
	{"an overflow, whose handler reads", case_overflow_read, WATCH(READ) | WATCH(PREAD), NULL},
	{"an overflow, whose handler stops and starts", case_overflow_stop,
	 WATCH(ENABLE) | WATCH(DISABLE) | WATCH(RESET) | WATCH(PERIOD) | WATCH(READ) | WATCH(PREAD), NULL},
	{"an emulated overflow", case_emulated, WATCH(READ) | WATCH(PREAD), NULL},
	{"a profile by thresholds", case_profile, 0, NULL},
	{"a profiler's handler, with files", case_files,
	 WATCH(ENABLE) | WATCH(DISABLE) | WATCH(READ) | WATCH(PREAD) | WHO, NULL},
	{"a read of what had no slice", case_never, WATCH(READ) | WATCH(CLOCK) | WHO,
	 "has had no time slice yet"},
	{"a profiler's handler, with turns", case_turns,
	 SLICES | WHO | WATCH(ID) | WATCH(MASK) | WATCH(ACTION), NULL},
	{"a read of what is gone", case_lost, WATCH(PREAD), "is gone"},
	{"a read of what was closed", case_closed, WATCH(ENABLE) | WATCH(DISABLE) | WATCH(READ) | WHO, NULL},
	{"ticks of MPX", case_mpx, MPX_SLICES, NULL},
	{"... by a POSIX timer", case_thread_timer, MPX_SLICES, NULL},
	{"... of events of perf_event", case_perf_event, MPX_SLICES | WATCH(RESET), NULL},
	{"... while regions change", case_regions, MPX_SLICES, NULL},
	{"... in an attached process", case_attached, ATTACHED, NULL},
	{"... in an attached thread", case_attached_thread, ATTACHED, NULL},
	{"requests of a process-wide set", case_process, REQUESTS, NULL},
	{"... with slices", case_process_slices, REQUESTS, NULL},
	{"... with slices by the virtual timer", case_virtual, REQUESTS | WATCH(TGKILL), NULL},
	{"marks of regions", case_marks, WATCH(READ), NULL},
};

static void child(const struct scenario *scenario, unsigned nth, int report, int error)
{
	long long values[8];
	const char *text;
	int runs;

	dup2(error, STDERR_FILENO);
	alarm(100); /* less than the test may take: a case that hangs has its own line */
	watch_handlers(nth, scenario->calls, report);
	runs = PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? scenario->run() : 0;
	if (runs != 1) {
		text = runs == NOT_HERE ? "not here\n" : "cannot\n";
		if (write(report, text, strlen(text)) < 0)
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
	if (!strcmp(found, "not here\n")) {
		skip("%s: PAPI's perf_event counts nothing on this machine", scenario->name);
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
	static const unsigned nth[] = {0, 1, 2, 3, 4, 5, RUNS / 2};
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
