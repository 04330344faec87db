/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_pfm.h - names that libpfm4 can spell and the encoding it gives them.
 */
#ifndef UPCI_CAT_PFM_H
#define UPCI_CAT_PFM_H

#include "catalogue/catalogue.h"
#include "base/target.h"
#include "perf/perf.h"

/* A code for a name that the catalogue has not, if libpfm4 knows it and the
 * kernel opens it: the code, UPC_ENOEVENT, or another negative error with
 * message. */
int64_t upci_pfm_resolve(struct upc_catalogue *c, const char *name);

/* Adds one of perf's generic events, as upci_catalogue_add_pfm would, by the name that it lists:
 * the code, or a negative error, UPC_ENOEVENT where it lists no such name. */
int64_t upci_pfm_find_alone(struct upc_catalogue *c, const char *name);

/* Whether a name "PMU::EVENT" is of a PMU that libpfm4 does not find here. */
bool upci_pfm_is_elsewhere(const char *name);

/* own gets the names of the PMUs that libpfm4 finds for this machine's CPU, or a text that
 * there is none. Returns whether libpfm4 has tables of the PMU of a name "PMU::EVENT". */
bool upci_pfm_own(const char *name, char *own, size_t size);

/* The kernel's encoding of a PERF or TRACEPOINT driver, in the domains
 * (UPC_DOMAIN_*) given. Errors with message: UPC_ENOEVENT, UPC_ENOSUPP,
 * UPC_EPERM. */
int upci_perf_encode(const struct upci_driver *driver, unsigned domain, struct upci_perf_spec *spec);

/* The same for a context. Where its domain was not chosen, events of a CPU's PMU count
 * user mode, as users of PAPI and of instruction counts expect; other events, such as those
 * that only the kernel raises and those of PMUs without modes, keep the context's domain. */
int upci_perf_encode_for(const struct upci_driver *driver, const struct upci_context *context,
			 struct upci_perf_spec *spec);

#endif
