/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_names.c - presents the catalogue's events to PAPI as native codes, names with qualifiers, and
 * descriptions. This file includes only PAPI's public header.
 *
 * Terms: upc_set.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "upc_names.h"
#include "upc_qualifiers.h"
#include "upc_report.h"

static const char *const mode_names[] = {
	[UPC_MODE_HIGH] = "high",
	[UPC_MODE_RISE] = "rise",
	[UPC_MODE_FALL] = "fall",
	[UPC_MODE_LOW] = "low",
};
#define MODES (sizeof(mode_names) / sizeof(*mode_names))
#define MODE_KEY ":mode="

static const struct mpxi_libupc *lib;
static struct upc_catalogue *catalogue;

void upcp_names_open(const struct mpxi_libupc *library, struct upc_catalogue *opened)
{
	lib = library;
	catalogue = opened;
}

static int describe_native(unsigned int native, struct upc_event_info *info)
{
	*info = UPC_OPTIONS_INIT(upc_event_info);
	return lib->upc_catalogue_info(catalogue, native, info) ? PAPI_ENOEVNT : PAPI_OK;
}

static int name_has_mode(const char *name)
{
	return strstr(name, MODE_KEY) != NULL;
}

static int in_mode(const struct upc_event_info *info)
{
	return name_has_mode(info->name);
}

/*
 * Find the first event from code on that has a source and is not a signal mode of another event.
 * Only names are read: the description of each tracepoint would be read from a file.
 */
static int next_driven(uint32_t code, unsigned int *native)
{
	uint32_t count = lib->upc_catalogue_count(catalogue);

	for (; code < count; code++) {
		enum upc_source source;
		const char *name;

		if (!lib->upc_catalogue_name(catalogue, code, &name, &source) && source != UPC_SOURCE_NONE &&
		    !name_has_mode(name)) {
			*native = code;
			return PAPI_OK;
		}
	}
	return PAPI_ENOEVNT;
}

/*
 * Replace *native by the next signal mode of the event, or by the first mode if *native is the
 * event itself. An event with qualifiers has no modes.
 */
static int next_mode(unsigned int *native)
{
	struct upc_event_info info;
	char name[UPC_NAME_MAX + 16];
	unsigned int mode = 0;
	size_t length;
	uint32_t code;

	if (describe_native(*native, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	if (in_mode(&info))
		mode = (unsigned int)info.mode + 1;
	length = (size_t)snprintf(name, sizeof(name), "%s", info.name);
	if (length >= UPC_NAME_MAX)
		return PAPI_ENOEVNT;
	if (in_mode(&info)) {
		length = (size_t)(strstr(name, MODE_KEY) - name);
		name[length] = '\0';
		if (lib->upc_catalogue_find(catalogue, name, &code) ||
		    describe_native(code, &info) != PAPI_OK)
			return PAPI_ENOEVNT;
	}
	for (; mode < MODES; mode++) {
		if (!(info.modes & 1u << mode))
			continue;
		snprintf(name + length, sizeof(name) - length, MODE_KEY "%s", mode_names[mode]);
		if (lib->upc_catalogue_find(catalogue, name, &code))
			return PAPI_ENOEVNT;
		*native = code;
		return PAPI_OK;
	}
	return PAPI_ENOEVNT;
}

int upcp_enum_events(unsigned int *native, int modifier)
{
	const struct upcp_qualifiers *qualifiers;
	uint32_t code;

	switch (modifier) {
	case PAPI_ENUM_FIRST:
		return next_driven(0, native);
	case PAPI_ENUM_EVENTS:
		(void)upcp_qualifiers_split(*native, &code, &qualifiers);
		return next_driven(code + 1, native);
	case PAPI_NTV_ENUM_UMASKS:
	case PAPI_NTV_ENUM_UMASK_COMBOS:
		return next_mode(native);
	default:
		return PAPI_EINVAL;
	}
}

static int refuse_name(int error, const char *name, const char *why)
{
	char line[512];

	snprintf(line, sizeof(line), "'%.200s': %s", name, why);
	upcp_report(UPCP_REPORT_NAME, line);
	return error;
}

/* Find the event by its name without qualifiers. */
static int find_own_event(const char *name, const struct upcp_name_parts *parts, uint32_t *code)
{
	char event[UPC_NAME_MAX + 16];

	/* libupc reports a name that is too long. */
	if (!name[parts->event] || parts->event >= sizeof(event))
		return lib->upc_catalogue_find(catalogue, name, code);
	snprintf(event, sizeof(event), "%.*s", (int)parts->event, name);
	return lib->upc_catalogue_find(catalogue, event, code);
}

/* Find an event whose own name ends in ":flexible", such as a tracepoint tp::SYSTEM:flexible. */
static int find_whole(const char *name, struct upcp_name_parts *parts, uint32_t *code)
{
	if (lib->upc_catalogue_find(catalogue, name, code))
		return find_own_event(name, parts, code); /* again, for libupc's error message */
	*parts = (struct upcp_name_parts){.event = strlen(name)};
	return 0;
}

static int check_qualifiers(const char *name, const struct upcp_name_parts *parts)
{
	if (parts->cgroup && !parts->cgroup_length)
		return refuse_name(PAPI_EINVAL, name,
				   "cgroup= takes the directory of a control group, such as "
				   "cgroup=/sys/fs/cgroup/GROUP");
	if (parts->cgroup && strlen(name) + sizeof("upc:::") > PAPI_HUGE_STR_LEN)
		return refuse_name(PAPI_EINVAL, name,
				   "PAPI's names have at most 1023 characters with 'upc:::': name the "
				   "control group by a shorter path");
	return PAPI_OK;
}

static int qualify_code(const char *name, const struct upcp_name_parts *parts, uint32_t code,
			unsigned int *native)
{
	int number = 0;

	if (code >> UPCP_CODE_BITS)
		return PAPI_ENOEVNT;
	if (parts->flexible || parts->cgroup) {
		number = upcp_qualifiers_number(parts);
		if (number < 0)
			return PAPI_ENOMEM;
		if (!number)
			return refuse_name(
				PAPI_ECOUNT, name,
				"this process has named 2047 control groups, and PAPI's codes have "
				"no room for more: count in another process");
	}
	*native = (unsigned int)number << UPCP_CODE_BITS | code;
	return PAPI_OK;
}

/*
 * Find an event by name, and return its native code in *native. PAPI asks every component for a
 * name that has no prefix, so an unknown name is normal. It is reported only if the name can belong
 * to no other component.
 */
int upcp_name_to_code(const char *name, unsigned int *native)
{
	struct upcp_name_parts parts;
	enum upc_source source;
	uint32_t code;
	int error;

	upcp_qualifiers_cut(name, &parts);
	error = check_qualifiers(name, &parts);
	if (error)
		return error;
	error = find_own_event(name, &parts, &code);
	if (error && parts.flexible && !parts.cgroup)
		error = find_whole(name, &parts, &code);
	if (error) {
		if (strstr(name, "::") || strstr(name, MODE_KEY))
			upcp_report(UPCP_REPORT_NAME, lib->upc_last_message());
		return error == UPC_ENOSUPP ? PAPI_ENOSUPP : PAPI_ENOEVNT;
	}
	if (lib->upc_catalogue_name(catalogue, code, NULL, &source))
		return PAPI_ENOEVNT;
	if (source == UPC_SOURCE_NONE) {
		struct upc_event_info info;
		char line[512];

		if (describe_native(code, &info) != PAPI_OK)
			return PAPI_ENOEVNT;
		snprintf(line, sizeof(line), "nothing drives %s here: %s", info.name, info.why);
		upcp_report(UPCP_REPORT_NAME, line);
		return PAPI_ENOEVNT;
	}
	return qualify_code(name, &parts, code, native);
}

int upcp_code_to_name(unsigned int native, char *name, int size)
{
	const struct upcp_qualifiers *qualifiers;
	const char *known, *group = "";
	uint32_t code;
	int length;

	if (upcp_qualifiers_split(native, &code, &qualifiers) ||
	    lib->upc_catalogue_name(catalogue, code, &known, NULL))
		return PAPI_ENOEVNT;
	if (qualifiers)
		group = qualifiers->cgroup;
	length = snprintf(name, (size_t)size, "%s%s%s%s", known,
			  qualifiers && qualifiers->flexible ? ":flexible" : "", *group ? ":cgroup=" : "",
			  group);
	/* A truncated name would be the name of another event, or of none. */
	return length < size ? PAPI_OK : PAPI_EBUF;
}

int upcp_names_refuse_mix(unsigned int one, unsigned int other)
{
	char names[2][160] = {"", ""}, line[512];

	(void)upcp_code_to_name(one, names[0], sizeof(names[0]));
	(void)upcp_code_to_name(other, names[1], sizeof(names[1]));
	snprintf(line, sizeof(line),
		 "%s and %s are not for one set: all of its events have the same ':flexible' and ':cgroup=', "
		 "or none has; give each its own set",
		 names[0], names[1]);
	upcp_report(UPCP_REPORT_CONFLICT, line);
	return PAPI_ECNFLCT;
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

/*
 * Return a sentence about the event's signal mode. The string is empty if the name has no mode,
 * except for an event of a replay script.
 */
static const char *mode_sentence(const struct upc_event_info *info)
{
	static const char *const sentences[] = {
		[UPC_MODE_HIGH] = "Counts the cycles in which the signal is high.",
		[UPC_MODE_RISE] = "Counts low-high transitions of the signal.",
		[UPC_MODE_FALL] = "Counts high-low transitions of the signal.",
		[UPC_MODE_LOW] = "Counts the cycles in which the signal is low.",
	};

	if (!in_mode(info) && info->source != UPC_SOURCE_REPLAY)
		return "";
	return (unsigned int)info->mode < MODES ? sentences[info->mode] : "";
}

/* Append formatted text; text holds at most size - 1 characters afterwards. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

static void long_description(const struct upc_event_info *info, const struct upcp_qualifiers *qualifiers,
			     char *text, size_t size)
{
	size_t length = strlen(info->description);
	const char *stop = length && strchr(".!?", info->description[length - 1]) ? "" : ".";
	const char *mode = mode_sentence(info);
	const char *scope = upcp_qualifiers_name_group(qualifiers) ? "Scope: the control group, on all CPUs."
								   : scope_sentence(info->scope);

	snprintf(text, size, "%s%s %s Unit: %s; %s", info->description, stop, scope, info->unit,
		 info->kind == UPC_KIND_LEVEL ? "a level, as of the last read."
					      : "only grows, from 0 at the start.");
	if (qualifiers && qualifiers->flexible)
		append(text, size, " Flexible: gives way to others' pinned events.");
	if (*mode && !in_mode(info))
		append(text, size, " %s", mode);
	if (*info->driver && info->id != UPC_NO_ID && info->source != UPC_SOURCE_REPLAY &&
	    info->source != UPC_SOURCE_SIMULATION)
		append(text, size, " Driven by %s.", info->driver);
	if (*info->differs)
		append(text, size, " Differs from the chip's: %s", info->differs);
	/*
	 * PAPI's utilities search for "masks:" and print the text after it as the qualifier's
	 * description.
	 */
	if (in_mode(info))
		append(text, size, " masks:%s", mode);
}

/*
 * Copy the description up to the first "." or ";" into label. If that does not fit, copy whole
 * words and append "...".
 */
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
	const struct upcp_qualifiers *qualifiers;
	struct upc_event_info info;
	uint32_t code;

	if (upcp_qualifiers_split(native, &code, &qualifiers) || describe_native(code, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	long_description(&info, qualifiers, text, (size_t)size);
	return PAPI_OK;
}

int upcp_code_to_info(unsigned int native, PAPI_event_info_t *papi)
{
	const struct upcp_qualifiers *qualifiers;
	struct upc_event_info info;
	uint32_t code;
	int level;

	if (upcp_code_to_name(native, papi->symbol, sizeof(papi->symbol)) != PAPI_OK ||
	    upcp_qualifiers_split(native, &code, &qualifiers) || describe_native(code, &info) != PAPI_OK)
		return PAPI_ENOEVNT;
	level = info.kind == UPC_KIND_LEVEL;
	short_description(info.description, papi->short_descr, sizeof(papi->short_descr));
	long_description(&info, qualifiers, papi->long_descr, sizeof(papi->long_descr));
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

enum upc_source upcp_names_source(void)
{
	enum upc_source source;
	unsigned int native;

	if (next_driven(0, &native) != PAPI_OK || lib->upc_catalogue_name(catalogue, native, NULL, &source))
		return UPC_SOURCE_NONE;
	return source;
}

int upcp_names_count(void)
{
	unsigned int native;
	int n = 0;
	int result;

	for (result = next_driven(0, &native); result == PAPI_OK; result = next_driven(native + 1, &native))
		n++;
	return n;
}
