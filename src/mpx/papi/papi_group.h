/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_group.h - declarations shared by the files of the PAPI backend: a thread's backend and its groups.
 */
#ifndef MPXI_PAPI_GROUP_H
#define MPXI_PAPI_GROUP_H

#include <papi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "papi/papi_backend.h"
#include "papi/papi_set.h"

/* Maximum number of events that are promised to be counted all the time: libupc has 256 counters in a unit,
 * PAPI's perf_event 384 events in a set. */
#define MPXI_PAPI_UNLIMITED_MAX 200

/* Number of cached answers of fits(); a power of two. */
#define MPXI_PAPI_VERDICTS 256

/* Addresses of the two parts of an event's count. */
struct mpxi_papi_place {
	const long long *value, *carry;
};

/* Return an event's count. A derived preset may be negative: the difference of two counts that were not
 * read at once. */
static inline uint64_t mpxi_papi_count_at_sig(const struct mpxi_papi_place *place)
{
	long long count = *place->value + *place->carry;

	return count > 0 ? (uint64_t)count : 0;
}

struct mpxi_papi_group {
	struct mpxi_papi *papi;
	struct mpxi_papi_group *next, **previous; /* list of all groups of the backend */
	unsigned n, sets;                         /* number of requested events; of PAPI sets */
	bool running, paused;
	bool beside;    /* events that take no turns: no clock, no covariate */
	bool outside;   /* events that no handler may touch */
	bool has_clock; /* one of its events is the clock */
	uint32_t clock_event, covariate_event;
	uint64_t began;                          /* without a clock: CPU time at the start */
	uint64_t ran;                            /* CPU time that it ran before that start */
	struct mpxi_papi_place clock, covariate; /* value NULL: none             */
	struct mpxi_papi_place *place;           /* [n]                          */
	struct mpxi_papi_set set[];              /* [sets]: upc last, since only upc refuses to stop */
};

struct mpxi_papi_verdict {
	uint32_t *event; /* [n]; NULL: unknown */
	unsigned n;
	int fits;
};

struct mpxi_papi {
	struct mpxi_papi_target target;
	unsigned long owner; /* PAPI_thread_id of the thread  */
	unsigned namesakes;  /* number of PAPI's threads with this id at the begin, including this one */
	bool introduced;     /* PAPI did not know the thread before */
	pid_t process;
	bool has_clock, has_covariate; /* an event is the clock         */
	bool chosen;                   /* the covariate is a set's, not that of the options */
	bool refuses_time;             /* TASK-CLOCK of a unit cannot be the clock here */
	uint32_t clock, covariate;
	unsigned group_max;
	int upc; /* PAPI's index of upc; negative: none */
	struct mpxi_papi_group *groups;
	unsigned unlimited;                     /* number of elements of told in use */
	uint32_t told[MPXI_PAPI_UNLIMITED_MAX]; /* events for which MPXI_UNLIMITED was returned */
	struct mpxi_papi_verdict verdict[MPXI_PAPI_VERDICTS];
	char clock_name[128], covariate_name[PAPI_MAX_STR_LEN];
};

/* papi_clock.c: Choose the clock of slices. PAPI_OK or an error with a message. */
int mpxi_papi_choose_clock(struct mpxi_papi *papi, enum mpx_clock clock);
/* papi_library.c: Return the number of times that PAPI was initialized, each time with other event codes. */
unsigned mpxi_papi_beginnings(void);
/* True if the clock chosen last is an event instead of CPU time. */
bool mpxi_papi_clock_is_event(void);

/* papi_names.c */

/* Set the message for an event that PAPI does not count, and return error. */
int mpxi_papi_refuse(uint32_t event, int error);
/* Return MPXI_ENOSUPP, with a message. PAPI's perf_event returns PAPI_ENOEVNT for a set without events if
 * the trial event that it opens fails. what is, for example, "attach to other threads". */
int mpxi_papi_refuse_trial(int component, const char *what);
/* True if the event is in a unit's perf group, as a tracepoint or a software event; true if it is a
 * tracepoint. */
bool mpxi_papi_is_unit_software(uint32_t event);
bool mpxi_papi_is_tracepoint(uint32_t event);
/* True if the event takes no counter of the processor, so that it can be counted with any others. */
bool mpxi_papi_needs_no_counter(uint32_t event);
/* True if a preset's value is not a sum of counts. */
bool mpxi_papi_is_rate(const PAPI_event_info_t *info);

/* True if the event is one of a unit, and the same in all domains. */
bool mpxi_papi_has_no_domain(uint32_t event);

/* papi_domain.c */

/* Set *as to the event that counts `beside' (the clock or the covariate) in the domain of the n events.
 * MPXI_ENOSUPP. */
int mpxi_papi_in_domain(uint32_t beside, const uint32_t *event, unsigned n, uint32_t *as);
/* Set the domain of a set that has no events yet. Return PAPI's error, with a message. */
int mpxi_papi_set_domain(const struct mpxi_papi_set *set, unsigned domain);

/* The events of a group that share one PAPI set. */
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

/* papi_library.c: Return the number of threads with this id that PAPI knows. A thread that was not
 * unregistered at its end stays in PAPI's list, and another thread may have the same id. */
unsigned mpxi_papi_count_threads(unsigned long id);

/* papi_fits.c */
int mpxi_papi_fits(struct mpxi_papi *papi, const uint32_t *event, unsigned n);
void mpxi_papi_fits_clear(struct mpxi_papi *papi);

/* ---- papi_group.c ---- */

/* The operations of backend.h; handle is a group. */
int mpxi_papi_group_start_sig(void *handle);
int mpxi_papi_group_read_sig(void *handle, struct mpxi_sample *sample);
int mpxi_papi_group_stop_sig(void *handle, struct mpxi_sample *sample);
/* Start and stop the group, so that the work of a first start, and a refusal with its message, do not occur
 * in a handler. */
int mpxi_papi_group_try(struct mpxi_papi_group *group);

/* Pause the running groups that occupy counters while a new PAPI set is created, since the set could not
 * use those counters. Their counts are kept; mpxi_papi_resume starts them again. Groups of MPXI_OUTSIDE
 * events are paused only for a set of such events (outside), since devices may be slow. */
int mpxi_papi_pause(struct mpxi_papi *papi, bool outside);
int mpxi_papi_resume(struct mpxi_papi *papi);

#endif
