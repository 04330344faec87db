/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units behind a script: they see all of its signals, whichever of them plays; each
 * thread has its own place in it; software acts on events when they happen. And which
 * scripts are refused.
 *
 * UPC_TEST_ROUNDS multiplies the number of random cases.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "replay/replay.h"
#include "engine/threshold.h"
#include "replay/trace.h"
#include "../unit_test.h"

static char directory[] = "/tmp/upc-replay-XXXXXX";
static char path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/script", directory);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

static void write_script(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static struct upci_script *script_of(const char *text)
{
	struct upci_script *script;

	write_script(text);
	if (upci_script_load(path, &script))
		fail_msg("%s", upc_last_message());
	return script;
}

/* ---- a unit and its software ------------------------------------------------ */

struct unit {
	struct upci_replay *replay;
	struct upci_engine *model;     /* or the reference engine, taken through the script by hand */
	uint64_t period[UPC_COUNTERS]; /* of repeating thresholds */
	/* All that its software was told, and found then. */
	unsigned events;
	uint64_t digest, last_cycle;
	bool went_on; /* a call from the sink did what it must not */
	bool asking;  /* the cycle of the next event, and nothing else of it */
	uint64_t now;
};

static void note(struct unit *u, uint64_t value)
{
	uint64_t mixed = u->digest ^ value;

	u->digest = random_next(&mixed);
}

static const struct upci_engine_ops *const model = &upci_engine_reference;

static uint64_t get(struct unit *u, unsigned offset)
{
	uint64_t value = 0;

	assert_int_equal(u->model ? model->read(u->model, offset, &value)
				  : upci_replay_read(u->replay, offset, &value),
			 0);
	return value;
}

static void put(struct unit *u, unsigned offset, uint64_t value)
{
	assert_int_equal(u->model ? model->write(u->model, offset, value)
				  : upci_replay_write(u->replay, offset, value),
			 0);
}

static void flip(struct unit *u, unsigned counter, unsigned bit)
{
	if (u->model)
		model->flip(u->model, counter, bit);
	else
		upci_replay_flip(u->replay, counter, bit);
}

/* Cycles so far: that is when a read finds damage, which a write mends. Counter 255 is
 * nobody's here. */
static uint64_t cycles(struct unit *u)
{
	u->asking = true;
	flip(u, 255, 0);
	(void)get(u, UPC_REG_COUNTER(255));
	put(u, UPC_REG_COUNTER(255), 0);
	assert_false(u->asking);
	return u->now;
}

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	struct unit *u = arg;

	if (u->asking) {
		u->asking = event != UPCI_ENGINE_PARITY || counter != 255;
		u->now = cycle;
		return;
	}
	u->events++;
	u->last_cycle = cycle;
	note(u, cycle * 512 + counter * 2 + event);
	note(u, cycles(u));
	note(u, get(u, UPC_REG_STATUS));
	if (u->replay && (!upci_replay_in_sink(u->replay) || upci_replay_catch_up(u->replay) ||
			  upci_replay_play(u->replay)))
		u->went_on = true;
	if (event == UPCI_ENGINE_INTERRUPT && u->period[counter])
		put(u, UPC_REG_COUNTER(counter),
		    upci_threshold_preload(get(u, UPC_REG_THRESHOLD), 0, u->period[counter]));
	else if (event == UPCI_ENGINE_PARITY && cycle % 2)
		put(u, UPC_REG_COUNTER(counter), cycle);
}

static void unit_open(struct unit *u, struct upci_script *script)
{
	const struct upci_engine_sink sink = {on_event, u};

	*u = (struct unit){.events = 0};
	assert_int_equal(upci_replay_create(script, &sink, &u->replay), 0);
	assert_false(upci_replay_in_sink(u->replay));
}

static void unit_close(struct unit *u)
{
	assert_false(u->went_on);
	upci_replay_destroy(u->replay);
}

/* Counter i counts its input 0 in level-high mode, running. */
static void unit_run(struct unit *u)
{
	put(u, UPC_REG_START_STOP, 1);
}

static void set_threshold(struct unit *u, unsigned counter, uint64_t period)
{
	u->period[counter] = period;
	put(u, UPC_REG_CONFIG(counter / 8),
	    get(u, UPC_REG_CONFIG(counter / 8)) | (uint64_t)UPC_FIELD_INTERRUPT_ENABLE << counter % 8 * 8);
	put(u, UPC_REG_COUNTER(counter), upci_threshold_preload(get(u, UPC_REG_THRESHOLD), 0, period));
}

static void assert_same_units(struct unit *a, struct unit *b)
{
	unsigned offset;

	for (offset = 0; offset <= UPC_REG_THRESHOLD; offset += 8) {
		uint64_t x = get(a, offset), y = get(b, offset);

		if (x != y)
			fail_msg("register 0x%03x: 0x%016llx and 0x%016llx", offset, (unsigned long long)x,
				 (unsigned long long)y);
	}
	assert_true(cycles(a) == cycles(b));
	assert_int_equal(a->events, b->events);
	assert_true(a->digest == b->digest);
}

/* ---- playing ---------------------------------------------------------------- */

TEST(test_marks)
{
	struct upci_script *script =
		script_of("upc-trace 1\n# counter 7\nc 10 7\nc 5\ns\ns\nc 4 7@2/1\ns\nc 1000000000000 7\n");
	static struct unit u;

	unit_open(&u, script);
	assert_false(upci_replay_catch_up(u.replay));
	assert_true(upci_replay_left(u.replay));
	unit_run(&u);
	assert_true(upci_replay_play(u.replay));
	assert_int_equal(get(&u, UPC_REG_COUNTER(7)), 10);
	assert_true(cycles(&u) == 15);
	/* From a mark to the next, with nothing between them. */
	assert_true(upci_replay_play(u.replay));
	assert_true(cycles(&u) == 15);
	assert_true(upci_replay_play(u.replay));
	assert_int_equal(get(&u, UPC_REG_COUNTER(7)), 12);
	assert_true(upci_replay_left(u.replay));
	assert_true(upci_replay_play(u.replay));
	assert_true(get(&u, UPC_REG_COUNTER(7)) == UINT64_C(1000000000012));
	assert_false(upci_replay_left(u.replay));
	assert_false(upci_replay_play(u.replay));
	assert_false(upci_replay_catch_up(u.replay));
	assert_true(get(&u, UPC_REG_COUNTER(7)) == UINT64_C(1000000000012));
	unit_close(&u);
	upci_script_free(script);
}

/* Nothing at all, or nothing behind the last mark. */
TEST(test_ends)
{
	struct upci_script *script = script_of("upc-trace 1\n# no more\n");
	static struct unit u;

	unit_open(&u, script);
	assert_false(upci_replay_left(u.replay));
	assert_false(upci_replay_play(u.replay));
	unit_close(&u);
	upci_script_free(script);
	script = script_of("upc-trace 1\nc 1\ns\n");
	unit_open(&u, script);
	assert_true(upci_replay_play(u.replay));
	assert_false(upci_replay_left(u.replay));
	assert_false(upci_replay_play(u.replay));
	unit_close(&u);
	upci_script_free(script);
	upci_script_free(NULL);
	upci_replay_destroy(NULL);
}

TEST(test_registers)
{
	struct upci_script *script = script_of("upc-trace 1\n");
	static struct unit u;
	uint64_t value;

	unit_open(&u, script);
	assert_int_equal(upci_replay_read(u.replay, 0x918, &value), UPC_EFAULT);
	assert_int_equal(upci_replay_write(u.replay, 4, 0), UPC_EFAULT);
	put(&u, UPC_REG_COUNTER(9), 0x123456);
	flip(&u, 9, 0);
	/* The read finds the error, and tells it: the value is that of before. */
	assert_int_equal(get(&u, UPC_REG_COUNTER(9)), 0x122456);
	assert_int_equal(u.events, 1);
	unit_close(&u);
	upci_script_free(script);
}

/* The k-th interrupt at exactly k times the threshold, in one line and in many. */
TEST(test_thresholds)
{
	static const uint64_t periods[] = {1, 2, 1000, 4096, 5000, 99999};
	struct upci_script *script =
		script_of("upc-trace 1\nc 100000 0-1023\ns\nc 1 0-1023\nc 99998 0-1023\nc 1 0-1023\ns\n");
	static struct unit u;
	unsigned i;

	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		upci_script_free(script);
		assert_int_equal(upci_script_load(path, &script), 0);
		unit_open(&u, script);
		put(&u, UPC_REG_THRESHOLD, UINT64_C(1) << 30);
		set_threshold(&u, 200, periods[i]);
		unit_run(&u);
		assert_true(upci_replay_play(u.replay));
		assert_int_equal(u.events, 100000 / periods[i]);
		assert_int_equal(u.last_cycle, 100000 / periods[i] * periods[i] - 1);
		assert_true(upci_replay_play(u.replay));
		assert_int_equal(u.events, 200000 / periods[i]);
		assert_int_equal(u.last_cycle, 200000 / periods[i] * periods[i] - 1);
		unit_close(&u);
	}
	upci_script_free(script);
}

/* ---- two units of a thread ---------------------------------------------------- */

static uint64_t seed;

static uint64_t pick(uint64_t below)
{
	return random_next(&seed) % below;
}

static void random_script(char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "upc-trace 1\n");
	unsigned lines = 5 + (unsigned)pick(40), tokens;

	while (lines--) {
		switch (pick(6)) {
		case 0:
			n += (size_t)snprintf(text + n, size - n, "s\n");
			continue;
		case 1:
			n += (size_t)snprintf(text + n, size - n, "e %u %u\n", (unsigned)pick(16),
					      (unsigned)pick(52));
			continue;
		}
		n += (size_t)snprintf(text + n, size - n, "c %llu",
				      (unsigned long long)(1 + pick(pick(16) ? 1000 : 100000)));
		for (tokens = 1 + (unsigned)pick(8); tokens; tokens--) {
			uint64_t period = 1 + pick(pick(2) ? 5 : 3000);

			n += (size_t)snprintf(text + n, size - n, " %u-%u@%llu/%llu+%llu",
					      (unsigned)(256 * pick(4) + pick(8)),
					      1023u - (unsigned)pick(248), (unsigned long long)period,
					      (unsigned long long)(1 + pick(period)),
					      (unsigned long long)pick(period));
		}
		n += (size_t)snprintf(text + n, size - n, "\n");
	}
	assert_in_range(n, 1, size - 1);
}

/* Random accesses of the program to a unit between two plays. */
static void random_accesses(struct unit *u, uint64_t from)
{
	unsigned n;

	seed = from;
	for (n = (unsigned)pick(6); n; n--) {
		unsigned counter = (unsigned)pick(16);

		switch (pick(8)) {
		case 0:
			put(u, UPC_REG_START_STOP, pick(2));
			break;
		case 1:
			put(u, UPC_REG_THRESHOLD, pick(4) << 12);
			break;
		case 2:
			put(u, UPC_REG_CONFIG(counter / 8), random_next(&seed));
			break;
		case 3:
			note(u, get(u, UPC_REG_COUNTER(counter)));
			break;
		case 4:
			flip(u, counter, (unsigned)pick(52));
			break;
		default:
			set_threshold(u, counter, 100 + pick(8000));
		}
	}
}

static unsigned cases_for(unsigned n)
{
	const char *text = getenv("UPC_TEST_ROUNDS");

	if (getenv("UPC_TEST_INEXACT"))
		return n / 10 + 1;
	return text && atoi(text) > 0 ? n * (unsigned)atoi(text) : n;
}

/*
 * Units a and b of one script, c and d each alone with a copy of it. a, or b, plays,
 * as c and d do both; who plays changes, as does what the program does to each. The
 * one that did not play is looked at now and then.
 */
TEST(test_catch_up)
{
	static struct unit a, b, c, d;
	static char text[1 << 15];
	unsigned n, cases = cases_for(300), events = 0;

	for (n = 0; n < cases; n++) {
		struct upci_script *script[3];
		uint64_t from = 6000000 + (uint64_t)n * 1000;
		unsigned i;

		seed = from;
		random_script(text, sizeof(text));
		for (i = 0; i < 3; i++)
			script[i] = script_of(text);
		unit_open(&a, script[0]);
		unit_open(&b, script[0]);
		unit_open(&c, script[1]);
		unit_open(&d, script[2]);
		while (upci_replay_left(a.replay)) {
			bool first = random_next(&from) % 2;

			assert_true(upci_replay_left(b.replay));
			if (random_next(&from) % 2) {
				upci_replay_catch_up(a.replay);
				random_accesses(&a, from);
				random_accesses(&c, from);
			}
			if (random_next(&from) % 2) {
				upci_replay_catch_up(b.replay);
				random_accesses(&b, from);
				random_accesses(&d, from);
			}
			assert_true(upci_replay_play(first ? a.replay : b.replay));
			assert_true(upci_replay_play(c.replay));
			assert_true(upci_replay_play(d.replay));
			if (random_next(&from) % 4 == 0) {
				assert_true(upci_replay_catch_up(first ? b.replay : a.replay));
				assert_same_units(&a, &c);
				assert_same_units(&b, &d);
			}
		}
		upci_replay_catch_up(a.replay);
		upci_replay_catch_up(b.replay);
		assert_false(upci_replay_catch_up(a.replay));
		assert_same_units(&a, &c);
		assert_same_units(&b, &d);
		events += a.events + b.events;
		unit_close(&a);
		unit_close(&b);
		unit_close(&c);
		unit_close(&d);
		for (i = 0; i < 3; i++)
			upci_script_free(script[i]);
	}
	assert_true(events > 10 * cases);
}

/* Plays the script's operations from *at to the next mark, cycle by cycle. */
static void model_play(struct unit *u, const struct upci_trace *trace, size_t *at)
{
	static struct upci_wave wave[UPC_INPUTS];

	while (*at < trace->ops) {
		const struct upci_trace_op *op = &trace->op[(*at)++];
		uint64_t left, done;
		unsigned i;

		if (op->kind == UPCI_TRACE_SYNC)
			return;
		if (op->kind == UPCI_TRACE_FLIP) {
			flip(u, op->counter, op->bit);
			continue;
		}
		upci_trace_waves(trace, op, wave);
		for (left = op->cycles; left; left -= done) {
			done = model->run_until(u->model, wave, left);
			for (i = 0; i < UPC_INPUTS; i++)
				wave[i].phase = (wave[i].phase + done) % wave[i].period;
		}
	}
}

TEST(test_against_reference)
{
	static struct unit a, b;
	static char text[1 << 15];
	unsigned n, cases = cases_for(20), events = 0;

	for (n = 0; n < cases; n++) {
		uint64_t from = 7000000 + (uint64_t)n * 1000;
		const struct upci_engine_sink sink = {on_event, &b};
		struct upci_trace_error error;
		struct upci_script *script;
		struct upci_trace trace;
		size_t at = 0;

		seed = from;
		random_script(text, sizeof(text));
		assert_int_equal(upci_trace_parse(text, strlen(text), &trace, &error), 0);
		script = script_of(text);
		unit_open(&a, script);
		b = (struct unit){.model = model->create(&sink)};
		assert_non_null(b.model);
		while (upci_replay_left(a.replay)) {
			unit_run(&a);
			unit_run(&b);
			random_next(&from);
			random_accesses(&a, from);
			random_accesses(&b, from);
			assert_true(upci_replay_play(a.replay));
			model_play(&b, &trace, &at);
			note(&a, get(&a, UPC_REG_STATUS));
			note(&b, get(&b, UPC_REG_STATUS));
			assert_int_equal(a.events, b.events);
			assert_true(a.digest == b.digest);
		}
		assert_int_equal(at, trace.ops);
		assert_same_units(&a, &b);
		events += a.events;
		unit_close(&a);
		model->destroy(b.model);
		upci_trace_free(&trace);
		upci_script_free(script);
	}
	assert_true(events > 10 * cases);
}

/* Waves of which phase and cycles together pass 64 bits, cut by events. */
TEST(test_wide)
{
	struct upci_script *script =
		script_of("upc-trace 1\n"
			  "c 18446744073709551615 0 1@18446744073709551557/1+18446744073709551556 "
			  "2@18446744073709551557/18446744073709551556\n");
	static struct unit u;

	unit_open(&u, script);
	put(&u, UPC_REG_THRESHOLD, UINT64_C(1) << 63);
	set_threshold(&u, 0, UINT64_C(1) << 62);
	unit_run(&u);
	assert_true(upci_replay_play(u.replay));
	assert_int_equal(u.events, 3);
	assert_true(u.last_cycle == 3 * (UINT64_C(1) << 62) - 1);
	/* Cycles 1 and 1 + 2^64 - 59 are high; all but two low ones are. */
	assert_int_equal(get(&u, UPC_REG_COUNTER(1)), 2);
	assert_true(get(&u, UPC_REG_COUNTER(2)) == UINT64_MAX - 1);
	assert_true(cycles(&u) == UINT64_MAX);
	unit_close(&u);
	upci_script_free(script);
}

/* A new unit's clock is its thread's, and it finds what the script did before it. */
TEST(test_newcomer)
{
	struct upci_script *script = script_of("upc-trace 1\nc 1000 0-1023\ne 3 5\ns\nc 5000 0-1023\ns\n");
	static struct unit a, b;

	unit_open(&a, script);
	unit_run(&a);
	assert_true(upci_replay_play(a.replay));
	unit_open(&b, script);
	assert_true(upci_replay_left(b.replay));
	assert_true(upci_replay_catch_up(b.replay));
	assert_true(cycles(&b) == 1000);
	assert_int_equal(get(&b, UPC_REG_COUNTER(4)), 0);
	assert_int_equal(get(&b, UPC_REG_COUNTER(3)), 0x20000);
	assert_int_equal(b.events, 1);
	unit_run(&b);
	assert_true(upci_replay_play(b.replay));
	assert_int_equal(get(&b, UPC_REG_COUNTER(4)), 5000);
	/* Nothing to play is not nothing to catch up with. */
	assert_false(upci_replay_left(a.replay));
	assert_false(upci_replay_play(a.replay));
	assert_int_equal(get(&a, UPC_REG_COUNTER(4)), 1000);
	assert_true(upci_replay_catch_up(a.replay));
	assert_int_equal(get(&a, UPC_REG_COUNTER(4)), 6000);
	unit_close(&a);
	unit_close(&b);
	upci_script_free(script);
}

/* The thread keeps its place when it has no unit, and another script has another. */
TEST(test_places)
{
	struct upci_script *script = script_of("upc-trace 1\nc 10\ns\nc 20\ns\n");
	struct upci_script *other = script_of("upc-trace 1\nc 100\ns\nc 200\ns\n");
	static struct unit u, v;
	unsigned i;

	unit_open(&u, script);
	assert_true(upci_replay_play(u.replay));
	unit_close(&u);
	unit_open(&v, other);
	assert_true(upci_replay_play(v.replay));
	assert_true(cycles(&v) == 100);
	unit_open(&u, script);
	assert_true(upci_replay_catch_up(u.replay));
	assert_true(cycles(&u) == 10);
	assert_true(upci_replay_play(u.replay));
	assert_false(upci_replay_play(u.replay));
	assert_true(cycles(&u) == 30);
	assert_true(upci_replay_left(v.replay));
	unit_close(&u);
	unit_close(&v);
	/* A script that comes where another was begins at its begin. */
	for (i = 0; i < 100; i++) {
		upci_script_free(script);
		script = script_of("upc-trace 1\nc 10\ns\n");
		unit_open(&u, script);
		assert_false(upci_replay_catch_up(u.replay));
		assert_true(upci_replay_play(u.replay));
		assert_true(cycles(&u) == 10);
		unit_close(&u);
	}
	unit_open(&v, other);
	assert_true(upci_replay_play(v.replay));
	assert_true(cycles(&v) == 300);
	unit_close(&v);
	upci_script_free(script);
	upci_script_free(other);
}

/* ---- threads ------------------------------------------------------------------ */

#define THREADS 4

struct player_thread {
	pthread_t thread;
	struct upci_script *script;
	struct unit unit, second;
	unsigned plays, marks;
	bool keep; /* its units */
};

static void *play_all(void *arg)
{
	struct player_thread *t = arg;

	unit_open(&t->unit, t->script);
	unit_open(&t->second, t->script);
	unit_run(&t->unit);
	unit_run(&t->second);
	for (t->plays = 0; t->plays < t->marks; t->plays++)
		if (!upci_replay_play(t->plays % 3 ? t->unit.replay : t->second.replay))
			break;
	upci_replay_catch_up(t->unit.replay);
	upci_replay_catch_up(t->second.replay);
	if (!t->keep) {
		assert_same_units(&t->unit, &t->second);
		unit_close(&t->unit);
		unit_close(&t->second);
	}
	return NULL;
}

#define MARKS 200

static struct upci_script *long_script(void)
{
	static char text[1 << 14];
	size_t n = (size_t)snprintf(text, sizeof(text), "upc-trace 1\n");
	unsigned i;

	for (i = 0; i < MARKS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "c 100 0-9 20-30@3/1\ne %u 7\ns\n", i);
	assert_in_range(n, 1, sizeof(text) - 1);
	return script_of(text);
}

TEST(test_threads)
{
	static struct player_thread t[THREADS];
	struct upci_script *script = long_script();
	unsigned i, round;

	for (round = 0; round < 5; round++) {
		for (i = 0; i < THREADS; i++) {
			t[i] = (struct player_thread){
				.script = script,
				.marks = MARKS - i * 20,
				.keep = i % 2,
			};
			assert_int_equal(pthread_create(&t[i].thread, NULL, play_all, &t[i]), 0);
		}
		for (i = 0; i < THREADS; i++) {
			assert_int_equal(pthread_join(t[i].thread, NULL), 0);
			assert_int_equal(t[i].plays, t[i].marks);
		}
		/* Units stay when their thread has gone, and where it was. */
		for (i = 1; i < THREADS; i += 2) {
			assert_true(cycles(&t[i].unit) == 100 * t[i].marks);
			assert_int_equal(get(&t[i].unit, UPC_REG_COUNTER(5)) & 0xfff,
					 100 * t[i].marks % 4096);
			assert_true(upci_replay_play(t[i].unit.replay));
			assert_true(upci_replay_catch_up(t[i].second.replay));
			assert_same_units(&t[i].unit, &t[i].second);
			unit_close(&t[i].unit);
			unit_close(&t[i].second);
		}
	}
	upci_script_free(script);
}

static void *play_on(void *arg)
{
	struct player_thread *t = arg;

	while (upci_replay_play(t->unit.replay))
		t->plays++;
	return NULL;
}

/* Units of one thread, used by several at once: every part is played once. */
TEST(test_one_player)
{
	static struct player_thread t[THREADS];
	struct upci_script *script;
	unsigned i, round, plays;

	for (round = 0; round < 5; round++) {
		script = long_script();
		for (i = 0; i < THREADS; i++) {
			t[i] = (struct player_thread){.script = script};
			unit_open(&t[i].unit, script);
			unit_run(&t[i].unit);
		}
		for (i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&t[i].thread, NULL, play_on, &t[i]), 0);
		for (i = 0, plays = 0; i < THREADS; i++) {
			assert_int_equal(pthread_join(t[i].thread, NULL), 0);
			plays += t[i].plays;
		}
		assert_int_equal(plays, MARKS);
		for (i = 0; i < THREADS; i++) {
			upci_replay_catch_up(t[i].unit.replay);
			assert_true(cycles(&t[i].unit) == 100 * MARKS);
			assert_same_units(&t[0].unit, &t[i].unit);
		}
		for (i = 0; i < THREADS; i++)
			unit_close(&t[i].unit);
		upci_script_free(script);
	}
}

/* A child goes on from where its parent was, alone. */
TEST(test_fork)
{
	struct upci_script *script = script_of("upc-trace 1\nc 10 0\ns\nc 20 0\ns\nc 30 0\ns\n");
	static struct unit u, v;
	pid_t child;

	unit_open(&u, script);
	unit_run(&u);
	assert_true(upci_replay_play(u.replay));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		bool right = upci_replay_play(u.replay) && get(&u, UPC_REG_COUNTER(0)) == 30;

		unit_open(&v, script);
		right = right && upci_replay_catch_up(v.replay) && cycles(&v) == 30 &&
			upci_replay_play(u.replay) && !upci_replay_left(v.replay);
		upci_replay_destroy(u.replay);
		upci_replay_destroy(v.replay);
		upci_script_free(script);
		_exit(right ? 0 : 1);
	}
	assert_int_equal(end_of(child), 0);
	assert_int_equal(get(&u, UPC_REG_COUNTER(0)), 10);
	assert_true(upci_replay_play(u.replay));
	assert_int_equal(get(&u, UPC_REG_COUNTER(0)), 30);
	unit_close(&u);
	upci_script_free(script);
}

/* ---- what is no script -------------------------------------------------------- */

static void refused(const char *text, const char *message)
{
	struct upci_script *script = NULL;
	char expected[256];

	write_script(text);
	assert_int_equal(upci_script_load(path, &script), UPC_EWIRING);
	assert_null(script);
	snprintf(expected, sizeof(expected), "%s:%s", path, message);
	assert_message(expected);
}

TEST(test_refused)
{
	refused("upc-trace 1\nc 1\n\nw 0x900 1\n", "4: a script that drives a unit has no w lines");
	assert_message("the program writes its registers: take the line out");
	refused("upc-trace 1\ns\nr 0\nw 0 0\n", "3: a script that drives a unit has no r lines");
	assert_message("the program reads its registers: take the line out");
	/* An error in the script's syntax is reported first. */
	refused("upc-trace 1\nr 0\nc 0\n", "3: N: expected at least 1");
	refused("", "1: expected \"upc-trace 1\"");
	refused("upc-trace 2\n", "1: expected \"upc-trace 1\"");
}

static void not_loaded(const char *file, int error, const char *message)
{
	struct upci_script *script = NULL;

	assert_int_equal(upci_script_load(file, &script), error);
	assert_null(script);
	assert_message(message);
}

TEST(test_no_script)
{
	char inside[96], long_path[5000];

	unlink(path);
	not_loaded(NULL, UPC_EINVAL, "no script is named");
	not_loaded("", UPC_EINVAL, "no script is named");
	not_loaded(path, UPC_ENOEVENT, "there is no such script");
	assert_message(path);
	not_loaded(directory, UPC_EINVAL, "found a directory");
	not_loaded("/dev/null", UPC_EINVAL, "found a device");
	/* Without a writer: a plain open would wait here for ever. */
	assert_int_equal(mkfifo(path, 0600), 0);
	not_loaded(path, UPC_EINVAL, "found a pipe: write it to a file first");
	unlink(path);
	assert_int_equal(symlink(path, path), 0);
	not_loaded(path, UPC_EINVAL, "expected the path of a script");
	unlink(path);
	memset(long_path, 'x', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	not_loaded(long_path, UPC_EINVAL, "expected the path of a script");
	write_script("upc-trace 1\n");
	snprintf(inside, sizeof(inside), "%s/x", path);
	not_loaded(inside, UPC_ENOEVENT, "there is no such script");
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	not_loaded(path, UPC_EINVAL, "1073741824 bytes at most");
	unlink(path);
}

TEST(test_permission)
{
	uid_t euid = geteuid();
	struct upci_script *script = NULL;
	int error;

	write_script("upc-trace 1\n");
	assert_int_equal(chmod(path, 0), 0);
	if (euid == 0 && seteuid(65534))
		skip_because("cannot become somebody else");
	error = upci_script_load(path, &script);
	if (euid == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(error, UPC_EPERM);
	assert_message("cannot be read: Permission denied");
}

UNIT_TESTS(replay, setup, teardown)
