/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * result.h - what a thread has counted, once it is over: a tree of call paths with values. Pure.
 */
#ifndef UPCR_RESULT_H
#define UPCR_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "region/sum.h"
#include "region/tree.h"

struct upcr_row {
	unsigned parent, name, depth; /* parent is before it */
	uint64_t calls, ns;
};

/* With all that is inside. */
struct upcr_by_name {
	unsigned names;
	unsigned *first;          /* [names]: a row of the name; 0: none   */
	unsigned *more;           /* [rows]: the next of the same name     */
	uint64_t *ns;             /* [rows] */
	struct upcr_value *value; /* [rows * events] */
};

struct upcr_result {
	struct upcr_result *next;
	struct upcr_by_name *by_name; /* of upcr_result_index, or NULL */
	unsigned serial;              /* of the thread, from 0   */
	unsigned threads;             /* that are put together here */
	pid_t tid;
	char name[16];
	uint64_t ns;
	unsigned rows, events;
	struct upcr_row *row;     /* [rows], [0] is outside of all regions */
	struct upcr_value *value; /* [rows * events]; NULL without events  */
};

/* All 0. NULL: out of memory. */
struct upcr_result *upcr_result_create(unsigned rows, unsigned events);
/* Copies a tree; values are zero. NULL: out of memory. */
struct upcr_result *upcr_result_of(const struct upcr_tree *tree, unsigned events);
void upcr_result_free(struct upcr_result *result);
/* Adds another thread's. False: out of memory, and nothing has changed. */
bool upcr_result_merge(struct upcr_result *into, const struct upcr_result *from);

/* Moves the row born, of a thread that another has created, with all below it: to below row home / 2, or, if
 * home is odd, into that row. born 0: does nothing. */
void upcr_result_settle(struct upcr_result *result, unsigned born, unsigned home);

/* Makes it ready for upcr_result_add, until the next merge. False: out of memory. */
bool upcr_result_index(struct upcr_result *result);
void upcr_result_unindex(struct upcr_result *result);
/* Adds the result's counts for a name, each path once; for all names with UINT32_MAX. value: [n], or
 * NULL. */
void upcr_result_add(const struct upcr_result *result, unsigned name, uint64_t *calls, uint64_t *ns,
		     struct upcr_value *value, unsigned n);

#endif
