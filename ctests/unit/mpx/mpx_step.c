/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ticks at each instruction of the calls of an event set: the processor traps after
 * every one (x86-64's trap flag), and the trap's handler is what the slice timer's would
 * be. For every instruction of a call there is a run in which a tick comes there, and
 * others follow at some distance; and there are runs with ticks at random ones, and at
 * all. After it, everything has to be as after any other program. Without $UPC_TEST_LONG
 * every third instruction has such a run.
 *
 * UPC_TEST_STRIDE is that distance (29): with a large one each run has a single tick.
 */
#include <signal.h>
#include <ucontext.h>

#include "mpx_fake.h"

enum operation { START, READ, RESET, STOP, DESTROY, CREATE, OPERATIONS };

static const char *const names[OPERATIONS] = {
	"start", "read", "reset", "stop", "destroy", "create",
};

static volatile unsigned long steps, tick_at, stride, length;
static volatile unsigned ticks, one_in;
static uint64_t random_state;

struct scene {
	struct mpxi_set *a, *b;
};

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_STEP 1

#define TRAP_FLAG 0x100

static void tick(void)
{
	ticks++;
	fake.now++;
	fake_tick();
}

static void on_trap(int signo, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	(void)signo;
	(void)info;
	steps++;
	if (one_in) {
		if (random_next(&random_state) % one_in == 0)
			tick();
	} else if (steps == tick_at) {
		tick();
		tick_at += stride;
		/* The code after the last tick needs no stepping. */
		if (tick_at > length)
			*flags &= ~(greg_t)TRAP_FLAG;
	}
}

/* Skips the red zone, which belongs to the compiler. */
static inline __attribute__((always_inline)) void step_begin(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp)\n\t"
			 "popfq; lea 128(%%rsp), %%rsp" ::
				 : "memory", "cc");
}

static inline __attribute__((always_inline)) void step_end(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp)\n\t"
			 "popfq; lea 128(%%rsp), %%rsp" ::
				 : "memory", "cc");
}
#else
#define CAN_STEP 0

static void step_begin(void)
{
}

static void step_end(void)
{
}
#endif

/* a runs, b shares an event with it and has one that needs no sharing. */
static void make(struct scene *scene, enum operation operation, unsigned capacity)
{
	fake_create(capacity);
	scene->a = fake_set(0, 1);
	scene->b = operation == CREATE ? NULL : fake_set(1, 2);
	if (scene->b)
		assert_int_equal(mpxi_set_add(scene->b, FAKE_UNLIMITED), 2);
	assert_int_equal(mpxi_set_start(scene->a), 0);
	fake_slices(2, 100);
	if (operation == START || operation == CREATE)
		return;
	assert_int_equal(mpxi_set_start(scene->b), 0);
	fake_slices(3, 100);
	fake.now += 50;
}

static int act(struct scene *scene, enum operation operation)
{
	int error = 0;

	switch (operation) {
	case START:
		return mpxi_set_start(scene->b);
	case READ:
		return mpxi_set_read(scene->b);
	case RESET:
		return mpxi_set_reset(scene->b);
	case STOP:
		return mpxi_set_stop(scene->b);
	case DESTROY:
		mpxi_set_destroy(scene->b);
		return 0;
	default:
		error = mpxi_set_create(fake.core, &scene->b);
		return error ? error : mpxi_set_add(scene->b, 1);
	}
}

/* Counts are those of the rates; what is counted beside others is read at another time
 * than T, with as many ticks in between, each of which moves the clock by 1. */
static void check(struct mpxi_set *set, uint64_t most)
{
	unsigned i;

	assert_int_equal(mpxi_set_read(set), 0);
	for (i = 0; i < mpxi_set_events(set); i++) {
		const struct mpxi_window *window = mpxi_set_window(set, i);
		uint64_t rate = mpxi_set_event(set, i) % FAKE_EVENTS + 1, slack;

		assert_in_range(window->time, 0, most);
		assert_in_range(window->sums.size, 0, window->time);
		slack = mpxi_set_event(set, i) & FAKE_UNLIMITED ? rate * ticks : 0;
		assert_in_range(window->sums.count + slack, rate * window->sums.size,
				rate * window->sums.size + 2 * slack);
	}
}

static void check_scene(struct scene *scene, enum operation operation)
{
	unsigned i;

	/* The next calls, of each kind. */
	assert_true(fake.timed);
	check(scene->a, fake.now);
	if (operation == DESTROY || operation == CREATE) {
		mpxi_set_destroy(operation == CREATE ? scene->b : NULL);
		scene->b = fake_set(1, 3);
	}
	if (!mpxi_set_runs(scene->b))
		assert_int_equal(mpxi_set_start(scene->b), 0);
	fake_slices(12, 100);
	for (i = 0; i < mpxi_set_events(scene->b); i++)
		assert_true(fake_master(mpxi_set_event(scene->b, i)).size > 0);
	check(scene->b, 100000);
	assert_int_equal(mpxi_set_stop(scene->b), 0);
	fake_slices(4, 100);
	assert_int_equal(mpxi_set_stop(scene->a), 0);
	check(scene->a, fake.now);
	assert_null(fake.timed);
	assert_int_equal(fake_info().running, 0);
	fake_destroy();
}

/* The operation, stepped; returns how many instructions it has. */
static unsigned long stepped(enum operation operation, unsigned capacity)
{
	struct scene scene;
	int error;

	make(&scene, operation, capacity);
	steps = 0;
	ticks = 0;
	step_begin();
	error = act(&scene, operation);
	step_end();
	assert_true(error >= 0);
	check_scene(&scene, operation);
	return steps;
}

static void every_instruction(void **state)
{
	enum operation operation = *(enum operation *)*state;
	const char *distance = getenv("UPC_TEST_STRIDE");
	unsigned capacity, i;
	unsigned long n, k;

#if CAN_STEP
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
#endif
	stride = distance ? strtoul(distance, NULL, 0) : 29;
	assert_true(stride > 0);
	for (capacity = 1; capacity <= 2; capacity++) {
		one_in = 0;
		tick_at = 0;
		length = n = stepped(operation, capacity);
		if (!n)
			skip_because("single-stepping needs x86-64 and no sanitizer");
		for (k = 1; k <= stride && k <= n; k += getenv("UPC_TEST_LONG") ? 1 : 3) {
			tick_at = k;
			(void)stepped(operation, capacity);
			assert_true(ticks > 0);
		}
		for (i = 0; i < 8; i++) {
			one_in = 1 + 7 * i;
			random_state = i;
			(void)stepped(operation, capacity);
		}
		print_message("%s, groups of %u: ticks at %s of %lu instructions\n", names[operation],
			      capacity, getenv("UPC_TEST_LONG") ? "each" : "every third", n);
	}
}

static enum operation operations[OPERATIONS] = {START, READ, RESET, STOP, DESTROY, CREATE};

#define stepping(operation)                                                                       \
	UNIT_CASE(operation, "every_instruction [" #operation "]", every_instruction, NULL, NULL, \
		  &operations[operation])
stepping(START);
stepping(READ);
stepping(RESET);
stepping(STOP);
stepping(DESTROY);
stepping(CREATE);

UNIT_TESTS(mpx_step, NULL, NULL)
