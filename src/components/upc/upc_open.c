/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_open.c - opens the component and fills in the texts that PAPI's users read: the description,
 * or the reason why the component is disabled. This file includes only PAPI's public header.
 *
 * Terms: upc_set.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upc_names.h"
#include "upc_open.h"
#include "upc_report.h"
#include "upc_set.h"

/*
 * True if kernel mode may be counted. libupc tries to create a unit. A replay script has no
 * domains. Lack of memory or descriptors does not mean that the kernel forbids counting.
 */
static int kernel_may_be_counted(const struct upcp_opened *opened)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit;
	int error;

	options.domain = UPC_DOMAIN_KERNEL;
	error = opened->lib->upc_unit_create(opened->catalogue, &options, &unit);
	if (!error)
		opened->lib->upc_unit_destroy(unit);
	return error != UPC_EPERM && error != UPC_ENOSUPP;
}

/* Append the names of missing sources to the description, as many as fit. */
static void append_missing(const struct upcp_opened *opened, char *description, size_t size)
{
	static const char tail[] = " (upc_avail says why)";
	const char *sentence;
	unsigned int i;

	for (i = 0; (sentence = opened->lib->upc_catalogue_missing(opened->catalogue, i)); i++) {
		size_t used = strlen(description);
		int length = (int)strcspn(sentence, ":");
		const char *glue = i ? ", " : "; not here: ";

		if (used + strlen(glue) + (size_t)length + sizeof(tail) > size)
			break;
		snprintf(description + used, size - used, "%s%.*s", glue, length, sentence);
	}
	if (i) {
		size_t used = strlen(description);

		snprintf(description + used, size - used, "%s", tail);
	}
}

/* Return the remedy for a catalogue that cannot be opened. libupc's message gives the cause. */
static const char *remedy_for(int error, const char *message)
{
	static const char key[] = "replay:";
	const char *source = getenv("UPC_SOURCE");

	if (source && strncmp(source, key, strlen(key)) == 0 && strstr(message, source + strlen(key)))
		return "Correct the script or its path, or unset UPC_SOURCE.";
	if (error == UPC_EWIRING)
		return "Correct the file, or unset UPC_WIRING.";
	return "";
}

static int open_component_catalogue(const struct mpxi_libupc *lib, int on_demand, PAPI_component_info_t *cmp,
				    struct upc_catalogue **catalogue)
{
	struct upc_catalogue_options options = UPC_OPTIONS_INIT(upc_catalogue_options);
	const char *message, *remedy;
	int error;

	options.on_demand = on_demand;
	error = lib->upc_catalogue_open(&options, catalogue);
	if (!error)
		return 0;
	message = *lib->upc_last_message() ? lib->upc_last_message() : lib->upc_strerror(error);
	remedy = remedy_for(error, message);
	/* A reason that is too long keeps its remedy and loses the end of its cause. */
	snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "%.*s%s%s",
		 (int)(sizeof(cmp->disabled_reason) - strlen(remedy) - 3), message, *remedy ? ". " : "",
		 remedy);
	return error;
}

#define DESCRIPTION "%s, 256 counted at once"
#define LIVE "This machine's events"
#define ALL_DOMAINS (PAPI_DOM_USER | PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR)

void upcp_open_later(PAPI_component_info_t *cmp)
{
	snprintf(cmp->description, sizeof(cmp->description), DESCRIPTION, LIVE);
	cmp->num_native_events = 0;
	cmp->default_domain = PAPI_DOM_USER;
	cmp->available_domains = ALL_DOMAINS; /* all can be chosen; upcp_open may restrict them */
	cmp->default_granularity = PAPI_GRN_THR;
}

int upcp_source_is_chosen(void)
{
	const char *source = secure_getenv("UPC_SOURCE");

	return source && *source && strcmp(source, "live") != 0;
}

static void restrict_to_user(PAPI_component_info_t *cmp)
{
	if (cmp->default_domain & ~PAPI_DOM_USER)
		upcp_report(UPCP_REPORT_REFUSED,
			    "the domain that PAPI_set_cmp_domain was given cannot be counted here: event "
			    "sets count PAPI_DOM_USER");
	cmp->available_domains = PAPI_DOM_USER;
	cmp->default_domain = PAPI_DOM_USER;
}

int upcp_open(const struct mpxi_libupc *lib, int on_demand, PAPI_component_info_t *cmp,
	      struct upcp_opened *place)
{
	const int live = !upcp_source_is_chosen();
	struct upcp_opened opened = {.lib = lib};
	int error = open_component_catalogue(lib, on_demand && live, cmp, &opened.catalogue);

	if (error)
		return error;
	cmp->disabled_reason[0] = '\0';
	snprintf(cmp->support_version, sizeof(cmp->support_version), "libupc %s", lib->upc_version());
	upcp_sets_open(lib, opened.catalogue);
	upcp_names_open(lib, opened.catalogue);
	if (!live) {
		opened.replays = upcp_names_source() == UPC_SOURCE_REPLAY;
		opened.simulates = upcp_names_source() == UPC_SOURCE_SIMULATION;
	}
	if (!kernel_may_be_counted(&opened))
		restrict_to_user(cmp);
	*place = opened;
	return 0;
}

int upcp_describe(const struct upcp_opened *opened, PAPI_component_info_t *cmp)
{
	char text[sizeof(cmp->description)];
	/* No event has this code, so libupc reads all names before it answers. */
	int error = opened->lib->upc_catalogue_name(opened->catalogue, UINT32_MAX, NULL, NULL);

	if (error != UPC_ENOEVENT)
		return error;
	snprintf(text, sizeof(text), DESCRIPTION,
		 opened->replays     ? "A replay script's signals"
		 : opened->simulates ? "A simulated Blue Gene/P node's events"
				     : LIVE);
	append_missing(opened, text, sizeof(text));
	memcpy(cmp->description, text, sizeof(text));
	cmp->num_native_events = upcp_names_count();
	return 0;
}
