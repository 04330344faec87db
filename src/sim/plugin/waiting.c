/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waiting.c - checks for an OpenMP runtime whose threads spin while they wait. The emulator process has the
 * program's environment and mappings.
 */
#include "plugin/waiting.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_program_told(void)
{
	static const char *const variables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
						"KMP_LIBRARY"};
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]))
			return true;
	return false;
}

static bool is_runtime(const char *line)
{
	static const char *const names[] = {"/libgomp.so", "/libomp.so", "/libiomp5.so"};
	const char *name = strrchr(line, '/');
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool upcs_waiting_is_active(void)
{
	FILE *maps = is_program_told() ? NULL : fopen("/proc/self/maps", "re");
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (maps && !found && getline(&line, &size, maps) > 0)
		found = is_runtime(line);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}
