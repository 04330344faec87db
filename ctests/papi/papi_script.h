/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_script.h - a replay script behind PAPI: the test writes it, and the component
 * of the process that initialises PAPI next plays it.
 */
#ifndef PAPI_SCRIPT_H
#define PAPI_SCRIPT_H

#include <limits.h>

#include "papi_util.h"

/* Blue Gene/P names by id, and some that tests use by name. */
__attribute__((unused)) static const char *const bgp_names[512] = {
#define UPC_BGP(id, name) [id] = #name,
#include "catalogue/bgp_events.def"
#undef UPC_BGP
};

static char script_path[PATH_MAX];
static pid_t script_owner;

static void remove_script(void)
{
	if (script_path[0] && script_owner == getpid())
		unlink(script_path);
	script_path[0] = '\0';
}

/* Makes $UPC_SOURCE a file with this text, until the process ends or the next one. */
__attribute__((unused)) static void use_script(const char *text)
{
	const char *directory = getenv("TMPDIR");
	char source[PATH_MAX + 16];
	size_t length = strlen(text);
	int fd;

	if (!script_owner)
		atexit(remove_script);
	remove_script();
	script_owner = getpid();
	snprintf(script_path, sizeof(script_path), "%s/upc-script-XXXXXX",
		 directory && *directory ? directory : "/tmp");
	fd = mkstemp(script_path);
	if (fd < 0 || write(fd, text, length) != (ssize_t)length || close(fd)) {
		printf("Bail out! no script can be written to %s\n", script_path);
		exit(1);
	}
	snprintf(source, sizeof(source), "replay:%s", script_path);
	setenv("UPC_SOURCE", source, 1);
}

/* upc:::NAME of an id, with a mode's qualifier unless that is NULL. The string
 * lasts for four calls more. */
__attribute__((unused)) static const char *event_name(int id, const char *mode)
{
	static _Thread_local char names[4][PAPI_MAX_STR_LEN];
	static _Thread_local unsigned turn;
	char *name = names[turn++ % 4];

	snprintf(name, PAPI_MAX_STR_LEN, "upc:::%s%s%s", bgp_names[id], mode ? ":mode=" : "",
		 mode ? mode : "");
	return name;
}

/* A set of n events, ids that have names, or PAPI_NULL. */
__attribute__((unused)) static int set_of(const int *ids, int n)
{
	int set = PAPI_NULL;
	int i;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return PAPI_NULL;
	for (i = 0; i < n; i++)
		if (PAPI_add_named_event(set, event_name(ids[i], NULL)) != PAPI_OK) {
			note("%s cannot be added", event_name(ids[i], NULL));
			return PAPI_NULL;
		}
	return set;
}

#endif /* PAPI_SCRIPT_H */
