/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event sets over the master event list: what is refused, and calls that fail at any
 * place, after which nothing is different.
 */
#include "mpx_fake.h"

TEST(refusals)
{
	struct mpxi_set *set, *empty;

	fake_create(2);
	set = fake_set(0, 3);
	empty = fake_set(1, 0);
	assert_int_equal(mpxi_set_add(set, 2), MPXI_ECNFLCT);
	assert_int_equal(mpxi_set_add(set, FAKE_NOWHERE), MPXI_ECNFLCT);
	assert_non_null(strstr(mpxi_last_message(), "no counter"));
	assert_int_equal(fake_info().events, 4);
	assert_int_equal(mpxi_set_remove(set, 9), MPXI_ENOEVNT);
	assert_int_equal(mpxi_set_start(empty), MPXI_EINVAL);
	assert_int_equal(mpxi_set_stop(empty), MPXI_ENOTRUN);
	assert_int_equal(mpxi_set_read(empty), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_add(set, 9), MPXI_EISRUN);
	assert_int_equal(mpxi_set_remove(set, 2), MPXI_EISRUN);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_remove(set, 1), 0);
	assert_int_equal(mpxi_set_events(set), 3);
	assert_int_equal(mpxi_set_event(set, 1), 2);
	assert_int_equal(mpxi_set_add(set, 1), 3);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(fake_window(set, 1)->sums.size > 0);
	fake_destroy();
}

/* ---- calls that fail ------------------------------------------------------------------ */

#define EVENTS 16

struct picture {
	struct mpxi_master list[EVENTS];
	unsigned n;
	struct mpxi_core_info info;
	bool sharing;
};

static void take_picture(struct picture *picture)
{
	memset(picture, 0, sizeof(*picture));
	picture->n = mpxi_core_master(fake.core, picture->list, EVENTS);
	assert_in_range(picture->n, 0, EVENTS);
	picture->info = fake_info();
	picture->sharing = fake.sharing;
}

/* All is as it was, but for slices that ended meanwhile. */
static void assert_picture(const struct picture *before)
{
	struct picture now;
	unsigned i;

	take_picture(&now);
	assert_int_equal(now.n, before->n);
	assert_int_equal(now.sharing, before->sharing);
	assert_int_equal(now.info.time, before->info.time);
	assert_int_equal(now.info.running, before->info.running);
	assert_int_equal(now.info.groups, before->info.groups);
	for (i = 0; i < now.n; i++) {
		assert_int_equal(now.list[i].event, before->list[i].event);
		assert_int_equal(now.list[i].references, before->list[i].references);
		assert_int_equal(now.list[i].activations, before->list[i].activations);
		assert_int_equal(now.list[i].count, before->list[i].count);
		assert_int_equal(now.list[i].size, before->list[i].size);
	}
}

struct scene {
	struct mpxi_set *running, *beside, *next;
};

/* Makes the sets that run before, and the set that is started over them. */
static void make_scene(struct scene *scene, unsigned which)
{
	fake_create(which & 1 ? 2 : 4);
	scene->running = fake_set(0, which & 2 ? 1 : 2);
	scene->beside = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED + 1);
	scene->next = fake_set(1, 3);
	if (which & 4)
		assert_int_equal(mpxi_set_add(scene->next, FAKE_UNLIMITED + 2), 3);
	if (which & 8)
		assert_true(mpxi_set_add(scene->next, FAKE_UNLIMITED + 1) >= 3);
	if (which & 16) {
		assert_int_equal(mpxi_set_start(scene->next), 0);
		assert_int_equal(mpxi_set_stop(scene->next), 0);
	}
	if (which & 32)
		assert_int_equal(mpxi_set_start(scene->beside), 0);
	if (which & 64)
		assert_int_equal(mpxi_set_start(scene->running), 0);
	fake_slices(3, 10);
}

static void assert_all_counts(const struct mpxi_set *set, uint64_t time)
{
	unsigned i;

	for (i = 0; i < mpxi_set_events(set); i++) {
		const struct mpxi_window *window = mpxi_set_window(set, i);

		assert_int_equal(window->time, time);
		assert_true(window->sums.size > 0);
		assert_window(set, mpxi_set_event(set, i), time, window->sums.size);
	}
}

/* Whichever call of the backend or for memory fails in a start, for a moment or from
 * then on: nothing is different after it, and the next start succeeds. */
TEST(starts_that_fail)
{
	unsigned which, k, lasting, calls = FAKE_ALL & ~(unsigned)FAKE_STOP, failures = 0;

	for (which = 0; which < 128; which++)
		for (lasting = 0; lasting < 2; lasting++)
			for (k = 1;; k++) {
				struct scene scene;
				struct picture before;
				int error;

				make_scene(&scene, which);
				take_picture(&before);
				fake_fail(calls, k, lasting ? UINT_MAX : 1);
				error = mpxi_set_start(scene.next);
				fake_fail(0, 0, 0);
				if (!error) {
					assert_true(mpxi_set_runs(scene.next));
					fake_destroy();
					break;
				}
				failures++;
				assert_false(mpxi_set_runs(scene.next));
				/* Ticks restart groups that could not be restarted. */
				if (!fake.timed && before.info.groups)
					assert_true(fake_tick());
				else if (!fake.timed && before.info.running)
					assert_int_equal(mpxi_set_read(scene.beside), 0);
				if (lasting && before.info.running && !before.info.groups && !fake.timed) {
					/* Only the next start or stop can restart the idle group. */
					fake_destroy();
					continue;
				}
				if (before.info.groups && fake.sharing != before.sharing) {
					assert_true(fake.sharing);
					before.sharing = true;
				}
				assert_picture(&before);
				assert_int_equal(mpxi_set_start(scene.next), 0);
				fake_slices(20, 10);
				assert_int_equal(mpxi_set_stop(scene.next), 0);
				assert_all_counts(scene.next, 200);
				if (which & 64) {
					assert_int_equal(mpxi_set_stop(scene.running), 0);
					assert_all_counts(scene.running, 230);
				}
				if (which & 32) {
					assert_int_equal(mpxi_set_stop(scene.beside), 0);
					assert_all_counts(scene.beside, 230);
				}
				fake_destroy();
			}
	/* Each scene has at least one call that can fail. */
	assert_true(failures >= 256);
}

/* The group that would hold the newcomer too cannot be started, ever: what ran before
 * runs on in its own. */
TEST(start_is_undone)
{
	struct mpxi_set *a, *b;
	unsigned i;

	fake_create(4);
	fake.start_max = 2;
	a = fake_set(0, 1);
	b = fake_set(1, 2);
	assert_int_equal(mpxi_set_start(a), 0);
	for (i = 1; i < 5; i++) {
		fake.now += 10;
		assert_int_equal(mpxi_set_start(b), MPXI_ESYS);
		assert_true(fake_counts(0));
		assert_false(fake.sharing);
		assert_int_equal(fake_info().groups, 1);
	}
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_window(a, 0, 50, 50);
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, 2, 10);
	fake_destroy();
}

TEST(additions_that_fail)
{
	unsigned k, event;

	/* The fourth to sixth make the set, the 17th the list grow. */
	for (event = 0; event < 20; event++)
		for (k = 1;; k++) {
			struct mpxi_set *set;
			unsigned events;
			int error;

			fake_create(4);
			set = fake_set(20, 20 + event);
			events = fake_info().events;
			fake_fail(FAKE_ALL, k, 1);
			error = mpxi_set_add(set, event);
			fake_fail(0, 0, 0);
			if (error >= 0) {
				fake_destroy();
				break;
			}
			assert_int_equal(fake_info().events, events);
			assert_int_equal(mpxi_set_events(set), events);
			assert_int_equal(mpxi_set_add(set, event), (int)events);
			fake_destroy();
		}
}

/* A read or reset that fails: what was known stays known. A stop stops all the same. */
TEST(reads_that_fail)
{
	struct mpxi_set *a;

	fake_create(4);
	a = fake_set(0, 1);
	assert_int_equal(mpxi_set_add(a, FAKE_UNLIMITED), 2);
	assert_int_equal(mpxi_set_start(a), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(a), 0);
	fake.now += 10;
	fake_fail(FAKE_READ, 1, 1);
	assert_int_equal(mpxi_set_read(a), MPXI_ESYS);
	assert_exact(a, 0, 10);
	fake_fail(FAKE_READ, 2, 1);
	assert_int_equal(mpxi_set_read(a), MPXI_ESYS);
	assert_exact(a, FAKE_UNLIMITED, 10);
	fake_fail(FAKE_READ, 1, 1);
	assert_int_equal(mpxi_set_reset(a), MPXI_ESYS);
	assert_int_equal(mpxi_set_read(a), 0);
	assert_exact(a, 0, 20);
	assert_exact(a, FAKE_UNLIMITED, 20);
	fake.now += 10;
	fake_fail(FAKE_READ, 1, 1);
	assert_int_equal(mpxi_set_stop(a), MPXI_ESYS);
	assert_false(mpxi_set_runs(a));
	assert_null(fake.timed);
	/* Its group could be stopped, with its counts. */
	assert_window(a, 0, 30, 30);
	assert_false(fake_window(a, 0)->exact);
	assert_window(a, FAKE_UNLIMITED, 30, 30);
	assert_false(fake_window(a, FAKE_UNLIMITED)->exact);
	assert_false(mpxi_set_lost(a));
	fake_fail(FAKE_MEMORY, 1, 1);
	assert_int_equal(mpxi_set_create(fake.core, &a), MPXI_ENOMEM);
	fake_destroy();
}

UNIT_TESTS(mpx_set_fails, NULL, NULL)
