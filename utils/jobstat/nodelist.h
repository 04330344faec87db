/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nodelist.h - lists of nodes as Slurm writes them: "nid[001-003,7],login1".
 */
#ifndef JOBSTAT_NODELIST_H
#define JOBSTAT_NODELIST_H

#include <stddef.h>

/* More nodes than any machine has. A longer list is a mistake. */
#define NODELIST_MAX 200000u

struct nodelist {
	char **name;
	unsigned n;
};

/* Add the nodes of a list in text. Return 0, or -1 with list unchanged. In this case *at is the position
 * of the mistake, and *expected describes the expected text, or is "memory". */
int nodelist_parse(const char *text, size_t length, struct nodelist *list, size_t *at, const char **expected);
void nodelist_free(struct nodelist *list);

/* Return the names as one short list, in their order. The caller frees the list. NULL: out of memory. */
char *nodelist_text(const char *const *name, unsigned n);

#endif
