/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds, halts, continues, reassigns, removes, CPUs that come and go and restarts, in random order,
 * against a model that knows what the script counts: every value is right to the last one, always.
 */
#include "service/service_test.h"

#define EVENTS 24
#define CPUS 3
#define MARKS 4000
#define CYCLES 100
#define NAMES 40

/* Events of different counters, and what they count up to each mark. */
static struct {
	char name[UPC_NAME_MAX];
	int id;
	unsigned char tenths[MARKS]; /* of a mark's cycles in which it is high */
} event[EVENTS];

static struct {
	bool there, halted;
	enum service_scope scope;
	unsigned event, number;
	uint64_t sum[CPUS], ran[CPUS];
} model[NAMES]; /* of the counters n0, n1, ... */
static unsigned mark;
static bool online[CPUS];
static uint64_t started;

/* ---- the script -------------------------------------------------------------------- */

static void choose_events(void)
{
	struct upc_event_info info = {.size = sizeof(info)};
	struct upc_catalogue *c;
	bool taken[UPC_COUNTERS] = {false};
	char source[300];
	unsigned n = 0;

	test_put("script", "upc-trace 1\n");
	snprintf(source, sizeof(source), "replay:%s", test_path("script"));
	setenv("UPC_SOURCE", source, 1);
	assert_int_equal(upc_catalogue_open(NULL, &c), 0);
	unsetenv("UPC_SOURCE");
	for (uint32_t code = 0; code < upc_catalogue_count(c) && n < EVENTS; code++) {
		assert_int_equal(upc_catalogue_info(c, code, &info), 0);
		if (info.source != UPC_SOURCE_REPLAY || info.mode != UPC_MODE_HIGH || info.id < 0 ||
		    taken[info.id % UPC_COUNTERS] || (n && info.id <= event[n - 1].id))
			continue;
		taken[info.id % UPC_COUNTERS] = true;
		snprintf(event[n].name, sizeof(event[n].name), "%s", info.name);
		event[n++].id = info.id;
	}
	assert_int_equal(n, EVENTS);
	upc_catalogue_close(c);
}

static void write_script(uint64_t *seed)
{
	FILE *f = fopen(test_path("script"), "w");

	assert_non_null(f);
	fputs("upc-trace 1\n", f);
	for (unsigned m = 0; m < MARKS; m++) {
		fprintf(f, "c %u", CYCLES);
		for (unsigned i = 0; i < EVENTS; i++) {
			unsigned high = (unsigned)(random_next(seed) % 11);

			event[i].tenths[m] = (unsigned char)high;
			if (high)
				fprintf(f, " %d@10/%u", event[i].id, high);
		}
		fputs("\ns\n", f);
	}
	assert_int_equal(fclose(f), 0);
}

/* ---- the model ----------------------------------------------------------------------- */

static unsigned places_of(enum service_scope scope)
{
	return scope == SERVICE_CPU ? CPUS : 1;
}

static bool is_online(enum service_scope scope, unsigned place)
{
	return scope != SERVICE_CPU || online[place];
}

static void model_play(void)
{
	if (mark == MARKS)
		return;
	for (unsigned i = 0; i < NAMES; i++)
		for (unsigned p = 0; model[i].there && !model[i].halted && p < places_of(model[i].scope); p++)
			if (is_online(model[i].scope, p)) {
				model[i].sum[p] += event[model[i].event].tenths[mark] * (CYCLES / 10);
				model[i].ran[p] += CYCLES;
			}
	mark++;
}

/* A script goes on only where a unit is. */
static bool model_counts(void)
{
	for (unsigned i = 0; i < NAMES; i++)
		for (unsigned p = 0; model[i].there && p < places_of(model[i].scope); p++)
			if (is_online(model[i].scope, p))
				return true;
	return false;
}

static void check_counter(const struct service_sample *sample, unsigned i)
{
	char name[8];
	const struct service_counter *c;

	snprintf(name, sizeof(name), "n%u", i);
	c = test_find(sample, name);
	assert_int_equal(c->scope, model[i].scope);
	assert_int_equal(c->number, model[i].number);
	assert_string_equal(c->event, event[model[i].event].name);
	for (unsigned p = 0; p < places_of(model[i].scope); p++) {
		enum service_state state = !is_online(c->scope, p) ? SERVICE_OFFLINE
					   : model[i].halted       ? SERVICE_HALTED
								   : SERVICE_COUNTING;

		if (c->value[p].state != state ||
		    (state == SERVICE_COUNTING && c->value[p].value != model[i].sum[p]))
			fail_msg("mark %u, %s in place %u: %s, %llu, not %s, %llu", mark, name, p,
				 service_state_name(c->value[p].state), (unsigned long long)c->value[p].value,
				 service_state_name(state), (unsigned long long)model[i].sum[p]);
		/* Also while it is not counted: then it stands still. */
		if (c->value[p].running_ns != model[i].ran[p])
			fail_msg("mark %u, %s in place %u ran for %llu, not %llu", mark, name, p,
				 (unsigned long long)c->value[p].running_ns,
				 (unsigned long long)model[i].ran[p]);
	}
}

static void check(struct service *s)
{
	const struct service_sample *sample = service_sample_get(s, 60000);
	unsigned n = 0;

	model_play();
	for (unsigned i = 0; i < NAMES; i++) {
		n += model[i].there;
		if (model[i].there)
			check_counter(sample, i);
	}
	assert_int_equal(sample->counters, n);
	assert_true(sample->started_ns == started);
	service_sample_put(sample);
}

/* ---- what is done ---------------------------------------------------------------------- */

static unsigned next_number = 1;

static void add_some(struct service *s, uint64_t *seed)
{
	unsigned i = (unsigned)(random_next(seed) % NAMES), e = (unsigned)(random_next(seed) % EVENTS);
	enum service_scope scope = random_next(seed) & 1 ? SERVICE_CPU : SERVICE_NODE;
	char line[512];

	snprintf(line, sizeof(line), "add %s as=n%u scope=%s", event[e].name, i, service_scope_name(scope));
	if (model[i].there) {
		test_bad(s, line, UPC_EINVAL, "is called so already");
		return;
	}
	/* Two of which the second cannot be: the first is not there, either. */
	if (random_next(seed) % 4 == 0) {
		char bad[600];

		snprintf(bad, sizeof(bad), "add %s NO_SUCH_EVENT scope=%s", event[e].name,
			 service_scope_name(scope));
		test_bad(s, bad, UPC_ENOEVENT, "NO_SUCH_EVENT");
	}
	test_good(s, line);
	memset(&model[i], 0, sizeof(model[i]));
	model[i].there = true;
	model[i].scope = scope;
	model[i].event = e;
	model[i].number = next_number++;
}

static void halt_some(struct service *s, uint64_t *seed)
{
	bool halt = random_next(seed) & 1, all = random_next(seed) % 8 == 0;
	char line[1024];
	size_t length = (size_t)snprintf(line, sizeof(line), "%s", halt ? "halt" : "continue");
	bool chosen[NAMES] = {false};
	unsigned n = 0;

	for (unsigned i = 0; i < NAMES; i++) {
		chosen[i] = model[i].there && (all || random_next(seed) % 4 == 0);
		if (chosen[i] && !all)
			length += (size_t)snprintf(line + length, sizeof(line) - length, " n%u", i);
		n += chosen[i];
	}
	if (!n)
		return;
	if (all)
		strcat(line, " ALL");
	if (!all && random_next(seed) % 4 == 0) {
		strcat(line, " n999");
		test_bad(s, line, UPC_ENOEVENT, "no counter is called n999");
		return;
	}
	test_good(s, line);
	for (unsigned i = 0; i < NAMES; i++)
		if (chosen[i])
			model[i].halted = halt;
}

static void reassign_one(struct service *s, uint64_t *seed)
{
	unsigned i = (unsigned)(random_next(seed) % NAMES), e = (unsigned)(random_next(seed) % EVENTS);
	char line[512];

	snprintf(line, sizeof(line), "reassign n%u %s as=n%u", i, event[e].name, i);
	if (!model[i].there) {
		test_bad(s, line, UPC_ENOEVENT, "no counter is called");
		return;
	}
	test_good(s, line);
	model[i].event = e;
	memset(model[i].sum, 0, sizeof(model[i].sum));
	memset(model[i].ran, 0, sizeof(model[i].ran));
}

static void remove_one(struct service *s, uint64_t *seed)
{
	unsigned i = (unsigned)(random_next(seed) % NAMES);
	char line[64];

	snprintf(line, sizeof(line), "remove n%u", i);
	if (!model[i].there) {
		test_bad(s, line, UPC_ENOEVENT, "no counter is called");
		return;
	}
	test_good(s, line);
	model[i].there = false;
}

static void write_online(void)
{
	char text[64] = "";
	size_t n = 0;

	for (unsigned i = 0; i < CPUS; i++)
		if (online[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u", n ? "," : "", i);
	strcat(text, "\n");
	test_cpus(CPUS, text);
}

/* CPU 0 stays. */
static void plug(struct service *s, uint64_t *seed)
{
	unsigned cpu = 1 + (unsigned)(random_next(seed) % (CPUS - 1));

	online[cpu] = !online[cpu];
	write_online();
	/* Any command looks. */
	test_good(s, "status");
}

static struct service *open_again(struct service *s)
{
	const struct service_sample *sample;

	service_close(s);
	s = test_open_with(test_path("state"));
	/* The script begins anew, the counts do not. */
	mark = 0;
	sample = service_sample_get(s, 60000);
	if (model_counts())
		model_play();
	assert_string_equal(sample->message, "");
	service_sample_put(sample);
	return s;
}

static void steps(unsigned count, uint64_t seed)
{
	struct service *s;
	const struct service_sample *sample;

	memset(model, 0, sizeof(model));
	for (unsigned i = 0; i < CPUS; i++)
		online[i] = true;
	write_online();
	write_script(&seed);
	test_config("", "finalize\n");
	unlink(test_path("state"));
	s = test_open_with(test_path("state"));
	mark = 0;
	next_number = 1;
	sample = service_sample_get(s, 60000);
	started = sample->started_ns;
	service_sample_put(sample);
	for (unsigned i = 0; i < count; i++) {
		unsigned what = (unsigned)(random_next(&seed) % 100);

		if (what < 30)
			add_some(s, &seed);
		else if (what < 50)
			halt_some(s, &seed);
		else if (what < 65)
			reassign_one(s, &seed);
		else if (what < 75)
			remove_one(s, &seed);
		else if (what < 80)
			plug(s, &seed);
		else if (what < 81)
			s = open_again(s);
		else if (model_counts())
			check(s);
	}
	service_close(s);
}

TEST(ten_thousand)
{
	const char *seed = getenv("UPC_SERVICE_SEED");
	/* A check tells each value; valgrind gets fewer. */
	unsigned count = getenv("UPC_TEST_INEXACT") ? 1000 : 10000;

	choose_events();
	steps(count, seed ? strtoull(seed, NULL, 0) : 1);
}

UNIT_TESTS(service_random, make_test_dir, test_end)
