/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_cpus.c - CPUs that come and go. Part of the perf source.
 *
 * When a CPU goes offline the kernel takes its groups apart: each event keeps its count, is
 * its own leader, and counts nothing any more, not even when the CPU comes back. Until the
 * next start those counts stand; an event that is added meanwhile counts the other CPUs. The
 * next start opens everything on the CPUs that are online then.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/perf_groups.h"
#include "base/words.h"

bool upci_perf_is_offline(const struct upci_perf *p, int error)
{
	return error == ENODEV && upci_context_is_wide(&p->context);
}

static bool has_other_cpus(struct upci_perf *p, const struct upci_perf_group *g)
{
	struct upci_perf_target *now;
	int n = upci_context_targets(&p->context, g->key, &now), i;
	bool other = n != (int)g->targets;

	/* Where the targets cannot be listed, the CPUs are taken not to have changed. */
	if (n < 0)
		return false;
	for (i = 0; i < n && !other; i++)
		other = now[i].cpu != g->target[i].cpu;
	free(now);
	return other;
}

bool upci_perf_cpus_changed(struct upci_perf *p)
{
	unsigned g;

	if (!upci_context_is_wide(&p->context))
		return false;
	for (g = 0; g < p->groups; g++)
		if (has_other_cpus(p, &p->group[g]))
			return true;
	return false;
}

bool upci_perf_is_apart(const struct upci_perf *p, const struct upci_perf_head *head, size_t bytes)
{
	return (upci_context_is_wide(&p->context) || p->context.kind == UPC_CONTEXT_CPU) &&
	       bytes >= sizeof(*head) && head->events == 1;
}

int upci_perf_read_apart(struct upci_perf *p, const struct upci_perf_group *g, unsigned target)
{
	uint64_t *count = p->buffer + sizeof(struct upci_perf_head) / sizeof(uint64_t);
	struct upci_perf_head alone;
	unsigned i;

	for (i = 0; i < g->members; i++) {
		int fd = p->member[g->handle[i]].fd[target];

		count[i] = 0; /* it was added later */
		if (fd < 0)
			continue;
		if (read(fd, &alone, sizeof(alone)) != (ssize_t)sizeof(alone))
			return upci_fail(UPC_ESYSTEM, "reading an event of CPU %d, which is not online: %s",
					 g->target[target].cpu, upci_words_of_errno(errno));
		count[i] = alone.leader;
	}
	return 0;
}
