/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lookup.c - the public lookups in a catalogue: from names to codes, and from codes to events.
 * Terms: catalogue/catalogue.h.
 */
#include <string.h>

#include "catalogue/catalogue.h"
#include "catalogue/cat_pfm.h"
#include "catalogue/driver.h"
#include "catalogue/on_demand.h"
#include "catalogue/spelling.h"
#include "base/message.h"
#include "base/sized.h"
#include "base/text.h"
#include "base/words.h"

enum { NO_MODE = -1, BAD_MODE = -2 };

/* Remove ":mode=..." from the end of name. Return an upc_mode, or one of the two values above. */
static int cut_mode(char *name)
{
	char *at = strstr(name, UPCI_MODE_KEY);
	int i;

	if (!at)
		return NO_MODE;
	for (i = 0; i < 4; i++)
		if (!upci_fold_compare(at + strlen(UPCI_MODE_KEY), upci_mode_names[i])) {
			*at = 0;
			return i;
		}
	return BAD_MODE;
}

static int64_t find_name_or_prefixed(struct upc_catalogue *c, const char *name)
{
	static const char *const prefixes[] = {"PNE_BGP_", "BGP_"};
	int64_t code;
	unsigned i;

	code = upci_catalogue_lookup_folded(c, name);
	for (i = 0; code < 0 && i < 2; i++)
		if (!upci_fold_compare_n(name, prefixes[i], strlen(prefixes[i]))) {
			code = upci_catalogue_lookup_folded(c, name + strlen(prefixes[i]));
			if (code >= 0 && upci_catalogue_event(c, (uint32_t)code)->id == UPC_NO_ID)
				code = UPC_ENOEVENT;
		}
	return code;
}

static int lookup_nearest(struct upc_catalogue *c, const char *name, const char **names, int max)
{
	return strpbrk(name, "*?[") ? upci_catalogue_nearest_patterns(c, name, names, max)
				    : upci_catalogue_nearest(c, name, names, max, false);
}

static int fail_unknown_event(struct upc_catalogue *c, const char *name)
{
	const char *near[3], *sentence;
	int n;
	unsigned i;

	if (upci_catalogue_script(c) && strstr(name, "::"))
		return upci_fail(
			UPC_ENOEVENT,
			"no event '%.200s': UPC_SOURCE has a replay script drive the unit, and there "
			"are Blue Gene/P names and formulas over them only",
			name);
	if (upci_catalogue_node(c) && strstr(name, "::") && strncmp(name, "time::", 6))
		return upci_fail(
			UPC_ENOEVENT,
			"no event '%.200s' on the simulated node, which has Blue Gene/P names, clocks "
			"and /proc; run the program without upc_run to count this machine's",
			name);
	/* If all tracepoints are missing, give the reason for that. */
	for (i = 0; !strncmp(name, "tp::", 4) && (sentence = upci_catalogue_missing(c, i)); i++)
		if (!strncmp(sentence, "tracepoints:", 12))
			return upci_fail(UPC_EPERM, "%.200s: no %s", name, sentence);
	n = lookup_nearest(c, name, near, 3);
	switch (n) {
	case 0:
		if (!strncmp(name, "PAPI_", 5))
			return upci_fail(
				UPC_ENOEVENT,
				"no event '%.200s' here: presets of PAPI are taken where an event of "
				"the catalogue counts the same; upc_avail PAPI_ lists those",
				name);
		return upci_fail(UPC_ENOEVENT,
				 "no event '%.200s' here, nor one with a name like it; "
				 "upc_avail lists what there is",
				 name);
	case 1:
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here; did you mean %s?", name, near[0]);
	case 2:
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here; did you mean %s or %s?", name,
				 near[0], near[1]);
	default:
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here; did you mean %s, %s or %s?", name,
				 near[0], near[1], near[2]);
	}
}

/* Find an event by a name of perf, PAPI or libpfm4. Return its code, or an error with message. */
static int64_t find_spelled(struct upc_catalogue *c, const char *name)
{
	int64_t found = upci_spelling_resolve(c, name);

	if (found != UPCI_NOT_SPELLED)
		return found;
	if (upci_catalogue_script(c) || upci_catalogue_node(c))
		return fail_unknown_event(c, name);
	found = upci_pfm_resolve(c, name);
	if (found == UPC_ENOSUPP)
		found = upci_spelling_explain(c, name, found);
	else if (found == UPC_ENOEVENT)
		found = fail_unknown_event(c, name);
	return found;
}

/* Find a name without a mode. Return its code, or an error with message. */
static int64_t find_bare(struct upc_catalogue *c, const char *name)
{
	int64_t found = upci_catalogue_find_alone(c, name);
	int error;

	if (found != UPC_ENOEVENT)
		return found;
	error = upci_catalogue_complete(c);
	if (error)
		return error;
	found = find_name_or_prefixed(c, name);
	return found < 0 ? find_spelled(c, name) : found;
}

int upc_catalogue_find(struct upc_catalogue *c, const char *name, uint32_t *code)
{
	char bare[UPC_NAME_MAX + 16];
	struct upci_words_kept words;
	int64_t found;
	int mode;

	(void)upci_words_prepare();
	upci_words_keep(&words);
	if (!c || !name || !code)
		return upci_fail(UPC_EINVAL, "upc_catalogue_find: catalogue, name and code are needed");
	if (strlen(name) >= sizeof(bare))
		return upci_fail(UPC_ENOEVENT, "an event name has at most %d characters, this one has %zu",
				 UPC_NAME_MAX - 1, strlen(name));
	strcpy(bare, name);
	mode = cut_mode(bare);
	if (mode == BAD_MODE)
		return upci_fail(UPC_ENOSUPP, "'%.200s': a mode is rise, fall, high or low", name);
	found = find_bare(c, bare);
	if (found < 0)
		return (int)found;
	if (mode != NO_MODE)
		found = upci_catalogue_in_mode(c, (uint32_t)found, (enum upc_mode)mode);
	if (found < 0)
		return (int)found;
	upci_words_restore(&words);
	*code = (uint32_t)found;
	return 0;
}

/* Fill in the texts that are composed on demand, once per event. */
static const struct upci_event *describe_on_demand(struct upc_catalogue *c, const struct upci_event *event)
{
	struct upci_event with = *event;
	char text[1024] = "";
	int64_t code;

	if (!with.description) {
		upci_tracepoint_describe(event, text, sizeof(text));
		with.description = upci_catalogue_printf(c, "%s", text);
	}
	text[0] = 0;
	if (event->driver.source != UPC_SOURCE_NONE)
		upci_driver_print(c, &event->driver, text, sizeof(text));
	with.driver_text = text[0] ? upci_catalogue_printf(c, "%s", text) : "";
	with.also = upci_spelling_list(c, event);
	if (!with.driver_text || !with.description || !with.also)
		return NULL;
	code = upci_catalogue_put(c, &with);
	return code < 0 ? NULL : upci_catalogue_event(c, (uint32_t)code);
}

/* Get the event of a code. An unknown code may belong to a name that has not been read yet. */
static int lookup_code(struct upc_catalogue *c, uint32_t code, const struct upci_event **event)
{
	int error = 0;

	*event = upci_catalogue_event(c, code);
	if (!*event)
		error = upci_catalogue_complete(c);
	if (error)
		return error;
	*event = upci_catalogue_event(c, code);
	return *event ? 0 : upci_fail(UPC_ENOEVENT, "no event has the code %u", code);
}

int upc_catalogue_info(struct upc_catalogue *c, uint32_t code, struct upc_event_info *info)
{
	static const struct upci_sized sized = UPCI_SIZED_FROM_0(upc_event_info, upci_fail);
	const struct upci_event *event;
	struct upc_event_info full = {0};
	int error;

	(void)upci_words_prepare();
	if (!c)
		return upci_fail(UPC_EINVAL, "upc_catalogue_info: a catalogue is needed");
	error = upci_sized_check(&sized, info);
	if (error)
		return error;
	error = lookup_code(c, code, &event);
	if (error)
		return error;
	if (!event->description || !event->driver_text) {
		event = describe_on_demand(c, event);
		if (!event)
			return upci_fail(UPC_ENOMEM, "no memory to describe event %u", code);
	}
	full.code = code;
	full.name = event->name;
	full.description = event->description;
	full.unit = event->unit ? event->unit : "events";
	full.subsystem = event->subsystem ? event->subsystem : "";
	full.source = event->driver.source;
	full.scope = event->scope;
	full.kind = event->kind;
	full.id = event->id;
	full.driver = event->driver_text;
	full.why = event->why ? event->why : "";
	full.differs = event->differs ? event->differs : "";
	full.mode = upci_event_mode(event);
	full.modes = upci_event_modes(event);
	full.also = event->also;
	upci_sized_give(&sized, info, &full);
	return 0;
}

int upc_catalogue_name(struct upc_catalogue *c, uint32_t code, const char **name, enum upc_source *source)
{
	const struct upci_event *event;
	int error;

	if (!c)
		return upci_fail(UPC_EINVAL, "upc_catalogue_name: a catalogue is needed");
	error = lookup_code(c, code, &event);
	if (error)
		return error;
	if (name)
		*name = event->name;
	if (source)
		*source = event->driver.source;
	return 0;
}

/* ---- all names ------------------------------------------------------------- */

uint32_t upc_catalogue_count(struct upc_catalogue *c)
{
	(void)upci_catalogue_complete(c);
	return upci_catalogue_size(c);
}

int upc_catalogue_nearest(struct upc_catalogue *c, const char *name, const char **names, int max)
{
	(void)upci_catalogue_complete(c);
	return lookup_nearest(c, name, names, max);
}

const char *upc_catalogue_missing(struct upc_catalogue *c, unsigned i)
{
	(void)upci_catalogue_complete(c);
	return upci_catalogue_missing(c, i);
}
