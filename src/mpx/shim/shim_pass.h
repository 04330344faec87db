/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_pass.h - how each of PAPI's calls on an event set begins: whose set is it?
 */
#ifndef SHIM_PASS_H
#define SHIM_PASS_H

#include "shim/shim.h"
#include "shim/shim_real.h"

/* Calls on sets that are not ours, libpapi's calls to itself among them. */
#define PASS(call, set, ...)                                          \
	do {                                                          \
		if (!shim_is_ours(set))                               \
			return shim_real()->call(set, ##__VA_ARGS__); \
	} while (0)

#define FIND(set, number)                                 \
	int error;                                        \
	struct shim_set *set = shim_find(number, &error); \
	if (!set)                                         \
	return error

/* Declares set, one of libmpx's, and error. PAPI's are those that it counts by itself, too. */
#define OURS(set, call, number, ...)       \
	PASS(call, number, ##__VA_ARGS__); \
	FIND(set, number);                 \
	if (shim_is_plain(set))            \
	return shim_real()->call(set->id, ##__VA_ARGS__)

static inline bool shim_is_plain(const struct shim_set *set)
{
	return set->kind == SHIM_PLAIN;
}

/* ---- shim_events.c ------------------------------------------------------------------- */

/* Reports, once, the message of an error that PAPI itself never returns from such a call. Returns it. */
int shim_explain(const char *call, const struct shim_set *set, int error);

/* ---- shim_names.c -------------------------------------------------------------------- */

/* PAPI_event_name_to_code, with words where this PAPI has no component upc. */
int shim_code_of(const char *name, int *code);

#endif
