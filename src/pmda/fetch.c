/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fetch.c - see fetch.h.
 * Terms: pmda/agent.h.
 */
#include "pmda/fetch.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "pmda/clean.h"
#include "pmda/metric.h"

static int give_u64(pmAtomValue *atom, uint64_t value)
{
	atom->ull = value;
	return PMDA_FETCH_STATIC;
}

static int give_u32(pmAtomValue *atom, uint32_t value)
{
	atom->ul = value;
	return PMDA_FETCH_STATIC;
}

/* PCP copies the text before it requests the next value. */
static int give_text(pmAtomValue *atom, const char *text)
{
	static char clean[1024];

	clean_text(text, clean, sizeof(clean));
	atom->cp = clean;
	return PMDA_FETCH_STATIC;
}

/* Return the place of a metric's instance: the CPU or control group with this instance number, or the node's
 * only place. NULL if there is no such place. */
static const struct tally_place *find_entry_place(const struct current *current,
						  const struct pmids_entry *entry, unsigned instance)
{
	const struct places *places = &current->places[entry->key.scope];
	const struct places_one *one = entry->key.scope == SERVICE_NODE ? (places->count ? places->one : NULL)
									: places_find(places, (int)instance);
	size_t i = one ? (size_t)(one - places->one) : 0;

	return one && one->at >= 0 && entry->tally && i < entry->tally->places ? &entry->tally->place[i]
									       : NULL;
}

static int give_numa(const struct pmids_entry *entry, enum metric_what what, unsigned node, pmAtomValue *atom)
{
	unsigned i;

	for (i = 0; entry->tally && i < entry->tally->numas; i++) {
		const struct tally_numa *numa = &entry->tally->numa[i];

		if (numa->node < 0 || (unsigned)numa->node != node)
			continue;
		if (what == WHAT_RUNNING)
			return numa->known ? give_u64(atom, numa->running) : PM_ERR_AGAIN;
		return numa->counting ? give_u64(atom, numa->value) : PM_ERR_AGAIN;
	}
	return PM_ERR_INST;
}

static int give_counter(const struct current *current, const pmdaMetric *metric, unsigned instance,
			pmAtomValue *atom)
{
	const struct pmids_entry *entry = metric->m_user;
	const struct metric_kind *kind = &metric_kind[metric_family(metric->m_desc.pmid)];
	const struct tally_place *place;

	/* The counter has ended: a client that still requests it, such as a running pmlogger, gets no
	 * value. */
	if (!entry->counter)
		return PM_ERR_AGAIN;
	if (kind->numa)
		return give_numa(entry, kind->what, instance, atom);
	place = find_entry_place(current, entry, instance);
	if (!place)
		return PM_ERR_INST;
	switch (kind->what) {
	case WHAT_STATE:
		return give_u32(atom, place->state);
	case WHAT_RUNNING:
		return place->known ? give_u64(atom, place->running_base + place->running) : PM_ERR_AGAIN;
	default:
		return place->state == SERVICE_COUNTING ? give_u64(atom, place->base + place->value)
							: PM_ERR_AGAIN;
	}
}

/* ---- metrics that always exist ---------------------------------------------------------- */

static int give_about(const struct current *current, unsigned item, unsigned instance, pmAtomValue *atom)
{
	const struct service_sample *sample = current->sample;
	const struct service_counter *counter = NULL;
	char name[METRIC_NAME_MAX] = "";
	unsigned i;

	for (i = 0; i < sample->counters; i++) {
		if ((sample->counter[i].id & INT_MAX) == instance) {
			counter = &sample->counter[i];
			break;
		}
	}
	if (!counter)
		return PM_ERR_INST;
	switch (item) {
	case COUNTER_NAME:
		return give_text(atom, counter->name);
	case COUNTER_EVENT:
		return give_text(atom, counter->event);
	case COUNTER_SCOPE:
		return give_text(atom, service_scope_name(counter->scope));
	case COUNTER_STATE:
		return give_text(atom, service_state_name(service_counter_state(
					       counter, sample->places[counter->scope])));
	case COUNTER_STATUS:
		return give_text(atom, counter->why);
	case COUNTER_METRIC:
		if (current->of && current->of[i])
			metric_name(current->of[i], metric_value_family(counter->scope), name);
		return give_text(atom, name);
	default:
		return give_text(atom, counter->unit);
	}
}

static int give_user(const struct service_sample *sample, unsigned item, unsigned instance, pmAtomValue *atom)
{
	unsigned i;

	for (i = 0; i < sample->users; i++) {
		const struct service_user *user = &sample->user[i];

		if ((unsigned)user->pid != instance)
			continue;
		return item == USER_PID       ? give_u32(atom, (uint32_t)user->pid)
		       : item == USER_UID     ? give_u32(atom, (uint32_t)user->uid)
		       : item == USER_COMMAND ? give_text(atom, user->command)
					      : give_u32(atom, user->descriptors);
	}
	return PM_ERR_INST;
}

static uint32_t count_numas(const struct places *cpus)
{
	uint32_t nodes = 0;
	unsigned i, j;

	for (i = 0; i < cpus->count; i++) {
		if (cpus->one[i].at < 0 || cpus->one[i].numa < 0)
			continue;
		for (j = 0; j < i; j++)
			if (cpus->one[j].at >= 0 && cpus->one[j].numa == cpus->one[i].numa)
				break;
		nodes += j == i;
	}
	return nodes;
}

static int give_always(const struct current *current, unsigned item, unsigned instance, pmAtomValue *atom)
{
	const struct service_sample *sample = current->sample;
	const struct places_one *cpu;

	switch (item) {
	case USER_PID:
	case USER_UID:
	case USER_COMMAND:
	case USER_DESCRIPTORS:
		return give_user(sample, item, instance, atom);
	case SAMPLE_TIME:
		return give_u64(atom, sample->time_ns);
	case SAMPLE_DUE:
		return give_u64(atom, sample->due_ns);
	case SAMPLE_SKEW:
		atom->ll = (int64_t)(sample->time_ns - sample->due_ns);
		return PMDA_FETCH_STATIC;
	case SAMPLE_TOOK:
		return give_u64(atom, sample->took_ns);
	case SAMPLE_COUNT:
		return give_u64(atom, sample->samples);
	case SAMPLE_INTERVAL:
		return give_u64(atom, sample->interval_ns);
	case CONTROL_GENERATION:
		return give_u64(atom, sample->generation);
	case CONTROL_STARTED:
		return give_u64(atom, sample->started_ns);
	case CONTROL_MESSAGE:
		return give_text(atom, sample->message[0] ? sample->message : sample->users_unseen);
	case CONTROL_SOCKET:
		return give_text(atom, current->socket);
	case HINV_NCPU:
		return give_u32(atom, sample->places[SERVICE_CPU]);
	case HINV_NNUMA:
		return give_u32(atom, count_numas(&current->places[SERVICE_CPU]));
	case HINV_NUMA:
		cpu = places_find(&current->places[SERVICE_CPU], (int)instance);
		return cpu && cpu->at >= 0 && cpu->numa >= 0 ? give_u32(atom, (uint32_t)cpu->numa)
							     : PM_ERR_INST;
	default:
		return give_about(current, item, instance, atom);
	}
}

int fetch_value(const struct current *current, const pmdaMetric *metric, unsigned instance, pmAtomValue *atom)
{
	if (!current->sample)
		return PM_ERR_AGAIN;
	if (metric->m_user)
		return give_counter(current, metric, instance, atom);
	return give_always(current, pmID_item(metric->m_desc.pmid), instance, atom);
}
