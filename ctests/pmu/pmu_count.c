/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_count - counts of a hardware PMU are exact: a loop of 2n instructions reads 2n
 * and a constant, through libupc as through perf_event_open with nothing between; by
 * domain, thread, process and CPU; and events that do not fit are refused, not scaled.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "pmu_util.h"
#include "upc.h"

#define THREADS 4

/* The most instructions that the C library and the handlers of fork may execute to start and to end
 * a thread or a process, and to wait for it: here about 1,700 for a thread and 10,200 for a fork,
 * whatever they do in between. */
#define START_THREAD 5000
#define START_PROCESS 20000

static struct upc_catalogue *catalogue;
static uint32_t instructions, cycles;
static unsigned emulated; /* cycles an instruction, where that is constant */

static struct upc_unit *unit_with(const struct upc_unit_options *options, uint32_t code)
{
	struct upc_unit *unit;

	if (upc_unit_create(catalogue, options, &unit)) {
		note("%s", upc_last_message());
		return NULL;
	}
	if (upc_unit_add(unit, code)) {
		note("%s", upc_last_message());
		upc_unit_destroy(unit);
		return NULL;
	}
	return unit;
}

static int64_t value_of(struct upc_unit *unit, uint32_t code)
{
	uint64_t value;

	if (upc_unit_read_events(unit, &code, 1, &value)) {
		note("%s", upc_last_message());
		return FAILED;
	}
	return (int64_t)value;
}

/* ---- a loop, in one thread and in four -------------------------------------- */

/* Counts of something that is done n times, less per * n. */
struct measurement {
	const char *name;
	int64_t (*take)(const struct measurement *m, uint64_t n);
	uint32_t code;   /* libupc's event        */
	uint64_t config; /* the kernel's event    */
	unsigned domain; /* UPC_DOMAIN_*          */
	int calls;       /* call_loop, not loop   */
	unsigned per;
};

static inline __attribute__((always_inline)) void work(const struct measurement *m, uint64_t n)
{
	if (m->calls)
		call_loop(n);
	else
		loop(n);
}

static int64_t take_raw(const struct measurement *m, uint64_t n)
{
	struct raw raw = RAW(INSTRUCTIONS);
	uint64_t count;
	int fd;

	raw.config = m->config;
	raw.user = (m->domain & UPC_DOMAIN_USER) != 0;
	raw.kernel = (m->domain & UPC_DOMAIN_KERNEL) != 0;
	fd = raw_open(raw);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(m, n);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = raw_read(fd);
	close(fd);
	return count == UINT64_MAX ? FAILED : (int64_t)(count - m->per * n);
}

static int64_t take_upc(const struct measurement *m, uint64_t n)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit;
	int64_t count = FAILED;

	options.domain = m->domain;
	unit = unit_with(&options, m->code);
	if (!unit)
		return FAILED;
	if (upc_unit_start(unit) == 0) {
		work(m, n);
		if (upc_unit_stop(unit) == 0)
			count = value_of(unit, m->code);
		else
			note("%s", upc_last_message());
	}
	upc_unit_destroy(unit);
	return count == FAILED ? FAILED : count - (int64_t)(m->per * n);
}

/* Returns the least of 21 counts on a real CPU, where interrupts add to some of them; in an emulator one
 * count is taken. */
static int64_t least(const struct measurement *m, uint64_t n)
{
	int64_t best = m->take(m, n);
	int i;

	for (i = 0; !emulated && i < 20; i++) {
		int64_t next = m->take(m, n);

		if (best == FAILED || (next != FAILED && next < best))
			best = next;
	}
	return best;
}

/* Returns the constant, or FAILED where it is not one. */
static int64_t constant_of(const struct measurement *m)
{
	int64_t constant[SIZES];
	int i;

	m->take(m, 1000); /* binds symbols that are bound at their first use */
	for (i = 0; i < SIZES; i++)
		constant[i] = least(m, sizes[i]);
	return same_over_sizes(m->name, m->per, constant);
}

struct worker {
	const struct measurement *m;
	pthread_barrier_t *all;
	pthread_t thread;
	int64_t constant;
};

static void *run_worker(void *arg)
{
	struct worker *worker = arg;

	pthread_barrier_wait(worker->all);
	worker->constant = constant_of(worker->m);
	return NULL;
}

static int64_t constant_in_threads(const struct measurement *m)
{
	struct worker workers[THREADS];
	pthread_barrier_t all;
	int64_t constant;
	int i;

	pthread_barrier_init(&all, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.m = m, .all = &all};
		pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&all);
	constant = workers[0].constant;
	for (i = 1; i < THREADS; i++)
		if (workers[i].constant != constant) {
			note("%s: %" PRId64 " in a thread, %" PRId64 " in another", m->name, constant,
			     workers[i].constant);
			return FAILED;
		}
	return constant;
}

static int64_t check_loop(const struct measurement *m)
{
	int64_t one = constant_of(m);
	int64_t four;

	ok(one != FAILED, "%s: %un + %" PRId64 " for n = 1e3, 1e5, 1e7", m->name, m->per, one);
	four = constant_in_threads(m);
	ok(four != FAILED && four == one, "%s: %un + %" PRId64 " in each of %d threads at once", m->name,
	   m->per, four, THREADS);
	return one;
}

static struct measurement raw_of(const char *name, uint64_t config)
{
	return (struct measurement){name, take_raw, 0, config, UPC_DOMAIN_USER, 0, PER_ROUND};
}

static struct measurement upc_of(const char *name, uint32_t code)
{
	return (struct measurement){name, take_upc, code, 0, UPC_DOMAIN_USER, 0, PER_ROUND};
}

/* ---- domains ------------------------------------------------------------------ */

static int may_count_kernel(void)
{
	struct raw raw = RAW(INSTRUCTIONS);
	int fd;

	raw.user = 0;
	raw.kernel = 1;
	fd = raw_open(raw);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* without: the constant of a loop without system calls. */
static void check_domains(struct measurement m, int64_t without)
{
	int64_t with, kernel, nothing;

	m.calls = 1;
	m.per = PER_CALL_ROUND;
	with = least(&m, 1000);
	ok(with == without, "%s, user domain, 1,000 system calls: %un + %" PRId64, m.name, m.per, with);
	m.domain = UPC_DOMAIN_KERNEL;
	m.per = 0;
	if (!may_count_kernel()) {
		skip("this user may not count the kernel");
		return;
	}
	kernel = m.take(&m, 1000);
	ok(kernel > 10 * 1000, "%s, kernel domain, 1,000 system calls: %" PRId64, m.name, kernel);
	m.calls = 0;
	nothing = m.take(&m, 100000);
	ok(nothing > 0 && nothing < 100000, "%s, kernel domain, a loop: %" PRId64 ", none of its 200,000",
	   m.name, nothing);
}

/* ---- inherit ------------------------------------------------------------------- */

static void *run_loop(void *n)
{
	loop(*(const uint64_t *)n);
	return NULL;
}

static void in_threads(uint64_t n)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_loop, &n);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void in_child(uint64_t n)
{
	pid_t child = fork();

	if (child == 0) {
		loop(n);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* The same run counted by libupc and, within it, by the kernel's event alone. */
static void check_inherit(const char *name, void (*fn)(uint64_t n), uint64_t loops, int64_t most)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct raw raw = RAW(INSTRUCTIONS);
	int64_t through[SIZES], plain[SIZES];
	int bounded = 1;
	int alike = 1;
	int i;

	options.domain = UPC_DOMAIN_USER;
	options.inherit = 1;
	raw.inherit = 1;
	for (i = -1; i < SIZES; i++) {
		uint64_t n = sizes[i < 0 ? 0 : i];
		struct upc_unit *unit = unit_with(&options, instructions);
		int fd = raw_open(raw);
		int64_t count;

		if (!unit || fd < 0) {
			ok(0, "%s: counters that are inherited", name);
			return;
		}
		upc_unit_start(unit);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		fn(n);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		upc_unit_stop(unit);
		count = value_of(unit, instructions);
		/* The first run is for the work that the C library does once. */
		if (i >= 0) {
			through[i] = count - (int64_t)(PER_ROUND * n * loops);
			plain[i] = (int64_t)(raw_read(fd) - PER_ROUND * n * loops);
			bounded &= plain[i] >= 0 && through[i] >= plain[i] && through[i] <= most;
			alike &= through[i] - plain[i] == through[0] - plain[0];
		}
		close(fd);
		upc_unit_destroy(unit);
	}
	ok(bounded,
	   "%s: the loops' instructions and %" PRId64 ", %" PRId64 ", %" PRId64
	   " to start and to end it, at most %" PRId64,
	   name, through[0], through[1], through[2], most);
	if (emulated)
		ok(alike, "%s: a constant more than perf_event_open alone: %" PRId64, name,
		   through[0] - plain[0]);
	else
		note("%s: perf_event_open alone %" PRId64 ", %" PRId64 ", %" PRId64, name, plain[0], plain[1],
		     plain[2]);
}

/* ---- others ---------------------------------------------------------------------- */

/* Another thread or process, which loops the number of rounds that a pipe gives it, and answers. */
struct other {
	int told[2], answered[2];
	pid_t tid;
};

static void be_other(struct other *other)
{
	uint64_t n;

	other->tid = (pid_t)syscall(SYS_gettid);
	if (write(other->answered[1], &other->tid, sizeof(pid_t)) != (ssize_t)sizeof(pid_t))
		return;
	while (read(other->told[0], &n, sizeof(n)) == (ssize_t)sizeof(n) && n) {
		loop(n);
		if (write(other->answered[1], &other->tid, sizeof(pid_t)) != (ssize_t)sizeof(pid_t))
			return;
	}
}

static void *run_other(void *arg)
{
	be_other(arg);
	return NULL;
}

static int heard(struct other *other)
{
	return read(other->answered[0], &other->tid, sizeof(pid_t)) == (ssize_t)sizeof(pid_t);
}

static int tell(struct other *other, uint64_t n)
{
	return write(other->told[1], &n, sizeof(n)) == (ssize_t)sizeof(n) && (!n || heard(other));
}

static void check_other(const char *name, struct other *other, enum upc_context_kind context)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	int64_t over[SIZES];
	int exact = 1;
	int i;

	options.context = context;
	options.pid = other->tid;
	options.domain = UPC_DOMAIN_USER;
	for (i = -1; i < SIZES; i++) {
		uint64_t n = sizes[i < 0 ? 0 : i];
		struct upc_unit *unit = unit_with(&options, instructions);

		if (!unit) {
			ok(0, "%s: attached", name);
			return;
		}
		upc_unit_start(unit);
		tell(other, n);
		/* The instructions of the other after its answer count as well, and must be over. */
		usleep(10000);
		upc_unit_stop(unit);
		if (i >= 0) {
			over[i] = value_of(unit, instructions) - (int64_t)(PER_ROUND * n);
			exact &= over[i] >= 0 && (emulated ? over[i] == over[0] : over[i] < 5000);
		}
		upc_unit_destroy(unit);
	}
	ok(exact, "%s: 2n + %" PRId64 ", %" PRId64 ", %" PRId64, name, over[0], over[1], over[2]);
}

static void check_others(void)
{
	struct other other;
	pthread_t thread;
	pid_t child;

	if (!ok(!pipe(other.told) && !pipe(other.answered), "pipes"))
		return;
	pthread_create(&thread, NULL, run_other, &other);
	if (heard(&other))
		check_other("another thread", &other, UPC_CONTEXT_THREAD);
	tell(&other, 0);
	pthread_join(thread, NULL);

	child = fork();
	if (child == 0) {
		be_other(&other);
		_exit(0);
	}
	if (heard(&other)) {
		check_other("another process's thread", &other, UPC_CONTEXT_THREAD);
		check_other("another process", &other, UPC_CONTEXT_PROCESS);
	}
	tell(&other, 0);
	waitpid(child, NULL, 0);
}

static void check_cpu(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct raw raw = RAW(INSTRUCTIONS);
	const uint64_t n = 10000000;
	struct upc_unit *unit;
	int64_t through, plain;
	cpu_set_t before, one;
	int fd;

	options.context = UPC_CONTEXT_CPU;
	options.cpu = raw.cpu = sched_getcpu();
	options.domain = UPC_DOMAIN_USER;
	raw.pid = -1;
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET(raw.cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	fd = raw_open(raw);
	if (fd < 0) {
		skip("this user may not count a CPU: %m");
	} else if ((unit = unit_with(&options, instructions)) == NULL) {
		ok(0, "a CPU's unit");
	} else {
		upc_unit_start(unit);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		loop(n);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		upc_unit_stop(unit);
		through = value_of(unit, instructions) - (int64_t)(PER_ROUND * n);
		plain = (int64_t)(raw_read(fd) - PER_ROUND * n);
		ok(plain >= 0 && through > plain,
		   "CPU %d: 2n + %" PRId64 ", and 2n + %" PRId64 " with perf_event_open alone", raw.cpu,
		   through, plain);
		upc_unit_destroy(unit);
	}
	if (fd >= 0)
		close(fd);
	sched_setaffinity(0, sizeof(before), &before);
}

/* ---- more events than counters ------------------------------------------------------ */

#define MANY 32

/* Finds events of the CPU's own PMU, the instructions first; cycles may have a counter of their
 * own, and are left out. */
static int find_many(struct upc_event_info *events)
{
	uint32_t count = upc_catalogue_count(catalogue);
	uint32_t code;
	int n = 0;

	events[n] = UPC_OPTIONS_INIT(upc_event_info);
	upc_catalogue_info(catalogue, instructions, &events[n++]);
	for (code = 0; code < count && n < MANY; code++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

		if (upc_catalogue_info(catalogue, code, &info) == 0 && info.source == UPC_SOURCE_PERF &&
		    info.scope == UPC_SCOPE_CONTEXT && info.id == UPC_NO_ID &&
		    !strcmp(info.subsystem, "hardware") && strncmp(info.name, "perf::", 6) != 0 &&
		    !strstr(info.name, "CYC"))
			events[n++] = info;
	}
	return n;
}

static int flags_of(struct upc_unit *unit)
{
	int flags = 0;
	int i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		if (upc_counter_state(unit, i, &info) == 0)
			flags |= (int)info.flags;
	}
	return flags;
}

/* Returns the instructions of a loop, less 2n. */
static int64_t over_loop(struct upc_unit *unit)
{
	const uint64_t n = 10000000;

	upc_unit_reset(unit);
	if (upc_unit_start(unit))
		return FAILED;
	loop(n);
	if (upc_unit_stop(unit))
		return FAILED;
	return value_of(unit, instructions) - (int64_t)(PER_ROUND * n);
}

/* Checks that the unit counts as it did when the instructions were alone in it, and all the time. */
static void check_full(struct upc_unit *unit, const char *name, int64_t alone)
{
	int64_t over = over_loop(unit);

	ok(over >= 0 && (emulated ? over == alone : over < alone + 1000), "%s: 2n + %" PRId64 " instructions",
	   name, over);
	ok(!(flags_of(unit) & (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER)), "%s: all the time", name);
}

static void check_refusal(const char *message, const struct upc_event_info *event)
{
	ok(strstr(message, event->name) && strstr(message, "; "),
	   "the message names it and says what to do: %s", message);
}

static void check_many(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_event_info events[MANY];
	struct upc_transaction *transaction;
	int available = find_many(events);
	struct upc_unit *unit, *second;
	int fit = 1;
	int error = 0;
	int64_t alone;
	int i;

	options.domain = UPC_DOMAIN_USER;
	unit = unit_with(&options, instructions);
	if (!ok(unit != NULL, "a unit for many events"))
		return;
	alone = over_loop(unit);
	while (fit < available && (error = upc_unit_add(unit, events[fit].code)) == 0)
		fit++;
	if (fit == available) {
		skip("libpfm4 knows only %d events of this PMU, and all fit", available);
		upc_unit_destroy(unit);
		return;
	}
	ok(error == UPC_ECONFLICT, "%s is refused after %d, as a conflict: %d", events[fit].name, fit, error);
	check_refusal(upc_last_message(), &events[fit]);
	if (!strncmp(events[fit].name, "arm_ac57::", strlen("arm_ac57::")))
		ok(fit == 6, "a Cortex-A57 counts six: %d fit", fit);
	ok(upc_unit_list(unit, NULL, 0) == fit, "the unit has the %d that it had", fit);
	check_full(unit, "as many as fit", alone);
	ok(upc_unit_add(unit, cycles) == 0, "cycles fit beside them");
	check_full(unit, "with cycles", alone);
	if (emulated)
		ok(value_of(unit, cycles) == (int64_t)emulated * value_of(unit, instructions),
		   "as many cycles as instructions: %" PRId64, value_of(unit, cycles));
	upc_unit_destroy(unit);

	second = unit_with(&options, instructions);
	if (!ok(second && upc_transaction_begin(second, &transaction) == 0, "a transaction"))
		return;
	for (i = 1; i <= fit; i++)
		upc_transaction_add(transaction, events[i].code, UPC_ANY_COUNTER);
	error = upc_transaction_commit(transaction);
	ok(error == UPC_ECONFLICT, "%d in one transaction are refused as a conflict: %d", fit + 1, error);
	check_refusal(upc_last_message(), &events[fit]);
	ok(upc_unit_list(second, NULL, 0) == 1, "none of them went in");
	check_full(second, "the one before", alone);
	upc_unit_destroy(second);
}

int main(void)
{
	struct measurement raw, through;
	int64_t raw_constant, constant;

	need_pmu();
	if (upc_catalogue_open(NULL, &catalogue))
		bail_out("%s", upc_last_message());
	if (upc_catalogue_find(catalogue, "perf::INSTRUCTIONS", &instructions) ||
	    upc_catalogue_find(catalogue, "perf::CYCLES", &cycles))
		bail_out("%s", upc_last_message());
	emulated = cycles_each();
	raw = raw_of("perf_event_open, instructions", PERF_COUNT_HW_INSTRUCTIONS);
	through = upc_of("libupc, instructions", instructions);
	raw_constant = check_loop(&raw);
	constant = check_loop(&through);
	check_domains(raw, raw_constant);
	check_domains(through, constant);
	if (emulated) {
		struct measurement c = raw_of("perf_event_open, cycles", PERF_COUNT_HW_CPU_CYCLES);
		struct measurement d = upc_of("libupc, cycles", cycles);

		c.per *= emulated;
		d.per *= emulated;
		check_loop(&c);
		check_loop(&d);
	} else {
		skip("cycles of a loop are no constant on a CPU");
	}
	check_inherit("four threads", in_threads, THREADS, THREADS * START_THREAD);
	check_inherit("a fork", in_child, 1, START_PROCESS);
	check_others();
	check_cpu();
	check_many();
	upc_catalogue_close(catalogue);
	return done();
}
