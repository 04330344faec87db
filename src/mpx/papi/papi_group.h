/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_group.h - what the files of the PAPI backend share: a thread's backend and its
 * groups.
 */
#ifndef MPXI_PAPI_GROUP_H
#define MPXI_PAPI_GROUP_H

#include <papi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi/papi_backend.h"
#include "papi/papi_set.h"

/* Events that are promised to be counted all the time: libupc has 256 counters in a unit,
 * PAPI's perf_event 384 events in a set. */
#define MPXI_PAPI_UNLIMITED_MAX 200

/* Verdicts of fits() that are remembered; a power of two. */
#define MPXI_PAPI_VERDICTS 256

/* Where a read finds an event's count. */
struct mpxi_papi_place {
	const long long *value, *carry;
};

/* A derived preset can be the difference of two counts that were not read at once. */
static inline uint64_t mpxi_papi_count_at_sig(const struct mpxi_papi_place *place)
{
	long long count = *place->value + *place->carry;

	return count > 0 ? (uint64_t)count : 0;
}

struct mpxi_papi_group {
	struct mpxi_papi *papi;
	struct mpxi_papi_group *next, **previous; /* all of the backend */
	unsigned n, sets;                         /* events asked for, PAPI sets */
	bool running, paused;
	bool beside;    /* of events that take no turns: no clock, no covariate */
	bool outside;   /* of such that no handler touches                      */
	bool has_clock; /* one of its events is                              */
	uint32_t clock_event, covariate_event;
	uint64_t began;                          /* without one: CPU time when it was started */
	uint64_t ran;                            /* CPU time that it ran before that          */
	struct mpxi_papi_place clock, covariate; /* value NULL: none             */
	struct mpxi_papi_place *place;           /* [n]                          */
	struct mpxi_papi_set set[];              /* [sets]: upc last, since only it refuses to stop */
};

struct mpxi_papi_verdict {
	uint32_t *event; /* [n]; NULL: nothing is known */
	unsigned n;
	int fits;
};

struct mpxi_papi {
	struct mpxi_papi_target target;
	unsigned long owner; /* PAPI_thread_id of the thread  */
	unsigned namesakes;  /* threads of this id then, with ours */
	bool introduced;     /* PAPI had not known the thread before */
	pid_t process;
	bool has_clock, has_covariate; /* an event is the clock         */
	bool chosen;                   /* the covariate is not of the options (choose) */
	bool refuses_time;             /* a unit's time is no clock here */
	uint32_t clock, covariate;
	unsigned group_max;
	int upc; /* PAPI's index of upc, -1: none */
	struct mpxi_papi_group *groups;
	unsigned unlimited;                     /* used of told */
	uint32_t told[MPXI_PAPI_UNLIMITED_MAX]; /* events that were called unlimited */
	struct mpxi_papi_verdict verdict[MPXI_PAPI_VERDICTS];
	char clock_name[128], covariate_name[PAPI_MAX_STR_LEN];
};

/* papi_clock.c: finds what measures a slice. PAPI_OK or an error with a message. */
int mpxi_papi_choose_clock(struct mpxi_papi *papi, enum mpx_clock clock);
/* papi_library.c: how often PAPI has begun anew, with other codes of events. */
unsigned mpxi_papi_beginnings(void);
/* Is the clock that was chosen last an event, and not CPU time? */
bool mpxi_papi_clock_is_event(void);

/* papi_names.c */

/* Sets the message of an event that PAPI does not count, and returns error. */
int mpxi_papi_refuse(uint32_t event, int error);
/* MPXI_ENOSUPP, with words: PAPI_ENOEVNT for a set without events is the answer of PAPI's perf_event to
 * its own trial. what: "attach to other threads". */
int mpxi_papi_refuse_trial(int component, const char *what);
/* Is it of a unit's perf group, and a tracepoint or the kernel's own count? */
bool mpxi_papi_is_unit_software(uint32_t event);
bool mpxi_papi_is_tracepoint(uint32_t event);
/* Can it be counted beside any others, since it takes no counter of the processor? */
bool mpxi_papi_needs_no_counter(uint32_t event);
/* Is a preset's value something else than a sum of counts? */
bool mpxi_papi_is_rate(const PAPI_event_info_t *info);

/* Is it of a unit, and the same in all domains? */
bool mpxi_papi_has_no_domain(uint32_t event);

/* papi_domain.c */

/* Sets *as to the event that counts `beside' in the domain of the n events. MPXI_ENOSUPP. */
int mpxi_papi_in_domain(uint32_t beside, const uint32_t *event, unsigned n, uint32_t *as);
/* Sets the domain of a set that has no events yet. PAPI's error, with a message. */
int mpxi_papi_set_domain(const struct mpxi_papi_set *set, unsigned domain);

/* The events of a group that one PAPI set has. */
struct mpxi_papi_part {
	int component; /* PAPI's index, or its error */
	unsigned domain;
};

static inline struct mpxi_papi_part mpxi_papi_part_of(uint32_t event)
{
	return (struct mpxi_papi_part){PAPI_get_event_component((int)mpxi_papi_code_of(event)),
				       mpxi_papi_domain_of(event)};
}

static inline bool mpxi_papi_same_part(struct mpxi_papi_part a, struct mpxi_papi_part b)
{
	return a.component == b.component && a.domain == b.domain;
}

/* papi_library.c: how many threads of this id PAPI knows. One that was not unregistered at
 * its end stays, and another one can have its id. */
unsigned mpxi_papi_count_threads(unsigned long id);

/* papi_fits.c */
int mpxi_papi_fits(struct mpxi_papi *papi, const uint32_t *event, unsigned n);
void mpxi_papi_fits_clear(struct mpxi_papi *papi);

/* ---- papi_group.c ---- */

/* The operations of backend.h; handle is a group. */
int mpxi_papi_group_start_sig(void *handle);
int mpxi_papi_group_read_sig(void *handle, struct mpxi_sample *sample);
int mpxi_papi_group_stop_sig(void *handle, struct mpxi_sample *sample);
/* Starts and stops it, so that the work of a first start, and a refusal with its message, do not come
 * in a handler. */
int mpxi_papi_group_try(struct mpxi_papi_group *group);

/* A new PAPI set sees counters that a running group has as taken. Stops
 * the running groups that have any, with their counts kept, and starts them again. Those of
 * MPXI_OUTSIDE are stopped for a set of the same alone: devices may take their time. */
int mpxi_papi_pause(struct mpxi_papi *papi, bool outside);
int mpxi_papi_resume(struct mpxi_papi *papi);

#endif
