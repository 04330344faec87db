/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A service that is killed at any instant: the one that follows it gives out no value below one that was
 * seen, and goes on with the counters as they were commanded.
 */
#include <signal.h>

#include "service/service_test.h"

#define ROUNDS 60
#define CPUS 2
#define IDS 8192
#define NAMES 6

/* The values and states that were seen, in memory that outlives the killed services. */
struct seen {
	struct {
		uint64_t value[CPUS], ran[CPUS];
	} of[IDS];
	struct {
		unsigned id, number;
		bool there, halted;
	} name[NAMES];
	volatile int ready; /* the service is open */
	int busy;           /* the name that a command is under way for, or -1 */
	uint64_t started, generation, samples;
	unsigned highest_id;
	uint64_t seen; /* values, in all rounds */
	char wrong[256];
};
static struct seen *seen;

static void wrong(const char *what, const char *name, unsigned long long now, unsigned long long before)
{
	if (!*seen->wrong)
		snprintf(seen->wrong, sizeof(seen->wrong), "%s: %s: %llu after %llu", what, name, now,
			 before);
	_exit(1);
}

static void look_at(const struct service_counter *c)
{
	if (c->id >= IDS)
		wrong("id", c->name, c->id, IDS);
	for (unsigned p = 0; p < CPUS; p++) {
		const struct service_value *v = &c->value[p];

		if (v->running_ns < seen->of[c->id].ran[p])
			wrong("running", c->name, v->running_ns, seen->of[c->id].ran[p]);
		seen->of[c->id].ran[p] = v->running_ns;
		if (v->state != SERVICE_COUNTING)
			continue;
		if (v->value < seen->of[c->id].value[p])
			wrong("value", c->name, v->value, seen->of[c->id].value[p]);
		seen->of[c->id].value[p] = v->value;
		seen->seen++;
	}
}

static void look(struct service *s)
{
	const struct service_sample *sample = service_sample_get(s, 60000);

	if (sample->generation < seen->generation)
		wrong("generation", "", sample->generation, seen->generation);
	if (sample->samples < seen->samples)
		wrong("samples", "", sample->samples, seen->samples);
	if (seen->started && sample->started_ns != seen->started)
		wrong("started", "", sample->started_ns, seen->started);
	seen->started = sample->started_ns;
	seen->generation = sample->generation;
	seen->samples = sample->samples;
	for (unsigned i = 0; i < sample->counters; i++)
		look_at(&sample->counter[i]);
	service_sample_put(sample);
}

static const struct service_counter *find(const struct service_sample *sample, unsigned k)
{
	char name[16];

	snprintf(name, sizeof(name), "n%u", k);
	for (unsigned i = 0; i < sample->counters; i++)
		if (!strcmp(sample->counter[i].name, name))
			return &sample->counter[i];
	return NULL;
}

/* Each answered command has taken effect; one that was under way may have, and is not compared. */
static void compare(struct service *s)
{
	const struct service_sample *sample = service_sample_get(s, 60000);

	for (int k = 0; k < NAMES; k++) {
		const struct service_counter *c = find(sample, (unsigned)k);

		if (k == seen->busy)
			continue;
		if ((c != NULL) != seen->name[k].there)
			wrong("there", "n", (unsigned long long)k, seen->name[k].there);
		if (!c)
			continue;
		if (c->id != seen->name[k].id)
			wrong("id", c->name, c->id, seen->name[k].id);
		if (c->number != seen->name[k].number)
			wrong("number", c->name, c->number, seen->name[k].number);
		if ((c->value[0].state == SERVICE_HALTED) != seen->name[k].halted)
			wrong("halted", c->name, c->value[0].state, seen->name[k].halted);
	}
	service_sample_put(sample);
}

static void note(struct service *s, unsigned k)
{
	const struct service_sample *sample = service_sample_get(s, 60000);
	const struct service_counter *c = find(sample, k);
	unsigned before = seen->name[k].id;

	seen->name[k].there = c;
	if (c) {
		/* A new id is one that no counter has had. */
		if (c->id != before && c->id <= seen->highest_id)
			wrong("an old id", c->name, c->id, seen->highest_id);
		seen->highest_id = c->id > seen->highest_id ? c->id : seen->highest_id;
		seen->name[k].id = c->id;
		seen->name[k].number = c->number;
		seen->name[k].halted = c->value[0].state == SERVICE_HALTED;
	}
	service_sample_put(sample);
}

static void do_something(struct service *s, uint64_t *seed)
{
	static const char *const event[] = {"PU0_JPIPE_INSTRUCTIONS", "PU1_JPIPE_INSTRUCTIONS",
					    "PU0_JPIPE_ADD_SUB"};
	unsigned k = (unsigned)(random_next(seed) % NAMES), e = (unsigned)(random_next(seed) % 3);
	unsigned what = (unsigned)(random_next(seed) % 5);
	char line[128];

	seen->busy = (int)k;
	switch (what) {
	case 0:
		snprintf(line, sizeof(line), "add %s as=n%u scope=cpu", event[e], k);
		break;
	case 1:
		snprintf(line, sizeof(line), "halt n%u", k);
		break;
	case 2:
		snprintf(line, sizeof(line), "continue n%u", k);
		break;
	case 3:
		snprintf(line, sizeof(line), "reassign n%u %s as=n%u", k, event[e], k);
		break;
	default:
		snprintf(line, sizeof(line), random_next(seed) % 4 ? "rewrite n%u" : "remove n%u", k);
	}
	/* A halt or continue holds from its answer on, without a sample. */
	if (!test_command(s, line, NULL) && (what == 1 || what == 2))
		seen->name[k].halted = what == 1;
	else
		note(s, k);
	seen->busy = -1;
}

static void live(uint64_t seed)
{
	struct service *s = test_open_with(test_path("state"));

	seen->ready = 1;
	compare(s);
	/* The command that was under way has taken effect or not: the state that is found holds. */
	if (seen->busy >= 0)
		note(s, (unsigned)seen->busy);
	seen->busy = -1;
	for (;;) {
		look(s);
		if (random_next(&seed) % 3 == 0)
			do_something(s, &seed);
	}
}

static void write_script(void)
{
	FILE *f = fopen(test_path("script"), "w");

	assert_non_null(f);
	fputs("upc-trace 1\n", f);
	for (unsigned i = 0; i < 5000; i++)
		fprintf(f, "c 100 0@10/%u 1@10/3 35@10/2\ns\n", 1 + i % 9);
	assert_int_equal(fclose(f), 0);
}

/* Under valgrind. */
static bool slow(void)
{
	return getenv("UPC_TEST_INEXACT") != NULL;
}

/* Most live for a while; some are killed while they begin. */
static void wait_a_while(uint64_t *seed)
{
	bool begin = random_next(seed) % 4 == 0;
	long most = slow() ? 900000000 : 30000000;
	const struct timespec wait = {0, (long)(random_next(seed) % (uint64_t)most)};

	for (unsigned i = 0; i < 600000 && !begin && !seen->ready && !*seen->wrong; i++)
		usleep(100);
	nanosleep(&wait, NULL);
}

TEST(killed_at_any_time)
{
	const unsigned rounds = slow() ? ROUNDS / 4 : ROUNDS;
	uint64_t seed = 7;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(seen, MAP_FAILED);
	seen->busy = -1;
	write_script();
	test_cpus(CPUS, "0-1\n");
	test_config("", "finalize\n");
	for (unsigned i = 0; i < rounds; i++) {
		pid_t pid;
		int status;

		seen->ready = 0;
		pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			live(seed + i);
			_exit(0);
		}
		wait_a_while(&seed);
		kill(pid, SIGKILL);
		status = end_of(pid);
		if (*seen->wrong)
			fail_msg("round %u: %s", i, seen->wrong);
		assert_int_equal(status, -SIGKILL);
	}
	printf("# %llu values, ids up to %u, %llu samples\n", (unsigned long long)seen->seen,
	       seen->highest_id, (unsigned long long)seen->samples);
	assert_true(seen->seen > rounds && seen->highest_id > NAMES);
}

UNIT_TESTS(service_killed, make_test_dir, test_end)
