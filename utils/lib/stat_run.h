/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_run.h - runs the program that upc_stat counts: it starts when
 * everything is ready, gets the signals that are sent to upc_stat, and is told
 * apart from upc_stat by nobody.
 */
#ifndef STAT_RUN_H
#define STAT_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct stat_run {
	pid_t pid;       /* of the program, 0: there is none */
	int exec_error;  /* errno of the exec that failed, or 0 */
	bool tracing;    /* children report to wait, not by their descriptor */
	int interrupted; /* the signal by which somebody has said that it is enough, or 0 */

	int pidfd;    /* becomes readable when what is watched has ended; -1 */
	int other;    /* somebody's own, whose reading is a wake; -1: none */
	int *watched; /* the same of the processes that are looked at after it */
	unsigned n_watched;
	int release;                     /* a byte here lets the program go */
	int failure;                     /* the exec's errno comes from here, or its end */
	int signals;                     /* signalfd */
	bool ignored_child;              /* SIGCHLD was ignored when we were started */
	bool ignored_pipe, ignored_size; /* SIGPIPE and SIGXFSZ likewise */
	bool limit_raised;
	sigset_t mask; /* as we were started with, for the program */
	struct rlimit files;
};

/* The cause that ended a wait. */
enum stat_wake {
	STAT_WAKE_TICK,  /* the deadline has come, or the descriptor other can be read */
	STAT_WAKE_TRACE, /* a traced thread has something to say */
	STAT_WAKE_END,   /* the program (not reaped yet), or what is watched, has
			    ended; or a signal says that it is enough */
};

/* Monotonic time in ns. */
int64_t stat_run_now(void);

/*
 * Takes signals and raises the limit of open files; what it was goes to the
 * program again. Returns 0, or -1 with the error said.
 */
int stat_run_begin(struct stat_run *run);

/* Forks the program, after stat_run_reap if there was one before; it waits for
 * stat_run_release with its dispositions, mask and limits as upc_stat found them. envp NULL:
 * with its environment, too. 0, or -1 with the error said. */
int stat_run_spawn(struct stat_run *run, char *const *argv, char *const *envp);

/* Watches n processes that are there already, until all have ended. 0, or -1 with the error
 * said. */
int stat_run_watch(struct stat_run *run, const pid_t *pid, unsigned n);

void stat_run_release(struct stat_run *run);

/* Waits until something happens, or until the deadline (< 0: none). Forwards
 * signals meanwhile. */
enum stat_wake stat_run_wait(struct stat_run *run, int64_t deadline);

/* Reaps the program; it can be spawned again. Its wait status, and what it used. */
int stat_run_reap(struct stat_run *run, struct rusage *usage);

/* Ends a program that was not reaped, and watches nothing any more. Signals stay taken. */
void stat_run_end(struct stat_run *run);

/* The exit status that says what became of the program. A program that a
 * signal ended: upc_stat ends by the same signal, and does not return. */
int stat_run_exit_status(int status);

#endif
