/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * current.c - see current.h. Only the thread that answers pmcd calls these functions.
 * Terms: pmda/agent.h.
 */
#include "pmda/current.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmda/store.h"

/* pmcd gives an agent 5 s; a worker that is busy for longer than this returns its last sample. */
#define WAIT_MS 1000
/* Wait for a sample when a client asks for names. Shorter than WAIT_MS, since a client makes many requests
 * for names. */
#define WAIT_NAMES_MS 100

int current_init(struct current *current)
{
	char why[256], line[1024];
	int error = pmids_init(&current->pmids);

	if (error || !current->store)
		return error;
	error = store_load(current->store, &current->pmids, current->places, &current->epoch, why);
	if (error == -ENOMEM)
		return error;
	if (error) {
		char aside[4096];

		/* Rename the file and continue without it: having values is more important than keeping the
		 * former numbers. */
		snprintf(aside, sizeof(aside), "%s.bad", current->store);
		snprintf(line, sizeof(line),
			 "%.300s: %s; it is put aside as %.300s, and metrics may get other numbers",
			 current->store, why, aside);
		if (rename(current->store, aside))
			snprintf(line, sizeof(line), "%.300s: %s; metrics may get other numbers",
				 current->store, why);
		current->say(line);
	}
	return 0;
}

static void save_current_pmids(struct current *current)
{
	char why[256];

	if (current->store &&
	    store_save(current->store, &current->pmids, current->places, current->epoch, why))
		current->say(why);
}

/* Take the names and places from a sample of another generation. Return 0, or -ENOMEM. */
static int take_sample_names(struct current *current, const struct service_sample *sample)
{
	struct pmids_entry **of =
		calloc(sample->counters ? sample->counters : 1, sizeof(struct pmids_entry *));
	unsigned i, scope;

	if (!of)
		return -ENOMEM;
	for (scope = 0; scope < SERVICE_SCOPES; scope++) {
		if (places_update(&current->places[scope], sample, (enum service_scope)scope)) {
			free(of);
			return -ENOMEM;
		}
	}
	if (pmids_claim(&current->pmids, sample, of) < 0) {
		free(of);
		return -ENOMEM;
	}
	for (i = 0; i < sample->counters; i++) {
		struct tally *tally;

		if (!of[i])
			continue;
		scope = sample->counter[i].scope;
		tally = tally_grow(of[i]->tally, &current->places[scope], scope == SERVICE_CPU);
		if (!tally) {
			/* The counter has no metric until a later change succeeds. */
			of[i]->counter = NULL;
			of[i] = NULL;
			continue;
		}
		of[i]->tally = tally;
	}
	free(current->of);
	current->of = of;
	return 0;
}

/* Begin a new epoch: the service's counts have begun anew, with new ids. */
static void take_epoch(struct current *current, uint64_t epoch)
{
	unsigned i;

	for (i = 0; i < current->pmids.count; i++) {
		current->pmids.entry[i]->id = 0;
		if (current->pmids.entry[i]->tally)
			tally_reset(current->pmids.entry[i]->tally);
	}
	current->epoch = epoch;
}

static void take_sample_values(struct current *current, const struct service_sample *sample)
{
	unsigned i;

	for (i = 0; i < sample->counters; i++) {
		const struct service_counter *counter = &sample->counter[i];
		struct pmids_entry *entry = current->of[i];

		if (!entry)
			continue;
		entry->counter = counter;
		tally_update(entry->tally, &current->places[counter->scope], counter,
			     entry->id && entry->id != counter->id);
		entry->id = counter->id;
	}
}

/* True if the counters of a sample differ from those of the current one. */
static bool differs_from_sample(const struct current *current, const struct service_sample *sample)
{
	unsigned i;

	if (sample->generation != current->generation || sample->started_ns != current->epoch ||
	    sample->counters != current->sample->counters || !current->of)
		return true;
	for (i = 0; i < sample->counters; i++)
		if (current->of[i] && current->of[i]->id != sample->counter[i].id)
			return true;
	return false;
}

/* Drop all counters' metrics, after running out of memory in the middle of a change, until a later change
 * succeeds. */
static void forget_names(struct current *current)
{
	unsigned i;

	for (i = 0; i < current->pmids.count; i++)
		current->pmids.entry[i]->counter = NULL;
	free(current->of);
	current->of = NULL;
	current->version++;
	current->say("out of memory: there are no counters for now");
}

void current_refresh(struct current *current, bool always)
{
	const struct service_sample *sample, *before = current->sample;
	bool changed;

	if (!current->service)
		return;
	if (before && !always && service_generation(current->service) == current->generation)
		return;
	sample = service_sample_get(current->service, always || !before ? WAIT_MS : WAIT_NAMES_MS);
	if (sample == before) {
		service_sample_put(sample);
		return;
	}
	if (before && sample->samples < before->samples) {
		/* Drop this sample, which is older than the values that the agent has already reported. */
		service_sample_put(sample);
		return;
	}
	changed = !before || differs_from_sample(current, sample);
	if (sample->started_ns != current->epoch)
		take_epoch(current, sample->started_ns);
	if (changed && take_sample_names(current, sample)) {
		forget_names(current);
		service_sample_put(sample);
		return;
	}
	take_sample_values(current, sample);
	current->sample = sample;
	if (before)
		service_sample_put(before);
	if (changed) {
		current->generation = sample->generation;
		current->version++;
		save_current_pmids(current);
	}
}

void current_open(struct current *current, struct service *service)
{
	current->service = service;
	current_refresh(current, true);
}

void current_close(struct current *current)
{
	unsigned scope;

	if (current->service) {
		current_refresh(current, true);
		save_current_pmids(current);
	}
	if (current->sample)
		service_sample_put(current->sample);
	if (current->service)
		service_close(current->service);
	free(current->of);
	pmids_free(&current->pmids);
	for (scope = 0; scope < SERVICE_SCOPES; scope++)
		places_free(&current->places[scope]);
}
