/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live.h - a host that runs, as a source of records: a fetch of all that its service has, at each
 * multiple of an interval.
 */
#ifndef JOBSTAT_LIVE_H
#define JOBSTAT_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcp/pmapi.h>

struct archive_live;

/* NULL: it cannot be reached, which has been said. interval_ns 0: as the service there samples, or 1 s. */
struct archive_live *live_open(const char *host, uint64_t interval_ns);
void live_close(struct archive_live *live);
const char *live_host(const struct archive_live *live);

/* serial: another one when the host was away, or has other metrics. */
int live_context(const struct archive_live *live, unsigned *serial);

uint64_t live_interval(const struct archive_live *live);

/* Whether it is time for the next record. */
bool live_due(struct archive_live *live);

/* 1 with a record; 0: it is not time yet, or the host is away. */
int live_next(struct archive_live *live, pmResult **record);

#endif
