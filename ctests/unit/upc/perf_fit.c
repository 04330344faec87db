/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check whether events fit a PMU: when the kernel is asked, and with which events; on made
 * events, and on a PMU where there is one.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>

#include "lib/machine.h"
#include "perf/perf_fit.h"
#include "../unit_test.h"

static const struct upci_perf_spec faults = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};

static struct upci_perf *create_own(void)
{
	struct upci_context self;
	struct upci_perf *p;

	assert_int_equal(upci_context_set(&self, NULL), 0);
	assert_int_equal(upci_perf_create(&self, &p), 0);
	return p;
}

/* ---- when there is something to ask ------------------------------------------ */

#define OTHER_PMU 100u

/* Two PMUs' groups and the software's, with members that are in none. */
struct made {
	struct upci_perf perf;
	struct upci_perf_group group[4];
	struct upci_perf_member member[4];
};

static void make(struct made *m)
{
	*m = (struct made){.perf = {.groups = 3, .handles = 4}};
	upci_samplers_init(&m->perf.samplers);
	m->perf.group = m->group;
	m->perf.member = m->member;
	m->group[0].key = UPCI_PERF_SOFTWARE;
	m->group[1].key = PERF_TYPE_RAW;
	m->group[2].key = OTHER_PMU;
	m->member[0] = (struct upci_perf_member){.used = true, .spec.type = PERF_TYPE_HARDWARE};
	m->member[1] = (struct upci_perf_member){.used = true, .spec.type = PERF_TYPE_HW_CACHE};
	m->member[2] = (struct upci_perf_member){.used = true, .spec.type = OTHER_PMU};
	m->member[3] = (struct upci_perf_member){.used = true, .spec.type = PERF_TYPE_TRACEPOINT};
}

static void assert_known(const struct made *m, bool raw, bool other)
{
	assert_true(upci_fit_is_known(&m->perf, UPCI_PERF_SOFTWARE));
	assert_int_equal(upci_fit_is_known(&m->perf, PERF_TYPE_RAW), raw);
	assert_int_equal(upci_fit_is_known(&m->perf, OTHER_PMU), other);
}

TEST(test_known)
{
	struct made m;

	make(&m);
	assert_known(&m, true, true);
	m.member[3].halted = true;
	assert_known(&m, true, true);
	m.member[2].halted = true;
	assert_known(&m, true, false);
	m.member[2].used = false;
	assert_known(&m, true, true);
	m.member[1].halted = true;
	assert_known(&m, false, true);

	/* A sampler takes a counter outside of the group. */
	make(&m);
	m.perf.samplers.at[0].fd = 0;
	m.perf.samplers.at[0].handle = 0;
	m.perf.samplers.top = 1;
	assert_known(&m, false, true);
	m.perf.samplers.at[0].handle = 2;
	assert_known(&m, true, false);
	m.perf.samplers.at[0].fd = -1;
	assert_known(&m, true, true);

	/* A second group, as where children inherit. */
	make(&m);
	m.perf.groups = 4;
	m.group[3].key = OTHER_PMU;
	assert_known(&m, true, false);
	m.group[3].key = UPCI_PERF_SOFTWARE;
	assert_known(&m, true, true);
}

/* ---- what is asked ------------------------------------------------------------- */

/* The check opens all events of a kind, and closes them whatever the answer is. */
TEST(test_check)
{
	needs_perf();
	struct upci_perf *p = create_own();
	unsigned before;
	int i, handle[3];

	for (i = 0; i < 3; i++) {
		handle[i] = upci_perf_add(p, &faults, i % 2, "faults");
		assert_true(handle[i] >= 0);
	}
	before = open_descriptors();
	assert_int_equal(upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "software"), 0);
	assert_int_equal(upci_fit_check(p, UPCI_PERF_SOFTWARE, handle[1], "software"), 0);
	/* An event that no kernel knows, after two that it takes. */
	p->member[handle[2]].spec.config = UINT64_MAX;
	assert_int_equal(upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "the third"), UPC_ENOSUPP);
	assert_message("the third: ");
	/* A removed event, and one of another PMU, is left out. */
	p->member[handle[2]].used = false;
	assert_int_equal(upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "software"), 0);
	p->member[handle[2]].used = true;
	p->member[handle[2]].spec.type = OTHER_PMU;
	assert_int_equal(upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "software"), 0);
	assert_int_equal(open_descriptors(), before);
	upci_perf_destroy(p);
}

/* A reserve is asked for as well: the kernel is, whatever was asked before, and with so many more. */
TEST(test_reserve)
{
	needs_perf();
	struct upci_context self;
	rlim_t old, low;
	struct upci_perf *p;
	struct made m;
	unsigned before, refused = 0;
	int error = -1;

	make(&m);
	m.perf.context.reserve = 1;
	assert_known(&m, false, false);

	assert_int_equal(upci_context_set(&self, NULL), 0);
	self.reserve = 5;
	assert_int_equal(upci_perf_create(&self, &p), 0);
	assert_true(upci_perf_add(p, &faults, false, "faults") >= 0);
	before = open_descriptors();
	for (low = 1; error && low < 512; low++) {
		old = limit_descriptors(low);
		error = upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "faults");
		limit_descriptors(old);
		assert_int_equal(open_descriptors(), before);
		if (error)
			assert_int_equal(error, UPC_EMFILE);
		refused += error != 0;
	}
	/* A leader, the event, and five like it. */
	assert_true(refused >= 7);
	upci_perf_destroy(p);
}

/* Whichever of the events is the first without a descriptor, those before it are closed. */
TEST(test_check_without_descriptors)
{
	needs_perf();
	struct upci_perf *p = create_own();
	rlim_t old, low;
	unsigned before, refused = 0, i;
	int error;

	for (i = 0; i < 6; i++)
		assert_true(upci_perf_add(p, &faults, false, "faults") >= 0);
	before = open_descriptors();
	for (low = 1; low < 512; low++) {
		old = limit_descriptors(low);
		error = upci_fit_check(p, UPCI_PERF_SOFTWARE, -1, "faults");
		limit_descriptors(old);
		assert_int_equal(open_descriptors(), before);
		if (!error)
			break;
		assert_int_equal(error, UPC_EMFILE);
		assert_message("ulimit -n");
		refused++;
	}
	assert_int_equal(error, 0);
	/* A leader and six: room for none of them, for one, up to six. */
	assert_true(refused >= 7);
	upci_perf_destroy(p);
}

/* ---- what a start finds ---------------------------------------------------------- */

/* A group that was given up reads as an empty file does; one that counts refuses a read
 * that is too short for it. */
TEST(test_refused)
{
	const pid_t self = gettid();
	struct upci_perf_target target[2] = {{self, -1, 0}, {self, -1, 0}};
	int given_up = open("/dev/null", O_RDONLY | O_CLOEXEC), counts = open("/", O_RDONLY | O_CLOEXEC);
	int leader[2];
	struct made m;

	assert_true(given_up >= 0 && counts >= 0);
	leader[0] = leader[1] = counts;
	make(&m);
	assert_true(upci_fit_has_hardware(&m.perf));
	m.perf.groups = 1;
	assert_false(upci_fit_has_hardware(&m.perf));
	m.perf.groups = 3;
	m.group[2].leader = leader;
	m.group[2].target = target;
	m.group[2].targets = 2;
	assert_false(upci_fit_refused(&m.perf, self));
	leader[1] = given_up;
	assert_true(upci_fit_refused(&m.perf, self));
	/* The kernel does not know yet of another task's; of a CPU's it does. */
	target[1].tid = self + 1;
	assert_false(upci_fit_refused(&m.perf, self));
	target[1] = (struct upci_perf_target){-1, 0, 0};
	assert_true(upci_fit_refused(&m.perf, self));
	m.group[2].key = UPCI_PERF_SOFTWARE;
	assert_false(upci_fit_refused(&m.perf, self));
	assert_false(upci_fit_group_refused(&m.group[2], self));
	m.group[2].key = OTHER_PMU;
	assert_true(upci_fit_group_refused(&m.group[2], self));
	assert_int_equal(upci_fit_fail_start(), UPC_ECONFLICT);
	assert_message("stop those first");
	assert_int_equal(upci_fit_fail_signals("some event"), UPC_ECONFLICT);
	assert_message("some event: the PMU has no counter left for its overflow signals");
	assert_int_equal(upci_fit_fail_beside("some event"), UPC_ECONFLICT);
	assert_message("some event: the PMU has no counter left for it beside");
	close(given_up);
	close(counts);
}

/* ---- on a PMU, where there is one ------------------------------------------- */

static const struct upci_perf_spec instructions = {.type = PERF_TYPE_HARDWARE,
						   .config = PERF_COUNT_HW_INSTRUCTIONS,
						   .exclude_kernel = 1,
						   .exclude_hv = 1,
						   .core = true};

/* How many can be counted at a time; skips the test without a PMU. */
static int room_for_instructions(void)
{
	struct upci_perf *p = create_own();
	int n = 0, handle;

	if (!machine_has_pmu()) {
		assert_int_not_equal(upci_perf_probe(&instructions, "instructions"), 0);
		upci_perf_destroy(p);
		skip_because("no PMU here");
	}
	assert_int_equal(upci_perf_probe(&instructions, "instructions"), 0);
	while ((handle = upci_perf_add(p, &instructions, false, "instructions")) >= 0)
		n++;
	assert_int_equal(handle, UPC_ECONFLICT);
	assert_message("instructions: does not fit the PMU's counters");
	upci_perf_destroy(p);
	return n;
}

/* Whatever of it is halted, or signals: what is there fits together. */
TEST(test_halted_and_samplers_take_room)
{
	int room = room_for_instructions(), round, i, handle;
	uint64_t seed = 11;

	for (round = 0; round < 20; round++) {
		struct upci_perf *p = create_own();
		uint64_t value[64];
		uint8_t how[64];
		int used = 0, last = -1;
		bool signals = false;

		while (used < room) {
			bool halted = random_next(&seed) % 2;

			handle = upci_perf_add(p, &instructions, halted, "instructions");
			assert_true(handle >= 0);
			used++;
			signals = used < room && random_next(&seed) % 3 == 0;
			last = handle;
			if (signals) {
				assert_int_equal(upci_perf_set_period(p, handle, &instructions, 1u << 30,
								      SIGRTMIN, "instructions"),
						 0);
				used++;
			}
			if (halted && random_next(&seed) % 2)
				assert_int_equal(upci_perf_continue(p, handle), 0);
			else if (!halted && random_next(&seed) % 2)
				assert_int_equal(upci_perf_halt(p, handle), 0);
		}
		assert_int_equal(upci_perf_add(p, &instructions, round % 2, "one more"), UPC_ECONFLICT);
		assert_int_equal(upci_perf_set_period(p, last, &instructions, 1u << 20, SIGRTMIN, "a period"),
				 signals ? 0 : UPC_ECONFLICT);
		assert_int_equal(upci_perf_start(p), 0);
		assert_int_equal(upci_perf_read(p, value, how), 0);
		for (i = 0; i <= last; i++)
			assert_int_equal(how[i], UPCI_SOURCE_EXACT);
		upci_perf_destroy(p);
	}
}

/* Two that do not fit together: who is second is told so at once, its start leaves no
 * trace, and its counts go on from where they were. */
TEST(test_refused_start)
{
	int room = room_for_instructions(), i;
	struct upci_perf *holder = create_own(), *p = create_own();
	uint64_t value[64], before[64];
	uint8_t how[64];

	for (i = 0; i < room; i++) {
		assert_true(upci_perf_add(holder, &instructions, false, "instructions") >= 0);
		assert_true(upci_perf_add(p, &instructions, false, "instructions") >= 0);
	}
	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(10);
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(upci_perf_read(p, before, how), 0);
	assert_true(before[0] > 0);
	assert_int_equal(upci_perf_start(holder), 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(upci_perf_start(p), UPC_ECONFLICT);
		assert_message("stop those first");
		assert_int_equal(upci_perf_read(p, value, how), 0);
		assert_int_equal(value[0], before[0]);
		assert_int_equal(how[0], UPCI_SOURCE_EXACT);
	}
	assert_int_equal(upci_perf_stop(holder), 0);
	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(10);
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_true(value[0] > before[0]);
	assert_int_equal(how[0], UPCI_SOURCE_EXACT);
	upci_perf_destroy(p);
	upci_perf_destroy(holder);
}

UNIT_TESTS(perf_fit, NULL, NULL)
