/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - the kinds of the service agent's metrics, recognized by their names.
 */
#include <string.h>

#include "jobstat/names.h"

const char *jobstat_scope_name(enum jobstat_scope scope)
{
	static const char *const name[JOBSTAT_SCOPES] = {"cpu", "numa", "node", "cgroup", "other"};

	return name[scope];
}

const char *jobstat_finding_name(enum jobstat_finding_kind kind)
{
	static const char *const name[JOBSTAT_FINDINGS] = {"divergent", "uncounted",  "unrecorded",
							   "unused",    "unbalanced", "groups"};

	return name[kind];
}

const char *jobstat_comparison_name(enum jobstat_comparison comparison)
{
	static const char *const name[JOBSTAT_COMPARISONS] = {"not compared", "compared", "few nodes", "zero",
							      "wide"};

	return name[comparison];
}

const char *jobstat_told_name(enum jobstat_told told)
{
	return told == JOBSTAT_TOLD_ALL ? "all" : told == JOBSTAT_TOLD_PART ? "part" : "not";
}

/* Return the text after prefix, or NULL if text does not begin with prefix. */
static const char *skip_name_prefix(const char *text, const char *prefix)
{
	const size_t n = strlen(prefix);

	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

static bool has_scope(const char *name, enum jobstat_scope *scope)
{
	for (int s = JOBSTAT_CPU; s < JOBSTAT_OTHER; s++) {
		const char *rest = skip_name_prefix(name, jobstat_scope_name(s));

		if (rest != NULL && rest[0] == '.' && rest[1] != '\0') {
			*scope = s;
			return true;
		}
	}
	return false;
}

enum names_kind names_kind(const char *full, enum jobstat_scope *scope, const char **name)
{
	static const struct {
		const char *name;
		enum names_kind kind;
	} known[] = {
		{"control.started", NAMES_STARTED},  {"control.generation", NAMES_GENERATION},
		{"sample.interval", NAMES_INTERVAL}, {"user.command", NAMES_USER},
		{"hinv.numa", NAMES_OF_NUMA},
	};
	const char *own = skip_name_prefix(full, "upc.");

	if (own == NULL)
		return NAMES_FOREIGN;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(own, known[i].name) == 0)
			return known[i].kind;
	*name = own;
	if (has_scope(own, scope))
		return NAMES_VALUE;
	*name = skip_name_prefix(own, "running.");
	if (*name != NULL && has_scope(*name, scope))
		return NAMES_RUNNING;
	*name = skip_name_prefix(own, "state.");
	if (*name != NULL && has_scope(*name, scope))
		return NAMES_STATE;
	return NAMES_OTHER;
}
