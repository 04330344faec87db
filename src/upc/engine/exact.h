/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exact.h - what has the registers of a unit whose source is exact: a script's engine in
 * this process, or a context of the simulator that this program runs on.
 *
 * Software's accesses go there, and the unit's own registers follow as a copy. Who keeps
 * presets has event thresholds and the counts without their preloads as well; where nobody
 * does (preset is NULL), the unit makes them itself, over the one threshold register, in the
 * interrupt's own cycle.
 */
#ifndef UPCI_EXACT_H
#define UPCI_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct upci_exact;

struct upci_exact_ops {
	void (*destroy)(struct upci_exact *exact);
	/* To the thread's own moment. True: counters may have changed since. */
	bool (*catch_up)(struct upci_exact *exact);
	/* Goes on to the next place: false where there is none. NULL: goes on by itself. */
	bool (*play)(struct upci_exact *exact);
	bool (*left)(const struct upci_exact *exact);
	/* Registers by offset, 0 or UPC_EFAULT; all of them without what reading does. */
	int (*read)(struct upci_exact *exact, unsigned offset, uint64_t *value);
	int (*write)(struct upci_exact *exact, unsigned offset, uint64_t value);
	void (*peek)(const struct upci_exact *exact, uint64_t *counter, uint8_t *field, bool *suspect);
	void (*flip)(struct upci_exact *exact, unsigned counter, unsigned bit);
	/* Cycles for which the run bit was set. NULL: it has no clock of its own. */
	uint64_t (*cycles)(const struct upci_exact *exact);
	/* An interrupt is being told on this thread: what may not be done from there? */
	bool (*in_sink)(const struct upci_exact *exact);
	/* It is the calling thread's. */
	bool (*is_callers)(const struct upci_exact *exact);
	void (*forked)(struct upci_exact *exact);

	/* All or none: sets a count, and those of many to 0 in one moment (a bit each); an
	 * event's threshold; the signal that tells of it, and what it was for; what a counter
	 * of the patch panel carries. */
	void (*preset)(struct upci_exact *exact, unsigned counter, uint64_t count);
	void (*clear)(struct upci_exact *exact, const uint64_t *counters);
	int (*set_period)(struct upci_exact *exact, unsigned counter, uint64_t period);
	int (*set_signal)(struct upci_exact *exact, int signal);
	/* Signal handlers call it. False: nothing is left. */
	bool (*fetch)(const struct upci_exact *exact, unsigned *counter);
	void (*bind)(struct upci_exact *exact, unsigned counter, unsigned panel);
};

/* The first member of what there is of one. */
struct upci_exact {
	const struct upci_exact_ops *ops;
};

static inline bool upci_exact_keeps(const struct upci_exact *exact)
{
	return exact->ops->preset != NULL;
}

#endif
