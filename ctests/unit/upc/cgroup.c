/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control groups as what a unit counts: exactly what their tasks do, on all CPUs; what is refused,
 * and how.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>

#include "perf/cgroup.h"
#include "perf/context.h"
#include "catalogue_test.h"

/* A hierarchy that has perf_event, or ""; and one that does not, or "". */
static char hierarchy[512], other[512];

/* ---- groups ------------------------------------------------------------------------------- */

static bool put(const char *directory, const char *file, const char *text)
{
	char path[800];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

/* Whether the kernel counts by a hierarchy's groups: its first group does. */
static void look_at(const char *mounted)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	int error;

	options.context = UPC_CONTEXT_CGROUP;
	options.cgroup = mounted;
	error = upc_unit_create(c, &options, &u);
	if (!error)
		upc_unit_destroy(u);
	if (!error && !hierarchy[0])
		snprintf(hierarchy, sizeof(hierarchy), "%s", mounted);
	if (error == UPC_ENOSUPP && !other[0])
		snprintf(other, sizeof(other), "%s", mounted);
}

static void find_hierarchies(void)
{
	char line[1024], mounted[512], kind[64];
	FILE *f = fopen("/proc/self/mounts", "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %511s %63s", mounted, kind) == 2 && !strncmp(kind, "cgroup", 6))
			look_at(mounted);
	fclose(f);
}

static char group[600];

static int make_group(void **state)
{
	(void)state;
	if (!hierarchy[0])
		return 0;
	snprintf(group, sizeof(group), "%s/upc-test-%d", hierarchy, (int)getpid());
	return mkdir(group, 0700);
}

static int remove_group(void **state)
{
	(void)state;
	return hierarchy[0] && rmdir(group) && errno != ENOENT;
}

#define NEED_GROUP()                                                                                  \
	do {                                                                                          \
		if (!hierarchy[0])                                                                    \
			skip_because("counting a control group needs root, and a hierarchy that has " \
				     "perf_event");                                                   \
	} while (0)

/* A process in the group, or not, that touches pages when it is told to. */
struct worker {
	pid_t pid;
	int go, done;
};

static struct worker start_worker(bool inside, int cpu)
{
	struct worker w;
	int go[2], done[2];
	char byte = 0;
	cpu_set_t set;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	w.pid = fork();
	if (!w.pid) {
		CPU_ZERO(&set);
		CPU_SET((unsigned)cpu, &set);
		(void)sched_setaffinity(0, sizeof(set), &set);
		if (inside && !put(group, "cgroup.procs", "0"))
			_exit(2);
		close(go[1]);
		/* Page faults that only the first call causes come here, before the rounds. */
		touch_fresh_pages(100);
		while (write(done[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1 && byte == 'w')
			touch_fresh_pages(1000);
		_exit(0);
	}
	assert_true(w.pid > 0);
	close(go[0]);
	close(done[1]);
	w.go = go[1];
	w.done = done[0];
	assert_int_equal(read(w.done, &byte, 1), 1);
	return w;
}

static void let_work(struct worker *w)
{
	char byte = 'w';

	assert_int_equal(write(w->go, &byte, 1), 1);
	assert_int_equal(read(w->done, &byte, 1), 1);
}

static void end_worker(struct worker *w)
{
	assert_int_equal(write(w->go, "e", 1), 1);
	close(w->go);
	close(w->done);
	assert_int_equal(end_of(w->pid), 0);
}

static struct upc_unit *create(const char *name, uint32_t *code)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;

	options.context = UPC_CONTEXT_CGROUP;
	options.cgroup = group;
	if (upc_unit_create(c, &options, &u))
		fail_msg("%s", upc_last_message());
	*code = event_code(c, name);
	if (upc_unit_add(u, *code))
		fail_msg("%s", upc_last_message());
	return u;
}

/* ---- counting ---------------------------------------------------------------------------------- */

TEST_WITH(test_counts, make_group, remove_group)
{
	const int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct worker in[2], out;
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct upc_unit *u;
	uint64_t first, second, ran, before = now_ns();
	uint32_t code;

	NEED_GROUP();
	in[0] = start_worker(true, 0);
	in[1] = start_worker(true, last);
	out = start_worker(false, 0);
	u = create("perf::PAGE-FAULTS", &code);
	assert_int_equal(upc_unit_start(u), 0);
	let_work(&out);
	touch_fresh_pages(1000);
	first = event_value(u, code);
	assert_in_range(first, 0, FAULT_SLACK);
	let_work(&in[0]);
	let_work(&in[1]);
	second = event_value(u, code);
	assert_in_range(second - first, 2000, 2000 + 2 * FAULT_SLACK);
	/* Counted all the time, whether it had a CPU or not. */
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_true(info.running_ns > 0);
	assert_true(info.running_ns == info.enabled_ns);
	ran = info.running_ns;
	let_work(&out);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_true(info.running_ns > ran && info.running_ns == info.enabled_ns);
	let_work(&in[0]);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_true(info.running_ns > ran && info.running_ns == info.enabled_ns);
	assert_in_range(info.running_ns, 1, now_ns() - before);
	ran = info.running_ns;
	let_work(&in[0]);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_true(info.running_ns == ran);
	first = event_value(u, code);
	assert_faults(first - second, 1000);
	let_work(&in[0]);
	assert_true(event_value(u, code) == first);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	let_work(&in[1]);
	assert_faults(event_value(u, code), 1000);
	end_worker(&out);
	end_worker(&in[0]);
	end_worker(&in[1]);
	upc_unit_destroy(u);
}

/* A group's switches are its own, also where others have the same CPU. */
TEST_WITH(test_kinds, make_group, remove_group)
{
	struct worker in;
	struct upc_unit *u;
	uint32_t code, point;
	uint64_t value;

	NEED_GROUP();
	in = start_worker(true, 0);
	u = create("perf::CONTEXT-SWITCHES", &code);
	if (!upc_catalogue_find(c, "tp::exceptions:page_fault_user", &point))
		assert_int_equal(upc_unit_add(u, point), 0);
	else
		point = UINT32_MAX;
	assert_int_equal(upc_unit_start(u), 0);
	let_work(&in);
	assert_true(event_value(u, code) > 0);
	if (point != UINT32_MAX) {
		value = event_value(u, point);
		assert_faults(value, 1000);
	}
	upc_unit_destroy(u);
	end_worker(&in);
}

TEST_WITH(test_what_does_not_fit, make_group, remove_group)
{
	static const char *const names[] = {"time::real_ns", "vm::pgfault"};
	static const char *const wanted[] = {"not a control group's", "no control groups"};
	struct upc_unit *u;
	uint32_t code;
	unsigned i;

	NEED_GROUP();
	u = create("perf::PAGE-FAULTS", &code);
	for (i = 0; i < 2; i++) {
		assert_int_equal(upc_unit_add(u, event_code(c, names[i])), UPC_ENOSUPP);
		assert_message(names[i]);
		assert_message(wanted[i]);
	}
	assert_int_equal(upc_unit_list(u, NULL, 0), 1);
	upc_unit_destroy(u);
}

/* ---- a group that goes --------------------------------------------------------------------------- */

TEST_WITH(test_gone, make_group, remove_group)
{
	struct upc_unit *u, *stopped;
	struct worker in;
	uint32_t code, more;
	uint64_t value;
	unsigned open;

	NEED_GROUP();
	more = event_code(c, "perf::CONTEXT-SWITCHES");
	in = start_worker(true, 0);
	open = open_descriptors();
	u = create("perf::PAGE-FAULTS", &code);
	stopped = create("perf::PAGE-FAULTS", &code);
	assert_int_equal(upc_unit_start(u), 0);
	let_work(&in);
	end_worker(&in);
	value = event_value(u, code);
	assert_in_range(value, 1000, 1000 + 2 * FAULT_SLACK);
	assert_int_equal(rmdir(group), 0);
	/* One that comes with its name is another. */
	assert_int_equal(mkdir(group, 0700), 0);
	assert_true(event_value(u, code) == value);
	assert_int_equal(upc_unit_start(stopped), UPC_ENOTASK);
	assert_message("was removed");
	assert_false(upc_unit_running(stopped));
	assert_int_equal(upc_unit_add(u, more), UPC_ENOTASK);
	assert_message("perf::CONTEXT-SWITCHES: the control group");
	in = start_worker(true, 0);
	let_work(&in);
	assert_true(event_value(u, code) == value);
	assert_int_equal(upc_unit_stop(u), 0);
	end_worker(&in);
	upc_unit_destroy(u);
	upc_unit_destroy(stopped);
	assert_true(open_descriptors() <= open);
}

/* ---- units that change whom they count, and children --------------------------------------------- */

TEST_WITH(test_retarget, make_group, remove_group)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	unsigned open = open_descriptors();
	struct worker in;
	struct upc_unit *u;
	uint32_t code;

	NEED_GROUP();
	u = create("perf::PAGE-FAULTS", &code);
	assert_int_equal(upc_unit_retarget(u, NULL), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(1000);
	assert_faults(event_value(u, code), 1000);
	assert_int_equal(upc_unit_stop(u), 0);
	options.context = UPC_CONTEXT_CGROUP;
	options.cgroup = "/no/such/group";
	assert_int_equal(upc_unit_retarget(u, &options), UPC_ENOTASK);
	options.cgroup = group;
	assert_int_equal(upc_unit_retarget(u, &options), 0);
	assert_int_equal(upc_unit_start(u), 0);
	in = start_worker(true, 0);
	let_work(&in);
	assert_in_range(event_value(u, code), 1000, 1300 + 2 * FAULT_SLACK);
	end_worker(&in);
	upc_unit_destroy(u);
	assert_int_equal(open_descriptors(), open);
}

TEST_WITH(test_fork, make_group, remove_group)
{
	struct upc_unit *u;
	struct worker in;
	uint32_t code;
	pid_t pid;

	NEED_GROUP();
	u = create("perf::PAGE-FAULTS", &code);
	assert_int_equal(upc_unit_start(u), 0);
	pid = fork();
	if (!pid) {
		bool good = upc_unit_get_events(u, &code, 1, &(uint64_t){0}) == 0;

		good = good && !upc_unit_running(u) && !upc_unit_start(u);
		in = start_worker(true, 0);
		let_work(&in);
		good = good && event_value(u, code) >= 1000;
		end_worker(&in);
		upc_unit_destroy(u);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
	assert_true(event_value(u, code) >= 1000);
	upc_unit_destroy(u);
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static void refuse(const char *path, int error, const char *message)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	unsigned open = open_descriptors();
	struct upc_unit *u;

	options.context = UPC_CONTEXT_CGROUP;
	options.cgroup = path;
	assert_int_equal(upc_unit_create(c, &options, &u), error);
	assert_message(message);
	if (path)
		assert_message(path);
	assert_int_equal(open_descriptors(), open);
}

TEST(test_refused)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;

	refuse(NULL, UPC_EINVAL, "path of a control group's directory");
	refuse("", UPC_EINVAL, "path of a control group's directory");
	refuse("/no/such/group", UPC_ENOTASK, "no such control group");
	refuse("/etc/passwd", UPC_EINVAL, "expected the directory");
	if (hierarchy[0])
		refuse("/tmp", UPC_EINVAL, "not the directory of a control group");
	options.cgroup = "/tmp";
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_EINVAL);
	assert_message("context of a control group");
}

TEST(test_other_hierarchy)
{
	if (!other[0])
		skip_because("every hierarchy here has perf_event, or none can be asked");
	refuse(other, UPC_ENOSUPP, "mount -t cgroup -o perf_event");
}

TEST(test_not_root)
{
	pid_t pid;

	NEED_GROUP();
	if (geteuid() != 0)
		skip_because("needs root, to be somebody else");
	pid = fork();
	if (!pid) {
		struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
		struct upc_unit *u;
		int error;

		if (setgid(65534) || setuid(65534))
			_exit(9);
		options.context = UPC_CONTEXT_CGROUP;
		options.cgroup = hierarchy;
		error = upc_unit_create(c, &options, &u);
		_exit(error == UPC_EPERM && strstr(upc_last_message(), "CAP_PERFMON") ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
}

static int set_up(void **state)
{
	int error = open_catalogue(state);

	if (!error)
		find_hierarchies();
	return error;
}

UNIT_TESTS(cgroup, set_up, close_catalogue)
