/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group.h - the groups of events that share the counters in one slice, and the events of the master event
 * list. Unused groups stay open for a while, since nested measurements need the same groups again.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_GROUP_H
#define MPXI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "stat/stat.h"

/*
 * One event of the master event list. The end of a slice accesses only the fields before `references',
 * except the last member of stat. These MPXI_EVENT_HOT bytes are six cache lines.
 */
struct mpxi_event {
	uint32_t code;
	enum mpxi_role role;
	bool slows;               /* each count of it delays the program */
	unsigned activations;     /* running sets that contain it */
	unsigned position;        /* index of the event in its group */
	struct mpxi_group *group; /* group that counts it; NULL: none */
	/*
	 * Base of the event, if the event became active during a run of its group: T, the covariate's count
	 * and the event's count at that time. The base is valid while base_run is the number of the group's
	 * present run. A clock, covariate or always-counted event has no group, and its base is always
	 * valid.
	 */
	uint64_t base_run, base_begin, base_covariate, base_count;
	uint64_t breaks; /* number of times that its group was halted while it was active */
	/* sums as in stat, with the covariate's count in place of T; NULL: none */
	struct mpxi_stat *by_covariate;
	struct mpxi_stat stat;
	unsigned references; /* sets that contain it */
	unsigned pins;       /* number of sets for which it keeps its place even while they are stopped */
	/* kind is the event's role in the backend; role differs from kind while the event is
	 * always-counted. wishes is the number of running or starting sets that want it always counted.
	 * always_count is then the event's count over all groups, and always_taken the part of it that
	 * comes from the present run. */
	enum mpxi_role kind;
	unsigned wishes;
	uint64_t always_count, always_taken;
	uint64_t burden; /* counts of events that delay the program, in this event's slices */
};

#define MPXI_CACHE_LINE 64
#define MPXI_EVENT_HOT (6 * MPXI_CACHE_LINE)

/* True if the event takes turns. */
static inline bool mpxi_event_is_ordinary(const struct mpxi_event *event)
{
	return event->role == MPXI_ORDINARY;
}

/* True if the event is counted all the time, in a steady group. */
static inline bool mpxi_event_is_steady(const struct mpxi_event *event)
{
	return event->role == MPXI_UNLIMITED || event->role == MPXI_OUTSIDE;
}

/* The event that is the covariate, if there is one. */
struct mpxi_covariate {
	bool there;
	uint32_t event;
};

struct mpxi_group {
	void *handle;                 /* the backend's group */
	unsigned n;                   /* number of events that are not always-counted */
	unsigned always;              /* number of always-counted events, stored after the n events */
	unsigned active;              /* number of active events among the n */
	unsigned slot;                /* slot of the group in the plan; UINT_MAX: none */
	bool running;                 /* on the counters now                               */
	bool failed;                  /* its last read failed */
	bool outside;                 /* has MPXI_OUTSIDE events: not for handlers */
	struct mpxi_covariate beside; /* covariate with which it was opened */
	uint64_t run; /* number of its present run; runs of all groups of the core are numbered together */
	uint64_t sampled;   /* value of core->samples when it was last sampled */
	uint64_t begin;     /* T at the begin of this run */
	uint64_t known;     /* T when sample was taken, for a steady group */
	uint64_t covariate; /* covariate's count at the begin of this run */
	struct mpxi_sample sample;
	struct mpxi_event **event; /* [n + always]; valid only while the group is in use */
	uint32_t *code;            /* [n + always], each part ascending          */
	/* next unused group, in the order from the latest to the earliest mpxi_groups_put */
	struct mpxi_group *next;
	/* the arrays event, sample.count and code follow the structure */
};

struct mpxi_groups {
	const struct mpxi_backend_ops *ops;
	void *backend;
	bool quiet;                      /* the backend must not be called any more */
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

/* Find or open the group with the events `own', and with the always-counted events `always'. The caller
 * has exclusive use of the group until mpxi_groups_put. */
int mpxi_groups_get(struct mpxi_groups *groups, struct mpxi_codes own, struct mpxi_codes always,
		    struct mpxi_group **group);
/* Return a halted group that is no longer used. The oldest unused group is closed if too many are kept. */
void mpxi_groups_put(struct mpxi_groups *groups, struct mpxi_group *group);
/* Close all unused groups. */
void mpxi_groups_clear(struct mpxi_groups *groups);

#endif
