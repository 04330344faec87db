/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.c - the names of the node's tallies, and where each core's events begin.
 */
#include "decode/model.h"

const uint16_t upcs_core_first[UPCS_CORES] = {0, 35, 256, 291};

const char *const upcs_tally_name[UPCS_TALLIES] = {
#define UPC_SIM_CORE(name, how) [UPCS_##name] = #name,
#include "catalogue/bgp_simulated.def"
	[UPCS_INSTRUCTIONS] = "INSTRUCTIONS",
	[UPCS_UNKNOWN] = "UNKNOWN",
};
