/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - help texts of metrics and instance domains: one line, or the full text.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_TEXT_H
#define PMDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmda/metric.h"

/* text_counter and text_always write at most size bytes, and return text. */
const char *text_counter(const struct pmids_entry *entry, enum metric_family family, bool line, char *text,
			 size_t size);
const char *text_always(const struct metric_always *always, bool line, char *text, size_t size);
const char *text_indom(enum metric_indom indom);

#endif
