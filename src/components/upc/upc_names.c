/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_names.c - the catalogue's events as PAPI knows events: native codes, names
 * with mode qualifiers, descriptions. Of PAPI only its public header.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "upc_names.h"
#include "upc_report.h"

static const char *const mode_names[] = {
	[UPC_MODE_HIGH] = "high",
	[UPC_MODE_RISE] = "rise",
	[UPC_MODE_FALL] = "fall",
	[UPC_MODE_LOW] = "low",
};
#define MODES    (sizeof(mode_names) / sizeof(*mode_names))
#define MODE_KEY ":mode="

static const struct upcp_library *lib;
static struct upc_catalogue *catalogue;

void upcp_names_open(const struct upcp_library *library, struct upc_catalogue *opened)
{
	lib = library;
	catalogue = opened;
}

static int describe(unsigned int native, struct upc_event_info *info)
{
	*info = UPC_OPTIONS_INIT(upc_event_info);
	if ((native >> UPCP_CODE_BITS) > MODES)
		return PAPI_ENOEVNT;
	return lib->upc_catalogue_info(catalogue, native & UPCP_CODE_MASK, info) ? PAPI_ENOEVNT
										 : PAPI_OK;
}

/* The qualifier of a native code, or NULL. */
static const char *mode_of(unsigned int native)
{
	return native >> UPCP_CODE_BITS ? mode_names[(native >> UPCP_CODE_BITS) - 1] : NULL;
}

/* The high bits for a name that ends in a mode qualifier, or 0. */
static unsigned int mode_bits(const char *name)
{
	size_t length = strlen(name);
	unsigned int mode;

	for (mode = 0; mode < MODES; mode++) {
		char suffix[16];
		size_t n =
			(size_t)snprintf(suffix, sizeof(suffix), MODE_KEY "%s", mode_names[mode]);

		if (length > n && strcasecmp(name + length - n, suffix) == 0)
			return (mode + 1) << UPCP_CODE_BITS;
	}
	return 0;
}

/* Only Blue Gene/P events have modes, and of a machine's counts only their
 * increments can be seen: rise. */
static int has_modes(const struct upc_event_info *info)
{
	return info->id != UPC_NO_ID && info->source != UPC_SOURCE_NONE;
}

/* The first driven event from code on. */
static int next_driven(uint32_t code, unsigned int *native)
{
	uint32_t count = lib->upc_catalogue_count(catalogue);

	for (; code < count && code <= UPCP_CODE_MASK; code++) {
		struct upc_event_info info;

		if (describe(code, &info) == PAPI_OK && info.source != UPC_SOURCE_NONE) {
			*native = code;
			return PAPI_OK;
		}
	}
	return PAPI_ENOEVNT;
}

int upcp_enum_events(unsigned int *native, int modifier)
{
	struct upc_event_info info;

	switch (modifier) {
	case PAPI_ENUM_FIRST:
		return next_driven(0, native);
	case PAPI_ENUM_EVENTS:
		return next_driven((*native & UPCP_CODE_MASK) + 1, native);
	case PAPI_NTV_ENUM_UMASKS:
	case PAPI_NTV_ENUM_UMASK_COMBOS:
		if (mode_of(*native) || describe(*native, &info) != PAPI_OK || !has_modes(&info))
			return PAPI_ENOEVNT;
		*native |= (UPC_MODE_RISE + 1u) << UPCP_CODE_BITS;
		return PAPI_OK;
	default:
		return PAPI_EINVAL;
	}
}

/*
 * PAPI asks every component for a name that has no prefix: a miss is normal,
 * and worth a line only where the name can be nobody else's.
 */
int upcp_name_to_code(const char *name, unsigned int *native)
{
	struct upc_event_info info;
	uint32_t code;
	int error;

	error = lib->upc_catalogue_find(catalogue, name, &code);
	if (error) {
		if (strstr(name, "::"))
			upcp_report(UPCP_REPORT_NAME, lib->upc_last_message());
		return error == UPC_ENOSUPP ? PAPI_ENOSUPP : PAPI_ENOEVNT;
	}
	if (code > UPCP_CODE_MASK || describe(code, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	if (info.source == UPC_SOURCE_NONE) {
		char line[512];

		snprintf(line, sizeof(line), "nothing drives %s here: %s", info.name, info.why);
		upcp_report(UPCP_REPORT_NAME, line);
		return PAPI_ENOEVNT;
	}
	*native = code | (strstr(info.name, MODE_KEY) ? 0 : mode_bits(name));
	return PAPI_OK;
}

int upcp_code_to_name(unsigned int native, char *name, int size)
{
	struct upc_event_info info;
	const char *mode;
	int length;

	if (describe(native, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	mode = mode_of(native);
	length = snprintf(name, (size_t)size, "%s%s%s", info.name, mode ? MODE_KEY : "",
			  mode ? mode : "");
	/* Half a name is another event's, or nobody's. */
	return length < size ? PAPI_OK : PAPI_EBUF;
}

static const char *scope_sentence(enum upc_scope scope)
{
	switch (scope) {
	case UPC_SCOPE_THREAD:
		return "Scope: one thread.";
	case UPC_SCOPE_PROCESS:
		return "Scope: the whole process.";
	case UPC_SCOPE_CPU:
		return "Scope: the CPU in the name, whoever runs there.";
	case UPC_SCOPE_MACHINE:
		return "Scope: the whole machine, everybody's activity.";
	case UPC_SCOPE_CONTEXT:
	default:
		return "Scope: what the event set is attached to, by default its thread.";
	}
}

static void long_description(const struct upc_event_info *info, const char *mode, char *text,
			     size_t size)
{
	size_t length = strlen(info->description);
	const char *stop = length && strchr(".!?", info->description[length - 1]) ? "" : ".";

	snprintf(text, size, "%s%s %s Unit: %s; %s%s%s%s%s", info->description, stop,
		 scope_sentence(info->scope), info->unit,
		 info->kind == UPC_KIND_LEVEL ? "a level, as of the last read."
					      : "only grows, from 0 at the start.",
		 mode ? " Counts low-high transitions of the signal." : "",
		 *info->driver && has_modes(info) ? " Driven by " : "",
		 has_modes(info) ? info->driver : "", *info->driver && has_modes(info) ? "." : "");
	if (*info->differs) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, " Differs from the chip's: %s", info->differs);
	}
}

/* As much of a description as a label can hold, in whole words. */
static void short_description(const char *description, char *label, size_t size)
{
	size_t length = strcspn(description, ".;");

	if (description[length] && description[length + 1] && description[length + 1] != ' ')
		length = strlen(description);
	if (length >= size) {
		length = size - 4;
		while (length && description[length] != ' ')
			length--;
		snprintf(label, size, "%.*s...", (int)length, description);
		return;
	}
	snprintf(label, size, "%.*s", (int)length, description);
}

int upcp_code_to_descr(unsigned int native, char *text, int size)
{
	struct upc_event_info info;

	if (describe(native, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	long_description(&info, mode_of(native), text, (size_t)size);
	return PAPI_OK;
}

int upcp_code_to_info(unsigned int native, PAPI_event_info_t *papi)
{
	struct upc_event_info info;
	int level;

	if (upcp_code_to_name(native, papi->symbol, sizeof(papi->symbol)) != PAPI_OK ||
	    describe(native, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	level = info.kind == UPC_KIND_LEVEL;
	short_description(info.description, papi->short_descr, sizeof(papi->short_descr));
	long_description(&info, mode_of(native), papi->long_descr, sizeof(papi->long_descr));
	snprintf(papi->units, sizeof(papi->units), "%s", info.unit);
	papi->location = info.scope == UPC_SCOPE_MACHINE ? PAPI_LOCATION_UNCORE
			 : info.scope == UPC_SCOPE_CPU   ? PAPI_LOCATION_CPU
							 : PAPI_LOCATION_CORE;
	papi->data_type = PAPI_DATATYPE_UINT64;
	papi->value_type = level ? PAPI_VALUETYPE_ABSOLUTE : PAPI_VALUETYPE_RUNNING_SUM;
	papi->timescope = level ? PAPI_TIMESCOPE_POINT : PAPI_TIMESCOPE_SINCE_START;
	papi->update_type = PAPI_UPDATETYPE_PULL;
	return PAPI_OK;
}

int upcp_names_count(void)
{
	unsigned int native;
	int n = 0;
	int result;

	for (result = next_driven(0, &native); result == PAPI_OK;
	     result = next_driven(native + 1, &native))
		n++;
	return n;
}
