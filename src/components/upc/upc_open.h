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
	const struct upcp_library *lib;
	struct upc_catalogue *catalogue; /* the caller closes it          */
	int replays;                     /* a script drives the events    */
	int simulates;                   /* the simulated node does       */
};

/*
 * Fills in what there is, and of cmp the versions, description, number of events and
 * defaults, or disabled_reason. PAPI_OK, PAPI_ECMP, PAPI_ENOMEM.
 */
int upcp_open(PAPI_component_info_t *cmp, struct upcp_opened *opened);

#endif /* UPC_OPEN_H */
