/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lane.h - commands that run one after the other, on a thread of their own.
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
	uint64_t client; /* who asked; it may be gone; never given twice */
	pid_t pid;
	uid_t uid;
	struct request request; /* of a command; the job's own                          */
	bool ok;                /* how it went, and what is answered: a JSON object or NULL, the job's own */
	char *reply;
};

void lane_job_free(struct lane_job *job);

/* Jobs in their order, first in first out. Whoever has a queue locks it. */
struct lane_queue {
	struct lane_job *first, **end;
};

void lane_queue_init(struct lane_queue *queue);
void lane_queue_put(struct lane_queue *queue, struct lane_job *job);
struct lane_job *lane_queue_take(struct lane_queue *queue); /* NULL: there is none */
void lane_queue_free(struct lane_queue *queue);             /* and the jobs in it  */

struct lane {
	pthread_t thread;
	pthread_mutex_t mutex; /* of what follows, nests in nothing; no signal handler takes it */
	pthread_cond_t more;
	struct lane_queue queue;
	bool stopping;
	void (*run)(void *arg, struct lane_job *job); /* does it and keeps the job */
	void *arg;
};

/* 0, or an errno. The thread takes no signals. */
int lane_start(struct lane *lane, void (*run)(void *arg, struct lane_job *job), void *arg);
void lane_put(struct lane *lane, struct lane_job *job);

/* Waits for the job that runs; those that do not yet are dropped. */
void lane_stop(struct lane *lane);

#endif
