/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_inside.h - a test that runs itself on the simulated node, once or twice, and passes on
 * what it says there.
 */
#ifndef SIM_INSIDE_H
#define SIM_INSIDE_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"

#define SAID_MAX 65536

/* The options of upc_run. */
#ifndef INSIDE_OPTIONS
#define INSIDE_OPTIONS ""
#endif

/* Runs this program under upc_run; said: the output, with the status behind it. */
static void run_inside(const char *variable, char said[SAID_MAX])
{
	char command[2 * PATH_MAX], self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t n = 0, got;
	FILE *pipe;

	self[length > 0 ? length : 0] = '\0';
	snprintf(command, sizeof(command), "%s=1 UPC_QUIET=1 '%s' " INSIDE_OPTIONS " -o /dev/null -- '%s'",
		 variable, getenv("UPC_RUN"), self);
	fflush(stdout);
	pipe = popen(command, "r");
	while (pipe && n < SAID_MAX - 64 && (got = fread(said + n, 1, SAID_MAX - 64 - n, pipe)) > 0)
		n += got;
	said[n] = '\0';
	sprintf(said + n, "# status %d\n", pipe ? pclose(pipe) : -1);
}

static void pass_on(const char *said)
{
	const char *line, *next;

	for (line = said; *line; line = next) {
		next = strchr(line, '\n') + 1;
		tap_passed += strncmp(line, "ok ", 3) == 0;
		tap_failed += strncmp(line, "not ok ", 7) == 0;
		/* Plan and sum are our own to say. */
		if (strncmp(line, "1..", 3) != 0 && !memmem(line, (size_t)(next - line), " passed, ", 9))
			fwrite(line, 1, (size_t)(next - line), stdout);
		if (strncmp(line, "1..0 # SKIP", 11) == 0) {
			ok(0, "it runs there");
			note("%.*s", (int)(next - line - 1), line);
		}
	}
}

/* The whole test cannot run where there is no emulator. */
static void need_emulator(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip_all("this sanitizer's shadow memory is not to be had under the emulator");
#elif defined(__x86_64__)
	if (system("command -v qemu-x86_64 > /dev/null") != 0)
		skip_all("qemu-x86_64 is not installed (scripts/packages.sh: PACKAGES_SIM)");
#elif defined(__aarch64__)
	if (system("command -v qemu-aarch64 > /dev/null") != 0)
		skip_all("qemu-aarch64 is not installed (scripts/packages.sh: PACKAGES_SIM)");
#else
	skip_all("the simulated node has no PAPI for programs of this machine");
#endif
	if (!getenv("UPC_RUN"))
		skip_all("UPC_RUN does not say where upc_run is");
}

__attribute__((unused)) static int once(const char *variable)
{
	static char said[SAID_MAX];

	need_emulator();
	run_inside(variable, said);
	pass_on(said);
	ok(strstr(said, "# status 0\n") != NULL, "it ran to its end");
	return done();
}

__attribute__((unused)) static int twice(const char *variable)
{
	static char first[SAID_MAX], second[SAID_MAX];

	need_emulator();
	run_inside(variable, first);
	pass_on(first);
	ok(strstr(first, "# status 0\n") != NULL, "it ran to its end");
	run_inside(variable, second);
	ok(strcmp(first, second) == 0, "the second run is the same, to the last count");
	if (strcmp(first, second) != 0)
		fwrite(second, 1, strlen(second), stderr);
	return done();
}

#endif
