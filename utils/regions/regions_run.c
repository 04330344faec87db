/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_run.c - makes the environment for the preloaded library (src/region/settings.h), and runs the
 * program.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/preload.h"
#include "lib/program.h"
#include "lib/stat_run.h"
#include "load/elf_file.h"
#include "load/objects.h"
#include "regions/regions_records.h"
#include "regions/regions_sim.h"
#include "regions/regions_whole.h"

#define LIKWID "liblikwid.so"
#define LINKS "libraries" /* subdirectory of our directory */
#define RUN "run"         /* subdirectory with the files of one run at a time */
#define WHOLE ".whole"    /* file in RUN with the counters of the whole run, which is no process's file */

static const struct util_preload_inside inside[] = {
	{"likwid_markerStartRegion", "LIKWID", "liblikwid.so"},
	{"hpmStart", "libhpm", "libhpm.so"},
	{"cali_begin_region", "Caliper", "libcaliper.so"},
	{NULL, NULL, NULL},
};

static bool tell_program(const char *name, const char *value)
{
	if (!(value ? setenv(name, value, 1) : unsetenv(name)))
		return true;
	util_error("cannot pass on %s: %s", name, strerror(errno));
	return false;
}

static bool tell_program_number(const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return tell_program(name, value ? text : NULL);
}

/* Make our directory. Processes of other users can write into it, since a daemon drops its rights. The
 * directory is made only when something is to be stored in it, since a launcher that mpirun kills cannot
 * remove it. */
static bool need_directory(struct regions_plan *plan)
{
	const char *where = getenv("TMPDIR");
	char *path;

	if (plan->directory)
		return true;
	path = malloc(PATH_MAX);
	if (!path) {
		util_error("out of memory");
		return false;
	}
	if (snprintf(path, PATH_MAX, "%s/upc_regions.XXXXXX", where && where[0] == '/' ? where : "/tmp") >=
		    PATH_MAX ||
	    !mkdtemp(path) || chmod(path, 01733)) {
		util_error("no directory for the processes' files in '%s': %s; set TMPDIR",
			   where && where[0] == '/' ? where : "/tmp", strerror(errno));
		free(path);
		return false;
	}
	plan->directory = path;
	return true;
}

static void remove_all(const char *directory)
{
	DIR *list = opendir(directory);
	char path[PATH_MAX];
	const struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) < (int)sizeof(path))
			unlink(path);
	if (list)
		closedir(list);
	rmdir(directory);
}

void regions_tidy(struct regions_plan *plan)
{
	char path[PATH_MAX + sizeof(LINKS) + 1];

	if (plan->directory) {
		snprintf(path, sizeof(path), "%s/%s", plan->directory, LINKS);
		remove_all(path);
		remove_all(plan->directory);
	}
	free(plan->directory);
	plan->directory = NULL;
	upc_catalogue_close(plan->catalogue);
	plan->catalogue = NULL;
}

/* ---- a program that is linked with LIKWID on a machine without it ---------------------------------- */

static bool is_guest_object_there(const struct upcs_objects *objects, const char *name)
{
	unsigned i;

	for (i = 0; i < objects->n; i++) {
		const char *slash = strrchr(objects->path[i], '/');

		if (!strcmp(slash ? slash + 1 : objects->path[i], name))
			return true;
	}
	return false;
}

/* Store the name of LIKWID's library if the program needs it and the dynamic linker does not find it. */
static bool lacks_likwid(const char *program, char name[UPCS_OBJECTS_NAME])
{
	struct upcs_objects objects = {.search_path = getenv("LD_LIBRARY_PATH"), .stem = LIKWID};
	char path[PATH_MAX];
	struct upcs_elf elf;
	unsigned i;
	int error;

	if (util_program_find(program, path) || upcs_elf_open(&elf, path))
		return false;
	objects.guest = upcs_elf_guest(&elf);
	upcs_elf_close(&elf);
	error = upcs_objects_add(&objects, path);
	for (i = 0; !error && i < objects.n; i++)
		error = upcs_objects_follow(&objects, i);
	strcpy(name, objects.named);
	if (is_guest_object_there(&objects, name) || strchr(name, '/'))
		name[0] = '\0';
	upcs_objects_free(&objects);
	return name[0] != '\0';
}

/* Make a link to our library, which has LIKWID's calls, under the name of LIKWID's library that the program
 * needs. Two programs may need two names. */
static bool stand_in(struct regions_plan *plan, const char *program, const char *library)
{
	const char *before = getenv("LD_LIBRARY_PATH");
	char name[UPCS_OBJECTS_NAME], path[2 * PATH_MAX], list[4 * PATH_MAX];
	int n;

	if (!lacks_likwid(program, name))
		return true;
	if (!need_directory(plan))
		return false;
	snprintf(path, sizeof(path), "%s/%s", plan->directory, LINKS);
	n = snprintf(list, sizeof(list), "%s%s%s", before ? before : "", before && before[0] ? ":" : "",
		     path);
	if ((mkdir(path, 0755) && errno != EEXIST) || n >= (int)sizeof(list)) {
		util_error("'%s' cannot be made: %s", path, strerror(errno));
		return false;
	}
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", name);
	if (symlink(library, path)) {
		util_error("'%s' cannot be made: %s", path, strerror(errno));
		return false;
	}
	return setenv("LD_LIBRARY_PATH", list, 1) == 0;
}

/* ---- the environment --------------------------------------------------------------------------- */

/* Pass the absolute name of the files: the program may change its directory. */
static bool tell_files(const char *files)
{
	char path[2 * PATH_MAX + 32], here[PATH_MAX] = "";

	if (files[0] != '/' && !getcwd(here, sizeof(here))) {
		util_error("the working directory is not known: %s", strerror(errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s%s%s", here, here[0] ? "/" : "", files);
	return tell_program("UPC_REGIONS_OUT", path);
}

/* Set the variables by which annotation libraries find their tool. A variable that the user has set stays. */
static bool tell_loaders(const char *library)
{
	static const char *const loader[] = {"NVTX_INJECTION64_PATH", "KOKKOS_TOOLS_LIBS",
					     "INTEL_LIBITTNOTIFY64"};
	size_t i;

	for (i = 0; i < sizeof(loader) / sizeof(loader[0]); i++)
		if (!getenv(loader[i]) && !tell_program(loader[i], library))
			return false;
	return true;
}

/* Return the library to preload. The simulator follows workers itself, so the library for simulated programs,
 * "..._sim.so", does not follow them. */
static void regions_library(char *path, size_t size, bool simulate)
{
	const char *library = getenv("UPC_REGIONS_LIBRARY");
	size_t stem;

	if (!library || !library[0])
		library = REGIONS_LIBRARY_PATH;
	stem = strlen(library) - strlen(strrchr(library, '.') ? strrchr(library, '.') : "");
	snprintf(path, size, "%.*s%s%s", (int)stem, library, simulate ? "_sim" : "", library + stem);
}

static bool has_counts_place(const struct regions_plan *plan)
{
	return !plan->files || plan->simulate;
}

static bool run_prepare(struct regions_plan *plan)
{
	char files[PATH_MAX + 32], records[PATH_MAX], library[PATH_MAX];

	if (has_counts_place(plan) && !need_directory(plan))
		return false;
	regions_library(library, sizeof(library), plan->simulate);
	snprintf(files, sizeof(files), "%s/" RUN "/%%h.%%p", plan->files ? "" : plan->directory);
	return tell_program("UPC_REGIONS_EVENTS", plan->events) &&
	       tell_program_number("UPC_REGIONS_SLICE", plan->slice_ns) &&
	       tell_program_number("UPC_REGIONS_MAX", (uint64_t)plan->max_regions) &&
	       tell_program("UPC_REGIONS_SIM", plan->simulate ? "1" : NULL) &&
	       tell_files(plan->files ? plan->files : files) &&
	       tell_program("UPC_REGIONS_RECORDS",
			    regions_records_prefix(records, sizeof(records)) ? records : NULL) &&
	       util_preload_add(library, "upc_regions") == 0 && tell_loaders(library) &&
	       stand_in(plan, plan->command[0], library) &&
	       (!plan->against || stand_in(plan, plan->against, library));
}

/* Run the command in the environment that run_prepare has made, LD_PRELOAD included, and wait for its end.
 * Return 0, or an exit status. *status: the command's status, as wait returns it. */
static int regions_run_command(const struct regions_plan *plan, char **command, int *status)
{
	const char *records = getenv("UPC_REGIONS_RECORDS"), *files = getenv("UPC_REGIONS_OUT");
	struct regions_whole whole;
	struct stat_run run;
	pid_t first;
	struct rusage usage;
	int error = UTIL_FAILED;

	if (stat_run_begin(&run))
		return UTIL_FAILED;
	/* The simulator counts the whole run itself. */
	regions_whole_begin(&whole, plan->simulate ? NULL : plan->events, plan->catalogue);
	if (stat_run_spawn(&run, command, NULL)) {
		regions_whole_free(&whole);
		return UTIL_FAILED;
	}
	stat_run_release(&run);
	while (stat_run_wait(&run, -1) != STAT_WAKE_END)
		continue;
	if (run.exec_error) {
		error = util_cannot_run(command[0], run.exec_error);
	} else {
		first = run.pid;
		*status = stat_run_reap(&run, &usage);
		if (files)
			regions_whole_end(&whole, files);
		if (records && files)
			regions_records_keep(records, files, first, *status, plan->simulate);
		error = 0;
	}
	stat_run_end(&run);
	regions_whole_free(&whole);
	return error;
}

char *regions_whole_path(const char *directory)
{
	char *path;

	return asprintf(&path, "%s/" WHOLE, directory) < 0 ? NULL : path;
}

static int regions_run_simulated(const struct regions_plan *plan, const char *directory, int *status)
{
	char *report = regions_whole_path(directory);
	char **all = report ? regions_sim_command(plan->command, report) : NULL;
	int error = all ? regions_run_command(plan, all, status) : UTIL_FAILED;

	free(all);
	free(report);
	return error;
}

int regions_prepare(struct regions_plan *plan)
{
	static const struct util_preload preload = {"upc_regions", "its libraries", "shared libraries",
						    inside};
	int error = util_preload_check(plan->command[0], &preload);

	if (!error && plan->against)
		error = util_preload_check(plan->against, &preload);
	if (error)
		return error;
	if (plan->events && !plan->simulate)
		plan->catalogue = util_catalogue_open(NULL);
	return run_prepare(plan) ? 0 : UTIL_FAILED;
}

int regions_run(const struct regions_plan *plan, char **place, int *status)
{
	*place = NULL;
	if (!has_counts_place(plan))
		return regions_run_command(plan, plan->command, status);
	if (asprintf(place, "%s/" RUN, plan->directory) < 0) {
		*place = NULL;
		util_error("out of memory");
		return UTIL_FAILED;
	}
	if (mkdir(*place, 0700) || chmod(*place, 01733)) {
		util_error("'%s' cannot be made: %s", *place, strerror(errno));
		return UTIL_FAILED;
	}
	return plan->simulate ? regions_run_simulated(plan, *place, status)
			      : regions_run_command(plan, plan->command, status);
}

void regions_drop(char *place)
{
	if (place)
		remove_all(place);
	free(place);
}
