/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fetch.h - the value of one instance of one metric.
 */
#ifndef PMDA_FETCH_H
#define PMDA_FETCH_H

#include "pmda/current.h"
#include "pmda/pcp.h"

/*
 * As pmdaFetch's callback: PMDA_FETCH_STATIC and the value, or PM_ERR_AGAIN where there is none now:
 * what was not counted is never 0. The value's text lives until the next sample. PM_ERR_INST and
 * PM_ERR_PMID: there is no such.
 */
int fetch_value(const struct current *current, const pmdaMetric *metric, unsigned instance,
		pmAtomValue *atom);

#endif
