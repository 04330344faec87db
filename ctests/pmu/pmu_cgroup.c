/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_cgroup - a control group's instructions, to the last one; and the reports about them where
 * others hold the counters.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "pmu_unit.h"

#define BOTH (UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER)

static char hierarchy[] = "/tmp/upc-cgroup-XXXXXX", group[64];

static struct upc_unit_options options;
static unsigned room;

static bool put(const char *directory, const char *file, const char *text)
{
	char path[80];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

static bool join(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	return put(group, "cgroup.procs", text);
}

static struct upc_counter_info read_state(struct upc_unit *u, int *error)
{
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	unsigned flags;

	*error = upc_unit_read(u, NULL);
	upc_counter_state(u, counter_of(u, event[0], &flags), &info);
	return info;
}

/* A round of the other process is always the same: the loop, and its calls. */
static void test_exact(struct other *in, struct other *out)
{
	struct upc_unit *u = create(1, &options);
	struct upc_counter_info info[3];
	int error[3];

	ok(upc_unit_start(u) == 0, "a control group's unit starts");
	let_work(out);
	work(LOOPS);
	info[0] = read_state(u, &error[0]);
	ok(!error[0] && info[0].value == 0, "what others do is not counted: %llu",
	   (unsigned long long)info[0].value);
	ok(info[0].enabled_ns > 0 && info[0].running_ns == info[0].enabled_ns,
	   "nor missed: it ran %llu of %llu ns", (unsigned long long)info[0].running_ns,
	   (unsigned long long)info[0].enabled_ns);
	let_work(in);
	info[0] = read_state(u, &error[0]);
	let_work(out);
	let_work(in);
	info[1] = read_state(u, &error[1]);
	let_work(in);
	let_work(out);
	info[2] = read_state(u, &error[2]);
	ok(!error[0] && !error[1] && !error[2] && info[1].value - info[0].value >= 2 * LOOPS &&
		   info[1].value - info[0].value < 2 * LOOPS + 1000,
	   "a round is %llu instructions", (unsigned long long)(info[1].value - info[0].value));
	ok(info[1].value - info[0].value == info[2].value - info[1].value, "and so is the next");
	ok(info[2].running_ns == info[2].enabled_ns, "all of it was counted");
	ok(upc_unit_stop(u) == 0, "it stops");
	upc_unit_destroy(u);
}

/* A flexible unit beside one that holds all counters of the CPU. */
static void test_taken(struct other *in)
{
	struct upc_unit_options cpu = UPC_OPTIONS_INIT(upc_unit_options), flexible = options;
	struct upc_unit *holder, *u;
	struct upc_counter_info idle, taken, later;
	unsigned tries;
	int error;

	cpu.context = UPC_CONTEXT_CPU;
	cpu.cpu = sched_getcpu();
	flexible.flexible = 1;
	holder = create(room, &cpu);
	u = create(1, &flexible);
	ok(upc_unit_start(holder) == 0, "who holds all counters starts");
	ok(upc_unit_start(u) == 0, "a flexible unit starts beside it");
	work(LOOPS);
	idle = read_state(u, &error);
	ok(!error && idle.running_ns == idle.enabled_ns, "an idle group has missed nothing");
	let_work(in);
	taken = read_state(u, &error);
	ok(error == UPC_EPARTIAL && taken.flags & BOTH && taken.value == 0,
	   "it works, and is not counted: %s", upc_last_message());
	ok(taken.running_ns == idle.running_ns && taken.enabled_ns > idle.enabled_ns,
	   "its time stands: %llu of %llu ns", (unsigned long long)taken.running_ns,
	   (unsigned long long)taken.enabled_ns);
	upc_unit_destroy(holder);
	for (tries = 0; tries < 100; tries++) {
		let_work(in);
		later = read_state(u, &error);
		if (later.value - taken.value >= 2 * LOOPS)
			break;
		taken = later;
	}
	ok(later.value - taken.value >= 2 * LOOPS && later.running_ns > taken.running_ns,
	   "when they are free it is counted: %llu", (unsigned long long)(later.value - taken.value));
	ok(upc_unit_reset(u) == 0, "reset");
	let_work(in);
	later = read_state(u, &error);
	ok(!error && later.value >= 2 * LOOPS && later.running_ns == later.enabled_ns,
	   "from there on it is whole");
	upc_unit_destroy(u);
}

/* Once a pinned unit is given up the kernel's own time for it stands as well; the unit's goes on. */
static void test_given_up(struct other *in)
{
	struct upc_unit_options cpu = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *holder, *u;
	struct upc_counter_info before, after;
	int error;

	cpu.context = UPC_CONTEXT_CPU;
	cpu.cpu = sched_getcpu();
	holder = create(room, &cpu);
	u = create(1, &options);
	ok(upc_unit_start(u) == 0, "a pinned unit of the group starts");
	let_work(in);
	before = read_state(u, &error);
	ok(!error && before.value >= 2 * LOOPS, "and counts");
	ok(upc_unit_start(holder) == 0, "others take its counters");
	let_work(in);
	let_work(in);
	after = read_state(u, &error);
	ok(error == UPC_EPARTIAL && after.value == before.value, "it says so: %s", upc_last_message());
	let_work(in);
	before = read_state(u, &error);
	ok(before.running_ns == after.running_ns && before.enabled_ns > after.enabled_ns,
	   "what it should have counted goes on: %llu of %llu ns", (unsigned long long)before.running_ns,
	   (unsigned long long)before.enabled_ns);
	upc_unit_destroy(u);
	upc_unit_destroy(holder);
}

static bool open_group(bool second)
{
	if (mount("none", hierarchy, second ? "cgroup2" : "cgroup", 0, second ? NULL : "perf_event"))
		return false;
	/* The kernel gives groups of version 2 perf_event by itself, but not before it is first
	 * asked to give them anything. */
	if (second && !put(hierarchy, "cgroup.subtree_control", "+pids"))
		return false;
	snprintf(group, sizeof(group), "%s/counted", hierarchy);
	return mkdir(group, 0700) == 0;
}

static void close_group(void)
{
	ok(rmdir(group) == 0 && umount(hierarchy) == 0, "the group goes");
}

static unsigned count_room(void)
{
	struct upc_unit *u;
	unsigned n = 0;

	if (upc_unit_create(c, &options, &u))
		skip_all("a control group may not be counted here: %s", upc_last_message());
	while (n < events && !upc_unit_add(u, event[n]))
		n++;
	upc_unit_destroy(u);
	return n;
}

static void test_hierarchy(const char *name)
{
	struct other in, out;

	room = count_room();
	start_other(&in);
	start_other(&out);
	ok(room > 1 && join(in.pid), "%s: %u events fit, and a process is in the group", name, room);
	let_work(&in);
	test_exact(&in, &out);
	test_taken(&in);
	test_given_up(&in);
	/* The second process has the first one's pipes as well. */
	end_other(&out);
	end_other(&in);
}

/* Where version 1 has perf_event, version 2's groups are refused with the remedy. */
static void test_wrong_hierarchy(void)
{
	struct upc_unit_options wrong = options;
	char second[] = "/tmp/upc-cgroup2-XXXXXX";
	struct upc_unit *u;
	int error;

	if (!mkdtemp(second) || mount("none", second, "cgroup2", 0, NULL)) {
		skip("there is no version 2 beside version 1 here");
		return;
	}
	wrong.cgroup = second;
	error = upc_unit_create(c, &wrong, &u);
	ok(error == UPC_ENOSUPP && strstr(upc_last_message(), "mount -t cgroup -o perf_event"),
	   "a group of the other hierarchy is refused: %s", error ? upc_last_message() : "it was not");
	umount(second);
	rmdir(second);
}

int main(void)
{
	const struct upc_unit_options every = UPC_OPTIONS_INIT(upc_unit_options);

	open_events();
	if (events < 2)
		skip_all("no PMU that opens events here");
	if (!mkdtemp(hierarchy) || !open_group(true))
		skip_all("no control groups of version 2 can be mounted here");
	options = every;
	options.context = UPC_CONTEXT_CGROUP;
	options.cgroup = group;
	options.domain = UPC_DOMAIN_USER;
	test_hierarchy("version 2");
	close_group();
	if (open_group(false)) {
		test_hierarchy("version 1");
		test_wrong_hierarchy();
		close_group();
	} else {
		skip("version 1's perf_event cannot be mounted here");
	}
	rmdir(hierarchy);
	upc_catalogue_close(c);
	return done();
}
