/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * indoms.c - see indoms.h. PCP distinguishes instances by their names up to the first blank. A counter's
 * instance name therefore begins with its number, and a user's with the PID.
 * Terms: pmda/agent.h.
 */
#include "pmda/indoms.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmda/clean.h"

#define NAME_MOST 400

void indoms_init(pmdaIndom indom[INDOM_COUNT])
{
	int i;

	for (i = 0; i < INDOM_COUNT; i++)
		indom[i] = (pmdaIndom){.it_indom = (pmInDom)i};
}

static void release_instance_set(pmdaInstid *set, int count)
{
	int i;

	for (i = 0; i < count; i++)
		free(set[i].i_name);
	free(set);
}

/* Add an instance to a set with room, unless it is already in the set. */
static int put_instance(pmdaIndom *indom, int instance, const char *name)
{
	char *copy;
	int i;

	for (i = indom->it_numinst; i > 0; i--)
		if (indom->it_set[i - 1].i_inst == instance)
			return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	indom->it_set[indom->it_numinst].i_inst = instance;
	indom->it_set[indom->it_numinst++].i_name = copy;
	return 0;
}

static int put_place_instances(pmdaIndom *indom, const struct places *places)
{
	char name[NAME_MOST];
	unsigned i;
	int error = 0;

	for (i = 0; !error && i < places->count; i++) {
		if (places->one[i].at < 0)
			continue;
		clean_text(places->one[i].name, name, sizeof(name));
		error = put_instance(indom, places->one[i].instance, name);
	}
	return error;
}

static int put_numa(pmdaIndom *indom, const struct places *cpus)
{
	char name[NAME_MOST];
	unsigned i;
	int error = 0;

	for (i = 0; !error && i < cpus->count; i++) {
		if (cpus->one[i].at < 0 || cpus->one[i].numa < 0)
			continue;
		snprintf(name, sizeof(name), "node%d", cpus->one[i].numa);
		error = put_instance(indom, cpus->one[i].numa, name);
	}
	return error;
}

static int put_counter_instances(pmdaIndom *indom, const struct service_sample *sample)
{
	char name[NAME_MOST], clean[300];
	unsigned i;
	int error = 0;

	for (i = 0; !error && sample && i < sample->counters; i++) {
		clean_text(sample->counter[i].name, clean, sizeof(clean));
		snprintf(name, sizeof(name), "%u %s", sample->counter[i].number, clean);
		error = put_instance(indom, (int)(sample->counter[i].id & INT_MAX), name);
	}
	return error;
}

static void user_name(const struct service_user *user, char name[NAME_MOST])
{
	char clean[100];

	clean_text(user->command, clean, sizeof(clean));
	snprintf(name, NAME_MOST, "%d %s", (int)user->pid, clean);
}

static int put_users(pmdaIndom *indom, const struct service_sample *sample)
{
	char name[NAME_MOST];
	unsigned i;
	int error = 0;

	for (i = 0; !error && sample && i < sample->users; i++) {
		user_name(&sample->user[i], name);
		error = put_instance(indom, (int)sample->user[i].pid, name);
	}
	return error;
}

bool indoms_users_same(const pmdaIndom indom[INDOM_COUNT], const struct current *current)
{
	const pmdaIndom *users = &indom[INDOM_USER];
	char name[NAME_MOST];
	unsigned i;

	if (!current->sample)
		return true;
	if ((unsigned)users->it_numinst != current->sample->users)
		return false;
	for (i = 0; i < current->sample->users; i++) {
		user_name(&current->sample->user[i], name);
		if (strcmp(users->it_set[i].i_name, name))
			return false;
	}
	return true;
}

int indoms_update(pmdaIndom indom[INDOM_COUNT], const struct current *current)
{
	const struct places *cpus = &current->places[SERVICE_CPU],
			    *cgroups = &current->places[SERVICE_CGROUP];
	const struct service_sample *sample = current->sample;
	unsigned room[INDOM_COUNT] = {cpus->count, cpus->count, cgroups->count, sample ? sample->counters : 0,
				      sample ? sample->users : 0};
	pmdaIndom made[INDOM_COUNT];
	int i, error = 0;

	memset(made, 0, sizeof(made));
	for (i = 0; !error && i < INDOM_COUNT; i++) {
		made[i].it_set = calloc(room[i] + 1, sizeof(pmdaInstid));
		error = made[i].it_set ? 0 : -ENOMEM;
	}
	if (!error)
		error = put_place_instances(&made[INDOM_CPU], cpus);
	if (!error)
		error = put_numa(&made[INDOM_NUMA], cpus);
	if (!error)
		error = put_place_instances(&made[INDOM_CGROUP], cgroups);
	if (!error)
		error = put_counter_instances(&made[INDOM_COUNTER], sample);
	if (!error)
		error = put_users(&made[INDOM_USER], sample);
	for (i = 0; i < INDOM_COUNT; i++) {
		pmdaIndom *old = error ? &made[i] : &indom[i];

		release_instance_set(old->it_set, old->it_numinst);
		if (!error) {
			indom[i].it_set = made[i].it_set;
			indom[i].it_numinst = made[i].it_numinst;
		}
	}
	return error;
}

void indoms_free(pmdaIndom indom[INDOM_COUNT])
{
	int i;

	for (i = 0; i < INDOM_COUNT; i++) {
		release_instance_set(indom[i].it_set, indom[i].it_numinst);
		indom[i].it_set = NULL;
		indom[i].it_numinst = 0;
	}
}
