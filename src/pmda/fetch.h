/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fetch.h - the value of one instance of one metric.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_FETCH_H
#define PMDA_FETCH_H

#include "pmda/current.h"
#include "pmda/pcp.h"

/*
 * Callback for pmdaFetch. Return PMDA_FETCH_STATIC with the value, or PM_ERR_AGAIN if there is no value now.
 * If nothing was counted, there is no value, rather than 0. A text value is valid until the next call.
 * PM_ERR_INST and PM_ERR_PMID: no such instance or metric.
 */
int fetch_value(const struct current *current, const pmdaMetric *metric, unsigned instance,
		pmAtomValue *atom);

#endif
