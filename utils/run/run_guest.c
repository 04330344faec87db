/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_guest.c - finds the program that upc_run runs, its emulator and libraries, and explains what is
 * missing.
 *
 * Terms: load/symbols.h.
 */
#include "run/run_guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"
#include "load/emulator.h"
#include "load/preload.h"
#include "lib/program.h"
#include "run/run_emulator.h"

/* ---- the program --------------------------------------------------------------------- */

/* Replace the script in guest->program by its interpreter. */
static int enter_script(struct run_guest *guest, const struct upcs_program_info *info)
{
	snprintf(guest->program, sizeof(guest->program), "%s", info->interpreter);
	if (access(guest->program, X_OK) == 0)
		return 0;
	util_error("cannot run '%s', the interpreter of a script: %s", guest->program, strerror(errno));
	return UTIL_CANNOT_RUN;
}

/* Examine one file. *script: guest->program was a script, and is now its interpreter. */
static int look_at_guest(struct run_guest *guest, bool *script)
{
	struct upcs_program_info info;
	char list[UPCS_GUEST_LIST];
	int kind;

	*script = false;
	if (upcs_exec_is_privileged(guest->program)) {
		util_error("'%s' runs with more rights than its user has, which a simulator cannot "
			   "give it: use upc_run as the user that it runs as",
			   guest->program);
		return RUN_ERROR;
	}
	kind = upcs_program_look(guest->program, &info);
	if (kind < 0) {
		util_error("cannot read '%s', which a simulator must: %s", guest->program, strerror(-kind));
		return UTIL_CANNOT_RUN;
	}
	switch ((enum upcs_program)kind) {
	case UPCS_PROGRAM_ELF:
		guest->guest = info.guest;
		guest->dynamic = info.dynamic;
		snprintf(guest->linker, sizeof(guest->linker), "%s", info.dynamic ? info.interpreter : "");
		return 0;
	case UPCS_PROGRAM_SCRIPT:
		*script = true;
		return enter_script(guest, &info);
	case UPCS_PROGRAM_FOREIGN:
		upcs_guest_list(list, false, " or ");
		util_error("'%s' is a program for %s, which is not simulated: compile it for %s",
			   guest->program, info.machine, list);
		return RUN_ERROR;
	case UPCS_PROGRAM_NONE:
		break;
	}
	util_error("cannot run '%s': it is no program, and no script that begins with '#!'", guest->program);
	return UTIL_CANNOT_RUN;
}

int run_guest_find(struct run_guest *guest, const char *name)
{
	bool script = true;
	int error;

	memset(guest, 0, sizeof(*guest));
	error = util_program_find(name, guest->file);
	if (error != 0)
		return util_cannot_run(name, error);
	strcpy(guest->program, guest->file);
	for (int depth = 0; error == 0 && script; depth++) {
		error = look_at_guest(guest, &script);
		if (error == 0 && script && depth == UPCS_INTERPRETERS_MAX)
			return util_cannot_run(name, ELOOP);
	}
	return error;
}

int run_guest_exec(const struct run_guest *guest, const struct upcs_options *filled, const char *results,
		   char *const *arguments, struct upcs_exec *exec)
{
	const struct upcs_command command = {
		.options = filled,
		.results = results,
		.after = -1,
		.counted = true,
	};
	int error = upcs_exec_make(&command, guest->file, arguments, environ, exec);

	if (error == 0)
		return 0;
	/* run_guest_find has already refused the cases that have better messages. */
	return util_cannot_run(guest->file, -error);
}

static bool is_directory(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- the simulator ------------------------------------------------------------------- */

/* Return the plugin's path: the argument given, or UPC_SIM_PLUGIN (used before installation), or the path
 * where the plugin is installed. */
static const char *plugin_place(const char *given)
{
	const char *name = given != NULL ? given : getenv("UPC_SIM_PLUGIN");

	return name == NULL || name[0] == '\0' ? UPC_SIM_PLUGIN_PATH : name;
}

static int fail_reading_guest(const char *name, int error)
{
	util_error("cannot read the simulator '%s': %s; --plugin or UPC_SIM_PLUGIN says where it is", name,
		   strerror(error));
	return RUN_ERROR;
}

/* Check that the module for the program's emulator is readable. */
static int check_module(const struct upcs_options *filled, enum upcs_guest guest)
{
	char module[UPCS_MODULE_MAX];

	upcs_emulator_module(filled, guest, module);
	return access(module, R_OK) == 0 ? 0 : fail_reading_guest(module, errno);
}

static int check_emulator(const struct run_guest *guest, const struct run_options *options,
			  const struct run_emulator *emulator)
{
	const struct upcs_guest_info *info = &upcs_guests[guest->guest];

	if (emulator->error != 0 && options->qemu != NULL)
		util_error("cannot run the emulator '%s': %s", options->qemu, strerror(emulator->error));
	else if (emulator->error != 0)
		util_error(
			"'%s' is a program for %s, and qemu-%s is not installed: install qemu-user, or say where "
			"it is with --qemu",
			guest->program, info->name, info->target);
	else if (emulator->interface == 0)
		util_error(
			"'%s' loads no plugins, and the simulator is one: it is no QEMU, or older than 6.2, or "
			"built without them as Debian 13's is; 'scripts/sim/qemu-build --guests=%s --prefix=%s' in "
			"upc's sources builds one in a few minutes, and --qemu says where one is",
			emulator->path, info->target, UPC_PREFIX);
	else if (!upcs_emulator_has_module(emulator->interface))
		util_error(
			"'%s' has version %d of QEMU's plugin interface; the simulator is made for 1 (QEMU 6.2 "
			"to 8.2) and 4 (9.2 and later)",
			emulator->path, emulator->interface);
	else
		return 0;
	return RUN_ERROR;
}

/* Find the emulator of guest g and the emulator's plugin interface. Child processes may need emulators of
 * other guests than the program's. */
static int find_simulator(const struct run_guest *guest, const struct run_options *options, enum upcs_guest g,
			  struct upcs_options *filled)
{
	bool own = g == guest->guest;
	struct run_emulator emulator;
	char name[32];
	int error = 0;

	snprintf(name, sizeof(name), "qemu-%s", upcs_guests[g].target);
	run_emulator_find(&emulator, name, own ? options->qemu : NULL);
	if (own)
		error = check_emulator(guest, options, &emulator);
	if (emulator.error != 0 || !upcs_emulator_has_module(emulator.interface))
		return error;
	strcpy(filled->qemu[g], emulator.path);
	/* A directory contains the modules for all interfaces. */
	if (is_directory(filled->plugin))
		filled->interface[g] = (uint32_t)emulator.interface;
	return own ? check_module(filled, g) : 0;
}

/* True if the directory has libpapi.so, the name that papi-build installs in addition to the names that
 * programs need. */
static bool has_papi(const char *directory)
{
	char file[PATH_MAX + sizeof("/libpapi.so")];

	snprintf(file, sizeof(file), "%s/libpapi.so", directory);
	return access(file, F_OK) == 0;
}

/*
 * Find the directory of the PAPI with presets: UPC_SIM_PAPI, or the directory where that PAPI is installed.
 * If the directory is missing or cannot be preloaded from, this is an error only if the user requested it.
 */
static int find_papi(const struct run_options *options, struct upcs_options *filled)
{
	const char *given = getenv("UPC_SIM_PAPI"), *why;
	bool wanted = options->papi == RUN_PAPI_ALWAYS || (given != NULL && given[0] != '\0');
	const char *name = given != NULL && given[0] != '\0' ? given : UPC_SIM_PAPI_PATH;

	if (options->papi == RUN_PAPI_OWN)
		return 0;
	filled->papi_always = options->papi == RUN_PAPI_ALWAYS;
	if (realpath(name, filled->papi) == NULL)
		why = strerror(errno);
	else if (!is_directory(filled->papi))
		why = strerror(ENOTDIR);
	else if (!upcs_preload_can_name(filled->papi))
		why = "a path with blanks or one of ':;,$' cannot be preloaded";
	else if (!has_papi(filled->papi))
		why = "there is no libpapi.so in it";
	else
		return 0;
	filled->papi[0] = '\0';
	if (!wanted)
		return 0;
	util_error(
		"no PAPI with presets in '%s': %s; 'papi-build --simulation' builds one, and UPC_SIM_PAPI says "
		"in which directory it is",
		name, why);
	return RUN_ERROR;
}

/* Check that the program's dynamic linker exists. The emulator looks for it below the prefix first, and the
 * emulator's message would not name the dynamic linker. */
static int find_linker(const struct run_guest *guest, const char *prefix)
{
	char under[2 * PATH_MAX];

	snprintf(under, sizeof(under), "%s%s", prefix, guest->linker);
	if (guest->linker[0] == '\0' || access(under, R_OK) == 0 || access(guest->linker, R_OK) == 0)
		return 0;
	util_error("cannot run '%s': it needs the dynamic linker '%s' of %s, which is not there: install the "
		   "libraries of that machine, or say with --prefix where they are",
		   guest->program, guest->linker, upcs_guests[guest->guest].name);
	return UTIL_CANNOT_RUN;
}

int run_guest_options(const struct run_guest *guest, const struct run_options *options,
		      struct upcs_options *filled)
{
	const char *place = plugin_place(options->plugin);
	int error;

	/* An absolute path, because children may change their directory. */
	if (realpath(place, filled->plugin) == NULL)
		return fail_reading_guest(place, errno);
	for (unsigned g = 0; g < UPCS_GUESTS; g++) {
		char prefix[UPCS_PREFIX_MAX]; /* directory of a cross compiler's libraries */

		error = find_simulator(guest, options, (enum upcs_guest)g, filled);
		if (error != 0)
			return error;
		snprintf(prefix, sizeof(prefix), "/usr/%s", upcs_guests[g].triplet);
		if (!upcs_guest_is_native((enum upcs_guest)g) && is_directory(prefix))
			strcpy(filled->prefix[g], prefix);
	}
	filled->given_guest = guest->guest;
	if (options->prefix != NULL && realpath(options->prefix, filled->given_prefix) == NULL) {
		util_error("cannot use the libraries in '%s': %s", options->prefix, strerror(errno));
		return RUN_ERROR;
	}
	error = find_linker(guest, upcs_options_prefix(filled, guest->guest));
	if (error == 0)
		error = find_papi(options, filled);
	if (error != 0)
		return error;
	filled->children = options->children;
	filled->randomise = options->randomise;
	filled->accounts = options->accounts;
	filled->functions = options->functions;
	filled->regions = options->regions;
	for (unsigned r = 0; r < options->regions; r++)
		snprintf(filled->region[r], sizeof(filled->region[r]), "%s", options->region[r]);
	return 0;
}
