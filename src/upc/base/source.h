/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - what a source of counts is to a unit: one table of operations, which perf, the files
 * of /proc and /sys and clocks fill in alike. sources.def has a row for each.
 *
 * A unit has one of each, for its context. What a source reads it puts into two arrays, by
 * handle; the unit takes it into its registers from there. So no call is made for an event.
 */
#ifndef UPCI_SOURCE_H
#define UPCI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event.h"

struct upci_bag;
struct upci_context;

/* Whether an event counted all the time that it should have, part of it, or never: since
 * it was opened or the source was rebased. SILENT: all the time, but what signals its overflows
 * has been given up. LOST: what counts it is gone. */
enum upci_source_state {
	UPCI_SOURCE_EXACT,
	UPCI_SOURCE_PARTIAL,
	UPCI_SOURCE_NEVER,
	UPCI_SOURCE_SILENT,
	UPCI_SOURCE_LOST,
};

/* How long an event was to count, and for how much of that nothing counted it: ns. */
struct upci_source_time {
	uint64_t enabled, lost;
};

/* What a start finds that opening all events anew would mend. */
enum upci_source_wish {
	UPCI_SOURCE_FINE,
	UPCI_SOURCE_GATHER, /* nothing has counted yet, and together it would take fewer groups */
	UPCI_SOURCE_RENEW,  /* what was counted is to be taken in first */
};

/* The first member of each. */
struct upci_source {
	const struct upci_source_ops *ops;
	unsigned handles; /* all that open has returned are below it: the unit's */
};

struct upci_source_ops {
	const char *gone; /* what a notice says of a lost event */
	/* It counts between start and stop alone. Else it goes on by itself, and what it shows at
	 * the start is where counts begin; then the operations from start to signalled are NULL. */
	bool stops;
	bool scales; /* its readings are in the event's unit already */

	size_t size; /* of what a unit has of it, which begins with an upci_source; else all 0 */
	/* Of what is in there; NULL: nothing is to be done. Errors with message, here as below. */
	int (*create)(struct upci_source *source, const struct upci_context *context);
	void (*destroy)(struct upci_source *source);
	/* In a forked child: nothing is the parent's any more. NULL: nothing was. */
	void (*forked)(struct upci_source *source, const struct upci_context *context);

	/* A handle, which is used again after the close, or a negative error. */
	int (*open)(struct upci_source *source, const struct upci_context *context,
		    const struct upci_event *event, bool halted);
	void (*close)(struct upci_source *source, int handle);
	/* Sets value[handle] and state[handle], an upci_source_state, of what is open. */
	int (*read)(struct upci_source *source, uint64_t *value, uint8_t *state);

	int (*start)(struct upci_source *source);
	int (*stop)(struct upci_source *source);
	int (*halt)(struct upci_source *source, int handle);
	int (*go_on)(struct upci_source *source, int handle);
	/* A read, and what was counted since the last is nobody's. */
	int (*pass_over)(struct upci_source *source, uint64_t *value, uint8_t *state);
	/* States and times are told anew from the last read on. */
	void (*rebase)(struct upci_source *source);
	struct upci_source_time (*time)(struct upci_source *source, int handle);
	/* Whether it has counted at all. */
	bool (*has_run)(const struct upci_source *source);

	/* What is opened from here on is one batch; it may wait for the start, or may not. */
	void (*begin_batch)(struct upci_source *source, bool may_wait);
	/* False: the batch cannot be read, close it and try again. */
	bool (*check_batch)(struct upci_source *source);
	enum upci_source_wish (*wish)(struct upci_source *source);
	/* Opens what has waited, closes what was put off. */
	int (*prepare)(struct upci_source *source);
	/* What the end of the program is to close (let_go.h). */
	void (*gather)(struct upci_source *source, struct upci_bag *bag);

	/* A signal each time that an event has counted period more; 0: none. perf.h has the rest. */
	int (*set_period)(struct upci_source *source, const struct upci_context *context,
			  const struct upci_event *event, int handle, uint64_t period, int signal);
	int (*restart_period)(struct upci_source *source, int handle, uint64_t left);
	/* The handle that a signal is for, by its si_fd, or -1. Handlers call it. */
	int (*signalled)(struct upci_source *source, int fd);
};

enum upci_source_row {
#define SOURCE(row, operations) UPCI_ROW_##row,
#include "base/sources.def"
	UPCI_SOURCE_ROWS,
};

#define SOURCE(row, operations) extern const struct upci_source_ops operations;
#include "base/sources.def"

#endif
