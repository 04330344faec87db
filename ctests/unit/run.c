/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - the tests of a group in one program. It runs one of them: the one that it is called
 * by, for which there are links to it, or the one that its argument names. Each run is a process
 * of its own, so no test sees what another one has left.
 */
#include "run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

extern const struct unit_run *const __start_unit_runs[], *const __stop_unit_runs[];

static const struct unit_run *find(const char *name)
{
	const struct unit_run *const *run;

	for (run = __start_unit_runs; run < __stop_unit_runs; run++)
		if (!strcmp((*run)->name, name))
			return *run;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct unit_run *run = find(program_invocation_short_name), *const * each;

	if (run)
		return run->main(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "--list")) {
		for (each = __start_unit_runs; each < __stop_unit_runs; each++)
			puts((*each)->name);
		return 0;
	}
	run = argc > 1 ? find(argv[1]) : NULL;
	if (run)
		return run->main(argc - 1, argv + 1);
	fprintf(stderr, "usage: %s TEST [ARGUMENT...], or --list\n", argv[0]);
	return 2;
}
