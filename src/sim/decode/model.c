/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.c - the names of the node's tallies and of derived items, and the id of each core's first event.
 *
 * Terms: decode/decode.h.
 */
#include "decode/model.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const uint16_t upcs_core_first[UPCS_CORES] = {0, 35, 256, 291};

enum place {
#define UPC_SIM_CORE(name, how) AT_##name,
#include "catalogue/bgp_simulated.def"
	AT_INSTRUCTIONS,
	AT_UNKNOWN,
};

const uint8_t upcs_tally_place[UPCS_TALLIES] = {
#define UPC_SIM_CORE(name, how) [UPCS_##name] = AT_##name,
#include "catalogue/bgp_simulated.def"
	[UPCS_INSTRUCTIONS] = AT_INSTRUCTIONS,
	[UPCS_UNKNOWN] = AT_UNKNOWN,
};

const uint8_t upcs_tally_at[UPCS_TALLIES] = {
#define UPC_SIM_CORE(name, how) [AT_##name] = UPCS_##name,
#include "catalogue/bgp_simulated.def"
	[AT_INSTRUCTIONS] = UPCS_INSTRUCTIONS,
	[AT_UNKNOWN] = UPCS_UNKNOWN,
};

const char *const upcs_tally_name[UPCS_TALLIES] = {
#define UPC_SIM_CORE(name, how) [UPCS_##name] = #name,
#include "catalogue/bgp_simulated.def"
	[UPCS_INSTRUCTIONS] = "INSTRUCTIONS",
	[UPCS_UNKNOWN] = "UNKNOWN",
};

const char *upcs_item_name(unsigned item)
{
	static const char *const derived[] = {"TOT_INS", "FP_OPS", "FMA_INS", "LD_INS", "SR_INS", "BR_INS"};

	return item < UPCS_TALLIES ? upcs_tally_name[item] : derived[item - UPCS_TALLIES];
}

unsigned upcs_item_of(const char *name)
{
	static const char *const prefix[] = {"upc:::", "PAPI_", "PNE_", "BGP_", "PU_"};
	unsigned item;
	size_t i;

	for (i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (!strncasecmp(name, prefix[i], strlen(prefix[i])))
			name += strlen(prefix[i]);
	for (item = 0; item < UPCS_ITEMS; item++)
		if (upcs_is_produced(item) && !strcasecmp(name, upcs_item_name(item)))
			return item;
	return UPCS_ITEMS;
}

/* Compute the derived items. The digit at the end of a floating-point tally's name is the number of
 * operations per instruction. libupc's FP_OPS has the same weights. */
void upcs_items_derive(uint64_t v[UPCS_ITEMS])
{
	v[UPCS_TOT_INS] = v[UPCS_INSTRUCTIONS];
	v[UPCS_FP_OPS] = v[UPCS_FPU_ADD_SUB_1] + v[UPCS_FPU_MULT_1] + v[UPCS_FPU_DIV_1] +
			 2 * (v[UPCS_FPU_FMA_2] + v[UPCS_FPU_ADD_SUB_2] + v[UPCS_FPU_MULT_2]) +
			 4 * v[UPCS_FPU_FMA_4];
	v[UPCS_FMA_INS] = v[UPCS_FPU_FMA_2] + v[UPCS_FPU_FMA_4];
	v[UPCS_LD_INS] = v[UPCS_DATA_LOADS];
	v[UPCS_SR_INS] = v[UPCS_DATA_STORES];
	v[UPCS_BR_INS] = v[UPCS_IPIPE_BRANCHES];
}
