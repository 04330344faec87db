/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_clocks.c - time as events: the clocks of clock_gettime.
 */
#include <time.h>

#include "catalogue/catalogue.h"

struct clock_event {
	clockid_t clock;
	enum upc_scope scope;
	enum upc_kind kind;
	const char *name, *text;
};

static const struct clock_event clocks[] = {
	{CLOCK_MONOTONIC, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::real_ns",
	 "Elapsed time, at the rate that NTP has set and without its jumps; stands still while "
	 "the machine sleeps. Only grows."},
	{CLOCK_MONOTONIC_RAW, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::raw_ns",
	 "Elapsed time as the hardware clock gives it, never corrected: for comparing with cycle "
	 "counts. Only grows."},
	{CLOCK_BOOTTIME, UPC_SCOPE_MACHINE, UPC_KIND_COUNT, "time::boot_ns",
	 "Elapsed time since boot, with the time that the machine slept. Only grows."},
	{CLOCK_REALTIME, UPC_SCOPE_MACHINE, UPC_KIND_LEVEL, "time::wall_ns",
	 "Time of day, since 1970-01-01 UTC. A level: it jumps when somebody sets the clock."},
	{CLOCK_THREAD_CPUTIME_ID, UPC_SCOPE_THREAD, UPC_KIND_COUNT, "time::thread_cpu_ns",
	 "CPU time of the context's thread, in user mode and in the kernel. Only grows."},
	{CLOCK_PROCESS_CPUTIME_ID, UPC_SCOPE_PROCESS, UPC_KIND_COUNT, "time::process_cpu_ns",
	 "CPU time of all threads of the context's process, also of those that have ended. "
	 "Only grows."},
};

int upci_catalogue_add_clocks(struct upc_catalogue *c)
{
	for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		struct upci_event event = {
			.name = clocks[i].name,
			.description = clocks[i].text,
			.unit = "ns",
			.subsystem = "time",
			.scope = clocks[i].scope,
			.kind = clocks[i].kind,
			.id = UPC_NO_ID,
			.driver =
				{
					.source = UPC_SOURCE_CLOCK,
					.mul = 1,
					.div = 1,
					.clock = clocks[i].clock,
				},
		};
		struct timespec now;
		int error;

		if (clock_gettime(clocks[i].clock, &now))
			continue;
		error = upci_catalogue_add(c, &event);
		if (error)
			return error;
	}
	return 0;
}
