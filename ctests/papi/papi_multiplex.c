/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_multiplex - PAPI_set_multiplex on sets of the component: more events than a unit
 * has counters, and both events of one counter, exact; more hardware events than the PMU
 * holds, estimated. Where there is no PMU, $UPC_MULTIPLEX_GROUP makes software events
 * take turns.
 */
#include <inttypes.h>
#include <signal.h>
#include <time.h>

#include "papi_script.h"
#include "../pmu/pmu_util.h"

#define MANY 300
#define TURNS 8
#define GROUP "UPC_MULTIPLEX_GROUP"

static int component;

/* A multiplexed set of the component without an event. */
static int multiplexed(int ns)
{
	PAPI_option_t option = {.multiplex = {.ns = ns}};
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK ||
	    PAPI_assign_eventset_component(set, component) != PAPI_OK)
		return PAPI_NULL;
	option.multiplex.eventset = set;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	return (ns ? PAPI_set_opt(PAPI_MULTIPLEX, &option) : PAPI_set_multiplex(set)) == PAPI_OK ? set
												 : PAPI_NULL;
}

static void call_getppid(unsigned n)
{
	while (n--)
		(void)syscall(SYS_getppid);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- more than 256 events -------------------------------------------------------- */

/* Tracepoints of this machine until the set has so many events. */
static int fill(int set, int n)
{
	int code = PAPI_NATIVE_MASK, more;

	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
	     more == PAPI_OK && PAPI_num_events(set) < n;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		char name[PAPI_MAX_STR_LEN];

		if (PAPI_event_code_to_name(code, name) == PAPI_OK &&
		    !strncmp(name, "upc:::tp::syscalls:", strlen("upc:::tp::syscalls:")) &&
		    !strstr(name, "getppid") && !strstr(name, "madvise"))
			(void)PAPI_add_event(set, code);
	}
	return PAPI_num_events(set);
}

/* Tracepoints that could not be added: nothing is wrong where nobody may count them. */
static void lacks(int events)
{
	if (machine_traces())
		ok(0, "%d tracepoints", events);
	else
		skip("this machine has no %d tracepoints for this user", events);
}

static void test_many(void)
{
	static long long values[1024];
	struct sigaction before, after;
	int set = multiplexed(0), n, error;

	if (!ok(set != PAPI_NULL && PAPI_get_multiplex(set) == 1, "a set is multiplexed"))
		return;
	error = PAPI_add_named_event(set, FAULTS);
	if (error != PAPI_OK || fill(set, MANY - 2) < MANY - 2 ||
	    PAPI_add_named_event(set, "upc:::tp::syscalls:sys_enter_getppid") != PAPI_OK) {
		lacks(MANY);
		drop(&set);
		return;
	}
	ok(PAPI_add_named_event(set, "upc:::tp::syscalls:sys_enter_madvise") == PAPI_OK,
	   "a unit has 256 counters, and the set %d events", PAPI_num_events(set));
	n = PAPI_num_events(set);
	sigaction(SIGRTMIN + 6, NULL, &before);
	ok(PAPI_start(set) == PAPI_OK, "they are started");
	sigaction(SIGRTMIN + 6, NULL, &after);
	ok(before.sa_handler == after.sa_handler, "without a signal");
	touch_pages(100);
	call_getppid(50);
	ok(PAPI_read(set, values) == PAPI_OK && about(values[0], 100) && values[n - 2] == 50 &&
		   values[n - 1] == 1,
	   "the first and the last count exactly (%lld faults, %lld and %lld calls)", values[0],
	   values[n - 2], values[n - 1]);
	ok(PAPI_write(set, values) == PAPI_ENOSUPP, "they cannot be preset");
	ok(PAPI_reset(set) == PAPI_OK, "they are reset");
	call_getppid(7);
	values[n - 2] = 1000;
	ok(PAPI_accum(set, values) == PAPI_OK && values[n - 2] == 1007, "they are accumulated: %lld",
	   values[n - 2]);
	ok(PAPI_stop(set, values) == PAPI_OK && values[n - 2] == 0, "and begin at 0 after it");
	ok(PAPI_remove_named_event(set, FAULTS) == PAPI_OK && PAPI_start(set) == PAPI_OK, "one is taken out");
	call_getppid(9);
	ok(PAPI_stop(set, values) == PAPI_OK && values[n - 3] == 9 && values[n - 2] == 0,
	   "and the others keep their places (%lld, %lld)", values[n - 3], values[n - 2]);
	drop(&set);
}

/* PAPI's list of events is right in the other order of things, too. */
static void test_later(void)
{
	static long long values[1024];
	int set = set_with(FAULTS), n;

	ok(set != PAPI_NULL && PAPI_set_multiplex(set) == PAPI_OK, "a set with events is multiplexed");
	ok(PAPI_set_multiplex(set) == PAPI_EINVAL, "once");
	ok(PAPI_start(set) == PAPI_OK, "it starts");
	touch_pages(100);
	ok(PAPI_stop(set, values) == PAPI_OK && about(values[0], 100), "and is exact: %lld", values[0]);
	ok(PAPI_overflow(set, PAPI_NULL, 0, 0, NULL) != PAPI_OK, "no overflow of no event");
	n = fill(set, MANY);
	if (n == MANY) {
		touch_pages(1);
		PAPI_start(set);
		touch_pages(100);
		ok(PAPI_stop(set, values) == PAPI_OK && about(values[0], 100),
		   "with %d events it is, too: %lld", n, values[0]);
	} else {
		lacks(MANY);
	}
	drop(&set);
}

/* ---- both events of a counter ----------------------------------------------------- */

static int child_of(int (*fn)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(fn());
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A script can give counts for every signal: takes the first id that has a name and a twin. */
static int both_of_a_script(void)
{
	char text[600];
	long long values[2];
	int set, id = 0, i;

	while (id < 256 && (!bgp_names[id] || !bgp_names[id + 256]))
		id++;
	snprintf(text, sizeof(text), "upc-trace 1\n");
	for (i = 0; i < 3; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "c 10 %d\nc 10 %d\n", id,
			 id + 256);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "c 10 %d\ns\n", id + 256);
	use_script(text);
	component = start_papi();
	set = multiplexed(0);
	if (PAPI_add_named_event(set, event_name(id, NULL)) != PAPI_OK)
		return 2;
	if (PAPI_add_named_event(set, event_name(id + 256, NULL)) != PAPI_OK)
		return 3;
	if (PAPI_start(set) != PAPI_OK || PAPI_read(set, values) != PAPI_OK)
		return 4;
	note("%s %lld, %s %lld", event_name(id, NULL), values[0], event_name(id + 256, NULL), values[1]);
	return values[0] == 30 && values[1] == 40 ? 0 : 1;
}

/* ---- taking turns, on any machine ----------------------------------------------------- */

static const char *const turning[TURNS] = {
	FAULTS,
	"upc:::perf::MINOR-FAULTS",
	"upc:::tp::syscalls:sys_enter_getppid",
	"upc:::tp::syscalls:sys_exit_getppid",
	"upc:::tp::syscalls:sys_enter_mmap",
	"upc:::tp::syscalls:sys_enter_munmap",
	"upc:::tp::syscalls:sys_enter_madvise",
	"upc:::tp::syscalls:sys_exit_mmap",
};
/* The counts of each event in a round of the load. */
static const double per_round[TURNS] = {20, 20, 10, 10, 1, 1, 1, 1};

#define SLICE_NS 1000000

/* Runs mostly in user mode: slices may end there only. */
static unsigned rounds(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;
	volatile unsigned work = 0;
	unsigned n, i;

	begin_round();
	for (n = 0; cpu_ns() < end; n++) {
		touch_pages(20);
		call_getppid(10);
		for (i = 0; i < 50000; i++)
			work = work + i;
		end_round(SLICE_NS);
	}
	return n;
}

/* Runs rounds until their times agree so well that an estimate from a part of them is within 2 per
 * cent of all, for 10 s at most: other work on the machine makes the times differ. */
static unsigned rounds_that_agree(uint64_t ns)
{
	const uint64_t begin = cpu_ns();
	unsigned n = 0;

	do
		n += rounds(ns);
	while (rounds_variance(TURNS / 2) > 0.02 * 0.02 && cpu_ns() < begin + 10000000000u);
	return n;
}

static int set_of_turns(int ns)
{
	int set = multiplexed(ns), i;

	for (i = 0; i < TURNS; i++)
		if (PAPI_add_named_event(set, turning[i]) != PAPI_OK)
			return PAPI_NULL;
	return set;
}

/* Per cent. In lost time one group of two counts nothing: it has so much less than its part of
 * all, and the others seem to have more. */
static int is_near(double worst, double near)
{
	near += 100 * (TURNS / 2 - 1) * lost_share();
	return worst < near && worst > -near;
}

static void note_rounds(void)
{
	note("%.2f %% of the time was lost; rounds vary: %.3f squares of a per cent", 100 * lost_share(),
	     100 * 100 * rounds_variance(TURNS / 2));
}

static double worst_of(const long long *values, unsigned n)
{
	double worst = 0, error;
	int i;

	for (i = 0; i < TURNS; i++) {
		error = (double)values[i] / (n * per_round[i]) - 1;
		worst = error * error > worst * worst ? error : worst;
	}
	return 100 * worst;
}

/* With slices of which there will be only one. */
static void check_never(void)
{
	int set = set_of_turns(1000000000), never = 0, counted = 0, i;
	long long values[TURNS], sums[TURNS];

	for (i = 0; i < TURNS; i++)
		sums[i] = 100;
	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK, "a set is read at once");
	for (i = 0; i < TURNS; i++) {
		never += values[i] == -1;
		counted += values[i] >= 0;
	}
	ok(counted && never && counted + never == TURNS,
	   "%d events had a slice, and %d not, which is not 0 but -1", counted, never);
	ok(PAPI_accum(set, sums) == PAPI_EMISC && sums[0] == 100,
	   "nothing is accumulated before all have been counted");
	ok(PAPI_stop(set, values) == PAPI_OK, "and it stops");
	drop(&set);
}

static void check_steady(int set)
{
	long long values[TURNS], before[TURNS], sums[TURNS];
	int falls = 0, i, k, error;
	unsigned n = 0;

	/* On a busy machine not all have had a slice when they are first read. */
	for (i = 0; i < TURNS; i++) {
		before[i] = -1;
		sums[i] = 1000;
	}
	forget_rounds();
	ok(PAPI_start(set) == PAPI_OK, "a set takes turns");
	for (k = 0; k < 8; k++) {
		n += rounds(25000000);
		PAPI_read(set, values);
		for (i = 0; i < TURNS; i++) {
			falls += values[i] < before[i];
			before[i] = values[i];
		}
	}
	ok(!falls, "what is read never falls");
	n += rounds_that_agree(200000000);
	error = PAPI_accum(set, sums);
	for (i = 0; i < TURNS; i++)
		sums[i] -= 1000;
	ok(error == PAPI_OK && is_near(worst_of(sums, n), 10), "the worst of %d estimates is %+.2f %% off",
	   TURNS, worst_of(sums, n));
	note_rounds();
	forget_rounds();
	n = rounds_that_agree(200000000);
	ok(PAPI_stop(set, values) == PAPI_OK && is_near(worst_of(values, n), 10),
	   "and of those since: %+.2f %%", worst_of(values, n));
	note_rounds();
}

static void *start_foreign(void *arg)
{
	static int error;

	error = PAPI_start(*(int *)arg);
	return &error;
}

static void check_refused(int set)
{
	PAPI_option_t option = {.multiplex = {.ns = 50000}};
	int other = set_of_turns(SLICE_NS), plain = PAPI_NULL, *error, code = 0;
	long long values[TURNS];
	pthread_t thread;

	PAPI_event_name_to_code(FAULTS, &code);
	ok(PAPI_overflow(set, code, 1000, 0, (PAPI_overflow_handler_t)abort) == PAPI_ENOSUPP,
	   "no overflow of a multiplexed set");
	ok(PAPI_attach(set, (unsigned long)getppid()) == PAPI_ENOSUPP, "nobody else is counted in turns");
	pthread_create(&thread, NULL, start_foreign, &set);
	pthread_join(thread, (void **)&error);
	ok(*error == PAPI_ENOSUPP, "nor can another thread start it: %d", *error);
	ok(PAPI_start(set) == PAPI_OK && PAPI_start(other) == PAPI_EISRUN,
	   "one such set of a thread at a time");
	PAPI_stop(set, values);
	drop(&other);
	PAPI_create_eventset(&plain);
	PAPI_assign_eventset_component(plain, component);
	option.multiplex.eventset = plain;
	ok(PAPI_set_opt(PAPI_MULTIPLEX, &option) == PAPI_EINVAL, "no slice of 50 us");
	PAPI_destroy_eventset(&plain);
}

static void check_fork(int set)
{
	long long values[TURNS] = {0};
	int status = 0;
	unsigned n;
	pid_t child;

	PAPI_start(set);
	rounds(50000000);
	fflush(stdout);
	child = fork();
	if (!child) {
		/* The inherited set stands still; started again, it counts the child. */
		alarm(600);
		if (PAPI_read(set, values) != PAPI_OK || values[0] || PAPI_stop(set, values) != PAPI_OK)
			_exit(1);
		if (PAPI_start(set) != PAPI_OK)
			_exit(2);
		forget_rounds();
		n = rounds_that_agree(200000000);
		if (PAPI_stop(set, values) != PAPI_OK)
			_exit(3);
		note("the worst estimate of the child is %+.2f %% off", worst_of(values, n));
		note_rounds();
		fflush(stdout);
		_exit(is_near(worst_of(values, n), 20) ? 0 : 4);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "a forked child has turns of its own (%#x)",
	   (unsigned)status);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] > 0, "and its parent goes on: %lld", values[0]);
}

/* A thread that ends in the middle of it, its set running. */
static void *run_and_end(void *arg)
{
	int set = set_of_turns(200000);

	(void)arg;
	if (set != PAPI_NULL && PAPI_start(set) == PAPI_OK)
		rounds(5000000);
	return NULL;
}

static void test_turns(void)
{
	long long values[TURNS];
	struct sigaction before, after;
	pthread_t thread[8];
	unsigned n;
	int set, i;

	setenv(GROUP, "2", 1);
	set = set_of_turns(SLICE_NS);
	if (set == PAPI_NULL) {
		lacks(TURNS);
		unsetenv(GROUP);
		return;
	}
	sigaction(SIGRTMIN + 6, NULL, &before);
	check_never();
	check_steady(set);
	check_refused(set);
	check_fork(set);
	for (i = 2; i < TURNS; i++)
		PAPI_remove_named_event(set, turning[i]);
	PAPI_start(set);
	n = rounds(5000000);
	ok(PAPI_stop(set, values) == PAPI_OK && about(values[0], 20 * n),
	   "two events that fit together again are exact: %lld of %u", values[0], 20 * n);
	drop(&set);
	for (i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, run_and_end, NULL);
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	sigaction(SIGRTMIN + 6, NULL, &after);
	ok(1, "8 threads ended while their sets took turns");
	set = set_of_turns(0);
	ok(set != PAPI_NULL && PAPI_start(set) == PAPI_OK, "a set runs at PAPI's end");
	PAPI_shutdown();
	rounds(30000000);
	ok(1, "which it survives");
	unsetenv(GROUP);
}

/* ---- formulas ---------------------------------------------------------------------------- */

static const char formulas[] =
	"upc-wiring 1\n"
	"derived turn::sum = \"\\\"perf::PAGE-FAULTS\\\" + \\\"perf::MINOR-FAULTS\\\"\"\n"
	"derived turn::ratio = \"(100*\\\"perf::PAGE-FAULTS\\\") / \\\"perf::MINOR-FAULTS\\\"\"\n"
	"derived turn::files = \"task::minflt + task::majflt\"\n"
	"derived turn::mixed = \"\\\"perf::PAGE-FAULTS\\\" + task::minflt\"\n";

/* PAPI, with the formulas among its events. */
static int start_with_formulas(void)
{
	const char *directory = getenv("TMPDIR");
	char path[PATH_MAX];
	int fd, started;

	snprintf(path, sizeof(path), "%s/upc-wiring-XXXXXX", directory && *directory ? directory : "/tmp");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, formulas, sizeof(formulas) - 1) != (ssize_t)sizeof(formulas) - 1 ||
	    close(fd)) {
		printf("Bail out! no wiring file can be written to %s\n", path);
		exit(1);
	}
	setenv("UPC_WIRING", path, 1);
	started = start_papi();
	unsetenv("UPC_WIRING");
	unlink(path);
	return started;
}

/* A formula has the requirements of its terms. */
static void test_formulas(void)
{
	long long values[3];
	int set;

	setenv(GROUP, "1", 1);
	set = multiplexed(1000000);
	ok(PAPI_add_named_event(set, "upc:::turn::mixed") == PAPI_ENOSUPP,
	   "a formula over what takes turns and a file is refused");
	ok(PAPI_add_named_event(set, "upc:::turn::ratio") == PAPI_ENOSUPP,
	   "and a quotient of what takes turns");
	ok(PAPI_add_named_event(set, "upc:::turn::sum") == PAPI_OK &&
		   PAPI_add_named_event(set, FAULTS) == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::turn::files") == PAPI_OK,
	   "a sum takes turns, and one of files need not");
	PAPI_start(set);
	/* A slice can be over before the next fault. */
	while (PAPI_read(set, values) == PAPI_OK && (values[0] <= 0 || values[1] <= 0))
		rounds(5000000);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] > 0 && values[1] > 0 && values[2] > 0,
	   "all of them count (%lld, %lld, %lld)", values[0], values[1], values[2]);
	drop(&set);
	unsetenv(GROUP);
	set = multiplexed(0);
	ok(PAPI_add_named_event(set, "upc:::turn::mixed") == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::turn::ratio") == PAPI_OK && PAPI_start(set) == PAPI_OK,
	   "where nothing takes turns, each is taken");
	touch_pages(100);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] >= 200 && values[1] >= 100,
	   "and exact (%lld, %lld)", values[0], values[1]);
	drop(&set);
}

/* ---- the PMU ---------------------------------------------------------------------------- */

#define HARDWARE 16

/* Instructions and cycles of user mode under several names, then the CPU's others: all
 * that are events of their own, as PAPI names them. */
static char hardware[HARDWARE][PAPI_MAX_STR_LEN];

static int take_name(const char *name, int n)
{
	char full[PAPI_MAX_STR_LEN];
	int code, i;

	if (n == HARDWARE || PAPI_event_name_to_code(name, &code) != PAPI_OK ||
	    PAPI_event_code_to_name(code, full) != PAPI_OK)
		return n;
	for (i = 0; i < n; i++)
		if (!strcmp(hardware[i], full))
			return n;
	snprintf(hardware[n], sizeof(hardware[n]), "%s", full);
	return n + 1;
}

static int find_hardware(void)
{
	static const char *const variants[] = {"", ":u", ":u:h", ":u:mg", ":u:mh", ":u:h:mg"};
	static const char *const events[] = {
		"perf::INSTRUCTIONS",
		"perf::CYCLES",
		"arm_ac57::INST_RETIRED",
		"arm_ac57::CPU_CYCLES",
	};
	int code = PAPI_NATIVE_MASK, n = 0, more;
	char name[PAPI_MAX_STR_LEN];
	unsigned i, k;

	for (i = 0; i < sizeof(variants) / sizeof(*variants); i++)
		for (k = 0; k < sizeof(events) / sizeof(*events); k++) {
			snprintf(name, sizeof(name), "upc:::%s%s", events[k], variants[i]);
			n = take_name(name, n);
		}
	if (!n)
		return 0;
	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component))
		if (PAPI_event_code_to_name(code, name) == PAPI_OK && strstr(name + strlen("upc:::"), "::") &&
		    !strstr(name, "perf::") && !strstr(name, "tp::") && !strstr(name, "CYC"))
			n = take_name(name, n);
	return n;
}

static int add_hardware(int set, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (PAPI_add_named_event(set, hardware[i]) != PAPI_OK)
			break;
	return i;
}

/* Against the same loop with each event in a set of its own; one that counts next to
 * nothing must do so here. */
static void check_hardware(int set, int n, uint64_t instructions, double limit)
{
	long long values[HARDWARE], truth;
	double worst = 0, off;
	int error, i, one, moving = 0, strays = 0;

	error = PAPI_start(set);
	loop(instructions / PER_ROUND);
	error = error ? error : PAPI_stop(set, values);
	for (i = 0; !error && i < n; i++) {
		one = set_with(hardware[i]);
		truth = 0;
		PAPI_start(one);
		loop(instructions / PER_ROUND);
		PAPI_stop(one, &truth);
		PAPI_cleanup_eventset(one);
		PAPI_destroy_eventset(&one);
		if (truth < (long long)instructions / 10) {
			strays += values[i] > (long long)instructions / 10;
			continue;
		}
		moving++;
		off = (double)values[i] / (double)truth - 1;
		worst = off * off > worst * worst ? off : worst;
	}
	ok(!error && moving && !strays && 100 * worst < limit && 100 * worst > -limit,
	   "%" PRIu64 " million instructions: the worst of %d that move is %+.3f %% off (%d)",
	   instructions / 1000000, moving, 100 * worst, error);
}

static void test_hardware(void)
{
	int plain = PAPI_NULL, n = find_hardware(), set, fit;

	if (!n && machine_has_pmu())
		ok(0, "hardware events of the PMU");
	if (!LOOP_KNOWN || !n) {
		skip(n ? "no loop of known length for this processor" : "this machine has no PMU");
		return;
	}
	PAPI_create_eventset(&plain);
	fit = add_hardware(plain, n);
	PAPI_cleanup_eventset(plain);
	PAPI_destroy_eventset(&plain);
	set = multiplexed(1000000);
	ok(add_hardware(set, n) == n, "a multiplexed set has %d hardware events", n);
	if (fit == n)
		skip("this machine's PMU holds %d events at once", n);
	else
		note("%d of them fit together", fit);
	check_hardware(set, n, 20000000, 5);
	check_hardware(set, n, 200000000, 1);
	drop(&set);
}

int main(void)
{
	int both = child_of(both_of_a_script);

	ok(both == 0, "both events of a counter, of a script (%d)", both);
	component = start_with_formulas();
	test_many();
	test_later();
	test_hardware();
	test_formulas();
	test_turns();
	return done();
}
