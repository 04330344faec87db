/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_open.h - opens the component: libupc and the catalogue of what $UPC_SOURCE
 * names, or the reason why it is disabled.
 */
#ifndef UPC_OPEN_H
#define UPC_OPEN_H

#include "papi.h"

#include "upc_library.h"

struct upcp_opened {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue; /* the caller closes it          */
	int replays;                     /* a script drives the events    */
	int simulates;                   /* the simulated node does       */
};

/* Fills in cmp before the component is open. */
void upcp_open_later(PAPI_component_info_t *cmp);

/* Whether $UPC_SOURCE names another source than this machine. */
int upcp_source_is_chosen(void);

/*
 * Opens the catalogue, with on_demand without reading its names where this machine is the source. Fills in
 * what there is, and of cmp the versions, description and domains, or disabled_reason. 0 or a negative UPC_E*
 * code.
 */
int upcp_open(const struct mpxi_libupc *lib, int on_demand, PAPI_component_info_t *cmp,
	      struct upcp_opened *opened);

/* Reads all names: says in cmp how many events there are, and what is missing. 0, or a
 * negative UPC_E* code. */
int upcp_describe(const struct upcp_opened *opened, PAPI_component_info_t *cmp);

#endif /* UPC_OPEN_H */
