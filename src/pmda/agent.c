/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agent.c - see agent.h. Each PDU first checks whether the service has changed. A fetch takes one sample for
 * all metrics that it requests.
 * Terms: pmda/agent.h.
 */
#include "pmda/agent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pmda/fetch.h"
#include "pmda/labels.h"
#include "pmda/metric.h"
#include "pmda/text.h"

struct agent agent;

static const pmdaMetric *find_agent_metric(pmID pmid)
{
	int i;

	for (i = 0; i < agent.tree.metrics; i++)
		if (agent.tree.metric[i].m_desc.pmid == pmid)
			return &agent.tree.metric[i];
	return NULL;
}

void agent_refresh(pmdaExt *ext, bool always)
{
	pmdaMetric *old = agent.tree.metric;
	bool changed;
	int error;

	current_refresh(&agent.current, always);
	changed = agent.version != agent.current.version;
	if ((changed || !indoms_users_same(agent.indom, &agent.current)) &&
	    indoms_update(agent.indom, &agent.current))
		agent.current.say("out of memory: instances are as they were");
	if (!changed)
		return;
	error = tree_build(&agent.tree, &agent.current, agent.domain);
	if (error < 0) {
		agent.current.say("out of memory: names are as they were");
		return;
	}
	agent.version = agent.current.version;
	pmdaRehash(ext, agent.tree.metric, agent.tree.metrics);
	if (old)
		pmdaExtSetFlags(ext, PMDA_EXT_NAMES_CHANGE | PMDA_EXT_LABEL_CHANGE);
}

/* ---- the callbacks ------------------------------------------------------------------- */

static int on_value(pmdaMetric *metric, unsigned int instance, pmAtomValue *atom)
{
	return fetch_value(&agent.current, metric, instance, atom);
}

static int on_fetch(int count, pmID *pmid, pmdaResult **result, pmdaExt *ext)
{
	agent_refresh(ext, true);
	return pmdaFetch(count, pmid, result, ext);
}

static int on_desc(pmID pmid, pmDesc *desc, pmdaExt *ext)
{
	agent_refresh(ext, false);
	return pmdaDesc(pmid, desc, ext);
}

static int on_instance(pmInDom indom, int instance, char *name, pmInResult **result, pmdaExt *ext)
{
	agent_refresh(ext, false);
	return pmdaInstance(indom, instance, name, result, ext);
}

/* Refuse all stores: commands must not come this way, since pmproxy would make a store for any web page, as
 * its own user. */
static int on_store(pmdaResult *result, pmdaExt *ext)
{
	(void)result, (void)ext;
	return PM_ERR_PERMISSION;
}

static int on_text(int ident, int type, char **buffer, pmdaExt *ext)
{
	static char text[8192];
	bool line = type & PM_TEXT_ONELINE;
	const struct metric_always *always;
	const pmdaMetric *metric;

	agent_refresh(ext, false);
	if (type & PM_TEXT_INDOM) {
		if (pmInDom_serial((pmInDom)ident) >= INDOM_COUNT)
			return PM_ERR_TEXT;
		*buffer = (char *)text_indom((enum metric_indom)pmInDom_serial((pmInDom)ident));
		return 0;
	}
	metric = find_agent_metric((pmID)ident);
	if (!metric)
		return PM_ERR_PMID;
	if (metric->m_user) {
		*buffer = (char *)text_counter(metric->m_user, metric_family(metric->m_desc.pmid), line, text,
					       sizeof(text));
		return 0;
	}
	always = metric_find(pmID_item(metric->m_desc.pmid));
	if (!always)
		return PM_ERR_TEXT;
	*buffer = (char *)text_always(always, line, text, sizeof(text));
	return 0;
}

static int on_pmid(const char *name, pmID *pmid, pmdaExt *ext)
{
	agent_refresh(ext, false);
	return pmdaTreePMID(agent.tree.names, name, pmid);
}

static int on_name(pmID pmid, char ***names, pmdaExt *ext)
{
	agent_refresh(ext, false);
	return pmdaTreeName(agent.tree.names, pmid, names);
}

static int on_children(const char *name, int traverse, char ***names, int **status, pmdaExt *ext)
{
	agent_refresh(ext, false);
	return pmdaTreeChildren(agent.tree.names, name, traverse, names, status);
}

static int on_label(int ident, int type, pmLabelSet **labels, pmdaExt *ext)
{
	const pmdaMetric *metric;
	char text[4 * PMIDS_TEXT];
	int error;

	agent_refresh(ext, false);
	if (type & PM_LABEL_ITEM) {
		metric = find_agent_metric((pmID)ident);
		if (metric && metric->m_user) {
			labels_text(metric->m_user, metric_family(metric->m_desc.pmid), text, sizeof(text));
			error = text[0] ? pmdaAddLabels(labels, "%s", text) : 0;
			if (error < 0)
				return error;
		}
	}
	return pmdaLabel(ident, type, labels, ext);
}

int agent_init(pmdaInterface *dispatch)
{
	pmdaExt *ext = dispatch->version.any.ext;
	int error;

	indoms_init(agent.indom);
	agent.domain = dispatch->domain;
	error = indoms_update(agent.indom, &agent.current);
	if (!error)
		error = tree_build(&agent.tree, &agent.current, agent.domain);
	if (error < 0)
		return error;
	dispatch->version.seven.fetch = on_fetch;
	dispatch->version.seven.desc = on_desc;
	dispatch->version.seven.instance = on_instance;
	dispatch->version.seven.store = on_store;
	dispatch->version.seven.text = on_text;
	dispatch->version.seven.pmid = on_pmid;
	dispatch->version.seven.name = on_name;
	dispatch->version.seven.children = on_children;
	dispatch->version.seven.label = on_label;
	pmdaSetFetchCallBack(dispatch, on_value);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, agent.indom, INDOM_COUNT, agent.tree.metric, agent.tree.metrics);
	(void)ext;
	return dispatch->status;
}

void agent_free(void)
{
	current_close(&agent.current);
	tree_free(&agent.tree);
	indoms_free(agent.indom);
}
