/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_data.c - tables of names, events and call paths; processes, threads and rows.
 */
#include "regions/regions_data.h"

#include <stdlib.h>
#include <string.h>

#include "lib/list.h"

enum { FIRST = 64 };

static uint32_t hash_regions_text(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static bool fill_buckets(uint32_t **bucket, uint32_t *buckets, uint32_t wanted)
{
	uint32_t *made = malloc(wanted * sizeof(*made));

	if (!made)
		return false;
	memset(made, 0xff, wanted * sizeof(*made));
	free(*bucket);
	*bucket = made;
	*buckets = wanted;
	return true;
}

/* ---- names and events -------------------------------------------------------------------------- */

static bool widen_table(struct regions_table *table)
{
	uint32_t room = table->room ? 2 * table->room : FIRST, i;

	if (!util_resize(&table->text, room, sizeof(*table->text)) ||
	    !util_resize(&table->next, room, sizeof(*table->next)) ||
	    !fill_buckets(&table->bucket, &table->buckets, room))
		return false;
	table->room = room;
	for (i = 0; i < table->n; i++) {
		uint32_t *at = &table->bucket[hash_regions_text(table->text[i]) & (room - 1)];

		table->next[i] = *at;
		*at = i;
	}
	return true;
}

uint32_t regions_number(struct regions_table *table, const char *text)
{
	uint32_t hash = hash_regions_text(text), i;
	char *copy;

	if (table->buckets)
		for (i = table->bucket[hash & (table->buckets - 1)]; i != REGIONS_NONE; i = table->next[i])
			if (!strcmp(table->text[i], text))
				return i;
	if (table->n == table->room && (table->n > UINT32_MAX / 4 || !widen_table(table)))
		return REGIONS_NONE;
	copy = strdup(text);
	if (!copy)
		return REGIONS_NONE;
	i = table->n++;
	table->text[i] = copy;
	table->next[i] = table->bucket[hash & (table->buckets - 1)];
	table->bucket[hash & (table->buckets - 1)] = i;
	return i;
}

static void free_regions_table(struct regions_table *table)
{
	while (table->n)
		free(table->text[--table->n]);
	free(table->text);
	free(table->next);
	free(table->bucket);
}

/* ---- paths --------------------------------------------------------------------------------- */

static uint32_t *bucket_of(struct regions_data *data, uint32_t parent, uint32_t name)
{
	uint64_t hash = ((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15u;

	return &data->path_bucket[(uint32_t)(hash >> 32) & (data->path_buckets - 1)];
}

static bool widen_paths(struct regions_data *data)
{
	uint32_t room = data->path_room ? 2 * data->path_room : FIRST, i;

	if (!util_resize(&data->path, room, sizeof(*data->path)) ||
	    !fill_buckets(&data->path_bucket, &data->path_buckets, room))
		return false;
	data->path_room = room;
	for (i = 0; i < data->paths; i++) {
		uint32_t *at = bucket_of(data, data->path[i].parent, data->path[i].name);

		data->path[i].next = *at;
		*at = i;
	}
	return true;
}

uint32_t regions_path(struct regions_data *data, uint32_t parent, uint32_t name)
{
	uint32_t i, *at;

	if (data->path_buckets)
		for (i = *bucket_of(data, parent, name); i != REGIONS_NONE; i = data->path[i].next)
			if (data->path[i].parent == parent && data->path[i].name == name)
				return i;
	if (data->paths == data->path_room && (data->paths > UINT32_MAX / 4 || !widen_paths(data)))
		return REGIONS_NONE;
	i = data->paths++;
	at = bucket_of(data, parent, name);
	data->path[i] = (struct regions_path){
		.parent = parent,
		.name = name,
		.depth = parent == REGIONS_NONE ? 0 : data->path[parent].depth + 1,
		.next = *at,
	};
	*at = i;
	return i;
}

bool regions_begin(struct regions_data *data)
{
	memset(data, 0, sizeof(*data));
	return regions_path(data, REGIONS_NONE, REGIONS_NONE) == 0;
}

/* ---- processes ----------------------------------------------------------------------------- */

struct regions_process *regions_add_process(struct regions_data *data)
{
	struct regions_process *list;

	if (!util_grow(&data->process, data->processes, sizeof(*list)))
		return NULL;
	list = &data->process[data->processes++];
	*list = (struct regions_process){.pid = -1, .parent = -1, .rank = -1, .ranks = -1, .run = data->runs};
	return list;
}

struct regions_thread *regions_add_thread(struct regions_process *process)
{
	struct regions_thread *list;

	if (!util_grow(&process->thread, process->threads, sizeof(*list)))
		return NULL;
	list = &process->thread[process->threads++];
	*list = (struct regions_thread){.number = -1, .tid = -1, .threads = 1};
	return list;
}

struct regions_row *regions_add_row(const struct regions_process *process, struct regions_thread *thread,
				    uint32_t path)
{
	const bool room = util_grow(&thread->row, thread->rows, sizeof(*thread->row));
	struct upcr_value *value = room ? malloc((process->events + 1) * sizeof(*value)) : NULL;
	struct regions_row *list;
	uint32_t i;

	if (!value)
		return NULL;
	for (i = 0; i < process->events; i++)
		value[i] = upcr_uncounted();
	list = &thread->row[thread->rows++];
	*list = (struct regions_row){.path = path, .value = value};
	return list;
}

static char *copy_or_null(const char *text, bool *failed)
{
	char *copy = text ? strdup(text) : NULL;

	*failed |= text && !copy;
	return copy;
}

bool regions_add_note(struct regions_process *process, const char *what, const char *name, uint64_t times)
{
	struct regions_note *list;
	bool failed = false;

	if (!util_grow(&process->note, process->notes, sizeof(*list)))
		return false;
	list = &process->note[process->notes++];
	list->what = copy_or_null(what, &failed);
	list->name = copy_or_null(name, &failed);
	list->times = times;
	return !failed;
}

struct upcr_value regions_whole_of(const struct regions_data *data, uint32_t event)
{
	struct upcr_value sum = upcr_exact(0);

	for (size_t i = 0; i < data->processes; i++) {
		const struct regions_process *process = &data->process[i];

		if (!process->covered)
			return upcr_uncounted();
		if (process->whole && event < process->events)
			upcr_add_independent(&sum, &process->whole[event]);
	}
	return data->processes ? sum : upcr_uncounted();
}

static int compare_regions_processes(const void *a, const void *b)
{
	const struct regions_process *p = a, *q = b;

	if (p->run != q->run)
		return p->run < q->run ? -1 : 1;
	if (p->rank != q->rank)
		return p->rank < q->rank ? -1 : 1;
	if (p->started && q->started && strcmp(p->started, q->started))
		return strcmp(p->started, q->started);
	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

/* Order threads by number; merged ones (number -1) come last. */
static int before_thread(const void *a, const void *b)
{
	unsigned long p = (unsigned long)((const struct regions_thread *)a)->number;
	unsigned long q = (unsigned long)((const struct regions_thread *)b)->number;

	return p < q ? -1 : p > q;
}

void regions_sort(struct regions_data *data)
{
	size_t i;

	for (i = 0; i < data->processes; i++)
		if (data->process[i].threads)
			qsort(data->process[i].thread, data->process[i].threads,
			      sizeof(*data->process[i].thread), before_thread);
	if (data->processes)
		qsort(data->process, data->processes, sizeof(*data->process), compare_regions_processes);
}

static void free_regions_process(struct regions_process *process)
{
	size_t i, k;

	for (i = 0; i < process->threads; i++) {
		struct regions_thread *thread = &process->thread[i];

		for (k = 0; k < thread->rows; k++)
			free(thread->row[k].value);
		free(thread->row);
		free(thread->name);
	}
	for (i = 0; i < process->notes; i++) {
		free(process->note[i].what);
		free(process->note[i].name);
	}
	free(process->note);
	free(process->whole);
	free(process->thread);
	free(process->file);
	free(process->command);
	free(process->host);
	free(process->started);
	free(process->ended);
	free(process->clock);
	free(process->turns);
}

void regions_drop_last(struct regions_data *data)
{
	free_regions_process(&data->process[--data->processes]);
}

void regions_free(struct regions_data *data)
{
	size_t i;

	for (i = 0; i < data->processes; i++)
		free_regions_process(&data->process[i]);
	free(data->process);
	free(data->path);
	free(data->path_bucket);
	free_regions_table(&data->names);
	free_regions_table(&data->events);
	memset(data, 0, sizeof(*data));
}
