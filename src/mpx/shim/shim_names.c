/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_names.c - the stand-in for PAPI_event_name_to_code. If a name that begins with "upc:::" is unknown
 * because the loaded PAPI lacks the component upc, the stand-in prints this reason.
 *
 * Terms: shim/shim.h.
 */
#include <string.h>

#include "shim/shim.h"
#include "shim/shim_pass.h"

int shim_code_of(const char *name, int *code)
{
	const struct shim_real *real = shim_real();
	int error = real->event_name_to_code(name, code);

	if (error && name && !strncmp(name, "upc:::", 6) && real->is_initialized() != PAPI_NOT_INITED &&
	    real->get_component_index("upc") < 0)
		shim_say_once("no event '%s': the program has loaded %s, a PAPI without the component "
			      "upc. LD_LIBRARY_PATH=%s gives it the one with it, where both are of the "
			      "same version; else link it with that",
			      name, shim_real_file(), SHIM_PAPI_LIBDIR);
	return error;
}

SHIM_EXPORT int PAPI_event_name_to_code(const char *name, int *code)
{
	return shim_code_of(name, code);
}
