/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nodelist.h - lists of nodes as Slurm writes them: "nid[001-003,7],login1".
 */
#ifndef JOBSTAT_NODELIST_H
#define JOBSTAT_NODELIST_H

#include <stddef.h>

/* More nodes than any machine has: a list that says so is a mistake. */
#define NODELIST_MAX 200000u

struct nodelist {
	char **name;
	unsigned n;
};

/* Adds what text says. 0; or -1: *at is where the mistake is, and *expected what was expected there,
 * or "memory"; list keeps what it had. */
int nodelist_parse(const char *text, size_t length, struct nodelist *list, size_t *at, const char **expected);
void nodelist_free(struct nodelist *list);

/* The names as one short list, in their order, for the caller to free; NULL: out of memory. */
char *nodelist_text(const char *const *name, unsigned n);

#endif
