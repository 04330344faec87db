/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_group.h - declarations shared by the files of the PAPI backend: a thread's backend and its groups.
 *
 * Terms: papi/papi_backend.h.
 */
#ifndef MPXI_PAPI_GROUP_H
#define MPXI_PAPI_GROUP_H

#include <papi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi/papi_backend.h"
#include "papi/papi_set.h"

/* Maximum number of unlimited events: libupc has 256 counters in a unit, and PAPI's component perf_event
 * has 384 events in a set. */
#define MPXI_PAPI_UNLIMITED_MAX 200

/* Number of cached answers of fits(); a power of two. */
#define MPXI_PAPI_VERDICTS 256

/* Addresses of the two summands of an event's count: the PAPI set's value and its carry (papi_set.h). */
struct mpxi_papi_place {
	const long long *value, *carry;
};

/* Return an event's count. A derived preset may be negative, since it may be the difference of two
 * counts that were read one after the other. */
static inline uint64_t mpxi_papi_count_at_sig(const struct mpxi_papi_place *place)
{
	long long count = *place->value + *place->carry;

	return count > 0 ? (uint64_t)count : 0;
}

struct mpxi_papi_group {
	struct mpxi_papi *papi;
	struct mpxi_papi_group *next, **previous; /* list of all groups of the backend */
	unsigned n, sets;                         /* number of requested events; number of PAPI sets */
	bool running, paused;
	bool beside;    /* a group of unlimited events, without clock and covariate */
	bool outside;   /* a group of MPXI_OUTSIDE events, which no handler may touch */
	bool has_clock; /* the clock of its samples is an event, clock_event */
	uint32_t clock_event, covariate_event;
	uint64_t began; /* without a clock event: CPU time at the last start */
	uint64_t ran;   /* without a clock event: CPU time for which the group ran before a pause */
	struct mpxi_papi_place clock, covariate; /* value is NULL if there is none */
	struct mpxi_papi_place *place;           /* [n]                          */
	/* [sets]: the component upc's set is last, since only upc refuses to stop */
	struct mpxi_papi_set set[];
};

struct mpxi_papi_verdict {
	uint32_t *event; /* [n]; NULL: no answer is cached here */
	unsigned n;
	int fits;
};

struct mpxi_papi {
	struct mpxi_papi_target target;
	unsigned long owner; /* PAPI_thread_id of the thread  */
	/* number of threads in PAPI's list that had this id when the backend was created, including this
	 * thread */
	unsigned namesakes;
	bool introduced; /* PAPI did not know the thread before the backend was created */
	pid_t process;
	bool has_clock, has_covariate; /* has_clock: the clock is the event `clock' */
	bool chosen;                   /* the covariate was chosen by an event set (ops.choose) */
	bool refuses_time;             /* a unit's TASK-CLOCK event cannot be the clock here (papi_open.c) */
	uint32_t clock, covariate;
	unsigned group_max;
	int upc; /* PAPI's index of the component upc; negative: PAPI has no such component */
	struct mpxi_papi_group *groups;
	unsigned unlimited;                     /* number of unlimited events, which are in told */
	uint32_t told[MPXI_PAPI_UNLIMITED_MAX]; /* events for which role() has returned MPXI_UNLIMITED */
	struct mpxi_papi_verdict verdict[MPXI_PAPI_VERDICTS];
	char clock_name[128], covariate_name[PAPI_MAX_STR_LEN];
};

/* papi_clock.c: Choose the clock of slices. Return PAPI_OK or an error with a message. */
int mpxi_papi_choose_clock(struct mpxi_papi *papi, enum mpx_clock clock);
/* papi_library.c: Return the number of times that PAPI was initialized. Event codes change each time. */
unsigned mpxi_papi_beginnings(void);
/* True if the clock that was chosen last is an event, and not CPU time. */
bool mpxi_papi_clock_is_event(void);

/* papi_names.c */

/* Set the message for an event that PAPI does not count, and return error. */
int mpxi_papi_refuse(uint32_t event, int error);
/* Return MPXI_ENOSUPP, with a message. Called when PAPI's component perf_event returns PAPI_ENOEVNT for
 * a set without events. It does so if a cycles event that it opens as a trial fails. what is, for
 * example, "attach to other threads". */
int mpxi_papi_refuse_trial(int component, const char *what);
/* mpxi_papi_is_unit_software: true if a UPC unit counts the event in a perf group, since it is a
 * tracepoint or a software event. mpxi_papi_is_tracepoint: true if the event is a tracepoint. */
bool mpxi_papi_is_unit_software(uint32_t event);
bool mpxi_papi_is_tracepoint(uint32_t event);
/* True if the event takes no counter of the PMU, so that it can be counted with any other events. */
bool mpxi_papi_needs_no_counter(uint32_t event);
/* True if a preset's value is not a sum of counts. */
bool mpxi_papi_is_rate(const PAPI_event_info_t *info);

/* True if the event is one of the component upc that counts the same in all domains. */
bool mpxi_papi_has_no_domain(uint32_t event);

/* papi_domain.c */

/* Set *as to the event that counts `beside' (the clock or the covariate) in its default domain, in a
 * PAPI set that has the domain of the n events. Error: MPXI_ENOSUPP. */
int mpxi_papi_in_domain(uint32_t beside, const uint32_t *event, unsigned n, uint32_t *as);
/* Set the domain of a PAPI set that has no events yet. Return PAPI's error, with a message. */
int mpxi_papi_set_domain(const struct mpxi_papi_set *set, unsigned domain);

/* The component and the domain that all events of one PAPI set have in common. */
struct mpxi_papi_part {
	int component; /* PAPI's index of the component, or PAPI's error */
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

/* papi_library.c: Return the number of threads with this id that PAPI knows. A thread that was not
 * unregistered when it ended stays in PAPI's list, and another thread may get the same id. */
unsigned mpxi_papi_count_threads(unsigned long id);

/* papi_fits.c */
int mpxi_papi_fits(struct mpxi_papi *papi, const uint32_t *event, unsigned n);
void mpxi_papi_fits_clear(struct mpxi_papi *papi);

/* ---- papi_group.c ---- */

/* Operations of mpxi_backend_ops (core/backend.h). handle is a group. */
int mpxi_papi_group_start_sig(void *handle);
int mpxi_papi_group_read_sig(void *handle, struct mpxi_sample *sample);
int mpxi_papi_group_stop_sig(void *handle, struct mpxi_sample *sample);
/* Start and stop the group in ordinary context. The work of the first start, and a refusal with its
 * message, then do not occur in a handler. */
int mpxi_papi_group_try(struct mpxi_papi_group *group);

/* Pause the running groups that take counters while a new PAPI set is created, since the set could not
 * be tried on those counters. The groups' counts are kept, and mpxi_papi_resume starts the groups again.
 * outside: the new set is for MPXI_OUTSIDE events. Only then are groups of MPXI_OUTSIDE events paused,
 * too, since devices may be slow. */
int mpxi_papi_pause(struct mpxi_papi *papi, bool outside);
int mpxi_papi_resume(struct mpxi_papi *papi);

#endif
