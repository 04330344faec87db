/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - the call paths of a thread's regions, and which of them is the current one. Pure.
 *
 * A thread's call path is the list of its open regions, in the order of their starts. Each path
 * is a node. The counts between two marks belong to the node that was current. A region that ends in
 * the middle of the list (A starts, B starts, A ends) leaves it: the new current node is the path
 * without it. A region may be in a path several times.
 *
 * The path begins with the tree's base: the root, or the path of another thread that this one works for.
 *
 * One thread changes a tree. Others may ask upcr_tree_is_open meanwhile, and nothing else.
 */
#ifndef UPCR_TREE_H
#define UPCR_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define UPCR_ROOT 0u
/* The node of paths beyond the limit. Its path is the name UPCR_OTHERS alone. */
#define UPCR_BEYOND 1u

/* The state of a node's own counts. */
enum upcr_lack {
	UPCR_WHOLE,
	UPCR_LACKS,  /* work is missing from them: a lower bound */
	UPCR_FOREIGN /* work of other regions may be in them: no number */
};

struct upcr_node {
	unsigned parent, name, depth;
	unsigned child;               /* the one that was looked for last; 0: none */
	uint64_t calls;               /* starts that made it current               */
	uint64_t ns;                  /* the caller's: time while it was current   */
	struct upcr_record_row *row;  /* the caller's: its copy in the record, or NULL */
	const struct upcr_path *path; /* the caller's: the same path without its tree, or NULL */
	unsigned stale;               /* the caller's: next of those whose values changed */
	bool used;                    /* it has been current                       */
	unsigned char lacks;          /* the caller's: enum upcr_lack */
};

struct upcr_open {
	atomic_uint name;               /* relaxed. Partner: is_open, on other threads */
	unsigned node;                  /* of the path up to here                      */
	struct upcr_instance *instance; /* the caller's: this start of the region, or NULL */
};

struct upcr_tree {
	struct upcr_node *node;
	unsigned nodes, room, max;
	unsigned *slot; /* [mask + 1]: nodes by parent and name; 0: free */
	unsigned mask;
	unsigned current, base;
	const struct upcr_path *worked; /* path.c's: the path that was looked for last, and its node */
	unsigned worked_node;
	struct upcr_instance *closed; /* of the region that ended last */
	/* Release: entries up to depth are there. Partner: is_open. */
	_Atomic(struct upcr_open *) open;
	atomic_uint depth;
	unsigned open_room;
	void *outgrown;    /* lists that is_open may still look at */
	uint64_t beyond;   /* starts that found no room for their path */
	uint64_t unlisted; /* starts that are open and found no room in the list */
};

/* Regions that a thread may have open at once. */
#define UPCR_DEPTH_MAX (1u << 20)

/* max: paths, beside the root and UPCR_BEYOND. 0, or -1: out of memory. */
int upcr_tree_init(struct upcr_tree *tree, unsigned max);
void upcr_tree_free(struct upcr_tree *tree);

/* Is memory needed for a start of the region, as for the first one on this path? */
bool upcr_tree_grows(struct upcr_tree *tree, unsigned name);
/* The region starts: the new current node. Out of memory is as beyond the limit. */
unsigned upcr_tree_enter(struct upcr_tree *tree, unsigned name);
/* The innermost open region of this name ends. False: there is none. */
bool upcr_tree_exit(struct upcr_tree *tree, unsigned name);
/* The innermost one ends. False: none is open. */
bool upcr_tree_exit_innermost(struct upcr_tree *tree);
/* Where the innermost open region of this name is, counted from the innermost of all, which is 0;
 * -1: it is not open. */
long upcr_tree_find_open(const struct upcr_tree *tree, unsigned name);

/* The node below parent; 0: there is none yet. */
unsigned upcr_tree_find_child(struct upcr_tree *tree, unsigned parent, unsigned name);
/* The node below parent, made where there is none; UPCR_BEYOND where there is no room. */
unsigned upcr_tree_child(struct upcr_tree *tree, unsigned parent, unsigned name);
/* The path begins with another base, followed by the open regions that the base does not have. */
void upcr_tree_rebase(struct upcr_tree *tree, unsigned base);

/* Context: any thread. */
bool upcr_tree_is_open(const struct upcr_tree *tree, unsigned name);

/* Nodes of one name get another, and the next start of the name makes new ones; for a reset. */
void upcr_tree_rename(struct upcr_tree *tree, unsigned from, unsigned to);

#endif
