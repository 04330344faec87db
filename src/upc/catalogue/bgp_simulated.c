/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bgp_simulated.c - says, by name, which Blue Gene/P events upc_run produces.
 * Terms: catalogue/catalogue.h.
 */
#include "catalogue/bgp_simulated.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
	const char *pattern;
	enum upci_simulated how;
} rows[] = {
#define UPC_SIM_CORE(name, how) {"PU#_" #name, UPCI_SIM_##how},
#define UPC_SIM_REST(pattern, how) {pattern, UPCI_SIM_##how},
#include "catalogue/bgp_simulated.def"
};

static bool matches_pattern(const char *pattern, const char *name)
{
	for (; *pattern && *pattern != '*'; pattern++, name++)
		if (*pattern == '#' ? *name < '0' || *name > '9' : *pattern != *name)
			return false;
	return *pattern == '*' || !*name;
}

enum upci_simulated upci_bgp_simulated(const char *name)
{
	size_t i = 0;

	while (!matches_pattern(rows[i].pattern, name)) {
		i++;
		assert(i < sizeof(rows) / sizeof(rows[0]));
	}
	return rows[i].how;
}
