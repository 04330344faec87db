/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - the sources of one unit: an instance of each row of sources.def, for the unit's context.
 * Terms: unit/unit.h, base/source.h, base/target.h.
 */
#ifndef UPCI_UNIT_SOURCE_H
#define UPCI_UNIT_SOURCE_H

#include "base/source.h"

struct upci_binding;

struct upci_sources {
	struct upci_source *of[UPCI_SOURCE_ROWS];
	/* Rows of the sources that start and stop with the unit. Other sources have nothing to do then. */
	uint8_t stopping[UPCI_SOURCE_ROWS], stoppers;
};

int upci_sources_create(struct upci_sources *sources, const struct upci_context *context);
void upci_sources_destroy(struct upci_sources *sources);

/* Open an event, and set the binding's source and handle. Return 0, or an error with message. */
int upci_source_open(struct upci_sources *sources, const struct upci_context *context,
		     const struct upci_event *event, struct upci_binding *binding);
void upci_source_close(struct upci_sources *sources, const struct upci_binding *binding);

/* Call the operation of the same name (struct upci_stop_ops) on each source that starts and stops. */
void upci_sources_begin_batch(struct upci_sources *sources, bool may_wait);
bool upci_sources_check_batch(struct upci_sources *sources);
/* Return the strongest wish of any source. */
enum upci_source_wish upci_sources_wish(struct upci_sources *sources);
int upci_sources_prepare(struct upci_sources *sources);
/* Start all sources or none. */
int upci_sources_start(struct upci_sources *sources);
/* Stop every source. Return the first error. */
int upci_sources_stop(struct upci_sources *sources);
void upci_sources_rebase(struct upci_sources *sources);

#endif
