/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_open.h - opens perf events for the other parts of the perf source.
 * Terms: perf/perf.h.
 */
#ifndef UPCI_PERF_OPEN_H
#define UPCI_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "perf/perf.h"
#include "base/target.h"

/* Return the attributes of an event that only counts. */
struct perf_event_attr upci_perf_attr(const struct upci_perf_spec *spec);

/* Return the attributes of an event that counts nothing, takes no counter and needs no privilege. It leads
 * groups and tests what the kernel permits. */
struct perf_event_attr upci_perf_dummy(void);

/* Open an event in the group of leader, or alone (-1). Return a close-on-exec descriptor, or -1 with errno.
 * EMFILE can also mean that only the program's reserve is left (fds.h). */
int upci_perf_open(const struct perf_event_attr *attr, const struct upci_perf_target *target, int leader);

/* True if a thread has ended, even if its parent has not waited for it yet. Nothing of it is left to
 * count. */
bool upci_perf_has_ended(pid_t tid);

/*
 * Return errno as an error, with a message that begins with name and says what failed, why, and what to do.
 * hardware: the event is a PMU's, in a group with others of that PMU, so EINVAL may mean one event too many.
 */
int upci_perf_fail(const char *name, const struct upci_perf_target *target, bool hardware);

#endif
