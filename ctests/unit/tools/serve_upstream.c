/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_upstream.c - replies of pmproxy, whole, in pieces, cut off and wrong.
 */
#include "serve/serve_upstream.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../unit_test.h"

static bool reads(const char *text, struct serve_reply *reply)
{
	size_t length = strlen(text);
	char *bytes = malloc(length + 1);
	bool good;

	assert_non_null(bytes);
	memcpy(bytes, text, length + 1);
	good = serve_reply_read(bytes, length, reply);
	free(bytes);
	return good;
}

TEST(whole)
{
	struct serve_reply r;

	assert_true(reads(
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}more", &r));
	assert_int_equal(r.status, 200);
	assert_string_equal(r.type, "application/json");
	assert_string_equal(r.body, "{}");
	assert_int_equal(r.length, 2);
	free(r.body);
	/* To its end, where it says no length. */
	assert_true(reads("HTTP/1.0 400 Bad\r\n\r\nabc", &r));
	assert_int_equal(r.status, 400);
	assert_string_equal(r.type, "");
	assert_string_equal(r.body, "abc");
	free(r.body);
}

TEST(pieces)
{
	struct serve_reply r;

	assert_true(reads(
		"HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\n\r\n",
		&r));
	assert_string_equal(r.body, "abc0123456789");
	assert_int_equal(r.length, 13);
	free(r.body);
	assert_false(reads("HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n", &r));
	assert_false(reads("HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\n9\r\nabc\r\n0\r\n\r\n", &r));
	assert_false(reads(
		"HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nabc\r\n0\r\n\r\n",
		&r));
	assert_false(reads(
		"HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc\r\n0\r\n\r\n",
		&r));
	assert_null(r.body);
}

TEST(wrong)
{
	struct serve_reply r;

	assert_false(reads("", &r));
	assert_int_equal(errno, EPROTO);
	assert_false(reads("HTTP/1.1 200 OK\r\n", &r));
	assert_false(reads("HTTP/1.1 2x0 OK\r\n\r\n", &r));
	assert_false(reads("SSH-2.0-OpenSSH\r\n\r\n", &r));
	assert_false(reads("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", &r));
	assert_false(reads("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc", &r));
}

/* A pmproxy that says what it is told, in parts, and then stays silent. */
struct speaker {
	int listening;
	const char *text;
	char heard[512];
	int keep;
};

static void *speak(void *argument)
{
	struct speaker *s = argument;
	int fd = accept(s->listening, NULL, NULL);
	ssize_t n = read(fd, s->heard, sizeof(s->heard) - 1);

	s->heard[n > 0 ? n : 0] = '\0';
	for (const char *at = s->text; *at; at++)
		assert_int_equal(send(fd, at, 1, MSG_NOSIGNAL), 1);
	/* A client that has read all closes; one that was not satisfied goes away later. */
	if (s->keep)
		while (read(fd, s->heard + 400, 1) > 0)
			;
	close(fd);
	return NULL;
}

static bool exchange(const char *text, int keep, int seconds, struct serve_reply *reply, struct speaker *s)
{
	char name[] = "/tmp/serve_upstream.XXXXXX", path[64];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pthread_t thread;
	bool good;
	int error;

	assert_non_null(mkdtemp(name));
	snprintf(path, sizeof(path), "%s/s", name);
	strcpy(address.sun_path, path);
	*s = (struct speaker){.text = text, .keep = keep, .listening = socket(AF_UNIX, SOCK_STREAM, 0)};
	assert_int_equal(bind(s->listening, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(s->listening, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, speak, s), 0);
	good = serve_upstream(path, "/pmapi/context", seconds, reply);
	error = errno;
	pthread_join(thread, NULL);
	close(s->listening);
	unlink(path);
	rmdir(name);
	errno = error;
	return good;
}

TEST(over_a_socket)
{
	struct serve_reply r;
	struct speaker s;

	assert_true(exchange("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", 1, 60, &r, &s));
	assert_string_equal(r.body, "abc");
	free(r.body);
	assert_true(!strncmp(s.heard, "GET /pmapi/context HTTP/1.1\r\n", 29));
	assert_true(exchange(
		"HTTP/1.1 200 OK\r\nTransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", 1, 60,
		&r, &s));
	assert_string_equal(r.body, "abc");
	free(r.body);
	assert_true(exchange("HTTP/1.1 200 OK\r\n\r\nabc", 0, 60, &r, &s));
	assert_string_equal(r.body, "abc");
	free(r.body);
	assert_false(exchange("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", 0, 60, &r, &s));
	assert_null(r.body);
	/* Silence is given up. */
	assert_false(exchange("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", 1, 1, &r, &s));
	assert_false(serve_upstream("/nonexistent/socket", "/", 1, &r));
	assert_int_equal(errno, ENOENT);
}

UNIT_TESTS(serve_upstream, NULL, NULL)
