/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path.h - call paths without a tree, for other threads to work on; and starts of regions, in which threads
 * are created.
 *
 * A path never changes, and is never freed: a program has few, and a pointer to one stays good in each
 * thread.
 */
#ifndef UPCR_PATH_H
#define UPCR_PATH_H

#include <stdbool.h>

#include "region/tree.h"

struct upcr_path {
	const struct upcr_path *outer; /* NULL: this is upcr_path_root */
	unsigned name;
	struct upcr_path *next; /* of those with its hash */
};

extern const struct upcr_path upcr_path_root;

/* The path that ends with name behind outer. NULL: out of memory. Context: the caller has the engine's lock.
 */
const struct upcr_path *upcr_path_inside(const struct upcr_path *outer, unsigned name);
/* The path of a node, kept in it; the path of node base is of_base. NULL: out of memory. */
const struct upcr_path *upcr_path_of(struct upcr_tree *tree, unsigned node, unsigned base,
				     const struct upcr_path *of_base);
/* Has the tree no node for the path yet? */
bool upcr_path_grows(struct upcr_tree *tree, const struct upcr_path *path);
/* The path's node in a tree, made where there is none. */
unsigned upcr_path_node(struct upcr_tree *tree, const struct upcr_path *path);

/* One start of a region, in which a thread was created. All of it is protected by the engine's lock. */
struct upcr_instance {
	struct upcr_instance *outer; /* the start around it, also of the thread that created this thread */
	unsigned name, node;         /* node: of the region in its own thread's tree */
	unsigned users;              /* the region, threads that were created in it, starts inside it */
	bool over;
	struct upcr_instance *next; /* of those that have ended in a call */
};

/* NULL: out of memory. */
struct upcr_instance *upcr_instance_begin(struct upcr_instance *outer, unsigned name, unsigned node);
void upcr_instance_release(struct upcr_instance *instance);
unsigned upcr_instance_depth(const struct upcr_instance *instance);
/* Counts the starts from the outermost one up to the first that is over. */
unsigned upcr_instance_alive(const struct upcr_instance *instance);
bool upcr_instance_is_inside(const struct upcr_instance *instance, const struct upcr_instance *outer);

#endif
