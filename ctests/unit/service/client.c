/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.c - unit tests of one connection of the control socket: lines out of bytes that come in any
 * pieces, and answers that go as the other side reads.
 */
#include "service/client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "service/request.h"
#include "../unit_test.h"

static int other;
static struct client *client;

static int setup(void **state)
{
	int fd[2];

	(void)state;
	assert_return_code(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	other = fd[1];
	client = client_open(fd[0], 7, 100);
	assert_non_null(client);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	client_close(client);
	if (other >= 0)
		close(other);
	return 0;
}

static void says(const char *text, size_t length)
{
	assert_int_equal(write(other, text, length), length);
	assert_true(client_receive(client));
}

static void has_line(const char *text)
{
	size_t length;

	assert_int_equal(client_line(client, &length), CLIENT_LINE);
	assert_int_equal(length, strlen(text));
	assert_memory_equal(client->in, text, length);
	client_drop_line(client, length);
}

static void has_none(void)
{
	size_t length;

	assert_int_equal(client_line(client, &length), CLIENT_NO_LINE);
}

TEST_WITH(test_lines, setup, teardown)
{
	has_none();
	assert_true(client_receive(client)); /* there is nothing: not the end */
	for (const char *p = "one"; *p != '\0'; p++) {
		says(p, 1);
		has_none();
	}
	says("\n", 1);
	has_line("one");
	has_none();
	assert_null(client->in);
	says("two\n\nthree\nfo", 13);
	has_line("two");
	has_line("");
	has_line("three");
	has_none();
	says("ur\n", 3);
	has_line("four");
	close(other);
	other = -1;
	assert_false(client_receive(client));
}

/* Fills a line up to so many bytes. */
static void fill(size_t length)
{
	char bytes[1000];

	memset(bytes, 'x', sizeof(bytes));
	while (client->have < length) {
		size_t more = length - client->have;

		says(bytes, more < sizeof(bytes) ? more : sizeof(bytes));
		while (client->have < length && recv(client->fd, bytes, 1, MSG_DONTWAIT | MSG_PEEK) == 1)
			assert_true(client_receive(client));
		memset(bytes, 'x', sizeof(bytes));
	}
}

TEST_WITH(test_longest_line, setup, teardown)
{
	size_t length;

	fill(REQUEST_MAX);
	has_none();
	says("\n", 1);
	assert_int_equal(client_line(client, &length), CLIENT_LINE);
	assert_int_equal(length, REQUEST_MAX);
	client_drop_line(client, length);
	fill(REQUEST_MAX + 1);
	assert_int_equal(client_line(client, &length), CLIENT_TOO_LONG);
	/* Not a byte more is kept. */
	says("xxx", 3);
	assert_int_equal(client->have, REQUEST_MAX + 2);
	assert_false(client_receive(client));
}

TEST_WITH(test_answer, setup, teardown)
{
	char bytes[100];

	assert_true(client_answer(client, strdup("{\n\"ok\":true}"), 200));
	assert_null(client->out);
	assert_int_equal(client->since_ms, 200);
	assert_int_equal(read(other, bytes, sizeof(bytes)), 13);
	assert_memory_equal(bytes, "{ \"ok\":true}\n", 13);
	assert_false(client_answer(client, NULL, 300));
	client->last = true;
	assert_false(client_answer(client, strdup("{}"), 300));
	assert_int_equal(read(other, bytes, sizeof(bytes)), 3);
}

TEST_WITH(test_slow_reader, setup, teardown)
{
	size_t length = 3000000, got = 0;
	char *text = malloc(length + 1), bytes[5000];

	memset(text, 'x', length);
	text[length] = '\0';
	assert_true(client_answer(client, text, 200));
	assert_non_null(client->out);
	assert_int_equal(client->since_ms, 100); /* it has not gone */
	while (got < length + 1) {
		ssize_t n = recv(other, bytes, sizeof(bytes), MSG_DONTWAIT);

		if (n < 0) {
			assert_int_equal(errno, EAGAIN);
			assert_true(client_send(client, 300));
			continue;
		}
		got += (size_t)n;
	}
	assert_null(client->out);
	assert_int_equal(client->since_ms, 300);
}

TEST_WITH(test_gone, setup, teardown)
{
	close(other);
	other = -1;
	assert_false(client_answer(client, strdup("{}"), 200)); /* and no signal */
}

UNIT_TESTS(client, NULL, NULL)
