/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_late.c - adds events: opens them at once or, for tracepoints, at the start. Part of the perf source.
 *
 * The kernel takes about 40 ms to close the last event of a tracepoint, so an event that is added and soon
 * removed is better never opened. The kernel's answer is known nevertheless. perf_event_open (6.18) makes the
 * same checks in the same order for a software event, except the check of the tracepoint itself. A tracepoint
 * that only counts, and is not ftrace's, needs no further permission, and its number was just read.
 * Tracepoints that users made (kprobes, uprobes, synthetic ones) can fail for other reasons and do not wait
 * (cat_trace.c).
 *
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#include <errno.h>

#include "base/fds.h"
#include "base/message.h"
#include "perf/perf_groups.h"
#include "perf/perf_open.h"
#include "base/process.h"

/* Number of tries of a batch that new children, or ending threads, have spoiled. */
#define TRIES 20

void upci_perf_set_waits(struct upci_perf *p, bool waits)
{
	p->at_once = !waits;
}

bool upci_perf_waits(const struct upci_perf *p)
{
	return p->waiting > 0;
}

static bool can_wait(struct upci_perf *p, const struct upci_perf_spec *spec)
{
	if (p->at_once || p->running || p->waits_for_exec)
		return false;
	/* The task clock waits too if it would otherwise open a new group, which would need a leader that
	 * counts nothing. */
	return spec->can_wait ||
	       (p->waiting && upci_perf_is_time(spec) && !upci_perf_find_group(p, UPCI_PERF_SOFTWARE));
}

/* ---- the kernel's answer, asked in advance ----------------------------------- */

/* Open a group with the same privileges and targets, and close it. Return the error that the open had. */
static int ask_for_late_group(struct upci_perf *p, const struct upci_perf_member *m)
{
	const struct upci_perf_spec spec = {.type = PERF_TYPE_SOFTWARE,
					    .config = PERF_COUNT_SW_DUMMY,
					    .exclude_user = m->spec.exclude_user,
					    .exclude_kernel = m->spec.exclude_kernel,
					    .exclude_hv = m->spec.exclude_hv};
	const struct perf_event_attr attr = upci_perf_attr(&spec);
	struct upci_perf_group *g;
	int error;

	/* All tracepoints need the same permission, and no other waiting event needs more. */
	if (p->answer.known && p->answer.batch == p->batch)
		return 0;
	error = upci_perf_open_group(p, UPCI_PERF_SOFTWARE, &attr, m->name, &g);
	if (error)
		return error;
	p->answer.known = true;
	p->answer.batch = p->batch;
	p->answer.targets = g->targets;
	upci_perf_close_empty(p, g->number, NULL);
	p->answer.left = upci_fd_left();
	return 0;
}

/* Check that enough descriptors are left for m and all waiting members, plus a leader that counts nothing if
 * no event can lead the group. */
static int check_descriptors(struct upci_perf *p, const struct upci_perf_member *m)
{
	const bool inherits = p->context.inherit || p->context.inherit_threads;
	bool led = upci_perf_can_lead(m) || (!inherits && upci_perf_find_group(p, UPCI_PERF_SOFTWARE));
	size_t events = !upci_perf_is_time(&m->spec);
	unsigned h;

	for (h = 0; h < p->handles; h++)
		if (p->member[h].used && p->member[h].waits) {
			led |= upci_perf_can_lead(&p->member[h]);
			events += !upci_perf_is_time(&p->member[h].spec);
		}
	if ((events + !led) * p->answer.targets <= p->answer.left)
		return 0;
	errno = EMFILE;
	return upci_perf_fail(m->name, &(struct upci_perf_target){.cpu = -1}, false);
}

/* Record a waiting member, if the kernel would accept it. Return its handle, or a negative error as
 * upci_perf_add. */
static int put_off(struct upci_perf *p, const struct upci_perf_member *member)
{
	int error = ask_for_late_group(p, member), handle;

	if (!error)
		error = check_descriptors(p, member);
	if (error)
		return error;
	handle = upci_perf_reserve_handle(p, member->name);
	if (handle < 0)
		return handle;
	p->member[handle] = *member;
	p->member[handle].waits = true;
	p->waiting++;
	return handle;
}

/* ---- adding an event ----------------------------------------------------------- */

int upci_perf_add(struct upci_perf *p, const struct upci_perf_spec *spec, bool halted, const char *name)
{
	const struct upci_perf_member member = {.used = true, .halted = halted, .spec = *spec, .name = name};
	int handle, error;

	if (spec->cpu_only && p->context.cgroup)
		return upci_fail(UPC_ENOSUPP,
				 "%s: counts whole CPUs, not the tasks of a control group; count it in the "
				 "context of a CPU or of the machine",
				 name);
	if (spec->cpu_only && p->context.pid)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: counts whole CPUs, not threads; count it in the context of a CPU or of the "
			"machine",
			name);
	if (can_wait(p, spec))
		return put_off(p, &member);
	p->answer.known = false; /* opening the event uses descriptors */
	handle = upci_perf_reserve_handle(p, name);
	if (handle < 0)
		return handle;
	error = upci_perf_open_member(p, handle, member);
	return error ? error : handle;
}

/* ---- opening the waiting events ------------------------------------------------ */

/* True if all members of a group are fresh, so that the group can be closed with them. */
static bool is_fresh(const struct upci_perf *p, const struct upci_perf_group *g)
{
	unsigned i;
	int h;

	for (i = 0; i < g->members; i++)
		if (!p->member[g->handle[i]].fresh)
			return false;
	for (h = g->first_told; h >= 0; h = p->member[h].next_told)
		if (!p->member[h].fresh)
			return false;
	return true;
}

/* Make the fresh members wait again. If a group also has members that are not fresh, the perf events of its
 * fresh members are closed here at once, which may take long: a read of the group fails while the group has a
 * perf event that is not a member. */
static void put_back(struct upci_perf *p)
{
	struct upci_bag bag = {0};
	unsigned h, number, targets;
	bool whole;
	int *fd;

	for (h = 0; h < p->groups; h++)
		if (is_fresh(p, &p->group[h]))
			upci_perf_disable_for_good(&p->group[h]);
	for (h = 0; h < p->handles; h++) {
		struct upci_perf_member *m = &p->member[h];

		if (!m->used || !m->fresh)
			continue;
		number = m->group;
		targets = upci_perf_group_of(p, number)->targets;
		whole = is_fresh(p, upci_perf_group_of(p, number));
		fd = upci_perf_take_out(p, (int)h);
		if (whole)
			upci_perf_forget_into(&bag, &fd, targets, m->spec.type);
		else
			upci_perf_forget_and_close(&fd, targets);
		upci_perf_close_empty(p, number, &bag);
		*m = (struct upci_perf_member){
			.used = true, .halted = m->halted, .waits = true, .spec = m->spec, .name = m->name};
		p->waiting++;
	}
	upci_bag_let_go(&bag);
}

/* Open the waiting members that can lead, or the others. */
static int open_some(struct upci_perf *p, bool leading)
{
	unsigned h;
	int error = 0;

	for (h = 0; h < p->handles && !error; h++) {
		struct upci_perf_member member = p->member[h];

		if (!member.used || !member.waits || upci_perf_can_lead(&member) != leading)
			continue;
		member.waits = false;
		member.fresh = true;
		error = upci_perf_open_member(p, (int)h, member);
		if (!error)
			p->waiting--;
	}
	return error;
}

static int open_late_groups(struct upci_perf *p)
{
	int error;

	upci_perf_begin_batch(p);
	error = open_some(p, true);
	return error ? error : open_some(p, false);
}

/* Open the waiting members, with retries: a child that starts, or a thread that ends in a counted process,
 * spoils the batch that is being opened. A retry is unlikely to meet another such child or thread. */
int upci_perf_open_waiting(struct upci_perf *p)
{
	unsigned tries, h;
	int error = 0;

	for (tries = 0; p->waiting && tries < TRIES; tries++) {
		error = open_late_groups(p);
		if (error || !upci_perf_check(p))
			put_back(p);
		if (error && (error != UPC_ENOTASK || p->context.kind != UPC_CONTEXT_PROCESS))
			return error;
	}
	for (h = 0; h < p->handles; h++)
		p->member[h].fresh = false;
	if (error || !p->waiting)
		return error;
	return upci_fail(UPC_ESYSTEM, "children are started faster than events can be opened for "
				      "them to inherit; open or start the unit before");
}
