/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * on_demand.h - a catalogue that is opened without reading this machine's names. The first of
 * perf's generic events and of the tracepoints are found by themselves; whatever needs more reads
 * all names, once.
 */
#ifndef UPCI_ON_DEMAND_H
#define UPCI_ON_DEMAND_H

#include "catalogue/catalogue.h"

/* Names that are found by themselves; with the next one all names are read. */
#define UPCI_ALONE_MAX 16

/* Puts off what build does, which adds all events to an empty catalogue: 0, or a negative error. */
void upci_catalogue_put_off(struct upc_catalogue *c, int (*build)(struct upc_catalogue *c));

/*
 * Reads all names where that was put off; codes that were given out stay. If that fails
 * the catalogue is as it was, and the next call tries again: a negative error with message.
 * Context: any thread; no builder of a catalogue.
 */
int upci_catalogue_complete(struct upc_catalogue *c);

/*
 * The code of perf::NAME or tp::SYSTEM:EVENT, as complete catalogues list them, where the names are
 * not read yet. UPC_ENOEVENT, without message: all names have to be read, or are. Other
 * errors with message: UPC_ENOMEM, UPC_EMFILE. Context: any thread.
 */
int64_t upci_catalogue_find_alone(struct upc_catalogue *c, const char *name);

#endif
