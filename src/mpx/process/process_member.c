/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_member.c - members of process-wide sets: creates them, and removes them when their thread or
 * their process-wide set ends.
 *
 * Terms: process/thread.h.
 */
#include <stdlib.h>

#include "process/process_private.h"
#include "process/thread.h"

void mpxi_member_unlink_locked(struct mpxi_member *member)
{
	if (!member->process)
		return;
	if (member->previous)
		member->previous->next = member->next;
	else
		member->process->members = member->next;
	if (member->next)
		member->next->previous = member->previous;
}

static void link_member_locked(struct mpxi_process *process, struct mpxi_thread *thread,
			       struct mpxi_member *member)
{
	member->process = process;
	member->thread = thread;
	member->version = process->version;
	member->next = process->members;
	if (member->next)
		member->next->previous = member;
	process->members = member;
	member->sibling = thread->members;
	thread->members = member;
}

static struct mpxi_member *member_of(const struct mpxi_process *process, const struct mpxi_thread *thread)
{
	struct mpxi_member *member = thread->members;

	while (member && member->process != process)
		member = member->sibling;
	return member;
}

/* Create an event set with the process-wide set's events in the calling thread's core, and reserve
 * places for them (mpxi_set_admit). */
static int make_member_set(const struct mpxi_process *process, struct mpxi_core *core, struct mpxi_set **set)
{
	int error = mpxi_set_create(core, set);
	unsigned i;

	if (error)
		return error;
	for (i = 0; i < process->events && error >= 0; i++)
		error = mpxi_set_add(*set, process->event[i]);
	if (error >= 0)
		error = mpxi_set_admit(*set);
	if (error < 0)
		mpxi_set_destroy(*set);
	return error < 0 ? error : 0;
}

/* Add a member for the thread, and start it if the process-wide set runs. If the thread cannot count the
 * events, it gets no member, and the results lack its counts. The thread tries again at its first call
 * of MPX after the next change of any process-wide set. */
static void join_locked(struct mpxi_process *process, struct mpxi_thread *thread, bool fresh)
{
	struct mpxi_member *member = member_of(process, thread);

	if (!member) {
		member = calloc(1, sizeof(*member));
		if (!member)
			return;
		if (make_member_set(process, thread->core, &member->set)) {
			free(member);
			return;
		}
		link_member_locked(process, thread, member);
	}
	if (process->runs && !mpxi_set_runs(member->set) && !mpxi_set_start(member->set)) {
		member->known = true;
		process->partial |= !fresh;
	}
}

/* Remove members of destroyed sets, and members with old events. Stop members of stopped sets. */
static void tidy_locked(struct mpxi_thread *thread)
{
	struct mpxi_member **link = &thread->members, *member;

	while ((member = *link)) {
		if (member->process && mpxi_member_takes_part(member)) {
			if (!member->process->runs && mpxi_set_runs(member->set))
				(void)mpxi_set_stop(member->set);
			link = &member->sibling;
			continue;
		}
		*link = member->sibling;
		mpxi_member_unlink_locked(member);
		mpxi_set_destroy(member->set);
		free(member);
	}
}

/*
 * If a handler cannot arm this kind of timer, keep the timer armed while a handler may start an event set.
 * Return 0, or the timer's error; after an error nothing has changed.
 */
static int keep_armed(struct mpxi_thread *thread, bool on)
{
	int error = 0;

	on = on && !mpxi_library_arms_in_handler();
	if (on == thread->keep_armed)
		return 0;
	mpxi_core_hold(thread->core);
	if (on)
		error = mpxi_timer_arm(&thread->timer);
	else if (!thread->shares)
		mpxi_timer_disarm(&thread->timer);
	if (!error)
		thread->keep_armed = on;
	mpxi_core_release(thread->core);
	return error;
}

void mpxi_process_visit(struct mpxi_thread *thread, bool fresh)
{
	struct mpxi_process *process;

	if (mpxi_process_is_asked_sig(thread))
		mpxi_process_answer_sig(thread);
	if (!fresh && atomic_load(&mpxi_processes.changes) == thread->changes_seen)
		return;
	mpxi_process_lock();
	thread->changes_seen = atomic_load(&mpxi_processes.changes);
	mpxi_processes.present += fresh;
	tidy_locked(thread);
	/* Arm the timer first, since the handler that starts the member may be unable to. */
	for (process = mpxi_processes.first; process; process = process->next)
		if (process->owner != thread && process->events && !keep_armed(thread, true))
			join_locked(process, thread, fresh);
	if (!thread->members)
		(void)keep_armed(thread, false);
	mpxi_process_unlock();
}

static void bequeath_locked(struct mpxi_member *member, bool gone)
{
	if (member->process->runs && mpxi_set_runs(member->set) && !gone) {
		member->known = true;
		(void)mpxi_set_stop(member->set);
	}
	mpxi_process_inherit_locked(member);
}

/* Mark the running sets that lack this thread's counts as partial now, since the thread will not be
 * there when results are computed. */
static void note_missed_locked(struct mpxi_thread *thread)
{
	struct mpxi_process *process;

	for (process = mpxi_processes.first; process; process = process->next) {
		const struct mpxi_member *member = member_of(process, thread);

		if (process->runs && process->owner != thread && (!member || !mpxi_member_takes_part(member)))
			process->partial = true;
	}
}

void mpxi_process_leave(struct mpxi_thread *thread, bool gone)
{
	struct mpxi_member *member;

	mpxi_process_lock();
	mpxi_processes.present--;
	note_missed_locked(thread);
	while ((member = thread->members)) {
		thread->members = member->sibling;
		if (member->process && mpxi_member_takes_part(member))
			bequeath_locked(member, gone);
		mpxi_member_unlink_locked(member);
		if (!gone)
			mpxi_set_destroy(member->set);
		free(member);
	}
	mpxi_process_unlock();
}
