/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * saved.h - the state that survives the service: counters, the changes by commands, and the published values.
 * The file is written before a sample is published, so that no published value goes backwards after any death
 * of the service. The file has two slots for states; each write overwrites the older one, so one slot is
 * always complete. It is written with pwrite and not mapped, so that a full disk causes an error, not a
 * signal.
 * Terms: service/service.h.
 */
#ifndef SERVICE_SAVED_H
#define SERVICE_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "service/counters.h"

/* The saved state of a counter in a place. */
struct saved_cell {
	char *place;
	uint64_t value, value_ns, running_ns;
	uint64_t *sum;
	unsigned terms;
};

struct saved_counter {
	unsigned id, number, scope;
	bool halted, optional;
	char *name, *event; /* event as given */
	struct saved_cell *cell;
	unsigned cells;
};

struct saved_state {
	uint64_t config, source; /* hashes of the configuration and of the source */
	uint64_t started_ns, samples, generation;
	unsigned next_id, next_number;
	bool same_boot; /* written since this machine was booted */
	bool whole;     /* its values are not older than the published ones */
	struct saved_counter *counter;
	unsigned counters;
};

/* The data of the service that are saved in addition to its counters. */
struct saved_about {
	uint64_t config, source, started_ns, samples;
	bool clean; /* this is the last write before the service ends */
};

struct saved;

/*
 * Open or make the file, and lock it. *was is its state, for saved_state_free, or NULL. *remark is a text for
 * the operator, which the caller frees, or NULL: the file was damaged and moved, or cannot be used. In the
 * latter case *saved is NULL, and the service goes on without saving. Errors, explained by *remark:
 * UPC_ESTATE (another service has the file), UPC_ENOMEM.
 */
int saved_open(const char *path, struct saved **saved, struct saved_state **was, char **remark);

/* Write the state. Return 0 or an errno; after an error the file is marked as too old. */
int saved_write(struct saved *saved, const struct counters *counters, const struct saved_about *about);
void saved_close(struct saved *saved);
void saved_state_free(struct saved_state *state);

/* Pure: encode a state as bytes, or decode it; NULL if the bytes are no state, or if out of memory. */
void *saved_encode(const struct counters *counters, const struct saved_about *about, const char *boot,
		   size_t *length);
struct saved_state *saved_decode(const void *bytes, size_t length, const char *boot);

uint64_t saved_hash(const void *bytes, size_t length);

#endif
