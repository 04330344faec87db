/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How long events were to count, and did: on groups of our own making, whose times are what the
 * test says; a random run against sums that are kept one by one.
 */
#include "perf/perf_groups.h"
#include "../unit_test.h"

enum { TARGETS = 3, MEMBERS = 5 };

struct made {
	struct upci_perf perf;
	struct upci_perf_group group[2];
	struct upci_perf_member member[MEMBERS];
	struct upci_perf_span span[2][TARGETS];
};

static void make(struct made *m, unsigned targets)
{
	unsigned i;

	memset(m, 0, sizeof(*m));
	m->perf.groups = 2;
	m->perf.group = m->group;
	m->perf.handles = MEMBERS;
	m->perf.member = m->member;
	for (i = 0; i < 2; i++) {
		m->group[i].number = i;
		m->group[i].targets = targets;
		m->group[i].span = m->span[i];
	}
	for (i = 0; i < MEMBERS; i++) {
		m->member[i].used = true;
		m->member[i].group = i % 2;
		upci_perf_begin_time(&m->perf, &m->group[i % 2], &m->member[i]);
	}
}

/* A group's targets ran, and missed. */
static void pass(struct made *m, unsigned group, uint64_t ran, uint64_t lost)
{
	unsigned i;

	for (i = 0; i < m->group[group].targets; i++) {
		m->span[group][i].running += ran;
		m->span[group][i].lost += lost;
	}
}

static void assert_time(struct made *m, int handle, uint64_t enabled, uint64_t lost)
{
	struct upci_source_time time = upci_perf_time(&m->perf, handle);

	assert_true(time.enabled == enabled);
	assert_true(time.lost == lost);
}

static void halt(struct made *m, int handle, bool halted)
{
	struct upci_perf_member *member = &m->member[handle];

	(halted ? upci_perf_hold_time : upci_perf_go_on_time)(&m->perf, &m->group[member->group], member);
	member->halted = halted;
}

TEST(test_halts)
{
	struct made m;

	make(&m, 1);
	pass(&m, 0, 100, 0);
	pass(&m, 1, 7, 2);
	assert_time(&m, 0, 100, 0);
	assert_time(&m, 1, 9, 2);
	halt(&m, 0, true);
	pass(&m, 0, 30, 5);
	assert_time(&m, 0, 100, 0);
	assert_time(&m, 2, 135, 5);
	halt(&m, 0, false);
	pass(&m, 0, 1, 1);
	assert_time(&m, 0, 102, 1);
	/* One that comes, and one that comes halted. */
	upci_perf_begin_time(&m.perf, &m.group[0], &m.member[2]);
	m.member[4].halted = true;
	upci_perf_begin_time(&m.perf, &m.group[0], &m.member[4]);
	pass(&m, 0, 10, 0);
	assert_time(&m, 2, 10, 0);
	assert_time(&m, 4, 0, 0);
	halt(&m, 4, false);
	pass(&m, 0, 10, 0);
	assert_time(&m, 4, 10, 0);
	/* A member that waits, is gone, or never was has no time. */
	m.member[4].waits = true;
	assert_time(&m, 4, 0, 0);
	m.member[2].used = false;
	assert_time(&m, 2, 0, 0);
	assert_time(&m, MEMBERS, 0, 0);
	assert_time(&m, -1, 0, 0);
}

TEST(test_rebase)
{
	struct made m;

	make(&m, 1);
	pass(&m, 0, 100, 10);
	halt(&m, 2, true);
	upci_perf_rebase(&m.perf);
	assert_time(&m, 0, 0, 0);
	assert_time(&m, 2, 0, 0);
	pass(&m, 0, 5, 0);
	assert_time(&m, 0, 5, 0);
	assert_time(&m, 2, 0, 0);
	halt(&m, 2, false);
	pass(&m, 0, 5, 3);
	assert_time(&m, 0, 13, 3);
	assert_time(&m, 2, 8, 3);
	/* Once more, and a halt of one that has not moved since. */
	upci_perf_rebase(&m.perf);
	pass(&m, 0, 5, 0);
	halt(&m, 0, true);
	pass(&m, 0, 5, 0);
	assert_time(&m, 0, 5, 0);
	assert_time(&m, 2, 10, 0);
	assert_time(&m, 1, 0, 0);
}

/* The mean of several, also where their sum is more than 64 bits have. */
TEST(test_means)
{
	struct made m;

	make(&m, TARGETS);
	m.span[0][0].running = 10;
	m.span[0][1].running = 20;
	m.span[0][2].running = 31;
	m.span[0][1].lost = 9;
	assert_time(&m, 0, 23, 3);
	m.span[0][0].running = m.span[0][1].running = m.span[0][2].running = UINT64_MAX - 10;
	assert_time(&m, 0, UINT64_MAX - 10 + 3, 3);
}

static uint64_t draw(uint64_t *random, uint64_t below)
{
	return random_next(random) % below;
}

/* Changes members in random order, and compares their times with a simple model. */
TEST(test_random)
{
	struct {
		uint64_t enabled, lost;
	} truth[MEMBERS];
	uint64_t random = 2026, ran, lost;
	struct made m;
	unsigned round, i;
	int handle;

	make(&m, 1);
	memset(truth, 0, sizeof(truth));
	for (round = 0; round < 20000; round++) {
		handle = (int)draw(&random, MEMBERS);
		switch (draw(&random, 5)) {
		case 0:
			halt(&m, handle, !m.member[handle].halted);
			break;
		case 1:
			if (draw(&random, 20))
				break;
			upci_perf_rebase(&m.perf);
			memset(truth, 0, sizeof(truth));
			break;
		case 2:
			/* Another comes in its place. */
			upci_perf_begin_time(&m.perf, &m.group[handle % 2], &m.member[handle]);
			truth[handle].enabled = truth[handle].lost = 0;
			break;
		default:
			ran = draw(&random, 1000);
			lost = draw(&random, 4) ? 0 : draw(&random, 1000);
			pass(&m, (unsigned)handle % 2, ran, lost);
			for (i = (unsigned)handle % 2; i < MEMBERS; i += 2)
				if (!m.member[i].halted) {
					truth[i].enabled += ran + lost;
					truth[i].lost += lost;
				}
		}
		for (i = 0; i < MEMBERS; i++)
			assert_time(&m, (int)i, truth[i].enabled, truth[i].lost);
	}
}

/* ---- control groups: by the clock ------------------------------------------------------------ */

static void age(struct made *m, uint64_t ns)
{
	m->perf.clock += ns;
	upci_perf_age(&m->perf, &m->group[0]);
}

TEST(test_control_group)
{
	struct made m;

	make(&m, 2);
	m.group[0].by_clock = true;
	/* Idle: there was nothing to count, and nothing was missed. */
	age(&m, 1000);
	assert_time(&m, 0, 1000, 0);
	/* It had a tenth of one CPU, and was counted. */
	m.span[0][0].running += 100;
	age(&m, 1000);
	assert_time(&m, 0, 2000, 0);
	/* The same, and not counted: nothing of this time was. */
	m.span[0][0].lost += 100;
	age(&m, 1000);
	assert_time(&m, 0, 3000, 1000);
	/* On the other CPU it was: of what it did a quarter was missed. */
	m.span[0][0].lost += 100;
	m.span[0][1].running += 300;
	age(&m, 1000);
	assert_time(&m, 0, 4000, 1250);
	halt(&m, 0, true);
	age(&m, 500);
	assert_time(&m, 0, 4000, 1250);
	assert_time(&m, 2, 4500, 1250);
	/* The clock stands with the unit. */
	age(&m, 0);
	assert_time(&m, 2, 4500, 1250);
	/* Years on many CPUs. */
	m.span[0][0].lost += UINT64_C(1) << 60;
	m.span[0][1].running += UINT64_C(1) << 60;
	age(&m, UINT64_C(1) << 59);
	assert_time(&m, 2, 4500 + (UINT64_C(1) << 59), 1250 + (UINT64_C(1) << 58));
}

/* ---- the clock ----------------------------------------------------------------------------------- */

TEST(test_clock)
{
	struct upci_perf p = {.context.kind = UPC_CONTEXT_CPU};
	uint64_t first, second;

	assert_true(upci_perf_clock(&p) == 0);
	upci_perf_start_clock(&p);
	do
		first = upci_perf_clock(&p);
	while (!first);
	do
		second = upci_perf_clock(&p);
	while (second == first);
	assert_true(second > first);
	upci_perf_stop_clock(&p);
	first = upci_perf_clock(&p);
	assert_true(first >= second);
	assert_true(upci_perf_clock(&p) == first);
	upci_perf_start_clock(&p);
	assert_true(upci_perf_clock(&p) >= first);
	/* Whoever needs none asks for no time. */
	p = (struct upci_perf){.context.pid = 1};
	upci_perf_start_clock(&p);
	assert_true(p.clock_at == 0);
	p = (struct upci_perf){.context.flexible = true};
	upci_perf_start_clock(&p);
	assert_true(p.clock_at == 0);
	p.context.cgroup = 9;
	upci_perf_start_clock(&p);
	assert_true(p.clock_at != 0);
}

UNIT_TESTS(perf_time, NULL, NULL)
