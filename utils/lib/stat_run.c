/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_run.c - runs the measured program: the program starts when everything is ready, and receives the
 * signals that are sent to this process.
 *
 * No signal handler is installed. Forwarded signals stay blocked and are read from a signalfd. Therefore no
 * system call is interrupted by them, and the program inherits only a signal mask, which run_program restores
 * before exec.
 */
#include "lib/stat_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"

/* The signals that a user or a batch system sends to a job. Signals that stop a job are not forwarded: this
 * process stops together with the program. */
static const int forwarded[] = {
	SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
	SIGPROF, SIGXCPU, SIGCONT, SIGWINCH, SIGURG,  SIGIO,   SIGPWR,
};

int64_t stat_run_now(void)
{
	return (int64_t)upci_now_ns();
}

static bool is_signal_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int stat_run_begin(struct stat_run *run)
{
	sigset_t taken;

	*run = (struct stat_run){.pidfd = -1, .other = -1, .release = -1, .failure = -1, .signals = -1};
	sigemptyset(&taken);
	/* A signal that was ignored at the start, such as nohup's SIGHUP, stays ignored. */
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		if (!is_signal_ignored(forwarded[i]))
			sigaddset(&taken, forwarded[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		if (!is_signal_ignored(i))
			sigaddset(&taken, i);
	/* If SIGCHLD were ignored, the kernel would reap the program before stat_run_reap. */
	run->ignored_child = is_signal_ignored(SIGCHLD);
	if (run->ignored_child)
		signal(SIGCHLD, SIG_DFL);
	sigaddset(&taken, SIGCHLD);
	run->ignored_pipe = is_signal_ignored(SIGPIPE);
	run->ignored_size = is_signal_ignored(SIGXFSZ);
	if (sigprocmask(SIG_BLOCK, &taken, &run->mask) != 0)
		goto fail;
	run->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signals < 0)
		goto fail;
	if (getrlimit(RLIMIT_NOFILE, &run->files) == 0 && run->files.rlim_cur < run->files.rlim_max) {
		struct rlimit raised = {run->files.rlim_max, run->files.rlim_max};

		run->limit_raised = setrlimit(RLIMIT_NOFILE, &raised) == 0;
	}
	return 0;
fail:
	util_error("cannot take signals: %s", strerror(errno));
	return -1;
}

/* Run the program in the child, between fork and exec. Does not return. */
static void run_program(const struct stat_run *run, char *const *argv, char *const *envp, int released,
			int failure)
{
	char go;
	int error;
	ssize_t n;

	do
		n = read(released, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(UTIL_NOT_FOUND); /* the parent has given up */
	if (run->limit_raised)
		setrlimit(RLIMIT_NOFILE, &run->files);
	if (run->ignored_child)
		signal(SIGCHLD, SIG_IGN);
	/* An earlier call of stat_run_spawn may have set these two signals to be ignored. */
	if (!run->ignored_pipe)
		signal(SIGPIPE, SIG_DFL);
	if (!run->ignored_size)
		signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &run->mask, NULL);
	execvpe(argv[0], argv, envp != NULL ? envp : environ);
	error = errno;
	do
		n = write(failure, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	_exit(UTIL_NOT_FOUND);
}

static int open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

int stat_run_spawn(struct stat_run *run, char *const *argv, char *const *envp)
{
	int release[2] = {-1, -1}, failure[2] = {-1, -1};

	if (pipe2(release, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0)
		goto fail;
	/* Flush all streams. Otherwise buffered output would be written twice. */
	fflush(NULL);
	run->pid = fork();
	if (run->pid < 0) {
		run->pid = 0;
		goto fail;
	}
	if (run->pid == 0) {
		close(release[1]);
		close(failure[0]);
		run_program(run, argv, envp, release[0], failure[1]);
	}
	close(release[0]);
	close(failure[1]);
	run->release = release[1];
	run->failure = failure[0];
	/* Set dispositions that the program does not inherit: if the reader of the report is gone (SIGPIPE),
	 * or the report exceeds the file size limit (SIGXFSZ), the exit status must still be the
	 * program's. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* If pidfd_open fails (old kernel, sandbox), stat_run_wait relies on SIGCHLD. */
	run->pidfd = open_pidfd(run->pid);
	return 0;
fail:
	util_error("cannot start a process: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		if (release[i] >= 0)
			close(release[i]);
		if (failure[i] >= 0)
			close(failure[i]);
	}
	return -1;
}

static int watch_process(pid_t pid)
{
	int fd = open_pidfd(pid);

	if (fd >= 0)
		return fd;
	if (errno == ESRCH)
		util_error("no process %d", (int)pid);
	else if (errno == EINVAL)
		util_error("%d is a thread; -p wants the process that it belongs to", (int)pid);
	else
		util_error("cannot watch process %d: %s", (int)pid, strerror(errno));
	return -1;
}

int stat_run_watch(struct stat_run *run, const pid_t *pid, unsigned n)
{
	run->watched = calloc(n, sizeof(*run->watched));
	if (run->watched == NULL) {
		util_error("out of memory");
		return -1;
	}
	while (run->n_watched < n) {
		int fd = watch_process(pid[run->n_watched]);

		if (fd < 0)
			return -1;
		run->watched[run->n_watched++] = fd;
	}
	run->pidfd = run->watched[--run->n_watched];
	return 0;
}

/* Watch the next process of the list after a watched one has ended. Return false at the end of the list. */
static bool watch_next(struct stat_run *run)
{
	if (run->n_watched == 0)
		return false;
	close(run->pidfd);
	run->pidfd = run->watched[--run->n_watched];
	return true;
}

void stat_run_release(struct stat_run *run)
{
	char go = 1;

	if (run->release < 0)
		return;
	/* EPIPE is no error here: the program either waits for the byte, or was killed, which the wait
	 * detects. */
	while (write(run->release, &go, 1) < 0 && errno == EINTR)
		;
	close(run->release);
	run->release = -1;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void cancel_program(struct stat_run *run)
{
	pid_t ended;
	int status;

	kill(run->pid, SIGKILL);
	for (;;) {
		ended = waitpid(run->pid, &status, __WALL);
		if (ended > 0 && WIFSTOPPED(status))
			/* Continue a traced program from its exit stop, which SIGKILL does not end. */
			ptrace(PTRACE_CONT, run->pid, NULL, 0L);
		else if (ended >= 0 || errno != EINTR)
			break;
	}
	run->pid = 0;
}

void stat_run_end(struct stat_run *run)
{
	if (run->pid != 0)
		cancel_program(run);
	while (run->n_watched > 0)
		close(run->watched[--run->n_watched]);
	free(run->watched);
	run->watched = NULL;
}

/* ---- waiting ----------------------------------------------------------- */

/* Return true if the program itself sent the signal, to its parent or to its process group. */
static bool is_own_signal(const struct stat_run *run, const struct signalfd_siginfo *info)
{
	return info->ssi_code <= 0 && (pid_t)info->ssi_pid == run->pid;
}

/* Forward a signal, unless the program has already received it: the terminal signals the whole foreground
 * process group, which includes the program. If there is no program, return true if the signal ends the
 * watch. */
static bool take_run_signal(struct stat_run *run, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;
	const bool enough = signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;

	if (run->pid != 0) {
		if (enough && !is_own_signal(run, info))
			run->interrupted = signal;
		if (info->ssi_code == SI_KERNEL || is_own_signal(run, info))
			return false;
		if (info->ssi_code == SI_QUEUE)
			sigqueue(run->pid, signal,
				 (union sigval){.sival_ptr = (void *)(uintptr_t)info->ssi_ptr});
		else
			kill(run->pid, signal);
		return false;
	}
	if (!enough)
		return false;
	run->interrupted = signal;
	return true;
}

/* Read all pending signals. Return true if a signal ends the watch. */
static bool take_signals(struct stat_run *run, bool *child)
{
	struct signalfd_siginfo info;
	bool enough = false;

	while (read(run->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			*child = true;
		else if (take_run_signal(run, &info))
			enough = true;
	}
	return enough;
}

/* Read the result of exec. At the end of the pipe exec has succeeded. Return true if exec failed. */
static bool take_failure(struct stat_run *run)
{
	int error = 0;
	ssize_t n = read(run->failure, &error, sizeof(error));

	if (n < 0 && errno == EINTR)
		return false;
	close(run->failure);
	run->failure = -1;
	if (n != (ssize_t)sizeof(error))
		return false;
	run->exec_error = error;
	return true;
}

/* Return true if the program has ended. The program is not reaped. */
static bool has_run_program_ended(const struct stat_run *run)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

enum stat_wake stat_run_wait(struct stat_run *run, int64_t deadline)
{
	for (;;) {
		struct pollfd fd[] = {
			{.fd = run->signals, .events = POLLIN},
			{.fd = run->failure, .events = POLLIN},
			/* stat_threads_serve detects the end of a traced program, with waitid. */
			{.fd = run->tracing ? -1 : run->pidfd, .events = POLLIN},
			{.fd = run->other, .events = POLLIN},
		};
		struct timespec timeout, *wait = NULL;
		bool child = false;

		if (deadline >= 0) {
			int64_t left = deadline - stat_run_now();

			if (left <= 0)
				return STAT_WAKE_TICK;
			timeout.tv_sec = left / 1000000000;
			timeout.tv_nsec = left % 1000000000;
			wait = &timeout;
		}
		if (ppoll(fd, sizeof(fd) / sizeof(fd[0]), wait, NULL) < 0)
			continue; /* EINTR: stopped and continued */
		if (fd[0].revents != 0 && take_signals(run, &child))
			return STAT_WAKE_END;
		/* Check this pipe before the program's end, which arrives at the same time if exec failed. */
		if (fd[1].revents != 0 && take_failure(run))
			return STAT_WAKE_END;
		if (fd[2].revents != 0 && !watch_next(run))
			return STAT_WAKE_END;
		if (child && run->tracing)
			return STAT_WAKE_TRACE;
		if (child && run->pidfd < 0 && run->pid != 0 && has_run_program_ended(run))
			return STAT_WAKE_END;
		if (fd[3].revents != 0)
			return STAT_WAKE_TICK;
	}
}

int stat_run_reap(struct stat_run *run, struct rusage *usage)
{
	int status = 0;

	while (wait4(run->pid, &status, __WALL, usage) < 0 && errno == EINTR)
		;
	run->pid = 0;
	close_fd(&run->pidfd);
	close_fd(&run->failure);
	return status;
}

int stat_run_exit_status(int status)
{
	int signal_number;
	sigset_t one;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal_number = WTERMSIG(status);
	/* A shell prints the signal, and ends its loop, only if this process dies of the same signal. Avoid a
	 * second core file; the program's is enough. */
	prctl(PR_SET_DUMPABLE, 0);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	sigemptyset(&one);
	sigaddset(&one, signal_number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return 128 + signal_number;
}
