/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - the name space and the table of metrics, as PCP's library wants them, of the counters that
 * there are now.
 */
#ifndef PMDA_TREE_H
#define PMDA_TREE_H

#include "pmda/current.h"
#include "pmda/pcp.h"

struct tree {
	pmdaNameSpace *names;
	pmdaMetric *metric; /* m_user: the counter's entry, or NULL of those always there */
	int metrics;
};

/* Makes both anew. Errors: -ENOMEM and PCP's; then both are as they were. */
int tree_build(struct tree *tree, const struct current *current, int domain);

void tree_free(struct tree *tree);

#endif
