/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_print.c - events as lines of wiring, in the form that the parser
 * takes back without loss.
 */
#include <string.h>

#include "formula.h"
#include "text.h"
#include "wiring.h"
#include "wiring_words.h"

const char *const upci_wiring_scopes[] = {
	[UPC_SCOPE_CONTEXT] = "context", [UPC_SCOPE_THREAD] = "thread",
	[UPC_SCOPE_PROCESS] = "process", [UPC_SCOPE_CPU] = "cpu",
	[UPC_SCOPE_MACHINE] = "machine", NULL,
};

const char *const upci_wiring_roots[] = {
	[UPCI_ROOT_PROC] = "proc",
	[UPCI_ROOT_SYS] = "sys",
	[UPCI_ROOT_TASK] = "task",
	[UPCI_ROOT_PROCESS] = "process",
	NULL,
};

const struct upci_wiring_clock upci_wiring_clocks[] = {
	/* Somebody may set the time of day back. */
	{"realtime", CLOCK_REALTIME, UPC_SCOPE_MACHINE, UPC_KIND_LEVEL},
	{"monotonic", CLOCK_MONOTONIC, UPC_SCOPE_MACHINE, UPC_KIND_COUNT},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW, UPC_SCOPE_MACHINE, UPC_KIND_COUNT},
	{"boottime", CLOCK_BOOTTIME, UPC_SCOPE_MACHINE, UPC_KIND_COUNT},
	{"process", CLOCK_PROCESS_CPUTIME_ID, UPC_SCOPE_PROCESS, UPC_KIND_COUNT},
	{"thread", CLOCK_THREAD_CPUTIME_ID, UPC_SCOPE_THREAD, UPC_KIND_COUNT},
	{NULL, 0, UPC_SCOPE_MACHINE, UPC_KIND_COUNT},
};

static void print_name(struct upci_out *out, const char *name)
{
	const char *p;

	for (p = name; *p && upci_wiring_word_char(*p); p++)
		;
	if (*p || !*name)
		upci_out_quoted(out, name);
	else
		upci_out(out, "%s", name);
}

static void print_file(struct upci_out *out, const struct upci_field *file)
{
	upci_out(out, "%s ", upci_wiring_roots[file->root]);
	upci_out_quoted(out, file->path);
	if (file->key) {
		upci_out(out, " key ");
		upci_out_quoted(out, file->key);
		if (file->key_token)
			upci_out(out, " token %u", file->key_token);
		if (file->occurrence > 1)
			upci_out(out, " occurrence %u", file->occurrence);
	} else {
		upci_out(out, " line %u", file->occurrence);
	}
	upci_out(out, " value %u", file->first);
	if (file->last > file->first)
		upci_out(out, " to %u", file->last);
}

static void print_formula(struct upc_catalogue *c, struct upci_out *out,
			  const struct upci_formula *formula)
{
	bool room = out->length < out->size;
	int n = upci_formula_print(c, formula, room ? out->text + out->length : NULL,
				   room ? out->size - out->length : 0);

	out->length += (size_t)n;
}

static void print_driver(struct upc_catalogue *c, struct upci_out *out,
			 const struct upci_driver *driver)
{
	const struct upci_wiring_clock *clock;

	switch (driver->source) {
	case UPC_SOURCE_PERF:
		upci_out(out, "perf ");
		upci_out_quoted(out, driver->perf);
		break;
	case UPC_SOURCE_TRACEPOINT:
		upci_out(out, "tracefs ");
		upci_out_quoted(out, driver->tracepoint);
		break;
	case UPC_SOURCE_FILE:
		print_file(out, &driver->file);
		break;
	case UPC_SOURCE_CLOCK:
		for (clock = upci_wiring_clocks; clock->word && clock->id != driver->clock; clock++)
			;
		upci_out(out, "clock %s", clock->word ? clock->word : "?");
		break;
	case UPC_SOURCE_DERIVED:
		print_formula(c, out, driver->formula);
		break;
	case UPC_SOURCE_REPLAY:
		upci_out(out, "the script's input signal");
		break;
	case UPC_SOURCE_SIMULATION:
		upci_out(out, "the simulated node");
		break;
	case UPC_SOURCE_NONE:
		break;
	}
}

int upci_driver_print(struct upc_catalogue *c, const struct upci_driver *driver, char *text,
		      size_t size)
{
	struct upci_out out = {.text = text, .size = size};

	if (size)
		text[0] = 0;
	print_driver(c, &out, driver);
	return (int)out.length;
}

/* What the syntax has no way to write stays out of the file: strange bytes in
 * the names of devices, clocks without a word. */
static bool writable(const struct upci_event *event)
{
	const struct upci_wiring_clock *clock;

	if (!upci_is_text(event->name))
		return false;
	switch (event->driver.source) {
	case UPC_SOURCE_PERF:
		return upci_is_text(event->driver.perf);
	case UPC_SOURCE_TRACEPOINT:
		return upci_is_text(event->driver.tracepoint);
	case UPC_SOURCE_FILE:
		return upci_is_text(event->driver.file.path) &&
		       (!event->driver.file.key || upci_is_text(event->driver.file.key));
	case UPC_SOURCE_CLOCK:
		for (clock = upci_wiring_clocks; clock->word; clock++)
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

/* Printed twice: as formula, then as a string of the wiring line. */
static void print_formula_string(struct upc_catalogue *c, struct upci_out *out,
				 const struct upci_formula *formula)
{
	char text[UPCI_WIRING_FORMULA_MAX + 1];

	upci_formula_print(c, formula, text, sizeof(text));
	upci_out_quoted(out, text);
}

int upci_wiring_print(struct upc_catalogue *c, const struct upci_event *event, char *text,
		      size_t size)
{
	struct upci_out out = {.text = text, .size = size};
	const struct upci_driver *driver = &event->driver;

	if (driver->source == UPC_SOURCE_NONE && !event->formula) {
		print_comment(&out, event, event->why ? event->why : "nothing drives it");
		return (int)out.length;
	}
	if (!writable(event)) {
		print_comment(&out, event, "a wiring file cannot say what drives it");
		return (int)out.length;
	}
	upci_out(&out, "%s ",
		 event->formula           ? "derived"
		 : event->id != UPC_NO_ID ? "drive"
					  : "event");
	print_name(&out, event->name);
	upci_out(&out, " = ");
	if (event->formula) {
		print_formula_string(c, &out, event->formula);
	} else {
		print_driver(c, &out, driver);
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
	upci_out_sentence(&out, event->subsystem ? event->subsystem : "other",
			  UPCI_WIRING_LABEL_MAX);
	if (event->description) {
		upci_out(&out, " describe ");
		upci_out_sentence(&out, event->description, UPCI_WIRING_TEXT_MAX);
	}
	upci_out(&out, "\n");
	return (int)out.length;
}
