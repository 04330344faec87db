/* SPDX-License-Identifier: BSD-3-Clause */
/* upc_presets.h - PAPI's presets, in a build of PAPI for upc_run (make UPC_PRESETS=yes). */
#ifndef UPCP_PRESETS_H
#define UPCP_PRESETS_H

#ifdef UPC_PRESETS
/*
 * Load the presets after the component has been opened. Does nothing unless index is 0, because
 * PAPI has presets only on component 0.
 */
void upcp_presets_load(int index);
#else
static inline void upcp_presets_load(int index)
{
	(void)index;
}
#endif

#endif
