/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.c - see tally.h.
 * Terms: pmda/agent.h.
 */
#include "pmda/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ------------------------------------------------------------------------- */

int places_add(struct places *places, const char *name, int instance, int numa)
{
	struct places_one *one;
	char *copy;
	unsigned i;

	for (i = 0; i < places->count; i++)
		if (places->one[i].instance == instance || !strcmp(places->one[i].name, name))
			return -EEXIST;
	copy = strdup(name);
	one = copy ? realloc(places->one, (places->count + 1) * sizeof(*one)) : NULL;
	if (!one) {
		free(copy);
		return -ENOMEM;
	}
	places->one = one;
	one[places->count++] = (struct places_one){copy, instance, numa, -1};
	return 0;
}

/* Return the next number for a control group's instance. */
static int next_instance(const struct places *places)
{
	int next = 0;
	unsigned i;

	for (i = 0; i < places->count; i++)
		if (places->one[i].instance >= next)
			next = places->one[i].instance + 1;
	return next;
}

static struct places_one *find_place_by_name(const struct places *places, const char *name)
{
	unsigned i;

	for (i = 0; i < places->count; i++)
		if (!strcmp(places->one[i].name, name))
			return &places->one[i];
	return NULL;
}

int places_update(struct places *places, const struct service_sample *sample, enum service_scope scope)
{
	unsigned i, n = sample->places[scope];

	for (i = 0; i < n; i++) {
		const struct service_place *place = &sample->place[scope][i];

		if (!find_place_by_name(places, place->name) &&
		    places_add(places, place->name, scope == SERVICE_CPU ? place->cpu : next_instance(places),
			       place->numa) == -ENOMEM)
			return -ENOMEM;
	}
	for (i = 0; i < places->count; i++)
		places->one[i].at = -1;
	for (i = 0; i < n; i++) {
		struct places_one *one = find_place_by_name(places, sample->place[scope][i].name);

		if (one && one->at < 0) {
			one->at = (int)i;
			/* The kernel does not report the NUMA node of an offline CPU. The counts of this CPU
			 * stay in its node's sum. */
			if (sample->place[scope][i].numa >= 0)
				one->numa = sample->place[scope][i].numa;
		}
	}
	return 0;
}

const struct places_one *places_find(const struct places *places, int instance)
{
	unsigned i;

	/* A CPU is mostly at the index that equals its number. */
	if (instance >= 0 && (unsigned)instance < places->count && places->one[instance].instance == instance)
		return &places->one[instance];
	for (i = 0; i < places->count; i++)
		if (places->one[i].instance == instance)
			return &places->one[i];
	return NULL;
}

void places_free(struct places *places)
{
	unsigned i;

	for (i = 0; i < places->count; i++)
		free(places->one[i].name);
	free(places->one);
	memset(places, 0, sizeof(*places));
}

/* ---- a counter's tally -------------------------------------------------------------- */

static struct tally_numa *numa_of(struct tally *tally, int node)
{
	unsigned i;

	for (i = 0; i < tally->numas; i++)
		if (tally->numa[i].node == node)
			return &tally->numa[i];
	return NULL;
}

static int add_numas(struct tally *tally, const struct places *places)
{
	struct tally_numa *numa;
	unsigned i;

	for (i = 0; i < places->count; i++) {
		if (places->one[i].numa < 0 || numa_of(tally, places->one[i].numa))
			continue;
		numa = realloc(tally->numa, (tally->numas + 1) * sizeof(*numa));
		if (!numa)
			return -ENOMEM;
		tally->numa = numa;
		numa[tally->numas++] = (struct tally_numa){.node = places->one[i].numa};
	}
	return 0;
}

struct tally *tally_grow(struct tally *old, const struct places *places, bool numa)
{
	struct tally *tally = old ? old : calloc(1, sizeof(*tally));
	struct tally_place *place;

	if (!tally)
		return NULL;
	if (tally->places < places->count) {
		place = realloc(tally->place, places->count * sizeof(*place));
		if (place) {
			memset(place + tally->places, 0, (places->count - tally->places) * sizeof(*place));
			tally->place = place;
			tally->places = places->count;
		}
	}
	if (tally->places < places->count || (numa && add_numas(tally, places))) {
		if (!old)
			tally_free(tally);
		return NULL;
	}
	return tally;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	free(tally->place);
	free(tally->numa);
	free(tally);
}

void tally_reset(struct tally *tally)
{
	unsigned i;

	memset(tally->place, 0, tally->places * sizeof(*tally->place));
	for (i = 0; i < tally->numas; i++)
		tally->numa[i] = (struct tally_numa){.node = tally->numa[i].node};
}

static void update_place(struct tally_place *place, const struct service_value *now, bool level, bool anew)
{
	uint64_t before = place->running_base + place->running;

	if (anew) {
		place->base += level ? 0 : place->value;
		place->running_base += place->running;
		place->value = place->running = 0;
	}
	place->state = now->state;
	if (now->state == SERVICE_COUNTING) {
		place->known = true;
		place->value = now->value;
		place->running = now->running_ns;
	} else if (now->running_ns > place->running) {
		/* The counter does not count now. Take its last counts, if the service still reports them. */
		place->known = true;
		place->running = now->running_ns;
		if (!level && now->value > place->value)
			place->value = now->value;
	}
	place->grown = place->running_base + place->running - before;
}

/* Update the sum over a NUMA node's CPUs. The counts of a CPU that went offline stay in the sum. */
static void update_numa(const struct tally *tally, struct tally_numa *numa, const struct places *places,
			bool level)
{
	uint64_t sum = 0, grown = 0;
	unsigned i, online = 0, counting = 0;

	for (i = 0; i < tally->places && i < places->count; i++) {
		const struct tally_place *place = &tally->place[i];
		bool there = places->one[i].at >= 0 && place->state != SERVICE_OFFLINE;

		if (places->one[i].numa != numa->node)
			continue;
		online += there;
		counting += there && place->state == SERVICE_COUNTING;
		grown += there ? place->grown : 0;
		if (place->known && (there || !level))
			sum += place->base + place->value;
	}
	numa->counting = online && counting == online;
	numa->known = numa->known || numa->counting;
	numa->value = sum;
	if (online)
		numa->running += grown / online;
}

void tally_update(struct tally *tally, const struct places *places, const struct service_counter *counter,
		  bool anew)
{
	static const struct service_value gone = {.state = SERVICE_OFFLINE};
	unsigned i;

	for (i = 0; i < tally->places && i < places->count; i++) {
		int at = places->one[i].at;

		update_place(&tally->place[i], at < 0 ? &gone : &counter->value[at], counter->level, anew);
	}
	for (i = 0; i < tally->numas; i++)
		update_numa(tally, &tally->numa[i], places, counter->level);
}
