/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_cpus.c - CPUs that come online and go offline. Part of the perf source.
 *
 * When a CPU goes offline, the kernel takes its groups apart. Each event keeps its count, becomes its own
 * leader, and never counts again, even if the CPU comes back. These counts stand until the next start. An
 * event that is added meanwhile counts on the other CPUs. The next start opens everything again on the CPUs
 * that are then online.
 *
 * Terms: perf/perf.h, base/target.h.
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

	/* If the targets cannot be listed, assume that the CPUs have not changed. */
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

		count[i] = 0; /* event was added while the CPU was offline */
		if (fd < 0)
			continue;
		if (read(fd, &alone, sizeof(alone)) != (ssize_t)sizeof(alone))
			return upci_fail(UPC_ESYSTEM, "reading an event of CPU %d, which is not online: %s",
					 g->target[target].cpu, upci_words_of_errno(errno));
		count[i] = alone.leader;
	}
	return 0;
}
