/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * saved.h - the state that survives the service: counters, what commands made of them, and what was
 * given out. It is in a file before a sample is handed out, so that after any death nothing that
 * somebody has seen goes backwards. The file has two slots, of which the older one is written: one is
 * always whole. It is written with pwrite and not mapped: a full disk is an error then, not a signal.
 */
#ifndef SERVICE_SAVED_H
#define SERVICE_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/counters.h"

/* A counter in a place, as it was. */
struct saved_cell {
	char *place;
	uint64_t value, value_ns, running_ns;
	uint64_t *sum;
	unsigned terms;
};

struct saved_counter {
	unsigned id, number, scope;
	bool halted, optional;
	char *name, *event; /* event as it was given */
	struct saved_cell *cell;
	unsigned cells;
};

struct saved_state {
	uint64_t config, source; /* hashes of the configuration, and of what is counted */
	uint64_t started_ns, samples, generation;
	unsigned next_id, next_number;
	bool same_boot; /* written since this machine is up                 */
	bool whole;     /* values are not older than what was given out     */
	struct saved_counter *counter;
	unsigned counters;
};

/* The data of the service that is written beside its counters. */
struct saved_about {
	uint64_t config, source, started_ns, samples;
	bool clean; /* the last time: the service ends */
};

struct saved;

/*
 * Opens or makes the file, and locks it. *was is what it had, or NULL: saved_state_free's. *remark is
 * what the operator should know, or NULL; the caller frees it: that the file was damaged and moved
 * aside, or cannot be used; then *saved is NULL, and the service goes on without. Errors: UPC_ESTATE
 * (another service has it), UPC_ENOMEM; *remark says it.
 */
int saved_open(const char *path, struct saved **saved, struct saved_state **was, char **remark);

/* Writes the state. Returns 0 or an errno: then the file says of itself that it is too old. */
int saved_write(struct saved *saved, const struct counters *counters, const struct saved_about *about);
void saved_close(struct saved *saved);
void saved_state_free(struct saved_state *state);

/* Pure: a state as bytes, and back; NULL where they are none (or there is no memory). */
void *saved_encode(const struct counters *counters, const struct saved_about *about, const char *boot,
		   size_t *length);
struct saved_state *saved_decode(const void *bytes, size_t length, const char *boot);

uint64_t saved_hash(const void *bytes, size_t length);

#endif
