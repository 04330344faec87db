/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_apply.c - applies a checked wiring file to the catalogue.
 * Terms: wiring/wiring.h, catalogue/catalogue.h, base/event.h.
 */
#include <stdio.h>
#include <string.h>

#include "catalogue/driver.h"
#include "catalogue/derived.h"
#include "wiring/wiring.h"
#include "wiring/wiring_file.h"

/* Complete the event of a statement other than derived for the catalogue. Its strings are in the pool or the
 * catalogue already. */
static int complete_event(struct upci_wiring_file *f, struct upci_statement *s)
{
	const struct upci_event *old = upci_wiring_known(f, s);
	struct upci_event *e = &s->event;
	char text[256];

	if (s->verb == UPCI_VERB_REMOVE) {
		struct upci_event gone = *old;

		gone.driver = (struct upci_driver){.source = UPC_SOURCE_NONE, .mul = 1, .div = 1};
		gone.formula = NULL;
		gone.same_as = 0;
		gone.driver_text = NULL;
		gone.why = upci_catalogue_printf(f->c, "removed by %.200s, line %u", f->lex.name,
						 s->name_at.line);
		if (!gone.description)
			gone.description = "Removed by the wiring file.";
		*e = gone;
		return gone.why ? 0 : UPC_ENOMEM;
	}
	if (s->verb == UPCI_VERB_DRIVE) {
		e->id = old->id;
		if (!e->description)
			e->description = old->description;
		if (!e->subsystem)
			e->subsystem = old->subsystem;
		if (!e->unit)
			e->unit = old->unit;
	}
	if (!e->unit)
		e->unit = "events";
	if (!e->subsystem)
		e->subsystem = "wiring";
	/* A tracepoint's description is composed on demand, from the kernel's. */
	if (!e->description && e->driver.source != UPC_SOURCE_TRACEPOINT) {
		upci_driver_print(f->c, &e->driver, text, sizeof(text));
		e->description = upci_catalogue_printf(f->c, "An event of the wiring file: %s.", text);
		return e->description ? 0 : UPC_ENOMEM;
	}
	return 0;
}

static int complete_derived(struct upci_wiring_file *f, struct upci_statement *s)
{
	const struct upci_formula *parsed = s->event.formula;
	size_t size = sizeof(*parsed) + parsed->terms * sizeof(parsed->term[0]);
	struct upci_formula *formula = upci_catalogue_alloc(f->c, size);
	struct upci_event *e = &s->event;
	unsigned i;

	if (!formula)
		return UPC_ENOMEM;
	memcpy(formula, parsed, size);
	for (i = 0; i < formula->terms; i++) {
		uint32_t *code = &formula->term[i].code;

		if (*code & UPCI_WIRING_PENDING)
			*code = (uint32_t)f->statement[*code & ~UPCI_WIRING_PENDING].code;
		if (!s->kind_given && upci_catalogue_event(f->c, *code)->kind == UPC_KIND_LEVEL)
			e->kind = UPC_KIND_LEVEL;
	}
	e->formula = formula;
	if (!e->unit)
		e->unit = "events";
	if (!e->subsystem)
		e->subsystem = "derived";
	if (!e->description)
		e->description = "Computed from other events by a formula of the wiring file.";
	return upci_derived_settle(f->c, e);
}

/* Make a second name of an event (same_as) a separate event, if the file drives the event under its first
 * name by another source. The second name keeps its driver. */
static int part_names(struct upc_catalogue *c)
{
	uint32_t count = upci_catalogue_size(c), code;
	int error = 0;

	for (code = 0; !error && code < count; code++) {
		struct upci_event event = *upci_catalogue_event(c, code);
		const struct upci_event *plain;

		if (!event.same_as || event.driver.source != UPC_SOURCE_PERF)
			continue;
		plain = upci_catalogue_event(c, event.same_as - 1);
		if (plain->driver.source == UPC_SOURCE_PERF && plain->kind == event.kind &&
		    plain->driver.mul == plain->driver.div && !strcmp(plain->driver.perf, event.driver.perf))
			continue;
		event.same_as = 0;
		error = upci_catalogue_add(c, &event);
	}
	return error;
}

/* Derived events are added last, since the line of a formula may stand above the lines of its terms. */
int upci_wiring_apply(struct upci_wiring_file *f)
{
	bool derived;
	int pass, error;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < f->count; i++) {
			struct upci_statement *s = &f->statement[i];

			derived = s->verb == UPCI_VERB_DERIVED;
			if (derived != (pass == 1))
				continue;
			error = derived ? complete_derived(f, s) : complete_event(f, s);
			if (error)
				return error;
			s->code = upci_catalogue_put(f->c, &s->event);
			if (s->code < 0)
				return (int)s->code;
		}
	}
	error = part_names(f->c);
	return error ? error : upci_derived_settle_all(f->c);
}
