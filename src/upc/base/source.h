/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - what a source of counts is to a unit: one table of operations, which perf, the files
 * of /proc and /sys and clocks fill in alike. sources.def has a row for each.
 *
 * A unit has one of each, for its context. A source stores its readings in two arrays, by
 * handle; the unit takes them into its registers from there. A read makes no call for a single event.
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
 * it was opened or the source was rebased. SILENT: it counted all the time, but its overflow
 * signals have been given up. LOST: its file, field or task is gone. */
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

/* A reason to open all events anew, which a start finds. */
enum upci_source_wish {
	UPCI_SOURCE_FINE,
	UPCI_SOURCE_GATHER, /* nothing has counted yet, and together it would take fewer groups */
	UPCI_SOURCE_RENEW,  /* the counts are to be taken in first */
};

/* The first member of each. */
struct upci_source {
	const struct upci_source_ops *ops;
	unsigned handles; /* all that open has returned are below it: the unit's */
};

struct upci_source_ops {
	const char *gone; /* the text of a notice of a lost event */
	/* The source counts only between start and stop. Else it goes on by itself, counts begin at
	 * its reading at the start, and the operations from start to signalled are NULL. */
	bool stops;
	bool scales; /* its readings are in the event's unit already */

	size_t size; /* of a unit's instance, which begins with an upci_source; else all 0 */
	/* Sets up an instance; NULL: nothing is to be done. Errors with message, here as below. */
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
	/* A read that discards the counts since the last one. */
	int (*pass_over)(struct upci_source *source, uint64_t *value, uint8_t *state);
	/* States and times are told anew from the last read on. */
	void (*rebase)(struct upci_source *source);
	struct upci_source_time (*time)(struct upci_source *source, int handle);
	/* Whether it has counted at all. */
	bool (*has_run)(const struct upci_source *source);

	/* Begins a batch: all events opened from here on. may_wait: it may wait for the start. */
	void (*begin_batch)(struct upci_source *source, bool may_wait);
	/* False: the batch cannot be read, close it and try again. */
	bool (*check_batch)(struct upci_source *source);
	enum upci_source_wish (*wish)(struct upci_source *source);
	/* Opens the events that have waited, and closes those whose close was put off. */
	int (*prepare)(struct upci_source *source);
	/* Adds the descriptors that the end of the program is to close (let_go.h). */
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
