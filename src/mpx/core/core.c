/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.c - starts and halts groups, and records their slices (MPX, section 4).
 *
 * T, the counted time of the thread (core->time), advances only while a group counts. T excludes the time
 * between the end of one slice and the begin of the next, in which the handler works. If a group should
 * have counted but could not be read, lose_sig adds that time to T all the same.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <limits.h>
#include <string.h>

#include "core/core_pair.h"
#include "core/error.h"

unsigned mpxi_core_find(const struct mpxi_core *core, uint32_t code)
{
	unsigned low = 0, high = core->events;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (core->event[middle]->code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the growth of a counter. A counter that goes backwards counts as unchanged, since T and all sums
 * only grow. */
static uint64_t count_since(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void take_sample(struct mpxi_core *core, const struct mpxi_group *group)
{
	const struct mpxi_sample *sample = &group->sample;
	uint64_t size = count_since(sample->size, core->taken_size);
	uint64_t covariate = count_since(sample->covariate, core->taken_covariate);
	unsigned i;

	core->time += size;
	core->covariate += covariate;
	core->taken_size += size;
	core->taken_covariate += covariate;
	for (i = group->n; i < group->n + group->always; i++) {
		struct mpxi_event *event = group->event[i];
		uint64_t count = count_since(sample->count[i], event->always_taken);

		event->always_count += count;
		event->always_taken += count;
	}
}

/* ---- uncounted time --------------------------------------------------------------------- */

/*
 * Limits of the thread's CPU time since the last tick. After SLICES_OVERDUE times the set slice length
 * (options.slice_ns) the core checks why no tick has come. A slice that lasts at least SLICES_LATE times
 * the set length and at least LATE_NS counts as lost, since it does not represent the slices next to it.
 * Shorter delays are normal: the timer drops a tick while the thread is in the kernel, and the kernel
 * measures user time only at its periodic interrupts. A program that is mostly in the kernel therefore has
 * some long slices.
 */
#define SLICES_OVERDUE 4
#define SLICES_LATE 100
#define LATE_NS 400000000u

static bool cpu_time_is_late(const struct mpxi_core *core, uint64_t cpu)
{
	return core->options.slice_ns && cpu >= LATE_NS && cpu / SLICES_LATE >= core->options.slice_ns;
}

/* Limit of the CPU time over which the pace is averaged. When pace.cpus exceeds PACE_NS, pace.cpus and
 * pace.times are halved, so the pace covers the last one or two seconds. */
#define PACE_NS 1000000000u

static uint64_t cpu_sig(const struct mpxi_core *core)
{
	return core->options.cpu_sig ? core->options.cpu_sig(core->options.cpu) : 0;
}

/* Convert CPU time to T with the pace. Before the first slice has been read, T is assumed to be in ns. */
static uint64_t pace_cpu_time(const struct mpxi_pace *pace, uint64_t cpu)
{
	mpxi_u128 time;

	if (!pace->cpus)
		return cpu;
	time = (mpxi_u128)cpu * pace->times / pace->cpus;
	return time < INT64_MAX ? (uint64_t)time : INT64_MAX;
}

static void pace_sig(struct mpxi_core *core, uint64_t cpu)
{
	struct mpxi_pace *pace = &core->pace;

	/* lose_sig may have set pace->cpu to a time after cpu. With by_cpu the pace is 1 and is not
	 * measured. */
	if (cpu <= pace->cpu || core->options.by_cpu)
		return;
	pace->cpus += cpu - pace->cpu;
	pace->times += core->time - pace->time;
	pace->cpu = cpu;
	pace->time = core->time;
	if (pace->cpus > PACE_NS) {
		pace->cpus /= 2;
		pace->times /= 2;
	}
}

void mpxi_core_enter_sig(const struct mpxi_core *core, struct mpxi_event *event,
			 const struct mpxi_slice *slice, struct mpxi_spacing spacing[2])
{
	struct mpxi_slice other;

	mpxi_stat_slice_sig(&event->stat, slice, &spacing[0]);
	if (!event->by_covariate)
		return;
	other = mpxi_slice_by_covariate(slice, core->covariate, core->covariates.typical);
	mpxi_stat_slice_sig(event->by_covariate, &other, &spacing[1]);
}

/* True if the event is counted with every ordinary group: the clock, the covariate or always-counted. */
static bool event_is_beside(const struct mpxi_event *event)
{
	return event->role >= MPXI_CLOCK;
}

/* Return the count since its base (group.h) of an event that is counted with every ordinary group. */
static uint64_t beside_count(const struct mpxi_core *core, const struct mpxi_event *event)
{
	switch (event->role) {
	case MPXI_CLOCK:
		return core->time - event->base_begin;
	case MPXI_BESIDE:
		return core->covariate - event->base_covariate;
	default:
		return event->always_count - event->base_count;
	}
}

/* End the current slices of the events that are counted with every group, and begin their next slices at
 * T = time. The time from core->time to there is then a gap for these events, too. */
static void part_beside_sig(struct mpxi_core *core, uint64_t time)
{
	struct mpxi_spacing spacing[2] = {{0}, {0}};
	struct mpxi_slice slice;
	unsigned i;

	for (i = 0; i < core->events; i++) {
		struct mpxi_event *event = core->event[i];

		if (!event_is_beside(event) || !mpxi_core_running(core, event, &slice))
			continue;
		mpxi_core_enter_sig(core, event, &slice, spacing);
		event->base_begin = time;
		event->base_covariate = core->covariate;
		event->base_count = event->always_count;
	}
}

/* Return the value of T expected from the pace at this CPU time. Called only after failures, since the
 * caller has to read the CPU clock. */
static uint64_t paced_time_sig(const struct mpxi_core *core, uint64_t cpu)
{
	return core->pace.time + pace_cpu_time(&core->pace, count_since(cpu, core->pace.cpu));
}

/* Advance T by the pace when no group counts although an event is active. The time added belongs to no
 * slice. */
static void lose_sig(struct mpxi_core *core)
{
	struct mpxi_pace *pace = &core->pace;
	uint64_t cpu, time;

	if (!pace->known)
		return;
	cpu = cpu_sig(core);
	time = paced_time_sig(core, cpu);
	if (time > core->time) {
		part_beside_sig(core, time);
		core->lost_time += time - core->time;
		core->time = time;
	}
	pace->cpu = cpu;
	pace->time = core->time;
}

/* True if T has grown by less than 7/8 of the growth expected from the pace since the pace was last
 * measured. The pace itself varies by less than an eighth. */
static bool is_behind_sig(const struct mpxi_core *core)
{
	const uint64_t time = core->pace.known ? paced_time_sig(core, cpu_sig(core)) : 0;

	return count_since(time, core->time) > count_since(time, core->pace.time) / 8;
}

void mpxi_core_pace_begin(struct mpxi_core *core)
{
	struct mpxi_pace *pace = &core->pace;

	if (pace->known || !core->options.cpu_sig)
		return;
	pace->cpu = cpu_sig(core);
	pace->time = core->time;
	pace->known = true;
}

void mpxi_core_pace_end(struct mpxi_core *core)
{
	core->pace.known = core->pace.stalled = false;
}

void mpxi_core_expect_ticks(struct mpxi_core *core)
{
	core->pace.sought = cpu_sig(core);
}

void mpxi_core_seek_ticks(struct mpxi_core *core)
{
	struct mpxi_pace *pace = &core->pace;
	uint64_t cpu, over;

	if (!core->sharing || !core->options.slice_ns || !core->options.cpu_sig)
		return;
	cpu = cpu_sig(core);
	if (core->current)
		pace_sig(core, cpu);
	over = count_since(cpu, pace->sought);
	if (over < SLICES_OVERDUE * core->options.slice_ns)
		return;
	if ((core->options.overdue && core->options.overdue(core->options.arg)) ||
	    cpu_time_is_late(core, over)) {
		core->lost++;
		pace->sought = cpu;
	}
}

/* Sample the current group, and advance T to the present. */
static int advance_sig(struct mpxi_core *core)
{
	struct mpxi_group *group = core->current;
	int error;

	if (!group) {
		if (core->pace.stalled)
			lose_sig(core);
		return 0;
	}
	error = core->options.ops->read_sig(group->handle, &group->sample);
	group->failed = error != 0;
	if (!error)
		take_sample(core, group);
	return error;
}

int mpxi_core_sample_begin(struct mpxi_core *core)
{
	core->samples++;
	return advance_sig(core);
}

int mpxi_core_sample_beside(struct mpxi_core *core, const struct mpxi_event *event)
{
	struct mpxi_group *group = event->group;
	int error;

	if (!mpxi_event_is_steady(event) || !group || !group->running || group->sampled == core->samples)
		return 0;
	group->sampled = core->samples;
	error = core->options.ops->read_sig(group->handle, &group->sample);
	if (!error)
		group->known = core->time;
	return error;
}

void mpxi_core_renew(struct mpxi_core *core, struct mpxi_group *group)
{
	if (!group || !group->running || group->known == core->time)
		return;
	(void)mpxi_core_halt_sig(core, group);
	(void)mpxi_core_run_sig(core, group);
}

/* Start a group. All bookkeeping precedes the call of start_sig, since the counters count the code that
 * follows it. */
int mpxi_core_run_sig(struct mpxi_core *core, struct mpxi_group *group)
{
	const unsigned all = group->n + group->always;
	unsigned i;
	int error;

	group->run = ++core->runs;
	core->changes++;
	group->begin = group->known = core->time;
	group->covariate = core->covariate;
	/* A set that starts before the group's first read must find zero counts. */
	group->sample.size = group->sample.covariate = 0;
	if (all)
		memset(group->sample.count, 0, all * sizeof(group->sample.count[0]));
	for (i = group->n; i < all; i++)
		group->event[i]->always_taken = 0;
	group->failed = false;
	group->running = true;
	error = core->options.ops->start_sig(group->handle);
	if (error) {
		group->running = false;
		core->lost++;
	}
	return error;
}

void mpxi_core_lengths(const struct mpxi_core *core, struct mpxi_lengths *lengths)
{
	*lengths = core->lengths;
	if (core->current)
		mpxi_lengths_add_running(lengths, core->time - core->current->begin);
}

void mpxi_core_covariates(const struct mpxi_core *core, struct mpxi_lengths *lengths)
{
	*lengths = core->covariates;
	if (core->current)
		mpxi_lengths_add_running(lengths, core->covariate - core->current->covariate);
}

static void fill_event_slice(const struct mpxi_core *core, const struct mpxi_event *event,
			     const struct mpxi_group *group, struct mpxi_slice *slice)
{
	bool based = event->base_run == group->run;

	slice->begin = based ? event->base_begin : group->begin;
	slice->end = core->time;
	slice->covariate = core->covariate - (based ? event->base_covariate : group->covariate);
	slice->count = count_since(group->sample.count[event->position], based ? event->base_count : 0);
	slice->typical = core->lengths.typical;
}

bool mpxi_core_running(const struct mpxi_core *core, const struct mpxi_event *event, struct mpxi_slice *slice)
{
	if (!event->activations)
		return false;
	if (event_is_beside(event)) {
		slice->begin = event->base_begin;
		slice->end = core->time;
		slice->covariate = core->covariate - event->base_covariate;
		slice->typical = 0;
		slice->count = beside_count(core, event);
		return true;
	}
	if (!event->group || !event->group->running)
		return false;
	fill_event_slice(core, event, event->group, slice);
	return true;
}

/* Prefetch the events of a group. After a slice of milliseconds the program has evicted them from the
 * caches. Prefetching loads all of them at once while the kernel stops the group, instead of one by one
 * afterwards. The counters count the prefetch instructions as the program's, about nine for each event. */
static inline void fetch_events(const struct mpxi_group *group)
{
	unsigned i, at;

	for (i = 0; i < group->n; i++)
#pragma GCC unroll 6
		for (at = 0; at < MPXI_EVENT_HOT; at += MPXI_CACHE_LINE)
			__builtin_prefetch((const char *)group->event[i] + at, 1);
}

static uint64_t sum_burden_sig(const struct mpxi_group *group)
{
	uint64_t burden = 0;
	unsigned i;

	for (i = 0; i < group->n; i++)
		if (group->event[i]->slows)
			burden += group->sample.count[group->event[i]->position];
	return burden;
}

int mpxi_core_halt_sig(struct mpxi_core *core, struct mpxi_group *group)
{
	struct mpxi_spacing spacing[2] = {{0}, {0}};
	struct mpxi_slice slice;
	uint64_t burden;
	unsigned i;
	int error;

	const bool current = group == core->current;
	bool ended = false; /* the backend stopped counting the group before this halt */

	fetch_events(group);
	error = core->options.ops->stop_sig(group->handle, &group->sample);
	/* A PAPI component may report a failure only once, and afterwards return the old counts without
	 * an error. */
	if (group->failed && current && !error && group->sample.size <= core->taken_size)
		error = MPXI_ESYS;
	group->running = false;
	core->changes++;
	if (current) {
		core->current = NULL;
		if (!error)
			take_sample(core, group);
		ended = !error && group->failed && is_behind_sig(core);
		core->taken_size = core->taken_covariate = 0;
		core->slices++;
	}
	/* After an error the counts of the last successful read are kept, since windows of sets already
	 * include them. */
	core->lost += error || ended;
	burden = current && !error ? sum_burden_sig(group) : 0;
	core->burden += burden;
	for (i = 0; i < group->n; i++) {
		struct mpxi_event *event = group->event[i];

		if (!event->activations)
			continue;
		event->breaks++;
		fill_event_slice(core, event, group, &slice);
		if (error && !current)
			slice.end = group->known;
		mpxi_core_enter_sig(core, event, &slice, spacing);
		if (burden)
			event->burden += burden;
	}
	if (core->first_pair && (current || !error))
		mpxi_pairs_halt_sig(core, group);
	if (current) {
		mpxi_lengths_add_sig(&core->lengths, core->time - group->begin);
		mpxi_lengths_add_sig(&core->covariates, core->covariate - group->covariate);
	}
	if ((error && current) || ended)
		lose_sig(core);
	return ended ? MPXI_ESYS : error;
}

/* End the current slice if the counted thread continues while groups change (options.apart). The CPU
 * time is read before the halt, so that the pace is measured over slices only. */
static void halt_apart_sig(struct mpxi_core *core)
{
	uint64_t cpu = core->options.by_cpu ? 0 : cpu_sig(core);

	(void)mpxi_core_halt_sig(core, core->current);
	pace_sig(core, cpu);
}

/* Add the time between two slices to T if the counted thread is another thread (options.apart). In that
 * time the thread either ran or was held up by the change of groups. The share in which the thread ran
 * is unknown, so T advances by half of the time. */
static void go_on_apart_sig(struct mpxi_core *core, struct mpxi_group *group)
{
	struct mpxi_pace *pace = &core->pace;
	uint64_t cpu, between;

	if (!pace->known)
		return;
	cpu = cpu_sig(core);
	between = count_since(paced_time_sig(core, cpu), core->time);
	part_beside_sig(core, core->time + between / 2);
	core->time += between / 2;
	mpxi_lengths_add_between_sig(&core->lengths, between);
	pace->cpu = cpu;
	pace->time = core->time;
	group->begin = group->known = core->time;
}

int mpxi_core_switch_sig(struct mpxi_core *core)
{
	uint64_t lost = core->lost;
	unsigned tries;
	int error = 0;

	/* Errors of the halt only count as lost slices, since a handler has no caller to which it could
	 * return them. */
	if (core->current && core->options.apart)
		halt_apart_sig(core);
	else if (core->current)
		(void)mpxi_core_halt_sig(core, core->current);
	else if (core->pace.stalled)
		lose_sig(core);
	/* Part of the present round may be over, so each group comes at least once within the next 2 *
	 * slots steps. */
	for (tries = 0; core->active_slots && tries < 2 * core->plan.slots; tries++) {
		struct mpxi_group *group = core->plan.slot[mpxi_order_next_sig(&core->plan.order)];

		if (!group->active)
			continue;
		error = mpxi_core_run_sig(core, group);
		if (error)
			continue;
		if (core->options.apart)
			go_on_apart_sig(core, group);
		core->current = group;
		core->pace.stalled = false;
		return 0;
	}
	core->pace.stalled = core->pace.known;
	/* Only one slice is lost, no matter how many groups failed to start. */
	if (error)
		core->lost = lost + 1;
	return error;
}

bool mpxi_core_was_left(const struct mpxi_core *core, const void *frame)
{
	return mpxi_core_is_held_sig(core) && (uintptr_t)frame > core->holder;
}

/* True if a tick has work to do: to switch between several groups, or, if no group runs because none
 * could be started, to try again. A single group that runs keeps running. */
static bool switch_is_due(const struct mpxi_core *core)
{
	return core->active_slots > 1 || (core->active_slots && !core->current);
}

/*
 * True if at least half of slice_ns of CPU time has passed since the last slice's end. A slice of some
 * microseconds would contain mostly the handler's own time, and estimates for gaps from its rate would be
 * too low. Ticks may come that close together if one thread's ticks are forwarded to all threads, or if
 * ticks were queued while the thread had blocked the signal.
 */
static bool is_half_over(const struct mpxi_core *core, uint64_t cpu)
{
	return count_since(cpu, core->pace.ended) >= core->options.slice_ns / 2;
}

bool mpxi_core_is_due_sig(const struct mpxi_core *core)
{
	return switch_is_due(core) && is_half_over(core, cpu_sig(core));
}

static bool end_slice(struct mpxi_core *core)
{
	struct mpxi_pace *pace = &core->pace;
	uint64_t cpu;

	if (!switch_is_due(core))
		return false;
	cpu = cpu_sig(core);
	if (!is_half_over(core, cpu))
		return false;
	core->lost += cpu_time_is_late(core, count_since(cpu, pace->sought));
	pace->ended = pace->sought = cpu;
	core->turns++;
	(void)mpxi_core_switch_sig(core);
	/* With options.apart, halt_apart_sig has already measured the pace. */
	if (!core->options.apart)
		pace_sig(core, cpu);
	return true;
}

bool mpxi_core_tick_sig(struct mpxi_core *core)
{
	bool due;

	if (atomic_load_explicit(&core->busy, memory_order_relaxed)) {
		atomic_store_explicit(&core->pending, true, memory_order_relaxed);
		return false;
	}
	atomic_signal_fence(memory_order_acquire);
	due = end_slice(core);
	atomic_signal_fence(memory_order_release);
	return due;
}

bool mpxi_core_is_held_sig(const struct mpxi_core *core)
{
	return atomic_load_explicit(&core->busy, memory_order_relaxed);
}

/* Increment the hold count. The handler runs on the same thread, so compiler barriers suffice to keep
 * the accesses to the core between hold and release. */
void mpxi_core_hold(struct mpxi_core *core)
{
	unsigned busy = atomic_load_explicit(&core->busy, memory_order_relaxed);

	if (!busy)
		core->holder = (uintptr_t)__builtin_frame_address(0);
	atomic_store_explicit(&core->busy, busy + 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
}

static void act_on_pending(struct mpxi_core *core)
{
	if (!atomic_load_explicit(&core->pending, memory_order_relaxed))
		return;
	(void)end_slice(core);
	atomic_signal_fence(memory_order_seq_cst);
	/* Drop ticks that came during the switch: the slice that they would end has only begun. Were
	 * they kept, a thread whose switches take longer than slices would do nothing but switch. */
	atomic_store_explicit(&core->pending, false, memory_order_relaxed);
}

void mpxi_core_release(struct mpxi_core *core)
{
	unsigned busy = atomic_load_explicit(&core->busy, memory_order_relaxed) - 1;

	if (!busy)
		act_on_pending(core);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&core->busy, busy, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Act on a tick that came after act_on_pending but before busy became 0; its handler has only
	 * set pending. One more pass is enough: if yet another tick comes during it, the slice ends at
	 * the next release. */
	if (!busy && atomic_load_explicit(&core->pending, memory_order_relaxed)) {
		atomic_store_explicit(&core->busy, 1, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
		act_on_pending(core);
		atomic_signal_fence(memory_order_seq_cst);
		atomic_store_explicit(&core->busy, 0, memory_order_relaxed);
		atomic_signal_fence(memory_order_seq_cst);
	}
}

unsigned mpxi_core_master(struct mpxi_core *core, struct mpxi_master *list, unsigned n)
{
	struct mpxi_slice slice;
	unsigned i;

	mpxi_core_hold(core);
	(void)mpxi_core_sample_begin(core);
	for (i = 0; i < core->events && i < n; i++) {
		const struct mpxi_event *event = core->event[i];
		const struct mpxi_group *group = event->group;
		struct mpxi_master *m = &list[i];

		(void)mpxi_core_sample_beside(core, event);
		*m = (struct mpxi_master){
			.event = event->code,
			.references = event->references,
			.activations = event->activations,
			.count = event->stat.sums.count,
			.size = event->stat.sums.size,
			.slices = event->stat.sums.slices,
			.group = group ? group->slot : UINT_MAX,
		};
		if (mpxi_core_running(core, event, &slice)) {
			m->current = group || core->current;
			m->count += slice.count;
			m->size += slice.end - slice.begin;
		}
	}
	i = core->events;
	mpxi_core_release(core);
	return i;
}

void mpxi_core_info(struct mpxi_core *core, struct mpxi_core_info *info)
{
	mpxi_core_hold(core);
	(void)advance_sig(core);
	*info = (struct mpxi_core_info){
		.time = core->time,
		.slices = core->slices,
		.lost = core->lost,
		.groups = core->active_slots,
		.events = core->events,
		.running = core->running_sets,
		.memory = sizeof(*core) + core->memory + core->groups.memory +
			  core->events_room * sizeof(core->event[0]) +
			  core->events * (sizeof(*core->event[0]) +
					  (core->options.covariate ? sizeof(struct mpxi_stat) : 0)) +
			  core->plan.slots * (sizeof(core->plan.slot[0]) + sizeof(core->plan.order.slot[0])) +
			  core->steadies * sizeof(core->steady[0]),
	};
	mpxi_core_release(core);
}
