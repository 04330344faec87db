/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * derived.h - whether anything drives a derived event, and whose activity it
 * shows, by its terms.
 */
#ifndef UPCI_DERIVED_H
#define UPCI_DERIVED_H

#include "catalogue/catalogue.h"

/*
 * From event->formula, whose terms are in the catalogue: source DERIVED, or
 * NONE with a why that names the missing terms when one has no source. The
 * scope becomes the widest of its own and those of its terms. The event is the
 * caller's. A ratio becomes a level, whatever its terms are: it neither only
 * grows nor can be subtracted. Errors: UPC_ENOMEM.
 */
int upci_derived_settle(struct upc_catalogue *c, struct upci_event *event);

/* The same for all derived events of a catalogue, after terms have changed. */
int upci_derived_settle_all(struct upc_catalogue *c);

#endif
