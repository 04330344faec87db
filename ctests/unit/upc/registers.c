/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit behind a script: what it counts is what the reference engine counts when
 * software does the same to it; registers, parity errors, interrupts, fork.
 */
#include <pthread.h>

#include "catalogue/catalogue.h"
#include "replay/trace.h"
#include "unit/unit.h"
#include "script_test.h"

static struct upc_unit *create(struct upc_catalogue *c)
{
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	return u;
}

/* ---- counting ---------------------------------------------------------- */

/* Id 0 is PU0_JPIPE_INSTRUCTIONS. */
TEST(test_modes)
{
	static const struct {
		const char *name;
		uint64_t first, then;
	} cases[] = {
		/* The first sample makes no edge; the last of the first line is low. */
		{"PU0_JPIPE_INSTRUCTIONS", 30, 35},
		{"PU0_JPIPE_INSTRUCTIONS:mode=high", 30, 35},
		{"PU0_JPIPE_INSTRUCTIONS:mode=rise", 9, 10},
		{"PU0_JPIPE_INSTRUCTIONS:mode=fall", 10, 11},
		{"BGP_PU0_JPIPE_INSTRUCTIONS:mode=low", 70, 75},
	};
	uint64_t config;
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* Its own catalogue: from the script's begin. */
		struct upc_catalogue *own = open_script("upc-trace 1\nc 100 0@10/3\ns\nc 5 0\nc 5\n");
		struct upc_unit *u = create(own);
		uint32_t code = event_code(own, cases[i].name);

		assert_int_equal(upc_unit_add(u, code), 0);
		assert_int_equal(upc_unit_start(u), 0);
		assert_int_equal(event_value(u, code), 0);
		assert_int_equal(upc_unit_play(u), 1);
		assert_int_equal(event_value(u, code), cases[i].first);
		assert_true(upc_unit_playable(u));
		assert_int_equal(upc_unit_play(u), 1);
		assert_int_equal(event_value(u, code), cases[i].then);
		assert_false(upc_unit_playable(u));
		assert_int_equal(upc_unit_play(u), 0);
		assert_int_equal(event_value(u, code), cases[i].then);
		/* Its mode goes with it. */
		assert_int_equal(upc_unit_remove(u, code), 0);
		assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &config), 0);
		assert_int_equal(config & 0xff, 0);
		upc_unit_destroy(u);
		upc_catalogue_close(own);
	}
}

TEST(test_conflicts)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 10 0 256\n");
	struct upc_unit *u = create(c);
	uint32_t pu0 = event_code(c, "PU0_JPIPE_INSTRUCTIONS"), pu2 = event_code(c, "PU2_JPIPE_INSTRUCTIONS");

	assert_int_equal(upc_unit_add(u, pu0), 0);
	assert_int_equal(upc_unit_add(u, pu2), UPC_ECONFLICT);
	assert_int_equal(upc_unit_add(u, event_code(c, "PU0_JPIPE_INSTRUCTIONS:mode=low")), UPC_ECONFLICT);
	assert_int_equal(upc_unit_start(u), 0);
	/* The mode that it has anyway, by its name: the same counter. */
	assert_int_equal(upc_unit_add(u, event_code(c, "PU0_JPIPE_INSTRUCTIONS:mode=high")), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(event_value(u, pu0), 10);
	assert_int_equal(event_value(u, event_code(c, "PU0_JPIPE_INSTRUCTIONS:mode=high")), 10);
	assert_int_equal(upc_unit_remove(u, pu0), 0);
	assert_int_equal(event_value(u, event_code(c, "PU0_JPIPE_INSTRUCTIONS:mode=high")), 10);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* All units of a thread see the same script. */
TEST(test_units_of_a_thread)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 10 0\ns\nc 20 0\ns\nc 40 0\n");
	struct upc_unit *a = create(c), *b = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");

	assert_int_equal(upc_unit_add(a, code), 0);
	assert_int_equal(upc_unit_add(b, code), 0);
	assert_int_equal(upc_unit_start(a), 0);
	assert_int_equal(upc_unit_start(b), 0);
	assert_int_equal(upc_unit_play(a), 1);
	assert_int_equal(event_value(b, code), 10);
	assert_int_equal(upc_unit_stop(b), 0);
	assert_int_equal(upc_unit_play(a), 1);
	assert_int_equal(event_value(a, code), 30);
	/* Started when the second part was over. */
	assert_int_equal(upc_unit_start(b), 0);
	assert_int_equal(event_value(b, code), 10);
	assert_int_equal(upc_unit_play(b), 1);
	assert_int_equal(event_value(b, code), 50);
	assert_int_equal(upc_unit_stop(a), 0);
	assert_int_equal(event_value(a, code), 70);
	upc_unit_destroy(a);
	upc_unit_destroy(b);
	upc_catalogue_close(c);
}

static void *play_alone(void *arg)
{
	struct upc_unit *u = create(arg);
	uint32_t code = event_code(arg, "PU0_JPIPE_INSTRUCTIONS");
	uint64_t value = 0;

	if (upc_unit_add(u, code) == 0 && upc_unit_start(u) == 0 && upc_unit_play(u) == 1 &&
	    upc_unit_play(u) == 0)
		value = event_value(u, code);
	upc_unit_destroy(u);
	return (void *)(uintptr_t)value;
}

TEST(test_threads_have_their_own)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 4321 0\n");
	pthread_t thread[4];
	unsigned i;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, play_alone, c), 0);
	for (i = 0; i < 4; i++) {
		void *value;

		assert_int_equal(pthread_join(thread[i], &value), 0);
		assert_int_equal((uintptr_t)value, 4321);
	}
	upc_catalogue_close(c);
}

TEST(test_fork_starts_clean)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 10 0\ns\nc 7 0\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	pid_t pid;

	assert_int_equal(upc_unit_add(u, code), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	pid = fork();
	if (pid == 0) {
		uint64_t value = 1;
		bool good =
			!upc_unit_running(u) && upc_unit_read_events(u, &code, 1, &value) == 0 && value == 0;

		good = good && upc_unit_start(u) == 0 && upc_unit_play(u) == 1 &&
		       upc_unit_read_events(u, &code, 1, &value) == 0 && value == 7;
		_exit(good ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(event_value(u, code), 10);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(event_value(u, code), 17);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* ---- what a script cannot give ------------------------------------------- */

TEST(test_refusals)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 10 0\n"), *none;
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	struct upc_unit *u;
	unsigned bgp = 0;
	uint32_t code;

	options.pid = getppid();
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	options.pid = 0;
	options.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	options.context = UPC_CONTEXT_THREAD;
	options.inherit = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	options.inherit = 0;
	options.domain = UPC_DOMAIN_USER;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	assert_message("domain");
	assert_int_equal(upc_catalogue_find(c, "perf::PAGE-FAULTS", &code), UPC_ENOEVENT);
	for (code = 0; code < upc_catalogue_count(c); code++) {
		assert_int_equal(upc_catalogue_info(c, code, &info), 0);
		bgp += info.source == UPC_SOURCE_REPLAY;
		/* The rest is derived from them, or from devices that are not here. */
		assert_true(info.id == UPC_NO_ID || info.source == UPC_SOURCE_REPLAY);
	}
	assert_int_equal(bgp, 455);
	upc_catalogue_close(c);

	setenv("UPC_SOURCE", "replay:/nowhere/at/all", 1);
	assert_true(upc_catalogue_open(NULL, &none) < 0);
	assert_message("/nowhere/at/all");
	setenv("UPC_SOURCE", "sim", 1);
	assert_int_equal(upc_catalogue_open(NULL, &none), UPC_ENOSUPP);
	setenv("UPC_SOURCE", "live", 1);
	setenv("UPC_WIRING", "", 1);
	assert_int_equal(upc_catalogue_open(NULL, &none), 0);
	assert_int_equal(upc_unit_create(none, NULL, &u), 0);
	assert_int_equal(upc_unit_play(u), UPC_ENOSUPP);
	assert_int_equal(upc_counter_inject(u, 0, 0), UPC_ENOSUPP);
	assert_false(upc_unit_playable(u));
	upc_unit_destroy(u);
	upc_catalogue_close(none);
	unsetenv("UPC_SOURCE");
	unsetenv("UPC_WIRING");
}

/* ---- registers and parity -------------------------------------------------- */

TEST(test_registers)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 5000 0 1\ns\nc 10000 1\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	uint64_t values[UPC_COUNTERS], value;

	assert_int_equal(upc_unit_add(u, code), 0);
	/* Counter 1 by hand: counts level-high, interrupts at a carry. */
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), UINT64_C(0x10) << 8), 0);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), UINT64_C(0x10) << 8 | 0x04), UPC_ENOSUPP);
	assert_int_equal(upc_register_write(u, UPC_REG_START_STOP, 1), 0);
	assert_true(upc_unit_running(u));
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(upc_unit_read(u, values), 0);
	assert_int_equal(values[0], 5000);
	assert_int_equal(values[1], 5000);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_int_equal(value >> 8 & 0xff, UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_INTERRUPT_PENDING);
	assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(1), 7), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(1), &value), 0);
	assert_int_equal(value, 10007);
	assert_int_equal(upc_register_read(u, 0x904, &value), UPC_EFAULT);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

struct told {
	unsigned parity, threshold;
	uint64_t cycle_of_200;
	struct upc_interrupt last;
	uint64_t read; /* by the callback */
};

static void tell(struct upc_unit *u, const struct upc_interrupt *interrupt, void *arg)
{
	struct told *told = arg;

	told->parity += interrupt->kind == UPC_INTERRUPT_PARITY;
	told->threshold += interrupt->kind == UPC_INTERRUPT_THRESHOLD;
	told->last = *interrupt;
	if (interrupt->counter == 200)
		told->cycle_of_200 = interrupt->cycle;
	/* A damaged counter is damaged in the handler, too. */
	if (interrupt->kind == UPC_INTERRUPT_THRESHOLD)
		assert_int_equal(upc_unit_read_events(u, &interrupt->code, 1, &told->read),
				 u->damaged[interrupt->counter] ? UPC_EPARITY : 0);
	/* Calls that a handler must not make change nothing. */
	assert_int_equal(upc_unit_play(u), UPC_ESTATE);
	assert_int_equal(upc_unit_stop(u), UPC_ESTATE);
	assert_int_equal(upc_unit_add(u, 5), UPC_ESTATE);
}

TEST(test_parity)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 100 0\ne 0 20\ns\nc 100000 0\ns\nc 10 0\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	struct upc_counter_info state_of = UPC_OPTIONS_INIT(upc_counter_info);
	struct upc_transaction *t;
	struct told told = {0};
	uint64_t value;

	assert_int_equal(upc_unit_add(u, code), 0);
	assert_int_equal(upc_unit_set_interrupt(u, tell, &told, 0), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	/* The read finds the error; there is one interrupt, and each read fails. */
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_EPARITY);
	assert_message("PU0_JPIPE_INSTRUCTIONS");
	assert_int_equal(value, 100 + (UINT64_C(1) << 32));
	assert_int_equal(told.parity, 1);
	assert_int_equal(told.last.counter, 0);
	assert_int_equal(told.last.cycle, 100);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(upc_unit_read_added(u, &value, 1), UPC_EPARITY);
	assert_int_equal(told.parity, 1);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(event_value(u, code), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(event_value(u, code), 10);
	/* Injecting the same bit twice leaves no error to find. */
	assert_int_equal(upc_counter_inject(u, 0, 3), 0);
	assert_int_equal(upc_counter_inject(u, 0, 3), 0);
	assert_int_equal(event_value(u, code), 10);
	assert_int_equal(upc_counter_inject(u, 0, 51), 0);
	assert_int_equal(upc_counter_inject(u, 0, 52), UPC_EINVAL);
	assert_int_equal(upc_unit_read(u, NULL), UPC_EPARITY);
	assert_int_equal(told.parity, 2);
	/* A counter's damage does not affect other counters. */
	assert_int_equal(upc_counter_write(u, 0, 1), 0);
	assert_int_equal(upc_counter_inject(u, 200, 1), 0);
	assert_int_equal(event_value(u, code), 1);
	assert_int_equal(upc_counter_read(u, 0, &value), 0);
	assert_int_equal(told.parity, 2);
	assert_int_equal(upc_counter_read(u, 200, &value), UPC_EPARITY);
	assert_int_equal(told.parity, 3);
	assert_int_equal(upc_counter_state(u, 200, &state_of), 0);
	assert_int_equal(state_of.flags, UPC_COUNTER_DAMAGED);
	assert_int_equal(upc_unit_read(u, NULL), UPC_EPARITY);
	assert_int_equal(event_value(u, code), 1);
	assert_int_equal(upc_counter_write(u, 200, 0), 0);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	/* The next event of the same counter is not damaged. */
	assert_int_equal(upc_counter_inject(u, 0, 3), 0);
	assert_int_equal(upc_unit_read(u, NULL), UPC_EPARITY);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_remove(t, code), 0);
	assert_int_equal(upc_transaction_add(t, event_code(c, "PU2_JPIPE_INSTRUCTIONS"), UPC_ANY_COUNTER), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(upc_unit_read(u, NULL), 0);
	assert_int_equal(event_value(u, event_code(c, "PU2_JPIPE_INSTRUCTIONS")), 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* The library's writes for a threshold repair no damage, and its reads for one find none. */
TEST(test_parity_and_thresholds)
{
	struct upc_catalogue *c =
		open_script("upc-trace 1\nc 100 0 1\ne 0 20\ne 200 5\nc 5000 0 1\ns\nc 10 0\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS"), other = event_code(c, "PU0_JPIPE_ADD_SUB");
	struct told told = {0};
	uint64_t value;

	assert_int_equal(upc_unit_add(u, code), 0);
	assert_int_equal(upc_unit_add(u, other), 0);
	assert_int_equal(upc_unit_set_interrupt(u, tell, &told, 0), 0);
	assert_int_equal(upc_unit_set_threshold(u, code, 50), 0);
	assert_int_equal(upc_unit_set_threshold(u, other, 50), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	/* Counter 200 is visited in cycle 3200, whoever has thresholds. */
	assert_int_equal(told.parity, 2);
	assert_int_equal(told.cycle_of_200, 3200);
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_EPARITY);
	assert_int_equal(upc_unit_set_threshold(u, code, 70), 0);
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_EPARITY);
	assert_int_equal(upc_register_write(u, UPC_REG_THRESHOLD, 4096 * 77), 0);
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_EPARITY);
	assert_int_equal(upc_unit_set_threshold(u, code, 0), 0);
	assert_int_equal(upc_unit_read_added(u, (uint64_t[2]){0}, 2), UPC_EPARITY);
	assert_int_equal(upc_register_read(u, UPC_REG_STATUS, &value), 0);
	assert_int_equal(value & 2, 2);
	assert_int_equal(event_value(u, other), 5100);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(event_value(u, code), 10);
	assert_int_equal(told.parity, 2);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* The last counts are current without a read of the unit. */
TEST(test_nothing_is_old)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 4096 0\ns\nc 10 0\n");
	struct upc_unit *u = create(c);
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);
	struct told early = {0}, late = {0};
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	struct upc_unit *player = create(c);
	uint64_t value;

	assert_int_equal(upc_unit_add(u, code), 0);
	assert_int_equal(upc_unit_set_threshold(u, code, 4000), 0);
	assert_int_equal(upc_unit_set_interrupt(u, tell, &early, 0), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(player), 1);
	/* A threshold that was met goes to the callback of that time. */
	assert_int_equal(upc_unit_set_interrupt(u, tell, &late, 0), 0);
	assert_int_equal(early.threshold, 1);
	assert_int_equal(late.threshold, 0);
	assert_int_equal(upc_unit_play(player), 1);
	assert_int_equal(upc_unit_get_events(u, &code, 1, &value), 0);
	assert_int_equal(value, 4106);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_int_equal(info.value, 4106);
	upc_unit_destroy(player);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* ---- against the reference ------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t random_below(uint64_t n)
{
	return random_next(&seed) % n;
}

static char *put(char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	at += vsprintf(at, format, args);
	va_end(args);
	return at;
}

static void random_script(char *text)
{
	unsigned lines = 1 + (unsigned)random_below(12);

	text = put(text, "upc-trace 1\n");
	while (lines--)
		switch (random_below(4)) {
		case 0:
			text = put(text, "s\n");
			break;
		case 1:
			text = put(text, "e %u %u\n", (unsigned)random_below(256),
				   (unsigned)random_below(52));
			break;
		default: {
			unsigned tokens = (unsigned)random_below(5);

			text = put(text, "c %u", 1 + (unsigned)random_below(random_below(2) ? 20000 : 50));
			while (tokens--) {
				unsigned first = (unsigned)random_below(512),
					 period = 1 + (unsigned)random_below(9);

				text = put(text, " %u-%u@%u/%u+%u", first,
					   first + (unsigned)random_below(512 - first), period,
					   1 + (unsigned)random_below(period), (unsigned)random_below(20));
			}
			text = put(text, "\n");
		}
		}
}

static void ignore(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	unsigned *parity = arg;

	(void)counter;
	(void)cycle;
	*parity += event == UPCI_ENGINE_PARITY;
}

/* Plays a trace on an engine up to and with the next sync. */
static size_t play_reference(struct upci_engine *e, const struct upci_trace *trace, size_t at)
{
	static struct upci_wave wave[UPC_INPUTS];

	for (; at < trace->ops; at++) {
		const struct upci_trace_op *op = &trace->op[at];

		if (op->kind == UPCI_TRACE_SYNC)
			return at + 1;
		if (op->kind == UPCI_TRACE_FLIP) {
			upci_engine_reference.flip(e, op->counter, op->bit);
			continue;
		}
		upci_trace_waves(trace, op, wave);
		upci_engine_reference.run_waves(e, wave, op->cycles);
	}
	return at;
}

static void compare_once(void)
{
	static char text[65536];
	struct upc_catalogue *c;
	struct upc_unit *u;
	struct upci_trace trace;
	struct upci_trace_error wrong;
	struct upci_engine *e;
	unsigned parity = 0, events = 1 + (unsigned)random_below(40), i;
	const struct upci_engine_sink sink = {.event = ignore, .arg = &parity};
	uint64_t values[UPC_COUNTERS];
	size_t at = 0;

	random_script(text);
	c = open_script(text);
	u = create(c);
	assert_int_equal(upci_trace_parse(text, strlen(text), &trace, &wrong), 0);
	e = upci_engine_reference.create(&sink);
	for (i = 0; i < events; i++) {
		uint32_t code = (uint32_t)random_below(455);
		int64_t mode = upci_catalogue_in_mode(c, code, (enum upc_mode)random_below(4));
		int id = upci_catalogue_event(c, code)->id;
		uint64_t group, shift = 8 * (unsigned)(id % 8);

		assert_true(mode >= 0);
		if (upc_unit_add(u, (uint32_t)mode))
			continue; /* another has the counter */
		upci_engine_reference.read(e, UPC_REG_CONFIG(id % 256 / 8), &group);
		if (group >> shift & 0xff && upci_unit_entry(u, (uint32_t)mode) < 0)
			continue;
		group &= ~(UINT64_C(0xff) << shift);
		group |= (uint64_t)(id / 256 | upci_event_mode(upci_catalogue_event(c, (uint32_t)mode)) << 2)
			 << shift;
		upci_engine_reference.write(e, UPC_REG_CONFIG(id % 256 / 8), group);
	}
	assert_int_equal(upc_unit_start(u), 0);
	upci_engine_reference.write(e, UPC_REG_START_STOP, 1);
	while (upc_unit_play(u) == 1) {
		bool damaged = false;
		int error;

		at = play_reference(e, &trace, at);
		if (random_below(4) == 0)
			(void)upc_unit_stop(u); /* may find damage */
		error = upc_unit_read(u, values);
		for (i = 0; i < UPC_COUNTERS; i++) {
			uint64_t expected, group;

			upci_engine_reference.read(e, UPC_REG_COUNTER(i), &expected);
			upci_engine_reference.read(e, UPC_REG_CONFIG(i / 8), &group);
			assert_int_equal(values[i], expected);
			damaged |= group >> 8 * (i % 8) & UPC_FIELD_PARITY_ERROR;
		}
		assert_int_equal(error, damaged ? UPC_EPARITY : 0);
		assert_int_equal(upc_unit_start(u), 0);
		if (random_below(3) == 0) {
			assert_int_equal(upc_unit_reset(u), 0);
			for (i = 0; i < UPC_COUNTERS; i++)
				upci_engine_reference.write(e, UPC_REG_COUNTER(i), 0);
		}
	}
	assert_int_equal(at, trace.ops);
	upci_engine_reference.destroy(e);
	upci_trace_free(&trace);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST(test_against_reference)
{
	const char *more = getenv("UPC_ENGINE_CASES");
	unsigned cases = more ? (unsigned)strtoul(more, NULL, 10) / 10 : getenv("UPC_TEST_INEXACT") ? 3 : 100;

	while (cases--)
		compare_once();
}

UNIT_TESTS(registers, NULL, NULL)
