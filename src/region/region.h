/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - regions of a program, as front ends tell of them. A front end knows one annotation
 * API, and nothing of counting.
 *
 * Each thread has its own regions. They nest, overlap (A starts, B starts, A ends, B ends), recur,
 * and may start in one function and end in another. Calls that come from a signal handler while
 * its thread is in one of these are left out, and are told of at the end.
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
	UPCR_NOT_OPEN = -1,  /* no region of this name is open                       */
	UPCR_ELSEWHERE = -2, /* it is open in another thread, and not in this one    */
	UPCR_MISSED = -3,    /* in a signal handler, or after the end: nothing was done */
};

/* The number of a name of any bytes; the same in all threads. 0: "others", where there are too many. */
unsigned upcr_name(const char *name, size_t length);
/* Is it a number that upcr_name has given? A number that comes back from a program may be any. */
bool upcr_is_name(unsigned number);

/* The calling thread's region starts. */
void upcr_enter(unsigned name);
/* Its innermost region of this name, which may be any number, ends; those that started inside it go on. */
int upcr_exit(unsigned name);
/* The same, and those that started inside end with it: for annotations that nest. */
int upcr_exit_closing(unsigned name);
/* Is a region of this name open in some thread? No, where that cannot be said. */
bool upcr_is_open(unsigned name);
/* A start or stop that the front end has left out, to be told of at the end. */
enum upcr_reason { UPCR_WAS_OPEN, UPCR_NEVER_STARTED, UPCR_OUT_OF_RANGE };
void upcr_left_out(enum upcr_reason why, unsigned name);
/* Makes the thread's state, which a first start takes milliseconds for. */
void upcr_thread_begin(void);

/*
 * Work in other threads. A path is a thread's call path, for threads that work for it; it is never freed.
 * NULL: nothing is counted, or the simulator counts, which finds workers itself.
 */
struct upcr_path;
const struct upcr_path *upcr_path(void);
/* The calling thread's path begins with the path, up to the end; its own open regions stay. A start is no
 * call of the path's regions. */
struct upcr_work {
	unsigned process, before;
	bool begun;
};
struct upcr_work upcr_work_begin(const struct upcr_path *path);
void upcr_work_end(struct upcr_work work);
/* The calling thread has been created by the runtime of teams. */
void upcr_begin_worker(void);

/*
 * The calling thread creates a thread, which is part of the regions that are open here as long as they are.
 * upcr_begin_thread, in the new thread, or upcr_no_thread takes the birth. False: nothing is counted.
 */
struct upcr_instance;
bool upcr_birth(struct upcr_instance **birth);
void upcr_begin_thread(struct upcr_instance *birth);
/* exists: there is a thread, but its stack has no room for counting. */
void upcr_no_thread(struct upcr_instance *birth, bool exists);

/* Does the calling thread belong to no region, created outside of all? Its work is counted, but for none. */
bool upcr_is_without(void);
/* The regions that are open here share work with such a thread, and are lower bounds. */
void upcr_hands_on(void);

/* In place of a name: all that a thread has counted, in regions and outside. */
#define UPCR_ALL UINT32_MAX

/* The calling thread's counts in the regions of a name so far, including all regions inside them. */
struct upcr_counts {
	uint64_t calls;
	double seconds;
	unsigned events;          /* room in value, which becomes how many there are */
	struct upcr_value *value; /* may be NULL                                     */
};
int upcr_read(unsigned name, struct upcr_counts *counts);
/* The name counts from zero in this thread. Its former counts are kept as "NAME (before a reset)". */
void upcr_reset(unsigned name);

/* The events of UPC_REGIONS_EVENTS. */
unsigned upcr_events(void);
const char *upcr_event(unsigned i);

/*
 * All threads at once, up to the end of the reading; those that live have what they had at their last
 * start or end of a region. Between the two nothing else of this header is called. False: it is
 * not to be had, in a signal handler or without memory.
 */
bool upcr_reading_begin(void);
/* Gives the counts of upcr_read for each thread that has been in regions of the name, in no order. The
 * threads that are put together come last, as thread UPCR_ALL. value is for events of them. */
void upcr_reading_of(unsigned name, struct upcr_counts *counts,
		     void (*each)(void *arg, unsigned thread, const struct upcr_counts *counts), void *arg);
/* Gives the failures so far, as the file has them. name: of a region or an event; NULL: of none. */
void upcr_reading_notes(void (*each)(void *arg, const char *what, const char *name, uint64_t times),
			void *arg);
void upcr_reading_end(void);

/* Writes the file. Nothing is counted any more. Also at the end of exit, behind all destructors of objects
 * and all handlers; the second time does nothing. */
enum upcr_end { UPCR_AT_EXIT, UPCR_AT_QUICK_EXIT };
void upcr_finish(enum upcr_end how, int status);
/* To be called once the file is written, and at the end of each process that has used regions. */
void upcr_at_finish(void (*call)(void));
/* Writes the file as it is now, before an exec (with ".exec-" and a number behind its name, for the
 * next program is the same process); nobody enters a region until upcr_go_on, which removes it. */
bool upcr_pause(const char *how);
void upcr_go_on(void);
/* Is this the process that all was made for, and not a child that shares its memory? */
bool upcr_is_owner(void);

/* "upc_regions: text" on standard error. */
void upcr_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
