/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_open.c - opens the component, and says of it, or of why it is disabled, what
 * PAPI's users are to read. Of PAPI only its public header.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upc_names.h"
#include "upc_open.h"
#include "upc_set.h"

/* libupc asks the kernel. A script has no domains; what fails for want of memory or
 * descriptors forbids nothing. */
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

/* The names of what is missing go behind the description, as many as fit. */
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

/* What to do about a catalogue that cannot be opened; libupc says what is wrong. */
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

static int open_catalogue(PAPI_component_info_t *cmp, struct upcp_opened *opened)
{
	const struct upcp_library *lib = opened->lib;
	int error = lib->upc_catalogue_open(NULL, &opened->catalogue);
	const char *message, *remedy;

	if (!error)
		return PAPI_OK;
	message = *lib->upc_last_message() ? lib->upc_last_message() : lib->upc_strerror(error);
	remedy = remedy_for(error, message);
	/* A long reason keeps its remedy and loses of its cause. */
	snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "%.*s%s%s",
		 (int)(sizeof(cmp->disabled_reason) - strlen(remedy) - 3), message, *remedy ? ". " : "",
		 remedy);
	return PAPI_ECMP;
}

int upcp_open(PAPI_component_info_t *cmp, struct upcp_opened *opened)
{
	opened->lib = upcp_library_find(cmp->disabled_reason, sizeof(cmp->disabled_reason));
	if (!opened->lib || open_catalogue(cmp, opened) != PAPI_OK)
		return PAPI_ECMP;
	if (upcp_sets_open(opened->lib, opened->catalogue)) {
		opened->lib->upc_catalogue_close(opened->catalogue);
		snprintf(cmp->disabled_reason, sizeof(cmp->disabled_reason), "Out of memory.");
		return PAPI_ENOMEM;
	}
	cmp->disabled_reason[0] = '\0';
	snprintf(cmp->support_version, sizeof(cmp->support_version), "libupc %s", opened->lib->upc_version());
	upcp_names_open(opened->lib, opened->catalogue);
	opened->replays = upcp_names_source() == UPC_SOURCE_REPLAY;
	opened->simulates = upcp_names_source() == UPC_SOURCE_SIMULATION;
	snprintf(cmp->description, sizeof(cmp->description), "%s, 256 counted at once",
		 opened->replays     ? "A replay script's signals"
		 : opened->simulates ? "A simulated Blue Gene/P node's events"
				     : "This machine's events");
	append_missing(opened, cmp->description, sizeof(cmp->description));
	cmp->num_native_events = upcp_names_count();
	cmp->default_domain = PAPI_DOM_USER;
	cmp->available_domains = PAPI_DOM_USER;
	if (kernel_may_be_counted(opened))
		cmp->available_domains |= PAPI_DOM_KERNEL | PAPI_DOM_SUPERVISOR;
	cmp->default_granularity = PAPI_GRN_THR;
	return PAPI_OK;
}
