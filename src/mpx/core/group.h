/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group.h - the groups of events that share the counters in one slice, and the events of the master
 * event list. Unused groups are kept for a while, since nested measurements return to the same ones.
 */
#ifndef MPXI_GROUP_H
#define MPXI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "stat/stat.h"

/*
 * One event of the master event list. The end of a slice touches only the fields before `references', and
 * of stat only its first part. These MPXI_EVENT_HOT bytes are six cache lines.
 */
struct mpxi_event {
	uint32_t code;
	enum mpxi_role role;
	bool slows;               /* its counts delay the program                  */
	unsigned activations;     /* running sets that contain it */
	unsigned position;        /* index in its group */
	struct mpxi_group *group; /* group that counts it; NULL: none */
	/*
	 * Base of the event in its group's run, if the event begins later than the run. The base is valid
	 * while base_run is the group's run. A clock or covariate event that is counted with the others has
	 * no group, and its base is always valid.
	 */
	uint64_t base_run, base_begin, base_covariate, base_count;
	uint64_t breaks;                /* number of times that its group was halted while it was active */
	struct mpxi_stat *by_covariate; /* as stat, by the covariate instead of the clock; NULL: none */
	struct mpxi_stat stat;
	unsigned references; /* sets that contain it */
	unsigned pins;       /* sets that keep its place even while stopped */
	/* kind is the backend's role; role differs from kind while the event is in every group. wishes is
	 * the number of running sets that request this. always_count is its count over all groups,
	 * always_taken the part of the present run in it. */
	enum mpxi_role kind;
	unsigned wishes;
	uint64_t always_count, always_taken;
	uint64_t burden; /* counts of events that delay the program, in its slices */
};

#define MPXI_CACHE_LINE 64
#define MPXI_EVENT_HOT (6 * MPXI_CACHE_LINE)

/* True if the event takes turns. */
static inline bool mpxi_event_is_ordinary(const struct mpxi_event *event)
{
	return event->role == MPXI_ORDINARY;
}

/* True if the event is counted all the time, in a group of its own role. */
static inline bool mpxi_event_is_steady(const struct mpxi_event *event)
{
	return event->role == MPXI_UNLIMITED || event->role == MPXI_OUTSIDE;
}

/* An event that is counted in every group. */
struct mpxi_covariate {
	bool there;
	uint32_t event;
};

struct mpxi_group {
	void *handle;                 /* the backend's group */
	unsigned n;                   /* events of this group only */
	unsigned always;              /* events that are in every group, stored after those */
	unsigned active;              /* active ones of the n events */
	unsigned slot;                /* index among the groups that take turns */
	bool running;                 /* on the counters now                               */
	bool failed;                  /* its last read failed */
	bool outside;                 /* has MPXI_OUTSIDE events: not for handlers */
	struct mpxi_covariate beside; /* covariate with which it was opened */
	uint64_t run;                 /* number of its present run, among all groups' runs */
	uint64_t sampled;             /* round of samples that last sampled it */
	uint64_t begin;               /* T at the begin of this run */
	uint64_t known;               /* T of sample, for a group of unlimited events */
	uint64_t covariate;           /* the thread's covariate count at the begin of this run */
	struct mpxi_sample sample;
	struct mpxi_event **event; /* [n + always]; valid only while the group is in use */
	uint32_t *code;            /* [n + always], each part ascending          */
	struct mpxi_group *next;   /* next unused group, the last put first */
				   /* followed by: event, sample.count, code */
};

struct mpxi_groups {
	const struct mpxi_backend_ops *ops;
	void *backend;
	bool quiet;                      /* do not call the backend any more */
	struct mpxi_covariate covariate; /* covariate with which groups are opened now */
	struct mpxi_group *first;
	unsigned count, unused;
	size_t memory;
};

/* Event codes in ascending order, without duplicates. */
struct mpxi_codes {
	const uint32_t *code;
	unsigned n;
};

/* Find or open the group of these events (own) and of the events in every group (always). The caller has
 * exclusive use of the group until mpxi_groups_put. */
int mpxi_groups_get(struct mpxi_groups *groups, struct mpxi_codes own, struct mpxi_codes always,
		    struct mpxi_group **group);
/* Return a halted group that is no longer used. The oldest unused group is closed if too many are kept. */
void mpxi_groups_put(struct mpxi_groups *groups, struct mpxi_group *group);
/* Close all unused groups. */
void mpxi_groups_clear(struct mpxi_groups *groups);

#endif
