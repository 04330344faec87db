/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bgp_simulated.h - which Blue Gene/P events upc_run produces, and what the others wait for.
 *
 * The library knows this of the simulator, and nothing else: src/sim includes the same
 * bgp_simulated.def.
 */
#ifndef UPCI_BGP_SIMULATED_H
#define UPCI_BGP_SIMULATED_H

enum upci_simulated {
	UPCI_SIM_EXACT,
	UPCI_SIM_MEMORY,  /* not yet: the memory model */
	UPCI_SIM_NETWORK, /* not: one node is simulated */
	UPCI_SIM_TIME,    /* not yet: the model of time */
};

/* name is that of a documented event. */
enum upci_simulated upci_bgp_simulated(const char *name);

#endif
