/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_clocks.c - adds the clocks of clock_gettime as events.
 */
#include <time.h>

#include "catalogue/catalogue.h"
#include "catalogue/driver.h"

int upci_catalogue_add_clocks(struct upc_catalogue *c)
{
	for (const struct upci_driver_clock *clock = upci_driver_clocks; clock->word; clock++) {
		struct upci_event event = {
			.name = clock->name,
			.description = clock->text,
			.unit = "ns",
			.subsystem = "time",
			.scope = clock->scope,
			.kind = clock->kind,
			.id = UPC_NO_ID,
			.driver = {.source = UPC_SOURCE_CLOCK, .mul = 1, .div = 1, .clock = clock->id},
		};
		struct timespec now;
		int error;

		if (clock_gettime(clock->id, &now))
			continue;
		error = upci_catalogue_add(c, &event);
		if (error)
			return error;
	}
	return 0;
}
