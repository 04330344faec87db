/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - marks, which are the starts and ends of regions. At a mark, the time since the previous mark is
 * added to the path that was current, and the event set switches to the next path.
 * Terms: region/region.h.
 */
#include "region/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "region/names.h"

uint64_t upcr_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Copying values takes at most 1 / COPY_SHARE of a thread's time and COPY_FREE ns more, however dense its
 * marks are. */
#define COPY_SHARE 50u
#define COPY_FREE 1000000u
/* End of the list of stale nodes; 0 in a node: it is not in the list. */
#define STALE_LAST UINT32_MAX

static void note_refused_event(void *arg, const char *event)
{
	unsigned i;

	for (i = 0; i < upcr_counts_events(); i++)
		if (upcr_counts_event(i) == event)
			upcr_notes_add(&((struct upcr_thread *)arg)->notes, UPCR_SAID_REFUSED, i, 1);
}

static unsigned thread_path_of(struct upcr_tree *tree, const struct upcr_instance *birth, unsigned depth)
{
	unsigned node = UPCR_ROOT;

	for (; depth; depth--) {
		const struct upcr_instance *at = birth;

		for (unsigned i = 1; i < depth; i++)
			at = at->outer;
		node = upcr_tree_child(tree, node, at->name);
	}
	return node;
}

/* Make the base nodes, which do not count towards the limit of paths. The first nodes are those of the path
 * to the row born. */
static void thread_make_bases(struct upcr_thread *thread, bool measures)
{
	struct upcr_tree *tree = &thread->tree;
	const unsigned depth = upcr_instance_depth(thread->birth), max = tree->max;

	tree->max += depth + UPCR_OWN_NAMES;
	if (thread->kind == UPCR_WORKER)
		thread->outside = upcr_tree_child(tree, UPCR_ROOT, UPCR_WAITING);
	if (thread->kind == UPCR_CREATED)
		thread->outside =
			upcr_tree_child(tree, thread_path_of(tree, thread->birth, depth), UPCR_WITHOUT);
	/* Out of memory, outside is UPCR_BEYOND. */
	if (thread->kind == UPCR_CREATED && thread->outside != UPCR_BEYOND) {
		thread->born = thread->outside;
		upcr_thread_settle(thread, depth);
	}
	thread->measuring = measures ? upcr_tree_child(tree, UPCR_ROOT, UPCR_MEASURING) : 0;
	upcr_tree_rebase(tree, measures ? thread->measuring : thread->outside);
	thread->account = tree->current;
	tree->max = max + tree->nodes - 2;
}

struct upcr_thread *upcr_thread_create(unsigned max, enum upcr_kind kind, struct upcr_instance *birth,
				       struct upcr_early *early)
{
	struct upcr_thread *thread = calloc(1, sizeof(*thread));

	if (!thread || upcr_tree_init(&thread->tree, max)) {
		free(thread);
		return NULL;
	}
	thread->kind = kind;
	thread->birth = birth;
	thread->tid = gettid();
	(void)prctl(PR_GET_NAME, thread->name);
	thread_make_bases(thread, upcr_counts_any() && !upcr_counts_are_simulated());
	if (upcr_counts_any()) {
		thread->simulated = upcr_counts_are_simulated();
		thread->counts = upcr_counts_start(&thread->set, thread->tree.current, early,
						   note_refused_event, thread);
		if (!thread->counts)
			upcr_notes_add(&thread->notes, UPCR_SAID_NO_SET, 0, 1);
		if (thread->simulated) /* prctl returned the emulator's name */
			thread->name[0] = '\0';
	}
	thread->begun = thread->mark = upcr_now();
	thread->marks = &thread->no_marks;
	thread->stale = STALE_LAST;
	for (; thread->recorded < thread->tree.nodes; thread->recorded++)
		thread->tree.node[thread->recorded].row = &thread->no_row;
	return thread;
}

void upcr_thread_free(struct upcr_thread *thread)
{
	upcr_tree_free(&thread->tree);
	free(thread);
}

/* Add the time up to now to the account. */
static inline __attribute__((always_inline)) void charge(struct upcr_thread *thread)
{
	struct upcr_node *node = &thread->tree.node[thread->account];
	uint64_t now = upcr_now();

	node->ns += now - thread->mark;
	thread->mark = now;
	atomic_store_explicit(&node->row->ns, node->ns, memory_order_relaxed);
	if (thread->keeps && !node->stale) {
		node->stale = thread->stale;
		thread->stale = thread->account + 1;
	}
}

/* Switch the event set to the account's node. */
static __attribute__((noinline)) void switch_counts(struct upcr_thread *thread)
{
	if (upcr_counts_switch(&thread->set, thread->account))
		return;
	/* Stop the set, which would go on counting for the previous region. */
	upcr_counts_stop(&thread->set);
	thread->counts = false;
	thread->broken = true;
	atomic_store(&thread->marks->counts, UPCR_RECORD_BROKEN);
	upcr_thread_note(thread, UPCR_SAID_BROKEN, 0, 1);
}

static void values_of(struct upcr_thread *thread, struct upcr_value *value, unsigned events, unsigned node,
		      bool own)
{
	unsigned i;

	for (i = 0; i < events; i++)
		value[i] = upcr_uncounted();
	if (!thread->counts && !thread->broken)
		return;
	if (thread->tree.node[node].lacks == UPCR_FOREIGN)
		return;
	if (!thread->tree.node[node].used)
		memset(value, 0, events * sizeof(*value));
	else if (own)
		upcr_counts_get(&thread->set, node, value);
	else
		upcr_counts_kept(&thread->set, node, value);
	for (i = 0; i < events && (thread->broken || thread->tree.node[node].lacks); i++) {
		value[i].flags |= UPCR_PARTIAL;
		value[i].high = INFINITY;
	}
}

/* ---- the copy in the record ------------------------------------------------------------------- */

static struct upcr_record_row *next_row(struct upcr_thread *thread)
{
	const unsigned events = upcr_counts_events();
	struct upcr_record_row *row;

	if (!thread->rows_left && !thread->full)
		thread->rows = upcr_record_add_rows(thread->serial, thread->recorded, &thread->rows_left);
	if (!thread->rows_left) {
		/* All later nodes get no row either: the reader cannot skip a gap in the rows. */
		thread->full = true;
		return &thread->no_row;
	}
	thread->rows_left--;
	row = (struct upcr_record_row *)(void *)thread->rows;
	thread->rows += upcr_record_stride(events);
	return row;
}

/* Give rows to the nodes that were made since the last call. */
static __attribute__((noinline)) void take_rows(struct upcr_thread *thread)
{
	struct upcr_node *node;

	for (; thread->recorded < thread->tree.nodes; thread->recorded++) {
		node = &thread->tree.node[thread->recorded];
		node->row = next_row(thread);
		node->row->parent = node->parent;
		node->row->name = node->name;
		atomic_store_explicit(&node->row->lacks, node->lacks, memory_order_relaxed);
		atomic_store_explicit(&node->row->calls, node->calls, memory_order_relaxed);
		atomic_store_explicit(&node->row->ns, node->ns, memory_order_relaxed);
	}
	atomic_store_explicit(&thread->marks->rows, thread->recorded, memory_order_release);
}

static bool has_slots(const struct upcr_thread *thread, unsigned node)
{
	return thread->tree.node[node].row != &thread->no_row;
}

/* Copy the values of all nodes that have changed to their rows. */
static __attribute__((noinline)) void copy_values(struct upcr_thread *thread)
{
	const unsigned events = upcr_counts_events();
	uint64_t from = upcr_now();
	struct upcr_node *node;
	unsigned at;

	while (thread->stale != STALE_LAST) {
		at = thread->stale - 1;
		node = &thread->tree.node[at];
		thread->stale = node->stale;
		node->stale = 0;
		if (!has_slots(thread, at))
			continue;
		values_of(thread, upcr_record_slot_begin(node->row, events), events, at, false);
		upcr_record_slot_end(node->row, events);
	}
	thread->copying += upcr_now() - from;
	thread->copy_at =
		thread->copying > COPY_FREE ? thread->begun + COPY_SHARE * (thread->copying - COPY_FREE) : 0;
}

/* Copy all that a mark has changed, except the calls of a start. */
static inline __attribute__((always_inline)) void copy_mark(struct upcr_thread *thread)
{
	if (__builtin_expect(thread->recorded != thread->tree.nodes, 0))
		take_rows(thread);
	atomic_store_explicit(&thread->marks->mark, thread->mark, memory_order_relaxed);
	atomic_store_explicit(&thread->marks->current, thread->tree.current, memory_order_relaxed);
	if (thread->keeps && thread->mark >= thread->copy_at)
		copy_values(thread);
}

void upcr_thread_record(struct upcr_thread *thread)
{
	thread->record = upcr_record_add_thread(thread->serial);
	if (!thread->record)
		return;
	thread->record->tid = thread->tid;
	memcpy(thread->record->name, thread->name, sizeof(thread->name));
	thread->record->begun = thread->begun;
	thread->record->born = thread->born;
	atomic_store(&thread->record->home, atomic_load(&thread->home));
	thread->record->notes = thread->notes;
	thread->marks = &thread->record->marks;
	thread->keeps = thread->counts;
	atomic_store(&thread->marks->counts, thread->counts ? UPCR_RECORD_COUNTS : UPCR_RECORD_UNCOUNTED);
	thread->recorded = 0;
	take_rows(thread);
	charge(thread);
	copy_mark(thread);
}

void upcr_thread_record_names(struct upcr_thread *thread)
{
	unsigned i;

	for (i = 0; i < thread->recorded; i++)
		if (has_slots(thread, i))
			thread->tree.node[i].row->name = thread->tree.node[i].name;
}

void upcr_thread_record_end(struct upcr_thread *thread, const struct upcr_result *result)
{
	const unsigned events = upcr_counts_events();
	unsigned i;

	if (!thread->record)
		return;
	for (i = 0; result && thread->keeps && i < thread->recorded; i++)
		if (has_slots(thread, i)) {
			memcpy(upcr_record_slot_begin(thread->tree.node[i].row, events),
			       &result->value[(size_t)i * events], events * sizeof(*result->value));
			upcr_record_slot_end(thread->tree.node[i].row, events);
		}
	copy_mark(thread);
	atomic_store(&thread->marks->ended, 1);
}

void upcr_thread_note(struct upcr_thread *thread, enum upcr_what what, unsigned name, uint64_t times)
{
	upcr_notes_add(&thread->notes, what, name, times);
	if (thread->record)
		thread->record->notes = thread->notes;
}

/* ---- the engine's own work ----------------------------------------------------------------- */

__attribute__((noinline)) void upcr_thread_measure(struct upcr_thread *thread)
{
	if (!thread->measuring || thread->account == thread->measuring)
		return;
	charge(thread);
	thread->account = thread->measuring;
	if (thread->counts)
		switch_counts(thread);
}

__attribute__((noinline)) void upcr_thread_go_on(struct upcr_thread *thread)
{
	if (thread->account == thread->tree.current)
		return;
	charge(thread);
	thread->account = thread->tree.current;
	if (thread->counts)
		switch_counts(thread);
}

/* ---- marks --------------------------------------------------------------------------------- */

/* Make the region's node, its row in the record, and its counts in the event set. This work is charged to the
 * measuring row. */
static __attribute__((noinline)) unsigned enter_first(struct upcr_thread *thread, unsigned name)
{
	unsigned entered;

	upcr_thread_measure(thread);
	entered = upcr_tree_enter(&thread->tree, name);
	if (thread->recorded != thread->tree.nodes)
		take_rows(thread);
	upcr_thread_go_on(thread);
	return entered;
}

static inline unsigned enter_again(struct upcr_thread *thread, unsigned name)
{
	unsigned entered = upcr_tree_enter(&thread->tree, name);

	thread->account = entered;
	if (thread->counts)
		switch_counts(thread);
	return entered;
}

void upcr_thread_enter(struct upcr_thread *thread, unsigned name)
{
	struct upcr_node *node;
	unsigned entered;

	charge(thread);
	if (__builtin_expect(upcr_tree_grows(&thread->tree, name), 0))
		entered = enter_first(thread, name);
	else
		entered = enter_again(thread, name);
	copy_mark(thread);
	node = &thread->tree.node[entered];
	atomic_store_explicit(&node->row->calls, node->calls, memory_order_relaxed);
}

/* Store the name of the innermost open region. False if none is open. */
static bool innermost_name(const struct upcr_thread *thread, unsigned *name)
{
	unsigned depth = atomic_load_explicit(&thread->tree.depth, memory_order_relaxed);

	if (!depth)
		return false;
	*name = atomic_load_explicit(
		&atomic_load_explicit(&thread->tree.open, memory_order_relaxed)[depth - 1].name,
		memory_order_relaxed);
	return true;
}

static inline void thread_close(struct upcr_thread *thread)
{
	struct upcr_instance *instance = thread->tree.closed;

	if (__builtin_expect(!instance, 1))
		return;
	instance->next = thread->closed;
	thread->closed = instance;
	thread->tree.closed = NULL;
}

void upcr_thread_lacks(struct upcr_thread *thread, unsigned node, enum upcr_lack lack)
{
	struct upcr_node *of = &thread->tree.node[node];

	if (of->lacks >= lack)
		return;
	of->lacks = (unsigned char)lack;
	atomic_store_explicit(&of->row->lacks, lack, memory_order_relaxed);
}

/* End the regions inside the named one. They were left by a jump at an unknown time: their counts include all
 * work since then, which is missing from the region around them. */
static __attribute__((noinline)) void close_inside(struct upcr_thread *thread, unsigned name)
{
	long inside = upcr_tree_find_open(&thread->tree, name);
	unsigned left;

	if (inside > 0 && thread->recorded != thread->tree.nodes)
		take_rows(thread);
	for (; inside > 0 && innermost_name(thread, &left); inside--) {
		upcr_thread_note(thread, UPCR_SAID_LEFT_INSIDE, left, 1);
		upcr_thread_lacks(thread, thread->tree.current, UPCR_FOREIGN);
		upcr_thread_lacks(thread, thread->tree.node[thread->tree.current].parent, UPCR_LACKS);
		upcr_tree_exit_innermost(&thread->tree);
		thread_close(thread);
	}
}

bool upcr_thread_exit(struct upcr_thread *thread, unsigned name, bool closing)
{
	charge(thread);
	if (closing)
		close_inside(thread, name);
	if (!upcr_tree_exit(&thread->tree, name))
		return false;
	thread_close(thread);
	thread->account = thread->tree.current;
	if (thread->counts)
		switch_counts(thread);
	copy_mark(thread);
	return true;
}

void upcr_thread_rebase(struct upcr_thread *thread, unsigned base)
{
	charge(thread);
	if (__builtin_expect(thread->recorded != thread->tree.nodes, 0))
		take_rows(thread);
	upcr_tree_rebase(&thread->tree, base);
	thread->account = thread->tree.current;
	if (thread->counts)
		switch_counts(thread);
	copy_mark(thread);
}

void upcr_thread_settle(struct upcr_thread *thread, unsigned alive)
{
	const bool whole = thread->birth ? alive == upcr_instance_depth(thread->birth) : thread->marked;
	const unsigned node = alive ? UPCR_BEYOND + alive : UPCR_ROOT;

	atomic_store(&thread->home, node << 1 | whole);
	if (thread->record)
		atomic_store(&thread->record->home, node << 1 | whole);
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
		values_of(thread, &result->value[(size_t)i * result->events], result->events, i, own);
	return result;
}
