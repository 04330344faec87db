/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group.h - the groups of events that share the counters in one slice, and the master
 * event list that they are made of. Groups that are not used any more are kept for a
 * while, since nested measurements come back to the same ones.
 */
#ifndef MPXI_GROUP_H
#define MPXI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "stat/stat.h"

/*
 * One event of the master event list. Before `references' is what the end of a slice
 * touches, and of stat the part that it touches comes first: that is MPXI_EVENT_HOT bytes,
 * six lines of the cache.
 */
struct mpxi_event {
	uint32_t code;
	enum mpxi_role role;
	bool slows;               /* its counts delay the program                  */
	unsigned activations;     /* sets that have it and run                    */
	unsigned position;        /* in its group                                 */
	struct mpxi_group *group; /* in which it is counted; NULL: in none        */
	/*
	 * Where the event begins in its group's run, if that is not the run's begin;
	 * holds while base_run is the group's run. A clock or covariate event that is
	 * counted with the others has no group, and its base always holds.
	 */
	uint64_t base_run, base_begin, base_covariate, base_count;
	uint64_t breaks; /* how often its group was taken off the counters while it was active */
	struct mpxi_stat *by_covariate; /* what stat is by the clock; NULL: there is none */
	struct mpxi_stat stat;
	unsigned references; /* sets that have it                               */
	unsigned pins;       /* sets that want its place kept while they do not */
	/* kind is the backend's role; role differs from it while the event is in every group. wishes:
	 * running sets that ask for that. always_count: its counts in all groups; always_taken: in the
	 * present run. */
	enum mpxi_role kind;
	unsigned wishes;
	uint64_t always_count, always_taken;
	uint64_t burden; /* counts of events that delay the program, in its slices */
};

#define MPXI_CACHE_LINE 64
#define MPXI_EVENT_HOT (6 * MPXI_CACHE_LINE)

/* It takes turns. */
static inline bool mpxi_event_is_ordinary(const struct mpxi_event *event)
{
	return event->role == MPXI_ORDINARY;
}

/* It is counted all the time, in a group of its own kind. */
static inline bool mpxi_event_is_steady(const struct mpxi_event *event)
{
	return event->role == MPXI_UNLIMITED || event->role == MPXI_OUTSIDE;
}

/* An event that is counted beside all of a group's. */
struct mpxi_covariate {
	bool there;
	uint32_t event;
};

struct mpxi_group {
	void *handle;                 /* the backend's                                     */
	unsigned n;                   /* events of its own                                 */
	unsigned always;              /* events that are in every group, behind those      */
	unsigned active;              /* of them, those that are active                    */
	unsigned slot;                /* its place among those that take turns             */
	bool running;                 /* on the counters now                               */
	bool failed;                  /* its last read did                                 */
	bool outside;                 /* not for handlers: of MPXI_OUTSIDE                 */
	struct mpxi_covariate beside; /* that it was opened with                 */
	uint64_t run;                 /* number of its present run, of all groups          */
	uint64_t sampled;             /* the call that sampled it last                     */
	uint64_t begin;               /* T when this run began                             */
	uint64_t known;               /* T of sample, in a group of unlimited events       */
	uint64_t covariate;           /* the thread's covariate count when this run began  */
	struct mpxi_sample sample;
	struct mpxi_event **event; /* [n + always]; only while used              */
	uint32_t *code;            /* [n + always], each part ascending          */
	struct mpxi_group *next;   /* unused ones, the one put last first        */
				   /* then: event, sample.count, code */
};

struct mpxi_groups {
	const struct mpxi_backend_ops *ops;
	void *backend;
	bool quiet;                      /* the backend is not called any more */
	struct mpxi_covariate covariate; /* that groups are opened with now */
	struct mpxi_group *first;
	unsigned count, unused;
	size_t memory;
};

/* Codes, ascending and each once. */
struct mpxi_codes {
	const uint32_t *code;
	unsigned n;
};

/* Makes or finds the group of these events, and of those that are in every group; it is used from
 * then on, and of nobody else. */
int mpxi_groups_get(struct mpxi_groups *groups, struct mpxi_codes own, struct mpxi_codes always,
		    struct mpxi_group **group);
/* Not used any more; closed when too many such groups are kept. It does not run. */
void mpxi_groups_put(struct mpxi_groups *groups, struct mpxi_group *group);
/* Closes all that are not used. */
void mpxi_groups_clear(struct mpxi_groups *groups);

#endif
