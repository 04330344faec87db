/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lane.c - unit tests of commands on a thread of their own: one after the other, in their order; and the end
 * waits for the one that runs only.
 */
#include "service/lane.h"

#include <signal.h>
#include <semaphore.h>

#include "../unit_test.h"

static struct lane_queue done;
static sem_t begun, go, ended;

static struct lane_job *new_job(uint64_t client)
{
	struct lane_job *job = calloc(1, sizeof(*job));

	assert_non_null(job);
	job->client = client;
	return job;
}

static void run(void *arg, struct lane_job *job)
{
	sigset_t mask;

	assert_ptr_equal(arg, &done);
	/* Signals are the program's own threads'. */
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	assert_true(sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGHUP) == 1);
	sem_post(&begun);
	sem_wait(&go);
	job->reply = strdup("{}");
	lane_queue_put(&done, job);
	sem_post(&ended);
}

static int setup(void **state)
{
	(void)state;
	lane_queue_init(&done);
	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	sem_init(&ended, 0, 0);
	return 0;
}

TEST_WITH(test_order, setup, NULL)
{
	struct lane_job *job;
	struct lane lane;

	assert_int_equal(lane_start(&lane, run, &done), 0);
	for (uint64_t i = 1; i <= 100; i++) {
		lane_put(&lane, new_job(i));
		sem_post(&go);
	}
	for (unsigned i = 0; i < 100; i++)
		sem_wait(&ended);
	lane_stop(&lane);
	for (uint64_t i = 1; i <= 100; i++) {
		job = lane_queue_take(&done);
		assert_non_null(job);
		assert_int_equal(job->client, i);
		assert_string_equal(job->reply, "{}");
		lane_job_free(job);
	}
	assert_null(lane_queue_take(&done));
}

static void *let_go(void *arg)
{
	(void)arg;
	/* The end of the lane has begun by now, or soon will have; both must be right. */
	usleep(20000);
	sem_post(&go);
	return NULL;
}

TEST_WITH(test_end, setup, NULL)
{
	struct lane_job *job;
	pthread_t thread;
	struct lane lane;

	assert_int_equal(lane_start(&lane, run, &done), 0);
	for (uint64_t i = 1; i <= 5; i++)
		lane_put(&lane, new_job(i));
	sem_wait(&begun);
	assert_int_equal(pthread_create(&thread, NULL, let_go, NULL), 0);
	lane_stop(&lane);
	pthread_join(thread, NULL);
	job = lane_queue_take(&done);
	assert_int_equal(job->client, 1);
	assert_null(lane_queue_take(&done));
	lane_job_free(job);
	/* One that never had anything to do. */
	assert_int_equal(lane_start(&lane, run, &done), 0);
	lane_stop(&lane);
}

TEST_WITH(test_queue, setup, NULL)
{
	struct lane_queue queue;

	lane_queue_init(&queue);
	assert_null(lane_queue_take(&queue));
	for (unsigned round = 0; round < 3; round++) {
		lane_queue_put(&queue, new_job(1));
		lane_queue_put(&queue, new_job(2));
		for (uint64_t i = 1; i <= 2; i++) {
			struct lane_job *job = lane_queue_take(&queue);

			assert_int_equal(job->client, i);
			lane_job_free(job);
		}
		assert_null(lane_queue_take(&queue));
	}
	lane_queue_put(&queue, new_job(1));
	lane_queue_free(&queue);
	lane_job_free(NULL);
}

UNIT_TESTS(lane, NULL, NULL)
