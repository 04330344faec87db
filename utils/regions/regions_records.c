/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_records.c - finds records by their prefix, and describes how their processes ended.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_records.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/common.h"
#include "region/recorded.h"
#include "region/settings.h"

#define SHARED "/dev/shm"

bool regions_records_prefix(char *prefix, size_t size)
{
	unsigned long long token;

	return access(SHARED, W_OK | X_OK) == 0 &&
	       getrandom(&token, sizeof(token), 0) == (ssize_t)sizeof(token) &&
	       snprintf(prefix, size, SHARED "/upc_regions.%016llx", token) < (int)size;
}

static void put_end_words(char *text, size_t size, int status)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		snprintf(text, size, "exit status %d", WEXITSTATUS(status));
	else
		snprintf(text, size, "_exit");
}

static bool keep_one(const char *record, const char *files, pid_t first, int status, bool any)
{
	struct upcr_recorded recorded;
	char path[PATH_MAX], ended[128] = REGIONS_NO_END;
	bool done = true;

	if (!upcr_recorded_open(&recorded, record)) {
		util_error("the record '%s' cannot be read: %s", record, strerror(errno));
		return true;
	}
	if (!recorded.over && recorded.alive) {
		upcr_recorded_free(&recorded);
		return false;
	}
	if (!recorded.over) {
		if (recorded.pid == first || (any && !recorded.child))
			put_end_words(ended, sizeof(ended), status);
		errno = ENAMETOOLONG;
		done = upcr_out_path(files, recorded.pid, recorded.child, path, sizeof(path)) &&
		       upcr_recorded_write(&recorded, record, path, ended);
		if (!done)
			util_error("'%s' cannot be written: %s", path, strerror(errno));
	}
	upcr_recorded_free(&recorded);
	return done;
}

void regions_records_keep(const char *prefix, const char *files, pid_t first, int status, bool any)
{
	const char *name = prefix + sizeof(SHARED);
	const struct dirent *entry;
	char path[PATH_MAX];
	DIR *list = opendir(SHARED);

	while (list && (entry = readdir(list))) {
		if (strncmp(entry->d_name, name, strlen(name)) != 0)
			continue;
		snprintf(path, sizeof(path), SHARED "/%s", entry->d_name);
		if (keep_one(path, files, first, status, any))
			unlink(path);
	}
	if (list)
		closedir(list);
}

/* Store the PATH of "PATH.PID.part". False if the name has another form. */
static bool path_of_part(const char *part, char path[PATH_MAX])
{
	char *end;

	snprintf(path, PATH_MAX, "%s", part);
	end = strrchr(path, '.');
	if (!end)
		return false;
	*end = '\0';
	end = strrchr(path, '.');
	if (!end || !end[1] || end[1 + strspn(end + 1, "0123456789")])
		return false;
	*end = '\0';
	return true;
}

static bool is_over(const char *part)
{
	char path[PATH_MAX];
	struct stat begun, over;

	return path_of_part(part, path) && !stat(part, &begun) && !stat(path, &over) &&
	       (over.st_mtim.tv_sec > begun.st_mtim.tv_sec ||
		(over.st_mtim.tv_sec == begun.st_mtim.tv_sec &&
		 over.st_mtim.tv_nsec >= begun.st_mtim.tv_nsec));
}

/* Return the record that a ".part" names. The text belongs to *root, which the caller frees. NULL if the
 * record is not on this machine; *elsewhere is true if it is on another one. */
static const char *record_of_part(const char *part, json_t **root, bool *elsewhere)
{
	const char *host;
	char here[256] = "";

	*root = json_load_file(part, 0, NULL);
	host = json_string_value(json_object_get(*root, "host"));
	(void)gethostname(here, sizeof(here) - 1);
	*elsewhere = host && strcmp(host, here) != 0;
	return host && !*elsewhere ? json_string_value(json_object_get(*root, "record")) : NULL;
}

bool regions_records_tidy(const char *part)
{
	struct upcr_recorded recorded;
	const char *record;
	json_t *root;
	bool elsewhere;

	if (!is_over(part))
		return false;
	/* The ".part" may name any record, also the record of a later process with the same PID. */
	record = record_of_part(part, &root, &elsewhere);
	if (record && upcr_recorded_open(&recorded, record)) {
		if (recorded.over || !recorded.alive)
			unlink(record);
		upcr_recorded_free(&recorded);
	}
	json_decref(root);
	if (!elsewhere)
		unlink(part);
	return true;
}

/* Open a record whose process has ended. mpirun ends before the processes that it has killed, so this waits
 * for a process that still runs, up to five seconds for all processes together. */
static bool open_ended(struct upcr_recorded *recorded, const char *record)
{
	static const struct timespec pause = {.tv_nsec = 20000000};
	static unsigned pauses = 250;
	bool done;

	while ((done = upcr_recorded_open(recorded, record)) && !recorded->over && recorded->alive &&
	       pauses) {
		upcr_recorded_free(recorded);
		nanosleep(&pause, NULL);
		pauses--;
	}
	return done;
}

bool regions_records_finish(const char *part, char path[PATH_MAX])
{
	struct upcr_recorded recorded;
	const char *record;
	json_t *root;
	bool elsewhere, done = false;

	record = record_of_part(part, &root, &elsewhere);
	if (elsewhere)
		util_error(
			"'%s' is of a process on %s, where its record may still be: run --merge there, too",
			part, json_string_value(json_object_get(root, "host")));
	else if (record && path_of_part(part, path) && open_ended(&recorded, record)) {
		if (!recorded.over && !recorded.alive) {
			done = upcr_recorded_write(&recorded, record, path, REGIONS_NO_END);
			if (!done)
				util_error("'%s' cannot be made of the record '%s': %s", path, record,
					   strerror(errno));
		}
		upcr_recorded_free(&recorded);
	}
	json_decref(root);
	return done;
}
