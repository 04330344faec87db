/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_open.h - opens the component, which consists of libupc and the catalogue of the source that
 * $UPC_SOURCE names. On failure, sets the reason why the component is disabled.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_OPEN_H
#define UPC_OPEN_H

#include "papi.h"

#include "upc_library.h"

struct upcp_opened {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue; /* the caller closes it          */
	int replays;                     /* source is a replay script */
	int simulates;                   /* source is the simulated node */
};

/* Fill in cmp before the component is opened. */
void upcp_open_later(PAPI_component_info_t *cmp);

/* True if $UPC_SOURCE names a source other than this machine. */
int upcp_source_is_chosen(void);

/*
 * Open the catalogue. With on_demand, and this machine as the source, the names are not read yet.
 * Fills in *opened, and in cmp the version, the domains and, on failure, disabled_reason. Return 0
 * or a negative UPC_E* code.
 */
int upcp_open(const struct mpxi_libupc *lib, int on_demand, PAPI_component_info_t *cmp,
	      struct upcp_opened *opened);

/*
 * Read all names, and write into cmp the number of events and a description that lists missing
 * sources. Return 0 or a negative UPC_E* code.
 */
int upcp_describe(const struct upcp_opened *opened, PAPI_component_info_t *cmp);

#endif /* UPC_OPEN_H */
