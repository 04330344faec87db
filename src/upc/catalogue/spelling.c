/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spelling.c - finds events of the catalogue by the names that perf and PAPI have for them.
 * Terms: catalogue/catalogue.h.
 */
#include "catalogue/spelling.h"

#include <stdio.h>
#include <string.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/catalogue.h"
#include "base/message.h"
#include "base/text.h"

static const struct upci_spelling rows[] = {
#define SPELLING(NAME, EVENT, OTHER, COUNTED, MODEL) \
	{.name = NAME, .event = EVENT, .other = OTHER, .counted = COUNTED, .model = MODEL},
#include "catalogue/spellings.def"
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
#define PMU_OF_PERF "perf::"

const struct upci_spelling *upci_spelling_find(const char *name)
{
	size_t n = strcspn(name, ":"), i;

	for (i = 0; i < ROWS; i++)
		if (!strncmp(rows[i].name, name, n) && !rows[i].name[n])
			return &rows[i];
	return NULL;
}

/* Return the code of a listed event that has a source, or UPC_ENOEVENT. */
static int64_t spelling_driven(struct upc_catalogue *c, const char *event)
{
	int64_t code = event ? upci_catalogue_lookup_folded(c, event) : UPC_ENOEVENT;

	if (code >= 0 && upci_catalogue_event(c, (uint32_t)code)->driver.source == UPC_SOURCE_NONE)
		return UPC_ENOEVENT;
	return code;
}

static int64_t spelling_listed(struct upc_catalogue *c, const struct upci_spelling *row)
{
	int64_t code = spelling_driven(c, row->event);

	return code >= 0 ? code : spelling_driven(c, row->other);
}

/* ---- the reason why no source counts an event --------------------------------- */

static const char *spelling_reason(struct upc_catalogue *c)
{
	static const char counters[] = "hardware counters: ";
	const char *sentence;
	unsigned i;

	if (upci_catalogue_script(c))
		return "UPC_SOURCE has a replay script drive the unit";
	if (upci_catalogue_node(c))
		return "the program runs on a simulated node";
	for (i = 0; (sentence = upci_catalogue_missing(c, i)); i++)
		if (!strncmp(sentence, counters, sizeof(counters) - 1))
			return sentence + sizeof(counters) - 1;
	return "the kernel has no counter for it on this machine";
}

static int spelling_fail(struct upc_catalogue *c, const struct upci_spelling *row, const char *name)
{
	const char *reason = spelling_reason(c);

	if (upci_catalogue_script(c) || (upci_catalogue_node(c) && !row->model))
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here: %s", name, reason);
	if (upci_catalogue_node(c))
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here: %s, and upc_run does not model %s",
				 name, reason, row->model);
	if (row->counted)
		return upci_fail(UPC_ENOEVENT,
				 "no event '%.200s' here: %s; 'upc_run -e %s PROGRAM' counts it exactly, in "
				 "a simulator",
				 name, reason, row->counted);
	return upci_fail(UPC_ENOEVENT,
			 "no event '%.200s' here: %s; upc_run does not count it either, since it does not "
			 "model %s",
			 name, reason, row->model);
}

int64_t upci_spelling_explain(struct upc_catalogue *c, const char *event, int64_t error)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (!upci_fold_compare(rows[i].event, event) && (rows[i].counted || rows[i].model))
			return spelling_fail(c, &rows[i], event);
	return error;
}

/* ---- lookup --------------------------------------------------------------------- */

/* Convert perf's modifiers, such as ":uk", to libpfm4's, ":u:k". Return 0, or UPC_ENOSUPP with message. */
static int spelling_modifiers(const char *name, const char *modifiers, char text[8])
{
	size_t n = strlen(modifiers);

	if (n < 2 || strspn(modifiers + 1, "uk") != n - 1)
		return upci_fail(
			UPC_ENOSUPP,
			"'%.200s': of perf's modifiers there are ':u' (user mode), ':k' (the kernel) "
			"and ':uk' here, not '%.20s'",
			name, modifiers);
	snprintf(text, 8, "%s%s", strchr(modifiers, 'u') ? ":u" : "", strchr(modifiers, 'k') ? ":k" : "");
	return 0;
}

static int64_t spelling_modified(struct upc_catalogue *c, const char *name, const char *modifiers,
				 int64_t plain)
{
	const char *event = upci_catalogue_event(c, (uint32_t)plain)->name;
	char text[8], whole[UPC_NAME_MAX + 8];
	int64_t code;
	int error;

	if (!strncmp(name, "PAPI_", 5) || strncmp(event, PMU_OF_PERF, strlen(PMU_OF_PERF)))
		return upci_fail(UPC_ENOSUPP, "'%.200s': %s takes no modifier", name, event);
	error = spelling_modifiers(name, modifiers, text);
	if (error)
		return error;
	snprintf(whole, sizeof(whole), "%s%s", event, text);
	code = upci_catalogue_lookup(c, whole);
	return code >= 0 ? code : upci_pfm_resolve(c, whole);
}

static int64_t spelling_in_row(struct upc_catalogue *c, const struct upci_spelling *row, const char *name)
{
	const char *modifiers = name + strlen(row->name);
	int64_t code = spelling_listed(c, row);

	/* Another release of libpfm4 may list the event under another name. */
	if (code < 0 && !upci_catalogue_script(c) && !upci_catalogue_node(c) &&
	    !strncmp(row->event, PMU_OF_PERF, strlen(PMU_OF_PERF))) {
		code = upci_pfm_resolve(c, row->event);
		if (code == UPC_ENOMEM || code == UPC_EMFILE)
			return code;
	}
	if (code < 0 && (row->counted || row->model || upci_catalogue_script(c) || upci_catalogue_node(c)))
		return spelling_fail(c, row, name);
	if (code == UPC_ENOEVENT)
		return upci_fail(UPC_ENOEVENT, "no event '%.200s' here: the kernel does not count it", name);
	return code < 0 || !*modifiers ? code : spelling_modified(c, name, modifiers, code);
}

/* Find an event of a PMU: "msr/tsc/" is msr::tsc. */
static int64_t spelling_of_pmu(struct upc_catalogue *c, const char *name)
{
	size_t n = strlen(name), pmu = strcspn(name, "/");
	char event[UPC_NAME_MAX + 1];

	if (!pmu || pmu + 2 >= n || name[n - 1] != '/')
		return UPC_ENOEVENT;
	snprintf(event, sizeof(event), "%.*s::%.*s", (int)pmu, name, (int)(n - pmu - 2), name + pmu + 1);
	return upci_catalogue_lookup(c, event);
}

static int64_t spelling_of_tracepoint(struct upc_catalogue *c, const char *name)
{
	const char *colon = strchr(name, ':'), *modifiers = colon ? strchr(colon + 1, ':') : NULL, *sentence;
	char event[UPC_NAME_MAX + 8];
	int64_t code;
	unsigned i;

	if (!colon || colon == name || !colon[1])
		return UPC_ENOEVENT;
	snprintf(event, sizeof(event), "tp::%.*s", modifiers ? (int)(modifiers - name) : (int)strlen(name),
		 name);
	code = upci_catalogue_lookup(c, event);
	if (code >= 0 && modifiers)
		return upci_fail(UPC_ENOSUPP,
				 "'%.200s': a tracepoint lies in the kernel and takes no modifier", name);
	/* If all tracepoints are missing, give the reason for that. */
	for (i = 0; code < 0 && (sentence = upci_catalogue_missing(c, i)); i++)
		if (!strncmp(sentence, "tracepoints:", 12))
			return upci_fail(UPC_EPERM, "%.200s: no %s", name, sentence);
	return code;
}

int64_t upci_spelling_resolve(struct upc_catalogue *c, const char *name)
{
	const struct upci_spelling *row;
	int64_t code;

	if (strstr(name, "::"))
		return UPCI_NOT_SPELLED;
	row = upci_spelling_find(name);
	if (row)
		return spelling_in_row(c, row, name);
	code = strchr(name, '/') ? spelling_of_pmu(c, name) : spelling_of_tracepoint(c, name);
	return code == UPC_ENOEVENT ? UPCI_NOT_SPELLED : code;
}

const char *upci_spelling_list(struct upc_catalogue *c, const struct upci_event *event)
{
	char text[256] = "";
	struct upci_out out = {.text = text, .size = sizeof(text)};
	size_t i;

	for (i = 0; i < ROWS; i++) {
		int64_t code;

		if (strcmp(rows[i].event, event->name) &&
		    (!rows[i].other || strcmp(rows[i].other, event->name)))
			continue;
		code = spelling_listed(c, &rows[i]);
		if (code >= 0 && !strcmp(upci_catalogue_event(c, (uint32_t)code)->name, event->name))
			upci_out(&out, "%s%s", out.length ? ", " : "", rows[i].name);
	}
	return text[0] ? upci_catalogue_printf(c, "%s", text) : "";
}
