/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_pass.c - passes over a file that changes under the reader: values grow,
 * lines move, vanish and come back, the file grows beyond the buffer.
 */
#include <fcntl.h>
#include <malloc.h>

#include "procfs/file_pass.h"

#include "../unit_test.h"

#define LINES 3

struct fixture {
	struct upci_wanted_file file;
	struct upci_wanted_line line[LINES], *lines[LINES];
	struct upci_want want[LINES][2];
	struct upci_text text;
	uint64_t value[2 * LINES];
	uint8_t lost[2 * LINES];
};

static int set_up(void **state)
{
	static const char *const keys[LINES] = {"first", "pair", "last"};
	struct fixture *f = calloc(1, sizeof(*f));
	char name[] = "/tmp/upc-file-pass-XXXXXX";

	if (!f)
		return -1;
	f->file.fd = mkstemp(name);
	unlink(name);
	f->file.lines = LINES;
	f->file.line = f->lines;
	for (int i = 0; i < LINES; i++) {
		f->lines[i] = &f->line[i];
		f->line[i].key = (struct upci_line_key){keys[i], strlen(keys[i]), 0, i == 1 ? 2 : 1};
		f->line[i].wants = 2;
		f->line[i].want = f->want[i];
		f->want[i][0] = (struct upci_want){2 * i, 1, 1, 1, 1};
		f->want[i][1] = (struct upci_want){2 * i + 1, 1, 2, 1, 1};
	}
	*state = f;
	return f->file.fd < 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	close(f->file.fd);
	upci_text_free(&f->text);
	free(f);
	return 0;
}

static unsigned pass(struct fixture *f, const char *text)
{
	assert_int_equal(ftruncate(f->file.fd, 0), 0);
	assert_int_equal(pwrite(f->file.fd, text, strlen(text), 0), strlen(text));
	return upci_wanted_pass(&f->file, &f->text, f->value, f->lost);
}

/* Value and sum of a line that holds a and b. */
static void line_is(const struct fixture *f, int line, uint64_t a, uint64_t b)
{
	assert_false(f->lost[2 * line] || f->lost[2 * line + 1]);
	assert_int_equal(f->value[2 * line], a);
	assert_int_equal(f->value[2 * line + 1], a + b);
}

static void line_is_lost(const struct fixture *f, int line)
{
	assert_true(f->lost[2 * line] && f->lost[2 * line + 1]);
}

TEST_WITH(values_grow, set_up, tear_down)
{
	struct fixture *f = *state;

	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	line_is(f, 0, 1, 2);
	line_is(f, 1, 3, 4);
	line_is(f, 2, 5, 6);
	assert_int_equal(pass(f, "first 100 200\npair a b\npair 3000 4\nlast 5 60000"), 0);
	line_is(f, 0, 100, 200);
	line_is(f, 1, 3000, 4);
	line_is(f, 2, 5, 60000);
}

TEST_WITH(lines_move, set_up, tear_down)
{
	struct fixture *f = *state;

	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	assert_int_equal(pass(f, "new 9 9\nfirst 1 2\nnew 8 8\npair a b\npair 3 4\nlast 5 6\n"), 0);
	line_is(f, 0, 1, 2);
	line_is(f, 1, 3, 4);
	line_is(f, 2, 5, 6);
	assert_int_equal(pass(f, "last 5 6\npair 7 7\nfirst 1 2\npair 3 4\npair 0 0\n"), 0);
	line_is(f, 0, 1, 2);
	line_is(f, 1, 3, 4);
	line_is(f, 2, 5, 6);
	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	line_is(f, 2, 5, 6);
}

TEST_WITH(lines_vanish_and_return, set_up, tear_down)
{
	struct fixture *f = *state;

	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	assert_int_equal(pass(f, "first 7 2\npair a b\nlast 8 6\n"), 2);
	line_is(f, 0, 7, 2);
	line_is_lost(f, 1);
	assert_int_equal(f->value[2], 3); /* untouched */
	line_is(f, 2, 8, 6);
	assert_int_equal(pass(f, ""), 6);
	assert_int_equal(f->value[0], 7);
	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	line_is(f, 1, 3, 4);
}

TEST_WITH(bad_numbers, set_up, tear_down)
{
	struct fixture *f = *state;

	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	assert_int_equal(pass(f, "first x 2\npair a b\npair 99999999999999999999 4\nlast 5\n"), 4);
	line_is_lost(f, 0);
	line_is_lost(f, 1);
	line_is(f, 2, 5, 0);
}

/* Filler so that wanted lines lie before, across and behind the buffer's end. */
TEST_WITH(grows_beyond_the_buffer, set_up, tear_down)
{
	struct fixture *f = *state;
	size_t size = 3u << 20;
	char *text = malloc(size);

	for (size_t fill = 16000; fill < 16500; fill += 7) {
		int n = snprintf(text, size, "first 1 2\npair a b\n");

		memset(text + n, 'z', fill);
		snprintf(text + (size_t)n + fill, 100, "\npair 3 4\nlast 5 6\n");
		assert_int_equal(pass(f, text), 0);
		line_is(f, 1, 3, 4);
		line_is(f, 2, 5, 6);
	}
	memset(text, 'y', size - 100);
	snprintf(text + size - 100, 100, "\nfirst 1 2\npair a\npair 3 4\nlast 5 6");
	assert_int_equal(pass(f, text), 0);
	line_is(f, 2, 5, 6);
	free(text);
}

/* The reader may be a signal handler that has interrupted an allocation. */
TEST_WITH(allocates_nothing, set_up, tear_down)
{
	const size_t size = 1u << 20;
	char *text = calloc(1, size);
	struct fixture *f = *state;
	struct mallinfo2 before, after;

	assert_non_null(text);
	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	/* It is longer now, and the lines stand in another order. */
	snprintf(text, size, "last 9 8\nfirst 1 2\npair a b\n");
	memset(text + strlen(text), 'z', size - 100 - strlen(text));
	snprintf(text + size - 100, 100, "\npair 3 4\n");
	before = mallinfo2();
	assert_int_equal(pass(f, text), 0);
	after = mallinfo2();
	line_is(f, 2, 9, 8);
	line_is(f, 1, 3, 4);
	assert_int_equal(after.uordblks + after.hblkhd, before.uordblks + before.hblkhd);
	free(text);
}

TEST_WITH(unreadable, set_up, tear_down)
{
	struct fixture *f = *state;
	int fd = f->file.fd;

	assert_int_equal(pass(f, "first 1 2\npair a b\npair 3 4\nlast 5 6\n"), 0);
	f->file.fd = -1;
	assert_int_equal(upci_wanted_pass(&f->file, &f->text, f->value, f->lost), 6);
	f->file.fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(upci_wanted_pass(&f->file, &f->text, f->value, f->lost), 6);
	close(f->file.fd);
	f->file.fd = fd;
	line_is_lost(f, 0);
	assert_int_equal(f->value[0], 1);
}

UNIT_TESTS(file_pass, NULL, NULL)
