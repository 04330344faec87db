/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lane.c - a lane: a thread that runs commands one after the other.
 * Terms: service/service.h.
 */
#include "service/lane.h"

#include <signal.h>
#include <stdlib.h>

void lane_job_free(struct lane_job *job)
{
	if (job == NULL)
		return;
	request_free(&job->request);
	free(job->reply);
	free(job);
}

void lane_queue_init(struct lane_queue *queue)
{
	queue->first = NULL;
	queue->end = &queue->first;
}

void lane_queue_put(struct lane_queue *queue, struct lane_job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
}

struct lane_job *lane_queue_take(struct lane_queue *queue)
{
	struct lane_job *job = queue->first;

	if (job == NULL)
		return NULL;
	queue->first = job->next;
	if (queue->first == NULL)
		queue->end = &queue->first;
	return job;
}

void lane_queue_free(struct lane_queue *queue)
{
	struct lane_job *job;

	while ((job = lane_queue_take(queue)) != NULL)
		lane_job_free(job);
}

static void *work_lane(void *arg)
{
	struct lane *lane = arg;
	struct lane_job *job;

	pthread_mutex_lock(&lane->mutex);
	while (!lane->stopping) {
		job = lane_queue_take(&lane->queue);
		if (job == NULL) {
			pthread_cond_wait(&lane->more, &lane->mutex);
			continue;
		}
		pthread_mutex_unlock(&lane->mutex);
		lane->run(lane->arg, job);
		pthread_mutex_lock(&lane->mutex);
	}
	pthread_mutex_unlock(&lane->mutex);
	return NULL;
}

int lane_start(struct lane *lane, void (*run)(void *arg, struct lane_job *job), void *arg)
{
	sigset_t all, before;
	int error;

	*lane = (struct lane){.run = run, .arg = arg};
	lane_queue_init(&lane->queue);
	pthread_mutex_init(&lane->mutex, NULL);
	pthread_cond_init(&lane->more, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	error = pthread_create(&lane->thread, NULL, work_lane, lane);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error != 0) {
		pthread_mutex_destroy(&lane->mutex);
		pthread_cond_destroy(&lane->more);
	}
	return error;
}

void lane_put(struct lane *lane, struct lane_job *job)
{
	pthread_mutex_lock(&lane->mutex);
	lane_queue_put(&lane->queue, job);
	pthread_cond_signal(&lane->more);
	pthread_mutex_unlock(&lane->mutex);
}

void lane_stop(struct lane *lane)
{
	pthread_mutex_lock(&lane->mutex);
	lane->stopping = true;
	pthread_cond_signal(&lane->more);
	pthread_mutex_unlock(&lane->mutex);
	pthread_join(lane->thread, NULL);
	lane_queue_free(&lane->queue);
	pthread_mutex_destroy(&lane->mutex);
	pthread_cond_destroy(&lane->more);
}
