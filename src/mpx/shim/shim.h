/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim.h - the preloaded library of mpx_run.
 *
 * Terms:
 * - libmpx set: an event set that libmpx counts. plain set: an event set that PAPI counts without libmpx.
 * - number: the event set number that the program sees; the shim maps it to the id of a libmpx or PAPI set.
 * - stand-in: a function of the shim with the name of a function of PAPI or libc, which the program calls
 *   instead.
 * - record: an event set's counts over all its starts, for the report (shim_record.h). row: one event of a
 *   record.
 * - stretch: the time from a start, reset or accum of a set to the next one, or to the stop. pool: the sums
 *   over many stretches (stat/pool.h).
 * - place: the return address of a PAPI_start call in the program (shim_places.h).
 * - owner: of the shim's state, the process to which it belongs. A vfork child shares the memory, but is
 *   not the owner.
 * - report: the table that mpx_run shows at the end of a process (shim_report.h).
 * - _sig: ending of functions that a signal handler may call.
 *
 * The shim carries out the program's PAPI calls on event sets with libmpx.
 *
 * The rule: a set that the program creates is first a libmpx set. Some calls request a feature that
 * multiplexing does not support (PAPI_attach, PAPI_overflow, PAPI_profil, a private domain, ...). If the
 * set is stopped, and PAPI's counters can hold all its events, such a call turns the set into a plain set,
 * which PAPI counts without libmpx. The shim prints a line about this, and the set stays plain. Otherwise
 * the shim refuses the call, and prints a line with the reason. PAPI_write of a libmpx set is always
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

/* Print "mpx_run: text" and a newline on standard error, in one write. */
void shim_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print as shim_say does, but print each format only once in a process, and print nothing with --quiet. */
void shim_say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool shim_is_quiet(void);

/* Read from the environment whether --quiet was given. Called once, by the constructor. */
void shim_say_begin(void);

/* ---- the process (shim_process.c) --------------------------------------------------- */

/* Initialise libmpx if necessary. PAPI must be initialised. Return PAPI_OK, or an error whose message was
 * printed. */
int shim_begin(void);

/* Shut libmpx down. Return false if libmpx goes on because other threads have event sets. */
bool shim_end(void);

/* Arrange that the calling thread's event sets are released when the thread ends. Return PAPI_OK or
 * PAPI_ENOMEM. */
int shim_watch_thread(void);

/* Write the report if one is requested. Also called before an exec; if the exec fails, the next report
 * repeats these counts and adds the later ones. */
void shim_report(void);

/* ---- event sets (shim_sets.c) ------------------------------------------------------- */

enum shim_kind {
	SHIM_FREE,
	SHIM_MPX,   /* counted by libmpx; only the creating thread may use it */
	SHIM_PLAIN, /* counted by PAPI; any thread may use it as far as PAPI permits */
};

struct shim_set {
	/* stored last, with release; pairs with the acquire load in shim_find */
	_Atomic(enum shim_kind) kind;
	int number;        /* the set's id that the program sees */
	int id;            /* the set's id in libmpx or PAPI */
	const void *owner; /* identifies the creating thread */
	int component;     /* the component that the program assigned, -1 if none */
	bool running;      /* SHIM_MPX only: the set runs */
	bool zero; /* SHIM_MPX only: the set is stopped, and was not started since its creation or reset */
	bool multiplex;                   /* PAPI_set_multiplex was called */
	PAPI_overflow_handler_t handler;  /* SHIM_PLAIN only: the program's overflow handler */
	struct shim_record *record;       /* NULL if no report is requested */
	struct shim_set *next, *previous; /* list of the thread's sets of kind SHIM_MPX */
	int next_free;
};

/* The range of the program's set numbers. It lies far above PAPI's own ids, which start at 0. */
#define SHIM_FIRST (1 << 24)
#define SHIM_SETS (1 << 20)

static inline bool shim_is_ours(int number)
{
	return number >= SHIM_FIRST && number < SHIM_FIRST + SHIM_SETS;
}

/* Create a libmpx set for the calling thread. Return PAPI_OK or a PAPI error. */
int shim_create(int *number);
/* Return the set with this number, or NULL with *error set: PAPI_ENOEVST if there is no such set;
 * PAPI_EPERM, with a printed message, if it is a libmpx set of another thread. */
struct shim_set *shim_find(int number, int *error);
/* Return the plain set with this PAPI id, or NULL. Async-signal-safe. */
struct shim_set *shim_find_plain_sig(int id);
/* Free the set's number after its last stop. The set's record is kept for the report. */
void shim_forget(struct shim_set *set);
/* Turn the set into a plain set, with the PAPI set `id', and destroy the libmpx set that it had. */
void shim_turn_plain(struct shim_set *set, int id);
/* Return the number of events of a libmpx set. */
int shim_count_events(const struct shim_set *set);
/* Read the estimates of a libmpx set into its record, and its values into the array `values' unless that
 * is NULL. Return PAPI_OK or an error. */
int shim_note(struct shim_set *set, long long *values);
/* A stop, reset or accum of a libmpx set has just ended a stretch. Add the stretch's counts to the place
 * where the set was started. */
void shim_end_stretch(struct shim_set *set);
/* Record the counts of the calling thread's libmpx sets, then free the sets' numbers. */
void shim_forget_thread(void);
/* Record the counts of the calling thread's running libmpx sets for a report. The sets continue to run. */
void shim_note_thread(void);
/* Do what shim_note_thread does, in the handler of a signal that ends the process. If recording a set's
 * counts would need a wait or an allocation, the record keeps the counts of the set's previous read. */
void shim_note_thread_sig(void);
/* True if a libmpx set with an event of this component runs in the calling thread. */
bool shim_thread_counts(int component);
/* True if the program has created an event set, libmpx or plain. */
bool shim_was_used(void);
/* Forget all sets, in a forked child. */
void shim_sets_in_child(void);

#endif
