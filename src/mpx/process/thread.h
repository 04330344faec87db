/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - the library's state of each measuring thread, and of the process.
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
	volatile uint64_t put_off; /* deferred ticks; written by the thread's handler */
	struct mpxi_handle *sets;  /* its event sets */
	/* Threads to which some of them are attached. Partner: the thread's handler; other threads access
	 * it under the library's lock. */
	struct mpxi_target *volatile targets;
	struct mpxi_thread *next, *previous; /* list of all threads; under the library's lock */
	/* Its members of process-wide sets (process_member.c). */
	struct mpxi_request request;
	struct mpxi_member *members;
	unsigned changes_seen;
	pid_t tid;
	bool shares;     /* groups take turns: the timer is needed */
	bool keep_armed; /* the timer is armed in any case: see process_member.c */
};

/* The calling thread's state, NULL if it has none. Initial-exec TLS, since its handler reads it, and no
 * access may allocate. */
extern __thread struct mpxi_thread *mpxi_self __attribute__((tls_model("initial-exec")));

/* Return the calling thread's state, after creating it if necessary. PAPI_ENOINIT, PAPI_ENOMEM, PAPI_ESYS,
 * ... */
int mpxi_thread_get(struct mpxi_thread **thread);
/* Find the calling thread's event set with this number, in each call on the set: PAPI_ENOINIT,
 * PAPI_ENOEVST, PAPI_EPERM. Takes no lock. */
int mpxi_thread_find(int number, struct mpxi_handle **handle);
/* Destroy the calling thread's state with its event sets. No effect if it has none. */
void mpxi_thread_end(void);

/*
 * Judge whether counting has slowed the result (burden.h). The first call that needs the cost of a count
 * measures it while nothing of the calling thread is counted. thread is the calling thread's state; NULL:
 * none, or PAPI cannot be called.
 */
void mpxi_thread_judge(struct mpxi_thread *thread, struct mpxi_result *result);
/* Judge a ratio of the windows of a pair. */
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
	void (*tick_sig)(void *context); /* ends a slice, on the slice's thread */
	unsigned threads, begun;         /* registered threads; threads ever registered */
	struct mpxi_thread *first_thread;
};

/* Lock the library. While it is locked, it stays ready. The lock protects the library's state and the list
 * of threads. It nests in the lock of process-wide sets at a fork and in no other lock, and no handler
 * takes it. Return NULL if the library is not ready; then the lock is not held, and a message is set. */
struct mpxi_library *mpxi_library_lock(void);
void mpxi_library_unlock(void);
/* Return 0 if the library is ready, else PAPI_ENOINIT, with a message. Takes no lock. */
int mpxi_library_check(void);
enum mpxi_estimator mpxi_library_estimator(void);
/* Note that an event has been added; must be called without locks (library.c). */
void mpxi_library_event_added(void);
int mpxi_library_signal(void);
/* True if the timer can be armed in a handler: every kind except VIRTUAL. */
bool mpxi_library_arms_in_handler(void);

/* ---- handles (handle.c) ------------------------------------------------------------ */

/* Requested ratios and relations, by the events' codes (event_ratio.c). */
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

/* The library's record of an event set with a public number. */
struct mpxi_handle {
	struct mpxi_set *set;
	struct mpxi_process *process;        /* NULL: not process-wide */
	struct mpxi_target *target;          /* thread to which it is attached; NULL: its own thread */
	struct mpxi_handle *next, *previous; /* list of the thread */
	int number;
	long long *value;            /* [room]: values that plain reads have returned; they never decrease */
	struct mpxi_accum *accum;    /* [room] */
	struct mpxi_regions regions; /* for room events, over all stretches */
	double level;                /* confidence level of intervals */
	unsigned domain;             /* PAPI_DOM_*, 0: PAPI's default       */
	unsigned room;
	struct mpxi_asked asked;
};

/* State of mpx_set_accum for one event. */
struct mpxi_accum {
	bool untold;    /* the caller's sum is MPX_NEVER since some call */
	long long held; /* the sum before that call */
	uint64_t owed;  /* time accumulated since that call */
	long long debt; /* excess of the sum, as later stretches have shown */
};

/* Allocate a number for the calling thread's handle; PAPI_ENOMEM. Close frees the number. */
int mpxi_handle_open(struct mpxi_thread *thread, struct mpxi_handle *handle);
void mpxi_handle_close(struct mpxi_thread *thread, struct mpxi_handle *handle);
/* Return the thread that owns the event set with this number, NULL: none. Takes no lock. */
struct mpxi_thread *mpxi_handle_owner(int number);
/* Return the handle with this number. For the owner only. */
struct mpxi_handle *mpxi_handle_at(int number);
/* Return the index of the event with this PAPI code, in any domain, or the number of events if there is
 * none. */
unsigned mpxi_handle_index(const struct mpxi_handle *handle, uint32_t code);
/* Free a handle whose number is closed, or was never opened. */
void mpxi_handle_free(struct mpxi_handle *handle);
/* Free all numbers in a forked child. */
void mpxi_handles_forget(void);

/* ---- for code inside the library, such as mpx_run (event_values.c) ----------------------------- */

/* Return the pool of event i of a set as of its last call: over all stretches of its region, or the last
 * stretch. Errors: as of mpxi_thread_find. */
int mpxi_set_total(int set, unsigned i, struct mpxi_pool *total);
int mpxi_set_stretch(int set, unsigned i, struct mpxi_pool *stretch);

#endif
