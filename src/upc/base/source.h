/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - the interface of a source of counts: a table of operations that every source implements (perf,
 * the files of /proc and /sys, clocks), and two tables for sources that can stop and that can signal
 * overflows. sources.def has a row for each source.
 *
 * A unit has one instance of each source, for its context. A source stores its readings in two arrays,
 * indexed by handle, and the unit takes them into its registers from there. A read makes no call per event.
 */
#ifndef UPCI_SOURCE_H
#define UPCI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event.h"

struct upci_bag;
struct upci_context;

/* Whether an event counted all the time that it should have (EXACT), part of it, or never, since it was
 * opened or the source was rebased. SILENT: it counted all the time, but its overflow signals were given up.
 * LOST: its file, field or task is gone. */
enum upci_source_state {
	UPCI_SOURCE_EXACT,
	UPCI_SOURCE_PARTIAL,
	UPCI_SOURCE_NEVER,
	UPCI_SOURCE_SILENT,
	UPCI_SOURCE_LOST,
};

/* How long an event should have counted, and for how much of that it was not counted, in ns. */
struct upci_source_time {
	uint64_t enabled, lost;
};

/* A reason for the next start to open all events again. */
enum upci_source_wish {
	UPCI_SOURCE_FINE,
	UPCI_SOURCE_GATHER, /* nothing has counted yet, and together the events would take fewer groups */
	UPCI_SOURCE_RENEW,  /* the unit must take in the counts first */
};

/* The first member of each source's instance. */
struct upci_source {
	const struct upci_source_ops *ops;
	unsigned handles; /* the unit's: larger than every handle that open has returned */
};

/* Operations of a source that counts only between start and stop. They return 0, or an error with message,
 * unless they say otherwise. */
struct upci_stop_ops {
	int (*start)(struct upci_source *source);
	int (*stop)(struct upci_source *source);
	int (*halt)(struct upci_source *source, int handle);
	int (*go_on)(struct upci_source *source, int handle);
	/* Like read, but discards the counts since the last read. */
	int (*pass_over)(struct upci_source *source, uint64_t *value, uint8_t *state);
	/* Restarts states and times at the last read. */
	void (*rebase)(struct upci_source *source);
	struct upci_source_time (*time)(struct upci_source *source, int handle);
	/* True if the source has counted at all. */
	bool (*has_run)(const struct upci_source *source);

	/* Begins a batch, which all events opened from here on belong to. may_wait: their opening may wait
	 * for the start. */
	void (*begin_batch)(struct upci_source *source, bool may_wait);
	/* False if the batch cannot be read: close its events and try again. */
	bool (*check_batch)(struct upci_source *source);
	enum upci_source_wish (*wish)(struct upci_source *source);
	/* Opens the events that have waited, and closes events whose close was delayed. */
	int (*prepare)(struct upci_source *source);
	/* Adds the descriptors that are to be closed at the end of the program (let_go.h). */
	void (*gather)(struct upci_source *source, struct upci_bag *bag);
};

/* Operations of a source that can signal overflows. */
struct upci_overflow_ops {
	/* Requests a signal each time an event has counted period more; 0: no signals. See perf.h for the
	 * rest. */
	int (*set_period)(struct upci_source *source, const struct upci_context *context,
			  const struct upci_event *event, int handle, uint64_t period, int signal);
	int (*restart_period)(struct upci_source *source, int handle, uint64_t left);
	/* Returns the handle that a signal is for, by its si_fd, or -1. Async-signal-safe. */
	int (*signalled)(struct upci_source *source, int fd);
};

struct upci_source_ops {
	const char *gone; /* text of the notice about a lost event */
	bool scales;      /* readings are in the event's unit already */
	/* NULL if the source cannot be stopped: counts then begin at its reading at the start. */
	const struct upci_stop_ops *stops;
	const struct upci_overflow_ops *overflow; /* NULL if the source cannot signal */

	size_t size; /* size of an instance, which begins with a struct upci_source; the rest is zeroed */
	/* Sets up an instance. NULL: nothing to set up. Returns 0, or an error with message, as do the
	 * operations below. */
	int (*create)(struct upci_source *source, const struct upci_context *context);
	void (*destroy)(struct upci_source *source);
	/* Releases everything of the parent in a forked child. NULL: nothing to release. */
	void (*forked)(struct upci_source *source, const struct upci_context *context);

	/* Returns a handle, which is used again after close, or a negative error. */
	int (*open)(struct upci_source *source, const struct upci_context *context,
		    const struct upci_event *event, bool halted);
	void (*close)(struct upci_source *source, int handle);
	/* Sets value[handle] and state[handle], an enum upci_source_state, of each open event. */
	int (*read)(struct upci_source *source, uint64_t *value, uint8_t *state);
};

enum upci_source_row {
#define SOURCE(row, operations) UPCI_ROW_##row,
#include "base/sources.def"
	UPCI_SOURCE_ROWS,
};

#define SOURCE(row, operations) extern const struct upci_source_ops operations;
#include "base/sources.def"

#endif
