/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_fit.h - whether the hardware events of a context fit their PMU's counters: by
 * themselves when one is added, beside those of others when they are started. There is
 * no table of counters and their events here: the kernel is asked.
 */
#ifndef UPCI_PERF_FIT_H
#define UPCI_PERF_FIT_H

#include "perf/perf_groups.h"

/*
 * Whether the kernel itself has checked an event that was added: against all of the
 * unit's on its PMU. It has where these are in one group and enabled, and there are
 * neither samplers of them nor a reserve: an ordinary add costs nothing more than its system call.
 */
bool upci_fit_is_known(const struct upci_perf *perf, uint32_t key);

/*
 * Whether everything of a PMU that is opened, and a sampler of the handle (-1: none),
 * can count at a time. Errors, with a message that begins with name: UPC_ECONFLICT where
 * it cannot; else what upci_perf_fail says, and UPC_ENOMEM.
 */
int upci_fit_check(const struct upci_perf *perf, uint32_t key, int sampler, const char *name);

bool upci_fit_has_hardware(const struct upci_perf *perf);

/*
 * Whether the PMU had no room for a group that was enabled just now. The kernel knows
 * at once for a CPU and for the calling thread, self; for others when they run next.
 */
bool upci_fit_refused(const struct upci_perf *perf, pid_t self);
bool upci_fit_group_refused(const struct upci_perf_group *group, pid_t self);

/* UPC_ECONFLICT, with the message for a start that was refused; for one whose overflow
 * signals the PMU has no counter for; and for an event beside those that run. */
int upci_fit_fail_start(void);
int upci_fit_fail_signals(const char *name);
int upci_fit_fail_beside(const char *name);

#endif
