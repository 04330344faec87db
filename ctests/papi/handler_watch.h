/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handler_watch.h - finds forbidden actions of a program's signal handlers: calls of functions that
 * allocate, print or lock, and system calls that a case does not list. The whole program is
 * watched, libraries included, since handler_watch.c defines these functions of the C library
 * again.
 */
#ifndef HANDLER_WATCH_H
#define HANDLER_WATCH_H

#include <stdint.h>

/*
 * The system calls and ioctl requests that have names; a case lists those that its handlers may
 * make. The calls that end a handler or the process, and writes to the report, are always allowed.
 * The last calls, with no reason, have a name for the report only.
 */
#define WATCH_CALLS(X)                                                      \
	X(ENABLE, ioctl, PERF_EVENT_IOC_ENABLE, "a group begins")           \
	X(DISABLE, ioctl, PERF_EVENT_IOC_DISABLE, "a group stops")          \
	X(RESET, ioctl, PERF_EVENT_IOC_RESET, "counts become 0")            \
	X(REFRESH, ioctl, PERF_EVENT_IOC_REFRESH, "an attached slice")      \
	X(ID, ioctl, PERF_EVENT_IOC_ID, "whose a group's value is")         \
	X(PERIOD, ioctl, PERF_EVENT_IOC_PERIOD, "the next threshold")       \
	X(READ, read, ANY, "a group of perf events")                        \
	X(PREAD, pread64, ANY, "a file of /proc or /sys, from its start")   \
	X(CLOCK, clock_gettime, ANY, "CPU time, which the vDSO has not")    \
	X(COPY, process_vm_readv, ANY, "words of a stack")                  \
	X(GETPID, getpid, ANY, "whether the set is a parent's")             \
	X(GETTID, gettid, ANY, "whose thread it is")                        \
	X(MASK, rt_sigprocmask, ANY, "the slices' signal, at a start")      \
	X(ACTION, rt_sigaction, ANY, "whether that signal has its handler") \
	X(TGKILL, tgkill, ANY, "a slice's end, forwarded to other threads") \
	X(FUTEX, futex, ANY, "a request is answered: wakes who waits")      \
	X(PERF_OPEN, perf_event_open, ANY, "does who is attached to live?") \
	X(CLOSE, close, ANY, "what that has opened")                        \
	X(TIMER, timer_settime, ANY, "")                                    \
	X(WRITE, write, ANY, "")                                            \
	X(OTHER_IOCTL, ioctl, ANY, "")                                      \
	X(OPENAT, openat, ANY, "")                                          \
	X(OPENAT2, openat2, ANY, "")                                        \
	X(FSTATFS, fstatfs, ANY, "")                                        \
	X(RLIMIT, prlimit64, ANY, "")                                       \
	X(PPOLL, ppoll, ANY, "")                                            \
	X(FCNTL, fcntl, ANY, "")                                            \
	X(MMAP, mmap, ANY, "")                                              \
	X(MUNMAP, munmap, ANY, "")                                          \
	X(MPROTECT, mprotect, ANY, "")                                      \
	X(BRK, brk, ANY, "")                                                \
	X(MADVISE, madvise, ANY, "")                                        \
	X(YIELD, sched_yield, ANY, "")                                      \
	X(SLEEP, clock_nanosleep, ANY, "")                                  \
	X(FSTAT, newfstatat, ANY, "")                                       \
	X(LSEEK, lseek, ANY, "")                                            \
	X(SETITIMER, setitimer, ANY, "")                                    \
	X(GETITIMER, getitimer, ANY, "")                                    \
	X(TIMER_CREATE, timer_create, ANY, "")                              \
	X(ALTSTACK, sigaltstack, ANY, "")                                   \
	X(WRITEV, writev, ANY, "")

#define WATCH_PLACE(name, call, request, why) WATCH_##name##_PLACE,
enum { WATCH_CALLS(WATCH_PLACE) WATCH_ALL };
#undef WATCH_PLACE
#define WATCH(name) ((uint64_t)1 << WATCH_##name##_PLACE)

/*
 * Watches the handlers that are installed from now on. In the nth run of a handler, counted from 1
 * over all handlers, the kernel refuses each system call that is not allowed, and the process ends
 * with that run. If nth is 0, the kernel refuses none. The findings are written to fd, a line each.
 */
void watch_handlers(unsigned nth, uint64_t allowed, int fd);

/* How many times handlers have run. */
unsigned watch_runs(void);

/* Writes the findings, and ends the process. */
void watch_end(void) __attribute__((noreturn));

#endif /* HANDLER_WATCH_H */
