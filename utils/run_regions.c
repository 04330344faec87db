/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_regions.c - are there functions of the names that are to be counted? Said before the
 * program runs, since a run is long.
 */
#include "run_regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "needed.h"

static int refuse(const struct run_guest *guest, const char *name, const struct upcs_needed *needed)
{
	char list[UPCS_NEAREST * (UPCS_NEAREST_NAME + 2) + 16] = "";
	size_t n = 0;

	for (unsigned i = 0; i < UPCS_NEAREST && needed->nearest[i][0] != '\0'; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : "; the nearest: ",
				      needed->nearest[i]);
	util_error("no function '%s' in '%s'%s%s%s%s", name, guest->program,
		   guest->dynamic ? " and its libraries" : "",
		   needed->full ? "" : ", which is stripped: link it without -s", list,
		   guest->dynamic ? "; --late if it is loaded later" : "");
	return RUN_ERROR;
}

static int check(const struct run_guest *guest, const struct upcs_options *filled, const char *name,
		 struct upcs_needed *needed)
{
	int error = upcs_symbols_needed(guest->program, filled->prefix[guest->guest],
					getenv("LD_LIBRARY_PATH"), name, needed);

	if (error == 0)
		return 0;
	if (error != -ENOENT) {
		util_error("cannot read the functions of '%s': %s", guest->program, strerror(-error));
		return RUN_ERROR;
	}
	if (needed->chosen) {
		util_error("'%s' in '%s' is one of several functions, chosen when it runs: give the name "
			   "of that one", name, needed->file);
		return RUN_ERROR;
	}
	if (needed->missing[0] != '\0') {
		util_error("no function '%s' in '%s', and its library %s is not found: --prefix says where "
			   "libraries are, --late goes on without it", name, guest->program, needed->missing);
		return RUN_ERROR;
	}
	return refuse(guest, name, needed);
}

int run_regions_check(const struct run_guest *guest, const struct run_options *options,
		      const struct upcs_options *filled)
{
	struct upcs_needed *needed;
	int status = 0;

	if (options->regions == 0 || options->late)
		return 0;
	needed = malloc(sizeof(*needed));
	if (needed == NULL) {
		util_error("out of memory");
		return RUN_ERROR;
	}
	for (unsigned r = 0; r < options->regions && status == 0; r++)
		status = check(guest, filled, options->region[r], needed);
	free(needed);
	return status;
}
