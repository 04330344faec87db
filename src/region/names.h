/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - region names as numbers. A name is any bytes. A known name is found without a lock, and its
 * number never changes. Number 0 is "others", for names beyond the limit.
 * Terms: region/region.h.
 */
#ifndef UPCR_NAMES_H
#define UPCR_NAMES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Longer names are cut to this number of bytes. */
#define UPCR_NAME_MAX 4096

#define UPCR_OTHERS 0u
#define UPCR_UNKNOWN UINT32_MAX

/* Names of the engine's own rows, which it makes first: UPCR_MEASURING, UPCR_WAITING and UPCR_WITHOUT. */
#define UPCR_MEASURING 1u
#define UPCR_MEASURING_NAME "(measuring)"
/* Rows that upc_regions makes from the counters of the whole run. */
#define UPCR_START_NAME "(start)"
#define UPCR_END_NAME "(end)"
#define UPCR_WAITING 2u
#define UPCR_WITHOUT 3u
#define UPCR_OWN_NAMES 3u

struct upcr_entry {
	uint64_t hash;
	unsigned number;
	unsigned length;
	char text[]; /* NUL-terminated */
};

struct upcr_names {
	unsigned max; /* limit of names, not counting "others" */
	unsigned mask;
	/* Entries never change or move. A release store publishes a complete entry. Paired with the acquire
	 * loads in find_name_place and upcr_names_text. */
	_Atomic(struct upcr_entry *) *slot; /* [mask + 1] */
	_Atomic(struct upcr_entry *) *by_number;
	atomic_uint count;    /* including "others" */
	atomic_ulong beyond;  /* number of look-ups of names that found no room */
	pthread_mutex_t lock; /* held while an entry is made; may be taken while the engine's lock is held */
};

/* Return 0, or -1 if out of memory. */
int upcr_names_init(struct upcr_names *names, unsigned max);
/* Read each page of the table, so that looking up a name costs the program no page fault. */
void upcr_names_touch(const struct upcr_names *names);
/* Free the table, which no thread uses any more. */
void upcr_names_free(struct upcr_names *names);

/* Return the name's number, or UPCR_UNKNOWN if it has none yet. Takes no lock. */
unsigned upcr_names_find(const struct upcr_names *names, const char *name, size_t length);
/* Return the name's number, and make one if it has none. UPCR_OTHERS if the limit is reached or memory is
 * short. */
unsigned upcr_names_number(struct upcr_names *names, const char *name, size_t length);

unsigned upcr_names_count(const struct upcr_names *names);
const char *upcr_names_text(const struct upcr_names *names, unsigned number, size_t *length);

#endif
