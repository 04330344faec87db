/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_vectors - random scripts, events, modes, thresholds and calls: PAPI must give a program the
 * values that upc_replay's reference engine reads from the registers, in a script into which the
 * same calls were written as register accesses.
 *
 * $UPC_TEST_CASES cases, $UPC_TEST_SEED the first; needs $UPC_REPLAY.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>

#include "papi_script.h"

#define SETS 2
#define EVENTS_MAX 48
#define PARTS_MAX 12
#define OPERATIONS 40

/* ---- random ---------------------------------------------------------------- */

static uint64_t state;

static uint64_t next_random(void) /* splitmix64 */
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
	return (unsigned)(next_random() % n);
}

/* Mostly small, sometimes up to limit. */
static unsigned skewed(unsigned limit)
{
	unsigned small = limit < 64 ? limit : 64;

	return 1 + below(below(3) ? small : limit);
}

/* ---- texts ----------------------------------------------------------------- */

struct text {
	char *at;
	size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	for (;;) {
		va_start(arguments, format);
		length = vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
		va_end(arguments);
		if ((size_t)length < text->room - text->used)
			break;
		text->room = 2 * text->room + (size_t)length + 1;
		text->at = realloc(text->at, text->room);
		if (!text->at)
			abort();
	}
	text->used += (size_t)length;
}

/* ---- a case ------------------------------------------------------------------ */

/* Kinds of expectations: a set has one for each read of the reference, in the order of the reads. */
enum expected_kind {
	EXPECT_VALUE, /* the value that PAPI gave */
	EXPECT_END,   /* the end of a call, with its result */
	EXPECT_CLEAR, /* the counter was written: no parity error */
};

struct expected {
	enum expected_kind kind;
	int counter;
	int known; /* value: PAPI gave one */
	long long value;
	int result;
	int stop; /* the call was PAPI_stop */
	int operation;
};

struct event {
	int id, mode, code;
	int threshold;
	long long next; /* the multiple of the next callback */
};

struct set {
	int papi;
	int events;
	struct event event[EVENTS_MAX];
	uint8_t field[256];
	struct text reference;
	struct expected *expected;
	size_t count, room;
	int told; /* of parity errors, since the last start, reset or write */
};

/* The sums over all cases: a test that compares nothing must not pass. */
static struct {
	unsigned long values, parity, callbacks, parts;
} * tally;

static struct set sets[SETS];
static struct text script;
static struct text part[PARTS_MAX];
static int parts, part_now;
static int operation, wrong;
static struct set *running;

static const char *const modes[] = {"high", "rise", "fall", "low"};

static void expect(struct set *set, struct expected expected)
{
	if (set->count == set->room) {
		set->room = 2 * set->room + 64;
		set->expected = realloc(set->expected, set->room * sizeof(*set->expected));
		if (!set->expected)
			abort();
	}
	expected.operation = operation;
	set->expected[set->count++] = expected;
}

static void write_field(struct set *set, int counter)
{
	uint64_t group = 0;
	int i;

	for (i = 7; i >= 0; i--)
		group = group << 8 | set->field[counter / 8 * 8 + i];
	add(&set->reference, "w 0x%03x 0x%" PRIx64 "\n", 0x800 + counter / 8 * 8, group);
}

/* The read before it is a mark in the output: parity errors that come before it were
 * there before the write. */
static void write_counter(struct set *set, int counter, uint64_t value)
{
	add(&set->reference, "r 0x910\nw 0x%03x 0x%" PRIx64 "\n", counter * 8, value);
	expect(set, (struct expected){.kind = EXPECT_CLEAR, .counter = counter});
}

/* ---- overflow ------------------------------------------------------------------ */

static void on_overflow(int papi, void *address, long long vector, void *context)
{
	static long long values[1024];
	int index, n = 1;

	(void)address;
	(void)context;
	if (!running || running->papi != papi ||
	    PAPI_get_overflow_event_index(papi, vector, &index, &n) != PAPI_OK ||
	    PAPI_read(papi, values) != PAPI_OK) {
		wrong++;
		return;
	}
	if (values[index] != running->event[index].next) {
		note("operation %d: a callback at %lld, not at %lld", operation, values[index],
		     running->event[index].next);
		wrong++;
	}
	running->event[index].next += running->event[index].threshold;
	tally->callbacks++;
}

static void begin_thresholds(struct set *set)
{
	int i;

	for (i = 0; i < set->events; i++)
		set->event[i].next = set->event[i].threshold;
}

static void check_thresholds(const struct set *set, const long long *values)
{
	int i;

	for (i = 0; i < set->events; i++)
		if (set->event[i].threshold && values[i] >= set->event[i].next) {
			note("operation %d: no callback at %lld", operation, set->event[i].next);
			wrong++;
		}
}

/* ---- calls ------------------------------------------------------------------ */

/* Both units see the part, whichever set plays it. */
static void play(void)
{
	int i;

	if (part_now == parts)
		return;
	for (i = 0; i < SETS; i++)
		add(&sets[i].reference, "%s", part[part_now].at);
	part_now++;
	tally->parts++;
}

static void expect_call(struct set *set, int result, const long long *values, int stop)
{
	int i;

	for (i = 0; i < set->events; i++) {
		int counter = set->event[i].id % 256;

		add(&set->reference, "r 0x%03x\n", counter * 8);
		expect(set, (struct expected){.kind = EXPECT_VALUE,
					      .counter = counter,
					      .known = result == PAPI_OK,
					      .value = values[i]});
	}
	add(&set->reference, "r 0x910\n");
	expect(set, (struct expected){.kind = EXPECT_END, .result = result, .stop = stop});
	if (result == PAPI_OK)
		check_thresholds(set, values);
}

static void write_all(struct set *set, const uint64_t *values)
{
	int i;

	for (i = 0; i < set->events; i++)
		write_counter(set, set->event[i].id % 256, values ? values[i] : 0);
}

static void must(int result, const char *what)
{
	if (result == PAPI_OK)
		return;
	note("operation %d: %s gives %s", operation, what, PAPI_strerror(result));
	wrong++;
}

static void start(struct set *set)
{
	write_all(set, NULL);
	begin_thresholds(set);
	add(&set->reference, "w 0x900 1\n");
	running = set;
	must(PAPI_start(set->papi), "PAPI_start");
}

static void stop(void)
{
	long long values[EVENTS_MAX];
	int result = PAPI_stop(running->papi, values);

	expect_call(running, result, values, 1);
	if (result != PAPI_OK) {
		result = PAPI_stop(running->papi, values);
		expect_call(running, result, values, 1);
	}
	must(result, "PAPI_stop");
	add(&running->reference, "w 0x900 0\n");
	running = NULL;
}

static void reset(int result)
{
	must(result, "PAPI_reset");
	write_all(running, NULL);
	begin_thresholds(running);
}

static void accumulate(void)
{
	long long values[EVENTS_MAX], before[EVENTS_MAX];
	int result, i;

	for (i = 0; i < running->events; i++)
		values[i] = before[i] = (long long)(next_random() >> 20);
	play();
	result = PAPI_accum(running->papi, values);
	for (i = 0; i < running->events; i++)
		values[i] -= before[i];
	expect_call(running, result, values, 0);
	if (result == PAPI_OK)
		reset(PAPI_OK);
}

static void preset(void)
{
	static uint64_t values[256];
	int i;

	for (i = 0; i < running->events; i++) {
		struct event *event = &running->event[i];

		values[i] = next_random() >> (event->threshold ? 24 : below(3) ? 50 : 0);
		if (event->threshold)
			event->next =
				(long long)(values[i] / (unsigned)event->threshold + 1) * event->threshold;
	}
	must(PAPI_write(running->papi, (long long *)values), "PAPI_write");
	write_all(running, values);
}

static void operate(void)
{
	long long values[EVENTS_MAX], cycles;

	switch (below(12)) {
	default:
		play();
		expect_call(running, PAPI_read(running->papi, values), values, 0);
		break;
	case 0:
	case 1:
		play();
		expect_call(running, PAPI_read_ts(running->papi, values, &cycles), values, 0);
		break;
	case 2:
	case 3:
		accumulate();
		break;
	case 4:
		reset(PAPI_reset(running->papi));
		break;
	case 5:
		preset();
		break;
	case 6:
	case 7:
		stop();
		break;
	}
}

/* ---- making one up ------------------------------------------------------------ */

static void make_part(struct text *text, int damage)
{
	unsigned lines = below(4), tokens;

	add(text, "%s", "");
	while (lines--) {
		if (damage && !below(4))
			add(text, "e %d %u\n", sets[0].event[below((unsigned)sets[0].events)].id % 256,
			    below(below(2) ? 52 : 3));
		add(text, "c %u", skewed(20000));
		for (tokens = below(30); tokens; tokens--) {
			const struct set *set = &sets[below(SETS)];
			int id = set->events && below(4) ? set->event[below((unsigned)set->events)].id
							 : (int)below(1024);
			unsigned period = skewed(5000);

			add(text, " %d", id);
			if (!below(6))
				add(text, "-%d", id + (int)below((unsigned)(1024 - id)));
			if (below(3)) {
				add(text, "@%u/%u", period, 1 + below(period));
				if (below(2))
					add(text, "+%u", below(2 * period));
			}
		}
		add(text, "\n");
	}
}

static int taken(const struct set *set, int counter)
{
	int i;

	for (i = 0; i < set->events; i++)
		if (set->event[i].id % 256 == counter)
			return 1;
	return 0;
}

static void choose_events(struct set *set)
{
	int wanted = (int)skewed(EVENTS_MAX);

	if (wanted > EVENTS_MAX)
		wanted = EVENTS_MAX;
	set->events = 0;
	while (set->events < wanted) {
		int id = (int)below(512);

		if (!bgp_names[id] || taken(set, id % 256))
			continue;
		set->event[set->events].id = id;
		/* 4: no qualifier */
		set->event[set->events++].mode = (int)below(5);
	}
}

static void add_event(struct set *set, struct event *event)
{
	const char *mode = event->mode < 4 ? modes[event->mode] : NULL;
	int counter = event->id % 256;

	must(PAPI_event_name_to_code(event_name(event->id, mode), &event->code), "the name");
	must(PAPI_add_event(set->papi, event->code), "PAPI_add_event");
	set->field[counter] = (uint8_t)(event->id / 256 | event->mode % 4 << 2);
	write_field(set, counter);
	write_counter(set, counter, 0);
}

static void set_thresholds(struct set *set)
{
	int i;

	for (i = 0; i < set->events; i++) {
		int threshold = below(3) ? 0 : 200 + (int)skewed(20000);

		if (!threshold && !set->event[i].threshold)
			continue;
		must(PAPI_overflow(set->papi, set->event[i].code, threshold, 0, on_overflow),
		     "PAPI_overflow");
		set->event[i].threshold = threshold;
	}
}

/* Removes the last event of the set, and adds it again in a random mode, without its threshold. */
static void change_events(struct set *set)
{
	struct event *event = &set->event[set->events - 1];
	int counter = event->id % 256;

	must(PAPI_remove_event(set->papi, event->code), "PAPI_remove_event");
	set->field[counter] = 0;
	write_field(set, counter);
	write_counter(set, counter, 0);
	event->mode = (int)below(5);
	event->threshold = 0;
	add_event(set, event);
}

/* ---- the reference --------------------------------------------------------------- */

static int judge(const struct set *set, const uint64_t *flags, int *told, const struct expected *expected)
{
	int damaged = 0;
	int i;

	for (i = 0; i < set->events; i++)
		damaged |= flags[set->event[i].id % 256] != 0;
	if (!damaged)
		return expected->result == PAPI_OK;
	if (expected->stop && *told)
		return expected->result == PAPI_OK;
	*told = 1;
	tally->parity++;
	return expected->result == PAPI_ECLOST;
}

/* Takes one line of upc_replay's output. Returns 0 where PAPI gave something else. */
static int take(struct set *set, const char *line, size_t *next, uint64_t *flags, int *told)
{
	const struct expected *expected = &set->expected[*next];
	unsigned offset, counter;
	uint64_t value, cycle;

	if (sscanf(line, "parity %u %" SCNu64, &counter, &cycle) == 2 && counter < 256) {
		flags[counter] = 1;
		return 1;
	}
	if (sscanf(line, "0x%x 0x%" SCNx64, &offset, &value) != 2 || *next == set->count) {
		note("upc_replay says %s", line);
		return 0;
	}
	++*next;
	switch (expected->kind) {
	case EXPECT_VALUE:
		if (offset != (unsigned)expected->counter * 8 ||
		    (expected->known && (uint64_t)expected->value != value)) {
			note("operation %d: counter %d is %lld, and upc_replay says %s", expected->operation,
			     expected->counter, expected->value, line);
			return 0;
		}
		tally->values += (unsigned long)(expected->known && value);
		return 1;
	case EXPECT_CLEAR:
		flags[expected->counter] = 0;
		*told = 0;
		return 1;
	case EXPECT_END:
	default:
		if (!judge(set, flags, told, expected)) {
			note("operation %d gives %s, which it must not", expected->operation,
			     PAPI_strerror(expected->result));
			return 0;
		}
		return 1;
	}
}

static int agrees(struct set *set)
{
	char path[] = "/tmp/upc-reference-XXXXXX", command[PATH_MAX + 64], line[256];
	int fd = mkstemp(path), good = 1, told = 0;
	uint64_t flags[256] = {0};
	size_t next = 0;
	FILE *output;

	if (fd < 0 || write(fd, set->reference.at, set->reference.used) != (ssize_t)set->reference.used)
		return 0;
	close(fd);
	snprintf(command, sizeof(command), "'%s' '%s' --engine reference", getenv("UPC_REPLAY"), path);
	output = popen(command, "r");
	while (good && output && fgets(line, sizeof(line), output)) {
		line[strcspn(line, "\n")] = '\0';
		good = take(set, line, &next, flags, &told);
	}
	if (!output || pclose(output) || !good || next != set->count) {
		note("upc_replay of %s: %zu of %zu reads agree", path, next, set->count);
		return 0; /* the file stays for a look at it */
	}
	unlink(path);
	return 1;
}

static int one_case(uint64_t seed)
{
	int damage, thresholds;
	int i, s;

	state = seed;
	damage = !below(3);
	thresholds = !damage && below(2);
	for (s = 0; s < SETS; s++)
		choose_events(&sets[s]);
	parts = (int)below(PARTS_MAX + 1);
	add(&script, "upc-trace 1\n");
	for (i = 0; i < parts; i++) {
		make_part(&part[i], damage);
		add(&script, "%s%s", part[i].at, i + 1 < parts ? "s\n" : "");
	}
	use_script(script.at);
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	for (s = 0; s < SETS; s++) {
		sets[s].papi = PAPI_NULL;
		must(PAPI_create_eventset(&sets[s].papi), "PAPI_create_eventset");
		add(&sets[s].reference, "upc-trace 1\n");
		for (i = 0; i < sets[s].events; i++)
			add_event(&sets[s], &sets[s].event[i]);
	}
	for (operation = 0; operation < OPERATIONS && !wrong; operation++) {
		if (running) {
			operate();
			continue;
		}
		s = (int)below(SETS);
		if (!below(3))
			change_events(&sets[s]);
		if (thresholds && below(2))
			set_thresholds(&sets[s]);
		start(&sets[s]);
	}
	if (running)
		stop();
	for (s = 0; s < SETS; s++)
		if (!agrees(&sets[s]))
			return 1;
	PAPI_shutdown();
	remove_script();
	return wrong ? 1 : 0;
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

int main(void)
{
	unsigned long cases = number("UPC_TEST_CASES", 100);
	unsigned long seed = number("UPC_TEST_SEED", 1);
	unsigned long i, good = 0;

	setenv("UPC_QUIET", "1", 1);
	if (!getenv("UPC_REPLAY"))
		skip_all("UPC_REPLAY is not set");
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return 1;
	for (i = 0; i < cases; i++) {
		int status = -1;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0) {
			status = one_case(seed + i);
			fflush(stdout);
			_exit(status);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status) {
			ok(0, "UPC_TEST_SEED=%lu: status %d", seed + i, status);
			continue;
		}
		good++;
	}
	ok(good == cases && cases, "%lu of %lu random programs agree with the reference engine", good, cases);
	ok(cases < 20 || (tally->values && tally->parity && tally->callbacks && tally->parts),
	   "%lu values other than 0, %lu parity errors, %lu overflows, %lu parts played", tally->values,
	   tally->parity, tally->callbacks, tally->parts);
	return done();
}
