/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_regions.c - checks that the functions of regions exist, before the program runs, since a run takes
 * long.
 */
#include "run/run_regions.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "load/demangle.h"
#include "load/needed.h"

#define TEXT_MAX (UPCS_NEAREST * (UPCS_NEAREST_NAME + 2) + 512)

struct text {
	char text[TEXT_MAX];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *to, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(to->text + to->n, sizeof(to->text) - to->n, format, arguments);
	va_end(arguments);
	to->n += n > 0 ? (size_t)n : 0;
	if (to->n >= sizeof(to->text))
		to->n = sizeof(to->text) - 1;
}

static void append_names(struct text *to, char names[UPCS_NEAREST][UPCS_NEAREST_NAME])
{
	for (unsigned i = 0; i < UPCS_NEAREST && names[i][0] != '\0'; i++)
		append(to, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* Append reasons why a function was not found, and what the user can do. */
static void append_reasons(struct text *to, const char *name, struct upcs_needed *needed)
{
	if (!needed->full)
		append(to, "; the program is stripped: link it without -s, or install its debug symbols");
	if (needed->nearest[0][0] != '\0') {
		append(to, "; the nearest: ");
		append_names(to, needed->nearest);
	} else if (needed->stripped > 0) {
		append(to,
		       needed->stripped > 1 ? "; %s and others are stripped: install their debug symbols"
					    : "; %s is stripped: install its debug symbols",
		       needed->stripped_name);
	}
	if (!upcs_demangle_is_there() && (strstr(name, "::") != NULL || strchr(name, '(') != NULL))
		append(to, "; this upc_run was built without libiberty: C++ names are to be mangled, as nm "
			   "shows them");
	append(to, "; --late if it is loaded later");
}

static int refuse_region_function(const struct run_guest *guest, const char *name, struct upcs_needed *needed)
{
	struct text text = {.n = 0};

	append_reasons(&text, name, needed);
	util_error("no function '%s' in '%s'%s%s", name, guest->program,
		   guest->dynamic ? " and its libraries" : "", text.text);
	return RUN_ERROR;
}

static int check_region_function(const struct run_guest *guest, const struct upcs_options *filled,
				 const char *name, struct upcs_needed *needed)
{
	int error = upcs_symbols_needed(guest->program, upcs_options_prefix(filled, guest->guest),
					getenv("LD_LIBRARY_PATH"), name, needed);

	if (error == 0)
		return 0;
	if (error != -ENOENT) {
		util_error("cannot read the functions of '%s': %s", guest->program, strerror(-error));
		return RUN_ERROR;
	}
	if (needed->missing[0] != '\0') {
		util_error(
			"no function '%s' in '%s', and its library %s is not found: LD_LIBRARY_PATH or --prefix "
			"says where it is, --late goes on without it",
			name, guest->program, needed->missing);
		return RUN_ERROR;
	}
	return refuse_region_function(guest, name, needed);
}

/* Keep the names of a region's functions for the report. Return false if memory is short. */
static bool note_fits(struct run_options *options, unsigned r, struct upcs_needed *needed)
{
	struct text text = {.n = 0};

	if (needed->fits[1][0] == '\0')
		return true;
	append(&text, "region %s is all of %u functions: ", options->region[r], needed->functions);
	append_names(&text, needed->fits);
	if (needed->functions > UPCS_NEAREST)
		append(&text, " and others");
	options->fits[r] = strdup(text.text);
	return options->fits[r] != NULL;
}

int run_regions_check(const struct run_guest *guest, struct run_options *options,
		      const struct upcs_options *filled)
{
	struct upcs_needed *needed;
	int status = 0;

	if (options->regions == 0 || options->late)
		return 0;
	needed = malloc(sizeof(*needed));
	for (unsigned r = 0; r < options->regions && status == 0; r++) {
		if (needed != NULL)
			status = check_region_function(guest, filled, options->region[r], needed);
		if (status == 0 && (needed == NULL || !note_fits(options, r, needed))) {
			util_error("out of memory");
			status = RUN_ERROR;
		}
	}
	free(needed);
	return status;
}

void run_regions_free(struct run_options *options)
{
	for (unsigned r = 0; r < options->regions; r++)
		free(options->fits[r]);
}
