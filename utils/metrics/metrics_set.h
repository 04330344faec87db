/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_set.h - a parsed file of metrics: the events, and formulas whose terms are events, time and calls.
 *
 * Terms: metrics/metrics.h.
 */
#ifndef METRICS_SET_H
#define METRICS_SET_H

#include "base/event.h"
#include "metrics/metrics.h"

/* Codes of terms: time, calls, and from METRICS_EVENTS on the events. */
enum { METRICS_TIME, METRICS_CALLS, METRICS_EVENTS };

struct metrics_derived {
	struct metric shown;
	const struct upci_formula *formula; /* codes: METRICS_TIME, METRICS_CALLS, METRICS_EVENTS + event */
};

struct metrics {
	struct upc_catalogue *memory; /* owns all strings and formulas; has no events */
	const char *set;
	struct metrics_derived *derived;
	unsigned count;
	const char **event;
	unsigned events;
};

#endif
