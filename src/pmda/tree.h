/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - the name space and the table of metrics of the present counters, in the form of PCP's library.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_TREE_H
#define PMDA_TREE_H

#include "pmda/current.h"
#include "pmda/pcp.h"

struct tree {
	pmdaNameSpace *names;
	pmdaMetric *metric; /* m_user: the counter's entry; NULL for metrics that always exist */
	int metrics;
};

/* Make a new name space and table. Errors: -ENOMEM and PCP's errors; the former name space and table then
 * stay. */
int tree_build(struct tree *tree, const struct current *current, int domain);

void tree_free(struct tree *tree);

#endif
