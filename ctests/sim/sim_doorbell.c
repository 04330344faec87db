/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_doorbell - the doorbell alone, without libupc: in a program with one thread and nothing
 * shared, whose blocks count without a call, and in the same one with a second thread. The test
 * runs itself under upc_run, twice.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "node/doorbell.h"
#include "sim_inside.h"
#include "sim_loop.h"
#include "upc.h"

#define INSIDE "UPC_TEST_SIM_INSIDE"
#define MULTIPLY 23 /* the id of PU0_FPU_MULT_1 */

static volatile int signals, interrupts, wrong;
static uint64_t context, period;

static uint64_t ring(uint64_t operation, uint64_t a, uint64_t b)
{
	struct upci_doorbell_word word = {0, 0};

	syscall(UPCI_DOORBELL_CALL, operation, context, a, b, &word);
	if (word.status != UPCI_DOORBELL_DONE)
		wrong++;
	return word.value;
}

static uint64_t count(void)
{
	return ring(UPCI_DOORBELL_READ, UPC_REG_COUNTER(0), 0);
}

static void on_signal(int signal)
{
	struct upci_doorbell_interrupt interrupt;

	(void)signal;
	signals++;
	for (;;) {
		interrupt.status = UPCI_DOORBELL_NOBODY;
		syscall(UPCI_DOORBELL_CALL, UPCI_DOORBELL_FETCH, context, 0, 0, &interrupt);
		if (interrupt.status != UPCI_DOORBELL_DONE)
			break;
		interrupts++;
		wrong += interrupt.counter != 0 || interrupt.value != (uint64_t)interrupts * period;
	}
}

/* Counter 0 counts multiplications of the own core, by the panel. */
static void make(void)
{
	context = ring(UPCI_DOORBELL_CREATE, 0, 0);
	ring(UPCI_DOORBELL_BIND, 0, MULTIPLY);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_CONFIG(0), 2);
}

static void test_counts(const char *when)
{
	wrong = 0;
	make();
	loop(1000);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 1);
	loop(2000);
	ok(count() == 2000, "%s: counts", when);
	loop(1);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 0);
	loop(5000);
	ok(count() == 2001, "%s: to the last one", when);
	ring(UPCI_DOORBELL_DESTROY, 0, 0);
	ok(wrong == 0, "%s: every doorbell is answered", when);
}

static void test_threshold(const char *when)
{
	struct sigaction action = {.sa_handler = on_signal};
	int met;

	wrong = signals = interrupts = 0;
	period = 250;
	sigaction(SIGRTMIN, &action, NULL);
	make();
	ring(UPCI_DOORBELL_SIGNAL, (uint64_t)SIGRTMIN, 0);
	ring(UPCI_DOORBELL_THRESHOLD, 0, period);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 1);
	loop(249);
	met = interrupts;
	loop(1);
	ok(met == 0 && interrupts == 1, "%s: at the 250th", when);
	loop(10000);
	ok(interrupts == 41 && signals == 41 && wrong == 0, "%s: at each multiple", when);
	ok(count() == 4096 - period, "%s: the register is a threshold from its boundary", when);
	ring(UPCI_DOORBELL_THRESHOLD, 0, 0);
	ok(count() == 10250, "%s: no count is lost", when);
	loop(10000);
	ok(interrupts == 41, "%s: none without a threshold", when);
	ring(UPCI_DOORBELL_DESTROY, 0, 0);
}

/* Interrupts that nobody fetched before the context stopped are none of the next start's. */
static void test_forgotten(void)
{
	struct sigaction action = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};

	wrong = signals = interrupts = 0;
	period = 250;
	make();
	ring(UPCI_DOORBELL_SIGNAL, (uint64_t)SIGRTMIN, 0);
	ring(UPCI_DOORBELL_THRESHOLD, 0, period);
	sigaction(SIGRTMIN, &ignore, NULL);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 1);
	loop(1000);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 0);
	sigaction(SIGRTMIN, &action, NULL);
	ring(UPCI_DOORBELL_PRESET, 0, 0);
	ring(UPCI_DOORBELL_WRITE, UPC_REG_START_STOP, 1);
	loop(1000);
	ok(interrupts == 4 && signals == 4 && wrong == 0,
	   "a start forgets what nobody fetched, and signals again");
	ring(UPCI_DOORBELL_DESTROY, 0, 0);
}

/* Operations are compared whole, and contexts too. */
static void test_refused(void)
{
	struct upci_doorbell_word word = {0, 0};

	wrong = 0;
	make();
	syscall(UPCI_DOORBELL_CALL, (UINT64_C(1) << 32) + UPCI_DOORBELL_DESTROY, context, 0, 0, &word);
	ok(word.status == UPCI_DOORBELL_UNKNOWN, "an operation beyond all");
	ring(UPCI_DOORBELL_DESTROY, 0, 0);
	ok(wrong == 0, "... did nothing");
	ring(UPCI_DOORBELL_DESTROY, 0, 0);
	ok(wrong == 1, "a context that is gone is not known");
}

static void *nothing(void *argument)
{
	return argument;
}

static int inside(void)
{
	pthread_t thread;

	test_counts("one thread");
	test_threshold("one thread");
	test_counts("one thread again");
	test_forgotten();
	test_refused();
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	test_counts("after another");
	test_threshold("after another");
	return done();
}

int main(void)
{
	return getenv(INSIDE) ? inside() : twice(INSIDE);
}
