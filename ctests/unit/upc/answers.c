/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The answer of an add for a tracepoint that it does not open equals perf_event_open's:
 * as root and as a user, for the calling thread, init and a CPU, at the machine's
 * perf_event_paranoid. UPC_TEST_EVERY=1 takes every tracepoint, and at all levels that can be
 * set: the kernel takes a minute or two to close them, and others that open
 * tracepoints meanwhile wait for it. The default is one of each subsystem.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "catalogue/cat_trace.h"
#include "base/let_go.h"
#include "perf/perf_open.h"
#include "lib/machine.h"
#include "../unit_test.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define USER 65534

static struct upc_catalogue *catalogue;

struct tracepoint {
	uint32_t code;
	uint64_t id;
	const char *name;
	int fd; /* kept open, so that no other is the last to be closed */
};
static struct tracepoint *tracepoint;
static unsigned tracepoints;

static int open_one(uint64_t id, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id, .disabled = 1};

	return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Collects the tracepoints to try, kept open where that is permitted. */
static void gather(void)
{
	const bool every = getenv("UPC_TEST_EVERY") != NULL;
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	const char *subsystem = "";
	struct rlimit limit;
	uint32_t code;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	tracepoint = calloc((size_t)upc_catalogue_count(catalogue), sizeof(*tracepoint));
	assert_non_null(tracepoint);
	for (code = 0; upc_catalogue_info(catalogue, code, &info) == 0; code++) {
		struct tracepoint *t = &tracepoint[tracepoints];

		if (info.source != UPC_SOURCE_TRACEPOINT || (!every && !strcmp(info.subsystem, subsystem)))
			continue;
		subsystem = info.subsystem;
		*t = (struct tracepoint){.code = code, .name = info.name};
		if (upci_tracepoint_id(info.name + 4, &t->id))
			fail_msg("%s", upc_last_message());
		t->fd = open_one(t->id, 0, -1);
		tracepoints++;
	}
}

/* ---- the two answers -------------------------------------------------------- */

struct whom {
	const char *name;
	enum upc_context_kind context;
	pid_t pid;
	int cpu;
};

static int real_answer(const struct tracepoint *t, const struct whom *whom)
{
	const struct upci_perf_target target = {whom->context == UPC_CONTEXT_CPU ? -1 : whom->pid,
						whom->context == UPC_CONTEXT_CPU ? whom->cpu : -1, 0};
	int fd = open_one(t->id, target.tid, target.cpu);

	if (fd < 0)
		return upci_perf_fail(t->name, &target, false);
	close(fd);
	return 0;
}

static int answer_of_add(const struct tracepoint *t, const struct whom *whom)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	int error;

	options.context = whom->context;
	options.pid = whom->pid;
	options.cpu = whom->cpu;
	error = upc_unit_create(catalogue, &options, &u);
	if (error)
		return error;
	error = upc_unit_add(u, t->code);
	upc_unit_destroy(u);
	return error;
}

/* How many answers differ, for a few of which it says so. */
static int compare(const char *who, int level)
{
	const struct whom whom[] = {{"itself", UPC_CONTEXT_THREAD, 0, 0},
				    {"process 1", UPC_CONTEXT_THREAD, 1, 0},
				    {"CPU 0", UPC_CONTEXT_CPU, 0, 0}};
	int differ = 0, permitted = 0, said, is;
	unsigned i;
	size_t k;

	for (k = 0; k < sizeof(whom) / sizeof(whom[0]); k++)
		for (i = 0; i < tracepoints; i++) {
			said = answer_of_add(&tracepoint[i], &whom[k]);
			is = real_answer(&tracepoint[i], &whom[k]);
			permitted += !is;
			if (said != is && differ++ < 5)
				print_message("# %s, of %s, level %d: %s: said %d, is %d\n", who,
					      whom[k].name, level, tracepoint[i].name, said, is);
		}
	print_message("# %s, level %d: %u tracepoints, %d of %zu permitted\n", who, level, tracepoints,
		      permitted, tracepoints * k);
	return differ;
}

/* ---- who asks ------------------------------------------------------------------ */

/* A user who may read tracefs, and nothing else that users may not. */
static int become_user(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};

	data[0].effective = data[0].permitted = 1u << CAP_DAC_READ_SEARCH;
	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		return -1;
	return (int)syscall(SYS_capset, &header, data);
}

static void compare_as(bool user, int level)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (user && become_user())
			_exit(77);
		_exit(compare(user ? "user" : "as we are", level) != 0);
	}
	status = end_of(pid);
	if (status == 77) {
		print_message("# skipped: no user can be asked as, level %d\n", level);
		return;
	}
	assert_int_equal(status, 0);
}

static bool set_level(int level)
{
	char text[16];
	int fd = open(PARANOID, O_WRONLY | O_CLOEXEC), n = snprintf(text, sizeof(text), "%d\n", level);
	bool set = fd >= 0 && write(fd, text, (size_t)n) == n;

	if (fd >= 0)
		close(fd);
	return set && upci_perf_paranoid() == level;
}

static void compare_at(int level)
{
	compare_as(false, level);
	compare_as(true, level);
}

TEST(test_answers)
{
	const int level = upci_perf_paranoid();

	if (!tracepoints) {
		assert_false(machine_traces());
		skip_because("no tracepoints can be read");
	}
	compare_at(level);
}

TEST(test_answers_at_all_levels)
{
	const int level = upci_perf_paranoid();
	int other;

	if (!getenv("UPC_TEST_EVERY") || !tracepoints)
		skip_because("the machine's level is left alone: not UPC_TEST_EVERY, or no tracepoints");
	for (other = -1; other <= 4; other++) {
		if (!set_level(other)) {
			print_message("# skipped: level %d cannot be set\n", other);
			continue;
		}
		compare_at(other);
		assert_true(set_level(level));
	}
}

static int set_up(void **state)
{
	(void)state;
	if (upc_catalogue_open(NULL, &catalogue))
		return -1;
	gather();
	return 0;
}

/* The kernel's minute is nobody's. */
static int tear_down(void **state)
{
	struct upci_bag bag = {0};
	unsigned i;

	(void)state;
	for (i = 0; i < tracepoints; i++)
		if (tracepoint[i].fd >= 0)
			upci_bag_add(&bag, &tracepoint[i].fd, 1);
	upci_bag_let_go(&bag);
	free(tracepoint);
	upc_catalogue_close(catalogue);
	return 0;
}

UNIT_TESTS(answers, set_up, tear_down)
