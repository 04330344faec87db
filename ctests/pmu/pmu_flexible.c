/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_flexible - units that leave counters to users: flexible ones, which the pinned events of
 * others outrank and which say how much they missed, and ones that leave counters free. A service
 * of this kind counts a CPU; the user counts a thread on it.
 */
#include <sched.h>
#include <stdbool.h>

#include "pmu_unit.h"

#define BOTH (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER)

static unsigned room; /* how many events fit */

static unsigned count_room(const struct upc_unit_options *options)
{
	struct upc_unit *u = create(0, options);
	unsigned n = 0;

	while (n < events && !upc_unit_add(u, event[n]))
		n++;
	upc_unit_destroy(u);
	return n;
}

/* Keeps the test on the CPU that it runs on. Returns the options of a unit on this CPU. */
static struct upc_unit_options on_a_cpu(bool flexible)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	cpu_set_t set;

	options.context = UPC_CONTEXT_CPU;
	options.cpu = sched_getcpu();
	options.flexible = flexible;
	CPU_ZERO(&set);
	CPU_SET((unsigned)options.cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	return options;
}

static struct upc_counter_info state_of(struct upc_unit *u, unsigned which)
{
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	unsigned flags;

	upc_counter_state(u, counter_of(u, event[which], &flags), &info);
	return info;
}

/* Reads the unit, and returns the state of its first event. */
static struct upc_counter_info read_state(struct upc_unit *u, int *error)
{
	*error = upc_unit_read(u, NULL);
	return state_of(u, 0);
}

static struct upc_unit *started(unsigned n, const struct upc_unit_options *options, const char *what)
{
	struct upc_unit *u = create(n, options);

	ok(upc_unit_start(u) == 0, "%s starts, of %u events", what, n);
	return u;
}

/* ---- flexible ------------------------------------------------------------------------------- */

/* Checks that a unit counts, and misses nothing. */
static void is_whole(struct upc_unit *u, const char *what)
{
	struct upc_counter_info before, after;
	int error[2];

	before = read_state(u, &error[0]);
	work(LOOPS);
	after = read_state(u, &error[1]);
	ok(!error[0] && !error[1] && after.value - before.value >= LOOPS && !(after.flags & BOTH),
	   "%s counts all: %d, %llu more", what, error[1], (unsigned long long)(after.value - before.value));
	ok(after.running_ns == after.enabled_ns && after.running_ns > before.running_ns,
	   "and ran all the time: %llu of %llu ns", (unsigned long long)after.running_ns,
	   (unsigned long long)after.enabled_ns);
}

static void test_beside_pinned(void)
{
	const struct upc_unit_options pinned = on_a_cpu(false), flexible = on_a_cpu(true);
	struct upc_unit *holder = started(room, &pinned, "who holds all counters"), *u, *refused_unit;
	struct upc_counter_info info, later;
	unsigned tries;
	int error;

	refused_unit = create(2, &pinned);
	refused(upc_unit_start(refused_unit), "a pinned unit beside it", "others that run hold them");
	upc_unit_destroy(refused_unit);
	u = started(2, &flexible, "a flexible unit beside it");
	work(LOOPS);
	info = read_state(u, &error);
	ok(error == UPC_EPARTIAL && info.flags & UPC_COUNTER_NEVER, "it says that it never counted: %s",
	   upc_last_message());
	ok(info.value == 0 && info.running_ns == 0 && info.enabled_ns > 0,
	   "it counted nothing in 0 of %llu ns", (unsigned long long)info.enabled_ns);
	ok(upc_unit_add(u, event[2]) == 0, "an event is added to what waits for counters");
	ok(upc_unit_remove(u, event[2]) == 0, "and taken away");
	upc_unit_destroy(holder);
	/* The unit gets the counters when the kernel next deals them out. */
	for (tries = 0; tries < 1000 && !info.value; tries++) {
		work(LOOPS);
		info = read_state(u, &error);
	}
	ok(error == UPC_EPARTIAL && (info.flags & BOTH) == UPC_COUNTER_PARTIAL,
	   "when those are free it counts, and says that it was not always: 0x%x", info.flags);
	ok(info.running_ns > 0 && info.running_ns < info.enabled_ns, "in %llu of %llu ns",
	   (unsigned long long)info.running_ns, (unsigned long long)info.enabled_ns);
	work(LOOPS);
	later = read_state(u, &error);
	ok(later.value - info.value >= LOOPS &&
		   later.enabled_ns - later.running_ns == info.enabled_ns - info.running_ns,
	   "what it misses grows no more");
	ok(upc_unit_reset(u) == 0, "reset");
	is_whole(u, "from there on it");
	upc_unit_destroy(u);
}

/* The user comes when the service has all counters. */
static void test_user_comes(void)
{
	const struct upc_unit_options flexible = on_a_cpu(true), pinned = on_a_cpu(false);
	struct upc_unit *service = started(room, &pinned, "a pinned service"), *user = create(2, NULL);
	struct upc_counter_info before, during, after;
	int error;

	refused(upc_unit_start(user), "a user's unit beside a pinned service", "others that run hold them");
	upc_unit_destroy(service);
	service = started(room, &flexible, "a flexible service");
	is_whole(service, "the service");
	before = read_state(service, &error);
	ok(upc_unit_start(user) == 0, "a user's unit starts beside it: %s", upc_last_message());
	is_whole(user, "the user's unit");
	during = read_state(service, &error);
	ok(error == UPC_EPARTIAL && (during.flags & BOTH) == UPC_COUNTER_PARTIAL,
	   "the service says that it lost counters: 0x%x, %s", during.flags, upc_last_message());
	ok(during.enabled_ns > before.enabled_ns &&
		   during.running_ns - before.running_ns < during.enabled_ns - before.enabled_ns,
	   "it ran %llu of %llu ns", (unsigned long long)(during.running_ns - before.running_ns),
	   (unsigned long long)(during.enabled_ns - before.enabled_ns));
	/* The service's value is a count, and was not scaled: it is less than the user's own instructions. */
	ok(during.value - before.value < 2 * LOOPS, "what it missed is not made up: %llu",
	   (unsigned long long)(during.value - before.value));
	ok(upc_unit_stop(user) == 0, "the user's unit stops");
	work(LOOPS);
	upc_unit_destroy(user);
	upc_unit_reset(service);
	work(200 * (unsigned long)LOOPS);
	upc_unit_reset(service);
	is_whole(service, "then the service");
	ok(upc_unit_stop(service) == 0, "the service stops");
	after = state_of(service, 0);
	ok(after.enabled_ns == after.running_ns, "with %llu ns of %llu", (unsigned long long)after.running_ns,
	   (unsigned long long)after.enabled_ns);
	upc_unit_destroy(service);
}

/* The kernel gives each of two flexible units its turn. */
static void test_turns(void)
{
	const struct upc_unit_options flexible = on_a_cpu(true);
	struct upc_unit *u[2];
	struct upc_counter_info info[2];
	int error[2], i;

	for (i = 0; i < 2; i++)
		u[i] = started(room, &flexible, "one of two flexible units");
	work(400 * (unsigned long)LOOPS);
	for (i = 0; i < 2; i++) {
		ok(upc_unit_stop(u[i]) == UPC_EPARTIAL, "unit %d had its part", i);
		info[i] = read_state(u[i], &error[i]);
		ok((info[i].flags & BOTH) == UPC_COUNTER_PARTIAL && info[i].running_ns > 0 &&
			   info[i].running_ns < info[i].enabled_ns,
		   "unit %d ran %llu of %llu ns", i, (unsigned long long)info[i].running_ns,
		   (unsigned long long)info[i].enabled_ns);
	}
	/* The units never run both at once: together they ran no longer than the whole time, which the first
	 * saw begin and the second saw end. */
	ok(info[0].running_ns + info[1].running_ns <= info[0].enabled_ns + 1000000, "they took turns");
	for (i = 0; i < 2; i++)
		upc_unit_destroy(u[i]);
}

/* A counter that is halted misses nothing meanwhile. */
static void test_halted(void)
{
	const struct upc_unit_options pinned = on_a_cpu(false), flexible = on_a_cpu(true);
	struct upc_unit *u = started(2, &flexible, "a flexible unit"), *holder;
	struct upc_counter_info before, after, other;
	unsigned flags;
	int error;

	work(LOOPS);
	ok(upc_counter_halt(u, counter_of(u, event[0], &flags)) == 0, "a counter is halted");
	before = read_state(u, &error);
	holder = started(room, &pinned, "who takes all counters");
	work(LOOPS);
	after = read_state(u, &error);
	other = state_of(u, 1);
	ok(after.enabled_ns == before.enabled_ns && after.running_ns == before.running_ns &&
		   after.value == before.value,
	   "its times stand while it is halted");
	ok(other.running_ns < other.enabled_ns && other.flags & UPC_COUNTER_PARTIAL,
	   "the other's show what it misses: %llu of %llu ns", (unsigned long long)other.running_ns,
	   (unsigned long long)other.enabled_ns);
	ok(upc_counter_continue(u, counter_of(u, event[0], &flags)) == 0, "it goes on, without a counter");
	work(LOOPS);
	after = read_state(u, &error);
	ok(after.enabled_ns > before.enabled_ns && after.value == before.value, "and counts nothing");
	upc_unit_destroy(holder);
	upc_unit_destroy(u);
}

/* A pinned group that was given up stands still for the kernel; the unit's time goes on. */
static void test_given_up(void)
{
	const struct upc_unit_options pinned = on_a_cpu(false);
	struct upc_unit *holder = create(room, &pinned), *u;
	struct upc_counter_info info[3];
	int error;

	/* When counters are dealt out anew, the unit that was opened first comes first. */
	u = started(2, &pinned, "a pinned unit");
	work(LOOPS);
	info[0] = read_state(u, &error);
	ok(!error && info[0].enabled_ns == info[0].running_ns, "it counts");
	ok(upc_unit_start(holder) == 0, "another takes its counters");
	work(10 * LOOPS);
	info[1] = read_state(u, &error);
	ok(error == UPC_EPARTIAL && info[1].enabled_ns - info[0].enabled_ns >= 10 * LOOPS,
	   "it should have counted for %llu ns more",
	   (unsigned long long)(info[1].enabled_ns - info[0].enabled_ns));
	ok(info[1].running_ns - info[0].running_ns < LOOPS, "and did for %llu",
	   (unsigned long long)(info[1].running_ns - info[0].running_ns));
	work(10 * LOOPS);
	ok(upc_unit_stop(u) == UPC_EPARTIAL, "it is stopped");
	info[2] = state_of(u, 0);
	ok(info[2].enabled_ns - info[1].enabled_ns >= 10 * LOOPS && info[2].running_ns == info[1].running_ns,
	   "that goes on until then");
	work(10 * LOOPS);
	info[1] = read_state(u, &error);
	ok(info[1].enabled_ns == info[2].enabled_ns, "and no further");
	ok(upc_unit_start(u) == UPC_ECONFLICT, "a start is refused");
	info[2] = read_state(u, &error);
	ok(info[2].enabled_ns == info[1].enabled_ns && info[2].running_ns == info[1].running_ns,
	   "and is no time of its");
	upc_unit_destroy(holder);
	ok(upc_unit_start(u) == 0, "it starts when they are free");
	work(LOOPS);
	info[2] = read_state(u, &error);
	ok(info[2].running_ns - info[1].running_ns == info[2].enabled_ns - info[1].enabled_ns &&
		   info[2].running_ns > info[1].running_ns,
	   "from there on it misses nothing");
	ok(upc_unit_reset(u) == 0, "reset");
	is_whole(u, "then it");
	upc_unit_destroy(u);
}

/* ---- reserve ---------------------------------------------------------------------------------- */

static void test_reserve(void)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options), cpu = on_a_cpu(true);
	struct upc_unit *u, *user;
	unsigned n;
	int error;

	for (n = 0; n <= room; n++) {
		options.reserve = n;
		ok(count_room(&options) == room - n, "%u of %u events fit with %u free", count_room(&options),
		   room, n);
	}
	options.reserve = UPC_RESERVE_MAX;
	ok(count_room(&options) == 0, "and none with more than there are");
	options.reserve = 2;
	u = create(room - 2, &options);
	refused(upc_unit_add(u, event[room - 2]), "one that needs the reserve",
		"the 2 counters that the unit");
	ok(upc_unit_list(u, NULL, 0) == (int)room - 2, "the unit is as it was");
	ok(upc_unit_start(u) == 0, "it starts");
	is_whole(u, "it");
	ok(upc_unit_add(u, event[room - 2]) == UPC_ECONFLICT, "one more is refused while it runs");
	is_whole(u, "as before it");
	upc_unit_destroy(u);
	/* A threshold takes a counter more. */
	u = create(room - 2, &options);
	signal(SIGRTMIN, SIG_IGN);
	upc_unit_set_interrupt(u, NULL, NULL, SIGRTMIN);
	ok(upc_unit_set_threshold(u, event[0], 1000000000) == UPC_ECONFLICT, "a threshold needs one: %s",
	   upc_last_message());
	upc_unit_destroy(u);
	/* A user who takes no more than is free costs the service nothing. */
	cpu.reserve = 2;
	u = started(room - 2, &cpu, "a service with a reserve");
	user = started(2, NULL, "a user's unit");
	is_whole(user, "the user's unit");
	is_whole(u, "the service");
	upc_unit_destroy(user);
	(void)read_state(u, &error);
	ok(!error, "it has lost nothing");
	upc_unit_destroy(u);
}

/* ---- times of what is read in user mode ------------------------------------------------------- */

static void test_own_thread(void)
{
	struct upc_unit *u = started(2, NULL, "a thread's own unit");
	struct upc_counter_info first, second;
	int error[2];

	is_whole(u, "it");
	work(LOOPS);
	first = read_state(u, &error[0]);
	ok(upc_unit_reset(u) == 0, "reset while it runs");
	second = state_of(u, 0);
	ok(second.enabled_ns < first.enabled_ns, "its times begin anew");
	work(LOOPS);
	second = read_state(u, &error[1]);
	ok(second.enabled_ns > 0 && second.enabled_ns == second.running_ns, "and go on: %llu ns",
	   (unsigned long long)second.running_ns);
	ok(upc_unit_stop(u) == 0, "it stops");
	first = state_of(u, 0);
	work(LOOPS);
	second = read_state(u, &error[1]);
	ok(first.enabled_ns == second.enabled_ns && first.running_ns == second.running_ns, "and so do they");
	upc_unit_destroy(u);
}

int main(void)
{
	struct upc_unit_options cpu = on_a_cpu(false);
	struct upc_unit *u;

	open_events();
	if (events < 2)
		skip_all("no PMU that opens events here");
	room = count_room(NULL);
	if (room < 4 || room + 2 > events)
		skip_all("%u of %u events fit: the PMU has other limits than these tests", room, events);
	if (upc_unit_create(c, &cpu, &u))
		skip_all("a CPU may not be counted here");
	upc_unit_destroy(u);
	test_beside_pinned();
	test_user_comes();
	test_turns();
	test_halted();
	test_given_up();
	test_reserve();
	test_own_thread();
	upc_catalogue_close(c);
	return done();
}
