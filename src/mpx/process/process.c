/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - process-wide event sets: creates and destroys them, changes their events, handles fork.
 *
 * Terms: process/thread.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "process/process_private.h"
#include "process/thread.h"

/* ---- sets and their events -------------------------------------------------------------- */

int mpxi_process_create(struct mpxi_thread *owner, struct mpxi_set *own, struct mpxi_process **made)
{
	struct mpxi_process *process = calloc(1, sizeof(*process));

	if (!process)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	process->owner = owner;
	process->own = own;
	mpxi_process_lock();
	process->next = mpxi_processes.first;
	if (mpxi_processes.first)
		mpxi_processes.first->previous = process;
	mpxi_processes.first = process;
	mpxi_process_unlock();
	*made = process;
	return 0;
}

static void unlink_process_locked(struct mpxi_process *process)
{
	if (process->previous)
		process->previous->next = process->next;
	else
		mpxi_processes.first = process->next;
	if (process->next)
		process->next->previous = process->previous;
}

static void free_process_wide_set(struct mpxi_process *process)
{
	free(process->event);
	free(process->gone);
	free(process->pool);
	free(process->result);
	free(process);
}

void mpxi_process_destroy(struct mpxi_process *process, bool gone)
{
	struct mpxi_member *member;

	mpxi_process_lock();
	if (process->runs) {
		mpxi_process_ask_locked(process, MPXI_WISH_STOP);
		if (!gone)
			(void)mpxi_set_stop(process->own);
		(void)mpxi_process_wait_locked(process);
	}
	unlink_process_locked(process);
	for (member = process->members; member; member = member->next)
		member->process = NULL;
	atomic_fetch_add(&mpxi_processes.changes, 1);
	mpxi_process_unlock();
	free_process_wide_set(process);
}

static int reserve_process_event(struct mpxi_process *process)
{
	unsigned room = process->room ? 2 * process->room : 8;
	void *event, *gone, *pool, *result;

	if (process->events < process->room)
		return 0;
	event = realloc(process->event, room * sizeof(process->event[0]));
	process->event = event ? event : process->event;
	gone = realloc(process->gone, room * sizeof(process->gone[0]));
	process->gone = gone ? gone : process->gone;
	pool = realloc(process->pool, room * sizeof(process->pool[0]));
	process->pool = pool ? pool : process->pool;
	result = realloc(process->result, room * sizeof(process->result[0]));
	process->result = result ? result : process->result;
	if (!event || !gone || !pool || !result)
		return mpxi_error(MPXI_ENOMEM, "out of memory for an event set");
	process->room = room;
	return 0;
}

/* Exclude the members that have the old events. The results of the last run stay. */
static void changed_locked(struct mpxi_process *process)
{
	process->version++;
	atomic_fetch_add(&mpxi_processes.changes, 1);
}

int mpxi_process_add(struct mpxi_process *process, uint32_t event)
{
	int index;

	mpxi_process_lock();
	index = reserve_process_event(process);
	if (!index)
		index = mpxi_set_add(process->own, event);
	if (index >= 0) {
		process->event[index] = event;
		process->gone[index] = (struct mpxi_pool){0};
		process->pool[index] = (struct mpxi_pool){0};
		mpxi_pool_result(&process->gone[index], mpxi_library_estimator(), &process->result[index]);
		process->events++;
		changed_locked(process);
	}
	mpxi_process_unlock();
	return index;
}

int mpxi_process_remove(struct mpxi_process *process, uint32_t event)
{
	unsigned i, behind;
	int error;

	mpxi_process_lock();
	error = mpxi_set_remove(process->own, event);
	if (!error) {
		for (i = 0; process->event[i] != event; i++)
			;
		behind = --process->events - i;
		memmove(process->event + i, process->event + i + 1, behind * sizeof(process->event[0]));
		memmove(process->gone + i, process->gone + i + 1, behind * sizeof(process->gone[0]));
		memmove(process->pool + i, process->pool + i + 1, behind * sizeof(process->pool[0]));
		memmove(process->result + i, process->result + i + 1, behind * sizeof(process->result[0]));
		changed_locked(process);
	}
	mpxi_process_unlock();
	return error;
}

void mpxi_process_replace(struct mpxi_process *process, struct mpxi_set *own)
{
	unsigned i;

	mpxi_process_lock();
	process->own = own;
	for (i = 0; i < process->events; i++) {
		process->event[i] = mpxi_set_event(own, i);
		process->gone[i] = (struct mpxi_pool){0};
		process->pool[i] = (struct mpxi_pool){0};
		mpxi_pool_result(&process->gone[i], mpxi_library_estimator(), &process->result[i]);
	}
	changed_locked(process);
	mpxi_process_unlock();
}

/* ---- fork -------------------------------------------------------------------------------- */

void mpxi_process_before_fork(void)
{
	mpxi_process_lock();
}

void mpxi_process_after_fork(void)
{
	mpxi_process_unlock();
}

void mpxi_process_in_child(struct mpxi_thread *self)
{
	struct mpxi_process *process;
	struct mpxi_member *member;

	/* The members' event sets are destroyed with the core. */
	while (self && (member = self->members)) {
		self->members = member->sibling;
		mpxi_member_unlink_locked(member);
		free(member);
	}
	while ((process = mpxi_processes.first)) {
		mpxi_processes.first = process->next;
		while ((member = process->members)) {
			process->members = member->next;
			free(member);
		}
		free_process_wide_set(process);
	}
	mpxi_processes.present = 0;
	mpxi_process_unlock_in_child();
}
