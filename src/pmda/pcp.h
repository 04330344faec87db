/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcp.h - what of Performance Co-Pilot the agent uses, as PCP 6 and PCP 7 both have it: PCP 7 gives
 * agents a result of their own, which is PCP 6's pmResult.
 */
#ifndef PMDA_PCP_H
#define PMDA_PCP_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#ifndef pmdaResult
#define pmdaResult pmResult
#endif

#endif
