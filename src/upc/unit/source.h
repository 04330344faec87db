/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - the sources of one unit, one of each row of sources.def, for its context.
 */
#ifndef UPCI_UNIT_SOURCE_H
#define UPCI_UNIT_SOURCE_H

#include "base/source.h"

struct upci_binding;

struct upci_sources {
	struct upci_source *of[UPCI_SOURCE_ROWS];
	/* The rows that stop: no other has anything to do when the unit starts or stops. */
	uint8_t stopping[UPCI_SOURCE_ROWS], stoppers;
};

int upci_sources_create(struct upci_sources *sources, const struct upci_context *context);
void upci_sources_destroy(struct upci_sources *sources);

/* Opens one event; sets the binding's source and handle. Errors with message. */
int upci_source_open(struct upci_sources *sources, const struct upci_context *context,
		     const struct upci_event *event, struct upci_binding *binding);
void upci_source_close(struct upci_sources *sources, const struct upci_binding *binding);

/* The operations of the same names, for all sources that stop. */
void upci_sources_begin_batch(struct upci_sources *sources, bool may_wait);
bool upci_sources_check_batch(struct upci_sources *sources);
/* The gravest. */
enum upci_source_wish upci_sources_wish(struct upci_sources *sources);
int upci_sources_prepare(struct upci_sources *sources);
/* All of them, or none. */
int upci_sources_start(struct upci_sources *sources);
/* Every one; the first error. */
int upci_sources_stop(struct upci_sources *sources);
void upci_sources_rebase(struct upci_sources *sources);

#endif
