/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thresholds of events: behind a script the k-th interrupt at exactly k times the
 * threshold, many at once over one register; on this machine by the kernel's signals.
 */
#include <errno.h>
#include <signal.h>

#include "unit/unit.h"
#include "script_test.h"

/* The callback's interrupts, by event code (codes are ids' positions: below 455). */
static struct {
	uint64_t threshold, base, told, cycle;
} met[455];
static unsigned all_told;

static void tell(struct upc_unit *u, const struct upc_interrupt *interrupt, void *arg)
{
	uint64_t value, threshold;

	assert_ptr_equal(arg, met);
	assert_int_equal(interrupt->kind, UPC_INTERRUPT_THRESHOLD);
	assert_true(interrupt->code < 455);
	all_told++;
	met[interrupt->code].told++;
	value = met[interrupt->code].base + met[interrupt->code].told * met[interrupt->code].threshold;
	assert_int_equal(interrupt->value, value);
	assert_int_equal(upc_unit_read_events(u, &interrupt->code, 1, &value), 0);
	assert_int_equal(value, interrupt->value);
	assert_int_equal(upc_unit_get_threshold(u, interrupt->code, &threshold), 0);
	assert_int_equal(threshold, met[interrupt->code].threshold);
	assert_true(interrupt->cycle >= met[interrupt->code].cycle);
	met[interrupt->code].cycle = interrupt->cycle;
}

static struct upc_unit *create(struct upc_catalogue *c)
{
	struct upc_unit *u;

	memset(met, 0, sizeof(met));
	all_told = 0;
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_set_interrupt(u, tell, met, 0), 0);
	return u;
}

static void set_threshold(struct upc_unit *u, uint32_t code, uint64_t threshold)
{
	assert_int_equal(upc_unit_set_threshold(u, code, threshold), 0);
	met[code].threshold = threshold;
}

/* ---- behind a script ------------------------------------------------------- */

TEST(test_exact)
{
	static const uint64_t thresholds[] = {1, 2, 3, 4095, 4096, 4097, 10000, 65536, 99999};
	unsigned i;

	for (i = 0; i < sizeof(thresholds) / sizeof(thresholds[0]); i++) {
		struct upc_catalogue *c;
		struct upc_unit *u;
		uint32_t code;
		uint64_t value;

		c = open_script("upc-trace 1\nc 33333 0\ns\nc 30000 0\nc 36667 0\ns\nc 5 0\n");
		u = create(c);
		code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
		assert_int_equal(upc_unit_add(u, code), 0);
		set_threshold(u, code, thresholds[i]);
		assert_int_equal(upc_unit_start(u), 0);
		while (upc_unit_play(u) == 1)
			;
		assert_int_equal(upc_unit_read_added(u, &value, 1), 0);
		assert_int_equal(value, 100005);
		assert_int_equal(met[code].told, 100005 / thresholds[i]);
		upc_unit_destroy(u);
		upc_catalogue_close(c);
	}
}

TEST(test_many_at_once)
{
	struct upc_catalogue *c =
		open_script("upc-trace 1\nc 20000 0-255@3/1 256-511@7/5+2\ns\nc 77777 0-511\n");
	struct upc_unit *u = create(c);
	uint64_t seed = 5, values[UPC_COUNTERS], threshold_register;
	unsigned n = 0, i;
	uint32_t codes[64];

	while (n < 64) {
		uint32_t code = (uint32_t)(random_next(&seed) % 455);

		if (met[code].threshold || upc_unit_add(u, code))
			continue;
		codes[n++] = code;
		set_threshold(u, code, 1 + random_next(&seed) % (n % 3 ? 300 : 30000));
	}
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	/* The program may write the one register; the thresholds are not affected. */
	assert_int_equal(upc_register_write(u, UPC_REG_THRESHOLD, UINT64_C(0x123456789abcdef0)), 0);
	assert_int_equal(upc_register_read(u, UPC_REG_THRESHOLD, &threshold_register), 0);
	assert_int_equal(threshold_register, UINT64_C(0x123456789abcdef0));
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(upc_unit_read_events(u, codes, n, values), 0);
	for (i = 0; i < n; i++) {
		assert_true(values[i] >= 77777 + 6666);
		assert_int_equal(met[codes[i]].told, values[i] / met[codes[i]].threshold);
	}
	assert_true(all_told > 1000);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST(test_reset_and_preset)
{
	struct upc_catalogue *c =
		open_script("upc-trace 1\nc 150 0\ns\nc 150 0\ns\nc 150 0\ns\nc 150 0\ns\nc 150 0\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");
	uint64_t value;

	assert_int_equal(upc_unit_add(u, code), 0);
	set_threshold(u, code, 100);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(met[code].told, 1);
	/* The multiples begin at 0 again. */
	assert_int_equal(upc_unit_reset(u), 0);
	met[code].told = 0;
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(met[code].told, 1);
	/* The next multiple. */
	value = 1040;
	assert_int_equal(upc_unit_write_events(u, &code, 1, &value), 0);
	met[code].told = 10;
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(met[code].told, 11);
	/* A new threshold while the unit counts: its multiples. */
	met[code].told = 1190 / 7;
	set_threshold(u, code, 7);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(met[code].told, 1340 / 7);
	/* Without a threshold there is no interrupt, and the count stays. */
	assert_int_equal(upc_unit_set_threshold(u, code, 0), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(met[code].told, 1340 / 7);
	assert_int_equal(upc_unit_read_added(u, &value, 1), 0);
	assert_int_equal(value, 1490);
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(0), &value), 0);
	assert_int_equal(value, 1490);
	assert_int_equal(upc_register_read(u, UPC_REG_CONFIG(0), &value), 0);
	assert_int_equal(value & UPC_FIELD_INTERRUPT_ENABLE, 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST(test_goes_with_its_event)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 150 0 256\n");
	struct upc_unit *u = create(c);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS"),
		 other = event_code(c, "PU2_JPIPE_INSTRUCTIONS"), terms[64];
	uint64_t threshold;

	assert_int_equal(upc_unit_set_threshold(u, code, 1), UPC_EINVAL);
	assert_int_equal(upc_unit_add(u, code), 0);
	set_threshold(u, code, 10);
	assert_int_equal(upc_unit_remove(u, code), 0);
	assert_int_equal(upc_unit_add(u, other), 0);
	assert_int_equal(upc_unit_get_threshold(u, other, &threshold), 0);
	assert_int_equal(threshold, 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(all_told, 0);
	assert_int_equal(upc_unit_add(u, event_code(c, "FP_OPS")), 0);
	assert_int_equal(upc_unit_set_threshold(u, event_code(c, "FP_OPS"), 10), UPC_ENOSUPP);
	assert_message("FP_OPS");
	/* A threshold of a term is not one of the derived event. */
	assert_true(upc_catalogue_terms(c, event_code(c, "FP_OPS"), terms, 64) > 0);
	assert_int_equal(upc_unit_add(u, terms[0]), 0);
	assert_int_equal(upc_unit_set_threshold(u, terms[0], 10), 0);
	assert_int_equal(upc_unit_get_threshold(u, event_code(c, "FP_OPS"), &threshold), 0);
	assert_int_equal(threshold, 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* The handler of one of two interrupts in the same cycle removes the other. */
static unsigned takes;

static void take_other_away(struct upc_unit *u, const struct upc_interrupt *interrupt, void *arg)
{
	uint32_t *codes = arg;

	takes++;
	assert_int_equal(interrupt->code, codes[0]);
	assert_int_equal(upc_unit_set_threshold(u, codes[1], 0), 0);
}

TEST(test_taken_away)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 100 0 1\n");
	struct upc_unit *u = create(c);
	uint32_t codes[2] = {event_code(c, "PU0_JPIPE_INSTRUCTIONS"), event_code(c, "PU0_JPIPE_ADD_SUB")};
	uint64_t value;

	takes = 0;
	assert_int_equal(upc_unit_add(u, codes[0]), 0);
	assert_int_equal(upc_unit_add(u, codes[1]), 0);
	assert_int_equal(upc_unit_set_threshold(u, codes[0], 60), 0);
	assert_int_equal(upc_unit_set_threshold(u, codes[1], 60), 0);
	assert_int_equal(upc_unit_set_interrupt(u, take_other_away, codes, 0), 0);
	/* A write that would take the counter's interrupt away from the threshold is refused. */
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), 0), UPC_ESTATE);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(takes, 1);
	assert_int_equal(upc_unit_read_events(u, &codes[1], 1, &value), 0);
	assert_int_equal(value, 100);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* A handler that writes the counter anew: a repeating threshold made by hand. */
static unsigned by_hand;

static void write_anew(struct upc_unit *u, const struct upc_interrupt *interrupt, void *arg)
{
	(void)arg;
	by_hand++;
	assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(interrupt->counter), 4096 - 10), 0);
}

TEST(test_by_hand)
{
	struct upc_catalogue *c = open_script("upc-trace 1\nc 105 3\n");
	struct upc_unit *u = create(c);
	uint64_t value;

	by_hand = 0;
	assert_int_equal(upc_unit_set_interrupt(u, write_anew, NULL, 0), 0);
	assert_int_equal(upc_register_write(u, UPC_REG_CONFIG(0), UINT64_C(0x10) << 24), 0);
	assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(3), 4096 - 10), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_play(u), 1);
	assert_int_equal(by_hand, 10);
	assert_int_equal(upc_counter_read(u, 3, &value), 0);
	assert_int_equal(value, 4096 - 5);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* ---- on this machine ------------------------------------------------------- */

static struct upc_unit *live;
static volatile sig_atomic_t signals, strangers;
static uint32_t faults;

static void on_signal(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	uint32_t code;

	(void)number;
	(void)context;
	if (upc_unit_signalled(live, info->si_fd, &code) == 0 && code == faults)
		signals++;
	else
		strangers++;
	errno = saved;
}

TEST(test_live)
{
	needs_perf();
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	const int number = SIGRTMIN + 5;
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
	struct upc_catalogue *c;
	uint32_t clock_ns, code;
	uint64_t value, before_it;
	pid_t pid;

	assert_int_equal(upc_catalogue_open(&options, &c), 0);
	faults = event_code(c, "perf::PAGE-FAULTS");
	clock_ns = event_code(c, "time::thread_cpu_ns");
	assert_int_equal(upc_unit_create(c, NULL, &live), 0);
	assert_int_equal(upc_unit_add(live, clock_ns), 0);
	assert_int_equal(upc_unit_add(live, faults), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 100), UPC_ESTATE); /* no signal */
	assert_int_equal(upc_unit_set_interrupt(live, NULL, NULL, SIGUSR1), UPC_EINVAL);
	assert_int_equal(upc_unit_set_interrupt(live, NULL, NULL, number), 0);
	assert_int_equal(upc_unit_set_threshold(live, clock_ns, 100), UPC_ENOSUPP);
	assert_message("time::thread_cpu_ns");
	assert_int_equal(sigaction(number, &action, &before), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 100), 0);
	assert_int_equal(upc_unit_set_interrupt(live, NULL, NULL, number + 1), UPC_ESTATE);
	assert_int_equal(upc_unit_start(live), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 50), UPC_ESTATE);
	touch_fresh_pages(1050);
	assert_int_equal(upc_unit_stop(live), 0);
	assert_int_equal(upc_unit_read_events(live, &faults, 1, &value), 0);
	assert_int_equal(signals, value / 100);
	/* After a reset the multiples begin at 0. */
	assert_int_equal(upc_unit_reset(live), 0);
	signals = 0;
	assert_int_equal(upc_unit_start(live), 0);
	touch_fresh_pages(70);
	assert_int_equal(upc_unit_stop(live), 0);
	assert_int_equal(upc_unit_read_events(live, &faults, 1, &value), 0);
	assert_int_equal(signals, value / 100);
	/* Counts from before a threshold is set are part of its first period. */
	assert_int_equal(upc_unit_set_threshold(live, faults, 0), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 100), 0);
	signals = 0;
	before_it = value;
	assert_int_equal(upc_unit_start(live), 0);
	touch_fresh_pages(60);
	assert_int_equal(upc_unit_stop(live), 0);
	assert_int_equal(upc_unit_read_events(live, &faults, 1, &value), 0);
	assert_int_equal(signals, value / 100 - before_it / 100);
	/* Where signals are held back, as by valgrind, one of several is recognised and the others are
	 * strangers. */
	strangers = 0;
	/* A child has thresholds of its own. */
	pid = fork();
	if (pid == 0) {
		signals = 0;
		if (upc_unit_start(live))
			_exit(2);
		touch_fresh_pages(1050);
		if (upc_unit_stop(live) || upc_unit_read_events(live, &faults, 1, &value))
			_exit(3);
		_exit(signals == (sig_atomic_t)(value / 100) && signals >= 10 ? 0 : 1);
	}
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 0), 0);
	signals = 0;
	assert_int_equal(upc_unit_start(live), 0);
	touch_fresh_pages(500);
	assert_int_equal(upc_unit_stop(live), 0);
	assert_int_equal(signals, 0);
	assert_int_equal(strangers, 0);
	assert_int_equal(upc_unit_signalled(live, 0, &code), UPC_EINVAL);
	assert_int_equal(upc_unit_signalled(live, -1, &code), UPC_EINVAL);
	/* An event that replaces another one has signals of its own. */
	assert_int_equal(upc_unit_set_threshold(live, faults, 100), 0);
	assert_int_equal(upc_unit_remove(live, faults), 0);
	faults = event_code(c, "perf::MINOR-FAULTS");
	assert_int_equal(upc_unit_add(live, faults), 0);
	assert_int_equal(upc_unit_set_threshold(live, faults, 100), 0);
	assert_int_equal(upc_unit_start(live), 0);
	touch_fresh_pages(500);
	assert_int_equal(upc_unit_stop(live), 0);
	assert_int_equal(upc_unit_read_events(live, &faults, 1, &value), 0);
	assert_int_equal(signals, value / 100);
	assert_int_equal(strangers, 0);
	assert_int_equal(sigaction(number, &before, NULL), 0);
	upc_unit_destroy(live);
	upc_catalogue_close(c);
}

UNIT_TESTS(unit_threshold, NULL, NULL)
