/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_overflow - PAPI_overflow in a program on the simulated node: a callback for each multiple
 * of the threshold, as soon as the block of code has ended in which it was met. The test runs
 * itself under upc_run, twice.
 */
#include <setjmp.h>
#include <signal.h>

#include "../papi/papi_util.h"
#include "sim_loop.h"

#define INSIDE "UPC_TEST_SIM_INSIDE"

static _Thread_local struct {
	int calls[2];
	long long value[2]; /* at the last call */
	int late, wrong, other_thread;
	pthread_t thread;
	int set, read;
	long long threshold[2];
} seen;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	long long values[2] = {0, 0};
	int i;

	(void)address;
	(void)context;
	seen.other_thread += !pthread_equal(pthread_self(), seen.thread);
	seen.wrong += set != seen.set || vector == 0;
	if (seen.read && PAPI_read(set, values) != PAPI_OK)
		seen.wrong++;
	for (i = 0; i < 2; i++) {
		if (!(vector >> i & 1))
			continue;
		seen.calls[i]++;
		seen.value[i] = values[i];
		/* The loop's block counts one of each. */
		if (seen.read && values[i] != seen.calls[i] * seen.threshold[i])
			seen.late++;
	}
}

static int overflow(int set, const char *name, int i, int threshold)
{
	int code;

	seen.threshold[i] = threshold;
	seen.set = set;
	seen.thread = pthread_self();
	return PAPI_event_name_to_code(name, &code) == PAPI_OK
		       ? PAPI_overflow(set, code, threshold, 0, on_overflow)
		       : PAPI_EBUG;
}

static int set_of_two(void)
{
	int set = set_with("upc:::PU_FPU_MULT_1");

	ok(set != PAPI_NULL && PAPI_add_named_event(set, "upc:::PU_FPU_ADD_SUB_1") == PAPI_OK, "a set");
	memset(&seen, 0, sizeof(seen));
	return set;
}

static void destroy(int set)
{
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void test_one(int threshold, unsigned long n)
{
	const int k = (int)(n / (unsigned long)threshold);
	long long values[2];
	int set = set_of_two();

	ok(overflow(set, "upc:::PU_FPU_MULT_1", 0, threshold) == PAPI_OK, "a threshold of %d", threshold);
	seen.read = 1;
	PAPI_start(set);
	loop(n);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == (long long)n, "counts are as without it");
	ok(seen.calls[0] == k && !seen.wrong && !seen.other_thread, "%d callbacks", k);
	ok(seen.late == 0, "each at exactly its multiple");
	if (seen.calls[0] != k || seen.late || seen.wrong)
		note("%d calls, %d late, %d wrong, last at %lld, %lld counted", seen.calls[0], seen.late,
		     seen.wrong, seen.value[0], values[0]);
	loop(n);
	ok(seen.calls[0] == k, "none while it is stopped");
	ok(overflow(set, "upc:::PU_FPU_MULT_1", 0, 0) == PAPI_OK, "the threshold is taken away");
	PAPI_start(set);
	loop(n);
	PAPI_stop(set, values);
	ok(seen.calls[0] == k && values[0] == (long long)n, "no callback comes any more");
	destroy(set);
}

static void test_two(void)
{
	long long values[2];
	int set = set_of_two();

	ok(overflow(set, "upc:::PU_FPU_MULT_1", 0, 300) == PAPI_OK &&
		   overflow(set, "upc:::PU_FPU_ADD_SUB_1", 1, 700) == PAPI_OK,
	   "two thresholds");
	seen.read = 1;
	PAPI_start(set);
	loop(21000);
	PAPI_stop(set, values);
	ok(seen.calls[0] == 70 && seen.calls[1] == 30, "each has its own callbacks");
	ok(seen.late == 0 && seen.wrong == 0, "... each at its multiples, both at once too");
	if (seen.calls[0] != 70 || seen.calls[1] != 30 || seen.late || seen.wrong)
		note("%d and %d calls, %d late, %d wrong", seen.calls[0], seen.calls[1], seen.late,
		     seen.wrong);
	destroy(set);
}

/* 10 thresholds and a half, with all signals blocked. */
static void count_blocked(int set, sigset_t *before)
{
	sigset_t all;

	overflow(set, "upc:::PU_FPU_MULT_1", 0, 100);
	PAPI_start(set);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
	loop(1050);
}

/* A blocked signal waits, its interrupts with it. */
static void test_blocked(void)
{
	long long values[2];
	sigset_t before;
	int set = set_of_two();

	count_blocked(set, &before);
	ok(seen.calls[0] == 0, "no callback while signals are blocked");
	sigprocmask(SIG_SETMASK, &before, NULL);
	ok(seen.calls[0] == 10, "all of them when they are not");
	PAPI_stop(set, values);
	ok(values[0] == 1050, "and no count is lost");
	destroy(set);
}

/* An overflow that was not called back before the set stopped never is; the next start is a new one. */
static void test_stopped_blocked(void)
{
	long long values[2];
	sigset_t before;
	int set = set_of_two();

	count_blocked(set, &before);
	PAPI_stop(set, values);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ok(seen.calls[0] == 0 && values[0] == 1050,
	   "a set that stops while signals are blocked calls nobody");
	PAPI_start(set);
	loop(1050);
	PAPI_stop(set, values);
	ok(seen.calls[0] == 10, "... and does when it is started again");
	destroy(set);
}

static sigjmp_buf out;

static void on_overflow_jump(int set, void *address, long long vector, void *context)
{
	on_overflow(set, address, vector, context);
	siglongjmp(out, 1);
}

/* A handler that does not return. */
static void test_jump(void)
{
	long long values[2];
	int set = set_of_two(), code;
	volatile int rounds = 0;

	PAPI_event_name_to_code("upc:::PU_FPU_MULT_1", &code);
	seen.set = set;
	seen.thread = pthread_self();
	ok(PAPI_overflow(set, code, 100, 0, on_overflow_jump) == PAPI_OK && PAPI_start(set) == PAPI_OK,
	   "a handler that jumps");
	sigsetjmp(out, 1);
	if (rounds++ < 10)
		loop(1000);
	PAPI_stop(set, values);
	ok(seen.calls[0] == 10 && values[0] == 1000, "it is called again each time");
	if (seen.calls[0] != 10 || values[0] != 1000)
		note("%d calls, %lld counted", seen.calls[0], values[0]);
	destroy(set);
}

static void on_overflow_stop(int set, void *address, long long vector, void *context)
{
	long long values[2];

	on_overflow(set, address, vector, context);
	if (seen.calls[0] == 2 &&
	    (PAPI_stop(set, values) != PAPI_OK || PAPI_cleanup_eventset(set) != PAPI_OK ||
	     PAPI_destroy_eventset(&set) != PAPI_OK))
		seen.wrong++;
}

/* A handler that takes the set away, while more interrupts of it are queued. */
static void test_gone(void)
{
	sigset_t all, before;
	int set = set_of_two(), code;

	PAPI_event_name_to_code("upc:::PU_FPU_MULT_1", &code);
	seen.set = set;
	seen.thread = pthread_self();
	PAPI_overflow(set, code, 100, 0, on_overflow_stop);
	PAPI_start(set);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	loop(1050);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ok(seen.calls[0] == 2 && !seen.wrong, "a handler stops and destroys the set: it is not called again");
}

/* A handler that counts more than the threshold would be called for ever. */
static void test_endless(void)
{
	long long values[2];
	int set = set_with("upc:::PU_INSTRUCTIONS");
	sigset_t blocked;

	memset(&seen, 0, sizeof(seen));
	ok(overflow(set, "upc:::PU_INSTRUCTIONS", 0, 200) == PAPI_OK,
	   "a threshold that the handler counts itself");
	PAPI_start(set);
	loop(10000);
	PAPI_stop(set, values);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	ok(seen.calls[0] >= 65536 && values[0] > 65536 * 200 && sigismember(&blocked, SIGRTMIN + 5),
	   "the program goes on, without further callbacks");
	seen.calls[0] = 0;
	ok(overflow(set, "upc:::PU_INSTRUCTIONS", 0, 0) == PAPI_OK &&
		   overflow(set, "upc:::PU_INSTRUCTIONS", 0, 100000) == PAPI_OK,
	   "another threshold");
	PAPI_start(set);
	loop(100000);
	PAPI_stop(set, values);
	ok(seen.calls[0] == (int)(values[0] / 100000), "... is heard of");
	destroy(set);
}

/* Instructions are what handlers execute as well. */
static void test_instructions(void)
{
	long long values[2];
	int set = set_with("upc:::PU_INSTRUCTIONS");

	memset(&seen, 0, sizeof(seen));
	ok(overflow(set, "upc:::PU_INSTRUCTIONS", 0, 100000) == PAPI_OK, "a threshold of instructions");
	PAPI_start(set);
	loop(1000000);
	PAPI_stop(set, values);
	ok(seen.calls[0] == (int)(values[0] / 100000), "a callback for each multiple that was counted");
	note("%d callbacks, %lld instructions", seen.calls[0], values[0]);
	destroy(set);
}

/* A child has the set, stopped, and no interrupts of its parent's. */
static void test_fork(void)
{
	long long values[2];
	int set = set_of_two(), status;
	pid_t child;

	overflow(set, "upc:::PU_FPU_MULT_1", 0, 100);
	PAPI_start(set);
	loop(1050);
	child = fork();
	if (child == 0) {
		loop(500);
		if (seen.calls[0] != 10 || PAPI_stop(set, values) != PAPI_OK)
			_exit(1);
		seen.calls[0] = 0;
		if (PAPI_start(set) != PAPI_OK)
			_exit(2);
		loop(720);
		_exit(PAPI_stop(set, values) == PAPI_OK && values[0] == 720 && seen.calls[0] == 7 ? 0 : 3);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "a child starts anew, with the threshold");
	if (status)
		note("status %x", (unsigned)status);
	loop(1050);
	PAPI_stop(set, values);
	ok(seen.calls[0] == 21 && values[0] == 2100, "its parent goes on");
	destroy(set);
}

/* Threads at once, each with a threshold and a length of its own; some end while they count. */
#define THREADS 6

static void *in_thread(void *argument)
{
	const int number = (int)(size_t)argument;
	int set = set_with("upc:::PU_FPU_MULT_1");
	long long values[2];
	size_t good;

	memset(&seen, 0, sizeof(seen));
	good = overflow(set, "upc:::PU_FPU_MULT_1", 0, 10 * number) == PAPI_OK;
	seen.read = 1;
	PAPI_start(set);
	loop(1000ul * (unsigned long)number);
	if (number % 3) {
		good = good && PAPI_stop(set, values) == PAPI_OK && values[0] == 1000 * number;
		PAPI_unregister_thread();
	}
	good = good && seen.calls[0] == 100 && !seen.late && !seen.wrong && !seen.other_thread;
	return (void *)good;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	void *good;
	size_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, in_thread, (void *)(i + 1));
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &good);
		ok(good != NULL, "thread %u of %d at once has its callbacks", (unsigned)i + 1, THREADS);
	}
}

static int inside(void)
{
	start_papi();
	test_one(100, 10000);
	test_one(1, 500);
	test_one(4096, 20000);
	test_two();
	test_blocked();
	test_stopped_blocked();
	test_jump();
	test_gone();
	test_instructions();
	test_endless();
	test_fork();
	test_threads();
	return done();
}

#include "sim_inside.h"

int main(void)
{
	return getenv(INSIDE) ? inside() : twice(INSIDE);
}
