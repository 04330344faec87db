/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_functions.c - computes the counts of each function of a run, without its callees.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/demangle.h"

const char *run_function_file(const struct run_function *function)
{
	const char *slash = strrchr(function->file, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : function->file;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Return an allocated name, or NULL if memory is short. */
static char *name_of_function(const struct run_function *function)
{
	char text[UPCS_DEMANGLED_MAX];

	if (function->symbol[0] == '\0' && function->file[0] == '\0')
		return strdup("[unknown]");
	if (function->symbol[0] != '\0')
		return strdup(upcs_demangle(function->symbol, true, text) ? text : function->symbol);
	snprintf(text, sizeof(text), "[%s]", run_function_file(function));
	return strdup(text);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_zero(const uint64_t sum[UPCS_STATIC])
{
	unsigned t = 0;

	while (t < UPCS_STATIC && sum[t] == 0)
		t++;
	return t == UPCS_STATIC;
}

static void add_static_sums(struct run_vector *to, const uint64_t sum[UPCS_STATIC])
{
	for (unsigned t = 0; t < UPCS_STATIC; t++)
		to->item[t] += sum[t];
}

static int by_file_and_symbol(const void *a, const void *b)
{
	const struct run_function *x = a, *y = b;
	int files = strcmp(x->file, y->file);

	return files != 0 ? files : strcmp(x->symbol, y->symbol);
}

static int by_work(const void *a, const void *b)
{
	const struct run_function *x = a, *y = b;
	uint64_t of_x = x->vector.item[UPCS_INSTRUCTIONS], of_y = y->vector.item[UPCS_INSTRUCTIONS];

	return of_x != of_y ? (of_x > of_y ? -1 : 1) : by_file_and_symbol(a, b);
}

/* Add the functions that have a name and counts. */
static void take_named(struct run_functions *functions, const struct upcs_functions *table,
		       uint64_t sums[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC])
{
	for (uint32_t i = 1; i <= UPCS_FUNCTIONS_MAX; i++) {
		struct run_function *row = &functions->function[functions->n];

		if (is_zero(sums[i]) || !upcs_functions_name(table, i, &row->file, &row->symbol))
			continue;
		add_static_sums(&row->vector, sums[i]);
		functions->n++;
	}
}

/* Merge functions with two numbers, which arise when two threads register a function at the same time. */
static void merge_same(struct run_functions *functions)
{
	struct run_function *row = functions->function;
	unsigned n = 0;

	if (functions->n > 0)
		qsort(row, functions->n, sizeof(*row), by_file_and_symbol);
	for (unsigned i = 0; i < functions->n; i++)
		if (n > 0 && by_file_and_symbol(&row[n - 1], &row[i]) == 0)
			add_static_sums(&row[n - 1].vector, row[i].vector.item);
		else
			row[n++] = row[i];
	functions->n = n;
}

/* Add a row "[others]" for the counts of the whole run that no named function has. Return false if memory is
 * short. */
static bool take_others(struct run_functions *functions, const struct run_vector *whole)
{
	struct run_vector named = run_functions_rest(functions, 0);
	struct run_function *row = &functions->function[functions->n];

	*row = (struct run_function){.symbol = "", .file = ""};
	for (unsigned t = 0; t < UPCS_STATIC; t++)
		if (whole->item[t] > named.item[t])
			row->vector.item[t] = whole->item[t] - named.item[t];
	functions->untold = row->vector.item[UPCS_INSTRUCTIONS];
	if (is_zero(row->vector.item))
		return true;
	row->name = strdup("[others]");
	functions->n++;
	return row->name != NULL;
}

static bool name_all(struct run_functions *functions)
{
	for (unsigned i = 0; i < functions->n; i++) {
		struct run_function *row = &functions->function[i];

		row->name = name_of_function(row);
		if (row->name == NULL)
			return false;
	}
	return true;
}

int run_functions_make(struct run_functions *functions, const struct upcs_functions *table,
		       uint64_t sums[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC], const struct run_vector *whole)
{
	*functions = (struct run_functions){.n = 0};
	functions->function = calloc(UPCS_FUNCTIONS_MAX + 1, sizeof(*functions->function));
	if (functions->function == NULL)
		return -1;
	take_named(functions, table, sums);
	merge_same(functions);
	if (!name_all(functions) || !take_others(functions, whole)) {
		run_functions_free(functions);
		return -1;
	}
	for (unsigned i = 0; i < functions->n; i++) {
		struct run_vector *vector = &functions->function[i].vector;

		/* If the whole run's counts are doubtful, it is not known which function the doubt
		 * concerns. */
		vector->doubt = whole->doubt | (functions->untold > 0 ? UPCS_DOUBT_MISSING : 0u);
		vector->slack = whole->slack;
		run_vector_settle(vector);
	}
	if (functions->n > 0)
		qsort(functions->function, functions->n, sizeof(*functions->function), by_work);
	return 0;
}

void run_functions_free(struct run_functions *functions)
{
	for (unsigned i = 0; i < functions->n; i++)
		free(functions->function[i].name);
	free(functions->function);
	*functions = (struct run_functions){.n = 0};
}

struct run_vector run_functions_rest(const struct run_functions *functions, unsigned i)
{
	struct run_vector rest = {.doubt = 0};

	for (; i < functions->n; i++) {
		add_static_sums(&rest, functions->function[i].vector.item);
		rest.doubt |= functions->function[i].vector.doubt;
	}
	upcs_items_derive(rest.item);
	return rest;
}
