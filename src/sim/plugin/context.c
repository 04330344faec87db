/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.c - contexts: their counts and their interrupts.
 *
 * Terms: plugin/context.h.
 */
#include "plugin/context.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "count/thread.h"

#define CONTEXTS_MAX 16384u
/* Further interrupts are dropped when a thread has this many that it has not fetched. */
#define QUEUE_MAX 65536u

static struct upcs_context *contexts[CONTEXTS_MAX];
static uint32_t highest; /* highest index in use, plus 1 */
static uint32_t serial;

/* The counts left to the next threshold of the calling thread's contexts. */
struct watch {
	uint64_t changes; /* upcs_thread_changes() when this was computed */
	unsigned n;
	struct {
		uint16_t tally;
		uint64_t left; /* number of counts, 1 or more */
	} on[UPCS_TALLIES];
};
static UPCS_TLS struct watch watch;

/* ---- interrupts ---------------------------------------------------------------------- */

static bool make_context_room(struct upcs_context *c)
{
	uint32_t room = c->room ? 2 * c->room : 16, i;
	struct upci_doorbell_interrupt *queue;

	if (c->queued < c->room)
		return true;
	if (c->room == QUEUE_MAX)
		return false;
	queue = malloc(room * sizeof(*queue));
	if (!queue)
		return false;
	for (i = 0; i < c->queued; i++)
		queue[i] = c->queue[(c->first + i) % c->room];
	free(c->queue);
	c->queue = queue;
	c->first = 0;
	c->room = room;
	return true;
}

static void on_engine_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct upcs_context *c = arg;

	(void)cycle;
	if (!make_context_room(c)) {
		c->lost++;
		return;
	}
	c->queue[(c->first + c->queued++) % c->room] = (struct upci_doorbell_interrupt){
		.status = UPCI_DOORBELL_DONE,
		.kind = event == UPCI_ENGINE_PARITY ? UPC_INTERRUPT_PARITY : UPC_INTERRUPT_THRESHOLD,
		.counter = counter,
		.value = upci_totals_count(&c->totals, counter),
	};
}

/* Send the owner a signal if interrupts are queued. No further signal is sent until all interrupts have been
 * fetched, because the kernel's queue of signals may be full when this queue is not. */
static void send_context_signal(struct upcs_context *c)
{
	siginfo_t info;
	pid_t thread;

	if (!c->queued || c->signalled || !c->signal || c->owner == UPCS_NO_THREAD)
		return;
	thread = upcs_thread_id_locked(c->owner);
	if (!thread)
		return;
	memset(&info, 0, sizeof(info));
	info.si_signo = c->signal;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	c->signalled = syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, c->signal, &info) == 0;
}

bool upcs_context_fetch_locked(struct upcs_context *c, struct upci_doorbell_interrupt *interrupt)
{
	bool any = c->queued;

	if (any) {
		*interrupt = c->queue[c->first];
		c->first = (c->first + 1) % c->room;
		c->queued--;
	} else {
		c->signalled = false;
	}
	interrupt->lost = c->lost;
	return any;
}

void upcs_context_forget_locked(struct upcs_context *c)
{
	c->queued = 0;
	c->signalled = false;
}

/* ---- counting ------------------------------------------------------------------------ */

/* Add k to inputs 2 and 3 of the counters that are bound to this panel number. */
static void add_panel(struct upcs_context *c, unsigned panel, uint64_t k)
{
	unsigned i, left = c->bound;

	for (i = 0; left && i < UPC_COUNTERS; i++) {
		left -= c->panel[i] != UPCI_PANEL_NOTHING;
		if (c->panel[i] == panel && c->totals.regs.field[i] & 2)
			upci_totals_add_signal(&c->totals,
					       i + UPC_COUNTERS * (c->totals.regs.field[i] & UPC_FIELD_INPUT),
					       k, k);
	}
}

/* Add the growth of each tally since the last call, as that number of events of one cycle each. */
void upcs_context_look_locked(struct upcs_context *c)
{
	const uint64_t *now = upcs_thread_fold_locked(c->owner);
	unsigned core = upcs_thread_core_locked(c->owner), t, place;

	if (!now)
		return;
	for (t = 0; t < UPCS_TALLIES; t++) {
		uint64_t grown = now[t] - c->seen[t];

		if (!grown)
			continue;
		c->seen[t] = now[t];
		if (!c->totals.regs.run)
			continue;
		place = upcs_tally_place[t];
		if (place < UPCS_EVENTS) {
			upci_totals_add_signal(&c->totals, upcs_core_first[core] + place, grown, grown);
			add_panel(c, upcs_core_first[0] + place, grown);
		}
		if (t != UPCS_INSTRUCTIONS)
			continue;
		add_panel(c, UPCI_PANEL_INSTRUCTIONS, grown);
		add_panel(c, UPCI_PANEL_CORE_INSTRUCTIONS(core), grown);
	}
	send_context_signal(c);
}

/* ---- attention ----------------------------------------------------------------------- */

/* Return the tally that counter i counts, or UPCS_TALLIES if it counts none. */
static unsigned tally_of(const struct upcs_context *c, unsigned core, unsigned i)
{
	unsigned input = c->totals.regs.field[i] & UPC_FIELD_INPUT;
	unsigned id = input * UPC_COUNTERS + i, first = upcs_core_first[core];

	if (input >= 2) {
		id = c->panel[i];
		first = upcs_core_first[0];
		if (id == UPCI_PANEL_INSTRUCTIONS || id == UPCI_PANEL_CORE_INSTRUCTIONS(core))
			return UPCS_INSTRUCTIONS;
	}
	return id >= first && id < first + UPCS_EVENTS ? upcs_tally_at[id - first] : UPCS_TALLIES;
}

static void watch_tally(struct watch *w, unsigned tally, uint64_t left)
{
	unsigned i;

	for (i = 0; i < w->n && w->on[i].tally != tally; i++)
		;
	if (i == w->n) {
		w->n++;
		w->on[i].tally = (uint16_t)tally;
		w->on[i].left = left;
	} else if (left < w->on[i].left) {
		w->on[i].left = left;
	}
}

static void watch_context(struct watch *w, const struct upcs_context *c)
{
	unsigned core = upcs_thread_core_locked(c->owner), i;

	for (i = 0; c->totals.regs.run && i < UPC_COUNTERS; i++) {
		uint64_t left = upci_regs_distance(&c->totals.regs, i);
		unsigned tally = left ? tally_of(c, core, i) : UPCS_TALLIES;

		if (tally < UPCS_TALLIES)
			watch_tally(w, tally, left);
	}
}

static bool is_armed(const struct upcs_context *c)
{
	struct watch w = {.n = 0};

	watch_context(&w, c);
	return w.n;
}

void upcs_context_changed_locked(struct upcs_context *c)
{
	send_context_signal(c);
	upcs_thread_attend_locked(c->owner, is_armed(c));
}

/* Update the calling thread's contexts, and compute the counts left to their thresholds anew. */
static void attend_locked(void)
{
	uint32_t self = upcs_thread_self(), i;

	watch.n = 0;
	watch.changes = upcs_thread_changes();
	for (i = 0; i < highest; i++) {
		if (!contexts[i] || contexts[i]->owner != self)
			continue;
		upcs_context_look_locked(contexts[i]);
		watch_context(&watch, contexts[i]);
	}
	if (!watch.n)
		upcs_thread_unattend_locked();
}

static void attend_contexts(void)
{
	upcs_process_hold();
	attend_locked();
	upcs_process_release();
}

void upcs_context_block(unsigned vcpu, uint32_t kind)
{
	uint64_t *counts = upcs_thread_begin(vcpu);
	const uint32_t *tally;
	bool due = false;
	unsigned i;

	/* Called before this block is counted. The code below then subtracts the block's counts from the
	 * counts that are left. */
	if (upcs_thread_self() != UPCS_NO_THREAD && watch.changes != upcs_thread_changes())
		attend_contexts();
	upcs_thread_count(&counts[kind]);
	if (!watch.n)
		return;
	tally = upcs_run.counts->kind[kind].tally;
	for (i = 0; i < watch.n; i++) {
		uint64_t n = tally[watch.on[i].tally];

		due |= n >= watch.on[i].left;
		watch.on[i].left -= n;
	}
	if (due)
		attend_contexts();
}

/* ---- life ---------------------------------------------------------------------------- */

struct upcs_context *upcs_context_find_locked(uint64_t id)
{
	uint32_t place = (uint32_t)id - 1;
	struct upcs_context *c = place < highest ? contexts[place] : NULL;

	return c && c->id == id ? c : NULL;
}

struct upcs_context *upcs_context_create_locked(void)
{
	struct upcs_context *c;
	uint32_t place = 0;

	while (place < CONTEXTS_MAX && contexts[place])
		place++;
	c = place < CONTEXTS_MAX ? calloc(1, sizeof(*c)) : NULL;
	if (!c)
		return NULL;
	upci_totals_init(&c->totals, &(struct upci_engine_sink){.event = on_engine_event, .arg = c});
	memset(c->panel, 0xff, sizeof(c->panel)); /* UPCI_PANEL_NOTHING */
	c->owner = upcs_thread_self();
	c->id = (uint64_t)++serial << 32 | (place + 1);
	contexts[place] = c;
	if (place == highest)
		highest++;
	return c;
}

void upcs_context_destroy_locked(struct upcs_context *c)
{
	upcs_thread_attend_locked(c->owner, false);
	contexts[(uint32_t)c->id - 1] = NULL;
	while (highest && !contexts[highest - 1])
		highest--;
	free(c->queue);
	free(c);
}

void upcs_context_thread_ends(void)
{
	uint32_t self = upcs_thread_self(), i;

	if (self == UPCS_NO_THREAD)
		return;
	upcs_process_hold();
	for (i = 0; i < highest; i++) {
		if (!contexts[i] || contexts[i]->owner != self)
			continue;
		upcs_context_look_locked(contexts[i]);
		contexts[i]->owner = UPCS_NO_THREAD;
	}
	upcs_process_release();
}

void upcs_context_forked(void)
{
	const uint32_t before = upcs_thread_before_fork();
	uint32_t i;

	upcs_process_hold();
	memset(&watch, 0, sizeof(watch));
	for (i = 0; i < highest; i++) {
		struct upcs_context *c = contexts[i];

		if (!c)
			continue;
		c->owner = c->owner == before ? upcs_thread_self() : UPCS_NO_THREAD;
		upcs_context_forget_locked(c);
		c->totals.regs.run = false;
		memset(c->seen, 0, sizeof(c->seen));
	}
	upcs_process_release();
}
