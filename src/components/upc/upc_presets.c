/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_presets.c - has PAPI read what the presets are on the simulated node: the section
 * CPU,upc of its table of events, which upc_presets.csv is put into, and of the user's file
 * PAPI_USER_EVENTS_FILE.
 */
#include <string.h>

#include "papi.h"
#include "papi_internal.h"
#include "papi_preset.h"

#include "upc_presets.h"

static char section[] = "upc";

/*
 * While PAPI looks up a native event by its name it takes notes in the thread's record. The record of
 * the first thread is made when all components have been opened but perf_event's, the only ones that
 * PAPI expects presets of.
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
	/* Its only error is that the user's file cannot be opened: the presets are there then. */
	(void)_papi_load_preset_table(section, 0, index);
	_papi_hwi_my_thread = thread;
}
