/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group.c - opens groups, and keeps unused groups for later use.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/group.h"

/* Maximum number of open unused groups: enough for some dozen nested measurements, and few compared with
 * the number of file descriptors that a process may have. */
#define UNUSED_MAX 32

static size_t group_size(unsigned n)
{
	return sizeof(struct mpxi_group) +
	       n * (sizeof(struct mpxi_event *) + sizeof(uint64_t) + sizeof(uint32_t));
}

static void destroy_group(struct mpxi_groups *groups, struct mpxi_group *group)
{
	if (!groups->quiet)
		groups->ops->close(groups->backend, group->handle);
	groups->memory -= group_size(group->n + group->always);
	groups->count--;
	free(group);
}

/* Close the unused groups from *link on. */
static void close_from(struct mpxi_groups *groups, struct mpxi_group **link)
{
	struct mpxi_group *group;

	while ((group = *link)) {
		*link = group->next;
		groups->unused--;
		destroy_group(groups, group);
	}
}

static bool group_has_codes(const uint32_t *code, struct mpxi_codes wanted)
{
	return !wanted.n || memcmp(code, wanted.code, wanted.n * sizeof(*code)) == 0;
}

static bool group_has_beside(const struct mpxi_groups *groups, const struct mpxi_group *group)
{
	return groups->covariate.there == group->beside.there &&
	       groups->covariate.event == group->beside.event;
}

static struct mpxi_group *find_unused_group(struct mpxi_groups *groups, struct mpxi_codes own,
					    struct mpxi_codes always)
{
	struct mpxi_group **link, *group;

	for (link = &groups->first; (group = *link); link = &group->next) {
		if (group->n != own.n || group->always != always.n || !group_has_codes(group->code, own) ||
		    !group_has_codes(group->code + own.n, always) || !group_has_beside(groups, group))
			continue;
		*link = group->next;
		groups->unused--;
		return group;
	}
	return NULL;
}

static int create_group(struct mpxi_groups *groups, struct mpxi_codes own, struct mpxi_codes always,
			struct mpxi_group **made)
{
	const unsigned n = own.n + always.n;
	struct mpxi_group *group = calloc(1, group_size(n));
	int error;

	if (!group)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a group of %u events", n);
	group->n = own.n;
	group->always = always.n;
	group->beside = groups->covariate;
	group->event = (struct mpxi_event **)(group + 1);
	group->sample.count = (uint64_t *)(group->event + n);
	group->code = (uint32_t *)(group->sample.count + n);
	if (own.n)
		memcpy(group->code, own.code, own.n * sizeof(*own.code));
	if (always.n)
		memcpy(group->code + own.n, always.code, always.n * sizeof(*always.code));
	error = groups->ops->open(groups->backend, group->code, n, &group->handle);
	if (error) {
		free(group);
		return error;
	}
	groups->count++;
	groups->memory += group_size(n);
	*made = group;
	return 0;
}

int mpxi_groups_get(struct mpxi_groups *groups, struct mpxi_codes own, struct mpxi_codes always,
		    struct mpxi_group **found)
{
	struct mpxi_group *group = find_unused_group(groups, own, always);
	int error;

	if (!group) {
		error = create_group(groups, own, always, &group);
		if (error)
			return error;
	}
	group->next = NULL;
	group->active = 0;
	group->slot = UINT_MAX;
	*found = group;
	return 0;
}

void mpxi_groups_put(struct mpxi_groups *groups, struct mpxi_group *group)
{
	struct mpxi_group **link = &groups->first;
	unsigned i;

	group->next = groups->first;
	groups->first = group;
	if (++groups->unused <= UNUSED_MAX)
		return;
	/* Close the group that has been unused for the longest time. */
	for (i = 0; i < UNUSED_MAX; i++)
		link = &(*link)->next;
	close_from(groups, link);
}

void mpxi_groups_clear(struct mpxi_groups *groups)
{
	close_from(groups, &groups->first);
}
