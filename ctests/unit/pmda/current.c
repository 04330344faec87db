/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * current.c - the service as the agent sees it, over restarts: with a service that is made here.
 */
#include "unit/unit_test.h"

#include "made_sample.h"
#include "pmda/current.h"

/* ---- the service -------------------------------------------------------------------------- */

static struct made_sample made[2];
static unsigned at, gets, puts_, closes, says;

const struct service_sample *service_sample_get(struct service *service, int wait_ms)
{
	(void)service, (void)wait_ms;
	gets++;
	return &made[at].sample;
}

void service_sample_put(const struct service_sample *sample)
{
	assert_non_null(sample);
	puts_++;
}

uint64_t service_generation(struct service *service)
{
	(void)service;
	return made[at].sample.generation;
}

void service_close(struct service *service)
{
	(void)service;
	closes++;
}

static void say(const char *line)
{
	assert_true(line[0]);
	says++;
}

/* The next sample is as the last one was. */
static struct made_sample *next(void)
{
	struct made_sample *was = &made[at], *is = &made[!at];
	unsigned i;

	*is = *was;
	is->sample.place[SERVICE_CPU] = is->cpu;
	is->sample.place[SERVICE_NODE] = &is->node;
	is->sample.place[SERVICE_CGROUP] = is->cgroup;
	is->sample.counter = is->counter;
	for (i = 0; i < MADE_COUNTERS; i++)
		is->counter[i].value = is->value[i];
	is->sample.samples++;
	at = !at;
	return is;
}

static char dir[] = "/tmp/upc-current-XXXXXX", path[64];

static void begin(struct current *current)
{
	memset(current, 0, sizeof(*current));
	current->store = path;
	current->socket = "";
	current->say = say;
	assert_int_equal(current_init(current), 0);
	current_open(current, (struct service *)&made);
}

static uint64_t shown(const struct current *current, unsigned counter)
{
	const struct tally_place *place = &current->of[counter]->tally->place[0];

	return place->base + place->value;
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/metrics", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

/* ---- tests -------------------------------------------------------------------------------- */

TEST(test_samples)
{
	struct current current;
	unsigned version;

	at = gets = puts_ = closes = says = 0;
	made_sample_init(&made[0]);
	made_sample_add(&made[0], 1, "perf::A", SERVICE_NODE);
	made_sample_value(&made[0], 0, 0, 100, 1000, SERVICE_COUNTING);
	begin(&current);
	assert_int_equal(shown(&current, 0), 100);
	version = current.version;
	/* A question for names costs no sample while nothing changed. */
	next();
	made_sample_value(&made[at], 0, 0, 150, 1500, SERVICE_COUNTING);
	current_refresh(&current, false);
	assert_int_equal(gets, 1);
	assert_int_equal(shown(&current, 0), 100);
	current_refresh(&current, true);
	assert_int_equal(shown(&current, 0), 150);
	assert_int_equal(current.version, version);
	/* A change is seen at any question. */
	next();
	made_sample_add(&made[at], 2, "perf::B", SERVICE_NODE);
	current_refresh(&current, false);
	assert_int_equal(current.version, version + 1);
	assert_string_equal(current.of[1]->metric, "perf.b");
	/* The last sample again, and an older one, change nothing. */
	current_refresh(&current, true);
	at = !at;
	made[at].sample.samples = 0;
	made[at].sample.generation = 99;
	current_refresh(&current, true);
	assert_int_equal(current.version, version + 1);
	current_close(&current);
	assert_int_equal(gets, puts_);
	assert_int_equal(closes, 1);
	assert_int_equal(says, 0);
}

/* Counts go on in the same metric over a restart in the same epoch, also at another id. */
TEST(test_restart)
{
	struct current current;
	unsigned slot;

	unlink(path);
	at = 0;
	made_sample_init(&made[0]);
	made_sample_add(&made[0], 1, "perf::A", SERVICE_NODE);
	made_sample_value(&made[0], 0, 0, 100, 1000, SERVICE_COUNTING);
	begin(&current);
	slot = current.of[0]->slot;
	current_close(&current);
	next();
	begin(&current);
	assert_int_equal(current.of[0]->slot, slot);
	assert_int_equal(shown(&current, 0), 100);
	current_close(&current);
	/* It was removed and added while the agent was away. */
	next();
	made[at].counter[0].id = 5;
	made[at].sample.generation++;
	made_sample_value(&made[at], 0, 0, 7, 70, SERVICE_COUNTING);
	begin(&current);
	assert_int_equal(current.of[0]->slot, slot);
	assert_int_equal(shown(&current, 0), 107);
	current_close(&current);
	/* A new epoch begins anew, under the same number. */
	next();
	made[at].sample.started_ns++;
	made[at].counter[0].id = 1;
	made_sample_value(&made[at], 0, 0, 3, 30, SERVICE_COUNTING);
	begin(&current);
	assert_int_equal(current.of[0]->slot, slot);
	assert_int_equal(shown(&current, 0), 3);
	current_close(&current);
}

TEST(test_no_place_for_the_file)
{
	struct current current;

	at = says = 0;
	made_sample_init(&made[0]);
	made_sample_add(&made[0], 1, "perf::A", SERVICE_NODE);
	made_sample_value(&made[0], 0, 0, 100, 1000, SERVICE_COUNTING);
	snprintf(path, sizeof(path), "/nonexistent/metrics");
	begin(&current);
	assert_int_equal(shown(&current, 0), 100);
	assert_true(says > 0);
	current_close(&current);
	snprintf(path, sizeof(path), "%s/metrics", dir);
}

UNIT_TESTS(current, setup, teardown)
