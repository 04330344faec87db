/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * result.h - a copy of a thread's counts: a tree of call paths with values. Pure.
 * Terms: region/region.h.
 */
#ifndef UPCR_RESULT_H
#define UPCR_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "region/sum.h"
#include "region/tree.h"

struct upcr_row {
	unsigned parent, name, depth; /* the parent's row comes first */
	uint64_t calls, ns;
};

/* Sums by name; a row includes all rows below it. */
struct upcr_by_name {
	unsigned names;
	unsigned *first;          /* [names]: first row of the name; 0: none */
	unsigned *more;           /* [rows]: next row of the same name; 0: none */
	uint64_t *ns;             /* [rows] */
	struct upcr_value *value; /* [rows * events] */
};

struct upcr_result {
	struct upcr_result *next;
	struct upcr_by_name *by_name; /* from upcr_result_index, or NULL */
	unsigned serial;              /* serial number of the thread, from 0 */
	unsigned threads;             /* number of threads whose counts are merged in this result */
	pid_t tid;
	char name[16];
	uint64_t ns;
	unsigned rows, events;
	struct upcr_row *row;     /* [rows]; [0] is outside of all regions */
	struct upcr_value *value; /* [rows * events]; NULL without events */
};

/* Return a result whose counts are 0. NULL: out of memory. */
struct upcr_result *upcr_result_create(unsigned rows, unsigned events);
/* Return a copy of the tree whose values are 0. NULL: out of memory. */
struct upcr_result *upcr_result_of(const struct upcr_tree *tree, unsigned events);
void upcr_result_free(struct upcr_result *result);
/* Add another thread's result. False if out of memory: nothing has changed. */
bool upcr_result_merge(struct upcr_result *into, const struct upcr_result *from);

/* Move the row born, in which a created thread counts outside of its own regions, and all rows below it. If
 * home is odd, the row's counts are added to row home / 2, which also becomes the parent of the rows below;
 * otherwise row home / 2 becomes the parent of born. Does nothing if born is 0. */
void upcr_result_settle(struct upcr_result *result, unsigned born, unsigned home);

/* Make the index for upcr_result_add, valid until the next merge. False: out of memory. */
bool upcr_result_index(struct upcr_result *result);
void upcr_result_unindex(struct upcr_result *result);
/* Add the result's counts of a name, each path once; with name UINT32_MAX those of all names. value: [n], or
 * NULL. */
void upcr_result_add(const struct upcr_result *result, unsigned name, uint64_t *calls, uint64_t *ns,
		     struct upcr_value *value, unsigned n);

#endif
