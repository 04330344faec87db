/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * catalogue_test.h - a catalogue without wiring files, which all tests of a file have.
 */
#ifndef CATALOGUE_TEST_H
#define CATALOGUE_TEST_H

#include "catalogue/catalogue.h"
#include "../unit_test.h"

static struct upc_catalogue *c;

static inline int open_catalogue(void **state)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};

	(void)state;
	return upc_catalogue_open(&options, &c);
}

static inline int close_catalogue(void **state)
{
	(void)state;
	upc_catalogue_close(c);
	return 0;
}

static inline const struct upci_event *event(const char *name)
{
	int64_t code = upci_catalogue_lookup(c, name);

	if (code < 0)
		fail_msg("no event %s", name);
	return upci_catalogue_event(c, (uint32_t)code);
}

#endif
