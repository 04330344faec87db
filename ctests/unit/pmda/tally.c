/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tally.c - the numbers that metrics have of counters: none where nothing was counted, none that decreases,
 * sums over NUMA nodes while CPUs go and come.
 */
#include "unit/unit_test.h"

#include <errno.h>

#include "made_sample.h"
#include "pmda/tally.h"

struct scene {
	struct made_sample made;
	struct places places;
	struct tally *tally;
};

static void setup(struct scene *scene)
{
	memset(scene, 0, sizeof(*scene));
	made_sample_init(&scene->made);
	made_sample_add(&scene->made, 1, "a", SERVICE_CPU);
	assert_int_equal(places_update(&scene->places, &scene->made.sample, SERVICE_CPU), 0);
	scene->tally = tally_grow(NULL, &scene->places, true);
	assert_non_null(scene->tally);
	assert_int_equal(scene->tally->places, MADE_CPUS);
	assert_int_equal(scene->tally->numas, 2);
}

static void teardown(struct scene *scene)
{
	tally_free(scene->tally);
	places_free(&scene->places);
}

static void all(struct scene *scene, uint64_t value, uint64_t running)
{
	unsigned i;

	for (i = 0; i < MADE_CPUS; i++)
		made_sample_value(&scene->made, 0, i, value + i, running, SERVICE_COUNTING);
}

static void update(struct scene *scene, bool anew)
{
	tally_update(scene->tally, &scene->places, &scene->made.counter[0], anew);
}

static uint64_t shown(const struct scene *scene, unsigned i)
{
	return scene->tally->place[i].base + scene->tally->place[i].value;
}

TEST(test_counting)
{
	struct scene scene;

	setup(&scene);
	assert_false(scene.tally->place[0].known);
	all(&scene, 100, 1000);
	update(&scene, false);
	assert_true(scene.tally->place[3].known);
	assert_int_equal(shown(&scene, 3), 103);
	assert_true(scene.tally->numa[0].counting);
	assert_int_equal(scene.tally->numa[0].value, 201);
	assert_int_equal(scene.tally->numa[1].value, 205);
	assert_int_equal(scene.tally->numa[1].running, 1000);
	teardown(&scene);
}

/* A halted CPU: its node has no sum, its own number stays and is known. */
TEST(test_some_are_not_counted)
{
	struct scene scene;

	setup(&scene);
	all(&scene, 100, 1000);
	update(&scene, false);
	made_sample_value(&scene.made, 0, 1, 0, 0, SERVICE_HALTED);
	update(&scene, false);
	assert_int_equal(scene.tally->place[1].state, SERVICE_HALTED);
	assert_int_equal(shown(&scene, 1), 101);
	assert_int_equal(scene.tally->place[1].running, 1000);
	assert_false(scene.tally->numa[0].counting);
	assert_true(scene.tally->numa[1].counting);
	/* The last counts of a halted CPU are taken, where the service gives them. */
	made_sample_value(&scene.made, 0, 1, 140, 1500, SERVICE_HALTED);
	update(&scene, false);
	assert_int_equal(shown(&scene, 1), 140);
	assert_int_equal(scene.tally->place[1].running, 1500);
	teardown(&scene);
}

TEST(test_never_counted)
{
	struct scene scene;
	unsigned i;

	setup(&scene);
	for (i = 0; i < MADE_CPUS; i++)
		made_sample_value(&scene.made, 0, i, 0, 0, i ? SERVICE_OPENING : SERVICE_FAILED);
	update(&scene, false);
	for (i = 0; i < MADE_CPUS; i++)
		assert_false(scene.tally->place[i].known);
	assert_false(scene.tally->numa[0].counting);
	assert_false(scene.tally->numa[0].known);
	teardown(&scene);
}

/* A CPU that goes offline keeps its part of the sum; time is that of those that are online. */
TEST(test_offline)
{
	struct scene scene;

	setup(&scene);
	all(&scene, 100, 1000);
	update(&scene, false);
	made_sample_value(&scene.made, 0, 0, 110, 2000, SERVICE_COUNTING);
	made_sample_value(&scene.made, 0, 1, 0, 0, SERVICE_OFFLINE);
	update(&scene, false);
	assert_true(scene.tally->numa[0].counting);
	assert_int_equal(scene.tally->numa[0].value, 110 + 101);
	assert_int_equal(scene.tally->numa[0].running, 2000);
	/* It is back, and goes on. */
	made_sample_value(&scene.made, 0, 0, 120, 3000, SERVICE_COUNTING);
	made_sample_value(&scene.made, 0, 1, 111, 2000, SERVICE_COUNTING);
	update(&scene, false);
	assert_int_equal(scene.tally->numa[0].value, 120 + 111);
	assert_int_equal(scene.tally->numa[0].running, 3000);
	/* No CPU of a node: no sum. */
	made_sample_value(&scene.made, 0, 2, 0, 0, SERVICE_OFFLINE);
	made_sample_value(&scene.made, 0, 3, 0, 0, SERVICE_OFFLINE);
	update(&scene, false);
	assert_false(scene.tally->numa[1].counting);
	teardown(&scene);
}

/* A CPU's instance is its number, whatever numbers are missing before it. */
TEST(test_cpus_with_a_gap)
{
	struct places places = {.count = 0};
	struct made_sample made;

	made_sample_init(&made);
	made.cpu[1].cpu = 5;
	assert_int_equal(places_update(&places, &made.sample, SERVICE_CPU), 0);
	assert_int_equal(places.one[1].instance, 5);
	assert_ptr_equal(places_find(&places, 5), &places.one[1]);
	assert_null(places_find(&places, 1));
	places_free(&places);
}

/* A place that the sample no longer has is like an offline one. */
TEST(test_place_gone)
{
	struct scene scene;

	setup(&scene);
	all(&scene, 100, 1000);
	update(&scene, false);
	scene.made.sample.places[SERVICE_CPU] = 3;
	assert_int_equal(places_update(&scene.places, &scene.made.sample, SERVICE_CPU), 0);
	assert_int_equal(scene.places.one[3].at, -1);
	update(&scene, false);
	assert_int_equal(scene.tally->place[3].state, SERVICE_OFFLINE);
	assert_int_equal(shown(&scene, 3), 103);
	assert_true(scene.tally->numa[1].counting);
	teardown(&scene);
}

/* After a restart the node of an offline CPU is not known: its part stays in the sum of its old node. */
TEST(test_node_not_said)
{
	struct scene scene;

	setup(&scene);
	all(&scene, 100, 1000);
	update(&scene, false);
	assert_int_equal(scene.tally->numa[0].value, 201);
	scene.made.cpu[1].numa = -1;
	made_sample_value(&scene.made, 0, 1, 0, 0, SERVICE_OFFLINE);
	assert_int_equal(places_update(&scene.places, &scene.made.sample, SERVICE_CPU), 0);
	update(&scene, false);
	assert_true(scene.tally->numa[0].counting);
	assert_int_equal(scene.tally->numa[0].value, 201);
	teardown(&scene);
}

/* The metric gets a counter with another id: value and time go on. */
TEST(test_anew)
{
	struct scene scene;

	setup(&scene);
	all(&scene, 100, 1000);
	update(&scene, false);
	all(&scene, 5, 50);
	update(&scene, true);
	assert_int_equal(shown(&scene, 0), 105);
	assert_int_equal(scene.tally->place[0].running_base + scene.tally->place[0].running, 1050);
	assert_int_equal(scene.tally->numa[0].value, 105 + 107);
	assert_int_equal(scene.tally->numa[0].running, 1050);
	all(&scene, 6, 60);
	update(&scene, false);
	assert_int_equal(shown(&scene, 0), 106);
	tally_reset(scene.tally);
	assert_false(scene.tally->place[0].known);
	assert_int_equal(shown(&scene, 0), 0);
	assert_int_equal(scene.tally->numa[1].node, 1);
	assert_int_equal(scene.tally->numa[1].running, 0);
	teardown(&scene);
}

TEST(test_level)
{
	struct scene scene;

	setup(&scene);
	scene.made.counter[0].level = true;
	all(&scene, 100, 1000);
	update(&scene, false);
	all(&scene, 7, 1100);
	update(&scene, true);
	assert_int_equal(shown(&scene, 0), 7);
	assert_int_equal(scene.tally->numa[0].value, 7 + 8);
	/* An offline CPU has no level. */
	made_sample_value(&scene.made, 0, 1, 0, 0, SERVICE_OFFLINE);
	update(&scene, false);
	assert_int_equal(scene.tally->numa[0].value, 7);
	teardown(&scene);
}

/* Random halts, ends and hotplug: no number decreases, and a sum is that of its CPUs. */
TEST(test_never_backwards)
{
	uint64_t value[MADE_CPUS] = {0}, running[MADE_CPUS] = {0}, before[MADE_CPUS] = {0}, numa[2] = {0},
		 time[2] = {0}, total[MADE_CPUS] = {0};
	struct scene scene;
	unsigned seed = 3, round, i;

	setup(&scene);
	for (round = 0; round < 20000; round++) {
		bool anew = (seed = seed * 1103515245 + 12345) >> 16 & 64;

		for (i = 0; i < MADE_CPUS; i++) {
			unsigned dice = (seed = seed * 1103515245 + 12345) >> 16 & 7;
			enum service_state s = dice < 5    ? SERVICE_COUNTING
					       : dice == 5 ? SERVICE_HALTED
							   : SERVICE_OFFLINE;

			if (anew) {
				total[i] = shown(&scene, i);
				value[i] = running[i] = 0;
			}
			if (s == SERVICE_COUNTING) {
				value[i] += seed >> 20 & 255;
				running[i] += 10;
			}
			made_sample_value(&scene.made, 0, i, s == SERVICE_COUNTING ? value[i] : 0,
					  s == SERVICE_COUNTING ? running[i] : 0, s);
		}
		update(&scene, anew);
		for (i = 0; i < MADE_CPUS; i++) {
			assert_true(shown(&scene, i) >= before[i]);
			if (scene.tally->place[i].state == SERVICE_COUNTING)
				assert_true(shown(&scene, i) == total[i] + value[i]);
			before[i] = shown(&scene, i);
		}
		for (i = 0; i < 2; i++) {
			assert_true(scene.tally->numa[i].running >= time[i]);
			time[i] = scene.tally->numa[i].running;
			if (!scene.tally->numa[i].counting)
				continue;
			assert_true(scene.tally->numa[i].value >= numa[i]);
			numa[i] = scene.tally->numa[i].value;
			assert_true(numa[i] == shown(&scene, 2 * i) + shown(&scene, 2 * i + 1));
		}
	}
	teardown(&scene);
}

TEST(test_places)
{
	struct places places = {0};
	struct made_sample made;

	made_sample_init(&made);
	/* The numbers that control groups had, as they are read from a file. */
	assert_int_equal(places_add(&places, "batch", 5, -1), 0);
	assert_int_equal(places_add(&places, "batch", 6, -1), -EEXIST);
	assert_int_equal(places_add(&places, "other", 5, -1), -EEXIST);
	assert_int_equal(places_update(&places, &made.sample, SERVICE_CGROUP), 0);
	assert_int_equal(places.count, 2);
	assert_int_equal(places_find(&places, 5)->at, 1);
	assert_string_equal(places_find(&places, 6)->name, "web");
	assert_null(places_find(&places, 0));
	assert_null(places_find(&places, -1));
	places_free(&places);
}

UNIT_TESTS(tally, NULL, NULL)
