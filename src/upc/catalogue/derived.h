/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * derived.h - decides from its terms whether a derived event has a source, and what its scope is.
 * Terms: catalogue/catalogue.h, base/event.h.
 */
#ifndef UPCI_DERIVED_H
#define UPCI_DERIVED_H

#include "catalogue/catalogue.h"

/*
 * Set the source of a derived event from event->formula, whose terms must be in the catalogue. The source is
 * DERIVED if all terms have a source. Otherwise it is NONE, with a reason that names the missing terms. The
 * scope becomes the widest of the event's and its terms'. A ratio becomes a level, whatever its terms are,
 * because it can fall and cannot be subtracted. event belongs to the caller. Return 0 or UPC_ENOMEM.
 */
int upci_derived_settle(struct upc_catalogue *c, struct upci_event *event);

/* Do the same for all derived events of a catalogue, after terms have changed. */
int upci_derived_settle_all(struct upc_catalogue *c);

#endif
