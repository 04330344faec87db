/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - help of metrics and instance domains: a line, or all there is to say.
 */
#ifndef PMDA_TEXT_H
#define PMDA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmda/metric.h"

/* The first two write at most size bytes and return text. */
const char *text_counter(const struct pmids_entry *entry, enum metric_family family, bool line, char *text,
			 size_t size);
const char *text_always(const struct metric_always *always, bool line, char *text, size_t size);
const char *text_indom(enum metric_indom indom);

#endif
