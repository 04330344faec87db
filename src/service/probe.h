/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe.h - counts how often anybody on this machine has opened a perf event.
 */
#ifndef SERVICE_PROBE_H
#define SERVICE_PROBE_H

#include <stdint.h>

struct probe;

#define PROBE_NAME "a probe on perf_event_open"

/*
 * Errors: UPC_ENOSUPP (the kernel has no probes, or no programs for them), UPC_EPERM (this user may
 * not have them), UPC_EMFILE, UPC_ESYSTEM.
 */
int probe_open(struct probe **probe);
void probe_close(struct probe *probe); /* NULL is allowed */

/* How often until now, since probe_open. Costs no system call. Returns 0. */
int probe_read(const struct probe *probe, uint64_t *count);

#endif
