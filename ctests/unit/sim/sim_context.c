/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts, and libupc on top of them, both ends of the doorbell in one program: its system
 * call comes here, and the threads that are counted are made up.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "plugin/context.h"
#include "node/doorbell.h"
#include "count/account.h"
#include "count/guest_memory.h"
#include "plugin/ring.h"
#include "engine/regs.h"
#include "count/thread.h"
#include "../unit_test.h"

/* ---- a simulator without an emulator ------------------------------------------------- */

#define THREADS 3

static struct fake {
	uint64_t tally[UPCS_TALLIES];
	uint64_t changes;
	unsigned core;
	bool attended, ended;
	unsigned signals;
	int signal; /* the last */
} threads[THREADS];

static uint32_t current, before_fork; /* which of them we are */
static bool there = true;             /* the simulator */
static uint32_t version_off;
static unsigned held;

struct upcs_run upcs_run;

uint32_t upcs_thread_self(void)
{
	return current;
}

uint32_t upcs_thread_before_fork(void)
{
	return before_fork;
}

uint64_t upcs_thread_changes(void)
{
	return threads[current].changes;
}

const uint64_t *upcs_thread_fold_locked(uint32_t index)
{
	assert_int_equal(held, 1);
	return index == UPCS_NO_THREAD ? NULL : threads[index].tally;
}

unsigned upcs_thread_core_locked(uint32_t index)
{
	return index == UPCS_NO_THREAD ? 0 : threads[index].core;
}

pid_t upcs_thread_id_locked(uint32_t index)
{
	return index == UPCS_NO_THREAD ? 0 : threads[index].ended ? 0 : 1000 + (pid_t)index;
}

void upcs_thread_attend_locked(uint32_t index, bool has_to)
{
	assert_int_equal(held, 1);
	if (index == UPCS_NO_THREAD || threads[index].ended || !(has_to || threads[index].attended))
		return;
	threads[index].changes++;
	threads[index].attended = true;
}

void upcs_thread_unattend_locked(void)
{
	assert_int_equal(held, 1);
	threads[current].attended = false;
}

void upcs_process_hold(void)
{
	assert_int_equal(held++, 0);
}

bool upcs_process_hold_all(void)
{
	upcs_process_hold();
	return true;
}

void upcs_process_release(void)
{
	held--;
}

/* Accounts need threads with regions: ctests/region/regions_sim.sh. */
bool upcs_account_is_there(void)
{
	return false;
}

bool upcs_account_set_locked(uint64_t number, uint64_t open, uint64_t names)
{
	(void)number;
	(void)open;
	(void)names;
	return false;
}

void upcs_account_close_locked(uint64_t number, uint64_t n)
{
	(void)number;
	(void)n;
}

const struct upcs_account *upcs_account_locked(uint64_t number)
{
	(void)number;
	return NULL;
}

static uint64_t counts[UPCS_KINDS_MAX];

uint64_t *upcs_thread_begin(unsigned vcpu)
{
	(void)vcpu;
	return counts;
}

/* The guest's memory is ours; its first page is nobody's. */
int upcs_guest_read(uint64_t address, void *to, size_t n)
{
	if (address < 4096)
		return -EFAULT;
	memcpy(to, (const void *)(uintptr_t)address, n);
	return 0;
}

int upcs_guest_write(uint64_t address, const void *from, size_t n)
{
	if (address < 4096)
		return -EFAULT;
	memcpy((void *)(uintptr_t)address, from, n);
	return 0;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list arguments;
	unsigned i;

	va_start(arguments, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_rt_tgsigqueueinfo) {
		threads[a[1] - 1000].signals++;
		threads[a[1] - 1000].signal = (int)a[2];
		return 0;
	}
	if (number != UPCI_DOORBELL_CALL)
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (there)
		upcs_ring((uint64_t)a[0], (uint64_t)a[1], (uint64_t)a[2], (uint64_t)a[3], (uint64_t)a[4]);
	if (there && a[0] == UPCI_DOORBELL_HELLO)
		((struct upci_doorbell_hello *)a[4])->version += version_off;
	errno = ENOSYS;
	return -1;
}

/* A block that tallies, by kinds: as translated code begins it. */
static void run_block(uint32_t kind)
{
	const uint32_t *tally = upcs_run.counts->kind[kind].tally;
	unsigned t;

	for (t = 0; t < UPCS_STATIC; t++)
		threads[current].tally[t] += tally[t];
	if (threads[current].attended)
		upcs_context_block(0, kind);
}

#define MULTIPLY 1u /* kinds: one multiplication; five of them and a load; nothing of interest */
#define FIVE 2u
#define OTHER 3u

static int set_up(void **state)
{
	(void)state;
	memset(threads, 0, sizeof(threads));
	threads[1].core = 1;
	threads[2].core = 2;
	current = 0;
	there = true;
	version_off = 0;
	upcs_run.guest = UPCS_X86_64;
	if (!upcs_run.counts)
		upcs_run.counts = mmap(NULL, sizeof(*upcs_run.counts), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(upcs_run.counts, MAP_FAILED);
	upcs_run.counts->kind[MULTIPLY].tally[UPCS_FPU_MULT_1] = 1;
	upcs_run.counts->kind[MULTIPLY].tally[UPCS_INSTRUCTIONS] = 2;
	upcs_run.counts->kind[FIVE].tally[UPCS_FPU_MULT_1] = 5;
	upcs_run.counts->kind[FIVE].tally[UPCS_DATA_LOADS] = 1;
	upcs_run.counts->kind[FIVE].tally[UPCS_INSTRUCTIONS] = 7;
	upcs_run.counts->kind[OTHER].tally[UPCS_INSTRUCTIONS] = 3;
	setenv("UPC_SOURCE", "sim", 1);
	return 0;
}

static void run_blocks(uint32_t kind, unsigned n)
{
	while (n--)
		run_block(kind);
}

/* ---- doorbells ------------------------------------------------------------------------- */

static uint64_t ring(uint64_t operation, uint64_t context, uint64_t a, uint64_t b, uint64_t *value)
{
	struct upci_doorbell_word word = {UPCI_DOORBELL_NOBODY, 0};

	upcs_ring(operation, context, a, b, (uintptr_t)&word);
	if (value)
		*value = word.value;
	return word.status;
}

static uint64_t create(void)
{
	uint64_t context;

	assert_int_equal(ring(UPCI_DOORBELL_CREATE, 0, 0, 0, &context), UPCI_DOORBELL_DONE);
	return context;
}

TEST_WITH(test_bad_doorbells, set_up, NULL)
{
	uint64_t context = create(), other = create(), value;
	struct {
		struct upci_doorbell_word word;
		uint64_t behind[sizeof(struct upci_doorbell_registers) / 8];
	} answer;

	/* Operations are compared whole: this is not to peek, whose answer is larger. */
	memset(&answer, 0xff, sizeof(answer));
	upcs_ring((UINT64_C(1) << 32) + UPCI_DOORBELL_PEEK, context, 0, 0, (uintptr_t)&answer);
	assert_int_equal(answer.word.status, UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(answer.behind[0], UINT64_MAX);
	/* No answer can be written: nothing is done. */
	upcs_ring(UPCI_DOORBELL_WRITE, context, UPC_REG_START_STOP, 1, 8);
	upcs_ring(UPCI_DOORBELL_CREATE, 0, 0, 0, 0);
	assert_int_equal(ring(UPCI_DOORBELL_READ, context, UPC_REG_START_STOP, 0, &value),
			 UPCI_DOORBELL_DONE);
	assert_int_equal(value, 0);
	assert_int_equal(ring(99, context, 0, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UINT64_MAX, context, 0, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_READ, 0, 0, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_READ, UINT64_MAX, 0, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_READ, context, 4, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_READ, context, UINT64_C(1) << 32, 0, NULL),
			 UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_WRITE, context, UPC_REG_THRESHOLD + 8, 1, NULL),
			 UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_PRESET, context, 256, 1, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_THRESHOLD, context, UINT64_MAX, 1, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_FLIP, context, 0, 52, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_BIND, context, 256, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_BIND, context, 0, 1 << 16, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_CLEAR, context, 16, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_SIGNAL, context, 9, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_SIGNAL, context, 65, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_SIGNAL, context, UINT64_MAX, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	upcs_run.guest = UPCS_PPC;
	assert_int_equal(ring(UPCI_DOORBELL_READ, context, 0, 0, NULL), UPCI_DOORBELL_NOBODY);
	upcs_run.guest = UPCS_AARCH64;
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, context, 0, 0, NULL), UPCI_DOORBELL_DONE);
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, context, 0, 0, NULL), UPCI_DOORBELL_UNKNOWN);
	/* Its place is taken by the next, its number is not. */
	assert_int_not_equal(value = create(), context);
	assert_int_equal(ring(UPCI_DOORBELL_PRESET, context, 0, 1, NULL), UPCI_DOORBELL_UNKNOWN);
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, value, 0, 0, NULL), UPCI_DOORBELL_DONE);
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, other, 0, 0, NULL), UPCI_DOORBELL_DONE);
	current = UPCS_NO_THREAD;
	assert_int_equal(ring(UPCI_DOORBELL_CREATE, 0, 0, 0, NULL), UPCI_DOORBELL_NOT_COUNTED);
}

TEST_WITH(test_contexts_end, set_up, NULL)
{
	static uint64_t all[20000];
	unsigned n = 0;

	while (n < 20000 && ring(UPCI_DOORBELL_CREATE, 0, 0, 0, &all[n]) == UPCI_DOORBELL_DONE)
		n++;
	assert_int_equal(n, 16384);
	assert_int_equal(ring(UPCI_DOORBELL_CREATE, 0, 0, 0, NULL), UPCI_DOORBELL_NO_MEMORY);
	while (n--)
		assert_int_equal(ring(UPCI_DOORBELL_DESTROY, all[n], 0, 0, NULL), UPCI_DOORBELL_DONE);
}

/* Nobody fetches: the queue has an end, and then it is said how many are missing. */
TEST_WITH(test_queue, set_up, NULL)
{
	struct upci_doorbell_interrupt interrupt;
	uint64_t context = create(), n;

	ring(UPCI_DOORBELL_BIND, context, 7, UPCI_PANEL_INSTRUCTIONS, NULL);
	ring(UPCI_DOORBELL_WRITE, context, UPC_REG_CONFIG(0), UINT64_C(2) << 56, NULL);
	ring(UPCI_DOORBELL_THRESHOLD, context, 7, 1, NULL);
	ring(UPCI_DOORBELL_SIGNAL, context, 40, 0, NULL);
	ring(UPCI_DOORBELL_WRITE, context, UPC_REG_START_STOP, 1, NULL);
	run_blocks(OTHER, 30000);
	assert_int_equal(threads[0].signals, 1);
	assert_int_equal(threads[0].signal, SIGRTMIN + 8);
	for (n = 1;; n++) {
		upcs_ring(UPCI_DOORBELL_FETCH, context, 0, 0, (uintptr_t)&interrupt);
		if (interrupt.status != UPCI_DOORBELL_DONE)
			break;
		assert_int_equal(interrupt.counter, 7);
		assert_int_equal(interrupt.value, n);
	}
	assert_int_equal(interrupt.status, UPCI_DOORBELL_NONE);
	assert_int_equal(n - 1, 65536);
	assert_int_equal(interrupt.lost, 90000 - 65536);
	/* The next one is told again. */
	run_block(OTHER);
	assert_int_equal(threads[0].signals, 2);
	ring(UPCI_DOORBELL_DESTROY, context, 0, 0, NULL);
}

/* ---- libupc on top ------------------------------------------------------------------------ */

static struct upc_catalogue *open_catalogue(void)
{
	struct upc_catalogue *c;

	if (upc_catalogue_open(NULL, &c))
		fail_msg("%s", upc_last_message());
	return c;
}

static struct upc_unit *unit_of(struct upc_catalogue *c)
{
	struct upc_unit *u;

	if (upc_unit_create(c, NULL, &u))
		fail_msg("%s", upc_last_message());
	return u;
}

static uint32_t add(struct upc_unit *u, struct upc_catalogue *c, const char *name)
{
	uint32_t code = event_code(c, name);

	if (upc_unit_add(u, code))
		fail_msg("%s", upc_last_message());
	return code;
}

TEST_WITH(test_no_simulator, set_up, NULL)
{
	struct upc_catalogue *c;

	there = false;
	assert_int_equal(upc_catalogue_open(NULL, &c), UPC_ENOSUPP);
	assert_non_null(strstr(upc_last_message(), "upc_run -- PROGRAM"));
	there = true;
	version_off = 1;
	assert_int_equal(upc_catalogue_open(NULL, &c), UPC_ENOSUPP);
	assert_non_null(strstr(upc_last_message(), "different releases"));
	version_off = 0;
	setenv("UPC_WIRING", "/nonexistent", 1);
	assert_int_equal(upc_catalogue_open(NULL, &c), UPC_EINVAL);
	unsetenv("UPC_WIRING");
}

TEST_WITH(test_catalogue, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	unsigned plain = 0, own = 0;
	uint32_t code;

	for (code = 0; code < upc_catalogue_count(c); code++) {
		assert_int_equal(upc_catalogue_info(c, code, &info), 0);
		plain += info.source == UPC_SOURCE_SIMULATION && info.id != UPC_NO_ID;
		own += info.source == UPC_SOURCE_SIMULATION && info.id == UPC_NO_ID;
		assert_true(info.source != UPC_SOURCE_PERF && info.source != UPC_SOURCE_TRACEPOINT);
	}
	assert_int_equal(plain, 4 * 29);
	/* PU_INSTRUCTIONS and those of each core, and TOT_INS, which are the same. */
	assert_int_equal(own, 29 + 2 * (1 + 4));
	assert_int_equal(upc_catalogue_info(c, event_code(c, "PU_FPU_FMA_2"), &info), 0);
	assert_null(strstr(info.description, "core 0"));
	assert_non_null(strstr(info.description, "counted thread"));
	assert_int_equal(upc_catalogue_info(c, event_code(c, "PU0_DCACHE_MISS"), &info), 0);
	assert_int_equal(info.source, UPC_SOURCE_NONE);
	assert_int_equal(upc_catalogue_find(c, "PU1_FPU_FMA_2:mode=high", &code), UPC_ENOSUPP);
	assert_int_equal(upc_catalogue_find(c, "perf::CYCLES", &code), UPC_ENOEVENT);
	assert_non_null(strstr(upc_last_message(), "simulated node"));
	upc_catalogue_close(c);
}

TEST_WITH(test_counting, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t own = add(u, c, "PU_FPU_MULT_1"), zero = add(u, c, "PU0_FPU_MULT_1"),
		 one = add(u, c, "PU1_FPU_MULT_1"), all = add(u, c, "TOT_INS"), flops = add(u, c, "FP_OPS");
	uint64_t value;

	run_blocks(FIVE, 10);
	assert_int_equal(event_value(u, own), 0);
	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 10);
	assert_int_equal(event_value(u, own), 50);
	assert_int_equal(event_value(u, zero), 50);
	assert_int_equal(event_value(u, one), 0);
	assert_int_equal(event_value(u, flops), 50);
	run_blocks(OTHER, 1);
	assert_int_equal(upc_unit_stop(u), 0);
	run_blocks(FIVE, 10);
	assert_int_equal(event_value(u, all), 73);
	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(MULTIPLY, 1);
	assert_int_equal(event_value(u, own), 51);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(event_value(u, own), 0);
	run_blocks(MULTIPLY, 3);
	assert_int_equal(event_value(u, own), 3);
	/* Registers as the contract has them. */
	assert_int_equal(upc_register_read(u, UPC_REG_START_STOP, &value), 0);
	assert_int_equal(value, 1);
	assert_int_equal(upc_register_read(u, UPC_REG_COUNTER(23), &value), 0);
	assert_int_equal(value, 3); /* PU0_FPU_MULT_1 has id 23 */
	assert_int_equal(upc_register_write(u, UPC_REG_START_STOP, 0), 0);
	run_blocks(MULTIPLY, 3);
	assert_int_equal(event_value(u, own), 3);
	assert_int_equal(upc_register_write(u, UPC_REG_COUNTER(23), UINT64_MAX), 0);
	assert_int_equal(event_value(u, zero), UINT64_MAX);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST_WITH(test_cores, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u;
	uint32_t own, zero, two, all, on_two, on_zero;

	current = 2;
	u = unit_of(c);
	all = add(u, c, "PU_INSTRUCTIONS");
	on_two = add(u, c, "PU2_TOT_INS");
	on_zero = add(u, c, "PU0_TOT_INS");
	own = add(u, c, "PU_FPU_MULT_1");
	two = add(u, c, "PU2_FPU_MULT_1");
	zero = add(u, c, "PU0_DATA_LOADS");
	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 4);
	/* Another thread's are not its; and others may look. */
	current = 0;
	run_blocks(FIVE, 100);
	assert_int_equal(event_value(u, own), 20);
	assert_int_equal(event_value(u, two), 20);
	assert_int_equal(event_value(u, zero), 0);
	assert_int_equal(event_value(u, on_two), event_value(u, all));
	assert_true(event_value(u, all) >= 20);
	assert_int_equal(event_value(u, on_zero), 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* An event that makes way for another takes its count and its threshold along. */
TEST_WITH(test_make_way, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t own = add(u, c, "PU_FPU_MULT_1"), told;
	struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

	assert_int_equal(upc_unit_set_interrupt(u, NULL, NULL, SIGRTMIN + 5), 0);
	assert_int_equal(upc_unit_set_threshold(u, own, 10), 0);
	assert_int_equal(upc_counter_state(u, 0, &info), 0);
	assert_int_equal(info.code, own);
	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(MULTIPLY, 7);
	add(u, c, "PU0_JPIPE_INSTRUCTIONS");
	assert_int_equal(upc_counter_state(u, 1, &info), 0);
	assert_int_equal(info.code, own);
	assert_int_equal(info.value, 7);
	run_blocks(MULTIPLY, 2);
	assert_int_equal(threads[0].signals, 0);
	run_blocks(MULTIPLY, 1);
	assert_int_equal(threads[0].signals, 1);
	assert_int_equal(upc_unit_signalled(u, 0, &told), 0);
	assert_int_equal(told, own);
	assert_int_equal(upc_unit_signalled(u, 0, &told), UPC_EINVAL);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST_WITH(test_thresholds, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t own = add(u, c, "PU_FPU_MULT_1"), loads = add(u, c, "PU0_DATA_LOADS"), told;
	uint64_t period;
	unsigned i;

	assert_int_equal(upc_unit_set_threshold(u, own, 10), UPC_ESTATE);
	assert_int_equal(upc_unit_set_interrupt(u, NULL, NULL, SIGRTMAX), UPC_EINVAL);
	assert_int_equal(upc_unit_set_interrupt(u, NULL, NULL, SIGRTMIN + 5), 0);
	assert_int_equal(upc_unit_set_threshold(u, own, 10), 0);
	assert_int_equal(upc_unit_set_threshold(u, loads, 4), 0);
	assert_int_equal(upc_unit_get_threshold(u, own, &period), 0);
	assert_int_equal(period, 10);
	assert_int_equal(upc_unit_start(u), 0);
	/* At the block in which it is met. */
	run_blocks(FIVE, 1);
	assert_int_equal(threads[0].signals, 0);
	run_blocks(FIVE, 1);
	assert_int_equal(threads[0].signals, 1);
	assert_int_equal(event_value(u, own), 10);
	run_blocks(FIVE, 2);
	/* One signal for 10, 20, and 4 loads, until they are fetched. */
	assert_int_equal(threads[0].signals, 1);
	for (i = 0; upc_unit_signalled(u, 0, &told) == 0; i++)
		assert_int_equal(told, i == 0 ? own : i == 1 ? loads : own);
	assert_int_equal(i, 3);
	run_blocks(FIVE, 2);
	assert_int_equal(threads[0].signals, 2);
	/* Without thresholds the thread goes its fast way again. */
	assert_true(threads[0].attended);
	assert_int_equal(upc_unit_set_threshold(u, own, 0), 0);
	assert_int_equal(upc_unit_set_threshold(u, loads, 0), 0);
	run_block(OTHER);
	assert_false(threads[0].attended);
	assert_int_equal(event_value(u, own), 30);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST_WITH(test_parity, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t own = add(u, c, "PU_FPU_MULT_1");
	uint64_t value;

	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 2);
	assert_int_equal(upc_counter_inject(u, 0, 0), 0);
	assert_int_equal(upc_unit_read_events(u, &own, 1, &value), UPC_EPARITY);
	assert_int_equal(upc_unit_read_events(u, &own, 1, &value), UPC_EPARITY);
	assert_int_equal(upc_unit_reset(u), 0);
	run_blocks(FIVE, 2);
	assert_int_equal(event_value(u, own), 10);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* Beside the node's events the machine's clocks. */
TEST_WITH(test_clock, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t clock = add(u, c, "time::real_ns"), own = add(u, c, "PU_FPU_MULT_1");
	uint64_t first, second;

	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 2);
	first = event_value(u, clock);
	do
		second = event_value(u, clock);
	while (second == first);
	assert_true(second > first);
	assert_int_equal(upc_unit_stop(u), 0);
	first = event_value(u, clock);
	assert_true(first >= second);
	assert_int_equal(event_value(u, clock), first);
	assert_int_equal(event_value(u, own), 10);
	assert_int_equal(upc_unit_reset(u), 0);
	assert_int_equal(event_value(u, clock), 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

TEST_WITH(test_refused, set_up, NULL)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u;

	options.context = UPC_CONTEXT_CPU;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	options.context = UPC_CONTEXT_THREAD;
	options.inherit = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	options.inherit = 0;
	options.domain = UPC_DOMAIN_USER;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_ENOSUPP);
	u = unit_of(c);
	assert_int_equal(upc_unit_play(u), UPC_ENOSUPP);
	assert_int_equal(upc_unit_playable(u), 0);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* Others see what was read last. */
TEST_WITH(test_share, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t code = add(u, c, "PU_INSTRUCTIONS");
	uint64_t values[UPC_COUNTERS], value;
	unsigned shown = 0;
	struct upc_monitor *m;
	char name[64];
	unsigned i;

	snprintf(name, sizeof(name), "sim-context-%d", (int)getpid());
	assert_int_equal(upc_unit_share(u, name, NULL), 0);
	assert_int_equal(upc_monitor_open(name, NULL, &m), 0);
	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 3);
	value = event_value(u, code);
	run_blocks(FIVE, 3);
	assert_int_equal(value, 21);
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	for (i = 0; i < UPC_COUNTERS; i++)
		shown += values[i] == value;
	assert_int_equal(shown, 1);
	upc_monitor_close(m);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* A unit that would count nothing gets an error. */
TEST_WITH(test_thread_gone, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);

	add(u, c, "PU_INSTRUCTIONS");
	threads[0].ended = true;
	assert_int_equal(upc_unit_start(u), UPC_ENOSUPP);
	assert_non_null(strstr(upc_last_message(), "does not count"));
	assert_false(upc_unit_running(u));
	threads[0].ended = false;
	assert_int_equal(upc_unit_start(u), 0);
	assert_true(upc_unit_running(u));
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* A thread's counts stay, when its record is another's. */
TEST_WITH(test_thread_ends, set_up, NULL)
{
	struct upc_catalogue *c = open_catalogue();
	struct upc_unit *u = unit_of(c);
	uint32_t code = add(u, c, "PU_INSTRUCTIONS");
	uint64_t value;

	assert_int_equal(upc_unit_start(u), 0);
	run_blocks(FIVE, 3);
	value = event_value(u, code);
	assert_true(value > 0);
	run_blocks(FIVE, 3);
	upcs_context_thread_ends();
	current = 1;
	threads[0].tally[UPCS_INSTRUCTIONS] += 1000;
	assert_int_equal(event_value(u, code), 2 * value);
	current = 0;
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

/* The child's thread has a record of its own, from zero on. */
TEST_WITH(test_fork, set_up, NULL)
{
	uint64_t context = create(), other, value;

	current = 1;
	other = create();
	current = 0;
	ring(UPCI_DOORBELL_WRITE, context, UPC_REG_START_STOP, 1, NULL);
	ring(UPCI_DOORBELL_WRITE, other, UPC_REG_START_STOP, 1, NULL);
	run_blocks(FIVE, 2);
	before_fork = 0;
	current = 2;
	threads[2].core = 0;
	upcs_context_forked();
	assert_int_equal(ring(UPCI_DOORBELL_READ, context, UPC_REG_START_STOP, 0, &value),
			 UPCI_DOORBELL_DONE);
	assert_int_equal(value, 0);
	ring(UPCI_DOORBELL_PRESET, context, 23, 0, NULL);
	ring(UPCI_DOORBELL_WRITE, context, UPC_REG_START_STOP, 1, NULL);
	run_blocks(FIVE, 3);
	ring(UPCI_DOORBELL_READ, context, UPC_REG_COUNTER(23), 0, &value);
	assert_int_equal(value, 15);
	/* Those of threads that are not here cannot be started, and can be given back. */
	assert_int_equal(ring(UPCI_DOORBELL_WRITE, other, UPC_REG_START_STOP, 1, NULL),
			 UPCI_DOORBELL_NOT_COUNTED);
	run_blocks(FIVE, 3);
	ring(UPCI_DOORBELL_READ, other, UPC_REG_COUNTER(23), 0, &value);
	assert_int_equal(value, 0);
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, other, 0, 0, NULL), UPCI_DOORBELL_DONE);
	assert_int_equal(ring(UPCI_DOORBELL_DESTROY, context, 0, 0, NULL), UPCI_DOORBELL_DONE);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
