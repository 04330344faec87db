/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * service.h - the node service: counts on this node all the time, and takes commands while it does
 * (MSR, section IV). It knows libupc, and no transport: who has values from it, by PCP or otherwise,
 * takes samples; who has commands hands them over as lines.
 *
 * A worker thread has all units and does everything that may take long. Samples are made by it and
 * never change; who has one keeps it as long as he likes. All calls are for any thread; none is for
 * signal handlers. Strings of a sample belong to it.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct service;

struct service_options {
	const char *config;  /* path of the configuration; NULL: none, no counter                 */
	const char *state;   /* path of the file with the state that survives; NULL: none survives */
	const char *control; /* path of the socket for commands; NULL: none                       */
};

/*
 * Reads the configuration, takes the saved state up, and begins to count. Errors: a negative UPC_E*
 * code, and *message, which the caller frees, says why: of a configuration FILE:LINE:COLUMN and what
 * was expected; then nothing of it holds.
 */
int service_open(const struct service_options *options, struct service **service, char **message);

/* Ends the worker, after the state was saved. Samples that somebody has stay. */
void service_close(struct service *service);

enum service_scope {
	SERVICE_CPU,    /* a place for each CPU            */
	SERVICE_NODE,   /* one place                       */
	SERVICE_CGROUP, /* a place for each control group  */
	SERVICE_SCOPES
};

/* The state of a counter in a place. The numbers are in archives and must not change. */
enum service_state {
	SERVICE_OPENING = 0,
	SERVICE_COUNTING = 1,
	SERVICE_HALTED = 2,  /* by a command                                             */
	SERVICE_TAKEN = 3,   /* somebody else has the hardware counter                    */
	SERVICE_YIELDED = 4, /* the service stepped aside: for upcctl run, or a user seen */
	SERVICE_FAILED = 5,  /* it cannot be counted; why says the reason                 */
	SERVICE_OFFLINE = 6, /* the CPU is offline, or the control group is gone          */
	SERVICE_STATES
};

const char *service_scope_name(enum service_scope scope); /* "cpu", "node", "cgroup"                */
const char *service_state_name(enum service_state state); /* "opening", "counting", ...             */

/* How bad a state is, from 0: that of the worst place is the counter's. */
unsigned service_state_badness(enum service_state state);

/* value is given where state is SERVICE_COUNTING. It and running_ns never go backwards while id is the
 * same, also over a death of the service whose state was saved. The value of a level is the level
 * itself. */
struct service_value {
	uint64_t value;
	uint64_t running_ns; /* how long it was counted: the time to divide by */
	enum service_state state;
};

struct service_counter {
	unsigned id;       /* never given twice, also not after a restart with the saved state */
	unsigned number;   /* of the counter: a reassign keeps it and gives another id         */
	const char *name;  /* by which commands call it: the event's, or its alias             */
	const char *event; /* the catalogue's name */
	const char *description, *unit;
	enum service_scope scope;
	bool level;      /* a level, not a count        */
	bool hardware;   /* takes a counter of a PMU     */
	const char *why; /* of the worst state among the places: one sentence, or ""       */
	const struct service_value *value; /* one a place: as many as places[scope] */
};

struct service_place {
	const char *name; /* "cpu0", "" of the node, the label of a control group */
	int cpu, numa;    /* of a CPU; else -1                                  */
};

/* The worst state among the counter's places; of one without a place SERVICE_OFFLINE. */
enum service_state service_counter_state(const struct service_counter *counter, unsigned places);

/* Somebody else who has hardware counters. */
struct service_user {
	pid_t pid;
	uid_t uid;
	char command[64];     /* printable */
	unsigned descriptors; /* of perf events, and of MSRs */
};

struct service_sample {
	uint64_t generation;  /* grows with each change of counters, places or states by command */
	uint64_t started_ns;  /* CLOCK_REALTIME at which ids and counts began: stays with the saved state */
	uint64_t time_ns;     /* CLOCK_REALTIME of the sample's middle          */
	uint64_t due_ns;      /* when it should have been; without interval time_ns */
	uint64_t took_ns;     /* from the first read to the last                */
	uint64_t samples;     /* how many there were                            */
	uint64_t interval_ns; /* 0: when somebody asks                          */
	const struct service_counter *counter;
	unsigned counters;
	const struct service_place *place[SERVICE_SCOPES];
	unsigned places[SERVICE_SCOPES];
	const struct service_user *user;
	unsigned users;
	const char *users_unseen; /* why others' use cannot be noticed, or "" */
	const char *message;      /* what the operator should know (of the saved state, the clock), or "" */
};

/*
 * The values now: without an interval read for this call (those who ask while one is made share it),
 * with one those of the last multiple of it. Where the worker is busy for longer than wait_ms it is
 * the last sample. Never NULL. Ends with service_sample_put.
 */
const struct service_sample *service_sample_get(struct service *service, int wait_ms);
void service_sample_put(const struct service_sample *sample);

/* The generation that the next sample has, or a later one. Cheap, waits for nobody. */
uint64_t service_generation(struct service *service);

/*
 * One command, as its words (no shell: a word is any bytes). Comes back when it is done, or refused,
 * with 0 or a negative UPC_E*, and *reply, a JSON object as text, which the caller frees:
 * {"ok": bool, "message": text, "generation": n, ...}. control.c calls it for clients.
 */
int service_command(struct service *service, const char *const *word, unsigned words, char **reply);

#endif
