/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.c - nodes in the order of their creation, found by parent and name in a hash table.
 * Terms: region/region.h.
 */
#include "region/tree.h"

#include <stdlib.h>
#include <string.h>

#include "region/names.h"

enum { FIRST_ROOM = 64, FIRST_OPEN = 32 };

/* An outgrown list of open regions; upcr_tree_is_open may still read it. */
struct outgrown {
	struct outgrown *next;
	struct upcr_open *open;
};

static unsigned place_of_tree_node(const struct upcr_tree *tree, unsigned parent, unsigned name)
{
	uint64_t hash = ((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15u;

	return (unsigned)(hash >> 32) & tree->mask;
}

static unsigned depth_of(const struct upcr_tree *tree)
{
	return atomic_load_explicit(&tree->depth, memory_order_relaxed);
}

static struct upcr_open *open_of(const struct upcr_tree *tree)
{
	return atomic_load_explicit(&tree->open, memory_order_relaxed);
}

int upcr_tree_init(struct upcr_tree *tree, unsigned max)
{
	struct upcr_open *open = calloc(FIRST_OPEN, sizeof(*open));

	*tree = (struct upcr_tree){.max = max < 1u << 28 ? max : 1u << 28,
				   .room = FIRST_ROOM,
				   .mask = 4 * FIRST_ROOM - 1,
				   .nodes = 2,
				   .open_room = FIRST_OPEN};
	atomic_init(&tree->open, open);
	tree->node = calloc(tree->room, sizeof(*tree->node));
	tree->slot = calloc(tree->mask + 1, sizeof(*tree->slot));
	if (!open || !tree->node || !tree->slot) {
		upcr_tree_free(tree);
		return -1;
	}
	tree->node[UPCR_ROOT].used = true;
	tree->node[UPCR_BEYOND] = (struct upcr_node){.name = UPCR_OTHERS, .depth = 1};
	return 0;
}

void upcr_tree_free(struct upcr_tree *tree)
{
	struct outgrown *old = tree->outgrown, *next;

	for (; old; old = next) {
		next = old->next;
		free(old->open);
		free(old);
	}
	free(open_of(tree));
	free(tree->node);
	free(tree->slot);
	*tree = (struct upcr_tree){0};
}

static void enlist_node(struct upcr_tree *tree, unsigned node)
{
	unsigned place = place_of_tree_node(tree, tree->node[node].parent, tree->node[node].name);

	while (tree->slot[place])
		place = (place + 1) & tree->mask;
	tree->slot[place] = node;
}

static void enlist_all(struct upcr_tree *tree)
{
	unsigned i;

	for (i = 2; i < tree->nodes; i++)
		enlist_node(tree, i);
}

static bool grow_tree(struct upcr_tree *tree)
{
	unsigned room = 2 * tree->room, *slot;
	struct upcr_node *node = realloc(tree->node, room * sizeof(*node));

	if (!node)
		return false;
	tree->node = node;
	slot = calloc(4 * (size_t)room, sizeof(*slot));
	if (!slot)
		return false;
	free(tree->slot);
	tree->slot = slot;
	tree->room = room;
	tree->mask = 4 * room - 1;
	enlist_all(tree);
	return true;
}

static unsigned make_tree_node(struct upcr_tree *tree, unsigned parent, unsigned name)
{
	unsigned made = tree->nodes;

	if (made - 2 >= tree->max || (made == tree->room && !grow_tree(tree)))
		return UPCR_BEYOND;
	tree->node[made] =
		(struct upcr_node){.parent = parent, .name = name, .depth = tree->node[parent].depth + 1};
	enlist_node(tree, made);
	tree->nodes++;
	return made;
}

unsigned upcr_tree_find_child(struct upcr_tree *tree, unsigned parent, unsigned name)
{
	unsigned child = tree->node[parent].child, place;

	if (parent == UPCR_BEYOND)
		return UPCR_BEYOND;
	if (child && tree->node[child].name == name)
		return child;
	place = place_of_tree_node(tree, parent, name);
	for (; (child = tree->slot[place]); place = (place + 1) & tree->mask)
		if (tree->node[child].name == name && tree->node[child].parent == parent)
			break;
	if (child)
		tree->node[parent].child = child;
	return child;
}

unsigned upcr_tree_child(struct upcr_tree *tree, unsigned parent, unsigned name)
{
	unsigned child = upcr_tree_find_child(tree, parent, name);

	if (child)
		return child;
	child = make_tree_node(tree, parent, name);
	if (child != UPCR_BEYOND)
		tree->node[parent].child = child;
	return child;
}

static bool grow_open(struct upcr_tree *tree)
{
	struct upcr_open *open = open_of(tree), *more;
	struct outgrown *old;
	unsigned i;

	if (tree->open_room >= UPCR_DEPTH_MAX)
		return false;
	more = calloc(2 * (size_t)tree->open_room, sizeof(*more));
	old = malloc(sizeof(*old));
	if (!more || !old) {
		free(more);
		free(old);
		return false;
	}
	for (i = 0; i < tree->open_room; i++) {
		atomic_init(&more[i].name, atomic_load_explicit(&open[i].name, memory_order_relaxed));
		more[i].node = open[i].node;
		more[i].instance = open[i].instance;
	}
	*old = (struct outgrown){.next = tree->outgrown, .open = open};
	tree->outgrown = old;
	tree->open_room *= 2;
	atomic_store_explicit(&tree->open, more, memory_order_release);
	return true;
}

bool upcr_tree_grows(struct upcr_tree *tree, unsigned name)
{
	return depth_of(tree) == tree->open_room ||
	       (!upcr_tree_find_child(tree, tree->current, name) && tree->nodes - 2 < tree->max);
}

unsigned upcr_tree_enter(struct upcr_tree *tree, unsigned name)
{
	unsigned depth = depth_of(tree), node;
	struct upcr_open *open;

	if (depth == tree->open_room && !grow_open(tree)) {
		tree->unlisted++;
		node = UPCR_BEYOND;
	} else {
		node = upcr_tree_child(tree, tree->current, name);
		open = &open_of(tree)[depth];
		atomic_store_explicit(&open->name, name, memory_order_relaxed);
		open->node = node;
		open->instance = NULL;
		atomic_store_explicit(&tree->depth, depth + 1, memory_order_release);
	}
	tree->beyond += node == UPCR_BEYOND;
	tree->node[node].calls++;
	tree->node[node].used = true;
	tree->current = node;
	return node;
}

/* Remove entry i from the list, and find the paths of the entries behind it anew. A region that is in the
 * base adds nothing to the path. */
static void take_node_out(struct upcr_tree *tree, unsigned i)
{
	unsigned depth = depth_of(tree) - 1, node, before;
	struct upcr_open *open = open_of(tree);

	node = i ? open[i - 1].node : tree->base;
	before = open[i].node;
	tree->closed = open[i].instance;
	for (; i < depth; i++) {
		unsigned name = atomic_load_explicit(&open[i + 1].name, memory_order_relaxed);
		bool adds = open[i + 1].node != before || before == UPCR_BEYOND;

		before = open[i + 1].node;
		node = adds ? upcr_tree_child(tree, node, name) : node;
		atomic_store_explicit(&open[i].name, name, memory_order_relaxed);
		open[i].node = node;
		open[i].instance = open[i + 1].instance;
	}
	atomic_store_explicit(&tree->depth, depth, memory_order_release);
	tree->current = node;
	tree->node[node].used = true;
}

static bool tree_has(const struct upcr_tree *tree, unsigned node, unsigned name)
{
	for (; node; node = tree->node[node].parent)
		if (tree->node[node].name == name)
			return true;
	return false;
}

void upcr_tree_rebase(struct upcr_tree *tree, unsigned base)
{
	const unsigned depth = depth_of(tree);
	struct upcr_open *open = open_of(tree);
	unsigned node = base;

	tree->base = base;
	for (unsigned i = 0; i < depth; i++) {
		unsigned name = atomic_load_explicit(&open[i].name, memory_order_relaxed);

		if (!tree_has(tree, base, name))
			node = upcr_tree_child(tree, node, name);
		open[i].node = node;
	}
	tree->current = tree->unlisted ? UPCR_BEYOND : node;
	tree->node[tree->current].used = true;
}

long upcr_tree_find_open(const struct upcr_tree *tree, unsigned name)
{
	const struct upcr_open *open = open_of(tree);
	unsigned depth = depth_of(tree), i;

	for (i = depth; i-- > 0;)
		if (atomic_load_explicit(&open[i].name, memory_order_relaxed) == name)
			return (long)(depth - 1 - i);
	return -1;
}

/* End the innermost start if it found no room in the list, whatever its name is. False if there is none. */
static bool exit_unlisted(struct upcr_tree *tree)
{
	if (!tree->unlisted)
		return false;
	if (!--tree->unlisted)
		tree->current = open_of(tree)[depth_of(tree) - 1].node;
	return true;
}

bool upcr_tree_exit(struct upcr_tree *tree, unsigned name)
{
	long above;

	if (exit_unlisted(tree))
		return true;
	above = upcr_tree_find_open(tree, name);
	if (above < 0)
		return false;
	take_node_out(tree, depth_of(tree) - 1 - (unsigned)above);
	return true;
}

bool upcr_tree_exit_innermost(struct upcr_tree *tree)
{
	if (exit_unlisted(tree))
		return true;
	if (!depth_of(tree))
		return false;
	take_node_out(tree, depth_of(tree) - 1);
	return true;
}

bool upcr_tree_is_open(const struct upcr_tree *tree, unsigned name)
{
	/* The list is loaded after the depth, so it has at least depth entries. */
	unsigned depth = atomic_load_explicit(&tree->depth, memory_order_acquire), i;
	const struct upcr_open *open = atomic_load_explicit(&tree->open, memory_order_acquire);

	for (i = 0; i < depth; i++)
		if (atomic_load_explicit(&open[i].name, memory_order_relaxed) == name)
			return true;
	return false;
}

void upcr_tree_rename(struct upcr_tree *tree, unsigned from, unsigned to)
{
	unsigned i;

	tree->worked = NULL;
	for (i = 0; i < tree->nodes; i++) {
		tree->node[i].child = 0;
		tree->node[i].path = NULL;
		if (i > UPCR_BEYOND && tree->node[i].name == from)
			tree->node[i].name = to;
	}
	memset(tree->slot, 0, (tree->mask + (size_t)1) * sizeof(*tree->slot));
	enlist_all(tree);
}
