/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_static.c - PAPI, libupc and libmpx linked into the program itself: slices end, since
 * PAPI's code is told from the program's by its symbols.
 */
#include "mpx_util.h"

int main(void)
{
	const char *names[] = {"upc:::perf::PAGE-FAULTS", "upc:::perf::MINOR-FAULTS",
			       "upc:::perf::TASK-CLOCK"};
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	volatile unsigned long burnt = 0;
	long long values[3];
	unsigned long i, rounds;
	int set, k;

	options.slice_ns = 1000000;
	options.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	works(mpx_set_create(&set));
	for (k = 0; k < 3; k++)
		works(mpx_set_add_named_event(set, names[k]));
	works(mpx_set_start(set));
	for (rounds = 0; rounds < 1000 && info.slices < 12; rounds++) {
		for (i = 0; i < 10000000; i++)
			burnt = burnt + i;
		works(mpx_thread_get_info(&info));
	}
	works(mpx_set_stop(set, values));
	ok(info.slices >= 12, "slices end: %llu", (unsigned long long)info.slices);
	ok(info.put_off < info.slices, "few are put off: %llu", (unsigned long long)info.put_off);
	for (k = 0; k < 3; k++)
		ok(values[k] != MPX_NEVER, "%s had its turn", names[k]);
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
	return done();
}
