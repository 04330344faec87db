/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths: nesting, overlap, recursion, the limits; and random histories beside a model that
 * keeps the list of open names and sums by the text of the path.
 */
#include "../unit_test.h"
#include "region/names.h"
#include "region/tree.h"

enum { A = 1, B, C, NAMES };

/* The path of a node in letters. */
static const char *path_of(const struct upcr_tree *tree, unsigned node)
{
	static char text[64];
	unsigned depth = tree->node[node].depth;

	text[depth] = '\0';
	for (; depth; node = tree->node[node].parent)
		text[--depth] = tree->node[node].name ? (char)('A' + tree->node[node].name - 1) : '-';
	return text;
}

static uint64_t calls_of(const struct upcr_tree *tree, const char *path)
{
	unsigned i;

	for (i = 0; i < tree->nodes; i++)
		if (!strcmp(path_of(tree, i), path))
			return tree->node[i].calls;
	return 0;
}

#define assert_path(wanted) assert_string_equal(path_of(&tree, tree.current), wanted)

TEST(test_nesting)
{
	struct upcr_tree tree;
	unsigned outer, inner;

	assert_int_equal(upcr_tree_init(&tree, 100), 0);
	assert_path("");
	assert_true(upcr_tree_grows(&tree, A));
	outer = upcr_tree_enter(&tree, A);
	inner = upcr_tree_enter(&tree, B);
	assert_path("AB");
	assert_true(upcr_tree_exit(&tree, B));
	assert_int_equal(tree.current, outer);
	assert_false(upcr_tree_grows(&tree, B));
	assert_int_equal(upcr_tree_enter(&tree, B), inner);
	assert_true(upcr_tree_exit_innermost(&tree));
	assert_true(upcr_tree_exit_innermost(&tree));
	assert_path("");
	assert_false(upcr_tree_exit_innermost(&tree));
	assert_false(upcr_tree_exit(&tree, A));
	/* B by itself is another path. */
	assert_int_not_equal(upcr_tree_enter(&tree, B), inner);
	assert_int_equal(calls_of(&tree, "A"), 1);
	assert_int_equal(calls_of(&tree, "AB"), 2);
	assert_int_equal(calls_of(&tree, "B"), 1);
	upcr_tree_free(&tree);
}

/* As event sets in the paper's first figure: A starts, B starts, A ends, B ends. */
TEST(test_overlap)
{
	struct upcr_tree tree;

	assert_int_equal(upcr_tree_init(&tree, 100), 0);
	upcr_tree_enter(&tree, A);
	upcr_tree_enter(&tree, B);
	assert_true(upcr_tree_exit(&tree, A));
	assert_path("B");
	/* B was not called there. */
	assert_int_equal(calls_of(&tree, "B"), 0);
	assert_true(upcr_tree_exit(&tree, B));
	assert_path("");
	assert_false(upcr_tree_exit(&tree, B));
	/* The middle one of three ends. */
	upcr_tree_enter(&tree, A);
	upcr_tree_enter(&tree, B);
	upcr_tree_enter(&tree, C);
	assert_true(upcr_tree_exit(&tree, B));
	assert_path("AC");
	assert_int_equal(calls_of(&tree, "ABC"), 1);
	assert_int_equal(calls_of(&tree, "AC"), 0);
	upcr_tree_free(&tree);
}

TEST(test_recursion)
{
	struct upcr_tree tree;
	unsigned i;

	assert_int_equal(upcr_tree_init(&tree, 100), 0);
	for (i = 0; i < 5; i++)
		upcr_tree_enter(&tree, A);
	assert_path("AAAAA");
	assert_int_equal(upcr_tree_find_open(&tree, A), 0);
	upcr_tree_enter(&tree, B);
	assert_int_equal(upcr_tree_find_open(&tree, A), 1);
	/* The innermost region of the name ends. */
	assert_true(upcr_tree_exit(&tree, A));
	assert_path("AAAAB");
	for (i = 0; i < 4; i++)
		assert_true(upcr_tree_exit(&tree, A));
	assert_path("B");
	assert_false(upcr_tree_exit(&tree, A));
	assert_true(upcr_tree_is_open(&tree, B));
	assert_false(upcr_tree_is_open(&tree, A));
	upcr_tree_free(&tree);
}

/* Beyond the limit all calls go to one path, also with overlap; the list of open regions stays right. */
TEST(test_limit)
{
	struct upcr_tree tree;
	unsigned i;

	assert_int_equal(upcr_tree_init(&tree, 3), 0);
	upcr_tree_enter(&tree, A);
	upcr_tree_enter(&tree, B);
	upcr_tree_enter(&tree, C);
	assert_path("ABC");
	upcr_tree_enter(&tree, A);
	assert_int_equal(tree.current, UPCR_BEYOND);
	assert_path("-");
	upcr_tree_enter(&tree, B);
	assert_int_equal(tree.current, UPCR_BEYOND);
	assert_int_equal(tree.beyond, 2);
	assert_int_equal(tree.node[UPCR_BEYOND].calls, 2);
	assert_true(upcr_tree_exit(&tree, B));
	assert_true(upcr_tree_exit(&tree, A));
	assert_path("ABC");
	assert_true(upcr_tree_exit(&tree, A));
	assert_path("-");
	assert_true(upcr_tree_exit(&tree, C));
	assert_true(upcr_tree_exit(&tree, B));
	assert_path("");
	for (i = 0; i < 1000; i++)
		upcr_tree_enter(&tree, C);
	for (i = 0; i < 1000; i++)
		assert_true(upcr_tree_exit(&tree, C));
	assert_path("");
	assert_int_equal(tree.nodes, 5);
	upcr_tree_free(&tree);
}

/* The nodes of a name get another one, and the name begins anew. */
TEST(test_rename)
{
	struct upcr_tree tree;
	unsigned a, b;

	assert_int_equal(upcr_tree_init(&tree, 100), 0);
	a = upcr_tree_enter(&tree, A);
	b = upcr_tree_enter(&tree, B);
	assert_true(upcr_tree_exit(&tree, B));
	assert_true(upcr_tree_exit(&tree, A));
	upcr_tree_rename(&tree, A, C);
	assert_string_equal(path_of(&tree, b), "CB");
	assert_int_equal(upcr_tree_enter(&tree, C), a);
	assert_int_equal(upcr_tree_enter(&tree, B), b);
	assert_true(upcr_tree_exit(&tree, B));
	assert_true(upcr_tree_exit(&tree, C));
	assert_int_not_equal(upcr_tree_enter(&tree, A), a);
	assert_int_equal(calls_of(&tree, "A"), 1);
	assert_int_equal(calls_of(&tree, "C"), 2);
	upcr_tree_free(&tree);
}

/* More regions are open than the list holds. */
TEST(test_depth)
{
	struct upcr_tree tree;
	unsigned i, last = UPCR_ROOT;

	assert_int_equal(upcr_tree_init(&tree, UPCR_DEPTH_MAX + 20), 0);
	for (i = 0; i < UPCR_DEPTH_MAX; i++)
		last = upcr_tree_enter(&tree, A);
	for (i = 0; i < 10; i++)
		assert_int_equal(upcr_tree_enter(&tree, A), UPCR_BEYOND);
	assert_int_equal(tree.unlisted, 10);
	for (i = 0; i < 10; i++)
		assert_true(upcr_tree_exit(&tree, A));
	assert_int_equal(tree.current, last);
	for (i = 0; i < UPCR_DEPTH_MAX; i++)
		assert_true(upcr_tree_exit(&tree, A));
	assert_false(upcr_tree_exit(&tree, A));
	assert_path("");
	upcr_tree_free(&tree);
}

/* ---- a model ------------------------------------------------------------------------------ */

enum { DEEPEST = 12, PATHS = 100000 };

struct model {
	char open[DEEPEST + 1]; /* letters */
	struct {
		char path[DEEPEST + 1];
		uint64_t calls, ns;
	} row[PATHS];
	unsigned rows;
	uint64_t all;
};

static unsigned row_of(struct model *m)
{
	unsigned i;

	for (i = 0; i < m->rows; i++)
		if (!strcmp(m->row[i].path, m->open))
			return i;
	assert_true(m->rows < PATHS);
	memset(&m->row[i], 0, sizeof(m->row[i]));
	strcpy(m->row[i].path, m->open);
	m->rows++;
	return i;
}

static bool leave(struct model *m, char letter)
{
	char *last = strrchr(m->open, letter);

	if (!last)
		return false;
	memmove(last, last + 1, strlen(last));
	return true;
}

/* A step of time, and a start or an end that may have no start. */
static void step(struct model *m, struct upcr_tree *tree, uint64_t *random)
{
	uint64_t dice = random_next(random), ns = dice >> 40;
	unsigned name = A + (unsigned)(dice % (NAMES - 1));
	char letter = (char)('A' + name - 1);
	size_t depth = strlen(m->open);

	m->row[row_of(m)].ns += ns;
	tree->node[tree->current].ns += ns;
	m->all += ns;
	if (dice >> 8 & 1 && depth < DEEPEST) {
		m->open[depth] = letter;
		m->open[depth + 1] = '\0';
		m->row[row_of(m)].calls++;
		upcr_tree_enter(tree, name);
	} else if (dice >> 9 & 1) {
		assert_int_equal(upcr_tree_exit(tree, name), leave(m, letter));
	} else {
		assert_int_equal(upcr_tree_exit_innermost(tree), depth > 0);
		if (depth)
			m->open[depth - 1] = '\0';
	}
	assert_string_equal(path_of(tree, tree->current), m->open);
}

/* Sums over all paths that have the letter, which is what inclusive means. */
static void compare(const struct model *m, const struct upcr_tree *tree)
{
	uint64_t all = 0, inclusive, wanted;
	unsigned i, k, name;

	for (i = 0; i < tree->nodes; i++)
		all += tree->node[i].ns;
	assert_int_equal(all, m->all);
	for (k = 0; k < m->rows; k++)
		assert_int_equal(calls_of(tree, m->row[k].path), m->row[k].calls);
	for (name = A; name < NAMES; name++) {
		inclusive = wanted = 0;
		for (i = 0; i < tree->nodes; i++)
			inclusive += strchr(path_of(tree, i), 'A' + (int)name - 1) ? tree->node[i].ns : 0;
		for (k = 0; k < m->rows; k++)
			wanted += strchr(m->row[k].path, 'A' + (int)name - 1) ? m->row[k].ns : 0;
		assert_int_equal(inclusive, wanted);
	}
}

TEST(test_random)
{
	static struct model m;
	struct upcr_tree tree;
	uint64_t random;
	unsigned history, i;

	for (history = 0; history < 20; history++) {
		m.rows = 0;
		m.all = 0;
		m.open[0] = '\0';
		random = history;
		assert_int_equal(upcr_tree_init(&tree, PATHS), 0);
		for (i = 0; i < 600; i++)
			step(&m, &tree, &random);
		compare(&m, &tree);
		upcr_tree_free(&tree);
	}
}

UNIT_TESTS(region_tree, NULL, NULL)
