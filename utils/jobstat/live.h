/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live.h - a running host as a source of records. Each record is a fetch of all metrics of the host's
 * service, at a multiple of an interval.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_LIVE_H
#define JOBSTAT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct archive_live;

/* Connect to a host. NULL: the host cannot be reached, which is already reported. interval_ns 0: the
 * sampling interval of the host's service, or 1 s. */
struct archive_live *live_open(const char *host, uint64_t interval_ns);
void live_close(struct archive_live *live);
const char *live_host(const struct archive_live *live);

/* Return the PMAPI context. *serial changes when the host was unreachable or its metrics have changed. */
int live_context(const struct archive_live *live, unsigned *serial);

uint64_t live_interval(const struct archive_live *live);

/* True if the next record is due. */
bool live_due(struct archive_live *live);

/* Return 1 with a record, or 0 if no record is due yet or the host is unreachable. */
int live_next(struct archive_live *live, pmResult **record);

#endif
