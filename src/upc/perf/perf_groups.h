/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_groups.h - the groups of a context. Only the parts of the perf source include this: perf.c opens and
 * switches groups, perf_member.c has their events, perf_late.c the events that wait, perf_fit.c checks that
 * the PMU has room, perf_read.c reads.
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#ifndef UPCI_PERF_GROUPS_H
#define UPCI_PERF_GROUPS_H

#include <linux/perf_event.h>

#include "perf/context.h"
#include "base/let_go.h"
#include "perf/perf_sampler.h"
#include "perf/perf_user.h"

/* Key of the group of software events and tracepoints, which the kernel schedules together. The key of a
 * hardware group is the PMU's type. */
#define UPCI_PERF_SOFTWARE UINT32_MAX

/* The value of a group's leader that is the count of a told member. */
enum upci_perf_told {
	UPCI_PERF_TOLD_NOTHING, /* the member has its own perf event */
	UPCI_PERF_TOLD_TIME,    /* the task clock, which is the time that any leader keeps */
	UPCI_PERF_TOLD_COUNT,   /* the group's first member, whose perf event is the leader */
};

struct upci_perf_member {
	bool used, halted;
	bool waits;     /* has no perf event and no group yet */
	bool fresh;     /* opened by the upci_perf_open_waiting that is in progress */
	bool removed;   /* a removed tracepoint, whose perf event is disabled but open */
	unsigned group; /* number of its group, which never changes */
	int *fd;        /* one descriptor per target of the group; -1: the target's CPU was offline */
	const struct perf_event_mmap_page *page; /* page for reads in user mode, or NULL */
	struct upci_perf_spec spec;
	const char *name; /* the event's name, for messages */
	uint64_t ran;     /* upci_perf_ran of its group when the member was added */
	/* The group's times at which the member's times begin or, while the member is halted, the member's
	 * times. */
	struct upci_source_time time;
	unsigned since; /* upci_perf.rebases when time was set; after a later rebase time is not valid */
	enum upci_perf_told told;
	int next_told; /* next told member of the group (a handle), -1: none */
	/* For a told member: the leader's value at which the member's count is 0 or, while the member is
	 * halted, its count. */
	union {
		uint64_t begin, count;
	};
};

/* How long a target's group had its counters, up to the last read and up to the base: the last rebase. The
 * differences tell the states. */
struct upci_perf_span {
	uint64_t running, lost; /* ns enabled with counters, and without */
	uint64_t running_base, lost_base;
	uint64_t counted; /* count of the leader */
	bool failed;      /* the kernel has put the group into error state since the base */
	/* For hardware groups of a CPU. The kernel's times stand still for a group in error state. added is
	 * the time in ns that the group should have counted in addition, by the context's clock. */
	uint64_t added;
	uint64_t good, since; /* ns enabled when the group was last seen to count, and since then */
	uint64_t at;          /* clock at the last read, in ns */
};

struct upci_perf_group {
	uint32_t key;
	unsigned number; /* unique number: the groups of a unit are numbered from 0 */
	unsigned batch;  /* batch in which the group was opened */
	struct upci_perf_target *target;
	unsigned targets;
	int *leader;                 /* one descriptor per target */
	struct perf_event_attr attr; /* attributes of the leaders */
	bool counts;                 /* the leaders are the perf events of the group's first member */
	struct upci_perf_span *span; /* one element per target */
	int *handle;                 /* members in the kernel's order */
	unsigned members, room;
	int first_told; /* first told member (a handle), -1: none */
	struct upci_user_mode user;
	bool aged; /* the group was read in user mode after its times were read */
	/* For a control group. clocked: its times by the clock up to aged_at. had, had_lost: the kernel's
	 * enabled and lost times at that moment, summed over the targets. */
	bool by_clock;
	struct upci_source_time clocked;
	unsigned __int128 had, had_lost;
	uint64_t aged_at;
	/* The part of the group's times that was discarded, and the times at the last rebase. */
	struct upci_source_time passed, base;
};

/*
 * A fork in another thread may happen at any instruction, and the child then closes all descriptors that it
 * finds here. A descriptor is therefore removed from here before it is closed. Arrays change under the
 * process lock, which fork holds.
 */
struct upci_perf {
	pid_t maker; /* process that created this structure */
	struct upci_context context;
	bool running;
	bool waits_for_exec; /* an exec makes the first start */
	bool refused;        /* the last start was refused, so nothing counts */
	bool ever_enabled;
	unsigned batch;
	struct upci_perf_group *group;
	unsigned groups, numbers;
	struct upci_perf_member *member;
	unsigned handles;
	unsigned waiting; /* number of members that wait */
	unsigned removed; /* number of removed members that are still open */
	bool at_once;     /* added events do not wait */
	/* clock: ns for which CPUs or control groups were counted up to the last start. clock_at:
	 * CLOCK_MONOTONIC of that start in ns, 0 while the clock stands. */
	uint64_t clock, clock_at;
	unsigned rebases;
	/* The kernel's last answer to ask_for_late_group. */
	struct {
		bool known;
		unsigned batch; /* batch in which the kernel was asked */
		unsigned targets;
		size_t left; /* number of descriptors that were left then */
	} answer;
	struct upci_samplers samplers;
	uint64_t *buffer; /* room for one read of a group */
	size_t buffer_bytes;
};

/* The read format of leaders and members: a struct upci_perf_head, then a value for each member. */
#define UPCI_PERF_READ_FORMAT \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* ---- perf.c ---- */

struct upci_perf_group *upci_perf_group_of(struct upci_perf *perf, unsigned number);
/* Return a group of this kind to which members may be added, or NULL. */
struct upci_perf_group *upci_perf_find_group(struct upci_perf *perf, uint32_t key);
/* Open the leaders of a new group for the event name. If leading is given, the leaders count that event.
 * Return 0, or a negative error with message. upci_perf_close_empty closes a group without members. */
int upci_perf_open_group(struct upci_perf *perf, uint32_t key, const struct perf_event_attr *leading,
			 const char *name, struct upci_perf_group **opened);
void upci_perf_close_empty(struct upci_perf *perf, unsigned number, struct upci_bag *bag);
void upci_perf_set_inherit(const struct upci_perf *perf, struct perf_event_attr *attr);
/* Make an ioctl on a descriptor of each target, or on the leaders of all groups in all targets. */
int upci_perf_switch(const int *fd, unsigned targets, unsigned long request);
int upci_perf_switch_groups(struct upci_perf *perf, unsigned long request);
/* Disable a group that will be closed, so that it counts nothing until then. PERF_IOC_FLAG_GROUP disables the
 * members too, since they become separate events when the leader is gone. */
void upci_perf_disable_for_good(const struct upci_perf_group *group);
/* Remove the descriptors from *fds, then close them or, if they are tracepoints, put them into a bag. */
void upci_perf_forget_and_close(int **fds, unsigned n);
void upci_perf_forget_into(struct upci_bag *bag, int **fds, unsigned n, uint32_t type);

/* ---- perf_member.c ---- */

/* Return a free handle, or UPC_ENOMEM with message. */
int upci_perf_reserve_handle(struct upci_perf *perf, const char *name);
/* Open a member under a handle. Return 0, or a negative error with message. */
int upci_perf_open_member(struct upci_perf *perf, int handle, struct upci_perf_member member);
/* Remove a member from its group. Return its descriptors, one per target, which the caller closes. */
int *upci_perf_take_out(struct upci_perf *perf, int handle);
/* True if the member's event can be the leader of its group. */
bool upci_perf_can_lead(const struct upci_perf_member *member);

/* ---- perf_clock.c ---- */

/* Start or stop the clock of CPUs and control groups. */
void upci_perf_start_clock(struct upci_perf *perf);
void upci_perf_stop_clock(struct upci_perf *perf);
/* Return how long CPUs or control groups were counted, in ns; 0 for tasks, and for CPUs if groups are
 * flexible. */
uint64_t upci_perf_clock(const struct upci_perf *perf);
/* Advance the times of a control group after a read on all CPUs. */
void upci_perf_age(const struct upci_perf *perf, struct upci_perf_group *group);

/* ---- perf_time.c ---- */

/* Return the times of a group at its last read. */
struct upci_source_time upci_perf_group_time(const struct upci_perf_group *group);
/* Begin a member's times, hold them at a halt, or let them go on, as of the group's last read. */
void upci_perf_begin_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			  struct upci_perf_member *member);
void upci_perf_hold_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			 struct upci_perf_member *member);
void upci_perf_go_on_time(const struct upci_perf *perf, const struct upci_perf_group *group,
			  struct upci_perf_member *member);

/* ---- perf_cpus.c ---- */

/* True if an error of opening means that a CPU went offline meanwhile. */
bool upci_perf_is_offline(const struct upci_perf *p, int error);
/* True if a leader's read that returned this number of bytes shows that the kernel has taken its group
 * apart. */
struct upci_perf_head;
bool upci_perf_is_apart(const struct upci_perf *p, const struct upci_perf_head *head, size_t bytes);
/* Read the members of a group that the kernel has taken apart into the buffer, after the values of the
 * leader's read. Return 0, or a negative error with message. */
int upci_perf_read_apart(struct upci_perf *p, const struct upci_perf_group *g, unsigned target);

/* ---- common to all parts ---- */

/* Return how long a group had its counters up to the last read, in ns, summed over its targets. */
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

/* Read a group's leaders (perf_read.c). Return 1 if the kernel has put the group into error state in any
 * target, 0 if not, or a negative error with message. upci_perf_look_at does the same for one target, in
 * which the group has more members than are recorded: the parameter more is their number. */
int upci_perf_look(struct upci_perf *perf, struct upci_perf_group *group);
int upci_perf_look_at(struct upci_perf *perf, const struct upci_perf_group *group, unsigned target,
		      unsigned more);

/* The head of a read, before the members' values (PERF_FORMAT_GROUP and both times). leader is the leader's
 * value. */
struct upci_perf_head {
	uint64_t events, enabled, running, leader;
};

/* True for the task clock, which is the time that any leader keeps. */
static inline bool upci_perf_is_time(const struct upci_perf_spec *spec)
{
	return spec->type == PERF_TYPE_SOFTWARE && spec->config == PERF_COUNT_SW_TASK_CLOCK;
}

/* Return the key of the group for events of a type. */
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
