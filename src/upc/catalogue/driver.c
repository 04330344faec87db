/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.c - prints the driver of an event as text.
 * Terms: base/event.h.
 */
#include <time.h>

#include "catalogue/driver.h"
#include "catalogue/formula.h"

const char *const upci_driver_roots[] = {
	[UPCI_ROOT_PROC] = "proc",
	[UPCI_ROOT_SYS] = "sys",
	[UPCI_ROOT_TASK] = "task",
	[UPCI_ROOT_PROCESS] = "process",
	NULL,
};

const struct upci_driver_clock upci_driver_clocks[] = {
	{"monotonic", CLOCK_MONOTONIC, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::real_ns",
	 "Elapsed time, at the rate that NTP has set and without its jumps; stands still while "
	 "the machine sleeps. Only grows."},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::raw_ns",
	 "Elapsed time as the hardware clock gives it, never corrected: for comparing with cycle "
	 "counts. Only grows."},
	{"boottime", CLOCK_BOOTTIME, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::boot_ns",
	 "Elapsed time since boot, with the time that the machine slept. Only grows."},
	/* The time of day can be set back. */
	{"realtime", CLOCK_REALTIME, UPC_SCOPE_MACHINE, UPC_KIND_LEVEL, "time::wall_ns",
	 "Time of day, since 1970-01-01 UTC. A level: it jumps when somebody sets the clock."},
	{"thread", CLOCK_THREAD_CPUTIME_ID, UPC_SCOPE_THREAD, UPC_KIND_COUNT, "time::thread_cpu_ns",
	 "CPU time of the context's thread, in user mode and in the kernel. Only grows."},
	{"process", CLOCK_PROCESS_CPUTIME_ID, UPC_SCOPE_PROCESS, UPC_KIND_COUNT, "time::process_cpu_ns",
	 "CPU time of all threads of the context's process, also of those that have ended. "
	 "Only grows."},
	{.word = NULL},
};

static void print_file(struct upci_out *out, const struct upci_field *file)
{
	upci_out(out, "%s ", upci_driver_roots[file->root]);
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

static void print_formula(struct upc_catalogue *c, struct upci_out *out, const struct upci_formula *formula)
{
	bool room = out->length < out->size;
	int n = upci_formula_print(c, formula, room ? out->text + out->length : NULL,
				   room ? out->size - out->length : 0);

	out->length += (size_t)n;
}

void upci_driver_out(struct upc_catalogue *c, struct upci_out *out, const struct upci_driver *driver)
{
	const struct upci_driver_clock *clock;

	switch (driver->source) {
#define WORDED(kind, row, name, word, scope, string) \
	case kind:                                   \
		upci_out(out, word " ");             \
		upci_out_quoted(out, driver->text);  \
		break;
#define DRIVEN(kind, row, name)
#include "base/sources.def"
	case UPC_SOURCE_FILE:
		print_file(out, &driver->file);
		break;
	case UPC_SOURCE_CLOCK:
		for (clock = upci_driver_clocks; clock->word && clock->id != driver->clock; clock++)
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

int upci_driver_print(struct upc_catalogue *c, const struct upci_driver *driver, char *text, size_t size)
{
	struct upci_out out = {.text = text, .size = size};

	if (size)
		text[0] = 0;
	upci_driver_out(c, &out, driver);
	return (int)out.length;
}
