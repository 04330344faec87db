/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_events.c - the events that upc_stat counts: selected before anything runs, then added to units if the
 * machine allows.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_events.h"

#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/list.h"

#define REPORT_NAMES 4 /* names in one message; a machine can refuse hundreds of events for one reason */
#define REPORT_TEXT (REPORT_NAMES * (UPC_NAME_MAX + 2) + 40)

void stat_events_free(struct stat_events *events)
{
	for (unsigned i = 0; i < events->n_refused; i++)
		free(events->refused[i].reason);
	free(events->refused);
	free(events->wanted);
	free(events->named);
	free(events->info);
	free(events->code);
	free(events->ratio);
	free(events->term);
}

/* ---- choosing ---------------------------------------------------------- */

static int fail_events_memory(void)
{
	util_error("out of memory");
	return -1;
}

static int want_event(struct stat_events *events, const struct upc_event_info *info)
{
	for (unsigned i = 0; i < events->n_wanted; i++)
		if (events->wanted[i].code == info->code)
			return 0; /* named twice, or also matched by a glob */
	if (!util_resize(&events->wanted, events->n_wanted + 1, sizeof(*info)))
		return fail_events_memory();
	events->wanted[events->n_wanted++] = *info;
	events->quota = events->n_wanted;
	return 0;
}

static int want_name(struct stat_events *events, const char *name)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uint32_t code;

	if (upc_catalogue_find(events->catalogue, name, &code) != 0 ||
	    upc_catalogue_info(events->catalogue, code, &info) != 0) {
		util_error("%s", upc_last_message());
		return -1;
	}
	if (info.source == UPC_SOURCE_NONE) {
		util_error("%s: nothing drives it here: %s", info.name,
			   info.why != NULL && info.why[0] != '\0' ? info.why : "no source is known");
		return -1;
	}
	if (!util_grow(&events->named, events->n_named, sizeof(code)))
		return fail_events_memory();
	events->named[events->n_named++] = info.code;
	return want_event(events, &info);
}

static int want_glob(struct stat_events *events, const char *pattern)
{
	uint32_t count = upc_catalogue_count(events->catalogue);
	unsigned matches = 0;

	for (uint32_t code = 0; code < count; code++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

		if (upc_catalogue_info(events->catalogue, code, &info) != 0 ||
		    info.source == UPC_SOURCE_NONE || !util_match_event(pattern, info.name))
			continue;
		matches++;
		if (want_event(events, &info) != 0)
			return -1;
	}
	if (matches > 0)
		return 0;
	util_no_match(events->catalogue, pattern);
	return -1;
}

int stat_events_parse(struct stat_events *events, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	unsigned names = 0;
	int result = 0;

	if (copy == NULL)
		return fail_events_memory();
	while (result == 0 && (name = strsep(&rest, ",")) != NULL) {
		name += strspn(name, " \t\n");
		for (size_t n = strlen(name); n > 0 && strchr(" \t\n", name[n - 1]) != NULL; n--)
			name[n - 1] = '\0';
		if (name[0] == '\0')
			continue;
		names++;
		name += util_papi_prefix(name);
		result = util_is_glob(name) ? want_glob(events, name) : want_name(events, name);
	}
	free(copy);
	if (result == 0 && names == 0) {
		util_error("-e wants names of events, '%s' has none", list);
		return -1;
	}
	return result;
}

int stat_events_choose(struct stat_events *events, enum stat_choice kind)
{
	unsigned n;
	struct upc_event_info *every = util_catalogue_events(events->catalogue, &n);
	unsigned *order = calloc(n + 1, sizeof(*order));
	int chosen = UPC_ENOMEM;

	if (every != NULL && order != NULL)
		chosen = stat_select(kind, every, n, order);
	if (chosen > 0)
		events->wanted = calloc((unsigned)chosen, sizeof(*events->wanted));
	if (events->wanted != NULL)
		for (unsigned i = 0; i < (unsigned)chosen; i++)
			if (!events->of_group || every[order[i]].scope == UPC_SCOPE_CONTEXT)
				events->wanted[events->n_wanted++] = every[order[i]];
	free(every);
	free(order);
	if (chosen == 0) {
		util_error("nothing can be counted here; upc_avail --missing says what is missing");
		return -1;
	}
	if (chosen < 0 || events->wanted == NULL)
		return fail_events_memory();
	events->quota = kind == STAT_CHOICE_ALL ? STAT_ALL_EVENTS : STAT_DEFAULT_EVENTS;
	return 0;
}

/* ---- adding ------------------------------------------------------------ */

/* Return true if each own unit counts the event separately, false if the shared unit counts the event for all
 * parts. */
static bool is_own_event(const struct stat_events *events, const struct upc_event_info *info)
{
	return info->scope == UPC_SCOPE_CONTEXT || info->scope == UPC_SCOPE_THREAD ||
	       (events->by_process && info->scope == UPC_SCOPE_PROCESS);
}

static bool stat_events_is_named(const struct stat_events *events, uint32_t code)
{
	for (unsigned i = 0; i < events->n_named; i++)
		if (events->named[i] == code)
			return true;
	return false;
}

static int stat_events_refuse(struct stat_events *events, const struct upc_event_info *info, int error)
{
	const char *message = upc_last_message(), *name = info->name;
	size_t length = strlen(name);
	struct stat_refused *refused;

	if (!util_grow(&events->refused, events->n_refused, sizeof(*refused)))
		return UPC_ENOMEM;
	refused = &events->refused[events->n_refused];
	if (events->of_places && (info->scope == UPC_SCOPE_THREAD || info->scope == UPC_SCOPE_PROCESS))
		message = "not available with -a, -C and -G, which count no single process; use -p";
	else if (message[0] == '\0')
		message = upc_strerror(error);
	/* Most messages begin with the event's name, which the report already prints. */
	if (strncmp(message, name, length) == 0 && strncmp(message + length, ": ", 2) == 0)
		message += length + 2;
	refused->name = name;
	refused->named = stat_events_is_named(events, info->code);
	refused->reason = strdup(message);
	if (refused->reason == NULL)
		return UPC_ENOMEM;
	events->n_refused++;
	return 0;
}

/* Return the number of terms if the event is a ratio of counts, with the terms' codes; otherwise return 0. */
static unsigned ratio_terms(const struct stat_events *events, const struct upc_event_info *info,
			    uint32_t codes[UPC_COUNTERS])
{
	int n = info->kind == UPC_KIND_LEVEL
			? upc_catalogue_terms(events->catalogue, info->code, codes, UPC_COUNTERS)
			: 0;

	for (int i = 0; i < n; i++) {
		struct upc_event_info term = UPC_OPTIONS_INIT(upc_event_info);

		if (upc_catalogue_info(events->catalogue, codes[i], &term) != 0 ||
		    term.kind != UPC_KIND_COUNT)
			return 0;
	}
	return n > 0 ? (unsigned)n : 0;
}

static int add_ratios(struct stat_events *events, struct upc_unit *own)
{
	events->ratio = calloc(events->n_own + 1, sizeof(*events->ratio));
	if (events->ratio == NULL)
		return UPC_ENOMEM;
	for (unsigned i = 0; i < events->n_own; i++) {
		uint32_t codes[UPC_COUNTERS];
		unsigned n = ratio_terms(events, &events->info[i], codes);

		if (n == 0)
			continue;
		if (!util_resize(&events->term, events->n_terms + n, sizeof(codes[0])))
			return UPC_ENOMEM;
		memcpy(events->term + events->n_terms, codes, n * sizeof(codes[0]));
		events->ratio[events->n_ratios++] =
			(struct stat_ratio){.event = i, .first = events->n_terms, .n = n};
		events->n_terms += n;
		/* The unit already has counters for the terms, so the only possible error is lack of memory.
		 */
		for (unsigned k = 0; k < n; k++)
			if (upc_unit_add(own, codes[k]) != 0)
				return UPC_ENOMEM;
	}
	return 0;
}

int stat_events_add(struct stat_events *events, struct upc_unit *own, struct upc_unit *shared)
{
	unsigned room = events->n_wanted < events->quota ? events->n_wanted : events->quota;
	struct upc_event_info *other = calloc(room + 1, sizeof(*other));
	unsigned n_other = 0;
	int error = 0;

	events->info = calloc(room + 1, sizeof(*events->info));
	events->code = calloc(room + 1, sizeof(*events->code));
	if (events->info == NULL || events->code == NULL || other == NULL) {
		free(other);
		return UPC_ENOMEM;
	}
	for (unsigned i = 0; i < events->n_wanted && error == 0 && events->n_own + n_other < room; i++) {
		const struct upc_event_info *info = &events->wanted[i];
		bool is_other = shared != NULL && !is_own_event(events, info);

		error = upc_unit_add(is_other ? shared : own, info->code);
		if (error != 0)
			error = stat_events_refuse(events, info, error);
		else if (is_other)
			other[n_other++] = *info;
		else
			events->info[events->n_own++] = *info;
	}
	memcpy(events->info + events->n_own, other, n_other * sizeof(*other));
	free(other);
	events->n = events->n_own + n_other;
	for (unsigned i = 0; i < events->n; i++)
		events->code[i] = events->info[i].code;
	if (error == 0 && shared != NULL)
		error = add_ratios(events, own);
	return error != 0 ? error : (int)events->n;
}

/* Add all events and terms to a unit in one transaction, so that the unit has all of them or none. A unit
 * that lacks an event cannot be read with the full list of codes. */
static int give_unit_events(struct upc_unit *unit, const uint32_t *code, unsigned n, const uint32_t *term,
			    unsigned n_terms)
{
	struct upc_transaction *all;
	int error = upc_transaction_begin(unit, &all);

	if (error != 0)
		return error;
	for (unsigned i = 0; i < n && error == 0; i++)
		error = upc_transaction_add(all, code[i], UPC_ANY_COUNTER);
	for (unsigned i = 0; i < n_terms && error == 0; i++)
		error = upc_transaction_add(all, term[i], UPC_ANY_COUNTER);
	if (error == 0)
		return upc_transaction_commit(all);
	upc_transaction_abort(all);
	return error;
}

int stat_events_give(const struct stat_events *events, struct upc_unit *own, struct upc_unit *shared)
{
	int error = give_unit_events(own, events->code, events->n_own, events->term, events->n_terms);

	if (error == 0 && shared != NULL)
		error = give_unit_events(shared, events->code + events->n_own, events->n - events->n_own,
					 NULL, 0);
	return error;
}

/* Format "A, B and 3 others are": event `first` and later events that were refused for the same reason. */
static void stat_events_list(const struct stat_events *events, unsigned first, char text[REPORT_TEXT])
{
	unsigned n = 0, shown;
	size_t used = 0;

	for (unsigned i = first; i < events->n_refused; i++)
		n += strcmp(events->refused[i].reason, events->refused[first].reason) == 0;
	shown = n <= REPORT_NAMES ? n : REPORT_NAMES - 1;
	for (unsigned i = first, k = 0; k < shown && used < REPORT_TEXT; i++) {
		if (strcmp(events->refused[i].reason, events->refused[first].reason) != 0)
			continue;
		used += (size_t)snprintf(text + used, REPORT_TEXT - used, "%s%.*s",
					 k == 0                     ? ""
					 : k + 1 == n && shown == n ? " and "
								    : ", ",
					 UPC_NAME_MAX, events->refused[i].name);
		k++;
	}
	if (used < REPORT_TEXT && shown < n)
		used += (size_t)snprintf(text + used, REPORT_TEXT - used, " and %u others", n - shown);
	if (used < REPORT_TEXT)
		snprintf(text + used, REPORT_TEXT - used, n == 1 ? " is" : " are");
}

/* Return true if an event before event i was refused for the same reason. */
static bool stat_events_has_said(const struct stat_events *events, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (strcmp(events->refused[k].reason, events->refused[i].reason) == 0)
			return true;
	return false;
}

int stat_events_report(const struct stat_events *events)
{
	char text[REPORT_TEXT];
	int result = 0;

	for (unsigned i = 0; i < events->n_refused; i++) {
		if (events->refused[i].named)
			result = -1;
		if (stat_events_has_said(events, i))
			continue;
		stat_events_list(events, i, text);
		util_error("%s not counted: %s", text, events->refused[i].reason);
	}
	return result;
}

/* ---- reading ----------------------------------------------------------- */

static void read_flags(struct upc_unit *unit, const uint32_t *code, unsigned n, unsigned *flags)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned now;

		if (upc_unit_flags(unit, &code[i], 1, &now) == 0)
			flags[i] |= now;
	}
}

int stat_events_read(struct upc_unit *unit, const uint32_t *code, unsigned n, uint64_t *values,
		     unsigned *flags)
{
	int error = upc_unit_read_events(unit, code, n, values);

	/* Read the flags of a stopped unit in any case: upc_unit_stop already returned the error of the final
	 * values, and a read of a stopped unit does not return that error again. */
	if (error == UPC_ELOST || error == UPC_EPARTIAL || !upc_unit_running(unit))
		read_flags(unit, code, n, flags);
	return error;
}
