/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path.h - call paths that belong to no thread's tree, so that other threads can work for them; and the
 * starts of regions in which threads are created.
 *
 * A path never changes and is never freed: a program has few paths, and a pointer to a path stays valid in
 * each thread.
 * Terms: region/region.h.
 */
#ifndef UPCR_PATH_H
#define UPCR_PATH_H

#include <stdbool.h>

#include "region/tree.h"

struct upcr_path {
	const struct upcr_path *outer; /* NULL in upcr_path_root only */
	unsigned name;
	struct upcr_path *next; /* next path in the same hash bucket */
};

extern const struct upcr_path upcr_path_root;

/* Return the path that continues outer with name. NULL: out of memory. Context: the engine's lock is held. */
const struct upcr_path *upcr_path_inside(const struct upcr_path *outer, unsigned name);
/* Return the path of a node, and keep it in the node. of_base is the path of node base. NULL: out of
 * memory. */
const struct upcr_path *upcr_path_of(struct upcr_tree *tree, unsigned node, unsigned base,
				     const struct upcr_path *of_base);
/* True if the tree has no node for the path yet. */
bool upcr_path_grows(struct upcr_tree *tree, const struct upcr_path *path);
/* Return the path's node in the tree, and make it if there is none. */
unsigned upcr_path_node(struct upcr_tree *tree, const struct upcr_path *path);

/* One start of a region in which a thread was created. The engine's lock protects all its fields. */
struct upcr_instance {
	struct upcr_instance *outer; /* enclosing start, perhaps of the thread that created this thread */
	unsigned name, node;         /* region's name, and its node in its own thread's tree */
	unsigned users; /* number of references: from the open region, threads created in it, and starts
			   inside it */
	bool over;
	struct upcr_instance *next; /* next start that ended in the same call */
};

/* Return a new start with one user; NULL: out of memory. */
struct upcr_instance *upcr_instance_begin(struct upcr_instance *outer, unsigned name, unsigned node);
void upcr_instance_release(struct upcr_instance *instance);
unsigned upcr_instance_depth(const struct upcr_instance *instance);
/* Return the number of starts from the outermost one up to, but without, the first that is over. */
unsigned upcr_instance_alive(const struct upcr_instance *instance);
bool upcr_instance_is_inside(const struct upcr_instance *instance, const struct upcr_instance *outer);

#endif
