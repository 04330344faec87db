/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.c - see tree.h. A counter that has ended has no name, but its PMIDs stay valid: a client that requests
 * them gets no value, instead of an unknown metric, at which PCP's tools give up.
 * Terms: pmda/agent.h.
 */
#include "pmda/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmda/metric.h"

/* Limit of a counter's metrics. A counter of CPUs has values, sums over NUMA nodes, running times of both,
 * and states. */
#define METRICS_OF_ONE 5

/* True if the counter has a metric of the family. */
static bool entry_has_family(const struct pmids_entry *entry, enum metric_family family)
{
	return metric_kind[family].scope == entry->key.scope;
}

static int put_tree_metric(struct tree *tree, const struct pmids_entry *entry, enum metric_family family,
			   int domain)
{
	pmdaMetric *metric = &tree->metric[tree->metrics];
	char name[METRIC_NAME_MAX];
	int error = 0;

	metric->m_user = (void *)entry;
	metric_desc(entry, family, domain, &metric->m_desc);
	metric_name(entry, family, name);
	if (entry->counter)
		error = pmdaTreeInsert(tree->names, metric->m_desc.pmid, name);
	tree->metrics += error >= 0;
	return error;
}

static int put_always(struct tree *tree, const struct metric_always *always, int domain)
{
	pmdaMetric *metric = &tree->metric[tree->metrics];
	int error;

	metric->m_user = NULL;
	metric->m_desc.pmid = pmID_build((unsigned)domain, 0, always->item);
	metric->m_desc.type = always->type;
	metric->m_desc.indom =
		always->indom < 0 ? PM_INDOM_NULL : pmInDom_build((unsigned)domain, (unsigned)always->indom);
	metric->m_desc.sem = always->sem;
	metric->m_desc.units = always->units;
	error = pmdaTreeInsert(tree->names, metric->m_desc.pmid, always->name);
	tree->metrics += error >= 0;
	return error;
}

int tree_build(struct tree *tree, const struct current *current, int domain)
{
	struct tree made = {0};
	unsigned i, most = metric_always_count + current->pmids.count * METRICS_OF_ONE;
	int family, error;

	error = pmdaTreeCreate(&made.names);
	if (error < 0)
		return error;
	made.metric = calloc(most, sizeof(*made.metric));
	if (!made.metric)
		error = -ENOMEM;
	for (i = 0; error >= 0 && i < metric_always_count; i++)
		error = put_always(&made, &metric_always[i], domain);
	for (i = 0; error >= 0 && i < current->pmids.count; i++)
		for (family = FAMILY_CPU; error >= 0 && family < FAMILIES; family++)
			if (entry_has_family(current->pmids.entry[i], (enum metric_family)family))
				error = put_tree_metric(&made, current->pmids.entry[i],
							(enum metric_family)family, domain);
	if (error < 0) {
		tree_free(&made);
		return error;
	}
	pmdaTreeRebuildHash(made.names, made.metrics);
	tree_free(tree);
	*tree = made;
	return 0;
}

void tree_free(struct tree *tree)
{
	if (tree->names)
		pmdaTreeRelease(tree->names);
	free(tree->metric);
	memset(tree, 0, sizeof(*tree));
}
