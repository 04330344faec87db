/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_backend.h - the backend of MPX that counts through PAPI's public calls.
 *
 * Terms:
 * - event: a PAPI code, with a domain (user mode, kernel) in bits that no code uses; 0 there means PAPI's
 *   default domain.
 * - component: part of PAPI that counts one kind of events. upc: the component whose events UPC units count
 *   (src/components/upc).
 * - group: events that are counted at the same time (core/backend.h). A group consists of one PAPI event
 *   set for each part.
 * - part: the events of a group that have the same component and domain, and so share a PAPI set.
 * - clock: what measures slices: an event that counts cycles, or the thread's CPU time.
 * - covariate: an event in every group besides the clock (stat/stat.h).
 * - unlimited: of an event that takes no counter from others and so needs no turn.
 * - target: another thread that the backend counts; tid 0: the calling thread.
 * - to try: to open or start something only to see whether that works.
 * - PMU: the processor's hardware counters.
 *
 * Only the files papi_*.c call PAPI.
 *
 *
 * The PAPI sets are attached to the calling thread (PAPI_attach with tid 0), so that several of them can
 * run at once. A group of unlimited events runs at the same time as the group that has its turn.
 */
#ifndef MPXI_PAPI_BACKEND_H
#define MPXI_PAPI_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/backend.h"
#include "mpx.h"

struct mpxi_papi_options {
	enum mpx_clock clock;
	bool has_covariate;
	uint32_t covariate; /* PAPI code of an event that is added to every group */
	/* without a requested covariate, instructions may be the covariate if they take no counter from
	 * a group */
	bool may_serve;
	unsigned group_max; /* maximum number of events in a group; 0: as many as the counters hold */
};

/* Another thread to be counted, possibly of another process. */
struct mpxi_papi_target {
	pid_t tid; /* 0: the calling thread */
	/* cpu_sig returns the thread's CPU time in ns. ended returns true if the thread has ended; its
	 * id may then belong to another thread. */
	uint64_t (*cpu_sig)(void *arg);
	bool (*ended)(void *arg);
	void *arg;
};

/* The backend of the calling thread. */
struct mpxi_papi;

/*
 * Prepare PAPI for threads that count in handlers. May be called any number of times, from any thread.
 * Initializes PAPI if it is not initialized yet, enables threads (PAPI_thread_init), and enlarges PAPI's
 * table of event sets. Errors: MPXI_EINVAL (another version of PAPI), MPXI_ENOSUPP (several threads used
 * PAPI without PAPI_thread_init), PAPI's.
 */
int mpxi_papi_init(void);

/* True if the program has ended PAPI (PAPI_shutdown) since mpxi_papi_init. Most of PAPI's calls then
 * access freed memory. If the program has initialized PAPI again, numbers of sets and codes of events
 * have changed. */
bool mpxi_papi_has_ended_sig(void);
/* Return PAPI_OK if PAPI is initialized, or PAPI_ENOINIT with a message. */
int mpxi_papi_is_there(void);
/* Return PAPI's text for an error. Never NULL, not even after PAPI has ended. */
const char *mpxi_papi_words(int error);

extern const struct mpxi_backend_ops mpxi_papi_ops;

/*
 * Create the calling thread's backend, and check the options by trying them. Errors: MPXI_ENOSUPP (the
 * requested clock is not available; the message says why), MPXI_ENOEVNT, MPXI_ECNFLCT (clock and covariate
 * do not fit together), MPXI_ENOMEM, PAPI's.
 */
int mpxi_papi_create(const struct mpxi_papi_options *options, struct mpxi_papi **papi);
/* Create another backend of the calling thread, for the events of an attached thread. It has the clock, the
 * covariate and the limit of `own'. MPXI_ENOMEM. */
int mpxi_papi_create_attached(const struct mpxi_papi *own, const struct mpxi_papi_target *target,
			      struct mpxi_papi **papi);
/* True if samples of the backend's groups have a covariate: the one of the options, or instructions by
 * default. */
bool mpxi_papi_has_covariate(const struct mpxi_papi *papi);
/* Return the covariate's name, or NULL if there is none. */
const char *mpxi_papi_covariate_name(const struct mpxi_papi *papi);
/* Destroy the backend and close its groups. Another thread may call this after the backend's thread has
 * ended. */
void mpxi_papi_destroy(struct mpxi_papi *papi);

/*
 * Return the time that one count of a tracepoint takes, in units of the clock. The first call in a process
 * measures it: it pauses the groups of papi (NULL: none), opens a tracepoint, and makes up to 384 calls of
 * getppid.
 */
double mpxi_papi_cost(struct mpxi_papi *papi);

/* Upper limit of the result of mpxi_papi_cost. */
#define MPXI_PAPI_COST_MOST 1000

/* Return the name of the clock in use, "PAPI_TOT_CYC", "upc:::..." or "thread CPU time", and its unit,
 * "cycles" or "ns". */
const char *mpxi_papi_clock_name(const struct mpxi_papi *papi);
const char *mpxi_papi_clock_unit(const struct mpxi_papi *papi);

/* The bits of an event that contain its domain; 0: PAPI's default domain. */
#define MPXI_PAPI_DOMAIN_SHIFT 24
#define MPXI_PAPI_DOMAINS UINT32_C(0x0f000000)

static inline uint32_t mpxi_papi_code_of(uint32_t event)
{
	return event & ~MPXI_PAPI_DOMAINS;
}

static inline unsigned mpxi_papi_domain_of(uint32_t event)
{
	return (event & MPXI_PAPI_DOMAINS) >> MPXI_PAPI_DOMAIN_SHIFT;
}

/* Compute the event for this code in a domain, PAPI_DOM_*. An event that no domain affects (a file's
 * value, a clock) is the same in all domains. Errors: MPXI_ENOEVNT, MPXI_ENOSUPP (the event's component
 * does not support domains). */
int mpxi_papi_event(uint32_t code, unsigned domain, uint32_t *event);

/*
 * Check whether PAPI can count this event in this thread. A preset that is a rate or a quotient is refused
 * with MPXI_ENOSUPP. All other events that PAPI_add_event accepts are accepted. Return MPXI_OK or PAPI's
 * error, with a message that names the event.
 */
int mpxi_papi_check(struct mpxi_papi *papi, uint32_t event);

/* Return the scope of the event's counts, such as "the whole machine". NULL: the event counts for one
 * thread. */
const char *mpxi_papi_counts_for(uint32_t event);
/* Find the code of a name, as PAPI_event_name_to_code does. If no event has this name, the message lists
 * the nearest names. */
int mpxi_papi_code(const char *name, uint32_t *event);
/* Reset the lock of name lookups in a forked child. */
void mpxi_papi_names_in_child(void);
/* Store the event's name, at least 1 character, or "0x..." if PAPI has no name for it. */
void mpxi_papi_name(uint32_t event, char *name, unsigned size);

/* True if PAPI has forgotten the thread (PAPI_unregister_thread, PAPI_shutdown). The numbers of the
 * groups' PAPI sets may then belong to other sets. */
bool mpxi_papi_is_gone(const struct mpxi_papi *papi);

/* True if PAPI knows the thread only because of this backend. After the thread's end and the backend's
 * destruction, mpxi_papi_leave unregisters the thread from PAPI. Otherwise PAPI keeps some 8 KB for each
 * thread that ever existed. */
bool mpxi_papi_introduced(const struct mpxi_papi *papi);
void mpxi_papi_leave(void);

/* Free the backend in a forked child, without changing anything that the parent shares. */
void mpxi_papi_forget(struct mpxi_papi *papi);

#endif
