/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_presets.h - PAPI's presets, in a PAPI that is built for upc_run (make UPC_PRESETS=yes).
 */
#ifndef UPCP_PRESETS_H
#define UPCP_PRESETS_H

#ifdef UPC_PRESETS
/* At the end of the component's opening. PAPI has presets of component 0 only: of another index
 * nothing is done. */
void upcp_presets_load(int index);
#else
static inline void upcp_presets_load(int index)
{
	(void)index;
}
#endif

#endif
