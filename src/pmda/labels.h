/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.h - the labels of a counter's metrics: {"event", "counter", "scope", "source"}. Labels appear in
 * archives and in OpenMetrics, and must never change, since each change would begin another series.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_LABELS_H
#define PMDA_LABELS_H

#include <stddef.h>

#include "pmda/metric.h"

/* Write the labels as JSON, or "" if they do not fit. Return text. */
const char *labels_text(const struct pmids_entry *entry, enum metric_family family, char *text, size_t size);

#endif
