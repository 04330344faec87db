/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handler_watch.h - what signal handlers of a program do: functions that allocate, print or
 * lock, and system calls that are not in the table. Of the whole program, since functions
 * of the C library are defined in handler_watch.c once more.
 */
#ifndef HANDLER_WATCH_H
#define HANDLER_WATCH_H

/*
 * From now on handlers that are installed are watched. In the nth run of one, from 1 on, the
 * kernel refuses what is not in the table; the process ends when that run has: 0 does without.
 * What is found is written to fd, a line each.
 */
void watch_handlers(unsigned nth, int fd);

/* How many times handlers have run. */
unsigned watch_runs(void);

/* Writes what was found, and ends the process. */
void watch_end(void) __attribute__((noreturn));

#endif /* HANDLER_WATCH_H */
