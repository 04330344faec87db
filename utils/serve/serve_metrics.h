/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_metrics.h - renames pmproxy's metrics to follow Prometheus's conventions.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_METRICS_H
#define UTIL_SERVE_METRICS_H

#include <stddef.h>

/*
 * Return the text with "_total" appended to names of counters, "_value" appended to other names with a
 * reserved ending, and without PCP's own comments. The caller frees it. NULL: out of memory.
 */
char *serve_metrics(const char *text, size_t *length);

#endif
