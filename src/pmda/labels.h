/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labels.h - the labels of a counter's metrics: {"event", "counter", "scope", "source"}. They show in
 * archives and in OpenMetrics, and never change: each change would be another series there.
 */
#ifndef PMDA_LABELS_H
#define PMDA_LABELS_H

#include <stddef.h>

#include "pmda/metric.h"

/* The set as JSON, or "" where it does not fit. Returns text. */
const char *labels_text(const struct pmids_entry *entry, enum metric_family family, char *text, size_t size);

#endif
