/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The service steps aside for a process that opens an event (a software one, so no PMU is needed),
 * goes on after it, and says who it was. In the machine's own time: what is asserted is what happens,
 * never when. In a /proc that shows that process alone, since other tests count as well.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>

#include "service/aside.h"
#include "unit/made_sys.h"

/* Shows a process, as long as it is there. */
static void show(pid_t pid)
{
	char to[32];

	snprintf(to, sizeof(to), "/proc/%d", (int)pid);
	made_sys_link(to, "%d", (int)pid);
}

static struct aside *create(bool notice)
{
	struct aside_options options = {.notice = notice, .hardware = true, .software = true};
	struct aside *a = NULL;

	assert_int_equal(aside_create(&options, &a), 0);
	return a;
}

/* As the worker does it, until the counters run, or do not. */
static void wait_until(struct aside *a, bool runs)
{
	for (int tries = 0; tries < 60000; tries++) {
		aside_tick(a, now_ns());
		if (aside_runs(a) == runs)
			return;
		usleep(1000);
	}
	fail_msg("the counters %s: %s", runs ? "never ran again" : "ran on", aside_why(a));
}

/* Opened by somebody who is no child of the service's: its parent ends at once. */
static pid_t start_user(int *to)
{
	int ready[2], ends[2];
	pid_t parent, pid = -1;

	assert_int_equal(pipe(ready) | pipe(ends), 0);
	parent = fork();
	if (!parent) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = PERF_COUNT_SW_PAGE_FAULTS,
			.exclude_kernel = 1,
		};
		char byte;

		if (fork())
			_exit(0);
		close(ends[1]);
		pid = getpid();
		if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0)
			pid = -1;
		/* When the parent is not this one's any more. */
		while (pid > 0 && getppid() == parent)
			;
		if (write(ready[1], &pid, sizeof(pid)) != sizeof(pid) || read(ends[0], &byte, 1) < 0)
			_exit(1);
		_exit(0);
	}
	waitpid(parent, NULL, 0);
	close(ready[1]);
	close(ends[0]);
	assert_int_equal(read(ready[0], &pid, sizeof(pid)), sizeof(pid));
	close(ready[0]);
	*to = ends[1];
	if (pid < 0)
		close(ends[1]);
	else
		show(pid);
	return pid;
}

static bool is_listed(const struct aside *a, pid_t pid)
{
	const struct service_user *user;
	unsigned count;

	user = aside_users(a, &count);
	for (unsigned i = 0; i < count; i++)
		if (user[i].pid == pid)
			return true;
	return false;
}

TEST(users_are_made_way_for)
{
	struct aside *a;
	int ends;
	pid_t pid;

	a = create(true);
	wait_until(a, true);
	printf("# users are noticed %s%s%s\n", aside_how(a), *aside_unseen(a) ? "; " : "", aside_unseen(a));
	pid = start_user(&ends);
	if (pid < 0) {
		aside_destroy(a);
		skip_because("this kernel lets nobody count here");
	}
	wait_until(a, false);
	assert_true(is_listed(a, pid));
	assert_non_null(strstr(aside_why(a), "stepped aside for "));
	close(ends);
	wait_until(a, true);
	assert_false(is_listed(a, pid));
	assert_string_equal(aside_why(a), "");
	aside_destroy(a);
}

TEST(without_notice_they_are_only_told_of)
{
	struct aside *a;
	int ends;
	pid_t pid;

	pid = start_user(&ends);
	if (pid < 0)
		skip_because("this kernel lets nobody count here");
	a = create(false);
	assert_true(aside_tick(a, now_ns()));
	assert_true(aside_runs(a));
	assert_true(is_listed(a, pid));
	close(ends);
	aside_destroy(a);
}

TEST(who_asks_is_heard_at_once)
{
	struct aside *a = create(false);

	aside_tick(a, now_ns());
	aside_ask(a);
	aside_ask(a);
	assert_true(aside_tick(a, now_ns()));
	assert_false(aside_runs(a));
	aside_ask_no_more(a);
	aside_tick(a, now_ns());
	assert_false(aside_runs(a));
	aside_ask_no_more(a);
	assert_true(aside_tick(a, now_ns()));
	assert_true(aside_runs(a));
	/* Nobody asks less than not at all. */
	aside_ask_no_more(a);
	aside_ask(a);
	aside_tick(a, now_ns());
	assert_false(aside_runs(a));
	aside_destroy(a);
}

UNIT_TESTS(aside, made_proc_begin, made_sys_end)
