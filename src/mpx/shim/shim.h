/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim.h - the preloaded library of mpx_run: PAPI's calls on event sets, made on libmpx.
 *
 * The rule. A set that the program creates is one of libmpx. When the program asks for
 * something of it that multiplexing cannot give (PAPI_attach, PAPI_overflow, PAPI_profil,
 * a domain of its own, ...), and the set does not run, and PAPI's counters hold its
 * events, it becomes a set of PAPI's there and then, and stays one: a plain set, about
 * which a line is printed. Else the call is refused, with a line. PAPI_write is always
 * refused.
 */
#ifndef MPXI_SHIM_H
#define MPXI_SHIM_H

#include <papi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "mpx.h"
#include "shim/shim_exec.h"
#include "shim/shim_record.h"

/* ---- messages (shim_say.c) ---------------------------------------------------------- */

/* "mpx_run: text" and a newline on standard error, in one write. */
void shim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, but each format once in a process, and not with --quiet. */
void shim_say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool shim_is_quiet(void);

/* At start: reads whether the user wants it so. */
void shim_say_begin(void);

/* ---- the process (shim_process.c) --------------------------------------------------- */

/* Is libmpx ready? Makes it so; PAPI is initialised. Its errors, which have been said. */
int shim_begin(void);

/* Ends libmpx, if no other thread has event sets of it. */
bool shim_end(void);

/* The calling thread has event sets: it is asked for them when it ends. */
int shim_watch_thread(void);

/* Writes the report, if one is wanted. Before an exec too; if that fails, the next one
 * has what this has, and more. */
void shim_report(void);

/* ---- event sets (shim_sets.c) ------------------------------------------------------- */

enum shim_kind {
	SHIM_FREE,
	SHIM_MPX,   /* of libmpx: its thread's alone                 */
	SHIM_PLAIN, /* of PAPI: any thread's that PAPI lets it be    */
};

struct shim_set {
	_Atomic(enum shim_kind) kind;     /* release: all else is there. Partner: shim_find */
	int number;                       /* the program's                              */
	int id;                           /* libmpx's or PAPI's                         */
	const void *owner;                /* the thread that created it                 */
	int component;                    /* that the program has assigned, -1: none    */
	bool running;                     /* MPX */
	bool zero;                        /* MPX: nothing counted since create or reset, stopped */
	bool multiplex;                   /* PAPI_set_multiplex was called              */
	PAPI_overflow_handler_t handler;  /* PLAIN */
	struct shim_record *record;       /* NULL: no report is wanted                  */
	struct shim_set *next, *previous; /* of the thread                          */
	int next_free;
};

/* Far above PAPI's own numbers, which count from 0. */
#define SHIM_FIRST (1 << 24)
#define SHIM_SETS (1 << 20)

static inline bool shim_is_ours(int number)
{
	return number >= SHIM_FIRST && number < SHIM_FIRST + SHIM_SETS;
}

/* A new set of libmpx, of the calling thread. PAPI's errors. */
int shim_create(int *number);
/* The set of this number, NULL with *error: PAPI_ENOEVST, or PAPI_EPERM, which has been
 * said, where it is a set of libmpx and another thread's. */
struct shim_set *shim_find(int number, int *error);
/* The plain set that PAPI knows by this number. Context: any, also handlers. */
struct shim_set *shim_find_plain_sig(int id);
/* Frees its number; the record is kept for the report. Its counting is over. */
void shim_forget(struct shim_set *set);
/* It is PAPI's set id from now on. */
void shim_turn_plain(struct shim_set *set, int id);
/* The number of events of a set of libmpx. */
int shim_count_events(const struct shim_set *set);
/* Reads its estimates into its record, and the plain values (may be NULL). */
int shim_note(struct shim_set *set, long long *values);
/* The stretch of a set of libmpx has just ended, by a stop, reset or accum: it is its place's. */
void shim_end_stretch(struct shim_set *set);
/* Adds up what the calling thread's sets have counted, and frees their numbers. */
void shim_forget_thread(void);
/* The same without an end: for a report. */
void shim_note_thread(void);
/* The same in a handler that the process does not survive: what it would have to wait for, or
 * to allocate for, stays as it was read last. */
void shim_note_thread_sig(void);
/* Does a set of libmpx run in the calling thread with an event of this component? */
bool shim_thread_counts(int component);
/* Have there been event sets, also of PAPI itself? */
bool shim_was_used(void);
/* In a forked child: no set is there any more. */
void shim_sets_in_child(void);

#endif
