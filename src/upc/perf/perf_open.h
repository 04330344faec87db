/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_open.h - opens perf events, for the other parts of the perf source.
 */
#ifndef UPCI_PERF_OPEN_H
#define UPCI_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "perf/perf.h"
#include "base/target.h"

/* An event that counts, and no more. */
struct perf_event_attr upci_perf_attr(const struct upci_perf_spec *spec);

/* One that counts nothing and takes no counter, which everybody may open: the leader of
 * a group, or a question. */
struct perf_event_attr upci_perf_dummy(void);

/* A close-on-exec descriptor, in the group of a leader's (-1: of its own), or -1 with
 * errno; EMFILE also when only the program's reserve is left (fds.h). */
int upci_perf_open(const struct perf_event_attr *attr, const struct upci_perf_target *target, int leader);

/* Whether there is nothing to count any more of a thread: it has ended, also where its
 * parent has not waited for it yet. */
bool upci_perf_has_ended(pid_t tid);

/*
 * errno of a refusal as an error, with a message that begins with name and says what
 * it was, why, and what to do. hardware: of a PMU, in a group with others of it, so
 * that what the kernel calls invalid may be one too many.
 */
int upci_perf_fail(const char *name, const struct upci_perf_target *target, bool hardware);

#endif
