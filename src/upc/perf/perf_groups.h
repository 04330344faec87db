/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_groups.h - the groups of a context, as the parts of the perf source have them:
 * perf.c makes and switches them, perf_member.c their events, perf_late.c those that wait,
 * perf_fit.c tells whether the PMU has room for them, perf_read.c reads them. For these
 * alone.
 */
#ifndef UPCI_PERF_GROUPS_H
#define UPCI_PERF_GROUPS_H

#include <linux/perf_event.h>

#include "perf/context.h"
#include "base/let_go.h"
#include "perf/perf_sampler.h"
#include "perf/perf_user.h"

/* Group of software events and tracepoints, which the kernel schedules
 * together; hardware groups have the PMU's type. */
#define UPCI_PERF_SOFTWARE UINT32_MAX

/* The value by which a group's leader counts for a member without an event of its own. */
enum upci_perf_told {
	UPCI_PERF_TOLD_NOTHING, /* it has its own                                       */
	UPCI_PERF_TOLD_TIME,    /* the task clock: the leader keeps its time anyway     */
	UPCI_PERF_TOLD_COUNT,   /* it was the group's first: its event is the leader    */
};

struct upci_perf_member {
	bool used, halted;
	bool waits;                              /* it has no event yet, and no group          */
	bool fresh;                              /* opened by an upci_perf_open_waiting that goes on */
	bool removed;                            /* a tracepoint that is gone, but for its event: disabled */
	unsigned group;                          /* its number, which stays */
	int *fd;                                 /* one per target of the group, -1: its CPU was offline */
	const struct perf_event_mmap_page *page; /* for reads in user mode, or NULL */
	struct upci_perf_spec spec;
	const char *name; /* the event's own, for messages */
	uint64_t ran;     /* upci_perf_ran of its group when it was added */
	/* The group's times where the member's begin, or, while it is halted, the member's times. */
	struct upci_source_time time;
	unsigned since; /* rebases, then: an older one counts for nothing */
	enum upci_perf_told told;
	int next_told; /* the next handle of the group that is told something, -1: none */
	/* With told: the leader's value at which the member's count is 0, or, while the member is
	 * halted, its count. */
	union {
		uint64_t begin, count;
	};
};

/* How long a target's group had its counters, by the last read and by the one from
 * which states are given. */
struct upci_perf_span {
	uint64_t running, lost; /* enabled, with and without counters */
	uint64_t running_base, lost_base;
	uint64_t counted; /* by the leader */
	bool failed;      /* since the base the kernel has given it up */
	/* For a CPU's hardware. The kernel's times of a group that it has given up stand still: by
	 * the context's clock the group should have counted added more. */
	uint64_t added;
	uint64_t good, since; /* how long it was enabled when it was last seen to count; since then */
	uint64_t at;          /* the clock, as of the last read */
};

struct upci_perf_group {
	uint32_t key;
	unsigned number; /* the groups of a unit are numbered from 0 on, once */
	unsigned batch;  /* in which it was opened */
	struct upci_perf_target *target;
	unsigned targets;
	int *leader;                 /* one fd per target */
	struct perf_event_attr attr; /* theirs */
	bool counts;                 /* the leaders do, for the group's first member */
	struct upci_perf_span *span; /* one per target */
	int *handle;                 /* members in the order in which the kernel has them */
	unsigned members, room;
	int first_told; /* handle of a member that its leader tells, -1: none */
	struct upci_user_mode user;
	bool aged; /* was read in user mode since its times were */
	/* For a control group: the times by the clock, as of aged_at, and the kernel's times then. */
	bool by_clock;
	struct upci_source_time clocked;
	unsigned __int128 had, had_lost;
	uint64_t aged_at;
	/* The part of the group's times that was passed over, and the times at the last rebase. */
	struct upci_source_time passed, base;
};

/*
 * A fork in another thread may happen at any instruction, and the child then
 * closes all descriptors that it finds here. A descriptor is therefore forgotten
 * before it is closed, and arrays change under the process lock, which forks hold.
 */
struct upci_perf {
	pid_t maker; /* process that has made it */
	struct upci_context context;
	bool running;
	bool waits_for_exec; /* the first start is the exec's */
	bool refused;        /* the last start was: nothing counts */
	bool ever_enabled;
	unsigned batch;
	struct upci_perf_group *group;
	unsigned groups, numbers;
	struct upci_perf_member *member;
	unsigned handles;
	unsigned waiting; /* members that wait              */
	unsigned removed; /* ... that are removed           */
	bool at_once;     /* added events do not wait     */
	/* How long CPUs or control groups were counted up to clock_at, the last start by
	 * CLOCK_MONOTONIC; that is 0 while the clock stands. */
	uint64_t clock, clock_at;
	unsigned rebases;
	/* The kernel's last answer for a member that waits. */
	struct {
		bool known;
		unsigned batch; /* in which it was asked  */
		unsigned targets;
		size_t left; /* descriptors, then      */
	} answer;
	struct upci_samplers samplers;
	uint64_t *buffer; /* one group read */
	size_t buffer_bytes;
};

/* The read format of leaders and members: struct upci_perf_head, and a value for each member. */
#define UPCI_PERF_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* ---- perf.c ---- */

struct upci_perf_group *upci_perf_group_of(struct upci_perf *perf, unsigned number);
/* A group of a kind that may grow, or NULL. */
struct upci_perf_group *upci_perf_find_group(struct upci_perf *perf, uint32_t key);
/* Opens the leaders of a new group; name is the event's that it is for, which they count
 * where leading is given. 0, or a negative error with message. One without members is
 * closed by upci_perf_close_empty. */
int upci_perf_open_group(struct upci_perf *perf, uint32_t key, const struct perf_event_attr *leading,
			 const char *name, struct upci_perf_group **opened);
void upci_perf_close_empty(struct upci_perf *perf, unsigned number, struct upci_bag *bag);
void upci_perf_set_inherit(const struct upci_perf *perf, struct perf_event_attr *attr);
/* One ioctl on one descriptor of each target, or of all groups. */
int upci_perf_switch(const int *fd, unsigned targets, unsigned long request);
int upci_perf_switch_groups(struct upci_perf *perf, unsigned long request);
/* A group that is to be let go of, so that it counts nothing until that is done: all of it,
 * since the members are on their own when the leader is gone. */
void upci_perf_disable_for_good(const struct upci_perf_group *group);
/* Forgets descriptors, then closes them; those of tracepoints go into a bag. */
void upci_perf_forget_and_close(int **fds, unsigned n);
void upci_perf_forget_into(struct upci_bag *bag, int **fds, unsigned n, uint32_t type);

/* ---- perf_member.c ---- */

/* A handle that is free, or UPC_ENOMEM with message. */
int upci_perf_reserve_handle(struct upci_perf *perf, const char *name);
/* Opens a member under a handle: 0, or a negative error with message. */
int upci_perf_open_member(struct upci_perf *perf, int handle, struct upci_perf_member member);
/* A member leaves its group; its descriptors, one a target, are the caller's to close. */
int *upci_perf_take_out(struct upci_perf *perf, int handle);
/* Whether it can be the leader of its group. */
bool upci_perf_can_lead(const struct upci_perf_member *member);

/* ---- perf_clock.c ---- */

/* CPUs are counted from now on, or were until now. */
void upci_perf_start_clock(struct upci_perf *perf);
void upci_perf_stop_clock(struct upci_perf *perf);
/* How long they were counted; 0 for tasks, and for CPUs where nothing is pinned. */
uint64_t upci_perf_clock(const struct upci_perf *perf);
/* After a read of a control group's events on all CPUs. */
void upci_perf_age(const struct upci_perf *perf, struct upci_perf_group *group);

/* ---- perf_time.c ---- */

/* The times of a group by its last read. */
struct upci_source_time upci_perf_group_time(const struct upci_perf_group *group);
/* A member's times begin; it is halted; it goes on. By the group's last read. */
void upci_perf_begin_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			  struct upci_perf_member *member);
void upci_perf_hold_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			 struct upci_perf_member *member);
void upci_perf_go_on_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			  struct upci_perf_member *member);

/* ---- perf_cpus.c ---- */

/* Whether an error of opening says that the machine has lost a CPU meanwhile. */
bool upci_perf_is_offline(const struct upci_perf *p, int error);
/* Whether a leader's read of so many bytes is that of one that the kernel has taken away from
 * its group. */
struct upci_perf_head;
bool upci_perf_is_apart(const struct upci_perf *p, const struct upci_perf_head *head, size_t bytes);
/* The values of a group that the kernel has taken apart, into the buffer, behind what its
 * leader's read has given. 0, or a negative error with message. */
int upci_perf_read_apart(struct upci_perf *p, const struct upci_perf_group *g, unsigned target);

/* ---- all ---- */

/* How long a group had its counters by the last read, its targets together. */
static inline uint64_t upci_perf_ran(const struct upci_perf_group *group)
{
	uint64_t ran = 0;
	unsigned i;

	for (i = 0; i < group->targets; i++)
		ran += group->span[i].running;
	return ran;
}

static inline uint64_t upci_perf_told(const struct upci_perf_group *group, enum upci_perf_told what)
{
	uint64_t counted = 0;
	unsigned i;

	if (what == UPCI_PERF_TOLD_TIME)
		return upci_perf_ran(group);
	for (i = 0; i < group->targets; i++)
		counted += group->span[i].counted;
	return counted;
}

/* Reads what a group's leaders tell (perf_read.c): 1 where the kernel has given it up in any
 * target, 0, or a negative error with message. upci_perf_look_at does the same for one target,
 * whose group has `more` members more than are known. */
int upci_perf_look(struct upci_perf *perf, struct upci_perf_group *group);
int upci_perf_look_at(struct upci_perf *perf, const struct upci_perf_group *group, unsigned target,
		      unsigned more);

/* The head of a read, before the members' values (PERF_FORMAT_GROUP and both times); the
 * first value is the leader's. */
struct upci_perf_head {
	uint64_t events, enabled, running, leader;
};

/* The task clock, which any leader tells. */
static inline bool upci_perf_is_time(const struct upci_perf_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_TASK_CLOCK;
}

/* The group that events of a type are in. */
static inline uint32_t upci_perf_key(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
		return UPCI_PERF_SOFTWARE;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return PERF_TYPE_RAW;
	default:
		return type;
	}
}

#endif
