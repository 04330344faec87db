/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * derived.c - gives derived events a source if all their terms have one, and has the public calls for their
 * terms and values.
 * Terms: catalogue/catalogue.h, base/event.h, node/sim.h.
 */
#include <string.h>

#include "catalogue/bgp_simulated.h"
#include "catalogue/derived.h"
#include "catalogue/formula.h"
#include "base/message.h"
#include "base/text.h"

#define NAMED_MAX 3u /* maximum number of missing terms that a reason names */

static const char *explain_missing_terms(struct upc_catalogue *c, const struct upci_formula *formula,
					 unsigned missing)
{
	char text[NAMED_MAX * UPC_NAME_MAX + 700];
	struct upci_out out = {.text = text, .size = sizeof(text)};
	const struct upci_event *first = NULL;
	unsigned i, named = 0;
	bool simulated = true;

	upci_out(&out, "nothing on this machine drives ");
	for (i = 0; i < formula->terms; i++) {
		const struct upci_event *term = upci_catalogue_event(c, formula->term[i].code);

		simulated = simulated && term->id != UPC_NO_ID &&
			    upci_bgp_simulated(term->name) == UPCI_SIM_EXACT;
		if (term->driver.source != UPC_SOURCE_NONE || named == NAMED_MAX)
			continue;
		upci_out(&out, "%s%s", named++ ? ", " : "", term->name);
		first = first ? first : term;
	}
	if (missing > named)
		upci_out(&out, " and %u more", missing - named);
	/* A host event has its own reason, and so does each event on the simulated node. */
	if (first && first->why && (first->id == UPC_NO_ID || upci_catalogue_node(c)))
		upci_out(&out, ", of which it is computed: %.400s", first->why);
	else
		upci_out(&out, ", of which it is computed; %sa wiring file can (%s NAME = ...)",
			 simulated ? "upc_run PROGRAM counts that, in simulation; and " : "",
			 first && first->id == UPC_NO_ID ? "event" : "drive");
	return upci_catalogue_printf(c, "%s", text);
}

int upci_derived_settle(struct upc_catalogue *c, struct upci_event *event)
{
	const struct upci_formula *formula = event->formula;
	unsigned i, missing = 0;

	for (i = 0; i < formula->terms; i++) {
		const struct upci_event *term = upci_catalogue_event(c, formula->term[i].code);

		missing += term->driver.source == UPC_SOURCE_NONE;
		/* The scopes are in the order of their width. */
		if (term->scope > event->scope)
			event->scope = term->scope;
	}
	event->driver = (struct upci_driver){.source = UPC_SOURCE_NONE, .mul = 1, .div = 1};
	event->driver_text = NULL;
	event->why = NULL;
	if (!formula->divisor)
		event->kind = UPC_KIND_LEVEL;
	if (missing) {
		event->why = explain_missing_terms(c, formula, missing);
		return event->why ? 0 : UPC_ENOMEM;
	}
	event->driver.source = UPC_SOURCE_DERIVED;
	event->driver.formula = formula;
	return 0;
}

static bool are_driven_alike(const struct upci_event *a, const struct upci_event *b)
{
	return a->driver.source == b->driver.source && a->scope == b->scope && a->kind == b->kind &&
	       !a->why == !b->why && (!a->why || !strcmp(a->why, b->why));
}

int upci_derived_settle_all(struct upc_catalogue *c)
{
	uint32_t count = upci_catalogue_size(c), code;

	for (code = 0; code < count; code++) {
		const struct upci_event *event = upci_catalogue_event(c, code);
		struct upci_event settled = *event;
		int error;

		if (!event->formula)
			continue;
		error = upci_derived_settle(c, &settled);
		if (!error && !are_driven_alike(event, &settled))
			error = upci_catalogue_add(c, &settled);
		if (error)
			return error;
	}
	return 0;
}

/* ---- public -------------------------------------------------------------- */

/* Get the formula of an event; *formula is NULL if the event is not derived. Return 0, or UPC_ENOEVENT with
 * message. */
static int find_formula(struct upc_catalogue *c, uint32_t code, const struct upci_formula **formula)
{
	const struct upci_event *event = upci_catalogue_event(c, code);

	*formula = event && event->driver.source == UPC_SOURCE_DERIVED ? event->driver.formula : NULL;
	return event ? 0 : upci_fail(UPC_ENOEVENT, "no event has the code %u", code);
}

int upc_catalogue_terms(struct upc_catalogue *c, uint32_t code, uint32_t *codes, unsigned max)
{
	const struct upci_formula *formula;
	unsigned i;
	int error;

	if (!c || (max && !codes))
		return upci_fail(UPC_EINVAL, "upc_catalogue_terms: a catalogue and a place for the "
					     "codes are needed");
	error = find_formula(c, code, &formula);
	if (error || !formula)
		return error;
	for (i = 0; i < formula->terms && i < max; i++)
		codes[i] = formula->term[i].code;
	return (int)formula->terms;
}

int upc_catalogue_compute(struct upc_catalogue *c, uint32_t code, const uint64_t *terms, unsigned n,
			  uint64_t *value)
{
	const struct upci_formula *formula;
	int error;

	if (!c || !terms || !value)
		return upci_fail(UPC_EINVAL, "upc_catalogue_compute: a catalogue, the terms' values and "
					     "a place for the result are needed");
	error = find_formula(c, code, &formula);
	if (error)
		return error;
	if (!formula || formula->terms != n)
		return upci_fail(UPC_EINVAL, "%s: is computed of %u events (upc_catalogue_terms), not %u",
				 upci_catalogue_event(c, code)->name, formula ? formula->terms : 0, n);
	*value = upci_formula_value(formula, terms);
	return 0;
}
