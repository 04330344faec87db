/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_rig - sixteen instruction and cycle events on six counters. Compares libmpx with PAPI's kernel
 * multiplexing, PAPI's software multiplexing, and perf's multiplexing. The benchmark runs in the emulated
 * machine (scripts/pmu/pmu-shell), where a load can be counted exactly without multiplexing, and repeated to
 * the instruction.
 *
 * Usage: mpx_rig steady|phased|mixed [SEEDS]. Every measurement is a separate process. The error of a
 * measurement is the root mean square, over the events, of (value - truth) / truth. truth is the count of the
 * same load without multiplexing, so a method's own events are errors, too.
 */
#include <math.h>
#include <papi.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../ctests/pmu/pmu_util.h"
#include "bench.h"
#include "mpx.h"

#define EVENTS 16
#define SEEDS_MAX 64

/* An event: PAPI's name, and the attributes for perf_event_open. */
struct event {
	const char *name;
	struct raw raw;
};

#define USER(hw)                                                                \
	{                                                                       \
		.config = PERF_COUNT_HW_##hw, .user = 1, .group = -1, .cpu = -1 \
	}
#define KERNEL(hw)                                                                \
	{                                                                         \
		.config = PERF_COUNT_HW_##hw, .kernel = 1, .group = -1, .cpu = -1 \
	}
#define BOTH(hw)                                                                             \
	{                                                                                    \
		.config = PERF_COUNT_HW_##hw, .user = 1, .kernel = 1, .group = -1, .cpu = -1 \
	}

/* Events in PAPI's default domain, user mode. */
static const struct event steady_events[EVENTS] = {
	{"perf::INSTRUCTIONS", USER(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:u", USER(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:u=1", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:u", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:u", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:u=1", USER(INSTRUCTIONS)},
	{"perf_raw::r8", USER(INSTRUCTIONS)},
	{"perf_raw::r8:u", USER(INSTRUCTIONS)},
	{"perf::CYCLES", USER(CPU_CYCLES)},
	{"perf::CYCLES:u", USER(CPU_CYCLES)},
	{"perf::PERF_COUNT_HW_CPU_CYCLES", USER(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES", USER(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES:u", USER(CPU_CYCLES)},
	{"perf_raw::r11", USER(CPU_CYCLES)},
};

/* User-mode events in the domain of user and kernel mode: PAPI_TOT_CYC counts in the kernel, too, but these
 * events do not. */
static const struct event phased_events[EVENTS] = {
	{"perf::INSTRUCTIONS:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:k=0", USER(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:k=0:u=1", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:k=0", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:k=0:u=1", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:u=1:k=0", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:k=0", USER(INSTRUCTIONS)},
	{"perf_raw::r8:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf_raw::r8:k=0", USER(INSTRUCTIONS)},
	{"perf::CYCLES:u=1:k=0", USER(CPU_CYCLES)},
	{"perf::CYCLES:k=0", USER(CPU_CYCLES)},
	{"perf::PERF_COUNT_HW_CPU_CYCLES:u=1:k=0", USER(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES:u=1:k=0", USER(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES:k=0", USER(CPU_CYCLES)},
	{"perf_raw::r11:u=1:k=0", USER(CPU_CYCLES)},
};

/* Events of user and kernel mode: a method's own work in the kernel is counted, too. */
static const struct event mixed_events[EVENTS] = {
	{"perf::INSTRUCTIONS", BOTH(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf::INSTRUCTIONS:u=0:k=1", KERNEL(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:u=1:k=0", USER(INSTRUCTIONS)},
	{"arm_ac57::INST_RETIRED:u=0:k=1", KERNEL(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS:u=0:k=1", KERNEL(INSTRUCTIONS)},
	{"perf_raw::r8:u=1:k=0", USER(INSTRUCTIONS)},
	{"perf_raw::r8:u=0:k=1", KERNEL(INSTRUCTIONS)},
	{"perf::CYCLES", BOTH(CPU_CYCLES)},
	{"perf::CYCLES:u=1:k=0", USER(CPU_CYCLES)},
	{"perf::CYCLES:u=0:k=1", KERNEL(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES:u=1:k=0", USER(CPU_CYCLES)},
	{"arm_ac57::CPU_CYCLES:u=0:k=1", KERNEL(CPU_CYCLES)},
	{"perf_raw::r11:u=1:k=0", USER(CPU_CYCLES)},
	{"perf_raw::r11:u=0:k=1", KERNEL(CPU_CYCLES)},
};

static const struct event *events;
static int domain;

/* The result of a process, in memory that it shares with its parent. */
struct result {
	int done;
	unsigned slices;
	char message[200];
	double value[EVENTS];
};
static struct result *shared;

#define GIVE_UP(...)                                                             \
	do {                                                                     \
		snprintf(shared->message, sizeof(shared->message), __VA_ARGS__); \
		return;                                                          \
	} while (0)

/* ---- loads --------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double uniform(uint64_t *state)
{
	return (double)(draw(state) >> 11) * 0x1p-53;
}

struct load {
	const char *name;
	uint64_t cycles; /* total cycles, approximately */
	uint64_t phase;  /* mean length of a phase in cycles; 0: one phase in user mode */
};

/* Approximate cycles of a system call in the kernel, and of the user-mode work after it. Only the lengths of
 * phases depend on this number. */
#define CALL_CYCLES 500

/* Run a phase in which the thread is in the kernel half of the time. */
static void run_calls(uint64_t cycles)
{
	uint64_t i;

	for (i = 0; i < cycles; i += 2 * CALL_CYCLES) {
		call_loop(1);
		loop(CALL_CYCLES / PER_ROUND);
	}
}

static void run_load(const struct load *load, uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	uint64_t left = load->cycles, length;
	bool calls = false;

	if (!load->phase) {
		loop(load->cycles / PER_ROUND);
		return;
	}
	while (left) {
		/* A phase has 0.5 to 1.5 times the mean length. */
		length = (uint64_t)((0.5 + uniform(&state)) * (double)load->phase);
		length = length < left ? length : left;
		left -= length;
		if (calls)
			run_calls(length);
		else
			loop(length / PER_ROUND + 1);
		calls = !calls;
	}
}

/* Delay the load by a time that depends on the seed, so that timer ticks interrupt it elsewhere. */
static void shift_time(uint64_t seed)
{
	uint64_t state = seed * UINT64_C(0xd1342543de82ef95) + 7;
	unsigned i;

	for (i = 0; i < 4; i++)
		draw(&state);
	loop(1 + (uint64_t)(uniform(&state) * 4e6));
}

/* ---- methods --------------------------------------------------------------------------- */

struct method {
	const char *name;
	void (*run)(const struct method *method, const struct load *load, uint64_t seed);
	uint64_t slice_ns;
	int rotation_ms; /* rotation interval of the kernel's multiplexing */
	enum mpx_estimator estimator;
	enum mpx_clock clock;
};

/* Count the events without multiplexing, for the true counts. Events with the same attributes are opened
 * once. */
static void count_alone(const struct method *method, const struct load *load, uint64_t seed)
{
	int fd[EVENTS], of[EVENTS];
	uint64_t count;
	unsigned i, k;

	(void)method;
	for (i = 0; i < EVENTS; i++) {
		for (k = 0; k < i && memcmp(&events[k].raw, &events[i].raw, sizeof(struct raw)); k++)
			;
		of[i] = (int)k;
		fd[i] = k == i ? raw_open(events[i].raw) : -1;
		if (k == i && fd[i] < 0)
			GIVE_UP("perf_event_open: %m");
	}
	shift_time(seed);
	for (i = 0; i < EVENTS; i++)
		if (fd[i] >= 0)
			ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	run_load(load, seed);
	for (i = 0; i < EVENTS; i++)
		if (fd[i] >= 0)
			ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < EVENTS; i++) {
		count = raw_read(fd[of[i]]);
		if (count == UINT64_MAX)
			GIVE_UP("the kernel had to multiplex the events that are the measure");
		shared->value[i] = (double)count;
	}
	shared->done = 1;
}

/* Count with the kernel's multiplexing, and scale the counts as perf stat does. */
static void perf_scaled(const struct method *method, const struct load *load, uint64_t seed)
{
	uint64_t got[3]; /* count, time enabled, time running */
	int fd[EVENTS];
	unsigned i;

	(void)method;
	for (i = 0; i < EVENTS; i++) {
		fd[i] = raw_open(events[i].raw);
		if (fd[i] < 0)
			GIVE_UP("perf_event_open: %m");
	}
	shift_time(seed);
	for (i = 0; i < EVENTS; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	run_load(load, seed);
	for (i = 0; i < EVENTS; i++)
		ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < EVENTS; i++) {
		if (read(fd[i], got, sizeof(got)) != (ssize_t)sizeof(got))
			GIVE_UP("read: %m");
		shared->value[i] = got[2] ? (double)got[0] * (double)got[1] / (double)got[2] : 0;
	}
	shared->done = 1;
}

static void papi(const struct load *load, uint64_t seed, int flags, uint64_t ns)
{
	PAPI_option_t option = {0};
	long long value[EVENTS];
	int set = PAPI_NULL, error;
	unsigned i;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_set_domain(domain) != PAPI_OK)
		GIVE_UP("PAPI cannot be initialised");
	error = PAPI_multiplex_init();
	if (!error)
		error = PAPI_create_eventset(&set);
	if (!error)
		error = PAPI_assign_eventset_component(set, 0);
	option.multiplex.eventset = set;
	option.multiplex.ns = (int)ns;
	option.multiplex.flags = flags;
	if (!error)
		error = PAPI_set_opt(PAPI_MULTIPLEX, &option);
	if (error)
		GIVE_UP("PAPI's multiplexing: %s", PAPI_strerror(error));
	for (i = 0; i < EVENTS; i++) {
		error = PAPI_add_named_event(set, events[i].name);
		if (error)
			GIVE_UP("%s: %s", events[i].name, PAPI_strerror(error));
	}
	shift_time(seed);
	error = PAPI_start(set);
	if (error)
		GIVE_UP("PAPI_start: %s", PAPI_strerror(error));
	run_load(load, seed);
	error = PAPI_stop(set, value);
	if (error)
		GIVE_UP("PAPI_stop: %s", PAPI_strerror(error));
	for (i = 0; i < EVENTS; i++)
		shared->value[i] = (double)value[i];
	shared->done = 1;
}

static void papi_kernel(const struct method *method, const struct load *load, uint64_t seed)
{
	papi(load, seed, PAPI_MULTIPLEX_DEFAULT, method->slice_ns);
}

static void papi_software(const struct method *method, const struct load *load, uint64_t seed)
{
	papi(load, seed, PAPI_MULTIPLEX_FORCE_SW, method->slice_ns);
}

static void libmpx(const struct method *method, const struct load *load, uint64_t seed)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	long long value[EVENTS];
	unsigned i;
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT || PAPI_set_domain(domain) != PAPI_OK)
		GIVE_UP("PAPI cannot be initialised");
	options.slice_ns = method->slice_ns;
	options.estimator = method->estimator;
	options.clock = method->clock;
	options.seed = seed + 1;
	if (mpx_library_init(MPX_ABI_VERSION, &options) || mpx_set_create(&set))
		GIVE_UP("%s", mpx_last_message());
	for (i = 0; i < EVENTS; i++)
		if (mpx_set_add_named_event(set, events[i].name))
			GIVE_UP("%s", mpx_last_message());
	shift_time(seed);
	if (mpx_set_start(set))
		GIVE_UP("%s", mpx_last_message());
	run_load(load, seed);
	if (mpx_set_stop(set, value) || mpx_thread_get_info(&info))
		GIVE_UP("%s", mpx_last_message());
	for (i = 0; i < EVENTS; i++)
		shared->value[i] = value[i] == MPX_NEVER ? 0 : (double)value[i];
	shared->slices = (unsigned)info.slices;
	shared->done = 1;
}

static const struct method alone = {.name = "alone", .run = count_alone};
static const struct method methods[] = {
	{.name = "PAPI, kernel, 4 ms", .run = papi_kernel, .rotation_ms = 4},
	{.name = "PAPI, kernel, 1 ms", .run = papi_kernel, .rotation_ms = 1},
	{.name = "PAPI, software, 10 ms", .run = papi_software, .slice_ns = 10000000},
	{.name = "PAPI, software, 1 ms", .run = papi_software, .slice_ns = 1000000},
	{.name = "perf, 4 ms", .run = perf_scaled, .rotation_ms = 4},
	{.name = "perf, 1 ms", .run = perf_scaled, .rotation_ms = 1},
	{.name = "libmpx, 1 ms", .run = libmpx, .slice_ns = 1000000},
	{.name = "libmpx, 500 us", .run = libmpx, .slice_ns = 500000},
	{.name = "libmpx, 200 us", .run = libmpx, .slice_ns = 200000},
	{.name = "libmpx, 100 us", .run = libmpx, .slice_ns = 100000},
	{.name = "libmpx, ratio, 200 us",
	 .run = libmpx,
	 .slice_ns = 200000,
	 .estimator = MPX_ESTIMATOR_RATIO},
	{.name = "libmpx, user, 1 ms", .run = libmpx, .slice_ns = 1000000, .clock = MPX_CLOCK_USER},
	{.name = "libmpx, user, 200 us", .run = libmpx, .slice_ns = 200000, .clock = MPX_CLOCK_USER},
};
#define METHODS (sizeof(methods) / sizeof(*methods))

/* ---- comparison -------------------------------------------------------------------------- */

/* Set the rotation interval of the kernel's multiplexing. ms = 0: leave it unchanged. */
static void set_rotation(int ms)
{
	static const char path[] = "/sys/bus/event_source/devices/armv8_pmuv3/perf_event_mux_interval_ms";
	FILE *file = ms ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%d\n", ms);
	fclose(file);
}

static bool measure(const struct method *method, const struct load *load, uint64_t seed,
		    struct result *result)
{
	int status;
	pid_t child;

	memset(shared, 0, sizeof(*shared));
	set_rotation(method->rotation_ms ? method->rotation_ms : 4);
	fflush(stdout);
	child = fork();
	if (!child) {
		method->run(method, load, seed);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	if (status)
		snprintf(shared->message, sizeof(shared->message), "ended with status 0x%x",
			 (unsigned)status);
	*result = *shared;
	return result->done && !status;
}

struct sum {
	double squares, worst, low, high;
	unsigned n, failed, slices;
	char message[200];
};

static void add_errors(struct sum *sum, const struct result *result, const struct result *truth)
{
	double ratio;
	unsigned i;

	for (i = 0; i < EVENTS; i++) {
		ratio = result->value[i] / truth->value[i];
		sum->squares += (ratio - 1) * (ratio - 1);
		if (fabs(ratio - 1) > sum->worst)
			sum->worst = fabs(ratio - 1);
		if (!sum->n || ratio < sum->low)
			sum->low = ratio;
		if (!sum->n || ratio > sum->high)
			sum->high = ratio;
		sum->n++;
	}
	sum->slices += result->slices;
}

static void compare(const struct load *load, unsigned seeds)
{
	static struct result truth[SEEDS_MAX];
	double best_other = INFINITY, best = INFINITY, error;
	struct result result;
	unsigned m, s;

	for (s = 0; s < seeds; s++)
		if (!measure(&alone, load, s, &truth[s])) {
			printf("%s: no truth: %s\n", load->name, shared->message);
			return;
		}
	for (m = 0; m < METHODS; m++) {
		struct sum sum = {0};

		for (s = 0; s < seeds; s++) {
			if (measure(&methods[m], load, s, &result)) {
				add_errors(&sum, &result, &truth[s]);
			} else {
				sum.failed++;
				memcpy(sum.message, shared->message, sizeof(sum.message));
			}
		}
		if (!sum.n) {
			printf("| %s | %s | %s |||||\n", load->name, methods[m].name, sum.message);
			continue;
		}
		error = sqrt(sum.squares / sum.n);
		if (methods[m].run != libmpx)
			best_other = error < best_other ? error : best_other;
		else
			best = error < best ? error : best;
		printf("| %s | %s | %.3f %% | %.3f %% | %.3f to %.3f | %u | %u |\n", load->name,
		       methods[m].name, 100 * error, 100 * sum.worst, sum.low, sum.high, sum.slices / seeds,
		       sum.failed);
		fflush(stdout);
	}
	printf("ratio error_of_best_libmpx_to_best_other(%s) %.3f\n", load->name, best / best_other);
}

static const struct load steady_loads[] = {
	{"20 million", 20000000, 0},
	{"200 million", 200000000, 0},
	{"60 million", 60000000, 0},
};

static const struct load phased_loads[] = {
	{"100 million, phases of 2 ms", 100000000, 2000000},
	{"100 million, phases of 5 ms", 100000000, 5000000},
	{"100 million, phases of 15 ms", 100000000, 15000000},
	{"200 million, phases of 2 ms", 200000000, 2000000},
	{"200 million, phases of 5 ms", 200000000, 5000000},
	{"200 million, phases of 15 ms", 200000000, 15000000},
};

int main(int argc, char **argv)
{
	bool mixed = argc > 1 && !strcmp(argv[1], "mixed");
	bool phased = mixed || (argc > 1 && !strcmp(argv[1], "phased"));
	unsigned seeds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 5, i;

	if (argc < 2 || (!phased && strcmp(argv[1], "steady") != 0) || !seeds || seeds > SEEDS_MAX) {
		fprintf(stderr, "usage: %s steady|phased|mixed [SEEDS]   (1 to %d)\n", argv[0], SEEDS_MAX);
		return 2;
	}
	events = mixed ? mixed_events : phased ? phased_events : steady_events;
	domain = phased ? PAPI_DOM_ALL : PAPI_DOM_USER;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	printf("| load | method | error | worst | value to truth | slices | failed |\n"
	       "|---|---|---|---|---|---|---|\n");
	if (phased)
		for (i = 0; i < sizeof(phased_loads) / sizeof(*phased_loads); i++)
			compare(&phased_loads[i], seeds);
	else
		for (i = 0; i < sizeof(steady_loads) / sizeof(*steady_loads); i++)
			compare(&steady_loads[i], seeds);
	set_rotation(4);
	return 0;
}
