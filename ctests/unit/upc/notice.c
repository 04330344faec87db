/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notices wait until ordinary code tells them: who notices may be a signal handler, on top
 * of who holds the library's lock.
 */
#include <pthread.h>
#include <signal.h>

#include "base/later.h"
#include "base/notice.h"
#include "base/process.h"
#include "../unit_test.h"

static void keep(const char *line, void *arg)
{
	snprintf(arg, 64, "%s", line);
}

TEST(test_told)
{
	char line[64] = "";

	upci_notice("dropped");
	upc_set_message_callback(keep, line);
	upci_notice("eth%d vanished", 0);
	assert_string_equal(line, "");
	upci_notices_tell();
	assert_string_equal(line, "eth0 vanished");
	*line = '\0';
	upci_notices_tell();
	assert_string_equal(line, "");
	/* A notice that waits goes to the old callback. */
	upci_notice("eth1 vanished");
	upc_set_message_callback(NULL, NULL);
	assert_string_equal(line, "eth1 vanished");
	upci_notice("dropped");
	upci_notices_tell();
	assert_string_equal(line, "eth1 vanished");
}

static void on_signal(int number)
{
	upci_notice("signal %d", number);
}

/* As a tick that finds its thread in a call of the library. A lock that is taken twice is
 * never got: the alarm ends the test then. */
TEST(test_on_top_of_the_lock)
{
	struct sigaction action = {.sa_handler = on_signal}, before;
	char line[64] = "", wanted[64];

	snprintf(wanted, sizeof(wanted), "signal %d", SIGUSR1);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	upc_set_message_callback(keep, line);
	alarm(600);
	upci_process_lock();
	raise(SIGUSR1);
	upci_process_unlock();
	alarm(0);
	assert_string_equal(line, "");
	upci_notices_tell();
	assert_string_equal(line, wanted);
	upc_set_message_callback(NULL, NULL);
	sigaction(SIGUSR1, &before, NULL);
}

/* A notice that waits is passed on once, by the parent. */
TEST(test_fork)
{
	char line[64] = "";
	pid_t child;

	upc_set_message_callback(keep, line);
	upci_notice("eth0 vanished");
	child = fork();
	if (child == 0) {
		upci_notices_tell();
		_exit(*line != '\0');
	}
	assert_true(child > 0);
	assert_int_equal(end_of(child), 0);
	upci_notices_tell();
	assert_string_equal(line, "eth0 vanished");
	upc_set_message_callback(NULL, NULL);
}

static void count(const char *line, void *arg)
{
	(void)line;
	__atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

TEST(test_too_many)
{
	unsigned told = 0, i;

	upc_set_message_callback(count, &told);
	for (i = 0; i < 3 * UPCI_LATER_LINES; i++)
		upci_notice("line %u", i);
	upci_notices_tell();
	assert_int_equal(told, UPCI_LATER_LINES);
	/* There is room again. */
	upci_notice("one more");
	upci_notices_tell();
	assert_int_equal(told, UPCI_LATER_LINES + 1);
	upc_set_message_callback(NULL, NULL);
}

#define THREADS 4
#define ROUNDS 2000

/* Each line is one letter throughout. */
static void check_whole(const char *line, void *arg)
{
	size_t length = strlen(line);

	if (length != 100 || strspn(line, (const char[]){line[0], '\0'}) != length)
		__atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

static void *notice_often(void *arg)
{
	char line[101];
	int i;

	memset(line, *(const char *)arg, 100);
	line[100] = '\0';
	for (i = 0; i < ROUNDS; i++) {
		upci_notice("%s", line);
		if (i % 3 == 0)
			upci_notices_tell();
	}
	return NULL;
}

TEST(test_threads)
{
	static char letters[THREADS] = {'a', 'b', 'c', 'd'};
	pthread_t thread[THREADS];
	unsigned torn = 0;
	int i;

	upc_set_message_callback(check_whole, &torn);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, notice_often, &letters[i]), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	upc_set_message_callback(NULL, NULL);
	assert_int_equal(torn, 0);
}

UNIT_TESTS(notice, NULL, NULL)
