/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_metrics.h - pmproxy's metrics for Prometheus, with names as its conventions have them.
 */
#ifndef UTIL_SERVE_METRICS_H
#define UTIL_SERVE_METRICS_H

#include <stddef.h>

/*
 * The same text with "_total" behind names of counters, and "_value" behind those of others which end as
 * a counter's does; without PCP's own comments. The caller frees it. NULL: there is no memory.
 */
char *serve_metrics(const char *text, size_t *length);

#endif
