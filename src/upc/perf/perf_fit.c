/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_fit.c - see perf_fit.h.
 * Terms: perf/perf.h, base/source.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/perf_fit.h"
#include "perf/perf_open.h"
#include "perf/pmus.h"

/* ---- adding events -------------------------------------------------------- */

bool upci_fit_is_known(const struct upci_perf *p, uint32_t key)
{
	unsigned h, g, groups = 0;

	if (key == UPCI_PERF_SOFTWARE)
		return true;
	if (p->context.reserve)
		return false;
	for (g = 0; g < p->groups; g++)
		groups += p->group[g].key == key;
	for (h = 0; groups == 1 && h < p->handles; h++) {
		const struct upci_perf_member *m = &p->member[h];

		if (m->used && upci_perf_key(m->spec.type) == key &&
		    (m->halted || upci_samplers_has(&p->samplers, (int)h)))
			return false;
	}
	return groups == 1;
}

/* Open one more event in the test group, whose leader is fd[0]. Return 0 and increase *n, or return -1. */
static int try_one(const struct upci_perf_spec *spec, const struct upci_perf_target *target, int *fd,
		   unsigned *n)
{
	struct perf_event_attr attr = upci_perf_attr(spec);

	fd[*n] = upci_perf_open(&attr, target, fd[0]);
	if (fd[*n] < 0)
		return -1;
	++*n;
	return 0;
}

/*
 * Set spec to the i-th event that can use any general counter of a CPU's own PMU. No machine has a counter
 * only for branches. If a PMU lacks an event, the caller tries the next one. False if there is no further
 * event, or if the PMU is not a CPU's own. The caller then uses one of the unit's events.
 */
static bool next_filler(uint32_t key, unsigned i, const struct upci_perf_spec *own,
			struct upci_perf_spec *spec)
{
	static const uint64_t any[] = {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_CACHE_REFERENCES,
				       PERF_COUNT_HW_INSTRUCTIONS};

	if (i >= sizeof(any) / sizeof(any[0]) || (key != PERF_TYPE_RAW && !upci_pmu_is_core(key)))
		return false;
	/* Require no more privileges than the unit's own events. */
	*spec = (struct upci_perf_spec){.type = PERF_TYPE_HARDWARE,
					.config = any[i],
					.exclude_user = own->exclude_user,
					.exclude_kernel = own->exclude_kernel,
					.exclude_hv = own->exclude_hv};
	/* On machines with several kinds of CPUs, the upper half selects the kind. */
	if (key != PERF_TYPE_RAW)
		spec->config |= (uint64_t)key << 32;
	return true;
}

/* Open as many more events as the reserve has counters. The event is the first of next_filler's events that
 * the PMU accepts or, if it accepts none of them, own. */
static int try_reserve(const struct upci_perf *p, uint32_t key, const struct upci_perf_spec *own,
		       const struct upci_perf_target *target, int *fd, unsigned *n)
{
	struct upci_perf_spec spec = *own;
	unsigned i, kind = 0;

	while (next_filler(key, kind, own, &spec)) {
		const struct perf_event_attr attr = upci_perf_attr(&spec);
		int alone = upci_perf_open(&attr, target, -1);

		if (alone >= 0) {
			close(alone);
			break;
		}
		spec = *own;
		kind++;
	}
	for (i = 0; i < p->context.reserve; i++)
		if (try_one(&spec, target, fd, n))
			return -1;
	return 0;
}

/* Return the error for a reserve that is not free; upci_perf_fail handles the kernel's other errors. */
static int fail_reserve(const struct upci_perf *p, const struct upci_perf_target *target, const char *name)
{
	if (errno != EINVAL && errno != ENOSPC && errno != EBUSY)
		return upci_perf_fail(name, target, true);
	return upci_fail(
		UPC_ECONFLICT,
		"%s: does not fit the PMU's counters together with the hardware events already added "
		"and the %u counters that the unit leaves free (reserve): count fewer, or leave fewer "
		"free",
		name, p->context.reserve);
}

/*
 * Open all events once more, in one group that never runs. All except the leader are enabled, since the
 * kernel's own check ignores events that are disabled or in other groups. No PMU sees the leader. The answer
 * does not depend on the counted task, so the calling thread stands for every task.
 */
int upci_fit_check(const struct upci_perf *p, uint32_t key, int sampler, const char *name)
{
	const struct perf_event_attr leader = upci_perf_dummy();
	struct upci_perf_target target = {.cpu = -1};
	unsigned h, n = 0;
	const struct upci_perf_spec *own = NULL;
	int error = 0, *fd = malloc((2 * (size_t)p->handles + 1 + p->context.reserve) * sizeof(int));

	if (!fd)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	for (h = 0; !p->context.pid && h < p->groups; h++)
		if (p->group[h].key == key)
			target = p->group[h].target[0];
	fd[0] = upci_perf_open(&leader, &target, -1);
	if (fd[0] < 0)
		error = upci_perf_fail(name, &target, false);
	else
		n = 1;
	for (h = 0; !error && h < p->handles; h++) {
		const struct upci_perf_member *m = &p->member[h];
		bool samples = (int)h == sampler || upci_samplers_has(&p->samplers, (int)h);

		if (!m->used || upci_perf_key(m->spec.type) != key)
			continue;
		own = &m->spec;
		if (try_one(&m->spec, &target, fd, &n) || (samples && try_one(&m->spec, &target, fd, &n)))
			error = upci_perf_fail(name, &target, true);
	}
	if (!error && own && p->context.reserve && try_reserve(p, key, own, &target, fd, &n))
		error = fail_reserve(p, &target, name);
	/* Close the leader last. Without it, the kernel would schedule each of the other events alone. */
	while (n)
		close(fd[--n]);
	free(fd);
	return error;
}

/* ---- starting groups, and adding to groups that run ------------------------ */

bool upci_fit_has_hardware(const struct upci_perf *p)
{
	unsigned g;

	for (g = 0; g < p->groups; g++)
		if (p->group[g].key != UPCI_PERF_SOFTWARE)
			return true;
	return false;
}

/*
 * True if the kernel has put a group into error state. A read of one byte never fits a group, so it returns
 * ENOSPC without reading anything, or end of file for a pinned group in error state.
 */
bool upci_fit_group_refused(const struct upci_perf_group *g, pid_t self)
{
	unsigned i;
	char byte;

	for (i = 0; g->key != UPCI_PERF_SOFTWARE && i < g->targets; i++)
		if ((g->target[i].tid < 0 || g->target[i].tid == self) && read(g->leader[i], &byte, 1) == 0)
			return true;
	return false;
}

bool upci_fit_refused(const struct upci_perf *p, pid_t self)
{
	unsigned g;

	for (g = 0; g < p->groups; g++)
		if (upci_fit_group_refused(&p->group[g], self))
			return true;
	return false;
}

/* The end of these messages: the other users of counters, and the remedy. */
#define OTHERS                                                                                      \
	"others that run hold them (another unit or event set here, perf, the kernel's watchdog); " \
	"stop those first, or count fewer hardware events"

int upci_fit_fail_start(void)
{
	return upci_fail(UPC_ECONFLICT,
			 "the PMU has no counters left for the unit's hardware events: " OTHERS);
}

int upci_fit_fail_signals(const char *name)
{
	return upci_fail(UPC_ECONFLICT, "%s: the PMU has no counter left for its overflow signals: " OTHERS,
			 name);
}

int upci_fit_fail_beside(const char *name)
{
	return upci_fail(UPC_ECONFLICT,
			 "%s: the PMU has no counter left for it beside the unit's events that run: " OTHERS,
			 name);
}
