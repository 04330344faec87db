/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made_sample.h - a sample of a service, made by hand: four CPUs on two NUMA nodes, two control groups.
 */
#ifndef MADE_SAMPLE_H
#define MADE_SAMPLE_H

#include <string.h>

#include "service/service.h"

#define MADE_CPUS 4
#define MADE_COUNTERS 8

struct made_sample {
	struct service_sample sample;
	struct service_place cpu[MADE_CPUS], node, cgroup[2];
	struct service_counter counter[MADE_COUNTERS];
	struct service_value value[MADE_COUNTERS][MADE_CPUS];
};

static inline void made_sample_init(struct made_sample *made)
{
	static const char *const cpus[MADE_CPUS] = {"cpu0", "cpu1", "cpu2", "cpu3"};
	int i;

	memset(made, 0, sizeof(*made));
	for (i = 0; i < MADE_CPUS; i++)
		made->cpu[i] = (struct service_place){cpus[i], i, i / 2};
	made->node = (struct service_place){"", -1, -1};
	made->cgroup[0] = (struct service_place){"web", -1, -1};
	made->cgroup[1] = (struct service_place){"batch", -1, -1};
	made->sample.place[SERVICE_CPU] = made->cpu;
	made->sample.place[SERVICE_NODE] = &made->node;
	made->sample.place[SERVICE_CGROUP] = made->cgroup;
	made->sample.places[SERVICE_CPU] = MADE_CPUS;
	made->sample.places[SERVICE_NODE] = 1;
	made->sample.places[SERVICE_CGROUP] = 2;
	made->sample.counter = made->counter;
	made->sample.generation = 1;
	made->sample.started_ns = 1000;
	made->sample.users_unseen = made->sample.message = "";
}

/* One more counter, called as its event. */
static inline struct service_counter *made_sample_add(struct made_sample *made, unsigned id,
						      const char *event, enum service_scope scope)
{
	unsigned i = made->sample.counters++;

	made->counter[i] = (struct service_counter){
		.id = id,
		.number = id,
		.name = event,
		.event = event,
		.description = "",
		.unit = "events",
		.scope = scope,
		.why = "",
		.value = made->value[i],
	};
	made->sample.generation++;
	return &made->counter[i];
}

static inline void made_sample_value(struct made_sample *made, unsigned counter, unsigned place,
				     uint64_t value, uint64_t running, enum service_state state)
{
	made->value[counter][place] = (struct service_value){value, running, state};
}

#endif
