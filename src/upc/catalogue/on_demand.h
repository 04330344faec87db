/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * on_demand.h - a catalogue that is opened without reading this machine's names. The first few of perf's
 * generic events and of the tracepoints are found alone. Anything that needs more reads all names, once.
 * Terms: catalogue/catalogue.h.
 */
#ifndef UPCI_ON_DEMAND_H
#define UPCI_ON_DEMAND_H

#include "catalogue/catalogue.h"

/* Maximum number of names that are found alone. The next one reads all names. */
#define UPCI_ALONE_MAX 16

/* Postpone build, which adds all events to an empty catalogue and returns 0 or a negative error. */
void upci_catalogue_put_off(struct upc_catalogue *c, int (*build)(struct upc_catalogue *c));

/*
 * Read all names, if that was postponed; codes that were given out stay. Return 0, or a negative error with
 * message: the catalogue is then as before, and the next call tries again. Context: any thread, but not a
 * builder of a catalogue.
 */
int upci_catalogue_complete(struct upc_catalogue *c);

/*
 * Return the code of perf::NAME or tp::SYSTEM:EVENT, as complete catalogues list them, while the names are
 * not read yet. Return UPC_ENOEVENT without message if all names must be read or have been read. Other errors
 * come with message: UPC_ENOMEM, UPC_EMFILE. Context: any thread.
 */
int64_t upci_catalogue_find_alone(struct upc_catalogue *c, const char *name);

#endif
