/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe.h - counts how often any process on this machine has opened a perf event.
 * Terms: service/service.h.
 */
#ifndef SERVICE_PROBE_H
#define SERVICE_PROBE_H

#include <stdint.h>

struct probe;

#define PROBE_NAME "a probe on perf_event_open"

/*
 * Errors: UPC_ENOSUPP (the kernel has no probes, or no BPF programs for them), UPC_EPERM (not allowed to this
 * user), UPC_EMFILE, UPC_ENOMEM, UPC_ESYSTEM.
 */
int probe_open(struct probe **probe);
void probe_close(struct probe *probe); /* NULL is allowed */

/* Store the number of opens since probe_open. Makes no system call. Returns 0. */
int probe_read(const struct probe *probe, uint64_t *count);

#endif
