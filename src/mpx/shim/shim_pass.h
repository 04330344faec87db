/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_pass.h - macros with which the stand-ins for PAPI calls begin. They find out whether libmpx or PAPI
 * counts the event set.
 *
 * Terms: shim/shim.h.
 */
#ifndef SHIM_PASS_H
#define SHIM_PASS_H

#include "shim/shim.h"
#include "shim/shim_real.h"

/* Pass a call to PAPI if its event set was not created through the shim. Such calls are, for example,
 * libpapi's calls of its own functions. */
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

/* Pass the call to PAPI if the set is plain, or was not created through the shim. Otherwise declare the
 * variables set, a libmpx set, and error. */
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

/* Print libmpx's message, once in a process, if error is an error that PAPI itself never returns from
 * this call. Return error. */
int shim_explain(const char *call, const struct shim_set *set, int error);

/* ---- shim_names.c -------------------------------------------------------------------- */

/* Do what PAPI_event_name_to_code does, and print a line if the loaded PAPI has no component upc. */
int shim_code_of(const char *name, int *code);

#endif
