/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other users of counters: passes over a made /proc (names of any bytes, processes that vanish, more
 * users than there is room for), and over the machine's own with events that a child holds.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "service/descriptor.h"
#include "service/users.h"
#include "unit/made_sys.h"

#define EVENT "anon_inode:[perf_event]"

/* ---- a made /proc ----------------------------------------------------------------------- */

static void take_away(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s/%s", made_sys, name);
	assert_int_equal(system(command), 0);
}

/* A process with a perf event. */
static void put_process(int pid, int parent, int uid, const char *command)
{
	char status[256];

	made_sys_put(command, "%d/comm", pid);
	snprintf(status, sizeof(status), "Name:\t%s\nState:\tS\nPid:\t%d\nPPid:\t%d\nUid:\t%d\t0\t0\t0\n",
		 "x", pid, parent, uid);
	made_sys_put(status, "%d/status", pid);
	made_sys_link(EVENT, "%d/fd/3", pid);
	made_sys_put("", "%d/task/%d/comm", pid, pid);
}

static int begin(void **state)
{
	*state = NULL;
	return made_proc_begin(state);
}

static int end(void **state)
{
	users_destroy(*state);
	return made_sys_end(state);
}

static struct users *create(void **state, pid_t self)
{
	struct users_options options = {.self = self, .software = true};
	struct users *u = NULL;

	assert_int_equal(users_create(&options, &u), 0);
	*state = u;
	return u;
}

static const struct service_user *look(struct users *u, unsigned expected)
{
	unsigned count, more;

	assert_int_equal(users_look(u), 0);
	const struct service_user *user = users_found(u, &count, &more);
	assert_int_equal(count, expected);
	assert_int_equal(more, 0);
	return user;
}

TEST_WITH(holders_are_found, begin, end)
{
	struct users *u = create(state, 1);
	const struct service_user *user;

	put_process(20, 1, 1000, "perf\n");
	made_sys_link("/dev/null", "20/fd/0");
	made_sys_link(EVENT, "20/fd/4");
	put_process(30, 1, 1000, "idle\n");
	take_away("30/fd/3");
	made_sys_link("socket:[12]", "30/fd/1");
	put_process(40, 20, 0, "likwid-accessD\n");
	take_away("40/fd/3");
	made_sys_link("/dev/cpu/17/msr", "40/fd/9");
	made_sys_put("cpu 1 2 3\n", "stat");
	made_sys_link("20", "self");
	user = look(u, 2);
	/* The users are in the order of the listing, and a made directory may list them in any order. */
	if (user[0].pid == 40)
		user++;
	assert_int_equal(user[0].pid, 20);
	assert_int_equal(user[0].uid, 1000);
	assert_int_equal(user[0].descriptors, 2);
	assert_string_equal(user[0].command, "perf");
	user = user[1].pid == 40 ? user + 1 : user - 1;
	assert_int_equal(user[0].pid, 40);
	assert_int_equal(user[0].descriptors, 1);
	assert_string_equal(user[0].command, "likwid-accessD");
}

/* Links to paths that resemble that of an MSR, or of a perf event: an anonymous inode has no such path. */
TEST_WITH(likenesses_are_not, begin, end)
{
	struct users *u = create(state, 1);
	static const char *const near[] = {"anon_inode:[perf_event",
					   "anon_inode:[perf_event]]",
					   "/anon_inode:[perf_event]",
					   "anon_inode:[eventpoll]",
					   "/dev/cpu/msr",
					   "/dev/cpu/0/cpuid",
					   "/home/dev/cpu/0/msr",
					   "/dev/cpu/0/a/very/long/path/that/does/not/fit/msr"};

	made_sys_put("x\n", "20/comm");
	for (unsigned i = 0; i < sizeof(near) / sizeof(near[0]); i++)
		made_sys_link(near[i], "20/fd/%u", i);
	look(u, 0);
}

TEST_WITH(own_ones_are_not_others, begin, end)
{
	struct users *u = create(state, 20);

	put_process(20, 1, 0, "pmdaupc\n");
	put_process(21, 20, 0, "holder\n");
	put_process(22, 21, 0, "grandchild\n");
	put_process(23, 1, 0, "perf\n");
	assert_int_equal(look(u, 1)->pid, 23);
}

/* Chains of parents that go round, or that say nonsense, end. */
TEST_WITH(parents_may_lie, begin, end)
{
	struct users *u = create(state, 5);

	put_process(20, 21, 0, "a\n");
	put_process(21, 20, 0, "b\n");
	put_process(22, 0, 0, "c\n");
	made_sys_put("PPid:", "22/status");
	put_process(23, 0, 0, "d\n");
	made_sys_put("Name:\tx\\nPPid:\t5\nPPid:\t1\nUid:\t7\t0\t0\t0\n", "23/status");
	look(u, 4);
}

TEST_WITH(names_are_printable, begin, end)
{
	struct users *u = create(state, 1);
	const struct service_user *user;

	put_process(20, 1, 1000, "a\nb\x1b[2J\xff\"\\c\n");
	user = look(u, 1);
	assert_string_equal(user->command, "a?b?[2J?\"\\c");
	made_sys_put("", "20/comm");
	user = look(u, 1);
	assert_string_equal(user->command, "?");
	made_sys_put("01234567890123456789012345678901234567890123456789012345678901234567890123456789\n",
		     "20/comm");
	user = look(u, 1);
	assert_int_equal(strlen(user->command), sizeof(user->command) - 1);
}

TEST_WITH(processes_may_vanish, begin, end)
{
	struct users *u = create(state, 1);
	const struct service_user *user;

	/* A process vanishes before its descriptors are listed (20), or its name and status are read (21). */
	made_sys_put("", "20/comm");
	made_sys_link(EVENT, "21/fd/0");
	user = look(u, 1);
	assert_int_equal(user->pid, 21);
	assert_int_equal(user->uid, (uid_t)-1);
	assert_string_equal(user->command, "?");
	assert_true(users_still(u));
	take_away("21");
	assert_false(users_still(u));
	look(u, 0);
	assert_int_equal(users_hidden(u), 0);
}

TEST_WITH(first_threads_may_have_ended, begin, end)
{
	struct users *u = create(state, 1);

	put_process(20, 1, 0, "leader\n");
	take_away("20/fd/3");
	made_sys_link(EVENT, "20/task/21/fd/3");
	made_sys_link(EVENT, "20/task/22/fd/3");
	assert_int_equal(look(u, 1)->descriptors, 1);
	assert_true(users_still(u));
}

TEST_WITH(there_may_be_many, begin, end)
{
	struct users *u = create(state, 1);
	unsigned count, more;

	for (int pid = 100; pid < 100 + (int)USERS_MAX + 9; pid++)
		put_process(pid, 1, pid, "many\n");
	for (int fd = 10; fd < 3000; fd++)
		made_sys_link(EVENT, "100/fd/%d", fd);
	assert_int_equal(users_look(u), 0);
	users_found(u, &count, &more);
	assert_int_equal(count, USERS_MAX);
	assert_int_equal(more, 9);
	assert_true(users_still(u));
}

TEST_WITH(numbers_that_are_none, begin, end)
{
	struct users *u = create(state, 1);

	made_sys_link(EVENT, "0/fd/3");
	made_sys_link(EVENT, "99999999999/fd/3");
	made_sys_link(EVENT, "4294967297/fd/3");
	made_sys_link(EVENT, "-3/fd/3");
	made_sys_link(EVENT, "12a/fd/3");
	made_sys_link(EVENT, "20/fd/x");
	look(u, 0);
}

TEST_WITH(proc_must_be_one, begin, end)
{
	struct users_options options = {0};
	struct users *u;

	made_sys_known = false;
	assert_int_equal(users_create(&options, &u), UPC_ENOSUPP);
}

/* ---- the machine's own --------------------------------------------------------------------- */

/* A child that holds an event of this type, or -1 where the machine has none. */
static pid_t start_holder(uint32_t type, uint64_t config, int *to)
{
	int ready[2], ends[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready) | pipe(ends), 0);
	pid = fork();
	if (!pid) {
		struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};
		int fd;

		close(ends[1]);
		prctl(PR_SET_NAME, "a\033 holder");
		attr.exclude_kernel = 1;
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		byte = fd < 0 ? 'n' : 'y';
		if (write(ready[1], &byte, 1) != 1 || read(ends[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	assert_true(pid > 0);
	close(ready[1]);
	close(ends[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*to = ends[1];
	if (byte == 'y')
		return pid;
	close(ends[1]);
	waitpid(pid, NULL, 0);
	return -1;
}

static bool found(struct users *u, pid_t pid, struct service_user *one)
{
	const struct service_user *user;
	unsigned count, more;

	assert_int_equal(users_look(u), 0);
	user = users_found(u, &count, &more);
	for (unsigned i = 0; i < count; i++)
		if (user[i].pid == pid) {
			*one = user[i];
			return true;
		}
	return false;
}

/* A software event is seen while it is held, where options.software is set; self is no process here. */
TEST(software_is_told_from_hardware)
{
	struct users_options options = {.self = 1 << 30, .software = true};
	struct service_user user;
	struct users *all, *hardware;
	pid_t pid;
	int ends, self = descriptor_process(getpid());

	if (self < 0)
		skip_because("there is no pidfd_open here: the kernel does not tell");
	close(self);
	pid = start_holder(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &ends);
	if (pid < 0)
		skip_because("this kernel lets nobody count here: %s", strerror(errno));
	assert_int_equal(users_create(&options, &all), 0);
	options.software = false;
	assert_int_equal(users_create(&options, &hardware), 0);
	assert_true(found(all, pid, &user));
	assert_int_equal(user.uid, getuid());
	assert_int_equal(user.descriptors, 1);
	assert_string_equal(user.command, "a? holder");
	assert_true(users_still(all));
	assert_false(found(hardware, pid, &user));
	close(ends);
	waitpid(pid, NULL, 0);
	assert_false(found(all, pid, &user));
	/* The kernel gives its clocks types of their own. */
	pid = start_holder(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, &ends);
	assert_true(pid > 0);
	assert_true(found(all, pid, &user));
	assert_false(found(hardware, pid, &user));
	close(ends);
	waitpid(pid, NULL, 0);
	users_destroy(all);
	users_destroy(hardware);
}

TEST(hardware_is_seen)
{
	struct users_options options = {.self = 1 << 30};
	struct service_user user;
	struct users *u;
	int ends;
	pid_t pid = start_holder(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &ends);

	if (pid < 0)
		skip_because("this machine has no PMU, or it is kept from this user");
	assert_int_equal(users_create(&options, &u), 0);
	assert_true(found(u, pid, &user));
	assert_int_equal(user.descriptors, 1);
	close(ends);
	waitpid(pid, NULL, 0);
	assert_false(found(u, pid, &user));
	users_destroy(u);
}

/* The children of the caller (self is 0) are not others. */
TEST(children_are_own)
{
	struct users_options options = {.software = true};
	struct service_user user;
	struct users *u;
	int ends;
	pid_t pid = start_holder(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &ends);

	if (pid < 0)
		skip_because("this kernel lets nobody count here");
	assert_int_equal(users_create(&options, &u), 0);
	assert_false(found(u, pid, &user));
	close(ends);
	waitpid(pid, NULL, 0);
	users_destroy(u);
}

/* Without privileges a pass reports processes that are hidden from it, or a /proc that does not have all. */
TEST(what_is_kept_from_a_user_is_told)
{
	struct users_options options = {0};
	struct users *u;
	pid_t pid = fork();

	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(2);
		if (users_create(&options, &u) || users_look(u))
			_exit(3);
		_exit(users_hidden(u) || !users_all_here() ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
}

/* A hundred passes leave as many descriptors open as one. */
TEST(passes_leave_nothing)
{
	struct users_options options = {0};
	struct users *u;
	unsigned before;

	assert_int_equal(users_create(&options, &u), 0);
	assert_int_equal(users_look(u), 0);
	before = open_descriptors();
	for (int i = 0; i < 100; i++)
		assert_int_equal(users_look(u), 0);
	assert_int_equal(open_descriptors(), before);
	users_destroy(u);
}

UNIT_TESTS(users, NULL, NULL)
