/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_info - what PAPI can tell about the component and its events: every
 * enumerated event has a name that leads back to it, a description and a unit.
 */
#include <ctype.h>

#include "papi_util.h"

static void component_info(const PAPI_component_info_t *info)
{
	ok(strcmp(info->short_name, "upc") == 0, "short name");
	ok(info->num_cntrs == 256, "256 counters");
	ok(info->num_mpx_cntrs >= info->num_cntrs, "no fewer events than counters");
	ok(info->attach && info->cpu && info->inherit, "attach, CPU and inherit");
	ok(strncmp(info->support_version, "libupc ", 7) == 0, "library: %s", info->support_version);
	ok(!info->disabled_reason[0], "no reason for being disabled");
	note("%s", info->description);
}

static int good_text(const char *text)
{
	size_t i;

	if (!*text)
		return 0;
	for (i = 0; text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			return 0;
	return 1;
}

static int modes_of(int code, int component, int *right)
{
	int modes = 0;

	while (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK) {
		PAPI_event_info_t info;
		int again;

		if (PAPI_get_event_info(code, &info) != PAPI_OK || !strstr(info.symbol, ":mode=") ||
		    PAPI_event_name_to_code(info.symbol, &again) != PAPI_OK)
			*right = 0;
		if (++modes > 4)
			break;
	}
	return modes;
}

static void events(int component, int announced)
{
	int code = PAPI_NATIVE_MASK;
	int names = 1, trips = 1, texts = 1, types = 1, modes_right = 1;
	int count = 0, modes = 0;
	int more;

	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		char name[PAPI_MAX_STR_LEN], back[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;
		int again;

		count++;
		if (PAPI_event_code_to_name(code, name) != PAPI_OK ||
		    PAPI_get_event_info(code, &info) != PAPI_OK || strcmp(name, info.symbol) ||
		    strncmp(name, "upc:::", 6)) {
			note("event %d has no good name", count);
			names = 0;
			continue;
		}
		if (PAPI_event_name_to_code(name, &again) != PAPI_OK ||
		    PAPI_event_code_to_name(again, back) != PAPI_OK || strcmp(name, back)) {
			note("%s does not lead back to itself", name);
			trips = 0;
		}
		if (!good_text(info.long_descr) || !good_text(info.short_descr) || !good_text(info.units) ||
		    !strstr(info.long_descr, "Scope: ")) {
			note("%s: \"%s\" \"%s\" \"%s\"", name, info.short_descr, info.long_descr, info.units);
			texts = 0;
		}
		if ((info.value_type == PAPI_VALUETYPE_ABSOLUTE) != (info.timescope == PAPI_TIMESCOPE_POINT))
			types = 0;
		if (info.component_index != component)
			types = 0;
		modes += modes_of(code, component, &modes_right);
	}
	ok(count > 0, "%d events", count);
	ok(count == announced, "as many as announced: %d", announced);
	ok(names, "every event has a name with the component's prefix");
	ok(trips, "every name leads to its event, and back");
	ok(texts, "every event has a description with its scope, a label and a unit");
	ok(types, "levels are absolute, counts are sums");
	ok(modes_right, "every qualified name is one (%d)", modes);
}

static void known_event(void)
{
	PAPI_event_info_t info;
	int code, lower;

	if (!ok(PAPI_event_name_to_code(FAULTS, &code) == PAPI_OK, FAULTS " is here"))
		return;
	ok(PAPI_query_event(code) == PAPI_OK, "it can be queried");
	ok(PAPI_get_event_info(code, &info) == PAPI_OK && info.value_type == PAPI_VALUETYPE_RUNNING_SUM,
	   "it is a sum");
	note("%s | %s | %s", info.short_descr, info.long_descr, info.units);
	ok(PAPI_event_name_to_code("upc:::perf::page-faults", &lower) == PAPI_OK,
	   "its name may be written in lower case");
}

int main(void)
{
	int component = start_papi();
	const PAPI_component_info_t *info = PAPI_get_component_info(component);

	component_info(info);
	events(component, info->num_native_events);
	known_event();
	PAPI_shutdown();
	return done();
}
