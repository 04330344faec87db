/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_fit.h - checks whether the hardware events of a context fit their PMU's counters: by themselves when
 * an event is added, and together with other users' events at a start. The kernel decides; there is no table
 * of counters and events here.
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#ifndef UPCI_PERF_FIT_H
#define UPCI_PERF_FIT_H

#include "perf/perf_groups.h"

/*
 * True if the kernel itself checked an added event against all of the unit's events on its PMU. This holds if
 * these are enabled and in one group, and have neither samplers nor a reserve. An ordinary add then costs
 * only its own system call.
 */
bool upci_fit_is_known(const struct upci_perf *perf, uint32_t key);

/*
 * Check that all open events of a PMU, and a sampler of the handle (-1: none), can count at the same time.
 * Return 0, or an error with a message that begins with name: UPC_ECONFLICT if they do not fit, an error of
 * upci_perf_fail, or UPC_ENOMEM.
 */
int upci_fit_check(const struct upci_perf *perf, uint32_t key, int sampler, const char *name);

bool upci_fit_has_hardware(const struct upci_perf *perf);

/*
 * True if the PMU had no room for a group that was just enabled. The kernel knows this at once for a CPU and
 * for the calling thread, self. For other threads it knows only when they run next.
 */
bool upci_fit_refused(const struct upci_perf *perf, pid_t self);
bool upci_fit_group_refused(const struct upci_perf_group *group, pid_t self);

/* Return UPC_ECONFLICT with message. fail_start: a start was refused. fail_signals: the PMU has no counter
 * for an event's overflow signals. fail_beside: an event does not fit next to the events that run. */
int upci_fit_fail_start(void);
int upci_fit_fail_signals(const char *name);
int upci_fit_fail_beside(const char *name);

#endif
