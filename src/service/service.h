/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service.h - the node service: counts on this node all the time, and takes commands meanwhile (MSR, section
 * IV). It uses libupc and no transport: consumers of values, such as PCP's agent, take samples, and sources
 * of commands pass them as words.
 *
 * Terms:
 * - counter: an event that the service counts under a name, in all places of one scope
 * - place: a CPU, the whole node, or a control group; scope: one of these three kinds of places
 * - unit: libupc's counters that are read together (upc.h), one per place; slot: index of a counter in it
 * - cell: a counter in one place, with the sums of its counts there (place.h)
 * - level: a momentary value, such as a gauge, in contrast to a count
 * - sample: the values and states of all counters in all places at one time
 * - to step aside, to yield: to stop the hardware counters, so that another user can have them; then resume
 * - user: another process that has hardware counters; taken: of a counter that such a user has
 * - to judge: to find a cell's state from the time for which it was counted since the last judgement
 * - pass: a look at the descriptors of all processes, to find users (users.h)
 * - saved state: the file from which the next service continues the counts (saved.h)
 * - script: a file that provides the events' counts in place of this machine (UPC_SOURCE)
 * - to publish: to make a sample available to consumers
 * - lane: a thread of the control socket that runs commands (lane.h)
 * - pure: depending on the arguments alone, without I/O and global state
 *
 * A worker thread has all units, and does everything that may take long. It makes the samples, which never
 * change; a consumer keeps a sample as long as necessary. All calls may come from any thread, and none from
 * signal handlers. A sample owns its strings.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct service;

struct service_options {
	const char *config;  /* path of the configuration; NULL: none, and no counter */
	const char *state;   /* path of the file for the state that survives; NULL: no file */
	const char *control; /* path of the socket for commands; NULL: no socket */
};

/*
 * Read the configuration, restore the saved state, and begin to count. Errors: a negative UPC_E* code, and a
 * reason in *message, which the caller frees; for an error in the configuration it has FILE:LINE:COLUMN and
 * what was expected. After an error, no part of the configuration is in effect.
 */
int service_open(const struct service_options *options, struct service **service, char **message);

/* Save the state and end the worker. Samples that consumers have stay valid. */
void service_close(struct service *service);

enum service_scope {
	SERVICE_CPU,    /* one place for each CPU */
	SERVICE_NODE,   /* one place */
	SERVICE_CGROUP, /* one place for each control group */
	SERVICE_SCOPES
};

/* The state of a counter in a place. The numbers are in PCP archives and must not change. */
enum service_state {
	SERVICE_OPENING = 0,
	SERVICE_COUNTING = 1,
	SERVICE_HALTED = 2,  /* by a command */
	SERVICE_TAKEN = 3,   /* another user has the hardware counter */
	SERVICE_YIELDED = 4, /* the service stepped aside for upcctl run or for a user that it noticed */
	SERVICE_FAILED = 5,  /* cannot be counted; the reason is in why */
	SERVICE_OFFLINE = 6, /* the CPU is offline, or the control group is gone */
	SERVICE_STATES
};

const char *service_scope_name(enum service_scope scope); /* "cpu", "node", "cgroup" */
const char *service_state_name(enum service_state state); /* "opening", "counting", ... */

/* Return how bad a state is, from 0. A counter has the state of its worst place. */
unsigned service_state_badness(enum service_state state);

/* value is valid if state is SERVICE_COUNTING. value and running_ns never go backwards while id is the same,
 * even over a death of the service whose state was saved. For a level, value is the level itself. */
struct service_value {
	uint64_t value;
	uint64_t running_ns; /* time for which it was counted: a rate is value / running_ns */
	enum service_state state;
};

struct service_counter {
	unsigned id;       /* never reused, also after a restart with the saved state */
	unsigned number;   /* number of the counter: a reassign keeps the number and changes the id */
	const char *name;  /* used in commands: the event's name, or its alias */
	const char *event; /* the catalogue's name */
	const char *description, *unit;
	enum service_scope scope;
	bool level;      /* value is a level, not a count */
	bool hardware;   /* takes a counter of a PMU */
	const char *why; /* reason of the worst state among the places: one sentence, or "" */
	const struct service_value *value; /* one for each place: places[scope] of them */
};

struct service_place {
	const char *name; /* "cpu0"; "" for the node; the label of a control group */
	int cpu, numa;    /* numbers of a CPU and its NUMA node; otherwise -1 */
};

/* Return the worst state among the counter's places; SERVICE_OFFLINE if it has no place. */
enum service_state service_counter_state(const struct service_counter *counter, unsigned places);

/* Another process that has hardware counters. */
struct service_user {
	pid_t pid;
	uid_t uid;
	char command[64];     /* printable */
	unsigned descriptors; /* number of perf events and MSRs */
};

struct service_sample {
	uint64_t generation;  /* grows with each change of counters, places or states by command */
	uint64_t started_ns;  /* CLOCK_REALTIME at which ids and counts began; kept in the saved state */
	uint64_t time_ns;     /* CLOCK_REALTIME of the sample's middle */
	uint64_t due_ns;      /* when the sample was due; time_ns if there is no interval */
	uint64_t took_ns;     /* time from the first read to the last */
	uint64_t samples;     /* number of samples so far */
	uint64_t interval_ns; /* 0: samples are made on request */
	const struct service_counter *counter;
	unsigned counters;
	const struct service_place *place[SERVICE_SCOPES];
	unsigned places[SERVICE_SCOPES];
	const struct service_user *user;
	unsigned users;
	const char *users_unseen; /* why some users cannot be noticed, or "" */
	const char *message;      /* remark for the operator (about the saved state or the clock), or "" */
};

/*
 * Return the present values. Without an interval they are read for this call; callers that come while a
 * sample is made share it. With an interval, they are the values of the interval's last multiple. If the
 * worker is busy for longer than wait_ms, return the last sample. Never NULL. Release it with
 * service_sample_put.
 */
const struct service_sample *service_sample_get(struct service *service, int wait_ms);
void service_sample_put(const struct service_sample *sample);

/* Return the generation of the next sample, or a later one. Cheap; never waits. */
uint64_t service_generation(struct service *service);

/*
 * Run one command, given as words (no shell: a word is any bytes). Return when it is done or refused: 0 or a
 * negative UPC_E*, and *reply, a JSON object as text, which the caller frees: {"ok": bool, "message": text,
 * "generation": n, ...}. control.c calls it for clients.
 */
int service_command(struct service *service, const char *const *word, unsigned words, char **reply);

#endif
