/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_sim.c - the catalogue of the simulated node: the Blue Gene/P events that it produces, and names for
 * events of the caller's own core.
 *
 * PU2_JPIPE_ADD_SUB is an event of core 2, and stays 0 for threads on other cores. PU_JPIPE_ADD_SUB is the
 * event of whichever core the counted thread runs on. Events with a core number have fixed inputs, as on the
 * chip, and two of them can need the same counter. Events without a number use the panel's inputs of any
 * counter, as events of a host machine do, and never need the same counter.
 *
 * Terms: base/event.h, node/sim.h.
 */
#include <string.h>

#include "catalogue/bgp_simulated.h"
#include "catalogue/catalogue.h"
#include "node/doorbell.h"
#include "base/message.h"

static bool is_produced(const struct upci_doorbell_hello *node, int id)
{
	return id >= 0 && id < 512 && node->produced[id / 64] >> id % 64 & 1;
}

static const char *const why[] = {
	[UPCI_SIM_EXACT] = "the simulator of this upc_run does not produce it",
	[UPCI_SIM_MEMORY] = "the simulated node does not produce it yet: the memory model",
	[UPCI_SIM_NETWORK] = "the simulated node does not produce it: it is one node, without networks",
	[UPCI_SIM_TIME] = "the simulated node does not produce it yet: the model of time",
};

/* Set the driver of an event. name is the documented name, which is not needed for a produced event. */
static void drive_event(struct upci_event *event, const char *name, bool produced, unsigned panel)
{
	event->why = produced ? NULL : why[upci_bgp_simulated(name)];
	event->driver = (struct upci_driver){.source = produced ? UPC_SOURCE_SIMULATION : UPC_SOURCE_NONE,
					     .mul = 1,
					     .div = 1,
					     .panel = panel};
	event->scope = UPC_SCOPE_CONTEXT;
}

/* Add the event of core 0 as the event of the thread's own core. */
static int add_own(struct upc_catalogue *c, const struct upci_event *event, bool produced)
{
	static const char core[] = "processor core 0";
	struct upci_event own = *event;
	const char *at = strstr(event->description, core);

	own.id = UPC_NO_ID;
	own.name = upci_catalogue_printf(c, "PU_%s", event->name + strlen("PU0_"));
	own.description = at ? upci_catalogue_printf(c, "%.*sthe processor core of the counted thread%s",
						     (int)(at - event->description), event->description,
						     at + strlen(core))
			     : event->description;
	own.subsystem = upci_catalogue_printf(c, "PU%s", event->subsystem + strcspn(event->subsystem, " "));
	if (!own.name || !own.description || !own.subsystem)
		return UPC_ENOMEM;
	drive_event(&own, event->name, produced, (unsigned)event->id);
	return upci_catalogue_add(c, &own);
}

static int add_instructions(struct upc_catalogue *c, const char *core, const char *whose, unsigned panel)
{
	struct upci_event event = {
		.name = upci_catalogue_printf(c, "%s_INSTRUCTIONS", core),
		.description = upci_catalogue_printf(
			c,
			"Instructions of the program that %s has executed, each counted "
			"once whatever it does.",
			whose),
		.unit = "instructions",
		.subsystem = upci_catalogue_printf(c, "%s", core),
		.kind = UPC_KIND_COUNT,
		.id = UPC_NO_ID,
	};

	if (!event.name || !event.description || !event.subsystem)
		return UPC_ENOMEM;
	drive_event(&event, NULL, true, panel);
	return upci_catalogue_add(c, &event);
}

static int add_all_instructions(struct upc_catalogue *c)
{
	static const char *const cores[][2] = {
		{"PU0", "processor core 0"},
		{"PU1", "processor core 1"},
		{"PU2", "processor core 2"},
		{"PU3", "processor core 3"},
	};
	int error = add_instructions(c, "PU", "the counted thread's core", UPCI_PANEL_INSTRUCTIONS);
	unsigned core;

	for (core = 0; core < sizeof(cores) / sizeof(cores[0]) && !error; core++)
		error = add_instructions(c, cores[core][0], cores[core][1],
					 UPCI_PANEL_CORE_INSTRUCTIONS(core));
	return error;
}

int upci_catalogue_add_sim(struct upc_catalogue *c)
{
	const struct upci_doorbell_hello *node = upci_catalogue_node(c);
	uint32_t count = upci_catalogue_size(c), code;
	int error = 0;

	for (code = 0; code < count && !error; code++) {
		struct upci_event event = *upci_catalogue_event(c, code);
		bool produced = is_produced(node, event.id);

		if (event.id == UPC_NO_ID)
			continue;
		if (!strncmp(event.name, "PU0_", 4))
			error = add_own(c, &event, produced);
		drive_event(&event, event.name, produced, UPCI_PANEL_NOTHING);
		if (!error)
			error = upci_catalogue_add(c, &event);
	}
	if (!error)
		error = add_all_instructions(c);
	return error ? error
		     : upci_catalogue_add_missing(
			       c, "this machine's events but clocks and /proc: the program runs "
				  "on a simulated node; unset UPC_SOURCE and run it "
				  "without upc_run to count them");
}
