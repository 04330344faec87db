/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample.c - see sample.h. A sample is one block of memory. A first pass measures it, a second one fills it
 * in.
 * Terms: service/service.h.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "service/sample.h"

struct box {
	atomic_uint references;
	struct service_sample sample;
};

/* A block of memory that is filled from the front; with at NULL it is only measured. */
struct arena {
	char *at;
	size_t size;
};

static void *take_arena_bytes(struct arena *a, size_t size)
{
	char *p = a->at ? a->at + a->size : NULL;

	a->size += (size + 7) & ~(size_t)7;
	return p;
}

static const char *put_sample_text(struct arena *a, const char *text)
{
	size_t length = strlen(text ? text : "") + 1;
	char *p = take_arena_bytes(a, length);

	return p ? memcpy(p, text ? text : "", length) : NULL;
}

static void put_sample_places(struct arena *a, const struct counters *c, struct service_sample *sample)
{
	for (int s = 0; s < SERVICE_SCOPES; s++) {
		struct service_place *to = take_arena_bytes(a, c->places[s] * sizeof(*to));

		for (unsigned i = 0; i < c->places[s]; i++) {
			const struct place *p = &c->place[s][i];
			const char *name = put_sample_text(a, p->name);

			if (to)
				to[i] = (struct service_place){name, p->cpu, p->numa};
		}
		sample->place[s] = to;
		sample->places[s] = c->places[s];
	}
}

static void put_counter(struct arena *a, const struct counters *c, const struct counters_counter *from,
			unsigned k, struct service_counter *to)
{
	unsigned n = c->places[from->scope];
	struct service_value *value = take_arena_bytes(a, n * sizeof(*value));
	const struct place_cell *worst = NULL;
	struct service_counter counter = {.id = from->id, .number = from->number, .scope = from->scope};

	for (unsigned i = 0; i < n; i++) {
		const struct place_cell *cell = c->place[from->scope][i].cell[k];

		if (value)
			value[i] = (struct service_value){cell->value, cell->value_ns, cell->state};
		if (!worst || service_state_badness(cell->state) > service_state_badness(worst->state))
			worst = cell;
	}
	counter.name = put_sample_text(a, from->name);
	counter.event = put_sample_text(a, from->event);
	counter.description = put_sample_text(a, from->description);
	counter.unit = put_sample_text(a, from->unit);
	counter.why = put_sample_text(a, worst ? worst->why : "");
	counter.level = from->level;
	counter.hardware = from->hardware;
	counter.value = value;
	if (to)
		*to = counter;
}

static void fill_sample(struct arena *a, const struct counters *c, const struct sample_about *about)
{
	struct box *box = take_arena_bytes(a, sizeof(*box));
	struct service_counter *counter = take_arena_bytes(a, c->counters * sizeof(*counter));
	struct service_user *user = take_arena_bytes(a, about->users * sizeof(*user));
	unsigned k[SERVICE_SCOPES] = {0};
	struct service_sample s = {.generation = c->generation,
				   .started_ns = about->started_ns,
				   .time_ns = about->time_ns,
				   .due_ns = about->due_ns,
				   .took_ns = about->took_ns,
				   .samples = about->samples,
				   .interval_ns = about->interval_ns,
				   .counter = counter,
				   .counters = c->counters,
				   .user = user,
				   .users = about->users};

	for (unsigned i = 0; i < c->counters; i++)
		put_counter(a, c, c->counter[i], k[c->counter[i]->scope]++, counter ? &counter[i] : NULL);
	put_sample_places(a, c, &s);
	if (user && about->users)
		memcpy(user, about->user, about->users * sizeof(*user));
	s.users_unseen = put_sample_text(a, about->users_unseen);
	s.message = put_sample_text(a, about->message);
	if (box) {
		atomic_init(&box->references, 1);
		box->sample = s;
	}
}

static struct box *box_of(const struct service_sample *sample)
{
	return (struct box *)((char *)(uintptr_t)sample - offsetof(struct box, sample));
}

const struct service_sample *sample_make(const struct counters *c, const struct sample_about *about)
{
	struct arena a = {NULL, 0};
	struct box *box;

	fill_sample(&a, c, about);
	a.at = calloc(1, a.size);
	if (!a.at)
		return NULL;
	box = (struct box *)a.at;
	a.size = 0;
	fill_sample(&a, c, about);
	return &box->sample;
}

const struct service_sample *sample_ref(const struct service_sample *sample)
{
	/* Relaxed: the first reference comes from the worker, under its lock. */
	atomic_fetch_add_explicit(&box_of(sample)->references, 1, memory_order_relaxed);
	return sample;
}

void service_sample_put(const struct service_sample *sample)
{
	/* The thread that releases the last reference frees the sample. Its acquire pairs with the releases
	 * of the other threads, so that all their accesses come before the free. */
	if (sample && atomic_fetch_sub_explicit(&box_of(sample)->references, 1, memory_order_acq_rel) == 1)
		free(box_of(sample));
}
