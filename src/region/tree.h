/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - the call paths of a thread's regions, and the current path. Pure.
 *
 * A thread's call path is the list of its open regions, in the order of their starts. Each path is a node.
 * The counts between two marks belong to the node that was current. A region that ends in the middle of the
 * list (A starts, B starts, A ends) leaves it: the new current node is the path without this region. A region
 * may be in a path several times.
 *
 * The path begins with the tree's base: the root, or the path of another thread that this thread works for.
 *
 * One thread changes a tree. Other threads may call upcr_tree_is_open meanwhile, and nothing else.
 * Terms: region/region.h.
 */
#ifndef UPCR_TREE_H
#define UPCR_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define UPCR_ROOT 0u
/* The node of all paths beyond the limit. Its path is the name UPCR_OTHERS alone. */
#define UPCR_BEYOND 1u

/* The state of a node's own counts. */
enum upcr_lack {
	UPCR_WHOLE,
	UPCR_LACKS,  /* work is missing from the counts: a lower bound */
	UPCR_FOREIGN /* the counts may include work of other regions: no number */
};

struct upcr_node {
	unsigned parent, name, depth;
	unsigned child;               /* child that was found last; 0: none */
	uint64_t calls;               /* number of starts that made this node current */
	uint64_t ns;                  /* set by the caller: ns while this node was current */
	struct upcr_record_row *row;  /* set by the caller: the node's copy in the record, or NULL */
	const struct upcr_path *path; /* set by the caller: the node's path in path.h's form, or NULL */
	unsigned stale;               /* set by the caller: 1 + the next node whose values changed */
	bool used;                    /* the node has been current */
	unsigned char lacks;          /* set by the caller: enum upcr_lack */
};

struct upcr_open {
	atomic_uint name;               /* relaxed; read by upcr_tree_is_open in other threads */
	unsigned node;                  /* node of the path up to here */
	struct upcr_instance *instance; /* set by the caller: this start of the region, or NULL */
};

struct upcr_tree {
	struct upcr_node *node;
	unsigned nodes, room, max;
	unsigned *slot; /* [mask + 1]: nodes by parent and name; 0: free */
	unsigned mask;
	unsigned current, base;
	const struct upcr_path *worked; /* cache of path.c: the path that was found last, and its node */
	unsigned worked_node;
	struct upcr_instance *closed; /* instance of the region that ended last */
	/* Release: entries up to depth are complete. Paired with the loads in upcr_tree_is_open. */
	_Atomic(struct upcr_open *) open;
	atomic_uint depth;
	unsigned open_room;
	void *outgrown;    /* lists that upcr_tree_is_open may still read */
	uint64_t beyond;   /* number of starts whose path found no room */
	uint64_t unlisted; /* number of open starts that found no room in the list `open` */
};

/* Limit of a thread's open regions. */
#define UPCR_DEPTH_MAX (1u << 20)

/* Initialise a tree. max: limit of paths, without the root and UPCR_BEYOND. Return 0, or -1 if out of
 * memory. */
int upcr_tree_init(struct upcr_tree *tree, unsigned max);
void upcr_tree_free(struct upcr_tree *tree);

/* True if a start of the region needs memory, as the first start on this path does. */
bool upcr_tree_grows(struct upcr_tree *tree, unsigned name);
/* Start a region, and return the new current node. Out of memory, this is UPCR_BEYOND. */
unsigned upcr_tree_enter(struct upcr_tree *tree, unsigned name);
/* End the innermost open region of this name. False if there is none. */
bool upcr_tree_exit(struct upcr_tree *tree, unsigned name);
/* End the innermost open region. False if none is open. */
bool upcr_tree_exit_innermost(struct upcr_tree *tree);
/* Return the position of the innermost open region of this name, counted from the innermost of all, which is
 * 0; -1 if it is not open. */
long upcr_tree_find_open(const struct upcr_tree *tree, unsigned name);

/* Return the node of this name below parent; 0 if there is none yet. */
unsigned upcr_tree_find_child(struct upcr_tree *tree, unsigned parent, unsigned name);
/* Return the node of this name below parent, and make it if there is none; UPCR_BEYOND if there is no
 * room. */
unsigned upcr_tree_child(struct upcr_tree *tree, unsigned parent, unsigned name);
/* Change the base. The current path becomes the new base, followed by the open regions that are not in the
 * base. */
void upcr_tree_rebase(struct upcr_tree *tree, unsigned base);

/* True if a region of this name is open. Context: any thread. */
bool upcr_tree_is_open(const struct upcr_tree *tree, unsigned name);

/* Rename all nodes named `from`, so that the next start of that name makes new nodes; used for a reset. */
void upcr_tree_rename(struct upcr_tree *tree, unsigned from, unsigned to);

#endif
