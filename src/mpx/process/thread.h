/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - the library's state of each measuring thread, and of the process.
 *
 * Terms:
 * - registered thread: a thread that has a struct mpxi_thread, from its first event set to its end.
 * - handle: the library's record of an event set, which the user knows by a number.
 * - process-wide set: an event set that counts in all registered threads. Its owner is the thread that
 *   created it.
 * - own: of a process-wide set, the part that counts in the owner. member: the part that counts in another
 *   thread.
 * - wish, request: what the owner's call wants another thread to do with a member; it is put into that
 *   thread's struct mpxi_request.
 * - visit: at the begin of each call of MPX, a thread answers requests and makes missing members.
 * - stale: a member whose counts a reset should have cleared but has not reached. partial: a set that lacks
 *   some thread's counts.
 * - attached set: counts another thread than its owner. target: that other thread, with a core of its own.
 * - put off: deferred, of a tick or request that comes while the thread cannot act (ticker/tick.h).
 * - gone: PAPI has forgotten the thread (PAPI_unregister_thread, PAPI_shutdown), so its counters must not
 *   be touched.
 * - slice, core, group and others: core/core.h.
 */
#ifndef MPXI_THREAD_H
#define MPXI_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/core.h"
#include "papi/papi_backend.h"
#include "process/process.h"
#include "stat/ratio.h"
#include "stat/regions.h"
#include "ticker/timer.h"

struct mpxi_handle;
struct mpxi_target;

struct mpxi_thread {
	struct mpxi_papi *papi;
	struct mpxi_core *core;
	struct mpxi_timer timer;
	/* number of deferred ticks that were due; written by the thread's handler */
	volatile uint64_t put_off;
	struct mpxi_handle *sets; /* its event sets */
	/* List of the targets of its attached sets. The handler on this thread reads the list; other
	 * threads access it under the library's lock. */
	struct mpxi_target *volatile targets;
	struct mpxi_thread *next, *previous; /* list of all threads; under the library's lock */
	/* The request to this thread, and its members of other threads' process-wide sets
	 * (process_member.c). */
	struct mpxi_request request;
	struct mpxi_member *members;
	unsigned changes_seen;
	pid_t tid;
	bool shares;     /* groups take turns, so the timer is needed */
	bool keep_armed; /* the timer stays armed even if no groups take turns (process_member.c) */
};

/* The calling thread's state, NULL if it has none. The variable is in initial-exec TLS, since the
 * thread's handler reads it, and the access must not allocate memory. */
extern __thread struct mpxi_thread *mpxi_self __attribute__((tls_model("initial-exec")));

/* Return the calling thread's state in *thread, after creating it if necessary. Errors: PAPI_ENOINIT,
 * PAPI_ENOMEM, PAPI_ESYS, and those of the backend. */
int mpxi_thread_get(struct mpxi_thread **thread);
/* Find the calling thread's event set with this number, and visit. Each call on a set begins with this
 * function. Takes no lock to find the set. Errors: PAPI_ENOINIT, PAPI_ENOEVST, PAPI_EPERM (another
 * thread's set). */
int mpxi_thread_find(int number, struct mpxi_handle **handle);
/* Destroy the calling thread's state with its event sets. Does nothing if the thread has no state. */
void mpxi_thread_end(void);

/*
 * Judge whether counting has slowed the result (stat/burden.h). The first call that needs the time that one
 * count of a tracepoint takes measures this time. Meanwhile nothing of the calling thread is counted.
 * thread is the calling thread's state, or NULL if it has none or PAPI cannot be called.
 */
void mpxi_thread_judge(struct mpxi_thread *thread, struct mpxi_result *result);
/* Judge the ratio of a pair's two windows in the same way. */
void mpxi_thread_judge_ratio(struct mpxi_thread *thread, const struct mpxi_pair_windows *pair,
			     struct mpxi_ratio *ratio);

/* ---- the library (library_state.c) ------------------------------------------------------ */

struct mpxi_library {
	struct mpxi_papi_options backend;
	struct mpxi_timers *timers;
	enum mpxi_estimator estimator;
	enum mpxi_timer_kind timer;
	uint64_t slice_ns, seed;
	int signal_number;
	void (*tick_sig)(void *context); /* called in the handler of the thread whose slice ends */
	unsigned threads, begun;         /* number of registered threads; number of threads ever registered */
	struct mpxi_thread *first_thread;
};

/* Lock the library. While it is locked, it stays ready. The lock protects the library's state and the
 * list of threads. At a fork it is taken while the lock of process-wide sets is held; otherwise it is
 * taken without other locks. No handler takes it. Return NULL if the library is not ready; then the lock
 * is not held, and a message is set. */
struct mpxi_library *mpxi_library_lock(void);
void mpxi_library_unlock(void);
/* Return 0 if the library is ready, else PAPI_ENOINIT, with a message. Takes no lock. */
int mpxi_library_check(void);
enum mpxi_estimator mpxi_library_estimator(void);
/* Note that an event was added to a set. The caller holds no locks (library.c). */
void mpxi_library_event_added(void);
int mpxi_library_signal(void);
/* True if the timer can be armed in a handler: every kind except VIRTUAL. */
bool mpxi_library_arms_in_handler(void);

/* ---- handles (handle.c) ------------------------------------------------------------ */

/* Ratios and relations that the user has requested, with the events' codes (event_ratio.c). */
struct mpxi_asked_ratio {
	uint32_t numerator, denominator;
};

struct mpxi_asked_relation {
	unsigned n;
	uint32_t *event;     /* [n] */
	double *coefficient; /* [n] */
};

struct mpxi_asked {
	struct mpxi_asked_ratio *ratio;
	struct mpxi_asked_relation *relation;
	unsigned ratios, relations;
};

/* The record of an event set. The user passes number to the functions of mpx.h. */
struct mpxi_handle {
	struct mpxi_set *set;
	struct mpxi_process *process;        /* NULL: not process-wide */
	struct mpxi_target *target;          /* target of an attached set; NULL: not attached */
	struct mpxi_handle *next, *previous; /* list of the thread */
	int number;
	/* [room]: values that mpx_set_read has returned last; it never returns smaller ones */
	long long *value;
	struct mpxi_accum *accum;    /* [room] */
	struct mpxi_regions regions; /* pools of the set's events over all stretches, by region */
	double level;                /* confidence level of intervals */
	unsigned domain;             /* PAPI_DOM_*, 0: PAPI's default       */
	unsigned room;
	struct mpxi_asked asked;
};

/* State of mpx_set_accum for one event, whose counts are added to a sum in the caller's memory. */
struct mpxi_accum {
	bool untold;    /* an earlier call has set the caller's sum to MPX_NEVER */
	long long held; /* value of the sum before that call */
	uint64_t owed;  /* time accumulated since that call */
	long long debt; /* number of counts by which the sum is too large, as later stretches have shown */
};

/* Allocate a number for the calling thread's handle. Error: PAPI_ENOMEM. mpxi_handle_close frees the
 * number. */
int mpxi_handle_open(struct mpxi_thread *thread, struct mpxi_handle *handle);
void mpxi_handle_close(struct mpxi_thread *thread, struct mpxi_handle *handle);
/* Return the thread that owns the event set with this number, or NULL if there is no such set. Takes no
 * lock. */
struct mpxi_thread *mpxi_handle_owner(int number);
/* Return the handle with this number. Only the owner may call this. */
struct mpxi_handle *mpxi_handle_at(int number);
/* Return the index of the event with this PAPI code, whatever its domain, or the number of events if
 * there is no such event. */
unsigned mpxi_handle_index(const struct mpxi_handle *handle, uint32_t code);
/* Free a handle after mpxi_handle_close, or one that was never opened. */
void mpxi_handle_free(struct mpxi_handle *handle);
/* Free all numbers in a forked child. */
void mpxi_handles_forget(void);

/* ---- for code inside the library, such as mpx_run (event_values.c) ----------------------------- */

/* Return the pool of event i of a set as of the last call on the set: mpxi_set_total over all stretches
 * of the current region, mpxi_set_stretch over the last stretch. Errors: those of mpxi_thread_find. */
int mpxi_set_total(int set, unsigned i, struct mpxi_pool *total);
int mpxi_set_stretch(int set, unsigned i, struct mpxi_pool *stretch);

#endif
