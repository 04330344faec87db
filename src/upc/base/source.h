/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - the interface of a source of counts. Every source (perf, the files of /proc and /sys,
 * clocks) implements a table of operations. A source that can stop has a second table, and a source
 * that can signal overflows has a third. sources.def has a row for each source.
 *
 * Terms:
 *   source    an origin of counts: perf events, the files of /proc and /sys, the clocks, powercap
 *   instance  the object of one source in one unit
 *   handle    the number of an open event in an instance
 *   reading   the value that a source has for an event at one moment
 *   batch     events that are opened together, so that they can share perf groups
 *   halt      to stop one event while the others go on
 *   rebase    to let states and times begin anew at the last read
 *   scale     to multiply a reading by the driver's mul/div (event.h)
 *
 * A unit has one instance of each source, for the unit's context. A source stores its readings in
 * two arrays, indexed by handle, and the unit copies them into its registers. A read therefore
 * makes no function call per event.
 */
#ifndef UPCI_SOURCE_H
#define UPCI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event.h"

struct upci_bag;
struct upci_context;

/*
 * State of an event since it was opened or since the source was rebased. EXACT: the event counted
 * all the time that it should have counted; PARTIAL: only part of that time; NEVER: at no time.
 * SILENT: the event counted all the time, but its overflow signals were given up. LOST: the event's
 * file, field or task is gone.
 */
enum upci_source_state {
	UPCI_SOURCE_EXACT,
	UPCI_SOURCE_PARTIAL,
	UPCI_SOURCE_NEVER,
	UPCI_SOURCE_SILENT,
	UPCI_SOURCE_LOST,
};

/*
 * Time in ns for which an event should have counted (enabled), and the part of enabled in which the
 * event did not count (lost).
 */
struct upci_source_time {
	uint64_t enabled, lost;
};

/* A source's reason for opening all its events again at the next start. */
enum upci_source_wish {
	UPCI_SOURCE_FINE,
	UPCI_SOURCE_GATHER, /* nothing has counted yet; events opened together need fewer groups */
	UPCI_SOURCE_RENEW,  /* the unit must first read the counts into its registers */
};

/* The first member of each source's instance. */
struct upci_source {
	const struct upci_source_ops *ops;
	unsigned handles; /* set by the unit; greater than every handle that open has returned */
};

/*
 * Operations of a source that counts only between start and stop. An operation returns 0, or an
 * error with message, unless its comment says otherwise.
 */
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

	/*
	 * Begins a batch, to which all events opened from now on belong. may_wait: these events may
	 * be opened as late as the next start.
	 */
	void (*begin_batch)(struct upci_source *source, bool may_wait);
	/*
	 * Returns false if the batch cannot be read. The caller then closes the batch's events and
	 * tries again.
	 */
	bool (*check_batch)(struct upci_source *source);
	enum upci_source_wish (*wish)(struct upci_source *source);
	/*
	 * Opens events whose opening waited for the start, and closes events whose close was
	 * delayed.
	 */
	int (*prepare)(struct upci_source *source);
	/* Adds to bag the descriptors to close at the end of the program (let_go.h). */
	void (*gather)(struct upci_source *source, struct upci_bag *bag);
};

/* Operations of a source that can signal overflows. */
struct upci_overflow_ops {
	/*
	 * Requests a signal after every period counts of an event. period 0: no signals. perf.h
	 * describes the details.
	 */
	int (*set_period)(struct upci_source *source, const struct upci_context *context,
			  const struct upci_event *event, int handle, uint64_t period, int signal);
	int (*restart_period)(struct upci_source *source, int handle, uint64_t left);
	/* Returns the handle of the event whose signal has si_fd fd, or -1. Async-signal-safe. */
	int (*signalled)(struct upci_source *source, int fd);
};

struct upci_source_ops {
	const char *gone; /* text of the notice about a lost event */
	bool scales;      /* readings are already in the event's unit */
	/*
	 * NULL if the source cannot be stopped. The unit then counts from the source's reading at
	 * the start.
	 */
	const struct upci_stop_ops *stops;
	const struct upci_overflow_ops *overflow; /* NULL if the source cannot signal */

	size_t size; /* size of an instance, which begins with a struct upci_source; the rest is zeroed */
	/*
	 * Sets up an instance. NULL if nothing needs to be set up. Returns 0, or an error with
	 * message, as do the operations below.
	 */
	int (*create)(struct upci_source *source, const struct upci_context *context);
	void (*destroy)(struct upci_source *source);
	/*
	 * Releases, in a forked child, everything that belongs to the parent. NULL if nothing needs
	 * to be released.
	 */
	void (*forked)(struct upci_source *source, const struct upci_context *context);

	/* Opens an event. Returns its handle, which is reused after close, or a negative error. */
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
