/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lane.h - a lane: a thread that runs commands one after the other.
 * Terms: service/service.h.
 */
#ifndef SERVICE_LANE_H
#define SERVICE_LANE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "service/request.h"

enum lane_kind { LANE_COMMAND, LANE_YIELD, LANE_RESUME };

struct lane_job {
	struct lane_job *next;
	enum lane_kind kind;
	uint64_t client; /* number of the client, which may have disconnected; never reused */
	pid_t pid;
	uid_t uid;
	struct request request; /* for a command; owned by the job */
	bool ok;                /* the result, and the reply: a JSON object or NULL, owned by the job */
	char *reply;
};

void lane_job_free(struct lane_job *job);

/* A queue of jobs, first in, first out. The owner locks it. */
struct lane_queue {
	struct lane_job *first, **end;
};

void lane_queue_init(struct lane_queue *queue);
void lane_queue_put(struct lane_queue *queue, struct lane_job *job);
struct lane_job *lane_queue_take(struct lane_queue *queue); /* NULL: empty */
void lane_queue_free(struct lane_queue *queue);             /* frees its jobs, too */

struct lane {
	pthread_t thread;
	pthread_mutex_t mutex; /* protects the next fields; taken while no other lock is held, and by no
				  signal handler */
	pthread_cond_t more;
	struct lane_queue queue;
	bool stopping;
	void (*run)(void *arg, struct lane_job *job); /* runs the job and takes it over */
	void *arg;
};

/* Start the thread, which blocks all signals. Return 0, or an errno. */
int lane_start(struct lane *lane, void (*run)(void *arg, struct lane_job *job), void *arg);
void lane_put(struct lane *lane, struct lane_job *job);

/* Wait for the job that runs, and drop those that have not begun. */
void lane_stop(struct lane *lane);

#endif
