/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker.h - the thread that has the units: it makes samples when they are due or asked for, and
 * executes commands, one after the other.
 */
#ifndef SERVICE_WORKER_H
#define SERVICE_WORKER_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "service/aside.h"
#include "service/config.h"
#include "service/counters.h"
#include "service/sample.h"
#include "service/saved.h"

struct worker_options {
	const struct config *config; /* NULL: nothing is configured */
	uint64_t hash;               /* of its text                  */
	const char *state;           /* path of the saved state, or NULL */
};

/* A command that waits for the worker; it lies on the stack of who waits. */
struct worker_request {
	struct config_command *command;
	json_t *reply;
	int error;
	bool begun, done;
	struct worker_request *next;
};

struct worker {
	/* The worker's own. */
	struct upc_catalogue *catalogue;
	struct counters *counters;
	struct aside *aside; /* who else has hardware counters */
	unsigned yields;     /* clients of upcctl run          */
	struct config_initialize initialize;
	struct sample_about about;
	char *message;       /* what about.message is, or NULL */
	struct saved *saved; /* NULL: nothing is saved */
	struct saved_about saved_about;
	int save_error; /* the last errno of saving, or 0 */
	int timer;      /* at multiples of the interval, or -1 */
	uint64_t due_ns;

	int wake; /* an eventfd: something was asked */
	pthread_t thread;
	bool started;

	/* Protects what follows. Nests in nothing; held for short. */
	pthread_mutex_t lock;
	pthread_cond_t changed;              /* a sample was made, a request is done */
	const struct service_sample *sample; /* the last; its reference is the worker's */
	uint64_t made;                       /* how many samples there were that somebody could ask for */
	uint64_t generation;                 /* of the sample */
	bool wanted, making, ending;
	struct worker_request *first, **last;
};

/*
 * Starts the worker with what the configuration says, which it executes, or takes the saved state up.
 * Returns when the first sample is there. Errors: those of the configuration, and UPC_ESTATE (another
 * service has the saved state), with *error; then nothing is left.
 */
int worker_start(struct worker *worker, const struct worker_options *options, struct config_error *error);
void worker_stop(struct worker *worker);

/* See service_sample_get. */
const struct service_sample *worker_sample(struct worker *worker, int wait_ms);

/* The generation of the last sample. */
uint64_t worker_generation(struct worker *worker);

/* Executes a command on the worker; comes back with its reply, which is the caller's. One that lists
 * does not wait for ever behind another that takes long: it has the last sample then. */
int worker_command(struct worker *worker, struct config_command *command, json_t **reply);

/* The next multiple of the interval, in CLOCK_REALTIME; pure. */
uint64_t worker_next_due(uint64_t now_ns, uint64_t interval_ns);

#endif
