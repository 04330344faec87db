/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.c - life of a unit: create, retarget, start, stop, fork, destroy.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/let_go.h"
#include "base/message.h"
#include "base/notice.h"
#include "unit/unit.h"
#include "unit/unit_exact.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "base/words.h"

/* To 0, without the sources. */
static void clear_counter(struct upc_unit *u, unsigned i)
{
	upci_unit_repaired(u, i);
	u->binding[i].flags &= (uint16_t)~(UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER);
	if (u->exact) {
		(void)upci_unit_preset(u, i, 0);
	} else {
		upci_regs_write_counter(&u->regs, i, 0);
		u->thresholds.offset[i] = 0;
	}
}

static void clear_counters(struct upc_unit *u)
{
	unsigned i;

	upci_unit_clear_all(u);
	for (i = 0; i < UPC_COUNTERS; i++)
		if (!u->exact || upci_unit_preloads(u) || upci_unit_is_local(u, i))
			clear_counter(u, i);
}

static void after_fork(struct upci_fork_entry *entry)
{
	struct upc_unit *u = upci_unit_of(entry);

	upci_perf_forked(u->sources.perf);
	upci_context_forked(&u->context);
	upci_files_forked(u->sources.files, u->context.pid, u->context.tid);
	upci_shared_forked(&u->shared);
	if (u->exact)
		u->exact->ops->forked(u->exact);
	u->started = u->partial = false;
	/* Beside a script there is nothing to open. */
	u->forked = !upci_unit_preloads(u);
	(void)upci_unit_write_run(u, false);
	clear_counters(u);
}

static int set_context(struct upc_unit *u, struct upci_context *context, const struct upc_unit_options *options)
{
	if (upci_catalogue_script(u->catalogue))
		return upci_context_set_replay(context, options);
	if (upci_catalogue_node(u->catalogue))
		return upci_context_set_sim(context, options);
	return upci_context_set(context, options);
}

int upc_unit_create(struct upc_catalogue *catalogue, const struct upc_unit_options *options,
		    struct upc_unit **unit)
{
	struct upc_unit *u;
	unsigned i;
	int error;

	(void)upci_words_prepare();
	if (!catalogue || !unit)
		return upci_fail(UPC_EINVAL, "upc_unit_create: a catalogue and a place for the unit are needed");
	u = calloc(1, sizeof(*u));
	if (!u)
		return upci_fail(UPC_ENOMEM, "no memory for a unit");
	u->catalogue = catalogue;
	error = set_context(u, &u->context, options);
	if (!error)
		error = upci_sources_create(&u->sources, &u->context);
	if (!error)
		error = upci_unit_exact_create(u);
	if (error) {
		upci_sources_destroy(&u->sources);
		free(u);
		return error;
	}
	for (i = 0; i < UPCI_SAMPLERS_MAX; i++)
		u->armed[i].handle = -1;
	u->fork.forked = after_fork;
	upci_fork_register(&u->fork);
	*unit = u;
	return 0;
}

void upc_unit_destroy(struct upc_unit *u)
{
	unsigned i;

	if (!u)
		return;
	upc_unit_unshare(u);
	upci_fork_unregister(&u->fork);
	upci_transaction_free(u->transaction);
	upci_sources_destroy(&u->sources);
	if (u->exact)
		u->exact->ops->destroy(u->exact);
	for (i = 0; i < u->entries; i++)
		free(u->entry[i].counter);
	free(u->entry);
	free(u->perf_value);
	free(u->perf_state);
	free(u->file_value);
	free(u->file_lost);
	free(u);
	upci_notices_tell();
}

static struct upci_bag at_end;

static void gather(struct upci_fork_entry *entry)
{
	upci_perf_gather(upci_unit_of(entry)->sources.perf, &at_end);
}

/* What the program has not destroyed the kernel closes when it ends, and who waits for the
 * program waits for that. */
__attribute__((destructor)) static void leave_all(void)
{
	upci_process_end(gather);
	upci_bag_leave(&at_end);
}

/* Never smaller: until new sources have taken their place, old ones have the
 * handles that they have. */
int upci_unit_grow_buffers(struct upc_unit *u, const struct upci_sources *sources)
{
	size_t perf = (size_t)upci_perf_handles(sources->perf), file = (size_t)upci_files_handles(sources->files);

	if (perf > u->perf_room) {
		uint64_t *value = realloc(u->perf_value, 2 * perf * sizeof(*value));
		uint8_t *state;

		if (value)
			u->perf_value = value;
		state = value ? realloc(u->perf_state, 2 * perf * sizeof(*state)) : NULL;
		if (!state)
			return upci_fail(UPC_ENOMEM, "no memory for readings");
		u->perf_state = state;
		u->perf_room = 2 * perf;
	}
	if (file > u->file_room) {
		uint64_t *value = realloc(u->file_value, 2 * file * sizeof(*value));
		bool *lost;

		if (value)
			u->file_value = value;
		lost = value ? realloc(u->file_lost, 2 * file * sizeof(*lost)) : NULL;
		if (!lost)
			return upci_fail(UPC_ENOMEM, "no memory for readings");
		u->file_lost = lost;
		u->file_room = 2 * file;
	}
	return 0;
}

void upci_unit_reindex(struct upc_unit *u)
{
	unsigned i;

	u->actives = u->file_fields = u->perf_events = u->deriveds = 0;
	for (i = 0; i < UPC_COUNTERS; i++) {
		const struct upci_binding *b = &u->binding[i];

		if (!b->references)
			continue;
		u->active[u->actives++] = (uint16_t)i;
		u->file_fields += b->source == UPC_SOURCE_FILE;
		u->perf_events += upci_is_perf(b);
	}
	memset(u->index, 0, sizeof(u->index));
	for (i = 0; i < u->entries; i++) {
		uint32_t slot = u->entry[i].code & (UPCI_INDEX_SIZE - 1);

		u->first[i] = u->entry[i].first;
		if (u->entry[i].formula)
			u->derived[u->deriveds++] = (uint16_t)i;
		while (u->index[slot])
			slot = (slot + 1) & (UPCI_INDEX_SIZE - 1);
		u->index[slot] = (uint16_t)(i + 1);
	}
}

/* When sources are opened that can wait for the start. */
enum when { LATER, NOW };

/* Opens every bound event with fresh sources of a context; handles[i] is that
 * of active[i]. */
static int open_all(struct upc_unit *u, const struct upci_context *context, enum when when,
		    struct upci_sources *sources, int *handles)
{
	unsigned a;
	int error = upci_sources_create(sources, context);

	if (!error) {
		upci_perf_set_waits(sources->perf, when == LATER);
		upci_perf_begin_batch(sources->perf);
	}
	for (a = 0; !error && a < u->actives; a++) {
		struct upci_binding binding = u->binding[u->active[a]];

		error = upci_source_open(sources, context, binding.event, &binding);
		handles[a] = binding.handle;
	}
	if (!error)
		error = upci_unit_reopen_thresholds(u, sources, context, handles);
	if (!error)
		error = upci_unit_grow_buffers(u, sources);
	if (!error && !upci_perf_check(sources->perf))
		error = upci_fail(UPC_ESYSTEM, "children were started while events were opened for them to inherit");
	if (error)
		upci_sources_destroy(sources);
	else
		upci_perf_set_waits(sources->perf, true);
	return error;
}

static int replace_sources(struct upc_unit *u, const struct upci_context *context, enum when when)
{
	struct upci_sources sources, old;
	int handles[UPC_COUNTERS];
	unsigned a;
	int error = open_all(u, context, when, &sources, handles);

	if (error)
		return error;
	/* A child forked meanwhile finds either the old ones or the new. */
	upci_process_lock();
	old = u->sources;
	u->sources = sources;
	u->context = *context;
	for (a = 0; a < u->actives; a++) {
		struct upci_binding *b = &u->binding[u->active[a]];

		b->handle = handles[a];
		b->flags &= UPC_COUNTER_HALTED;
		b->last = 0;
	}
	u->forked = false;
	u->started = u->partial = false;
	upci_unit_rearm(u);
	upci_process_unlock();
	upci_sources_destroy(&old);
	return 0;
}

int upci_unit_reopen(struct upc_unit *u)
{
	return u->forked ? replace_sources(u, &u->context, LATER) : 0;
}

int upc_unit_retarget(struct upc_unit *u, const struct upc_unit_options *options)
{
	struct upci_context context;
	int error;

	(void)upci_words_prepare();
	if (u->regs.run)
		return upci_fail(UPC_ESTATE, "the unit runs: stop it before it counts somebody else");
	if (u->transaction)
		return upci_fail(UPC_ESTATE, "a transaction is open: commit or abort it first");
	error = upci_unit_check_idle(u, "aimed at somebody else");
	if (!error)
		error = set_context(u, &context, options);
	if (!error && u->exact && !u->exact->ops->is_callers(u->exact))
		error = upci_fail(UPC_ENOSUPP, "the unit has the %s of the thread that created it: create one in this "
				  "thread", upci_unit_preloads(u) ? "script's signals" : "simulator's counts");
	if (!error && !u->exact)
		error = replace_sources(u, &context, LATER);
	if (error)
		return error;
	upci_unit_catch_up(u);
	clear_counters(u);
	upci_unit_show(u, true);
	return 0;
}

/* What the kernel has counted since an exec that nobody had started the unit
 * for belongs to nobody: the readings are taken in, and not the counts. */
static int pass_over_exec(struct upc_unit *u)
{
	return u->context.enable_on_exec && !u->started ? upci_unit_pass_over(u) : 0;
}

/* An event that was removed and leads others would be counted on, in the program's time, and
 * tracepoints would pile up; CPUs that came would not be counted. Where all is taken in
 * nothing is lost with them; else all stays as it is, which is not wrong. */
static void open_better(struct upc_unit *u)
{
	bool other = upci_perf_keeps_removed(u->sources.perf) || upci_perf_cpus_changed(u->sources.perf);

	if (other && upci_unit_take_perf(u))
		(void)replace_sources(u, &u->context, NOW);
	upci_perf_close_removed(u->sources.perf);
}

/* All that a start needs, and none of what a start does. */
static int open_now(struct upc_unit *u)
{
	int error = u->forked ? replace_sources(u, &u->context, NOW) : 0;

	if (!error)
		error = pass_over_exec(u);
	if (error)
		return error;
	/* Events that were added one by one for children to inherit have a group
	 * each. Opened together they have one; if that fails they do as they are. */
	if (!u->started && upci_perf_scattered(u->sources.perf) && !upci_perf_ever_enabled(u->sources.perf))
		(void)replace_sources(u, &u->context, NOW);
	open_better(u);
	return upci_perf_waits(u->sources.perf) ? upci_perf_open_waiting(u->sources.perf) : 0;
}

int upc_unit_open(struct upc_unit *u)
{
	int error = u->regs.run ? 0 : upci_unit_check_idle(u, "opened");

	if (error || u->regs.run)
		return error;
	return open_now(u);
}

int upc_unit_start(struct upc_unit *u)
{
	int error;

	if (u->regs.run)
		return 0;
	error = upci_unit_check_idle(u, "started");
	if (error)
		return error;
	upci_unit_catch_up(u);
	error = open_now(u);
	if (error)
		return error;
	/* Files and clocks first: then the perf groups start in one system call
	 * each, with nothing of ours behind them. */
	error = upci_unit_base(u);
	if (!error)
		error = upci_perf_start(u->sources.perf);
	if (!error)
		error = upci_unit_write_run(u, true);
	if (error) {
		(void)upci_perf_stop(u->sources.perf);
		(void)upci_unit_pass_over(u);
		return error;
	}
	u->started = true;
	upci_unit_show(u, false);
	return 0;
}

int upc_unit_stop(struct upc_unit *u)
{
	int error, stopped, anew = 0;

	if (!u->regs.run)
		return 0;
	error = upci_unit_check_idle(u, "stopped");
	if (error)
		return error;
	stopped = upci_perf_stop(u->sources.perf);
	/* What goes on by itself is stopped first: reading it then counts no more. */
	if (u->exact && !upci_unit_preloads(u)) {
		u->exact->ops->write(u->exact, UPC_REG_START_STOP, 0);
		u->stale = true;
	}
	error = upci_unit_update(u);
	(void)upci_unit_write_run(u, false);
	upci_unit_show(u, false);
	if (u->context.enable_on_exec) {
		/* From here on the unit is one that starts at once. The exec, if
		 * it is still to come, must not start what is stopped. */
		struct upci_context context = u->context;

		context.enable_on_exec = u->context.enable_on_exec = false;
		if (u->perf_events && !upci_perf_ever_enabled(u->sources.perf))
			anew = replace_sources(u, &context, LATER);
	}
	return stopped ? stopped : error ? error : anew;
}

int upc_unit_running(const struct upc_unit *u)
{
	return u->regs.run;
}
