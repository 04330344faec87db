/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_run.h - runs the measured program: the program starts when everything is ready, and receives the
 * signals that are sent to this process.
 */
#ifndef STAT_RUN_H
#define STAT_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct stat_run {
	pid_t pid;       /* the program; 0: none */
	int exec_error;  /* errno of a failed exec, or 0 */
	bool tracing;    /* the program is traced: wait for SIGCHLD, not for pidfd */
	int interrupted; /* last SIGINT, SIGTERM, SIGHUP or SIGQUIT that the program did not send; else 0 */

	int pidfd;    /* pidfd of the program or of a watched process, readable after its end; -1: none */
	int other;    /* descriptor of the caller that wakes stat_run_wait when readable; -1: none */
	int *watched; /* pidfds of the processes to watch when the process of pidfd has ended */
	unsigned n_watched;
	int release;                     /* pipe; the program calls exec after it has read a byte */
	int failure;                     /* pipe; contains errno of a failed exec, or ends on success */
	int signals;                     /* signalfd */
	bool ignored_child;              /* SIGCHLD was ignored at the start */
	bool ignored_pipe, ignored_size; /* SIGPIPE, SIGXFSZ were ignored at the start */
	bool limit_raised;
	sigset_t mask; /* signal mask at the start, restored for the program */
	struct rlimit files;
};

/* The event that ended a wait. */
enum stat_wake {
	STAT_WAKE_TICK,  /* the deadline has passed, or other is readable */
	STAT_WAKE_TRACE, /* a traced thread has stopped or ended */
	STAT_WAKE_END, /* the program (not yet reaped) or all watched processes have ended, exec failed, or a
			  signal ended the watch */
};

/* Return CLOCK_MONOTONIC in ns. */
int64_t stat_run_now(void);

/*
 * Block signals and raise the limit of open files; the program gets the original mask and limit. Return 0, or
 * -1 after printing an error.
 */
int stat_run_begin(struct stat_run *run);

/* Fork the program, which waits for stat_run_release. The program has the signal dispositions, mask and
 * limits that this process had at its start. envp NULL: the program has this process's environment. May be
 * called again after stat_run_reap. Return 0, or -1 after printing an error. */
int stat_run_spawn(struct stat_run *run, char *const *argv, char *const *envp);

/* Watch n existing processes until all have ended. Return 0, or -1 after printing an error. */
int stat_run_watch(struct stat_run *run, const pid_t *pid, unsigned n);

void stat_run_release(struct stat_run *run);

/* Wait for an event or until the deadline, in ns of CLOCK_MONOTONIC (< 0: none). Forward signals
 * meanwhile. */
enum stat_wake stat_run_wait(struct stat_run *run, int64_t deadline);

/* Reap the program and return its wait status; usage gets its resource usage. The program can be spawned
 * again. */
int stat_run_reap(struct stat_run *run, struct rusage *usage);

/* Kill and reap a program that was not reaped, and stop watching. Signals stay blocked. */
void stat_run_end(struct stat_run *run);

/* Return the exit status for a wait status. If a signal ended the program, the same signal ends this process,
 * and the function does not return. */
int stat_run_exit_status(int status);

#endif
