/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * open.c - opens a catalogue: chooses its source, calls the builders that fill it, and applies the wiring
 * file.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "catalogue/on_demand.h"
#include "node/doorbell.h"
#include "base/message.h"
#include "replay/replay.h"
#include "node/sim.h"
#include "base/sized.h"
#include "wiring/wiring.h"
#include "base/words.h"

typedef int builder(struct upc_catalogue *);

static builder *const live_builders[] = {
	upci_catalogue_add_bgp,
#define BUILDER(function) function,
#include "base/sources.def"
	upci_wiring_builtin,
	NULL,
};

static builder *const replay_builders[] = {
	upci_catalogue_add_bgp,
	upci_catalogue_add_replay,
	upci_wiring_builtin,
	NULL,
};

static builder *const sim_builders[] = {
	upci_catalogue_add_bgp,   upci_catalogue_add_sim, upci_catalogue_add_clocks,
	upci_catalogue_add_files, upci_wiring_builtin,    NULL,
};

/* The source of all units: a replay script, the simulated node, or neither, which means this machine. */
struct choice {
	struct upci_script *script;
	bool simulated;
	struct upci_doorbell_hello node;
};

/* Choose the source that the environment asks for, and load a replay's script. Return 0, or an error with
 * message. */
static int choose_source_by_environment(struct choice *choice)
{
	static const char replay[] = "replay:";
	const char *source = getauxval(AT_SECURE) ? NULL : getenv("UPC_SOURCE");

	if (!source || !source[0] || !strcmp(source, "live"))
		return 0;
	if (!strncmp(source, replay, sizeof(replay) - 1))
		return upci_script_load(source + sizeof(replay) - 1, &choice->script);
	if (!strcmp(source, "sim")) {
		choice->simulated = true;
		return upci_sim_hello(&choice->node);
	}
	return upci_fail(UPC_ENOSUPP,
			 "UPC_SOURCE is '%.200s', and libupc %s has the sources 'live', 'sim' and "
			 "'replay:FILE': choose one of them, or unset it",
			 source, upc_version());
}

static int build_chosen_catalogue(struct upc_catalogue *c, const char *wiring)
{
	builder *const *next = upci_catalogue_script(c) ? replay_builders
			       : upci_catalogue_node(c) ? sim_builders
							: live_builders;
	char hash[65];
	int error = 0;

	for (; !error && *next; next++)
		error = (*next)(c);
	if (error || !wiring)
		return error < 0 ? error : 0;
	error = upci_wiring_load(c, wiring, hash);
	if (!error)
		upci_catalogue_set_wiring_hash(c, hash);
	return error;
}

static int build_live(struct upc_catalogue *c)
{
	return build_chosen_catalogue(c, NULL);
}

static int open_chosen(const struct choice *choice, const char *wiring, bool on_demand,
		       struct upc_catalogue **catalogue)
{
	const bool elsewhere = choice->script || choice->simulated;
	struct upc_catalogue *c;
	int error;

	if (elsewhere && wiring)
		return upci_fail(UPC_EINVAL,
				 "a wiring file says what of this machine drives an event, and UPC_SOURCE "
				 "has %s drive all: unset UPC_WIRING or UPC_SOURCE",
				 choice->script ? "a script" : "the simulator");
	c = upci_catalogue_create(choice->script, choice->simulated ? &choice->node : NULL);
	if (!c)
		return upci_fail(UPC_ENOMEM, "no memory for the catalogue");
	if (on_demand && !elsewhere && !wiring) {
		upci_catalogue_put_off(c, build_live);
		error = 0;
	} else {
		error = build_chosen_catalogue(c, wiring);
	}
	if (error)
		upci_catalogue_free(c);
	else
		*catalogue = c;
	return error;
}

int upc_catalogue_open(const struct upc_catalogue_options *given, struct upc_catalogue **catalogue)
{
	static const struct upci_sized sized = UPCI_SIZED(upc_catalogue_options, no_wiring, upci_fail);
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	struct choice choice = {0};
	struct upci_words_kept words;
	const char *wiring;
	int error = 0;

	(void)upci_words_prepare();
	upci_words_keep(&words);
	if (!catalogue)
		return upci_fail(UPC_EINVAL, "upc_catalogue_open: no place for the catalogue");
	if (given)
		error = upci_sized_take(&sized, &options, given);
	if (error)
		return error;
	wiring = options.wiring_path;
	/* A set-user-id program must not read a file that its caller chooses. */
	if (!wiring && !options.no_wiring && !getauxval(AT_SECURE)) {
		wiring = getenv("UPC_WIRING");
		if (wiring && !wiring[0])
			wiring = NULL;
	}
	error = choose_source_by_environment(&choice);
	if (!error)
		error = open_chosen(&choice, wiring, options.on_demand, catalogue);
	if (error)
		upci_script_free(choice.script);
	else
		upci_words_restore(&words); /* discards the messages of sources that failed while the
					       catalogue was built */
	return error;
}

void upc_catalogue_close(struct upc_catalogue *c)
{
	struct upci_script *script;

	if (!c)
		return;
	script = upci_catalogue_script(c);
	upci_catalogue_free(c);
	upci_script_free(script);
}
