/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - what the library keeps for each thread that measures, and for the process.
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
	volatile uint64_t put_off; /* ticks that found the thread inside PAPI; by its handler */
	struct mpxi_handle *sets;  /* its event sets */
	/* Threads that some of them are attached to. Partner: its handler; under the library's lock
	 * for other threads. */
	struct mpxi_target *volatile targets;
	struct mpxi_thread *next, *previous; /* all threads; under the library's lock */
	/* Its parts of process-wide sets (process_member.c). */
	struct mpxi_request request;
	struct mpxi_member *members;
	unsigned changes_seen;
	pid_t tid;
	bool shares;     /* groups take turns: the timer is wanted           */
	bool keep_armed; /* the timer is armed in any case: process_member.c  */
};

/* The calling thread's, NULL if it has none. Its handler reads it: it is initial-exec,
 * so that no access allocates. */
extern __thread struct mpxi_thread *mpxi_self __attribute__((tls_model("initial-exec")));

/* The calling thread's, made if it has none. PAPI_ENOINIT, PAPI_ENOMEM, PAPI_ESYS, ... */
int mpxi_thread_get(struct mpxi_thread **thread);
/* The calling thread's event set of a number, in each call on it: PAPI_ENOINIT, PAPI_ENOEVST,
 * PAPI_EPERM. Takes no lock. */
int mpxi_thread_find(int number, struct mpxi_handle **handle);
/* Ends the calling thread's, with its event sets. Nothing if it has none. */
void mpxi_thread_end(void);

/*
 * Judges whether counting has slowed the result (burden.h). The first call that needs the cost of a count
 * measures it, while nothing of the calling thread is counted. thread: the calling thread's; NULL: there is
 * none, or PAPI cannot be called.
 */
void mpxi_thread_judge(struct mpxi_thread *thread, struct mpxi_result *result);
/* The same for a ratio of the windows of a pair. */
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
	void (*tick_sig)(void *context); /* the end of a slice, on the thread whose slice it is */
	unsigned threads, begun;         /* that are registered; that ever were */
	struct mpxi_thread *first_thread;
};

/* Between the two the library is ready, and its lock is held: it protects the library's
 * state and the list of threads, nests in the lock of process-wide sets at a fork and in
 * nothing else, and no handler takes it. NULL: not ready; the lock is not held then, and
 * a message is set. */
struct mpxi_library *mpxi_library_lock(void);
void mpxi_library_unlock(void);
/* Is it ready? PAPI_ENOINIT, with a message; without the lock. */
int mpxi_library_check(void);
enum mpxi_estimator mpxi_library_estimator(void);
/* After an event has been added for the first time, without locks (library.c). */
void mpxi_library_event_added(void);
int mpxi_library_signal(void);
/* Another kind of timer than VIRTUAL: it can be armed in a handler. */
bool mpxi_library_arms_in_handler(void);

/* ---- handles (handle.c) ------------------------------------------------------------ */

/* Ratios and relations that were asked for, by events' codes (event_ratio.c). */
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

/* An event set as the caller knows it. */
struct mpxi_handle {
	struct mpxi_set *set;
	struct mpxi_process *process;        /* NULL: it counts in its thread only */
	struct mpxi_target *target;          /* which it counts in; NULL: its thread */
	struct mpxi_handle *next, *previous; /* the thread's */
	int number;
	long long *value;            /* [room]: what plain reads have given: they never decrease */
	struct mpxi_accum *accum;    /* [room] */
	struct mpxi_regions regions; /* over all stretches; of room events */
	double level;                /* of confidence, of intervals        */
	unsigned domain;             /* PAPI_DOM_*, 0: PAPI's default       */
	unsigned room;
	struct mpxi_asked asked;
};

/* The state of accum for one event. */
struct mpxi_accum {
	bool untold;    /* the caller's sum is MPX_NEVER since some call ...     */
	long long held; /* ... and was that before                              */
	uint64_t owed;  /* time that was accumulated then                        */
	long long debt; /* what was given too much, as later stretches have shown */
};

/* A number for the calling thread's handle; PAPI_ENOMEM. */
int mpxi_handle_open(struct mpxi_thread *thread, struct mpxi_handle *handle);
void mpxi_handle_close(struct mpxi_thread *thread, struct mpxi_handle *handle);
/* The thread that owns the event set with this number, NULL: none. Takes no lock. */
struct mpxi_thread *mpxi_handle_owner(int number);
/* By the owner. */
struct mpxi_handle *mpxi_handle_at(int number);
/* The index of the event with this PAPI code, in whatever domain; as many as there are: none. */
unsigned mpxi_handle_index(const struct mpxi_handle *handle, uint32_t code);
/* Frees it; its number is closed, or never was open. */
void mpxi_handle_free(struct mpxi_handle *handle);
/* In a forked child: no number is taken any more. */
void mpxi_handles_forget(void);

/* ---- for who is inside the library, as mpx_run is (event_values.c) --------------------------- */

/* Event i of a set as of its last call: in all stretches of its region; in the last one. Errors:
 * as of mpxi_thread_find. */
int mpxi_set_total(int set, unsigned i, struct mpxi_pool *total);
int mpxi_set_stretch(int set, unsigned i, struct mpxi_pool *stretch);

#endif
