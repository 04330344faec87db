/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scripts from files of every kind and size: whole, or refused for what they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include "replay/trace_file.h"
#include "../test_dir.h"

/* A file of ours, open for reading at its begin. */
static int file_of(const char *text, size_t length)
{
	int fd = open(test_path("file"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

TEST(test_whole)
{
	static const char text[] = "upc-trace 1\nc 5 7@3/1\ns";
	int fd = file_of(text, sizeof(text) - 1);
	struct upci_trace_error error;
	struct upci_trace trace;

	assert_int_equal(upci_trace_load(fd, &trace, &error), 0);
	assert_int_equal(trace.ops, 2);
	assert_int_equal(trace.op[0].cycles, 5);
	assert_int_equal(trace.tokens, 1);
	assert_int_equal(trace.op[1].kind, UPCI_TRACE_SYNC);
	upci_trace_free(&trace);
	/* The file is the caller's, and at its end now: as good as empty. */
	assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_EWIRING);
	assert_int_equal(error.line, 1);
	assert_int_equal(close(fd), 0);
}

/* Lines of 8 bytes behind the first: sizes beside those to which the buffer grows. */
TEST(test_sizes)
{
	static const size_t sizes[] = {1 << 16, 1 << 17, 1 << 20};
	static char text[(1 << 20) + 8];
	struct upci_trace_error error;
	struct upci_trace trace;
	unsigned i;
	int fd, less;

	memcpy(text, "upc-trace 1#...\n", 16);
	for (i = 16; i < sizeof(text); i += 8)
		memcpy(text + i, "c 12345\n", 8);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (less = -8; less <= 8; less++) {
			size_t length = sizes[i] - (size_t)(less + 8) + 8;

			fd = file_of(text, length);
			/* A line that is cut after "c" is a mistake, one of "c 1" not. */
			if (length % 8 == 1 || length % 8 == 2) {
				assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_EWIRING);
				assert_int_equal(error.line, 2 + (length - 16) / 8);
			} else {
				assert_int_equal(upci_trace_load(fd, &trace, &error), 0);
				assert_int_equal(trace.ops, (length - 16 + 7) / 8);
				upci_trace_free(&trace);
			}
			close(fd);
		}
}

TEST(test_mistake)
{
	static const char text[] = "upc-trace 1\n\nc 0\n";
	int fd = file_of(text, sizeof(text) - 1);
	struct upci_trace_error error;
	struct upci_trace trace;

	assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_EWIRING);
	assert_int_equal(error.line, 3);
	assert_string_equal(error.message, "N: expected at least 1, found \"0\"");
	close(fd);
	fd = file_of("", 0);
	assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_EWIRING);
	assert_int_equal(error.line, 1);
	close(fd);
}

TEST(test_unreadable)
{
	struct upci_trace_error error;
	struct upci_trace trace;
	int fd;

	fd = open(test_dir, O_RDONLY);
	assert_true(fd >= 0);
	errno = 0;
	assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_ESYSTEM);
	assert_int_equal(errno, EISDIR);
	close(fd);
	errno = 0;
	assert_int_equal(upci_trace_load(-1, &trace, &error), UPC_ESYSTEM);
	assert_int_equal(errno, EBADF);
}

/* A file that is too large for the memory is refused before it is read. Only the part behind the
 * file's position counts. */
TEST(test_too_large)
{
	struct upci_trace_error error;
	struct upci_trace trace;
	int fd = file_of("", 0);

	assert_int_equal(ftruncate(fd, (off_t)1 << 42), 0);
	assert_int_equal(upci_trace_load(fd, &trace, &error), UPC_EINVAL);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	assert_int_equal(pwrite(fd, "upc-trace 1\ns\n", 14, ((off_t)1 << 42) - 14), 14);
	assert_true(lseek(fd, -14, SEEK_END) > 0);
	assert_int_equal(upci_trace_load(fd, &trace, &error), 0);
	assert_int_equal(trace.ops, 1);
	upci_trace_free(&trace);
	close(fd);
}

struct writer {
	int fd;
	unsigned lines;
};

static void *write_lines(void *arg)
{
	struct writer *w = arg;
	static const char first[] = "upc-trace 1\n";
	bool wrong = write(w->fd, first, sizeof(first) - 1) != sizeof(first) - 1;
	unsigned i;

	for (i = 0; i < w->lines && !wrong; i++)
		wrong = write(w->fd, "c 1 5\n", 6) != 6;
	close(w->fd);
	return wrong ? w : NULL;
}

/* Parts of any size, as they come. */
TEST(test_pipe)
{
	struct upci_trace_error error;
	struct upci_trace trace;
	struct writer writer = {.lines = 30000};
	pthread_t thread;
	void *wrong;
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	writer.fd = fd[1];
	assert_int_equal(pthread_create(&thread, NULL, write_lines, &writer), 0);
	assert_int_equal(upci_trace_load(fd[0], &trace, &error), 0);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	assert_int_equal(trace.ops, writer.lines);
	upci_trace_free(&trace);
	close(fd[0]);
}

UNIT_TESTS(trace_file, make_test_dir, remove_test_dir)
