/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - regions of a program, as front ends report them. A front end knows one annotation API, and
 * nothing of counting.
 *
 * Terms:
 * - mark: the start or the end of a region in a thread; stretch: the time from a thread's mark to its next
 * - path: the open regions of a thread, in the order of their starts; node: one path in the thread's tree
 * - base: the node that a thread's paths begin with, such as the root or the path that it works for
 * - current node: the node of the thread's present path; account: the node that gets the time and counts
 * - row: the copy of a node, with its calls, time and counts, in a result, a record or a report
 * - start, instance: one start of a region; birth: the innermost start in which a thread was created
 * - work: code that a thread runs for another thread's regions; worker: a thread of an OpenMP team
 * - call: a call of a function of this header; busy: in such a call
 * - measuring: the engine's own work, such as allocation, which has the row "(measuring)"
 * - set: the event set of libmpx that counts a thread's events (counts.h)
 * - note: an error or oddity that the report lists; lower bound: a count that lacks a part
 * - file, report: the JSON file that a process writes at its end (report.h)
 * - record: counts in shared memory, from which the file of a killed process is made (record.h)
 * - ..._locked: a function that is called with its file's lock held
 * - pure: depending on the arguments alone, without I/O and global state
 *
 * Each thread has its own regions. They nest, overlap (A starts, B starts, A ends, B ends), recur, and may
 * start in one function and end in another. Calls from a signal handler that has interrupted one of these
 * calls are left out; the report has a note of them.
 */
#ifndef UPCR_REGION_H
#define UPCR_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "region/sum.h"

enum upcr_answer {
	UPCR_OK = 0,
	UPCR_NOT_OPEN = -1,  /* no region of this name is open */
	UPCR_ELSEWHERE = -2, /* the region is open in another thread only */
	UPCR_MISSED = -3,    /* in a signal handler or after the end: nothing was done */
};

/* Return the number of a name (any bytes), which is the same in all threads. 0 means "others": there are too
 * many names. */
unsigned upcr_name(const char *name, size_t length);
/* True if upcr_name has returned this number. The program may pass any number back. */
bool upcr_is_name(unsigned number);

/* Start a region in the calling thread. */
void upcr_enter(unsigned name);
/* End the calling thread's innermost region of this name; regions that started inside it go on. name may be
 * any number. Return an upcr_answer. */
int upcr_exit(unsigned name);
/* The same, but also end the regions that started inside: for annotations that nest. */
int upcr_exit_closing(unsigned name);
/* True if a region of this name is open in some thread. False also if that cannot be found out. */
bool upcr_is_open(unsigned name);
/* Note a start or stop that the front end did not pass to the engine, with the reason. */
enum upcr_reason { UPCR_WAS_OPEN, UPCR_NEVER_STARTED, UPCR_OUT_OF_RANGE };
void upcr_left_out(enum upcr_reason why, unsigned name);
/* Make the calling thread's state, which takes milliseconds, before its first start of a region. */
void upcr_thread_begin(void);

/*
 * Work for other threads. Return the calling thread's call path, for threads that work for the path; a path
 * is never freed. NULL if nothing is counted, or if the simulator counts, which finds workers itself.
 */
struct upcr_path;
const struct upcr_path *upcr_path(void);
/* Begin the calling thread's path with `path` until upcr_work_end; the thread's own open regions follow.
 * Beginning work counts as no call of the path's regions. */
struct upcr_work {
	unsigned process, before;
	bool begun;
};
struct upcr_work upcr_work_begin(const struct upcr_path *path);
void upcr_work_end(struct upcr_work work);
/* Note that a runtime of teams, such as OpenMP's, has created the calling thread. */
void upcr_begin_worker(void);

/*
 * Note that the calling thread creates a thread. The new thread belongs to the regions that are open in the
 * calling thread, as long as they are open. *birth refers to the innermost of these starts;
 * upcr_begin_thread, in the new thread, or upcr_no_thread takes over the reference. False if nothing is
 * counted.
 */
struct upcr_instance;
bool upcr_birth(struct upcr_instance **birth);
void upcr_begin_thread(struct upcr_instance *birth);
/* Release the birth without counting a thread. exists: the thread was created, but its stack is too small for
 * counting. */
void upcr_no_thread(struct upcr_instance *birth, bool exists);

/* True if the calling thread was created outside of all regions: its work is counted, but for no region. */
bool upcr_is_without(void);
/* Make the counts of the calling thread's open regions lower bounds: these regions share work with a thread
 * for which upcr_is_without is true. */
void upcr_hands_on(void);

/* Number of no name. upcr_read and upcr_reading_of then return all counts of a thread, in and outside of
 * regions. */
#define UPCR_ALL UINT32_MAX

/* The calling thread's counts so far in the regions of a name, including all regions inside them. */
struct upcr_counts {
	uint64_t calls;
	double seconds;
	unsigned events;          /* in: room in value; out: the number of events */
	struct upcr_value *value; /* may be NULL */
};
int upcr_read(unsigned name, struct upcr_counts *counts);
/* Count the name from zero in this thread. Its former counts are kept as "NAME (before a reset)". */
void upcr_reset(unsigned name);

/* The events of UPC_REGIONS_EVENTS. */
unsigned upcr_events(void);
const char *upcr_event(unsigned i);

/*
 * Begin to read all threads; upcr_reading_end lets them go on. A living thread has the counts of its last
 * start or end of a region. Between the two calls the caller calls nothing else of this header. False in a
 * signal handler or without memory.
 */
bool upcr_reading_begin(void);
/* Call each() with the counts of upcr_read for every thread that has been in regions of the name, in no
 * order. Merged threads come last, as thread UPCR_ALL. counts->value has room for counts->events values. */
void upcr_reading_of(unsigned name, struct upcr_counts *counts,
		     void (*each)(void *arg, unsigned thread, const struct upcr_counts *counts), void *arg);
/* Call each() for every note so far, as in the process's file. name: of a region or an event; NULL: none. */
void upcr_reading_notes(void (*each)(void *arg, const char *what, const char *name, uint64_t times),
			void *arg);
void upcr_reading_end(void);

/* Write the process's file, and count nothing any more. Also called at the end of exit, after all destructors
 * and exit handlers. A second call does nothing. */
enum upcr_end { UPCR_AT_EXIT, UPCR_AT_QUICK_EXIT };
void upcr_finish(enum upcr_end how, int status);
/* Register a call for the time after the file is written, in each process that has used regions. */
void upcr_at_finish(void (*call)(void));
/* Write the process's file with the counts up to now, before an exec. ".exec-" and a number follow the file's
 * name, since the next program has the same PID. No thread enters a region until upcr_go_on, which removes
 * this file. */
bool upcr_pause(const char *how);
void upcr_go_on(void);
/* True in the process that the engine was started in; false in a child that shares its memory. */
bool upcr_is_owner(void);

/* Write "upc_regions: TEXT" to standard error. */
void upcr_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
