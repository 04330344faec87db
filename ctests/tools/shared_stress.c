/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_stress - one name, owners that are killed at any instruction one after the other, and
 * readers that read all the time.
 *
 * Everything that an owner writes in a change follows from one number, which it stores as the
 * threshold: a reader finds out if it sees parts of two changes. An owner records the last change
 * that it has finished in memory of the test's own, so that the test can check after its death
 * whether the unit still has it.
 *
 * UPC_STRESS_ROUNDS owners (200), UPC_STRESS_SEED for the moments. With UPC_STRESS_THREADS an owner
 * and readers in one process, for ThreadSanitizer: UPC_STRESS_CHANGES (20000).
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "share/shared.h"
#include "../tap.h"

#define READERS 2
/* A reader that has not come back from one call for so long is stuck. */
#define STUCK_S 30

/* The counts of a reader; each reader has its own. */
struct reader {
	uint64_t calls; /* also a sign of life */
	uint64_t snapshots, events, torn, backwards;
	uint64_t gone, too_fast, opens, refused;
	char what[160]; /* describes the first error */
};

/* The memory that all processes share, and no part of the unit that is tested. */
static struct common {
	struct reader reader[READERS];
	uint64_t finished; /* the owner's last change that is complete */
	uint32_t ready;    /* the owner has the name */
	uint32_t failed;   /* the owner could not have it */
	uint32_t stop;
	char message[300];
} * common;

static char name[UPCI_SHARED_NAME_MAX + 1];

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t pick(uint64_t *state, uint64_t below)
{
	return mix(*state += 0x9e3779b97f4a7c15u) % below;
}

/* ---- what change n writes --------------------------------------------------- */

static uint64_t count_of(uint64_t n, unsigned i)
{
	return n << 16 | i;
}

static uint8_t field_of(uint64_t n, unsigned i)
{
	return (uint8_t)mix(n + i);
}

static void name_of(uint64_t generation, unsigned i, char text[64])
{
	snprintf(text, 64, "generation-%llu-of-%u", (unsigned long long)generation, i);
}

/* Burns a step of the fuse, at whose end the owner kills itself, mostly in the middle of a change.
 * A fuse of 0 does not burn. */
static void burn(uint64_t *fuse)
{
	if (*fuse && --*fuse == 0)
		raise(SIGKILL);
}

static void change(struct upci_shared *shared, uint64_t n, bool configuration, uint64_t *fuse)
{
	uint64_t generation = shared->generation + 1;
	char text[64];
	unsigned i;

	upci_shared_begin(shared);
	upci_shared_registers(shared, n & 1, n);
	for (i = 0; i < UPC_COUNTERS; i++, burn(fuse)) {
		upci_shared_count(shared, i, count_of(n, i));
		upci_shared_field(shared, i, field_of(n, i));
		if (configuration) {
			name_of(generation, i, text);
			upci_shared_event(shared, i, text, i % 2 ? "kB" : "", UPC_KIND_COUNT);
		}
	}
	upci_shared_end(shared, configuration);
}

/* ---- readers ----------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void wrong(struct reader *r, uint64_t *counter,
							const char *format, ...)
{
	va_list args;

	if (!r->what[0]) {
		va_start(args, format);
		vsnprintf(r->what, sizeof(r->what), format, args);
		va_end(args);
	}
	++*counter;
}

static void check_snapshot(struct reader *r, const uint64_t *values, const struct upc_monitor_info *info)
{
	uint64_t n = info->threshold;
	unsigned i;

	r->snapshots++;
	if (!n)
		return; /* nothing written yet */
	if (info->running != (int)(n & 1))
		wrong(r, &r->torn, "running %d in change %llu", info->running, (unsigned long long)n);
	for (i = 0; i < UPC_COUNTERS; i++)
		if (values[i] != count_of(n, i) || info->field[i] != field_of(n, i)) {
			wrong(r, &r->torn, "counter %u is %#llx, %#x in change %llu", i,
			      (unsigned long long)values[i], info->field[i], (unsigned long long)n);
			return;
		}
}

static void check_event(struct reader *r, const struct upc_monitor_event *event, unsigned i)
{
	char text[64];

	r->events++;
	if (!event->bound)
		return;
	name_of(event->generation, i, text);
	if (strcmp(event->name, text) || strcmp(event->unit, i % 2 ? "kB" : ""))
		wrong(r, &r->torn, "counter %u is called %.60s in generation %llu", i, event->name,
		      (unsigned long long)event->generation);
}

/* Reads once, a snapshot or an event, which may fail with one of two errors. */
static int look(struct reader *r, struct upc_monitor *m, uint64_t *last)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	uint64_t values[UPC_COUNTERS];
	unsigned i = (unsigned)(r->calls % UPC_COUNTERS);
	int error =
		r->calls % 4 ? upc_monitor_read(m, values, &info) : upc_monitor_counter(m, (int)i, &event);

	if (error == UPC_ESTATE)
		r->too_fast++;
	else if (error == UPC_EGONE)
		r->gone++;
	else if (error)
		wrong(r, &r->torn, "error %d: %.100s", error, upc_last_message());
	else if (r->calls % 4 == 0)
		check_event(r, &event, i);
	else {
		check_snapshot(r, values, &info);
		if (info.threshold < *last)
			wrong(r, &r->backwards, "change %llu after %llu", (unsigned long long)info.threshold,
			      (unsigned long long)*last);
		*last = info.threshold;
	}
	__atomic_add_fetch(&r->calls, 1, __ATOMIC_RELAXED);
	return error;
}

/* Follows the name from owner to owner. */
static void read_on(struct reader *r)
{
	struct upc_monitor *m = NULL;
	uint64_t last = 0;
	int error;

	while (!__atomic_load_n(&common->stop, __ATOMIC_RELAXED)) {
		if (!m) {
			error = upc_monitor_open(name, NULL, &m);
			r->opens += !error;
			r->refused += error != 0;
			__atomic_add_fetch(&r->calls, 1, __ATOMIC_RELAXED);
			last = 0;
			if (!error)
				continue;
			if (error != UPC_ENOTASK && error != UPC_EGONE && error != UPC_ESTATE)
				wrong(r, &r->torn, "open: error %d: %.100s", error, upc_last_message());
			sched_yield();
			continue;
		}
		error = look(r, m, &last);
		if (error == UPC_EGONE || (r->calls % 64 == 0 && !upc_monitor_alive(m))) {
			upc_monitor_close(m);
			m = NULL;
		}
	}
	upc_monitor_close(m);
}

/* ---- owners ------------------------------------------------------------------ */

static void rest(uint64_t *state)
{
	volatile unsigned spins = (unsigned)pick(state, 4000);

	while (spins)
		spins--;
}

/* Changes until it is killed. coming_and_going: shares and unshares all the time. */
static void own(uint64_t seed, bool coming_and_going)
{
	uint64_t state = seed, n = 0, fuse = pick(&state, 3) ? 0 : 1 + pick(&state, 20000);
	struct upci_shared shared;
	unsigned i;

	for (;;) {
		memset(&shared, 0, sizeof(shared));
		if (upci_shared_create(name, false, &shared)) {
			snprintf(common->message, sizeof(common->message), "%s", upc_last_message());
			__atomic_store_n(&common->failed, 1, __ATOMIC_RELEASE);
			_exit(1);
		}
		for (i = 0; !coming_and_going || i < 3; i++) {
			n++;
			change(&shared, n, n % 8 == 1, &fuse);
			__atomic_store_n(&common->finished, n, __ATOMIC_RELEASE);
			__atomic_store_n(&common->ready, 1, __ATOMIC_RELEASE);
			rest(&state);
		}
		upci_shared_destroy(&shared);
	}
}

static pid_t start(void (*run)(uint64_t arg), uint64_t arg)
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		run(arg);
	_exit(0);
}

static void run_reader(uint64_t i)
{
	read_on(&common->reader[i]);
}

static void run_owner(uint64_t seed)
{
	own(seed, false);
}

static void run_restless_owner(uint64_t seed)
{
	own(seed, true);
}

static void pause_us(uint64_t us)
{
	struct timespec t = {.tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000};

	nanosleep(&t, NULL);
}

/* ---- rounds ------------------------------------------------------------------- */

struct sum {
	uint64_t rounds, takeovers, refused, lost, seen, half_named, early, stuck;
};

/* Checks that the last change that the dead owner had finished is there, wherever the owner was. */
static void check_dead(struct upc_monitor *m, struct sum *sum)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	uint64_t values[UPC_COUNTERS], finished = __atomic_load_n(&common->finished, __ATOMIC_ACQUIRE);
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct reader r = {.calls = 1};
	int error = upc_monitor_read(m, values, &info);

	sum->seen++;
	sum->half_named += upc_monitor_counter(m, 0, &event) == UPC_EGONE;
	if (!error)
		check_snapshot(&r, values, &info);
	if (error || r.torn || (info.threshold != finished && info.threshold != finished + 1)) {
		sum->lost++;
		note("error %d, change %llu, finished %llu; %s", error, (unsigned long long)info.threshold,
		     (unsigned long long)finished, r.what);
	}
}

/* Waits until the owner has its name, or is dead. Returns whether it got the name; reaped is set if it was
 * found dead and waited for. */
static bool await_owner(pid_t owner, bool *reaped)
{
	int status;

	*reaped = false;
	while (!__atomic_load_n(&common->ready, __ATOMIC_ACQUIRE)) {
		if (waitpid(owner, &status, WNOHANG) == owner) {
			*reaped = true;
			return __atomic_load_n(&common->ready, __ATOMIC_ACQUIRE);
		}
		pause_us(50);
	}
	return true;
}

static void round_of(struct sum *sum, uint64_t *state)
{
	uint64_t kind = pick(state, 8), seed = pick(state, UINT64_MAX);
	struct upc_monitor *m = NULL;
	bool reaped = false;
	pid_t owner;

	common->ready = common->failed = 0;
	common->finished = 0;
	owner = start(kind == 1 ? run_restless_owner : run_owner, seed);
	sum->rounds++;
	if (kind == 0) {
		/* The owner is killed perhaps while it makes the file. */
		pause_us(pick(state, 400));
		sum->early++;
	} else if (await_owner(owner, &reaped)) {
		sum->takeovers++;
		/* The open fails where the owner has died; one that comes and goes is not opened. */
		if (kind != 1 && upc_monitor_open(name, NULL, &m))
			m = NULL;
		pause_us(pick(state, 3000));
	}
	if (!reaped) {
		kill(owner, SIGKILL);
		waitpid(owner, NULL, 0);
	}
	if (__atomic_load_n(&common->failed, __ATOMIC_ACQUIRE)) {
		sum->refused++;
		note("an owner was refused: %s", common->message);
	}
	if (m)
		check_dead(m, sum);
	upc_monitor_close(m);
}

static void watch_readers(struct sum *sum, uint64_t calls[READERS], time_t since[READERS])
{
	time_t now = time(NULL);
	unsigned i;

	for (i = 0; i < READERS; i++) {
		uint64_t c = __atomic_load_n(&common->reader[i].calls, __ATOMIC_RELAXED);

		if (c != calls[i]) {
			calls[i] = c;
			since[i] = now;
		} else if (now - since[i] > STUCK_S) {
			sum->stuck++;
			since[i] = now;
		}
	}
}

static uint64_t setting(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* Removes the last owner's remains, which must not be in the next test's way. */
static void clean_up(void)
{
	struct upci_shared shared = {.page = NULL};

	if (!upci_shared_create(name, false, &shared))
		upci_shared_destroy(&shared);
}

static struct reader add_readers(void)
{
	struct reader sum = {.calls = 0};
	unsigned i;

	for (i = 0; i < READERS; i++) {
		const struct reader *r = &common->reader[i];

		sum.calls += r->calls;
		sum.snapshots += r->snapshots;
		sum.events += r->events;
		sum.torn += r->torn;
		sum.backwards += r->backwards;
		sum.gone += r->gone;
		sum.too_fast += r->too_fast;
		sum.opens += r->opens;
		sum.refused += r->refused;
		if (r->what[0])
			note("reader %u: %s", i, r->what);
	}
	return sum;
}

static void processes(void)
{
	uint64_t rounds = setting("UPC_STRESS_ROUNDS", 200),
		 state = setting("UPC_STRESS_SEED", (uint64_t)time(NULL));
	uint64_t calls[READERS] = {0}, i;
	struct sum sum = {.rounds = 0};
	struct reader r;
	time_t since[READERS];
	pid_t reader[READERS];
	int status, unwell = 0;

	note("seed %llu", (unsigned long long)state);
	for (i = 0; i < READERS; i++) {
		since[i] = time(NULL);
		reader[i] = start(run_reader, i);
	}
	for (i = 0; i < rounds && !sum.stuck; i++) {
		round_of(&sum, &state);
		watch_readers(&sum, calls, since);
	}
	__atomic_store_n(&common->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++) {
		if (sum.stuck)
			kill(reader[i], SIGKILL);
		waitpid(reader[i], &status, 0);
		unwell += status != 0;
	}
	clean_up();
	r = add_readers();
	note("%llu owners killed, %llu of them perhaps before they had the name; %llu had taken it over",
	     (unsigned long long)sum.rounds, (unsigned long long)sum.early,
	     (unsigned long long)sum.takeovers);
	note("read after death: %llu, in %llu of them the names were being changed",
	     (unsigned long long)sum.seen, (unsigned long long)sum.half_named);
	note("readers: %llu snapshots and %llu names checked; %llu openings, %llu refused; gone %llu times, "
	     "too fast %llu",
	     (unsigned long long)r.snapshots, (unsigned long long)r.events, (unsigned long long)r.opens,
	     (unsigned long long)r.refused, (unsigned long long)r.gone, (unsigned long long)r.too_fast);
	ok(r.snapshots > 0 && r.events > 0, "the readers have seen something");
	ok(sum.takeovers > 0, "owners have taken the name over");
	ok(sum.refused == 0, "no owner was refused the name: %llu", (unsigned long long)sum.refused);
	ok(r.torn == 0, "nothing torn: %llu", (unsigned long long)r.torn);
	ok(r.backwards == 0, "nothing backwards: %llu", (unsigned long long)r.backwards);
	ok(sum.lost == 0, "no change lost: %llu", (unsigned long long)sum.lost);
	ok(sum.stuck == 0 && unwell == 0, "no reader stuck: %llu, or crashed: %d",
	   (unsigned long long)sum.stuck, unwell);
}

/* ---- in one process -------------------------------------------------------------- */

static void *reader_thread(void *arg)
{
	read_on(arg);
	return NULL;
}

static void threads(void)
{
	uint64_t changes = setting("UPC_STRESS_CHANGES", 20000), n = 0, no_fuse = 0, state = 1;
	struct upci_shared shared = {.page = NULL};
	pthread_t thread[READERS];
	struct reader r;
	unsigned i, refused = 0;

	for (i = 0; i < READERS; i++)
		if (pthread_create(&thread[i], NULL, reader_thread, &common->reader[i])) {
			ok(0, "a thread cannot be started");
			return;
		}
	while (n < changes && !refused) {
		memset(&shared, 0, sizeof(shared));
		if (upci_shared_create(name, false, &shared)) {
			note("%s", upc_last_message());
			refused++;
			break;
		}
		do {
			n++;
			change(&shared, n, n % 8 == 1, &no_fuse);
			rest(&state);
		} while (n % 500);
		upci_shared_destroy(&shared);
	}
	__atomic_store_n(&common->stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	r = add_readers();
	note("%llu changes; %llu snapshots and %llu names checked; %llu openings; too fast %llu",
	     (unsigned long long)n, (unsigned long long)r.snapshots, (unsigned long long)r.events,
	     (unsigned long long)r.opens, (unsigned long long)r.too_fast);
	ok(refused == 0, "an owner has its name each time");
	ok(r.snapshots > 0 && r.events > 0, "the readers have seen something");
	ok(r.torn == 0, "nothing torn: %llu", (unsigned long long)r.torn);
	ok(r.backwards == 0, "nothing backwards: %llu", (unsigned long long)r.backwards);
}

int main(void)
{
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (common == MAP_FAILED)
		bail_out("no memory");
	snprintf(name, sizeof(name), "stress-%d", (int)getpid());
	if (getenv("UPC_STRESS_THREADS"))
		threads();
	else
		processes();
	return done();
}
