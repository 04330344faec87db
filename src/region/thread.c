/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - marks: time goes to the path that was current, and the set goes on in the next one.
 */
#include "region/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

uint64_t upcr_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void refused(void *arg, const char *event)
{
	unsigned i;

	for (i = 0; i < upcr_counts_events(); i++)
		if (upcr_counts_event(i) == event)
			upcr_notes_add(&((struct upcr_thread *)arg)->notes, UPCR_SAID_REFUSED, i, 1);
}

struct upcr_thread *upcr_thread_create(unsigned max)
{
	struct upcr_thread *thread = calloc(1, sizeof(*thread));

	if (!thread || upcr_tree_init(&thread->tree, max)) {
		free(thread);
		return NULL;
	}
	thread->tid = gettid();
	(void)prctl(PR_GET_NAME, thread->name);
	if (upcr_counts_any()) {
		thread->counts = upcr_counts_start(&thread->set, refused, thread);
		if (!thread->counts)
			upcr_notes_add(&thread->notes, UPCR_SAID_NO_SET, 0, 1);
		thread->simulated = upcr_counts_are_simulated();
		if (thread->simulated) /* it would be the emulator's */
			thread->name[0] = '\0';
	}
	thread->begun = thread->mark = upcr_now();
	return thread;
}

void upcr_thread_free(struct upcr_thread *thread)
{
	upcr_tree_free(&thread->tree);
	free(thread);
}

/* Time up to now is the current region's. */
static void charge(struct upcr_thread *thread)
{
	uint64_t now = upcr_now();

	thread->tree.node[thread->tree.current].ns += now - thread->mark;
	thread->mark = now;
}

/* The counts from now on are the current node's. */
static void go_to_current(struct upcr_thread *thread)
{
	if (!thread->counts || upcr_counts_switch(&thread->set, thread->tree.current))
		return;
	/* They would be another region's. */
	upcr_counts_stop(&thread->set);
	thread->counts = false;
	thread->broken = true;
	upcr_notes_add(&thread->notes, UPCR_SAID_BROKEN, 0, 1);
}

void upcr_thread_enter(struct upcr_thread *thread, unsigned name)
{
	charge(thread);
	upcr_tree_enter(&thread->tree, name);
	go_to_current(thread);
}

/* The name of its innermost region. False: none is open. */
static bool innermost(const struct upcr_thread *thread, unsigned *name)
{
	unsigned depth = atomic_load_explicit(&thread->tree.depth, memory_order_relaxed);

	if (!depth)
		return false;
	*name = atomic_load_explicit(
		&atomic_load_explicit(&thread->tree.open, memory_order_relaxed)[depth - 1].name,
		memory_order_relaxed);
	return true;
}

/* Those inside were left by a jump. */
static void close_inside(struct upcr_thread *thread, unsigned name)
{
	long inside = upcr_tree_find_open(&thread->tree, name);
	unsigned left;

	for (; inside > 0 && innermost(thread, &left); inside--) {
		upcr_notes_add(&thread->notes, UPCR_SAID_LEFT_INSIDE, left, 1);
		upcr_tree_exit_innermost(&thread->tree);
	}
}

bool upcr_thread_exit(struct upcr_thread *thread, unsigned name, bool closing)
{
	charge(thread);
	if (closing)
		close_inside(thread, name);
	if (!upcr_tree_exit(&thread->tree, name))
		return false;
	go_to_current(thread);
	return true;
}

static void values_of(struct upcr_thread *thread, struct upcr_result *result, unsigned node, bool own)
{
	struct upcr_value *value = &result->value[(size_t)node * result->events];
	unsigned i;

	for (i = 0; i < result->events; i++)
		value[i] = upcr_uncounted();
	if (!thread->counts && !thread->broken)
		return;
	if (!thread->tree.node[node].used)
		memset(value, 0, result->events * sizeof(*value));
	else if (own)
		upcr_counts_get(&thread->set, node, value);
	else
		upcr_counts_kept(&thread->set, node, value);
	for (i = 0; i < result->events && thread->broken; i++) {
		value[i].flags |= UPCR_PARTIAL;
		value[i].high = INFINITY;
	}
}

struct upcr_result *upcr_thread_result(struct upcr_thread *thread, bool own)
{
	struct upcr_result *result;
	unsigned i;

	charge(thread);
	result = upcr_result_of(&thread->tree, upcr_counts_events());
	if (!result)
		return NULL;
	result->serial = thread->serial;
	result->tid = thread->tid;
	memcpy(result->name, thread->name, sizeof(result->name));
	result->ns = thread->mark - thread->begun;
	for (i = 0; i < result->rows && result->events; i++)
		values_of(thread, result, i, own);
	return result;
}
