/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_print.c - prints events as lines of wiring, which the parser reads back without loss.
 * Terms: wiring/wiring.h, catalogue/catalogue.h.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogue/driver.h"
#include "catalogue/formula.h"
#include "base/message.h"
#include "base/text.h"
#include "wiring/wiring.h"
#include "wiring/wiring_words.h"

const char *const upci_wiring_scopes[] = {
	[UPC_SCOPE_CONTEXT] = "context", [UPC_SCOPE_THREAD] = "thread",   [UPC_SCOPE_PROCESS] = "process",
	[UPC_SCOPE_CPU] = "cpu",         [UPC_SCOPE_MACHINE] = "machine", NULL,
};

static void print_wiring_name(struct upci_out *out, const char *name)
{
	const char *p;

	for (p = name; *p && upci_wiring_word_char(*p); p++)
		;
	if (*p || !*name)
		upci_out_quoted(out, name);
	else
		upci_out(out, "%s", name);
}

/* True if the syntax can express the event. It cannot express device names with bytes that are not text, or
 * clocks without a word. Such events become comments in the file. */
static bool is_event_writable(const struct upci_event *event)
{
	const struct upci_driver_clock *clock;

	if (!upci_is_text(event->name))
		return false;
	switch (event->driver.source) {
#define WORDED(kind, row, name, word, scope, string) case kind:
#define DRIVEN(kind, row, name)
#include "base/sources.def"
		return upci_is_text(event->driver.text);
	case UPC_SOURCE_FILE:
		return upci_is_text(event->driver.file.path) &&
		       (!event->driver.file.key || upci_is_text(event->driver.file.key));
	case UPC_SOURCE_CLOCK:
		for (clock = upci_driver_clocks; clock->word; clock++)
			if (clock->id == event->driver.clock)
				return true;
		return false;
	case UPC_SOURCE_REPLAY:
	case UPC_SOURCE_SIMULATION:
		return false;
	default:
		return true;
	}
}

static void print_comment(struct upci_out *out, const struct upci_event *event, const char *why)
{
	upci_out(out, "# ");
	upci_out_sentence(out, event->name, UPC_NAME_MAX);
	upci_out(out, ": ");
	upci_out_sentence(out, why, UPCI_WIRING_TEXT_MAX);
	upci_out(out, "\n");
}

/* Print a formula twice: as a formula, then as a string of the wiring line. */
static void print_formula_string(struct upc_catalogue *c, struct upci_out *out,
				 const struct upci_formula *formula)
{
	char text[UPCI_WIRING_FORMULA_MAX + 1];

	upci_formula_print(c, formula, text, sizeof(text));
	upci_out_quoted(out, text);
}

int upci_wiring_print(struct upc_catalogue *c, const struct upci_event *event, char *text, size_t size)
{
	struct upci_out out = {.text = text, .size = size};
	const struct upci_driver *driver = &event->driver;

	if (driver->source == UPC_SOURCE_NONE && !event->formula) {
		print_comment(&out, event, event->why ? event->why : "nothing drives it");
		return (int)out.length;
	}
	if (!is_event_writable(event)) {
		print_comment(&out, event, "a wiring file cannot say what drives it");
		return (int)out.length;
	}
	upci_out(&out, "%s ", event->formula ? "derived" : event->id != UPC_NO_ID ? "drive" : "event");
	print_wiring_name(&out, event->name);
	upci_out(&out, " = ");
	if (event->formula) {
		print_formula_string(c, &out, event->formula);
	} else {
		upci_driver_out(c, &out, driver);
		if (driver->mul > 1)
			upci_out(&out, " * %u", driver->mul);
		if (driver->div > 1)
			upci_out(&out, " / %u", driver->div);
	}
	if (event->id != UPC_NO_ID) {
		upci_out(&out, " differs ");
		upci_out_sentence(&out, event->differs ? event->differs : "", UPCI_WIRING_TEXT_MAX);
	}
	upci_out(&out, " unit ");
	upci_out_sentence(&out, event->unit ? event->unit : "events", UPCI_WIRING_LABEL_MAX);
	upci_out(&out, " scope %s %s", upci_wiring_scopes[event->scope],
		 event->kind == UPC_KIND_LEVEL ? "level" : "count");
	upci_out(&out, " subsystem ");
	upci_out_sentence(&out, event->subsystem ? event->subsystem : "other", UPCI_WIRING_LABEL_MAX);
	if (event->description) {
		upci_out(&out, " describe ");
		upci_out_sentence(&out, event->description, UPCI_WIRING_TEXT_MAX);
	}
	upci_out(&out, "\n");
	return (int)out.length;
}

int upc_catalogue_write_wiring(struct upc_catalogue *c,
			       int (*write)(const char *text, size_t length, void *arg), void *arg)
{
	uint32_t count = upc_catalogue_count(c), code = 0;
	size_t size = 4096;
	char *line = malloc(size);
	int n, stop = line ? write("upc-wiring 1\n", 13, arg) : 0;

	while (line && !stop && code < count) {
		n = upci_wiring_print(c, upci_catalogue_event(c, code), line, size);
		if (n >= 0 && (size_t)n >= size) {
			char *grown = realloc(line, size = (size_t)n + 1);

			if (!grown)
				break;
			line = grown;
			continue;
		}
		if (n > 0)
			stop = write(line, (size_t)n, arg);
		code++;
	}
	free(line);
	if (stop || code == count)
		return stop;
	return upci_fail(UPC_ENOMEM, "no memory for a line of wiring");
}
