/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcp.h - the parts of Performance Co-Pilot that the agent uses, for both PCP 6 and PCP 7. PCP 7 has a
 * separate result type for agents, which is PCP 6's pmResult.
 */
#ifndef PMDA_PCP_H
#define PMDA_PCP_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#ifndef pmdaResult
#define pmdaResult pmResult
#endif

#endif
