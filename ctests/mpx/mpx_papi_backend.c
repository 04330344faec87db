/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_papi_backend - groups of events through PAPI: what fits together, counts that are
 * right however groups alternate, and what stays out of each other's way.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "core/error.h"
#include "papi/papi_backend.h"
#include "../papi/papi_util.h"

/* Which every user may count, as page faults. */
#define MINOR "upc:::perf::MINOR-FAULTS"
#define MANY 300

static const struct mpxi_backend_ops *const ops = &mpxi_papi_ops;

static uint32_t faults, minor;

/* A fresh backend with the CPU clock, as every machine has it. */
static struct mpxi_papi *backend(const struct mpxi_papi_options *options)
{
	static const struct mpxi_papi_options cpu = {.clock = MPX_CLOCK_CPU};
	struct mpxi_papi *papi = NULL;

	if (mpxi_papi_create(options ? options : &cpu, &papi)) {
		ok(0, "a backend: %s", mpxi_last_message());
		exit(done());
	}
	return papi;
}

static void *open_group(struct mpxi_papi *papi, const uint32_t *event, unsigned n)
{
	void *group = NULL;

	if (ops->open(papi, event, n, &group)) {
		ok(0, "a group of %u: %s", n, mpxi_last_message());
		exit(done());
	}
	return group;
}

/* Faults of so many pages in one slice, or a negative number. */
static long long slice(void *group, size_t pages)
{
	uint64_t count[MANY] = {0};
	struct mpxi_sample sample = {.count = count};

	if (ops->start_sig(group))
		return -1;
	touch_pages(pages);
	return ops->stop_sig(group, &sample) ? -2 : (long long)count[0];
}

static void clocks(void)
{
	struct mpxi_papi_options options = {.clock = MPX_CLOCK_AUTO};
	struct mpxi_papi *papi = backend(&options);
	struct mpxi_sample sample = {0};
	volatile unsigned work = 0;
	uint64_t shorter;
	void *group;
	unsigned i;
	int error;

	note("AUTO: %s, %s", mpxi_papi_clock_name(papi), mpxi_papi_clock_unit(papi));
	group = open_group(papi, NULL, 0);
	ops->start_sig(group);
	for (i = 0; i < 100000; i++)
		work = work + i;
	ok(ops->read_sig(group, &sample) == 0 && sample.size > 0, "a slice has a length");
	shorter = sample.size;
	for (i = 0; i < 100000; i++)
		work = work + i;
	ok(ops->stop_sig(group, &sample) == 0 && sample.size > shorter, "and grows");
	ok(ops->stop_sig(group, &sample) == MPXI_ENOTRUN && ops->read_sig(group, &sample) == MPXI_ENOTRUN,
	   "a stopped group is neither stopped nor read");
	mpxi_papi_destroy(papi);

	for (options.clock = MPX_CLOCK_CYCLES; options.clock <= MPX_CLOCK_USER; options.clock++) {
		error = mpxi_papi_create(&options, &papi);
		if (error) {
			ok(error == MPXI_ENOSUPP && options.clock != MPX_CLOCK_CPU &&
				   strstr(mpxi_last_message(), "CPU time"),
			   "clock %d: %s", (int)options.clock, mpxi_last_message());
			continue;
		}
		ok(!strcmp(mpxi_papi_clock_unit(papi), options.clock == MPX_CLOCK_CPU ? "ns" : "cycles"),
		   "clock %d: %s", (int)options.clock, mpxi_papi_clock_name(papi));
		mpxi_papi_destroy(papi);
	}
	options.clock = (enum mpx_clock)99;
	ok(mpxi_papi_create(&options, &papi) == MPXI_EINVAL, "no such clock: %s", mpxi_last_message());
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Slices of a group that counts who asks the kernel for the time. Their time is that of perf's
 * task clock: more than the thread's CPU time where the hypervisor gives the CPU to others. It
 * may do so beside a slice, too, but not beside most. */
static uint64_t ask_slices(void *group, const char *what)
{
	enum { SLICES = 50 };
	uint64_t count, asked = 0, size = 0, cpu, elapsed = now(CLOCK_MONOTONIC);
	struct mpxi_sample sample = {.count = &count};
	unsigned i, k, whole = 0;
	volatile unsigned work = 0;

	for (i = 0; i < SLICES; i++) {
		cpu = now(CLOCK_THREAD_CPUTIME_ID);
		if (ops->start_sig(group))
			break;
		for (k = 0; k < 100000; k++)
			work = work + k;
		if (ops->stop_sig(group, &sample))
			break;
		asked += count;
		size += sample.size;
		whole += sample.size > (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / 4;
	}
	elapsed = now(CLOCK_MONOTONIC) - elapsed;
	ok(i == SLICES && whole > SLICES / 2 && size <= elapsed,
	   "%s: %u slices, %u of them with their CPU time, are %llu ns of %llu", what, i, whole,
	   (unsigned long long)size, (unsigned long long)elapsed);
	return asked;
}

#define DESCRIPTORS 1024

static int lowest_free(void)
{
	int fd = dup(1);

	close(fd);
	return fd;
}

/* A group of one event, with that many descriptors left. NULL: not enough. */
static void *open_with(struct mpxi_papi *papi, uint32_t event, int left)
{
	bool taken[DESCRIPTORS] = {false};
	struct rlimit limit, few;
	void *group = NULL;
	int fd;

	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &few);
	for (fd = lowest_free() + left; fd < DESCRIPTORS; fd++)
		taken[fd] = fcntl(fd, F_GETFD) < 0 && dup2(1, fd) == fd;
	if (ops->open(papi, &event, 1, &group))
		group = NULL;
	for (fd = 0; fd < DESCRIPTORS; fd++)
		if (taken[fd])
			close(fd);
	setrlimit(RLIMIT_NOFILE, &limit);
	return group;
}

/* The time of this group's slices comes with its counts. */
static void asks_nobody(struct mpxi_papi *papi, void *group, const char *what)
{
	uint64_t asked;

	if (!group) {
		ok(0, "a group %s: %s", what, mpxi_last_message());
		return;
	}
	asked = ask_slices(group, what);
	ok(asked == 0, "nobody asks the kernel for the time: %llu", (unsigned long long)asked);
	ops->close(papi, group);
}

/* CPU time by an event of the group, where that is cheaper than asking for it. */
static void time_events(void)
{
	struct mpxi_papi *papi = backend(NULL);
	void *group;
	uint32_t event;
	int left;

	if (mpxi_papi_code("upc:::tp::syscalls:sys_enter_clock_gettime", &event)) {
		if (machine_traces())
			ok(0, "it has tracepoints: %s", mpxi_last_message());
		else
			skip("no tracepoints: %s", mpxi_last_message());
		mpxi_papi_destroy(papi);
		return;
	}
	group = open_group(papi, &event, 1);
	asks_nobody(papi, group, "with a time event");
	group = NULL;

	/* It takes no descriptor: there are as few as the event takes. */
	for (left = 1; !group && left < DESCRIPTORS; left++)
		group = open_with(papi, event, left);
	asks_nobody(papi, group, "with no descriptor left");
	mpxi_papi_destroy(papi);
}

static void counting(void)
{
	struct mpxi_papi *papi = backend(NULL);
	const uint32_t event[] = {minor, faults}, turned[] = {faults, minor};
	uint64_t count[2] = {0}, first;
	struct mpxi_sample sample = {.count = count};
	void *a = open_group(papi, event, 2), *b = open_group(papi, turned, 2);
	long long sum = 0, value;
	int i;

	ops->start_sig(a);
	touch_pages(50);
	ops->read_sig(a, &sample);
	first = count[1];
	touch_pages(50);
	ok(ops->stop_sig(a, &sample) == 0 && about((long long)first, 50) && about((long long)count[1], 100),
	   "values are in the order of the events: %llu, then %llu", (unsigned long long)first,
	   (unsigned long long)count[1]);
	value = slice(b, 30);
	ok(about(value, 30), "another group counts from 0: %lld", value);
	for (i = 0; i < 100; i++) {
		value = slice(b, 10);
		sum += value < 0 ? 1 << 30 : value;
		if (ops->start_sig(a) || ops->stop_sig(a, &sample))
			sum += 1 << 30;
	}
	ok(about(sum, 1000), "and for 100 slices beside one: %lld", sum);
	mpxi_papi_destroy(papi);
}

static void together(void)
{
	struct mpxi_papi *papi = backend(NULL);
	const uint32_t other[] = {minor};
	uint64_t count[2] = {0};
	struct mpxi_sample sample = {.count = count};
	void *always, *group;
	long long value = 0, users;
	int set = set_with(FAULTS);

	ok(ops->role(papi, faults) == MPXI_UNLIMITED && ops->role(papi, faults) == MPXI_UNLIMITED,
	   "page faults take no counter");
	always = open_group(papi, &faults, 1);
	group = open_group(papi, other, 1);
	ops->start_sig(always);
	value = slice(group, 40) < 0 ? -1 : 0;
	value += slice(group, 40) < 0 ? -1 : 0;
	ok(value == 0, "a group runs beside one that runs all the time");
	ok(ops->stop_sig(always, &sample) == 0 && about((long long)count[0], 80),
	   "which counts over its slices: %llu", (unsigned long long)count[0]);

	ops->start_sig(always);
	ok(PAPI_start(set) == PAPI_OK, "a set of the user's own starts beside a group");
	touch_pages(25);
	ok(ops->start_sig(group) == MPXI_EISRUN, "behind it PAPI starts no other");
	ok(PAPI_stop(set, &users) == PAPI_OK && about(users, 25) && ops->stop_sig(always, &sample) == 0 &&
		   about((long long)count[0], 25),
	   "both count: %lld and %llu", users, (unsigned long long)count[0]);
	ok(about(slice(always, 25), 25), "and it starts again when that one has stopped");
	drop(&set);
	mpxi_papi_destroy(papi);
}

static void covariate(void)
{
	struct mpxi_papi_options options = {
		.clock = MPX_CLOCK_CPU, .has_covariate = true, .covariate = faults};
	struct mpxi_papi *papi = backend(&options);
	const uint32_t event[] = {minor, faults};
	uint64_t count[2] = {0};
	struct mpxi_sample sample = {.count = count};
	void *group = open_group(papi, event, 1);

	ok(ops->role(papi, faults) == MPXI_BESIDE, "the covariate has its role");
	ops->start_sig(group);
	touch_pages(60);
	ok(ops->stop_sig(group, &sample) == 0 && about((long long)sample.covariate, 60),
	   "it is counted with every group: %llu", (unsigned long long)sample.covariate);
	ops->close(papi, group);
	group = open_group(papi, event, 2);
	ops->start_sig(group);
	touch_pages(60);
	ok(ops->stop_sig(group, &sample) == 0 && about((long long)sample.covariate, 60) &&
		   count[1] == sample.covariate,
	   "and delivered twice where it is an event as well");
	mpxi_papi_destroy(papi);
	options.covariate = 0x4fffffff;
	ok(mpxi_papi_create(&options, &papi) < 0, "a covariate that is none is refused: %s",
	   mpxi_last_message());
}

/* Events of upc that only read files: as many as there are counters, and more. */
static unsigned list_files(struct mpxi_papi *papi, uint32_t *event, unsigned max)
{
	int component = find_component(), code = (int)PAPI_NATIVE_MASK;
	char name[PAPI_HUGE_STR_LEN];
	unsigned n = 0;

	if (PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component) != PAPI_OK)
		return 0;
	do
		if (PAPI_event_code_to_name(code, name) == PAPI_OK && !strncmp(name, "upc:::", 6) &&
		    (strstr(name, ":::vm::") || strstr(name, ":::mem::") || strstr(name, ":::snmp") ||
		     strstr(name, ":::netstat::")) &&
		    !mpxi_papi_check(papi, (uint32_t)code))
			event[n++] = (uint32_t)code;
	while (n < max && PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK);
	return n;
}

static void fitting(void)
{
	struct mpxi_papi_options options = {.clock = MPX_CLOCK_CPU, .group_max = 2};
	struct mpxi_papi *papi = backend(&options);
	uint32_t event[MANY] = {faults, minor, 0x4fffffff};
	uint64_t count[MANY] = {0};
	struct mpxi_sample sample = {.count = count};
	unsigned n;
	int fits;

	ok(ops->fits(papi, event, 2) == 1 && ops->fits(papi, event, 2) == 1, "two events fit");
	ok(ops->fits(papi, event, 3) == 0, "three are more than group_max");
	ok(ops->fits(papi, event + 2, 1) < 0, "what is no event is an error: %s", mpxi_last_message());
	ok(!mpxi_papi_check(papi, faults) && mpxi_papi_check(papi, 0x4fffffff) < 0, "check says so too");
	mpxi_papi_destroy(papi);

	papi = backend(NULL);
	n = list_files(papi, event, MANY);
	if (n < MANY) {
		skip("only %u events of files here", n);
	} else {
		void *group = NULL;

		ok(ops->fits(papi, event, 256) == 1, "256 events fit into a unit");
		fits = ops->fits(papi, event, 257);
		ok(fits == 0, "257 do not: %d", fits);
		ok(ops->open(papi, event, 257, &group) == MPXI_ECNFLCT && !group, "nor are they a group: %s",
		   mpxi_last_message());
		group = open_group(papi, event, 256);
		ok(ops->start_sig(group) == 0 && ops->stop_sig(group, &sample) == 0, "a group of 256 counts");
	}
	mpxi_papi_destroy(papi);
}

/* To let go of a tracepoint is slow: what takes nobody's counter is opened to be tried once
 * in a process, and no more in its other threads and lists. */
static void opened_once(void)
{
	struct mpxi_papi *first = backend(NULL), *second = backend(NULL);
	const uint32_t both[] = {minor, faults};
	struct rlimit limit, none;
	uint32_t other;
	int fits;

	if (mpxi_papi_code("upc:::perf::MAJOR-FAULTS", &other) || getrlimit(RLIMIT_NOFILE, &limit))
		bail_out("%s", mpxi_last_message());
	ok(ops->fits(first, &faults, 1) == 1 && ops->fits(first, &minor, 1) == 1, "two events fit alone");
	none = limit;
	none.rlim_cur = 3;
	setrlimit(RLIMIT_NOFILE, &none);
	fits = ops->fits(second, both, 2);
	ok(fits == 1, "they fit together without a descriptor: %d", fits);
	fits = ops->fits(second, &other, 1);
	ok(fits < 0, "another one does not: %d, %s", fits, mpxi_last_message());
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(ops->fits(second, &other, 1) == 1, "which is not remembered");
	mpxi_papi_destroy(first);
	mpxi_papi_destroy(second);
}

/* While a list is tried or a group opened, a running one keeps its counts. */
static void trying(void)
{
	struct mpxi_papi *papi = backend(NULL);
	const uint32_t event[] = {faults, minor};
	uint64_t count[2] = {0};
	struct mpxi_sample sample = {.count = count};
	void *group = open_group(papi, event, 1), *more;
	uint64_t size;

	ops->start_sig(group);
	touch_pages(20);
	ok(ops->fits(papi, event, 2) == 1, "a list is tried while a group runs");
	touch_pages(20);
	ops->read_sig(group, &sample);
	size = sample.size;
	more = open_group(papi, event, 2);
	touch_pages(20);
	ok(ops->stop_sig(group, &sample) == 0 && about((long long)count[0], 60) && sample.size > size,
	   "which counts on: %llu", (unsigned long long)count[0]);
	ok(about(slice(group, 20), 20) && about(slice(more, 20), 20), "and from 0 at its next start");
	mpxi_papi_destroy(papi);
}

static void debugging(void)
{
	struct mpxi_papi *papi = backend(NULL);
	void *a = open_group(papi, &faults, 1), *b = open_group(papi, &minor, 1);

	PAPI_set_debug(PAPI_VERB_ESTOP);
	slice(b, 0);
	ok(about(slice(a, 10), 10), "PAPI's debugging levels stop nothing");
	PAPI_set_debug(PAPI_QUIET);
	mpxi_papi_destroy(papi);
}

/* ---- in a handler ------------------------------------------------------------------------ */

static void *turn[3];
static volatile sig_atomic_t current, turns, failures;
static uint64_t total;

static void on_alarm(int signo)
{
	uint64_t count[2];
	struct mpxi_sample sample = {.count = count};
	int saved = errno;

	(void)signo;
	if (ops->stop_sig(turn[current], &sample))
		failures++;
	else
		total += count[0];
	current = (current + 1) % 3;
	if (ops->start_sig(turn[current]))
		failures++;
	turns++;
	errno = saved;
}

static void handler(void)
{
	struct mpxi_papi *papi = backend(NULL);
	const uint32_t pair[] = {faults, minor};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART}, old;
	const struct itimerval ms = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	uint64_t count[2] = {0};
	struct mpxi_sample sample = {.count = count};
	long long touched = 0;
	int i;

	for (i = 0; i < 3; i++)
		turn[i] = open_group(papi, pair, i == 1 ? 1 : 2);
	ops->start_sig(turn[0]);
	sigaction(SIGALRM, &action, &old);
	setitimer(ITIMER_REAL, &ms, NULL);
	for (i = 0; i < 100000 && turns < 100; i++) {
		touch_pages(20);
		touched += 20;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &old, NULL);
	ops->stop_sig(turn[current], &sample);
	total += count[0];
	ok(turns > 1 && failures == 0 && (long long)total >= touched &&
		   (long long)total < touched + touched / 4 + 200,
	   "%d turns in a handler: %llu faults of %lld", (int)turns, (unsigned long long)total, touched);
	mpxi_papi_destroy(papi);
}

/* ---- threads and children ------------------------------------------------------------------ */

struct thread {
	struct mpxi_papi *papi;
	bool unregister;
	long long value;
};

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	void *group;

	thread->papi = backend(NULL);
	group = open_group(thread->papi, &faults, 1);
	(void)slice(group, 1);
	thread->value = slice(group, 70);
	(void)ops->start_sig(group);
	if (thread->unregister) {
		struct mpxi_sample sample = {.count = (uint64_t[1]){0}};

		(void)ops->stop_sig(group, &sample);
		PAPI_unregister_thread();
		mpxi_papi_destroy(thread->papi);
	}
	return NULL;
}

static void threads(void)
{
	struct mpxi_papi *papi = backend(NULL);
	struct thread thread = {.unregister = false};
	void *group = open_group(papi, &faults, 1);
	pthread_t id;
	int sets;

	ops->start_sig(group);
	for (sets = 0; sets < 2; sets++) {
		thread.unregister = sets == 1;
		if (pthread_create(&id, NULL, thread_main, &thread))
			break;
		pthread_join(id, NULL);
		ok(about(thread.value, 70), "a thread has its own: %lld", thread.value);
		if (!thread.unregister)
			mpxi_papi_destroy(thread.papi);
	}
	{
		uint64_t count[1];
		struct mpxi_sample sample = {.count = count};

		ok(ops->stop_sig(group, &sample) == 0 && count[0] < 70, "and not this one's: %llu",
		   (unsigned long long)count[0]);
	}
	ok(about(slice(group, 15), 15), "whose group outlives them");
	mpxi_papi_destroy(papi);
}

static void forks(void)
{
	struct mpxi_papi *papi = backend(NULL);
	uint64_t count[1] = {0};
	struct mpxi_sample sample = {.count = count};
	void *group = open_group(papi, &faults, 1);
	int status = -1;
	pid_t child;

	ops->start_sig(group);
	child = fork();
	if (child == 0) {
		mpxi_papi_forget(papi);
		_exit(0);
	}
	waitpid(child, &status, 0);
	child = fork();
	if (child == 0) {
		mpxi_papi_destroy(papi);
		_exit(0);
	}
	waitpid(child, &status, 0);
	touch_pages(300);
	ok(status == 0 && ops->stop_sig(group, &sample) == 0 && count[0] >= 300,
	   "children that forget leave the parent's group alone: %llu", (unsigned long long)count[0]);
	mpxi_papi_destroy(papi);
}

static void names(void)
{
	uint32_t event = 0;
	char name[64], longest[5000];

	ok(mpxi_papi_code(FAULTS, &event) == 0 && event == faults, "a code by name");
	mpxi_papi_name(event, name, sizeof(name));
	ok(strcmp(name, FAULTS) == 0, "and back: %s", name);
	ok(mpxi_papi_code("upc:::perf::PAGE-FOULTS", &event) < 0 && strstr(mpxi_last_message(), FAULTS), "%s",
	   mpxi_last_message());
	mpxi_papi_name(0x4fffffff, name, sizeof(name));
	ok(strcmp(name, "0x4fffffff") == 0, "what has no name is a number");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ok(mpxi_papi_code(longest, &event) < 0, "%.80s", mpxi_last_message());
	ok(mpxi_papi_code("", &event) < 0, "an empty name: %s", mpxi_last_message());
}

/* ---- with a PMU ------------------------------------------------------------------------------ */

/* As many presets as the counters hold beside the clock, and one more. */
static void hardware(void)
{
	struct mpxi_papi_options options = {.clock = MPX_CLOCK_CYCLES};
	struct mpxi_papi *papi;
	uint32_t event[64];
	uint64_t count[64] = {0};
	struct mpxi_sample sample = {.count = count};
	PAPI_event_info_t info;
	volatile unsigned work = 0;
	int code = (int)PAPI_PRESET_MASK;
	unsigned n = 0, most = 0, i, rounds;
	void *a, *b, *always;

	if (mpxi_papi_create(&options, &papi)) {
		skip("no cycles: %s", mpxi_last_message());
		return;
	}
	PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	do
		if (PAPI_get_event_info(code, &info) == PAPI_OK && info.count == 1 &&
		    ops->role(papi, (uint32_t)code) == MPXI_ORDINARY &&
		    !mpxi_papi_check(papi, (uint32_t)code))
			event[n++] = (uint32_t)code;
	while (n < 63 && PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
	while (most < n && ops->fits(papi, event, most + 1) == 1)
		most++;
	if (most == 0 || most == n) {
		skip("%u of %u presets fit", most, n);
		mpxi_papi_destroy(papi);
		return;
	}
	ok(ops->fits(papi, event, most) == 1 && ops->fits(papi, event, most + 1) == 0,
	   "%u events fit beside %s, one more does not", most, mpxi_papi_clock_name(papi));
	a = open_group(papi, event, most);
	b = open_group(papi, event + n - most, most);
	ok(ops->role(papi, faults) == MPXI_UNLIMITED, "page faults beside them");
	always = open_group(papi, &faults, 1);
	ops->start_sig(always);
	for (rounds = 0; rounds < 20; rounds++) {
		void *group = rounds & 1 ? a : b;

		if (ops->start_sig(group))
			break;
		for (i = 0; i < 20000; i++)
			work = work + i;
		/* A full group must neither stop these from being tried, nor be lost. */
		if (rounds < 2 && ops->fits(papi, event + 1 + rounds, most - 1) != 1)
			break;
		if (ops->stop_sig(group, &sample) || sample.size < 20000)
			break;
	}
	ok(rounds == 20, "full groups take turns: %u", rounds);
	touch_pages(10);
	ok(ops->stop_sig(always, &sample) == 0 && about((long long)count[0], 10) && sample.size == 0,
	   "beside one of page faults, which takes no counter: %llu", (unsigned long long)count[0]);
	mpxi_papi_destroy(papi);
}

int main(void)
{
	setenv("UPC_QUIET", "1", 1);
	start_papi();
	if (mpxi_papi_init()) {
		ok(0, "PAPI is made ready: %s", mpxi_last_message());
		return done();
	}
	if (mpxi_papi_code(FAULTS, &faults) || mpxi_papi_code(MINOR, &minor))
		bail_out("%s", mpxi_last_message());
	clocks();
	time_events();
	counting();
	together();
	covariate();
	fitting();
	opened_once();
	trying();
	debugging();
	handler();
	/* Near names come as long as PAPI knows of one thread. */
	names();
	threads();
	forks();
	hardware();
	return done();
}
