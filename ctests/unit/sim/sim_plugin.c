/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plugin under an emulator that emulates nothing (sim_emulator.h): threads come, execute
 * blocks, use contexts of their own and of each other, have all code thrown away, and go. All that
 * they did is counted, once, by thread, by region and by context. ThreadSanitizer finds what the
 * emulator itself cannot be run under it for.
 */
#include <inttypes.h>
#include <sched.h>

#include "plugin/context.h"
#include "sim_emulator.h"
#include "count/thread.h"
#include "../unit_test.h"

enum { EXIT = 60, CLONE = 56 }; /* system calls */
enum { THREADS = 4, ROUNDS = 3, STEPS = 4000, PERIOD = 7 };

/* ---- the program --------------------------------------------------------------------- */

/* Bytes behind an instruction are looked at as well. */
static const struct {
	uint8_t plain[3], multiplies[23], adds[7], repeats[2], calls[8], behind[16];
} text = {
	.plain = {0x90, 0x90, 0x90},
	/* Five multiplications and a load. */
	.multiplies = {0xf2, 0x0f, 0x59, 0xc1, 0xf2, 0x0f, 0x59, 0xc1, 0xf2, 0x0f, 0x59, 0xc1,
		       0xf2, 0x0f, 0x59, 0xc1, 0xf2, 0x0f, 0x59, 0xc1, 0x48, 0x8b, 0x03},
	/* An addition and a store. */
	.adds = {0xf2, 0x0f, 0x58, 0xc1, 0x48, 0x89, 0x03},
	.repeats = {0xf3, 0xaa}, /* rep stosb */
	/* A call, and what it returns to. */
	.calls = {0x90, 0xe8, 0, 0, 0, 0, 0x90, 0x90},
};

/* A multiplication and a return: the region, which is looked for among the symbols of this file. */
void sim_plugin_region(void);
__asm__(".pushsection .text\n"
	".globl sim_plugin_region\n"
	".type sim_plugin_region, %function\n"
	"sim_plugin_region: .byte 0xf2, 0x0f, 0x59, 0xc1, 0xc3\n"
	".size sim_plugin_region, 5\n"
	".popsection\n");

enum which { PLAIN, MULTIPLIES, ADDS, REPEATS, CALLS, REGION, RETURNED };

static struct code codes[] = {
	[PLAIN] = {text.plain, 3, {1, 1, 1}, 0},
	[MULTIPLIES] = {text.multiplies, 6, {4, 4, 4, 4, 4, 3}, 1},
	[ADDS] = {text.adds, 2, {4, 3}, 1},
	[REPEATS] = {text.repeats, 1, {2}, 3},
	[CALLS] = {text.calls, 2, {1, 5}, 1},
	[REGION] = {NULL, 2, {4, 1}, 1},
	[RETURNED] = {text.calls + 6, 2, {1, 1}, 0},
};

struct counts {
	uint64_t instructions, multiplications, additions, regions;
};

static const struct counts of[] = {
	[PLAIN] = {3, 0, 0, 0},    [MULTIPLIES] = {6, 5, 0, 0}, [ADDS] = {2, 0, 1, 0},
	[REPEATS] = {3, 0, 0, 0},  [CALLS] = {2, 0, 0, 0},      [REGION] = {2, 1, 0, 1},
	[RETURNED] = {2, 0, 0, 0},
};

/* ---- its threads --------------------------------------------------------------------- */

struct worker {
	pthread_t thread;
	unsigned number, vcpu;
	pid_t tid;
	uint64_t random;
	uint64_t context; /* which others use as well; 0: there is none */
	struct counts did;
	uint64_t wrong;
};

static struct worker workers[ROUNDS * THREADS];

static uint64_t ring(unsigned vcpu, uint64_t operation, uint64_t context, uint64_t a, uint64_t b,
		     uint64_t *value)
{
	struct upci_doorbell_word word = {UPCI_DOORBELL_NOBODY, 0};

	system_call(vcpu, UPCI_DOORBELL_CALL, operation, context, a, b, (uintptr_t)&word);
	if (value)
		*value = word.value;
	return word.status;
}

/* Counter 0's, whatever a threshold has added. */
static uint64_t count_of(unsigned vcpu, uint64_t context)
{
	struct upci_doorbell_registers registers = {.status = UPCI_DOORBELL_NOBODY};

	system_call(vcpu, UPCI_DOORBELL_CALL, UPCI_DOORBELL_PEEK, context, 0, 0, (uintptr_t)&registers);
	return registers.counter[0];
}

static void run_block(struct worker *w, enum which which)
{
	execute_block(&codes[which], which, w->vcpu);
	w->did.instructions += of[which].instructions;
	w->did.multiplications += of[which].multiplications;
	w->did.additions += of[which].additions;
	w->did.regions += of[which].regions;
}

static void run_some(struct worker *w)
{
	enum which which = random_next(&w->random) % (CALLS + 1);

	run_block(w, which);
	if (which == CALLS) {
		run_block(w, REGION);
		run_block(w, RETURNED);
	}
}

/* Multiplications of its own core, by the panel; of every other worker with a threshold. */
static uint64_t make_context(struct worker *w)
{
	uint64_t context = 0;

	w->wrong += ring(w->vcpu, UPCI_DOORBELL_CREATE, 0, 0, 0, &context) != UPCI_DOORBELL_DONE;
	ring(w->vcpu, UPCI_DOORBELL_BIND, context, 0, upcs_core_first[0] + upcs_tally_place[UPCS_FPU_MULT_1],
	     NULL);
	ring(w->vcpu, UPCI_DOORBELL_WRITE, context, UPC_REG_CONFIG(0), 2, NULL);
	if (w->vcpu % 2)
		ring(w->vcpu, UPCI_DOORBELL_THRESHOLD, context, 0, PERIOD, NULL);
	w->wrong += ring(w->vcpu, UPCI_DOORBELL_WRITE, context, UPC_REG_START_STOP, 1, NULL) !=
		    UPCI_DOORBELL_DONE;
	return context;
}

static uint64_t fetched(const struct worker *w, uint64_t context)
{
	uint64_t n = 0;

	for (;;) {
		struct upci_doorbell_interrupt interrupt = {.status = UPCI_DOORBELL_NOBODY};

		system_call(w->vcpu, UPCI_DOORBELL_CALL, UPCI_DOORBELL_FETCH, context, 0, 0,
			    (uintptr_t)&interrupt);
		if (interrupt.status != UPCI_DOORBELL_DONE)
			return n;
		n++;
	}
}

/* The operations of one thread on another's context: it may be gone already. */
static void meddle(struct worker *w)
{
	struct worker *other = &workers[random_next(&w->random) % (ROUNDS * THREADS)];
	uint64_t context = __atomic_load_n(&other->context, __ATOMIC_ACQUIRE);

	if (!context || other == w)
		return;
	(void)count_of(w->vcpu, context);
	if (other->vcpu % 2)
		return;
	/* Those without a threshold of their own get one for a while. */
	ring(w->vcpu, UPCI_DOORBELL_THRESHOLD, context, 0, 1 + random_next(&w->random) % 100, NULL);
	ring(w->vcpu, UPCI_DOORBELL_THRESHOLD, context, 0, 0, NULL);
}

/* A program that is not there, memory that others write, a handler of faults. */
static void call_system(struct worker *w, unsigned step)
{
	static const char nothing[] = "/nonexistent/program";
	const uint64_t action[4] = {(uintptr_t)text.plain};

	if (step % 512 == 0)
		system_call(w->vcpu, 59, (uintptr_t)nothing, 0, 0, 0, 0);
	if (step % 1024 == 1)
		system_call(w->vcpu, 9, 0, 4096, 3, 1, 0);
	if (step == STEPS / 2 && w->vcpu == 2)
		system_call(w->vcpu, 13, 11, (uintptr_t)action, 0, 8, 0);
}

static void *work(void *argument)
{
	struct worker *w = argument;
	uint64_t context, before;
	unsigned i;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_RELEASE);
	if (w->number)
		begin_vcpu(w->vcpu);
	run_some(w);
	context = make_context(w);
	before = w->did.multiplications;
	__atomic_store_n(&w->context, context, __ATOMIC_RELEASE);
	for (i = 0; i < STEPS; i++) {
		run_some(w);
		if (i % 16 == 0)
			meddle(w);
		call_system(w, i);
	}
	w->wrong += count_of(w->vcpu, context) != w->did.multiplications - before;
	if (w->vcpu % 2)
		w->wrong += fetched(w, context) != (w->did.multiplications - before) / PERIOD;
	__atomic_store_n(&w->context, 0, __ATOMIC_RELEASE);
	w->wrong += ring(w->vcpu, UPCI_DOORBELL_DESTROY, context, 0, 0, NULL) != UPCI_DOORBELL_DONE;
	if (w->number) {
		call_begins(w->vcpu, EXIT, 0, 0, 0, 0, 0);
		end_vcpu(w->vcpu);
	}
	return NULL;
}

/* By the first. Threads of later rounds have the vCPUs of those that have ended. */
static void make_worker(struct worker *w)
{
	call_begins(0, CLONE, CLONE_VM, 0, 0, 0, 0);
	make_vcpu(w->vcpu);
	pthread_create(&w->thread, NULL, work, w);
	while (!__atomic_load_n(&w->tid, __ATOMIC_ACQUIRE))
		sched_yield();
	call_ends(0, CLONE, w->tid);
}

/* The first is the thread that everything began on. */
static void run_program(void)
{
	unsigned i, k;

	for (i = 0; i < ROUNDS * THREADS; i++)
		workers[i] = (struct worker){.number = i, .vcpu = i ? 1 + (i - 1) % THREADS : 0, .random = i};
	make_vcpu(0);
	begin_vcpu(0);
	run_some(&workers[0]); /* in blocks that add without a call */
	for (k = 0; k < ROUNDS; k++) {
		for (i = k * THREADS; i < (k + 1) * THREADS; i++)
			if (i)
				make_worker(&workers[i]);
		if (k == 0)
			work(&workers[0]);
		for (i = k * THREADS; i < (k + 1) * THREADS; i++)
			if (i)
				pthread_join(workers[i].thread, NULL);
	}
	emulator.exit(0, NULL);
}

/* ---- what was counted ---------------------------------------------------------------- */

static unsigned differ(const char *what, unsigned number, uint64_t counted, uint64_t did)
{
	if (counted == did)
		return 0;
	print_message("thread %u: %" PRIu64 " %s, not %" PRIu64 "\n", number, counted, what, did);
	return 1;
}

static unsigned compare(const struct upcs_results *results)
{
	const bool regions = results->options.regions;
	unsigned i, wrong = 0;

	for (i = 0; i < results->threads.there; i++) {
		const struct upcs_thread *t = &results->thread[i];
		const struct worker *w = &workers[t->number];

		wrong += differ("failures", t->number, w->wrong, 0);
		wrong += differ("state", t->number, t->state, UPCS_ENDED);
		wrong += differ("instructions", t->number, t->tally[0][UPCS_INSTRUCTIONS],
				w->did.instructions);
		wrong += differ("multiplications", t->number, t->tally[0][UPCS_FPU_MULT_1],
				w->did.multiplications);
		wrong += differ("additions", t->number, t->tally[0][UPCS_FPU_ADD_SUB_1], w->did.additions);
		if (!regions)
			continue;
		wrong += differ("in the region", t->number, t->tally[1][UPCS_FPU_MULT_1], w->did.regions);
		wrong += differ("calls of it", t->number, t->entered[0], w->did.regions);
	}
	wrong += differ("threads", 0, results->threads.there, ROUNDS * THREADS);
	wrong += differ("processes that left", 0, results->process[0].left, 0);
	return wrong;
}

/* In a process of its own: there is one plugin, and it begins once. */
static void run_scenario(bool regions)
{
	const qemu_info_t info = {.target_name = "x86_64", .version = {.min = 0, .cur = QEMU_PLUGIN_VERSION}};
	char path[UPCS_WORD_MAX], argument[UPCS_WORD_MAX + 16], after[] = "after=-1", on[] = "count=on",
								program[] = "program=/proc/self/exe";
	struct upcs_results *results;
	int lock, status;
	pid_t child;

	results = upcs_results_create(path, &lock);
	assert_non_null(results);
	results->options.regions = regions;
	strcpy(results->options.region[0], "sim_plugin_region");
	snprintf(argument, sizeof(argument), "results=%s", path);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		codes[REGION].at = (const uint8_t *)(uintptr_t)sim_plugin_region;
		emulator_begin();
		if (qemu_plugin_install(0, &info, 4, (char *[]){argument, after, on, program}))
			_exit(2);
		run_program();
		fflush(stdout);
		_exit(compare(results) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	upcs_results_destroy(results, path, lock);
	assert_int_equal(status, 0);
}

static void assert_refused(const char *target, int argc, char **argv, const char *message)
{
	const qemu_info_t info = {.target_name = target};
	char said[200] = "";
	int ends[2], was = dup(STDERR_FILENO);

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	assert_int_equal(qemu_plugin_install(0, &info, argc, argv), 1);
	dup2(was, STDERR_FILENO);
	close(was);
	assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
	assert_string_equal(said, message);
	close(ends[0]);
	close(ends[1]);
}

/* Said on standard error, and nothing is touched. */
TEST(test_refused)
{
	char unknown[] = "verbose", nowhere[] = "results=/nonexistent/results";

	assert_refused(
		"sparc", 0, NULL,
		"upc_sim: programs for x86_64, aarch64, ppc and riscv64 can be counted, not for sparc\n");
	assert_refused("x86_64", 1, (char *[]){unknown},
		       "upc_sim: not an argument of this plugin, which upc_run starts: verbose\n");
	assert_refused("x86_64", 1, (char *[]){nowhere},
		       "upc_sim: not the results of an upc_run of this release: /nonexistent/results\n");
}

TEST(test_whole)
{
	run_scenario(false);
}

TEST(test_regions)
{
	run_scenario(true);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
