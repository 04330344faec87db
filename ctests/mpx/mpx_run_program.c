/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_run_program.c - programs that are instrumented with PAPI and do not use MPX:
 * ctests/mpx/mpx_run.sh runs them with and without mpx_run. Each prints its results, and ends with
 * 0, or with 1 and a line about a result that a program could not expect.
 *
 *   mpx_run_program CASE [ARGUMENT]
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <locale.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAULTS "upc:::perf::PAGE-FAULTS"
#define MINOR "upc:::perf::MINOR-FAULTS"
#define MAJOR "upc:::perf::MAJOR-FAULTS"
#define CPU_CLOCK "upc:::perf::CPU-CLOCK"
#define CLOCK "upc:::perf::TASK-CLOCK"

static void fail(int line, const char *what, int result)
{
	fprintf(stderr, "line %d: %s: %d (%s)\n", line, what, result, PAPI_strerror(result));
	exit(1);
}

#define CHECK(call, expected)                           \
	do {                                            \
		int result_ = (call);                   \
		if (result_ != (expected))              \
			fail(__LINE__, #call, result_); \
	} while (0)
#define OK(call) CHECK(call, PAPI_OK)
#define TRUE(condition)                                \
	do {                                           \
		if (!(condition))                      \
			fail(__LINE__, #condition, 0); \
	} while (0)

/* Makes n page faults. Ticks that fall into the kernel are dropped: some time is spent outside of
 * it, or a set that takes turns would have few slices, or none. */
static void touch(long n)
{
	long i;

	while (n-- > 0) {
		for (i = 0; i < 10000; i++)
			__asm__ volatile("" : : "r"(i) : "memory");
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED)
			fail(__LINE__, "mmap", PAPI_ESYS);
		*(volatile char *)page = 1;
		munmap(page, 4096);
	}
}

static void init(void)
{
	CHECK(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

static int set_of(const char *const names[])
{
	int set = PAPI_NULL;

	OK(PAPI_create_eventset(&set));
	for (; *names; names++)
		OK(PAPI_add_named_event(set, *names));
	return set;
}

static void end_set(int set)
{
	OK(PAPI_cleanup_eventset(set));
	OK(PAPI_destroy_eventset(&set));
	TRUE(set == PAPI_NULL);
}

/* ---- counting ------------------------------------------------------------------------ */

static const char *const one[] = {FAULTS, NULL};
/* Events that every user may count. */
#define N_FIVE 5
static const char *const five[N_FIVE + 1] = {FAULTS, MINOR, MAJOR, CPU_CLOCK, CLOCK, NULL};

static void print_values(const char *name, const long long *values, int n)
{
	int i;

	printf("%s", name);
	for (i = 0; i < n; i++)
		printf(" %lld", values[i]);
	printf("\n");
}

/* A set alone, exact: 1000 faults and a few more. */
static void case_one(const char *argument)
{
	long long value[1];
	int set;

	(void)argument;
	init();
	set = set_of(one);
	OK(PAPI_start(set));
	touch(1000);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 1000 && value[0] < 1100);
	print_values("one", value, 1);
	end_set(set);
}

/* Two sets at once in a thread and component, one within the other. */
static void case_two(const char *argument)
{
	long long outer[1], inner[1];
	int a, b, state;

	(void)argument;
	init();
	a = set_of(one);
	b = set_of(one);
	TRUE(a != b);
	OK(PAPI_start(a));
	touch(100);
	OK(PAPI_start(b));
	CHECK(PAPI_start(b), PAPI_EISRUN);
	touch(100);
	OK(PAPI_state(a, &state));
	TRUE(state & PAPI_RUNNING);
	OK(PAPI_stop(b, inner));
	touch(100);
	OK(PAPI_stop(a, outer));
	OK(PAPI_state(b, &state));
	TRUE(state & PAPI_STOPPED);
	TRUE(inner[0] >= 100 && inner[0] < 200);
	TRUE(outer[0] >= 300 && outer[0] < 400);
	print_values("outer", outer, 1);
	print_values("inner", inner, 1);
	end_set(b);
	end_set(a);
}

/* Five events; with a group of at most one or two they take turns. */
static void case_many(const char *argument)
{
	long long values[N_FIVE], last[N_FIVE] = {0};
	long n = argument ? atol(argument) : 60000;
	int set, i, round;

	init();
	set = set_of(five);
	OK(PAPI_start(set));
	for (round = 0; round < 10; round++) {
		touch(n / 10);
		OK(PAPI_read(set, values));
		for (i = 0; i < N_FIVE; i++) {
			TRUE(values[i] >= last[i]);
			last[i] = values[i];
		}
	}
	OK(PAPI_stop(set, values));
	print_values("many", values, N_FIVE);
	OK(PAPI_read(set, last));
	TRUE(!memcmp(values, last, sizeof(values)));
	end_set(set);
}

/* Computes for so many ms of CPU time. */
static void case_compute(const char *argument)
{
	const double end = (argument ? atof(argument) : 1000) / 1e3;
	long long values[N_FIVE];
	struct timespec now;
	int set;

	init();
	set = set_of(five);
	OK(PAPI_start(set));
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < end);
	OK(PAPI_stop(set, values));
	end_set(set);
}

/* Events of two components in one set. */
static void case_mixed(const char *argument)
{
	static const char *const names[] = {FAULTS, NULL};
	const PAPI_component_info_t *info = NULL;
	long long values[2];
	int set = PAPI_NULL, code, i, own, error;

	(void)argument;
	init();
	OK(PAPI_create_eventset(&set));
	OK(PAPI_add_named_event(set, names[0]));
	own = PAPI_get_eventset_component(set);
	TRUE(own >= 0);
	for (i = 0; i < PAPI_num_components(); i++) {
		info = PAPI_get_component_info(i);
		code = PAPI_NATIVE_MASK;
		if (i == own || !info || info->disabled ||
		    PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i) != PAPI_OK)
			continue;
		error = PAPI_add_event(set, code);
		if (error == PAPI_OK)
			break;
	}
	if (!info || i == PAPI_num_components()) {
		printf("no other component\n");
		return;
	}
	OK(PAPI_start(set));
	touch(1000);
	OK(PAPI_stop(set, values));
	TRUE(values[0] >= 1000 && values[0] < 1100);
	print_values(info->name, values, 2);
	end_set(set);
}

static void case_accum(const char *argument)
{
	long long total[1] = {0}, value[1], ts, before = PAPI_get_real_cyc();
	int set, i;

	(void)argument;
	init();
	set = set_of(one);
	OK(PAPI_read(set, value));
	TRUE(value[0] == 0);
	OK(PAPI_start(set));
	for (i = 0; i < 10; i++) {
		touch(100);
		OK(PAPI_accum(set, total));
	}
	OK(PAPI_read_ts(set, value, &ts));
	TRUE(value[0] < 100 && ts >= before);
	touch(100);
	OK(PAPI_reset(set));
	touch(50);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 50 && value[0] < 100);
	OK(PAPI_accum(set, total));
	TRUE(total[0] >= 1050 && total[0] < 1200);
	OK(PAPI_read(set, value));
	TRUE(value[0] == 0);
	print_values("accum", total, 1);
	end_set(set);
}

/* A region that is entered 1,000 times for far less than a slice: 100,000 faults, as the program
 * adds them up. With an argument it makes a new set each time, and only the report can add them up. */
static void case_stretches(const char *argument)
{
	long long values[N_FIVE], sum[N_FIVE] = {0};
	int set = PAPI_NULL, i, round;

	init();
	for (round = 0; round < 1000; round++) {
		if (argument || !round)
			set = set_of(five);
		OK(PAPI_start(set));
		touch(100);
		OK(PAPI_stop(set, values));
		for (i = 0; i < N_FIVE; i++)
			sum[i] += values[i];
		if (argument)
			end_set(set);
	}
	print_values("stretches", sum, N_FIVE);
	if (!argument)
		end_set(set);
}

/* Within one slice: of five events that take turns one is counted, and the program adds up. */
static void case_short(const char *argument)
{
	long long values[N_FIVE], sum[N_FIVE] = {0}, accumulated[N_FIVE] = {0};
	int set, i, round;

	(void)argument;
	init();
	set = set_of(five);
	for (round = 0; round < 20; round++) {
		OK(PAPI_start(set));
		touch(10);
		OK(PAPI_read(set, values));
		for (i = 0; i < N_FIVE; i++)
			TRUE(values[i] >= 0);
		if (round % 2)
			OK(PAPI_accum(set, accumulated));
		OK(PAPI_stop(set, values));
		for (i = 0; i < N_FIVE; i++)
			sum[i] += values[i];
		if (round % 3 == 2)
			OK(PAPI_accum(set, accumulated));
	}
	for (i = 0; i < N_FIVE; i++)
		TRUE(sum[i] >= 0 && accumulated[i] >= 0);
	print_values("short", sum, N_FIVE);
	end_set(set);
}

/* PAPI's errors are the same under mpx_run. */
static void case_errors(const char *argument)
{
	int codes[8], set = PAPI_NULL, n, code, state;
	long long values[8];

	(void)argument;
	CHECK(PAPI_create_eventset(&set), PAPI_ENOINIT);
	init();
	CHECK(PAPI_create_eventset(NULL), PAPI_EINVAL);
	OK(PAPI_create_eventset(&set));
	n = set;
	CHECK(PAPI_create_eventset(&n), PAPI_EINVAL);
	TRUE(PAPI_start(set) < 0);
	TRUE(PAPI_stop(set, values) < 0);
	CHECK(PAPI_start(set + 1000), PAPI_ENOEVST);
	CHECK(PAPI_start(7), PAPI_ENOEVST);
	CHECK(PAPI_num_events(set), 0);
	OK(PAPI_event_name_to_code(FAULTS, &code));
	codes[0] = code;
	OK(PAPI_event_name_to_code(MINOR, &codes[1]));
	codes[2] = PAPI_NATIVE_MASK | 0x3fffff0;
	codes[3] = code;
	CHECK(PAPI_add_events(set, codes, 3), 2);
	CHECK(PAPI_add_events(set, codes, 0), PAPI_EINVAL);
	CHECK(PAPI_add_events(set, codes, 1), PAPI_ECNFLCT);
	TRUE(PAPI_add_named_event(set, "upc:::no_such_event") < 0);
	CHECK(PAPI_num_events(set), 2);
	n = 1;
	OK(PAPI_list_events(set, codes + 4, &n));
	TRUE(n == 1 && codes[4] == code);
	n = 0;
	OK(PAPI_list_events(set, NULL, &n));
	TRUE(n == 2);
	n = set;
	CHECK(PAPI_destroy_eventset(&n), PAPI_EINVAL);
	OK(PAPI_start(set));
	CHECK(PAPI_cleanup_eventset(set), PAPI_EISRUN);
	CHECK(PAPI_destroy_eventset(&n), PAPI_EISRUN);
	CHECK(PAPI_add_event(set, codes[1]), PAPI_EISRUN);
	CHECK(PAPI_read(set, NULL), PAPI_EINVAL);
	OK(PAPI_stop(set, NULL));
	OK(PAPI_state(set, &state));
	TRUE(state == PAPI_STOPPED);
	OK(PAPI_remove_event(set, code));
	CHECK(PAPI_remove_event(set, code), PAPI_EINVAL);
	OK(PAPI_remove_named_event(set, MINOR));
	OK(PAPI_destroy_eventset(&set));
	TRUE(set == PAPI_NULL);
	printf("errors\n");
}

static void case_multiplex(const char *argument)
{
	PAPI_option_t option;
	int set = PAPI_NULL, state;

	(void)argument;
	init();
	OK(PAPI_multiplex_init());
	OK(PAPI_create_eventset(&set));
	OK(PAPI_assign_eventset_component(set, PAPI_get_component_index("upc")));
	CHECK(PAPI_get_multiplex(set), 0);
	OK(PAPI_set_multiplex(set));
	CHECK(PAPI_get_multiplex(set), 1);
	OK(PAPI_add_named_event(set, FAULTS));
	OK(PAPI_state(set, &state));
	TRUE(state == (PAPI_STOPPED | PAPI_MULTIPLEXING));
	memset(&option, 0, sizeof(option));
	option.multiplex.eventset = set;
	CHECK(PAPI_get_opt(PAPI_MULTIPLEX, &option), 1);
	TRUE(option.multiplex.eventset == set);
	OK(PAPI_start(set));
	touch(100);
	OK(PAPI_stop(set, NULL));
	end_set(set);
	printf("multiplex\n");
}

/* ---- what multiplexing cannot give --------------------------------------------------- */

static volatile int overflows, overflow_set;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)address;
	(void)vector;
	(void)context;
	overflow_set = set;
	overflows++;
}

/* A set of PAPI's own beside one of MPX: their numbers differ, and they do not run at once. */
static void case_overflow(const char *argument)
{
	long long value[1], other[1];
	int set, beside, code;

	(void)argument;
	init();
	OK(PAPI_event_name_to_code(FAULTS, &code));
	beside = set_of(one);
	set = set_of(one);
	OK(PAPI_overflow(set, code, 100, 0, on_overflow));
	OK(PAPI_start(set));
	CHECK(PAPI_start(beside), PAPI_EISRUN);
	touch(1000);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 1000 && value[0] < 1200);
	TRUE(overflows >= 9 && overflow_set == set);
	OK(PAPI_start(beside));
	CHECK(PAPI_start(set), PAPI_EISRUN);
	touch(100);
	OK(PAPI_stop(beside, other));
	TRUE(other[0] >= 100 && other[0] < 200);
	OK(PAPI_overflow(set, code, 0, 0, on_overflow));
	end_set(set);
	end_set(beside);
	printf("overflows\n");
}

static void case_attach(const char *argument)
{
	long long value[1];
	int set, hold[2], go[2];
	char c = 0;
	pid_t child;

	(void)argument;
	init();
	TRUE(!pipe(hold) && !pipe(go));
	fflush(NULL);
	child = fork();
	TRUE(child >= 0);
	if (!child) {
		TRUE(read(go[0], &c, 1) == 1);
		touch(500);
		TRUE(write(hold[1], &c, 1) == 1);
		_exit(read(go[0], &c, 1) != 1);
	}
	set = set_of(one);
	OK(PAPI_attach(set, (unsigned long)child));
	OK(PAPI_start(set));
	TRUE(write(go[1], &c, 1) == 1 && read(hold[0], &c, 1) == 1);
	OK(PAPI_stop(set, value));
	TRUE(write(go[1], &c, 1) == 1 && waitpid(child, NULL, 0) == child);
	TRUE(value[0] >= 500 && value[0] < 600);
	end_set(set);
	printf("attached\n");
}

static void case_refused(const char *argument)
{
	long long value[1] = {5};
	int set, code;

	(void)argument;
	init();
	OK(PAPI_event_name_to_code(FAULTS, &code));
	set = set_of(one);
	CHECK(PAPI_write(set, value), PAPI_ENOSUPP);
	OK(PAPI_start(set));
	CHECK(PAPI_overflow(set, code, 100, 0, on_overflow), PAPI_EISRUN);
	CHECK(PAPI_attach(set, (unsigned long)getppid()), PAPI_EISRUN);
	touch(100);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 100 && value[0] < 200);
	/* No process has this number: PAPI refuses it, and the set goes on as it was. */
	TRUE(PAPI_attach(set, 0x3fffffff) < 0);
	OK(PAPI_start(set));
	touch(100);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 100 && value[0] < 200);
	end_set(set);
	printf("refused\n");
}

/* The high-level calls have a set of their own inside PAPI, which is none of MPX. */
static void case_high_level(const char *argument)
{
	long long value[1];
	int set;

	(void)argument;
	OK(PAPI_hl_region_begin("region"));
	set = set_of(one);
	CHECK(PAPI_start(set), PAPI_EISRUN);
	touch(100);
	OK(PAPI_hl_region_end("region"));
	OK(PAPI_hl_stop());
	OK(PAPI_start(set));
	touch(100);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 100 && value[0] < 200);
	end_set(set);
	printf("high level\n");
}

/* The Fortran functions, as gfortran calls them. A PAPI that was built without a Fortran compiler
 * may have none of them (7.3). */
#pragma weak papif_create_eventset_
#pragma weak papif_add_named_event_
#pragma weak papif_start_
#pragma weak papif_stop_
void papif_create_eventset_(int *set, int *check);
void papif_add_named_event_(int *set, char *name, int *check, int length);
void papif_start_(int *set, int *check);
void papif_stop_(int *set, long long *values, int *check);

static void case_fortran(const char *argument)
{
	char name[] = FAULTS;
	int a = PAPI_NULL, b = PAPI_NULL, check;
	long long value[1];

	(void)argument;
	/* mpx_run itself defines the first of them. */
	if (!papif_start_) {
		printf("no Fortran\n");
		return;
	}
	init();
	papif_create_eventset_(&a, &check);
	OK(check);
	papif_create_eventset_(&b, &check);
	OK(check);
	papif_add_named_event_(&a, name, &check, (int)strlen(name));
	OK(check);
	papif_add_named_event_(&b, name, &check, (int)strlen(name));
	OK(check);
	papif_start_(&a, &check);
	OK(check);
	papif_start_(&b, &check);
	OK(check);
	touch(100);
	papif_stop_(&b, value, &check);
	OK(check);
	TRUE(value[0] >= 100 && value[0] < 200);
	papif_stop_(&a, value, &check);
	OK(check);
	TRUE(value[0] >= 100 && value[0] < 200);
	printf("fortran\n");
}

/* ---- threads and processes ----------------------------------------------------------- */

static void *work(void *argument)
{
	long long values[N_FIVE];
	long n = *(long *)argument;
	int set = set_of(five);

	OK(PAPI_start(set));
	touch(n);
	OK(PAPI_stop(set, values));
	TRUE(values[0] >= 0);
	if (n % 2) {
		/* The other half of the threads end without these calls. */
		end_set(set);
		OK(PAPI_unregister_thread());
	}
	return NULL;
}

static void case_threads(const char *argument)
{
	enum { THREADS = 8 };
	int rounds = argument ? atoi(argument) : 3, i;
	pthread_t thread[THREADS];
	long n[THREADS];

	init();
	OK(PAPI_thread_init(pthread_self));
	while (rounds-- > 0) {
		for (i = 0; i < THREADS; i++) {
			n[i] = 2000 + i;
			TRUE(!pthread_create(&thread[i], NULL, work, &n[i]));
		}
		for (i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
	}
	printf("threads\n");
}

static int shared_set;

static void *use_others(void *unused)
{
	long long value[1];

	(void)unused;
	CHECK(PAPI_read(shared_set, value), PAPI_EPERM);
	return NULL;
}

static void case_others(const char *argument)
{
	pthread_t thread;

	(void)argument;
	init();
	OK(PAPI_thread_init(pthread_self));
	shared_set = set_of(one);
	TRUE(!pthread_create(&thread, NULL, use_others, NULL));
	pthread_join(thread, NULL);
	end_set(shared_set);
	printf("others\n");
}

static void count_once(const char *name, long n)
{
	long long values[N_FIVE];
	int set = set_of(five);

	OK(PAPI_start(set));
	touch(n);
	OK(PAPI_stop(set, values));
	printf("%s\n", name);
	fflush(stdout);
	end_set(set);
}

/* The child counts for itself, while its parent's sets go on. */
static void case_fork(const char *argument)
{
	long long value[1];
	int set, status;
	pid_t child;

	init();
	set = set_of(one);
	OK(PAPI_start(set));
	touch(100);
	fflush(NULL);
	child = fork();
	TRUE(child >= 0);
	if (!child) {
		CHECK(PAPI_read(set, value), PAPI_ENOEVST);
		init();
		count_once("child", 20000);
		if (argument)
			_exit(0);
		exit(0);
	}
	TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	touch(100);
	OK(PAPI_stop(set, value));
	TRUE(value[0] >= 200 && value[0] < 400);
	end_set(set);
	printf("parent\n");
}

/* Executes a program while a set runs and ticks are on their way. */
static void case_exec(const char *argument)
{
	char *const nowhere[] = {(char *)"/nowhere/at/all", NULL};
	int set;

	init();
	set = set_of(five);
	OK(PAPI_start(set));
	touch(10000);
	TRUE(execv(nowhere[0], nowhere) == -1);
	touch(10000);
	/* The set runs on after an exec that failed. */
	OK(PAPI_read(set, (long long[N_FIVE]){0}));
	if (argument)
		execl("/proc/self/exe", "mpx_run_program", "one", (char *)NULL);
	execlp("sh", "sh", "-c", "echo exec", (char *)NULL);
	fail(__LINE__, "exec", 0);
}

static void case_spawn(const char *argument)
{
	char *const own[] = {(char *)"mpx_run_program", (char *)"one", NULL};
	int set, status;
	pid_t child;

	(void)argument;
	init();
	set = set_of(five);
	OK(PAPI_start(set));
	touch(5000);
	TRUE(!posix_spawn(&child, "/proc/self/exe", NULL, NULL, own, environ));
	touch(20000);
	TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	child = vfork();
	if (!child) {
		execl("/proc/self/exe", "mpx_run_program", "one", (char *)NULL);
		_exit(127);
	}
	TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	OK(PAPI_stop(set, NULL));
	end_set(set);
	printf("spawned\n");
}

static void case_shutdown(const char *argument)
{
	int i, set;

	(void)argument;
	for (i = 0; i < 3; i++) {
		init();
		set = set_of(five);
		OK(PAPI_start(set));
		touch(3000);
		PAPI_shutdown();
		TRUE(PAPI_is_initialized() == PAPI_NOT_INITED);
		CHECK(PAPI_read(set, (long long[N_FIVE]){0}), PAPI_ENOEVST);
	}
	printf("shutdown\n");
}

/* Sets that come and go are added up. */
static void case_churn(const char *argument)
{
	int i, n = argument ? atoi(argument) : 500;
	long long value[1], sum = 0;

	init();
	for (i = 0; i < n; i++) {
		int set = set_of(one);

		OK(PAPI_start(set));
		touch(10);
		OK(PAPI_stop(set, value));
		TRUE(value[0] >= 10);
		sum += value[0];
		end_set(set);
	}
	printf("churn %lld\n", sum);
}

static void case_none(const char *argument)
{
	if (argument)
		exit(atoi(argument));
}

static void case_signal(const char *argument)
{
	(void)argument;
	init();
	OK(PAPI_start(set_of(five)));
	raise(SIGTERM);
}

static void not_called(int number)
{
	(void)number;
}

/* Checks the answers to the program about a signal that it has not taken, and about one that it has. */
static void look_at_signals(int number)
{
	struct sigaction action = {.sa_handler = not_called}, before;

	TRUE(!sigaction(number, NULL, &before) && before.sa_handler == SIG_DFL && !before.sa_flags);
	TRUE(!sigaction(number, &action, &before) && before.sa_handler == SIG_DFL);
	TRUE(signal(number, SIG_IGN) == not_called);
	raise(number);
	TRUE(signal(number, SIG_DFL) == SIG_IGN);
	TRUE(signal(number, not_called) == SIG_DFL);
	TRUE(!sigaction(number, NULL, &before) && before.sa_handler == not_called);
	before.sa_handler = SIG_DFL;
	TRUE(!sigaction(number, &before, &action) && action.sa_handler == not_called);
}

/* Starts a set at one place in the program. */
static __attribute__((noinline)) void start_here(int set)
{
	OK(PAPI_start(set));
	__asm__ volatile("" : : : "memory"); /* a call, and no jump */
}

/* Makes a hundred faults in each start at one place, with all calls that end a stretch; and 4000 in
 * the starts at another place. */
static void case_places(const char *argument)
{
	long long value[1], sum[1] = {0};
	int set, i;

	(void)argument;
	init();
	set = set_of(one);
	for (i = 0; i < 20; i++) {
		start_here(set);
		touch(40);
		OK(PAPI_reset(set));
		touch(40);
		OK(PAPI_accum(set, sum));
		touch(20);
		OK(PAPI_stop(set, value));
	}
	for (i = 0; i < 4; i++) {
		OK(PAPI_start(set));
		touch(1000);
		OK(PAPI_stop(set, value));
	}
	end_set(set);
	/* Another set, which the report merges with the first one. */
	set = set_of(one);
	start_here(set);
	touch(500);
	OK(PAPI_stop(set, value));
	end_set(set);
}

static void nothing(int number)
{
	(void)number;
}

static void *raise_later(void *unused)
{
	struct timespec wait = {.tv_nsec = 200000000};

	(void)unused;
	/* Its timer's signals interrupt it. */
	while (nanosleep(&wait, &wait))
		;
	raise(SIGTERM);
	return NULL;
}

/* The signal comes to two threads, one after the other, in a program with a timer. */
static void case_killed_twice(const char *argument)
{
	const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
	struct sigevent alarms = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	pthread_t other;
	timer_t timer;

	(void)argument;
	init();
	OK(PAPI_start(set_of(one)));
	touch(1000);
	signal(SIGALRM, nothing);
	TRUE(!timer_create(CLOCK_MONOTONIC, &alarms, &timer) && !timer_settime(timer, 0, &often, NULL));
	TRUE(!pthread_create(&other, NULL, raise_later, NULL));
	raise(SIGTERM);
}

static atomic_bool churns;

static void *churn_for_ever(void *unused)
{
	(void)unused;
	for (;;) {
		int set = PAPI_NULL;

		OK(PAPI_create_eventset(&set));
		OK(PAPI_destroy_eventset(&set));
		churns = true;
	}
	return NULL;
}

/* Other threads make sets all the time. */
static void case_killed_busy(const char *argument)
{
	pthread_t other;
	int i;

	(void)argument;
	init();
	OK(PAPI_start(set_of(one)));
	touch(1000);
	for (i = 0; i < 4; i++)
		TRUE(!pthread_create(&other, NULL, churn_for_ever, NULL));
	while (!churns)
		;
	raise(SIGTERM);
}

/* A set runs that is never read, and a signal comes, or a fault. */
static void case_killed(const char *argument)
{
	int number = argument ? atoi(argument) : SIGTERM;

	init();
	look_at_signals(number);
	OK(PAPI_start(set_of(one)));
	touch(1000);
	if (number == SIGSEGV)
		*(volatile char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	else if (number == SIGABRT)
		abort();
	else
		raise(number);
}

static void case_running(const char *argument)
{
	(void)argument;
	init();
	OK(PAPI_start(set_of(one)));
	touch(1000);
}

/* A program that closes descriptors that are not its own: those of the counters are among them. */
static void case_closes(const char *argument)
{
	long long values[N_FIVE];
	int set, fd, error;

	(void)argument;
	init();
	set = set_of(five);
	OK(PAPI_start(set));
	touch(3000);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	touch(30000);
	error = PAPI_stop(set, values);
	TRUE(error == PAPI_OK || error == PAPI_ESYS);
	printf("closes\n");
}

static volatile sig_atomic_t in_handler;

/* Stands in front of the C library's function, which takes a lock, and may allocate. */
__attribute__((visibility("default"))) char *strerror(int error)
{
	if (in_handler && write(STDOUT_FILENO, "strerror\n", 9) != 9)
		abort();
	return (char *)(uintptr_t)strerrordesc_np(error);
}

static void leave(int number)
{
	(void)number;
	in_handler = 1;
	_exit(7);
}

/* Ends in a handler, with no descriptor for a report. */
static void case_leave(const char *argument)
{
	const struct rlimit none = {0, 0};

	(void)argument;
	init();
	OK(PAPI_start(set_of(one)));
	touch(100);
	TRUE(!setrlimit(RLIMIT_NOFILE, &none));
	signal(SIGUSR1, leave);
	raise(SIGUSR1);
}

/* clang-format off: a line for each */
static const struct {
	const char *name;
	void (*run)(const char *argument);
} cases[] = {
	{"one", case_one},
	{"two", case_two},
	{"many", case_many},
	{"compute", case_compute},
	{"mixed", case_mixed},
	{"accum", case_accum},
	{"stretches", case_stretches},
	{"short", case_short},
	{"errors", case_errors},
	{"multiplex", case_multiplex},
	{"overflow", case_overflow},
	{"attach", case_attach},
	{"refused", case_refused},
	{"high-level", case_high_level},
	{"fortran", case_fortran},
	{"threads", case_threads},
	{"others", case_others},
	{"fork", case_fork},
	{"exec", case_exec},
	{"spawn", case_spawn},
	{"shutdown", case_shutdown},
	{"churn", case_churn},
	{"none", case_none},
	{"signal", case_signal},
	{"places", case_places},
	{"killed", case_killed},
	{"killed-twice", case_killed_twice},
	{"killed-busy", case_killed_busy},
	{"closes", case_closes},
	{"running", case_running},
	{"leave", case_leave},
};
/* clang-format on */

int main(int argc, char **argv)
{
	size_t i;

	setlocale(LC_ALL, "");
	for (i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run(argc > 2 ? argv[2] : NULL);
			return 0;
		}
	fprintf(stderr, "usage: mpx_run_program CASE [ARGUMENT]\n");
	return 2;
}
