/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker.h - the thread that has the units. It makes samples when they are due or requested, and executes
 * commands one after the other.
 * Terms: service/service.h.
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
	const struct config *config; /* NULL: no configuration */
	uint64_t hash;               /* of the configuration's text */
	const char *state;           /* path of the saved state, or NULL */
};

/* A command that waits for the worker, on the stack of its caller. */
struct worker_request {
	struct config_command *command;
	json_t *reply;
	int error;
	bool begun, done;
	struct worker_request *next;
};

struct worker {
	/* Only for the worker thread. */
	struct upc_catalogue *catalogue;
	struct counters *counters;
	struct aside *aside; /* users of hardware counters */
	unsigned yields;     /* yields by clients of upcctl run */
	struct config_initialize initialize;
	struct sample_about about;
	char *message;       /* owns the text of about.message; or NULL */
	struct saved *saved; /* NULL: the state is not saved */
	struct saved_about saved_about;
	int save_error; /* last errno of saving, or 0 */
	int timer;      /* expires at multiples of the interval; or -1 */
	uint64_t due_ns;

	int wake; /* eventfd: there is a request */
	pthread_t thread;
	bool started;

	/* Protects the fields below. Taken while no other lock is held; held briefly. */
	pthread_mutex_t lock;
	pthread_cond_t changed;              /* a sample was made, or a request has begun or is done */
	const struct service_sample *sample; /* the last sample; the worker owns a reference */
	uint64_t made;                       /* number of samples with new values */
	uint64_t generation;                 /* generation of the sample */
	bool wanted, making, ending;         /* a sample is requested; is being made; the worker is to end */
	struct worker_request *first, **last;
};

/*
 * Start the worker, which executes the configuration or restores the saved state. Return when the first
 * sample exists. Errors: those of the configuration, and UPC_ESTATE (another service has the saved state),
 * with *error; nothing is left then.
 */
int worker_start(struct worker *worker, const struct worker_options *options, struct config_error *error);
void worker_stop(struct worker *worker);

/* See service_sample_get. */
const struct service_sample *worker_sample(struct worker *worker, int wait_ms);

/* Return the generation of the last sample. */
uint64_t worker_generation(struct worker *worker);

/* Execute a command on the worker; the caller owns *reply. A command that lists does not wait for ever behind
 * a slow command: after LIST_WAIT_NS (worker.c) its reply is made from the last sample. */
int worker_command(struct worker *worker, struct config_command *command, json_t **reply);

/* Pure: return the next multiple of the interval, in CLOCK_REALTIME ns. */
uint64_t worker_next_due(uint64_t now_ns, uint64_t interval_ns);

#endif
