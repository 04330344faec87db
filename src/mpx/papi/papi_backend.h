/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_backend.h - the backend of MPX that counts through PAPI's public calls. Only
 * papi_backend.c and its neighbours papi_*.c call PAPI.
 *
 * An event is its PAPI code; where it is counted in another domain than PAPI's default, that
 * domain is in bits that no code has (mpxi_papi_event).
 *
 * A group is one PAPI event set for each component, and domain, of its events, attached
 * to the calling thread (PAPI_attach with tid 0), so that several can run at once; the
 * group of events that are counted all the time is one beside the current group.
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
	bool may_serve;     /* without one: instructions, where they take no counter */
	unsigned group_max; /* at most so many events in a group; 0: what the counters hold */
};

/* Another thread that is counted, perhaps one of another process. */
struct mpxi_papi_target {
	pid_t tid; /* 0: the calling thread is */
	/* Its CPU time in ns, and whether it has ended: then its number may be another's. */
	uint64_t (*cpu_sig)(void *arg);
	bool (*ended)(void *arg);
	void *arg;
};

/* The backend of the calling thread. */
struct mpxi_papi;

/*
 * Makes PAPI ready for threads that count in handlers; any number of times, from any
 * thread: initialised, where nobody has done it, with threads (PAPI_thread_init), and with
 * a table of event sets that has room for ours. Errors: MPXI_EINVAL (another version),
 * MPXI_ENOSUPP (PAPI was used by several threads without PAPI_thread_init), PAPI's.
 */
int mpxi_papi_init(void);

/* The program has ended PAPI (PAPI_shutdown) since mpxi_papi_init: most of its calls then
 * look into memory that is gone; and where it has begun anew, numbers of sets and codes of
 * events are others'. In a handler too. */
bool mpxi_papi_has_ended_sig(void);
/* PAPI_OK, or PAPI_ENOINIT with a message. */
int mpxi_papi_is_there(void);
/* The text of PAPI's error. Never NULL, not even after PAPI has ended. */
const char *mpxi_papi_words(int error);

extern const struct mpxi_backend_ops mpxi_papi_ops;

/*
 * Checks the options by trying them. Errors: MPXI_ENOSUPP (the clock asked for is not
 * to be had: says why), MPXI_ENOEVNT, MPXI_ECNFLCT (clock and covariate do not fit
 * together), MPXI_ENOMEM, what PAPI says.
 */
int mpxi_papi_create(const struct mpxi_papi_options *options, struct mpxi_papi **papi);
/* One more backend of the calling thread, whose events are those of another thread: with the clock,
 * the covariate and the limit of its first one. MPXI_ENOMEM. */
int mpxi_papi_create_attached(const struct mpxi_papi *own, const struct mpxi_papi_target *target,
			      struct mpxi_papi **papi);
/* Samples of its groups have one: that of the options, or instructions that serve. */
bool mpxi_papi_has_covariate(const struct mpxi_papi *papi);
/* NULL: there is none. */
const char *mpxi_papi_covariate_name(const struct mpxi_papi *papi);
/* All its groups are closed. Also called by another thread after the owner's end. */
void mpxi_papi_destroy(struct mpxi_papi *papi);

/*
 * The cost of one count of a tracepoint, in units of the clock. The first call of a process opens a
 * tracepoint and makes up to 384 calls of getppid, while no group of papi runs; NULL: none is stopped for it.
 */
double mpxi_papi_cost(struct mpxi_papi *papi);

/* The most that mpxi_papi_cost returns. */
#define MPXI_PAPI_COST_MOST 1000

/* The clock that is used: "PAPI_TOT_CYC", "upc:::..." or "thread CPU time", and its
 * unit, "cycles" or "ns". */
const char *mpxi_papi_clock_name(const struct mpxi_papi *papi);
const char *mpxi_papi_clock_unit(const struct mpxi_papi *papi);

/* Where an event has its domain; 0: PAPI's default. */
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

/* The event of this code in a domain, PAPI_DOM_*. An event that no domain changes (file, clock) is the
 * same in each. MPXI_ENOEVNT; MPXI_ENOSUPP: its component knows no domains. */
int mpxi_papi_event(uint32_t code, unsigned domain, uint32_t *event);

/*
 * Can PAPI count this event at all in this thread? A preset that is a rate or a quotient
 * is refused, MPXI_ENOSUPP; anything else that PAPI_add_event takes is taken. MPXI_OK or
 * PAPI's error, with a message that names the event.
 */
int mpxi_papi_check(struct mpxi_papi *papi, uint32_t event);

/* The owner of the event's counts, such as "the whole machine". NULL: each thread counts its own. */
const char *mpxi_papi_counts_for(uint32_t event);
/* Code of a name as PAPI_event_name_to_code gives it, with the nearest names in the
 * message when there is none. */
int mpxi_papi_code(const char *name, uint32_t *event);
/* Called in a forked child: no name lookup is in progress any more. */
void mpxi_papi_names_in_child(void);
/* Its name, at least 1 character; "0x..." when PAPI knows none. */
void mpxi_papi_name(uint32_t event, char *name, unsigned size);

/* PAPI has forgotten the thread (PAPI_unregister_thread, PAPI_shutdown): the numbers of the
 * groups' event sets may be others' now. */
bool mpxi_papi_is_gone(const struct mpxi_papi *papi);

/* PAPI knows the thread only through this backend: when the thread ends, and the backend
 * is destroyed, mpxi_papi_leave has PAPI forget it. Otherwise PAPI keeps some 8 KB of each
 * thread that ever was. */
bool mpxi_papi_introduced(const struct mpxi_papi *papi);
void mpxi_papi_leave(void);

/* In a forked child: nothing that is shared with the parent is touched. */
void mpxi_papi_forget(struct mpxi_papi *papi);

#endif
