/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring.c - the meaning of a wiring file's statements: looks up names and checks everything before the
 * catalogue is changed.
 * Terms: wiring/wiring.h, base/event.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/formula.h"
#include "base/message.h"
#include "catalogue/nearest.h"
#include "wiring/wiring.h"
#include "wiring/wiring_file.h"
#include "wiring/wiring_words.h"

/* ---- names ------------------------------------------------------------- */

static uint32_t *table_slot(struct upci_wiring_file *f, const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	const char *p;
	size_t i;

	for (p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	for (i = h & (f->table_size - 1); f->table[i]; i = (i + 1) & (f->table_size - 1))
		if (!strcmp(f->statement[f->table[i] - 1].event.name, name))
			break;
	return &f->table[i];
}

/* Compose "; did you mean A or B?", from the names in the catalogue and in the file. It may be slow, since it
 * is called only for a wrong file. */
static const char *suggest_event_names(struct upci_wiring_file *f, const char *name, char *text, size_t size)
{
	struct upci_nearest nearest = {0};
	const char *names[2];
	size_t i;
	int n;

	nearest.max = 2;
	n = upci_catalogue_nearest(f->c, name, names, 2, true);
	for (i = 0; i < (size_t)n; i++)
		upci_nearest_offer(&nearest, name, names[i]);
	for (i = 0; i < f->count; i++)
		if (f->statement[i].code < 0 && f->statement[i].verb != UPCI_VERB_REMOVE)
			upci_nearest_offer(&nearest, name, f->statement[i].event.name);
	text[0] = 0;
	if (nearest.count == 1)
		snprintf(text, size, "; did you mean %.120s?", nearest.name[0]);
	else if (nearest.count > 1)
		snprintf(text, size, "; did you mean %.120s or %.120s?", nearest.name[0], nearest.name[1]);
	return text;
}

/* Return X if name is BGP_X or PNE_BGP_X and X is a Blue Gene/P name; else NULL. These spellings of X must
 * not become names of other events. */
static const char *blue_gene_alias(struct upci_wiring_file *f, const char *name)
{
	const char *bare = !strncmp(name, "PNE_BGP_", 8) ? name + 8
			   : !strncmp(name, "BGP_", 4)   ? name + 4
							 : NULL;
	int64_t code = bare ? upci_catalogue_lookup(f->c, bare) : -1;

	return code >= 0 && upci_catalogue_event(f->c, (uint32_t)code)->id != UPC_NO_ID ? bare : NULL;
}

static int check_statement_name(struct upci_wiring_file *f, const struct upci_statement *s)
{
	const struct upci_event *event = upci_wiring_known(f, s);
	const char *name = s->event.name, *alias = event ? NULL : blue_gene_alias(f, name);
	bool blue_gene = alias || (event && event->id != UPC_NO_ID);
	char suggestion[280];

	if (alias)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected an event name, found '%.100s'; in a wiring file "
					"this event is '%s'",
					name, alias);
	if (s->verb == UPCI_VERB_REMOVE && blue_gene)
		return upci_lex_fail_at(
			&f->lex, s->name_at,
			"expected an event that can be removed, found the Blue "
			"Gene/P event '%s': it belongs to the unit (without a 'drive' it has no "
			"source)",
			name);
	if ((s->verb == UPCI_VERB_REMOVE || s->verb == UPCI_VERB_DRIVE) && !event)
		return upci_lex_fail_at(&f->lex, s->name_at, "expected %s, found '%.100s'%s",
					s->verb == UPCI_VERB_REMOVE ? "the name of an event"
								    : "the name of a Blue Gene/P event",
					name, suggest_event_names(f, name, suggestion, sizeof(suggestion)));
	if (s->verb == UPCI_VERB_DRIVE && !blue_gene)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected the name of a Blue Gene/P event, found "
					"'%.100s', an event of this machine: use 'event'",
					name);
	if ((s->verb == UPCI_VERB_EVENT || s->verb == UPCI_VERB_DERIVED) && blue_gene)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected a name of your own or of this machine, found "
					"the Blue Gene/P event '%s': use 'drive'",
					name);
	return 0;
}

/* Report an event of a PMU that this machine does not have: which PMU the event belongs to, and which PMUs
 * are here. */
static int fail_elsewhere(struct upci_wiring_file *f, const struct upci_statement *s)
{
	const char *name = s->event.driver.perf;
	int pmu = (int)strcspn(name, ":");
	char own[200];
	bool known = upci_pfm_own(name, own, sizeof(own));

	/* With LIBPFM_FORCE_PMU, libpfm4 has only the PMUs up to that one in its list. */
	if (getenv("LIBPFM_FORCE_PMU"))
		return upci_lex_fail_at(&f->lex, s->source_at,
					"expected an event of the PMU that LIBPFM_FORCE_PMU puts "
					"in the place of this machine's (%s), found \"%.100s\", "
					"of %.*s",
					own, name, pmu, name);
	if (!known)
		return upci_lex_fail_at(&f->lex, s->source_at,
					"expected an event of a PMU of this machine (%s), found "
					"\"%.100s\", of %.*s, which libpfm4 has no tables of here",
					own, name, pmu, name);
	return upci_lex_fail_at(&f->lex, s->source_at,
				"expected an event of a PMU of this machine (%s), found "
				"\"%.100s\", of %.*s: take a wiring for this machine, or have "
				"this one only checked, with LIBPFM_FORCE_PMU=%.*s upc_wire --check",
				own, name, pmu, name, pmu, name);
}

/* Check the source of a statement. A name that libpfm4 and sysfs do not know is an error of the file. If the
 * machine forbids the event, or lacks it for another reason, the file is accepted. */
static int check_source(struct upci_wiring_file *f, const struct upci_statement *s)
{
	struct upci_perf_spec spec;
	const char *name;
	char reason[300];

	if (s->event.driver.source != UPC_SOURCE_PERF)
		return 0;
	name = s->event.driver.perf;
	if (upci_perf_encode(&s->event.driver, 0, &spec) != UPC_ENOEVENT)
		return 0;
	snprintf(reason, sizeof(reason), "%.299s", upc_last_message());
	if (upci_pfm_is_elsewhere(name))
		return fail_elsewhere(f, s);
	return upci_lex_fail_at(&f->lex, s->source_at,
				"expected a name that libpfm4 or a PMU of sysfs knows, found "
				"\"%.100s\": %s",
				name, reason);
}

/* ---- statements -------------------------------------------------------- */

static int add_wiring_statement(void *arg)
{
	struct upci_wiring_file *f = arg;
	struct upci_statement *s = &f->statement[f->count];
	uint32_t *slot;
	int error = upci_statement_parse(&f->lex, &f->pool, s);

	if (error)
		return error;
	slot = table_slot(f, s->event.name);
	if (*slot)
		return upci_lex_fail_at(&f->lex, s->name_at,
					"expected each name once in a file, found '%.100s' as on "
					"line %u",
					s->event.name, f->statement[*slot - 1].name_at.line);
	s->code = upci_catalogue_lookup(f->c, s->event.name);
	error = check_statement_name(f, s);
	if (!error)
		error = check_source(f, s);
	if (error)
		return error;
	f->count++;
	*slot = (uint32_t)f->count;
	return 0;
}

/* ---- formulas ---------------------------------------------------------- */

static int64_t find_in_file(void *arg, const char *name, const struct upci_formula **formula, char *message,
			    size_t size)
{
	struct upci_wiring_file *f = arg;
	uint32_t slot = *table_slot(f, name);
	char suggestion[280];
	int64_t code;

	if (slot) {
		const struct upci_statement *s = &f->statement[slot - 1];

		if (s->verb == UPCI_VERB_REMOVE) {
			snprintf(message, size,
				 "expected an event, found '%.100s', which is removed on line %u", name,
				 s->name_at.line);
			return UPC_EWIRING;
		}
		if (s->verb == UPCI_VERB_DERIVED) {
			*formula = s->event.formula;
			/* Formulas are expanded in the order of their lines, so that none can contain
			 * itself. */
			if (slot - 1 < f->current)
				return 0;
			snprintf(message, size,
				 "expected an event, or a derived one from a line above, found "
				 "'%.100s' of line %u",
				 name, s->name_at.line);
			return UPC_EWIRING;
		}
		return s->code >= 0 ? s->code : (int64_t)(UPCI_WIRING_PENDING | (slot - 1));
	}
	code = upci_catalogue_lookup(f->c, name);
	if (code >= 0)
		*formula = upci_catalogue_event(f->c, (uint32_t)code)->formula;
	else
		snprintf(message, size, "expected an event name, found '%.80s'%s", name,
			 suggest_event_names(f, name, suggestion, sizeof(suggestion)));
	return code;
}

static int parse_wiring_formulas(struct upci_wiring_file *f)
{
	const struct upci_names names = {.find = find_in_file, .arg = f};
	struct upci_formula_error wrong;

	for (f->current = 0; f->current < f->count; f->current++) {
		struct upci_statement *s = &f->statement[f->current];
		int error;

		if (s->verb != UPCI_VERB_DERIVED)
			continue;
		error = upci_formula_parse_names(f->c, &names, s->formula, &s->event.formula, &wrong);
		if (error == UPC_EWIRING)
			return upci_lex_fail_at(&f->lex, upci_lex_inside(s->source_at, wrong.column - 1),
						"%s", wrong.message);
		if (error)
			return error;
		if (!s->event.formula->divisor && s->kind_given && s->event.kind == UPC_KIND_COUNT)
			return upci_lex_fail_at(&f->lex, s->kind_at,
						"expected 'level' or nothing, found 'count': a "
						"ratio does not only grow");
	}
	return 0;
}

/* Check the terms of derived events which the file does not change: each must still exist, and must not have
 * become a derived event itself. */
static int check_terms(struct upci_wiring_file *f)
{
	uint32_t count = upci_catalogue_size(f->c), code;
	uint32_t *changed = calloc((size_t)count + 1, sizeof(*changed)); /* by code: index + 1 */
	int error = 0;
	size_t i;

	if (!changed)
		return UPC_ENOMEM;
	for (i = 0; i < f->count; i++)
		if (f->statement[i].code >= 0 && f->statement[i].code < count)
			changed[f->statement[i].code] = (uint32_t)i + 1;
	for (code = 0; !error && code < count; code++) {
		const struct upci_event *event = upci_catalogue_event(f->c, code);
		const struct upci_formula *formula = changed[code] ? NULL : event->formula;
		unsigned k;

		for (k = 0; formula && !error && k < formula->terms; k++) {
			uint32_t at = formula->term[k].code < count ? changed[formula->term[k].code] : 0;
			const struct upci_statement *s = &f->statement[at ? at - 1 : 0];

			if (at && (s->verb == UPCI_VERB_REMOVE || s->verb == UPCI_VERB_DERIVED))
				error = upci_lex_fail_at(
					&f->lex, s->name_at,
					"expected an event that no derived "
					"event needs, found '%.100s', which '%.100s' is computed "
					"of: remove or redefine that too",
					s->event.name, event->name);
		}
	}
	free(changed);
	return error;
}

/* ---- the whole file --------------------------------------------------------- */

/* Allocate room for a statement on each line, and a hash table that stays at most half full. */
static int make_room_for_statements(struct upci_wiring_file *f)
{
	const char *p = f->lex.text;

	f->room = 1;
	while ((p = memchr(p, '\n', (size_t)(f->lex.end - p))) != NULL) {
		f->room++;
		p++;
	}
	for (f->table_size = 16; f->table_size < 2 * f->room; f->table_size *= 2)
		;
	f->statement = calloc(f->room, sizeof(*f->statement));
	f->table = calloc(f->table_size, sizeof(*f->table));
	return f->statement && f->table ? 0 : UPC_ENOMEM;
}

static int parse_wiring_text(struct upci_wiring_file *f, const char *text, size_t length, const char *name)
{
	int error = upci_lex_begin(&f->lex, name, text, length);

	if (error)
		return error;
	/* Allocate from the catalogue, since its events will point to these strings. */
	f->pool = upci_catalogue_alloc(f->c, length + 1);
	error = f->pool ? make_room_for_statements(f) : UPC_ENOMEM;
	if (!error)
		error = upci_statements_parse(&f->lex, "upc-wiring", "'upc-wiring 1' on the first line",
					      "version 1, the one that this libupc knows",
					      add_wiring_statement, f);
	if (!error)
		error = parse_wiring_formulas(f);
	if (!error)
		error = check_terms(f);
	return error ? error : upci_wiring_apply(f);
}

int upci_wiring_parse(struct upc_catalogue *c, const char *text, size_t length, const char *name)
{
	struct upci_wiring_file f = {.c = c};
	char *copy;
	int error;

	if (length > UPCI_WIRING_BYTES_MAX)
		return upci_fail(UPC_EWIRING, "%.200s:1:1: expected at most %u bytes, found %zu", name,
				 UPCI_WIRING_BYTES_MAX, length);
	copy = malloc(length + 1);
	error = copy ? 0 : UPC_ENOMEM;
	if (copy) {
		memcpy(copy, text, length);
		copy[length] = 0;
		error = parse_wiring_text(&f, copy, length, name);
	}
	free(f.statement);
	free(f.table);
	free(copy);
	return error == UPC_ENOMEM ? upci_fail(UPC_ENOMEM, "%.200s: no memory for this wiring", name) : error;
}
