/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * result.c - makes results of trees, and one of two.
 */
#include "region/result.h"

#include <stdlib.h>
#include <string.h>

static struct upcr_result *create(unsigned rows, unsigned events)
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
	struct upcr_result *result = create(tree->nodes, events);
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
	free(result->row);
	free(result->value);
	free(result);
}

/* Where a row of from is in into, or would be. */
static unsigned place_of(const struct upcr_result *into, const struct upcr_row *row, unsigned parent,
			 unsigned rows)
{
	unsigned i;

	for (i = 1; i < rows; i++)
		if (into->row[i].name == row->name && into->row[i].parent == parent)
			break;
	return i;
}

static bool reserve(struct upcr_result *into, unsigned rows)
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

	if (!place || !reserve(into, into->rows + from->rows)) {
		free(place);
		return false;
	}
	for (i = 0; i < from->rows; i++) {
		const struct upcr_row *row = &from->row[i];
		unsigned parent = i ? place[row->parent] : 0;

		place[i] = i ? place_of(into, row, parent, into->rows) : 0;
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

bool upcr_result_has(const struct upcr_result *result, unsigned row, unsigned name)
{
	for (; result->row[row].depth; row = result->row[row].parent)
		if (result->row[row].name == name)
			return true;
	return false;
}
