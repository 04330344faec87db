/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_presets.c - loads the presets of the simulated node. PAPI reads them from section CPU,upc of
 * its table of events, which includes upc_presets.csv, and from the user's file
 * PAPI_USER_EVENTS_FILE.
 *
 * Terms: upc_set.h.
 */
#include <string.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_preset.h"

#include "upc_presets.h"

static char section[] = "upc";

/*
 * Load the presets. While PAPI looks up a native event by name, it writes to the thread's
 * ThreadInfo_t. For the first thread, PAPI creates this structure only after it has opened all
 * components except perf_event's, the only ones for which PAPI expects presets. This function
 * therefore sets up a temporary structure.
 */
void upcp_presets_load(int index)
{
	ThreadInfo_t *const thread = _papi_hwi_my_thread;
	ThreadInfo_t notes;

	if (index != 0)
		return;
	if (!thread) {
		memset(&notes, 0, sizeof(notes));
		_papi_hwi_my_thread = &notes;
	}
	/*
	 * The only error is a user's file that cannot be opened. The built-in presets are loaded
	 * then.
	 */
	(void)_papi_load_preset_table(section, 0, index);
	_papi_hwi_my_thread = thread;
}
