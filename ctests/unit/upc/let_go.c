/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors are let go of without anybody's waiting: the process that does it holds nothing
 * else, and nobody sees it. The descriptors are those of pipes, which tell by their other end
 * when the last copy is closed, and of tracepoints, which take the kernel long.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "catalogue/cat_trace.h"
#include "base/let_go.h"
#include "base/notice.h"
#include "lib/machine.h"
#include "../unit_test.h"

static char noticed[800];

static void on_notice(const char *line, void *arg)
{
	(void)arg;
	snprintf(noticed, sizeof(noticed), "%s", line);
}

/* Why no process can be made here, or NULL. */
static const char *obstacle(void)
{
	int subreaper = 0;

#ifdef __SANITIZE_THREAD__
	return "ThreadSanitizer knows no such process";
#endif
	if (getenv("UPC_TEST_INEXACT"))
		return "valgrind knows no such process";
	if (getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &subreaper) || subreaper)
		return "orphans would be this test's children";
	if (syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0))
		return "the kernel has no close_range (before 5.9), or a sandbox forbids it";
	return NULL;
}

/* Where it must not be tried all is closed by this process, which is told. */
static void need_process(void)
{
	const char *why = obstacle();
	struct upci_bag bag = {0};
	int end[2];

	noticed[0] = 0;
	assert_int_equal(pipe(end), 0);
	upci_bag_add(&bag, end, 2);
	upci_bag_let_go(&bag);
	upci_notices_tell();
	if (!noticed[0])
		return;
	if (!why)
		fail_msg("%s", noticed);
	skip_because("%s", why);
}

/* Tracepoints of this process, held open until the end of the test's process. */
static int open_tracepoints(int *fd, int max)
{
	static const char *const name[] = {"getppid", "getuid",  "geteuid", "getgid",
					   "getegid", "getpgid", "getsid"};
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1};
	char text[64];
	uint64_t id;
	int n = 0, i;

	for (i = 0; i < 14 && n < max; i++) {
		snprintf(text, sizeof(text), "syscalls:sys_%s_%s", i < 7 ? "enter" : "exit", name[i % 7]);
		if (upci_tracepoint_id(text, &id))
			break;
		attr.config = id;
		fd[n] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd[n] < 0)
			break;
		n++;
	}
	return n;
}

static void need_tracepoints(int n)
{
	if (n == 14)
		return;
	assert_false(machine_traces());
	skip_because("no tracepoints can be opened");
}

static void let_go_of(const int *fd, int n)
{
	struct upci_bag bag = {0};

	upci_bag_add(&bag, fd, (size_t)n);
	upci_bag_let_go(&bag);
	upci_notices_tell();
	assert_int_equal(bag.n, 0);
	assert_null(bag.fd);
}

/* A process of ours that has the name of who lets go: its number, or 0. */
static pid_t find_holder(void)
{
	char path[300], line[64];
	const struct dirent *entry;
	pid_t found = 0;
	DIR *dir = opendir("/proc");

	assert_non_null(dir);
	while (!found && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = entry->d_name[0] > '9' ? NULL : fopen(path, "r");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file) && !strcmp(line, "upc-closing\n"))
			found = (pid_t)atoi(entry->d_name);
		fclose(file);
	}
	closedir(dir);
	return found;
}

/* ---- descriptors ------------------------------------------------------------- */

static bool ends_at_once(int fd)
{
	char byte;

	/* Whoever else holds the other end has to end for this to return. */
	return read(fd, &byte, 1) == 0;
}

TEST(test_closed)
{
	int end[10][2], fd[10], i;

	for (i = 0; i < 10; i++) {
		assert_int_equal(pipe(end[i]), 0);
		fd[9 - i] = end[i][1]; /* in no order */
	}
	let_go_of(fd, 10);
	for (i = 0; i < 10; i++) {
		assert_int_equal(fcntl(end[i][1], F_GETFD), -1);
		assert_true(ends_at_once(end[i][0]));
		close(end[i][0]);
	}
}

/* Descriptor 0 and the last possible one among them. */
TEST(test_numbers_at_the_ends)
{
	struct rlimit limit;
	int end[2], fd[2], kept = dup(0);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(pipe(end), 0);
	assert_int_equal(dup2(end[1], 0), 0);
	fd[0] = 0;
	fd[1] = fcntl(end[1], F_DUPFD, (int)limit.rlim_cur - 1);
	assert_true(fd[1] >= 0);
	close(end[1]);
	let_go_of(fd, 2);
	assert_int_equal(fcntl(0, F_GETFD), -1);
	if (kept >= 0)
		assert_int_equal(dup2(kept, 0), 0);
	assert_true(ends_at_once(end[0]));
	close(end[0]);
	close(kept);
}

/* At the program's end the numbers stay taken. */
TEST(test_left_at_the_end)
{
	struct upci_bag bag = {0};
	int end[2];
	char byte;

	need_process();
	assert_int_equal(pipe(end), 0);
	upci_bag_add(&bag, &end[1], 1);
	upci_bag_leave(&bag);
	assert_true(ends_at_once(end[0]));
	assert_int_equal(fcntl(end[1], F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(end[1], &byte, 1), 0);
	close(end[0]);
	close(end[1]);
}

/* ---- what else it might hold --------------------------------------------------- */

/* While tracepoints are closed a pipe's end is noticed, a lock can be taken, a mount goes. */
TEST(test_holds_nothing_else)
{
	char template[] = "/tmp/upc-let-go-XXXXXX", path[64];
	int fd[14], n = open_tracepoints(fd, 14), end[2], lock, again;
	struct pollfd other_end;
	bool mounted, gone = true;
	pid_t pid;

	need_process();
	need_tracepoints(n);
	assert_int_equal(pipe(end), 0);
	lock = memfd_create("lock", 0);
	assert_true(lock >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", lock);
	/* All in a process of its own, which has another directory and namespace. */
	pid = fork();
	if (pid == 0) {
		mounted = !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
			  mkdtemp(template) && !mount("upc", template, "tmpfs", 0, NULL) && !chdir(template);
		if (flock(open(path, O_RDWR), LOCK_EX))
			_exit(3);
		let_go_of(fd, n);
		if (noticed[0])
			_exit(2);
		if (mounted) {
			gone = !chdir("/") && !umount(template);
			rmdir(template);
		}
		_exit(!gone);
	}
	assert_true(pid > 0);
	/* The last copies are the child's. */
	for (again = 0; again < n; again++)
		close(fd[again]);
	assert_int_equal(end_of(pid), 0);
	close(end[1]);
	/* Now, and not when the kernel has closed them all. */
	other_end = (struct pollfd){.fd = end[0]};
	assert_int_equal(poll(&other_end, 1, 0), 1);
	assert_int_equal(other_end.revents, POLLHUP);
	assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
	close(end[0]);
	close(lock);
}

/* A program that has let go of them ends with nobody waiting, and what closes them is not its
 * child, has a session of its own, no terminal, no directory and no memory, and ends. */
TEST(test_who_holds)
{
	enum { PATIENCE = 6000 };
	int fd[14], n = open_tracepoints(fd, 14), i, again, status;
	char path[64], text[4096];
	struct rusage before, after;
	pid_t pid, session;
	FILE *file;

	need_process();
	need_tracepoints(n);
	/* Each close would sleep at least once; to let go takes a switch or two. */
	getrusage(RUSAGE_THREAD, &before);
	let_go_of(fd, n);
	getrusage(RUSAGE_THREAD, &after);
	assert_in_range(after.ru_nvcsw - before.ru_nvcsw, 0, n - 1);
	pid = find_holder();
	assert_int_equal(waitpid(-1, &status, WNOHANG | __WALL), -1);
	assert_int_equal(errno, ECHILD);
	if (!pid) {
		print_message("# it had ended before it could be looked at\n");
		return;
	}
	session = getsid(pid);
	assert_true(session == pid || session == -1);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (file) {
		/* pid (comm) state ppid pgrp session tty */
		int parent = 0, group = 0, of = 0, terminal = 0;

		assert_non_null(fgets(text, sizeof(text), file));
		i = sscanf(strrchr(text, ')') + 1, " %*c %d %d %d %d", &parent, &group, &of, &terminal);
		assert_int_equal(i, 4);
		assert_int_not_equal(parent, getpid());
		assert_int_not_equal(group, getpgrp());
		assert_int_equal(terminal, 0);
		fclose(file);
	}
	for (i = 0; i < 3; i++) {
		static const char *const link[] = {"cwd", "root", "exe"};

		/* The kernel takes them from it on its way to the descriptors. */
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, link[i]);
		for (again = 0; again < PATIENCE && readlink(path, text, sizeof(text)) != -1; again++)
			usleep(10000);
		assert_true(again < PATIENCE);
	}
	/* By itself, whatever becomes of us. */
	for (i = 0; i < PATIENCE && find_holder() == pid; i++)
		usleep(10000);
	assert_true(i < PATIENCE);
}

static volatile sig_atomic_t children;

static void on_child(int signal)
{
	(void)signal;
	children = children + 1;
}

/* No signal, nothing to wait for, no handlers of fork, and all signals as they were. */
static int forks;

static void count_fork(void)
{
	forks++;
}

TEST(test_nobody_notices)
{
	struct sigaction action = {.sa_handler = on_child}, old;
	sigset_t mask, before, after;
	int end[2], i, status;

	need_process();
	assert_int_equal(pthread_atfork(count_fork, count_fork, count_fork), 0);
	assert_int_equal(sigaction(SIGCHLD, &action, &old), 0);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &mask, &before), 0);
	for (i = 0; i < 50; i++) {
		errno = 77;
		assert_int_equal(pipe(end), 0);
		let_go_of(end, 2);
		assert_int_equal(errno, 77);
		assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
		assert_int_equal(waitpid(-1, &status, WNOHANG | __WALL), -1);
	}
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, &after), 0);
	assert_int_equal(sigismember(&after, SIGUSR1), 1);
	assert_int_equal(sigismember(&after, SIGTERM), 0);
	assert_int_equal(sigaction(SIGCHLD, &old, NULL), 0);
	assert_int_equal(children, 0);
	assert_int_equal(forks, 0);
}

/* Nothing of a large program is copied: no page of it faults, or is written anew. */
TEST(test_memory_is_not_copied)
{
	const size_t size = (size_t)64 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
	struct rusage before, after;
	volatile char *memory;
	int end[2], tries = 10;
	uint64_t faults;
	size_t i;

	need_process();
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal((void *)memory, MAP_FAILED);
	(void)madvise((void *)memory, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += page)
		memory[i] = 1;
	/* A copy's pages fault each time; those that the machine was short of do once. */
	do {
		assert_int_equal(pipe(end), 0);
		getrusage(RUSAGE_SELF, &before);
		let_go_of(end, 2);
		for (i = 0; i < size; i += page)
			memory[i] = 2;
		getrusage(RUSAGE_SELF, &after);
		faults = (uint64_t)(after.ru_minflt - before.ru_minflt);
	} while (faults > FAULT_SLACK && --tries);
	assert_in_range(faults, 0, FAULT_SLACK);
	munmap((void *)memory, size);
}

/* ---- where none can be made ------------------------------------------------------ */

/* In a process of its own, whose status tells: 0 closed and told, 1 not, 77 it was let go. */
static int closed_and_told(void)
{
	int end[2], status;
	char byte;

	noticed[0] = 0;
	if (pipe(end))
		return 1;
	let_go_of(&end[1], 1);
	status = fcntl(end[1], F_GETFD) == -1 && read(end[0], &byte, 1) == 0 ? 0 : 1;
	return status ? status : noticed[0] ? 0 : 77;
}

static void expect(int (*prepare)(void), int result)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(prepare() ? 78 : closed_and_told());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 78)
		skip_because("it cannot be set up here");
	assert_int_equal(WEXITSTATUS(status), result);
}

static int prepare_nothing(void)
{
	return 0;
}

static int prepare_limit(void)
{
	const struct rlimit none = {0, 0};

	/* The superuser has no such limit. */
	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		return -1;
	return setrlimit(RLIMIT_NPROC, &none);
}

static int prepare_reaper(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* A filter that refuses one system call. */
static int refuse_call(unsigned number, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = 4, .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int prepare_no_clone(void)
{
	return refuse_call(SYS_clone, EPERM);
}

static int prepare_no_close_range(void)
{
	return refuse_call(SYS_close_range, ENOSYS);
}

TEST(test_waits_behind_a_filter)
{
	need_process();
	expect(prepare_no_clone, 0);
	expect(prepare_no_close_range, 0);
}

TEST(test_waits_at_a_limit)
{
	need_process();
	expect(prepare_nothing, 77);
	expect(prepare_limit, 0);
}

TEST(test_waits_where_orphans_come_back)
{
	need_process();
	expect(prepare_reaper, 0);
}

UNIT_MAIN(let_go)
{
	upc_set_message_callback(on_notice, NULL);
	return run_own_tests(NULL, NULL);
}
