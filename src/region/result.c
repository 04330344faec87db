/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * result.c - makes results from trees, and merges two results.
 * Terms: region/region.h.
 */
#include "region/result.h"

#include <stdlib.h>
#include <string.h>

struct upcr_result *upcr_result_create(unsigned rows, unsigned events)
{
	struct upcr_result *result = calloc(1, sizeof(*result));

	if (!result)
		return NULL;
	result->threads = 1;
	result->rows = rows;
	result->events = events;
	result->row = calloc(rows, sizeof(*result->row));
	result->value = events ? calloc((size_t)rows * events, sizeof(*result->value)) : NULL;
	if (!result->row || (events && !result->value)) {
		upcr_result_free(result);
		return NULL;
	}
	return result;
}

struct upcr_result *upcr_result_of(const struct upcr_tree *tree, unsigned events)
{
	struct upcr_result *result = upcr_result_create(tree->nodes, events);
	unsigned i;

	for (i = 0; result && i < tree->nodes; i++)
		result->row[i] = (struct upcr_row){.parent = tree->node[i].parent,
						   .name = tree->node[i].name,
						   .depth = tree->node[i].depth,
						   .calls = tree->node[i].calls,
						   .ns = tree->node[i].ns};
	return result;
}

void upcr_result_free(struct upcr_result *result)
{
	if (!result)
		return;
	upcr_result_unindex(result);
	free(result->row);
	free(result->value);
	free(result);
}

/* Return the index of the row with this name and parent in into; rows if there is none. */
static unsigned place_of_result_row(const struct upcr_result *into, const struct upcr_row *row,
				    unsigned parent, unsigned rows)
{
	unsigned i;

	for (i = 1; i < rows; i++)
		if (into->row[i].name == row->name && into->row[i].parent == parent)
			break;
	return i;
}

static bool reserve_result_rows(struct upcr_result *into, unsigned rows)
{
	struct upcr_row *row = realloc(into->row, rows * sizeof(*row));
	struct upcr_value *value;

	if (!row)
		return false;
	into->row = row;
	if (!into->events)
		return true;
	value = realloc(into->value, (size_t)rows * into->events * sizeof(*value));
	if (!value)
		return false;
	into->value = value;
	return true;
}

bool upcr_result_merge(struct upcr_result *into, const struct upcr_result *from)
{
	unsigned *place = calloc(from->rows, sizeof(*place)), i, k;

	if (!place || !reserve_result_rows(into, into->rows + from->rows)) {
		free(place);
		return false;
	}
	for (i = 0; i < from->rows; i++) {
		const struct upcr_row *row = &from->row[i];
		unsigned parent = i ? place[row->parent] : 0;

		place[i] = i ? place_of_result_row(into, row, parent, into->rows) : 0;
		if (place[i] == into->rows) {
			into->row[into->rows] =
				(struct upcr_row){.parent = parent, .name = row->name, .depth = row->depth};
			if (into->events)
				memset(&into->value[(size_t)into->rows * into->events], 0,
				       into->events * sizeof(*into->value));
			into->rows++;
		}
		into->row[place[i]].calls += row->calls;
		into->row[place[i]].ns += row->ns;
		for (k = 0; k < into->events; k++)
			upcr_add_independent(&into->value[(size_t)place[i] * into->events + k],
					     &from->value[(size_t)i * from->events + k]);
	}
	into->ns += from->ns;
	into->threads += from->threads;
	free(place);
	return true;
}

static void result_move(struct upcr_result *result, unsigned from, unsigned to)
{
	result->row[to].calls += result->row[from].calls;
	result->row[to].ns += result->row[from].ns;
	result->row[from].calls = result->row[from].ns = 0;
	for (unsigned k = 0; k < result->events; k++) {
		struct upcr_value *value = &result->value[(size_t)from * result->events + k];

		upcr_add_same(&result->value[(size_t)to * result->events + k], value);
		*value = upcr_exact(0);
	}
	for (unsigned i = 1; i < result->rows; i++)
		if (result->row[i].parent == from)
			result->row[i].parent = to;
}

void upcr_result_settle(struct upcr_result *result, unsigned born, unsigned home)
{
	const unsigned to = home >> 1;

	if (!born || born >= result->rows || to >= born)
		return;
	if (home & 1)
		result_move(result, born, to);
	else
		result->row[born].parent = to;
	for (unsigned i = 1; i < result->rows; i++)
		result->row[i].depth = result->row[result->row[i].parent].depth + 1;
}

/* ---- by name ----------------------------------------------------------------------------------- */

static unsigned result_names_of(const struct upcr_result *result)
{
	unsigned most = 0, i;

	for (i = 0; i < result->rows; i++)
		most = result->row[i].name > most ? result->row[i].name : most;
	return most + 1;
}

void upcr_result_unindex(struct upcr_result *result)
{
	struct upcr_by_name *by = result->by_name;

	if (!by)
		return;
	free(by->first);
	free(by->more);
	free(by->ns);
	free(by->value);
	free(by);
	result->by_name = NULL;
}

bool upcr_result_index(struct upcr_result *result)
{
	const size_t values = (size_t)result->rows * result->events;
	struct upcr_by_name *by = calloc(1, sizeof(*by));
	unsigned i, k, parent;

	if (!by)
		return false;
	upcr_result_unindex(result);
	result->by_name = by;
	by->names = result_names_of(result);
	by->first = calloc(by->names, sizeof(*by->first));
	by->more = calloc(result->rows, sizeof(*by->more));
	by->ns = calloc(result->rows, sizeof(*by->ns));
	by->value = calloc(values + 1, sizeof(*by->value));
	if (!by->first || !by->more || !by->ns || !by->value) {
		upcr_result_unindex(result);
		return false;
	}
	for (i = 0; i < result->rows; i++)
		by->ns[i] = result->row[i].ns;
	if (values)
		memcpy(by->value, result->value, values * sizeof(*by->value));
	for (i = result->rows; i-- > 1;) {
		by->more[i] = by->first[result->row[i].name];
		by->first[result->row[i].name] = i;
		parent = result->row[i].parent;
		by->ns[parent] += by->ns[i];
		for (k = 0; k < result->events; k++)
			upcr_add_same(&by->value[(size_t)parent * result->events + k],
				      &by->value[(size_t)i * result->events + k]);
	}
	return true;
}

static bool is_inside_its_own(const struct upcr_result *result, unsigned row)
{
	unsigned name = result->row[row].name;

	for (row = result->row[row].parent; row; row = result->row[row].parent)
		if (result->row[row].name == name)
			return true;
	return false;
}

void upcr_result_add(const struct upcr_result *result, unsigned name, uint64_t *calls, uint64_t *ns,
		     struct upcr_value *value, unsigned n)
{
	const struct upcr_by_name *by = result->by_name;
	unsigned row, i;

	if (name == UINT32_MAX)
		for (row = 1; row < result->rows; row++)
			*calls += result->row[row].calls;
	row = name == UINT32_MAX ? 0 : name < by->names ? by->first[name] : 0;
	if (!row && name != UINT32_MAX)
		return;
	do {
		*calls += result->row[row].calls;
		if (is_inside_its_own(result, row))
			continue;
		*ns += by->ns[row];
		for (i = 0; i < n; i++)
			upcr_add_same(&value[i], &by->value[(size_t)row * result->events + i]);
	} while ((row = by->more[row]));
}
