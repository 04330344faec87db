/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path.c - a hash table of all paths, by outer path and name.
 * Terms: region/region.h.
 */
#include "region/path.h"

#include <stdint.h>
#include <stdlib.h>

#include "region/names.h"

enum { BUCKETS = 1024 };

const struct upcr_path upcr_path_root = {.outer = NULL};

static struct upcr_path *bucket[BUCKETS];

const struct upcr_path *upcr_path_inside(const struct upcr_path *outer, unsigned name)
{
	const uint64_t hash = ((uint64_t)(uintptr_t)outer ^ name) * 0x9e3779b97f4a7c15u;
	struct upcr_path **first = &bucket[hash >> 54], *path;

	for (path = *first; path; path = path->next)
		if (path->outer == outer && path->name == name)
			return path;
	path = malloc(sizeof(*path));
	if (!path)
		return NULL;
	*path = (struct upcr_path){.outer = outer, .name = name, .next = *first};
	*first = path;
	return path;
}

const struct upcr_path *upcr_path_of(struct upcr_tree *tree, unsigned node, unsigned base,
				     const struct upcr_path *of_base)
{
	unsigned from = node, at;

	while (from && from != base && !tree->node[from].path)
		from = tree->node[from].parent;
	if (from == base)
		tree->node[base].path = of_base;
	else if (!from)
		tree->node[from].path = &upcr_path_root;
	/* Go down to node. Each step walks up from node, but a thread does this only once for each of its
	 * nodes. */
	for (; from != node && tree->node[from].path; from = at) {
		for (at = node; tree->node[at].parent != from;)
			at = tree->node[at].parent;
		tree->node[at].path = upcr_path_inside(tree->node[from].path, tree->node[at].name);
	}
	return tree->node[node].path;
}

static unsigned path_depth(const struct upcr_path *path)
{
	unsigned depth = 0;

	for (; path->outer; path = path->outer)
		depth++;
	return depth;
}

/* Return the node of the path. step() finds, or makes, the node of each name on the path. 0 if step() finds
 * none. */
static unsigned path_follow(struct upcr_tree *tree, const struct upcr_path *path,
			    unsigned (*step)(struct upcr_tree *tree, unsigned parent, unsigned name))
{
	unsigned node = UPCR_ROOT;

	for (unsigned depth = path_depth(path); depth; depth--) {
		const struct upcr_path *at = path;

		for (unsigned i = 1; i < depth; i++)
			at = at->outer;
		node = at->name == UPCR_OTHERS && node == UPCR_ROOT ? UPCR_BEYOND
								    : step(tree, node, at->name);
		if (!node)
			break;
	}
	return node;
}

bool upcr_path_grows(struct upcr_tree *tree, const struct upcr_path *path)
{
	return tree->worked != path && path->outer && !path_follow(tree, path, upcr_tree_find_child);
}

unsigned upcr_path_node(struct upcr_tree *tree, const struct upcr_path *path)
{
	if (tree->worked && tree->worked == path)
		return tree->worked_node;
	tree->worked = path;
	tree->worked_node = path_follow(tree, path, upcr_tree_child);
	return tree->worked_node;
}

/* ---- starts of regions ------------------------------------------------------------------------ */

struct upcr_instance *upcr_instance_begin(struct upcr_instance *outer, unsigned name, unsigned node)
{
	struct upcr_instance *instance = malloc(sizeof(*instance));

	if (!instance)
		return NULL;
	*instance = (struct upcr_instance){.outer = outer, .name = name, .node = node, .users = 1};
	if (outer)
		outer->users++;
	return instance;
}

void upcr_instance_release(struct upcr_instance *instance)
{
	struct upcr_instance *outer;

	for (; instance && !--instance->users; instance = outer) {
		outer = instance->outer;
		free(instance);
	}
}

unsigned upcr_instance_depth(const struct upcr_instance *instance)
{
	unsigned depth = 0;

	for (; instance; instance = instance->outer)
		depth++;
	return depth;
}

unsigned upcr_instance_alive(const struct upcr_instance *instance)
{
	unsigned alive = upcr_instance_depth(instance), depth = alive;

	for (; instance; instance = instance->outer, depth--)
		if (instance->over)
			alive = depth - 1;
	return alive;
}

bool upcr_instance_is_inside(const struct upcr_instance *instance, const struct upcr_instance *outer)
{
	while (instance && instance != outer)
		instance = instance->outer;
	return instance != NULL;
}
