/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - names of regions as numbers. A name is any bytes. A known one is found without a
 * lock, and what was found once stays. Number 0 is "others", for names beyond the limit.
 */
#ifndef UPCR_NAMES_H
#define UPCR_NAMES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Longer names are cut to so many bytes. */
#define UPCR_NAME_MAX 4096

#define UPCR_OTHERS 0u
#define UPCR_UNKNOWN UINT32_MAX

/* Names of the engine's own rows, which it makes first. */
#define UPCR_MEASURING 1u
#define UPCR_MEASURING_NAME "(measuring)"
/* Rows that upc_regions makes of the counters of the whole run. */
#define UPCR_START_NAME "(start)"
#define UPCR_END_NAME "(end)"
#define UPCR_WAITING 2u
#define UPCR_WITHOUT 3u
#define UPCR_OWN_NAMES 3u

struct upcr_entry {
	uint64_t hash;
	unsigned number;
	unsigned length;
	char text[]; /* and a NUL behind it */
};

struct upcr_names {
	unsigned max; /* names beside "others"          */
	unsigned mask;
	/* Entries never change or go. Release: the entry is complete. Partner: find and text. */
	_Atomic(struct upcr_entry *) *slot; /* [mask + 1] */
	_Atomic(struct upcr_entry *) *by_number;
	atomic_uint count;    /* with "others" */
	atomic_ulong beyond;  /* how often a name found no room */
	pthread_mutex_t lock; /* of making an entry; nests in nothing */
};

/* 0, or -1: out of memory. */
int upcr_names_init(struct upcr_names *names, unsigned max);
/* Reads each page of the table, so that looking up a name costs the program no page fault. */
void upcr_names_touch(const struct upcr_names *names);
/* Nobody uses them any more. */
void upcr_names_free(struct upcr_names *names);

/* UPCR_UNKNOWN: it has no number yet. Takes no lock. */
unsigned upcr_names_find(const struct upcr_names *names, const char *name, size_t length);
/* Makes a number for it where it has none. UPCR_OTHERS: the limit is reached, or memory is. */
unsigned upcr_names_number(struct upcr_names *names, const char *name, size_t length);

unsigned upcr_names_count(const struct upcr_names *names);
const char *upcr_names_text(const struct upcr_names *names, unsigned number, size_t *length);

#endif
