/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.c - life cycle of a unit: create, retarget, start, stop, fork, destroy.
 * Terms: base/source.h.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/let_go.h"
#include "base/message.h"
#include "base/notice.h"
#include "unit/unit.h"
#include "unit/registers.h"
#include "unit/unit_read.h"
#include "unit/unit_threshold.h"
#include "unit/unit_time.h"
#include "base/words.h"

/* Set all counts to 0, without a call to the sources. */
static void clear_counters(struct upc_unit *u)
{
	unsigned a;

	u->registers->clear(u);
	for (a = 0; a < u->actives; a++) {
		const unsigned i = u->active[a];

		u->binding[i].flags &= (uint16_t) ~(UPC_COUNTER_PARTIAL | UPC_COUNTER_NEVER);
		if (!upci_unit_takes_in(u, i))
			continue;
		upci_regs_write_counter(&u->regs, i, 0);
		u->binding[i].level_read = false;
		u->thresholds.offset[i] = 0;
	}
	upci_unit_time_begin_all(u);
}

static void stop_unit_after_fork(struct upci_fork_entry *entry)
{
	struct upc_unit *u = upci_unit_of(entry);
	unsigned row;

	upci_context_forked(&u->context);
	for (row = 0; row < UPCI_SOURCE_ROWS; row++)
		if (u->sources.of[row]->ops->forked)
			u->sources.of[row]->ops->forked(u->sources.of[row], &u->context);
	upci_shared_forked(&u->shared);
	if (u->registers->forked)
		u->registers->forked(u);
	u->started = u->partial = false;
	u->forked = true;
	(void)upci_unit_write_run(u, false);
	upci_unit_clock_stop(u);
	clear_counters(u);
}

static const struct upci_registers_ops *registers_of(struct upc_catalogue *catalogue)
{
	return upci_catalogue_script(catalogue) ? &upci_registers_script
	       : upci_catalogue_node(catalogue) ? &upci_registers_node
						: &upci_registers_live;
}

int upc_unit_create(struct upc_catalogue *catalogue, const struct upc_unit_options *options,
		    struct upc_unit **unit)
{
	struct upc_unit *u;
	unsigned i;
	int error;

	(void)upci_words_prepare();
	if (!catalogue || !unit)
		return upci_fail(UPC_EINVAL,
				 "upc_unit_create: a catalogue and a place for the unit are needed");
	u = calloc(1, sizeof(*u));
	if (!u)
		return upci_fail(UPC_ENOMEM, "no memory for a unit");
	u->catalogue = catalogue;
	u->registers = registers_of(catalogue);
	error = u->registers->set_context(&u->context, options);
	if (!error)
		error = upci_sources_create(&u->sources, &u->context);
	if (!error && u->registers->create)
		error = u->registers->create(u);
	if (error) {
		upci_sources_destroy(&u->sources);
		upci_context_close(&u->context);
		free(u);
		return error;
	}
	u->stale = u->registers->elsewhere;
	for (i = 0; i < UPCI_SAMPLERS_MAX; i++)
		u->armed[i].handle = -1;
	u->fork.forked = stop_unit_after_fork;
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
	upci_context_close(&u->context);
	if (u->registers->destroy)
		u->registers->destroy(u);
	for (i = 0; i < u->entries; i++)
		free(u->entry[i].counter);
	free(u->entry);
	for (i = 0; i < UPCI_SOURCE_ROWS; i++) {
		free(u->reading[i].value);
		free(u->reading[i].state);
	}
	free(u);
	upci_notices_tell();
}

static struct upci_bag at_end;

static void gather_unit_sources(struct upci_fork_entry *entry)
{
	const struct upci_sources *sources = &upci_unit_of(entry)->sources;
	unsigned i;

	for (i = 0; i < sources->stoppers; i++) {
		struct upci_source *source = sources->of[sources->stopping[i]];

		source->ops->stops->gather(source, &at_end);
	}
}

/* Hand the descriptors of units that the program has not destroyed to another process (let_go.h). Otherwise
 * the kernel closes them when the program ends, and the wait() of its parent includes that time. */
__attribute__((destructor)) static void leave_all(void)
{
	upci_process_end(gather_unit_sources);
	upci_bag_leave(&at_end);
}

int upc_unit_retarget(struct upc_unit *u, const struct upc_unit_options *options)
{
	struct upci_context context = {.cgroup = 0}, old = u->context;
	int error;

	(void)upci_words_prepare();
	if (u->regs.run)
		return upci_fail(UPC_ESTATE, "the unit runs: stop it before it counts somebody else");
	if (u->transaction)
		return upci_fail(UPC_ESTATE, "a transaction is open: commit or abort it first");
	error = upci_unit_check_idle(u, "aimed at somebody else");
	if (!error)
		error = u->registers->set_context(&context, options);
	if (!error)
		error = u->registers->retarget(u, &context);
	if (error) {
		upci_context_close(&context);
		return error;
	}
	upci_context_close(&old);
	upci_unit_catch_up(u);
	clear_counters(u);
	upci_unit_show(u, true);
	return 0;
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
	error = upci_unit_open_now(u);
	if (error)
		return error;
	/* Read the sources that cannot be stopped first. The perf groups then start last, in one system call
	 * each, and count no work of the library. */
	error = upci_unit_base(u);
	if (!error)
		error = upci_sources_start(&u->sources);
	if (!error)
		error = upci_unit_write_run(u, true);
	if (error) {
		(void)upci_sources_stop(&u->sources);
		(void)upci_unit_pass_over(u);
		upci_unit_clock_stop(u);
		return error;
	}
	u->started = true;
	upci_unit_show(u, false);
	return 0;
}

/* True if every source that can wait for an exec has counted at some time. */
static bool has_run(const struct upc_unit *u)
{
	unsigned i;

	for (i = 0; i < u->readers; i++) {
		const struct upci_source *source = u->sources.of[u->reader[i]];

		if (source->ops->stops && !source->ops->stops->has_run(source))
			return false;
	}
	return true;
}

int upc_unit_stop(struct upc_unit *u)
{
	int error, stopped, anew = 0;

	if (!u->regs.run)
		return 0;
	error = upci_unit_check_idle(u, "stopped");
	if (error)
		return error;
	stopped = upci_sources_stop(&u->sources);
	/* Stop the sources before any read, so that the work of reading is not counted. */
	upci_unit_catch_up(u);
	if (u->registers->elsewhere)
		(void)u->registers->write(u, UPC_REG_START_STOP, 0);
	error = upci_unit_update(u);
	upci_unit_clock_stop(u);
	u->regs.run = false;
	upci_unit_show(u, false);
	if (u->context.enable_on_exec) {
		/* The wait for the exec ends here: from now on the unit starts at once. An exec that is still
		 * to come must not start a stopped unit. */
		struct upci_context context = u->context;

		context.enable_on_exec = u->context.enable_on_exec = false;
		if (!has_run(u))
			anew = upci_unit_replace_sources(u, &context, UPCI_OPEN_LATER);
	}
	return stopped ? stopped : error ? error : anew;
}

int upc_unit_running(const struct upc_unit *u)
{
	return u->regs.run;
}
