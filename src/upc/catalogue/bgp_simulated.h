/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bgp_simulated.h - which Blue Gene/P events upc_run produces, and what prevents the others.
 *
 * Outside of a simulation, the library has no other facts about the simulator. src/sim includes the same
 * bgp_simulated.def.
 *
 * Terms: catalogue/catalogue.h, node/sim.h.
 */
#ifndef UPCI_BGP_SIMULATED_H
#define UPCI_BGP_SIMULATED_H

enum upci_simulated {
	UPCI_SIM_EXACT,
	UPCI_SIM_MEMORY,  /* not yet: needs the memory model */
	UPCI_SIM_NETWORK, /* not: only one node is simulated */
	UPCI_SIM_TIME,    /* not yet: needs the model of time */
};

/* Return how upc_run produces an event; name must be a documented event. */
enum upci_simulated upci_bgp_simulated(const char *name);

#endif
