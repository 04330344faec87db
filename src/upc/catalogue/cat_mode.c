/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_mode.c - signal modes of events (UPC, section 6), and the catalogue of a replay, in which each Blue
 * Gene/P name is an input signal with all modes.
 */
#include <stdio.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "base/message.h"

const char *const upci_mode_names[4] = {
	[UPC_MODE_HIGH] = "high",
	[UPC_MODE_RISE] = "rise",
	[UPC_MODE_FALL] = "fall",
	[UPC_MODE_LOW] = "low",
};

enum upc_mode upci_event_mode(const struct upci_event *event)
{
	/* All sources except a replay count occurrences, which is the mode rise. */
	return event->driver.source == UPC_SOURCE_REPLAY ? event->driver.mode : UPC_MODE_RISE;
}

unsigned upci_event_modes(const struct upci_event *event)
{
	if (event->id == UPC_NO_ID || strstr(event->name, UPCI_MODE_KEY))
		return 0;
	switch (event->driver.source) {
	case UPC_SOURCE_REPLAY:
		return 1u << UPC_MODE_HIGH | 1u << UPC_MODE_RISE | 1u << UPC_MODE_FALL | 1u << UPC_MODE_LOW;
	case UPC_SOURCE_NONE:
		return 0;
	default:
		return event->kind == UPC_KIND_COUNT ? 1u << UPC_MODE_RISE : 0;
	}
}

static int fail_mode(const struct upci_event *event, enum upc_mode mode)
{
	if (event->driver.source == UPC_SOURCE_DERIVED)
		return upci_fail(UPC_ENOSUPP,
				 "%s: a derived event has no signal of its own, and so no mode=%s",
				 event->name, upci_mode_names[mode]);
	return upci_fail(
		UPC_ENOSUPP, "%s: mode=%s needs a source with signals (replay); the sources of %s give %s",
		event->name, upci_mode_names[mode],
		event->driver.source == UPC_SOURCE_SIMULATION ? "the simulated node" : "a live machine",
		event->kind == UPC_KIND_LEVEL ? "a level here, which has no edges"
					      : "occurrences only, which is mode=rise");
}

int64_t upci_catalogue_in_mode(struct upc_catalogue *c, uint32_t code, enum upc_mode mode)
{
	const struct upci_event *event = upci_catalogue_event(c, code);
	struct upci_event variant = *event;
	char name[UPC_NAME_MAX + 16];
	int64_t known;

	if (!(upci_event_modes(event) >> mode & 1)) {
		if (mode == UPC_MODE_RISE && event->kind == UPC_KIND_COUNT &&
		    event->driver.source != UPC_SOURCE_DERIVED)
			return code;
		return fail_mode(event, mode);
	}
	snprintf(name, sizeof(name), "%s" UPCI_MODE_KEY "%s", event->name, upci_mode_names[mode]);
	known = upci_catalogue_lookup(c, name);
	if (known >= 0)
		return known;
	variant.name = upci_catalogue_printf(c, "%s", name);
	if (!variant.name)
		return upci_fail(UPC_ENOMEM, "no memory for the name of an event");
	variant.driver_text = NULL;
	if (mode == upci_event_mode(event))
		variant.same_as = code + 1;
	if (variant.driver.source == UPC_SOURCE_REPLAY)
		variant.driver.mode = mode;
	known = upci_catalogue_put(c, &variant);
	return known < 0 ? upci_fail(UPC_ENOMEM, "no memory for an event") : known;
}

int upci_catalogue_add_replay(struct upc_catalogue *c)
{
	uint32_t count = upci_catalogue_size(c), code;

	for (code = 0; code < count; code++) {
		struct upci_event event = *upci_catalogue_event(c, code);
		int error;

		if (event.id == UPC_NO_ID)
			continue;
		event.why = NULL;
		/* Without a mode in its name, an event has the mode of the reset state: cycles high. */
		event.driver = (struct upci_driver){
			.source = UPC_SOURCE_REPLAY, .mul = 1, .div = 1, .mode = UPC_MODE_HIGH};
		error = upci_catalogue_add(c, &event);
		if (error)
			return error;
	}
	return upci_catalogue_add_missing(
		c, "live events: UPC_SOURCE has a replay script drive the unit; unset it to "
		   "count this machine's events");
}
