/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_qualifiers.c - cuts qualifiers off event names and numbers them. This file includes no header
 * of PAPI.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "upc_qualifiers.h"

#define GROUP_KEY ":cgroup="
#define FLEXIBLE_KEY ":flexible"

/*
 * Qualifiers by number, without gaps. Entries are added with a compare-and-exchange and never
 * change. No lock is needed, so a forked child cannot find a locked lock.
 */
static _Atomic(struct upcp_qualifiers *) known[UPCP_QUALIFIERS_MAX + 1];

static int cut_flexible(const char *name, size_t *end)
{
	const size_t n = strlen(FLEXIBLE_KEY);

	if (*end <= n || memcmp(name + *end - n, FLEXIBLE_KEY, n) != 0)
		return 0;
	*end -= n;
	return 1;
}

void upcp_qualifiers_cut(const char *name, struct upcp_name_parts *parts)
{
	const char *group = strstr(name, GROUP_KEY);
	size_t end = strlen(name);

	*parts = (struct upcp_name_parts){.flexible = cut_flexible(name, &end)};
	if (group) {
		parts->cgroup = group + strlen(GROUP_KEY);
		parts->cgroup_length = (size_t)(name + end - parts->cgroup);
		end = (size_t)(group - name);
		if (!parts->flexible)
			parts->flexible = cut_flexible(name, &end);
	}
	parts->event = end;
}

static struct upcp_qualifiers *make_qualifiers(const struct upcp_name_parts *parts)
{
	struct upcp_qualifiers *made = calloc(1, sizeof(*made) + parts->cgroup_length + 1);

	if (!made)
		return NULL;
	made->flexible = parts->flexible;
	if (parts->cgroup)
		memcpy(made->cgroup, parts->cgroup, parts->cgroup_length);
	return made;
}

static int are_qualifiers_of(const struct upcp_qualifiers *there, const struct upcp_name_parts *parts)
{
	return there->flexible == parts->flexible && strlen(there->cgroup) == parts->cgroup_length &&
	       (!parts->cgroup || memcmp(there->cgroup, parts->cgroup, parts->cgroup_length) == 0);
}

int upcp_qualifiers_number(const struct upcp_name_parts *parts)
{
	struct upcp_qualifiers *made = NULL, *there;
	unsigned i;

	for (i = 1; i <= UPCP_QUALIFIERS_MAX; i++) {
		there = atomic_load(&known[i]);
		if (!there) {
			made = made ? made : make_qualifiers(parts);
			if (!made)
				return -1;
			if (atomic_compare_exchange_strong(&known[i], &there, made))
				return (int)i;
		}
		if (are_qualifiers_of(there, parts)) {
			free(made);
			return (int)i;
		}
	}
	free(made);
	return 0;
}

int upcp_qualifiers_split(unsigned native, uint32_t *code, const struct upcp_qualifiers **qualifiers)
{
	const unsigned number = native >> UPCP_CODE_BITS;

	*code = native & ((1u << UPCP_CODE_BITS) - 1);
	*qualifiers = NULL;
	if (!number)
		return 0;
	if (number > UPCP_QUALIFIERS_MAX)
		return -1;
	*qualifiers = atomic_load(&known[number]);
	return *qualifiers ? 0 : -1;
}
