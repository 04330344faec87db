/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads of groups: sums over targets, and what the kernel's times say of how a group
 * was counted. Readings are made here: a socket pair stands for each target's group,
 * since it gives one reading a read, and a message of no length as an end of file.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/socket.h>

#include "perf/perf.h"
#include "perf/perf_groups.h"
#include "../unit_test.h"

#define TARGETS 2
#define MEMBERS 2

static struct upci_perf perf;
static struct upci_perf_group group;
static struct upci_perf_member member[MEMBERS];
static struct upci_perf_span span[TARGETS];
/* The read end is the leader's descriptor, and each member's. */
static int leader[TARGETS], kernel[TARGETS], handle[MEMBERS];
static uint64_t buffer[16], value[MEMBERS];
static uint8_t state_of[MEMBERS];

static int set_up(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < TARGETS; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
			return -1;
		leader[i] = pair[0];
		kernel[i] = pair[1];
	}
	memset(span, 0, sizeof(span));
	for (i = 0; i < MEMBERS; i++) {
		member[i] = (struct upci_perf_member){.used = true, .fd = leader};
		handle[i] = MEMBERS - 1 - (int)i;
	}
	group = (struct upci_perf_group){.key = PERF_TYPE_RAW,
					 .targets = TARGETS,
					 .leader = leader,
					 .span = span,
					 .handle = handle,
					 .members = MEMBERS,
					 .first_told = -1,
					 .room = MEMBERS};
	perf = (struct upci_perf){.group = &group,
				  .groups = 1,
				  .member = member,
				  .handles = MEMBERS,
				  .buffer = buffer,
				  .buffer_bytes = sizeof(buffer)};
	return 0;
}

static int tear_down(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < TARGETS; i++) {
		close(leader[i]);
		close(kernel[i]);
	}
	return 0;
}

static void give(unsigned target, uint64_t enabled, uint64_t running, uint64_t first, uint64_t second)
{
	const uint64_t reading[] = {MEMBERS + 1, enabled, running, 0, first, second};

	assert_int_equal(send(kernel[target], reading, sizeof(reading), 0), sizeof(reading));
}

static void give_up(unsigned target)
{
	assert_int_equal(send(kernel[target], "", 0, 0), 0);
}

static void assert_read(enum upci_source_state how)
{
	unsigned i;

	memset(state_of, 0xff, sizeof(state_of));
	assert_int_equal(upci_perf_read(&perf, value, state_of), 0);
	for (i = 0; i < MEMBERS; i++)
		assert_int_equal(state_of[i], how);
}

/* Gives each target one reading with these times, and checks the state of all members. */
static void assert_times(uint64_t enabled, uint64_t running, enum upci_source_state how)
{
	give(0, enabled, running, 0, 0);
	give(1, enabled, running, 0, 0);
	assert_read(how);
}

TEST_WITH(test_sums, set_up, tear_down)
{
	assert_int_equal(perf.handles, MEMBERS);
	assert_false(upci_perf_ever_enabled(&perf));
	/* The kernel has them in the order in which they were opened. */
	give(0, 0, 0, 10, 1000);
	give(1, 0, 0, 7, UINT64_MAX);
	assert_read(UPCI_SOURCE_EXACT);
	assert_int_equal(value[1], 17);
	assert_int_equal(value[0], 999);
	assert_false(upci_perf_ever_enabled(&perf));
	give(0, 0, 0, 11, 1000);
	give(1, 5, 5, 7, 0);
	assert_read(UPCI_SOURCE_EXACT);
	assert_int_equal(value[1], 18);
	assert_int_equal(value[0], 1000);
	assert_true(upci_perf_ever_enabled(&perf));
}

TEST_WITH(test_states, set_up, tear_down)
{
	assert_times(0, 0, UPCI_SOURCE_EXACT);
	assert_times(100, 100, UPCI_SOURCE_EXACT);
	assert_times(200, 150, UPCI_SOURCE_PARTIAL);
	/* A group that counts again is still partial. */
	assert_times(300, 250, UPCI_SOURCE_PARTIAL);
	upci_perf_rebase(&perf);
	assert_times(300, 250, UPCI_SOURCE_EXACT);
	assert_times(400, 350, UPCI_SOURCE_EXACT);
	assert_times(500, 350, UPCI_SOURCE_PARTIAL);
	upci_perf_rebase(&perf);
	assert_times(600, 350, UPCI_SOURCE_NEVER);
	assert_times(700, 351, UPCI_SOURCE_PARTIAL);
	/* One target is enough. */
	upci_perf_rebase(&perf);
	give(0, 800, 451, 0, 0);
	give(1, 800, 450, 0, 0);
	assert_read(UPCI_SOURCE_PARTIAL);
	/* Times do not decide the state of software events: they need no counter. */
	group.key = UPCI_PERF_SOFTWARE;
	assert_times(900, 0, UPCI_SOURCE_EXACT);
}

/* A pinned group that the kernel has given up still has its counts. */
TEST_WITH(test_given_up, set_up, tear_down)
{
	assert_times(100, 100, UPCI_SOURCE_EXACT);
	give_up(0);
	give(0, 100, 100, 30, 40);
	give(1, 100, 100, 3, 4);
	assert_read(UPCI_SOURCE_PARTIAL);
	assert_int_equal(value[1], 33);
	assert_int_equal(value[0], 44);
	/* The state stays until the next rebase. */
	assert_times(200, 200, UPCI_SOURCE_PARTIAL);
	upci_perf_rebase(&perf);
	assert_times(200, 200, UPCI_SOURCE_EXACT);
}

/* The state of a member that came later depends on the time since then. */
TEST_WITH(test_late_member, set_up, tear_down)
{
	assert_times(100, 100, UPCI_SOURCE_EXACT);
	member[0].ran = upci_perf_ran(&group);
	assert_int_equal(member[0].ran, 200);
	give(0, 200, 100, 0, 0);
	give(1, 200, 100, 0, 0);
	assert_int_equal(upci_perf_read(&perf, value, state_of), 0);
	assert_int_equal(state_of[0], UPCI_SOURCE_NEVER);
	assert_int_equal(state_of[1], UPCI_SOURCE_PARTIAL);
	assert_times(300, 101, UPCI_SOURCE_PARTIAL);
}

/* A look reads the times without the counts. */
TEST_WITH(test_look, set_up, tear_down)
{
	give(0, 100, 100, 30, 40);
	give(1, 100, 90, 3, 4);
	assert_int_equal(upci_perf_look(&perf, &group), 0);
	assert_int_equal(upci_perf_ran(&group), 190);
	give(0, 200, 200, 30, 40);
	give_up(1);
	give(1, 200, 190, 3, 4);
	assert_int_equal(upci_perf_look(&perf, &group), 1);
	assert_int_equal(upci_perf_ran(&group), 390);
	/* A look hides nothing from later reads. */
	assert_times(200, 200, UPCI_SOURCE_PARTIAL);
	assert_int_equal(upci_perf_look(&perf, &group), UPC_ESYSTEM);
}

/* Where the first event leads the group, the leaders' counts are that event's. */
TEST_WITH(test_leader_counts, set_up, tear_down)
{
	struct {
		struct upci_perf_head head;
		uint64_t member;
	} reading = {{2, 100, 100, 30}, 40};

	group.key = UPCI_PERF_SOFTWARE;
	group.counts = true;
	group.members = 1;
	handle[0] = 1;
	group.first_told = 0;
	member[0] = (struct upci_perf_member){.used = true, .told = UPCI_PERF_TOLD_COUNT, .next_told = -1};
	assert_int_equal(send(kernel[0], &reading, sizeof(reading), 0), sizeof(reading));
	reading.head.leader = 3;
	assert_int_equal(send(kernel[1], &reading, sizeof(reading), 0), sizeof(reading));
	assert_read(UPCI_SOURCE_EXACT);
	assert_int_equal(value[0], 33);
	assert_int_equal(value[1], 80);
	assert_false(upci_perf_keeps_removed(&perf));
	/* The leader alone, where the kernel gives no reading. */
	group.members = 0;
	give_up(0);
	assert_int_equal(upci_perf_read(&perf, value, state_of), UPC_ESYSTEM);
	/* Removed; a time is not a count. */
	member[0].told = UPCI_PERF_TOLD_TIME;
	assert_true(upci_perf_keeps_removed(&perf));
	perf.samplers.top = 1;
	assert_false(upci_perf_keeps_removed(&perf));
}

/* A sampler that the kernel gave up, of an event that counts all the time. */
TEST_WITH(test_silent, set_up, tear_down)
{
	struct upci_sampler *s = &perf.samplers.at[0];
	int given_up = open("/dev/null", O_RDONLY | O_CLOEXEC), signals = open("/", O_RDONLY | O_CLOEXEC);

	assert_true(given_up >= 0 && signals >= 0);
	upci_samplers_init(&perf.samplers);
	perf.samplers.top = 1;
	s->handle = 1;
	s->fd = signals;
	assert_times(100, 100, UPCI_SOURCE_EXACT);
	s->fd = given_up;
	give(0, 200, 200, 0, 0);
	give(1, 200, 200, 0, 0);
	assert_int_equal(upci_perf_read(&perf, value, state_of), 0);
	assert_int_equal(state_of[0], UPCI_SOURCE_EXACT);
	assert_int_equal(state_of[1], UPCI_SOURCE_SILENT);
	/* A halted event owes no signals, and after a refused start no event does. */
	s->halted = true;
	assert_times(300, 300, UPCI_SOURCE_EXACT);
	s->halted = false;
	perf.refused = true;
	assert_times(300, 300, UPCI_SOURCE_EXACT);
	perf.refused = false;
	group.key = UPCI_PERF_SOFTWARE;
	assert_times(400, 400, UPCI_SOURCE_EXACT);
	group.key = PERF_TYPE_RAW;
	/* A partial count is worse than lost signals. */
	assert_times(500, 400, UPCI_SOURCE_PARTIAL);
	close(given_up);
	close(signals);
}

/* A start that was refused is no time in which anything should have counted. */
TEST_WITH(test_refused_start, set_up, tear_down)
{
	assert_times(100, 100, UPCI_SOURCE_EXACT);
	perf.refused = true;
	give_up(0);
	give(0, 120, 100, 0, 0);
	give(1, 120, 110, 0, 0);
	assert_read(UPCI_SOURCE_EXACT);
	perf.refused = false;
	give(0, 220, 200, 0, 0);
	give(1, 220, 210, 0, 0);
	assert_read(UPCI_SOURCE_EXACT);
	give(0, 320, 299, 0, 0);
	give(1, 320, 310, 0, 0);
	assert_read(UPCI_SOURCE_PARTIAL);
}

/* A reading that does not fit the group is refused. */
TEST_WITH(test_bad_readings, set_up, tear_down)
{
	const uint64_t one_less[] = {MEMBERS, 1, 1, 0, 1}, others[] = {MEMBERS + 2, 1, 1, 0, 1, 1};

	assert_int_equal(upci_perf_read(&perf, value, state_of), UPC_ESYSTEM);
	assert_message("reading a perf group: ");
	assert_int_equal(send(kernel[0], one_less, sizeof(one_less), 0), sizeof(one_less));
	assert_int_equal(upci_perf_read(&perf, value, state_of), UPC_ESYSTEM);
	assert_message("of 3 events gave 2");
	assert_int_equal(send(kernel[0], others, sizeof(others), 0), sizeof(others));
	assert_int_equal(upci_perf_read(&perf, value, state_of), UPC_ESYSTEM);
	/* A removed event may be there for a moment, so it reads again, and finds nothing. */
	assert_message("reading a perf group: ");
	/* A member that has no reading either is an error. */
	give_up(0);
	give_up(0);
	assert_int_equal(upci_perf_read(&perf, value, state_of), UPC_ESYSTEM);
	assert_message("of 3 events gave 0");
	assert_false(upci_perf_ever_enabled(&perf));
}

UNIT_TESTS(perf_read, NULL, NULL)
