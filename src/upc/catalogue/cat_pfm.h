/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pfm.h - names that libpfm4 knows, and their encoding.
 * Terms: catalogue/catalogue.h, base/event.h, base/target.h.
 */
#ifndef UPCI_CAT_PFM_H
#define UPCI_CAT_PFM_H

#include "catalogue/catalogue.h"
#include "base/target.h"
#include "perf/perf.h"

/* Add a name that the catalogue does not have, if libpfm4 knows it and the kernel opens it. Return its code,
 * UPC_ENOEVENT, or another negative error with message. */
int64_t upci_pfm_resolve(struct upc_catalogue *c, const char *name);

/* Add one of perf's generic events, as upci_catalogue_add_pfm would, by its listed name. Return its code, or
 * a negative error: UPC_ENOEVENT if no event is listed under the name. */
int64_t upci_pfm_find_alone(struct upc_catalogue *c, const char *name);

/* True if a name "PMU::EVENT" belongs to a PMU that libpfm4 does not find on this machine. */
bool upci_pfm_is_elsewhere(const char *name);

/* Set own to the names of the PMUs that libpfm4 finds for this machine's CPU, or to a text that says there is
 * none. Return true if libpfm4 has tables for the PMU of a name "PMU::EVENT". */
bool upci_pfm_own(const char *name, char *own, size_t size);

/* Get the kernel's encoding of a PERF or TRACEPOINT driver in the given domains (UPC_DOMAIN_*). Return 0, or
 * an error with message: UPC_ENOEVENT, UPC_ENOSUPP, UPC_EPERM. */
int upci_perf_encode(const struct upci_driver *driver, unsigned domain, struct upci_perf_spec *spec);

/* Get the encoding of a driver for a context. If the user did not choose the context's domain, events of a
 * CPU's own PMU count user mode, as users of PAPI and of instruction counts expect. Other events keep the
 * context's domain, such as events that only the kernel raises and events of PMUs without modes. */
int upci_perf_encode_for(const struct upci_driver *driver, const struct upci_context *context,
			 struct upci_perf_spec *spec);

#endif
