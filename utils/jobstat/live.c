/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live.c - a running host as a source of records.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <stdlib.h>
#include <string.h>

#include "jobstat/live.h"
#include "lib/clock.h"
#include "lib/common.h"
#include "lib/list.h"

#define NS 1000000000ULL

struct archive_live {
	char *host, *name;
	int context;
	unsigned serial;
	uint64_t interval_ns, due_ns;
	pmID *pmid;
	int pmids;
	bool away;
};

static void add_live_name(const char *name, void *arg)
{
	struct archive_live *live = arg;
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) != 1)
		return;
	if (util_grow(&live->pmid, (size_t)live->pmids, sizeof(pmid)))
		live->pmid[live->pmids++] = pmid;
}

/* List all metrics of the service, whose counters may have changed. */
static void list_metrics(struct archive_live *live)
{
	live->pmids = 0;
	pmTraversePMNS_r("upc", add_live_name, live);
}

static uint64_t service_interval(void)
{
	const char *name = "upc.sample.interval";
	pmResult *record;
	uint64_t value = 0;
	pmID pmid;

	if (pmLookupName(1, &name, &pmid) != 1 || pmFetch(1, &pmid, &record) < 0)
		return 0;
	if (record->vset[0]->numval == 1 && record->vset[0]->valfmt != PM_VAL_INSITU &&
	    record->vset[0]->vlist[0].value.pval->vlen >= PM_VAL_HDR_SIZE + 8)
		memcpy(&value, record->vset[0]->vlist[0].value.pval->vbuf, 8);
	pmFreeResult(record);
	return value;
}

struct archive_live *live_open(const char *host, uint64_t interval_ns)
{
	struct archive_live *live = calloc(1, sizeof(*live));
	char why[PM_MAXERRMSGLEN];

	if (live == NULL)
		return NULL;
	live->context = pmNewContext(PM_CONTEXT_HOST, host);
	if (live->context < 0) {
		util_error("cannot reach '%s': %s", host, pmErrStr_r(live->context, why, sizeof(why)));
		free(live);
		return NULL;
	}
	live->host = strdup(host);
	live->name = strdup(pmGetContextHostName(live->context));
	live->interval_ns = interval_ns ? interval_ns : service_interval();
	if (live->interval_ns < NS / 10)
		live->interval_ns = NS;
	list_metrics(live);
	if (live->host == NULL || live->name == NULL || live->pmids == 0) {
		util_error("'%s' has no metrics of the service: upc.*", host);
		live_close(live);
		return NULL;
	}
	return live;
}

void live_close(struct archive_live *live)
{
	pmDestroyContext(live->context);
	free(live->pmid);
	free(live->host);
	free(live->name);
	free(live);
}

const char *live_host(const struct archive_live *live)
{
	return live->name;
}

int live_context(const struct archive_live *live, unsigned *serial)
{
	*serial = live->serial;
	return live->context;
}

uint64_t live_interval(const struct archive_live *live)
{
	return live->interval_ns;
}

bool live_due(struct archive_live *live)
{
	return util_clock_ns(CLOCK_REALTIME) >= live->due_ns;
}

int live_next(struct archive_live *live, pmResult **record)
{
	const uint64_t now = util_clock_ns(CLOCK_REALTIME);
	int status;

	if (now < live->due_ns)
		return 0;
	/* Add a twentieth of an interval to the multiple, so that the service has taken its sample. */
	live->due_ns = (now / live->interval_ns + 1) * live->interval_ns + live->interval_ns / 20;
	pmUseContext(live->context);
	if (live->away) {
		if (pmReconnectContext(live->context) < 0)
			return 0;
		live->away = false;
		live->serial++;
		list_metrics(live);
	}
	status = live->pmids > 0 ? pmFetch(live->pmids, live->pmid, record) : PM_ERR_EOF;
	if (status < 0) {
		live->away = true;
		return 0;
	}
	/* If names have changed, the next record has the new metrics. */
	if (status & PMCD_NAMES_CHANGE)
		list_metrics(live);
	return 1;
}
