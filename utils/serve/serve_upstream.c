/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_upstream.c - sends requests to pmproxy over its own socket, one for each connection.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_upstream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/send.h"

#define REPLY_MAX (16u << 20)

/* ---- the reply ---------------------------------------------------------------------------- */

/* Return the value of a header, after its colon, and its length; NULL: no such header. */
static const char *find_header_value(const char *head, const char *end, const char *name, size_t *length)
{
	size_t n = strlen(name);

	for (const char *line = head, *next; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			return NULL;
		if ((size_t)(next - line) <= n || strncasecmp(line, name, n) || line[n] != ':')
			continue;
		line += n + 1;
		while (line < next && *line == ' ')
			line++;
		*length = (size_t)(next - line);
		while (*length > 0 && (line[*length - 1] == '\r' || line[*length - 1] == ' '))
			--*length;
		return line;
	}
	return NULL;
}

/* Join the chunks of a chunked body in place. Each chunk follows its length in the text. */
static bool join_body_pieces(char *body, size_t *length)
{
	size_t from = 0, to = 0;

	for (;;) {
		char *end;
		unsigned long n;

		if (from >= *length)
			return false;
		errno = 0;
		n = strtoul(body + from, &end, 16);
		end = memchr(end, '\n', *length - (size_t)(end - body));
		if (errno || !end)
			return false;
		from = (size_t)(end - body) + 1;
		if (n == 0)
			break;
		if (n > *length - from)
			return false;
		memmove(body + to, body + from, n);
		to += n;
		from += n;
		if (from + 2 > *length)
			return false;
		from += 2;
	}
	body[to] = '\0';
	*length = to;
	return true;
}

bool serve_reply_read(const char *bytes, size_t length, struct serve_reply *reply)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4), *value;
	size_t n, head;

	errno = EPROTO;
	memset(reply, 0, sizeof(*reply));
	if (!end || length < 13 || strncmp(bytes, "HTTP/1.", 7) || bytes[8] != ' ')
		return false;
	for (int i = 9; i < 12; i++) {
		if (bytes[i] < '0' || bytes[i] > '9')
			return false;
		reply->status = reply->status * 10 + bytes[i] - '0';
	}
	head = (size_t)(end - bytes) + 4;
	value = find_header_value(bytes, end + 2, "Content-Type", &n);
	for (size_t i = 0; value && i < n && i + 1 < sizeof(reply->type); i++)
		reply->type[i] = value[i] >= ' ' && value[i] < 0x7f ? value[i] : '?';
	reply->length = length - head;
	value = find_header_value(bytes, end + 2, "Content-Length", &n);
	if (value) {
		unsigned long long said = strtoull(value, NULL, 10);

		if (said > reply->length)
			return false;
		reply->length = (size_t)said;
	}
	reply->body = malloc(reply->length + 1);
	if (!reply->body)
		return false;
	memcpy(reply->body, bytes + head, reply->length);
	reply->body[reply->length] = '\0';
	value = find_header_value(bytes, end + 2, "Transfer-Encoding", &n);
	if (value && n == 7 && !strncasecmp(value, "chunked", 7) &&
	    !join_body_pieces(reply->body, &reply->length)) {
		free(reply->body);
		reply->body = NULL;
		errno = EPROTO;
		return false;
	}
	return true;
}

/* ---- asking ------------------------------------------------------------------------------- */

static int connect_upstream(const char *path, int seconds)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval limit = {.tv_sec = seconds};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* True if the last chunk, which is empty, has arrived. */
static bool last_piece(const char *at, const char *end)
{
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		unsigned long n = strtoul(at, NULL, 16);

		if (!line || n == 0)
			return line != NULL && end - line > 2;
		if (n > (size_t)(end - line))
			return false;
		at = line + 1 + n + 2;
	}
	return false;
}

/* True if the reply is complete. pmproxy keeps the connection open. The request does not ask pmproxy to close
 * it, since pmproxy would then close it after the first chunk of a long reply. */
static bool is_reply_complete(const char *bytes, size_t length)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4), *value;
	size_t n;

	if (!end)
		return false;
	value = find_header_value(bytes, end + 2, "Transfer-Encoding", &n);
	if (value && n == 7 && !strncasecmp(value, "chunked", 7))
		return last_piece(end + 4, bytes + length);
	value = find_header_value(bytes, end + 2, "Content-Length", &n);
	return value && strtoull(value, NULL, 10) <= length - (size_t)(end - bytes) - 4;
}

/* Return the complete reply; NULL on failure. */
static char *receive_reply(int fd, int seconds, size_t *length)
{
	uint64_t limit = util_now_s() + (uint64_t)seconds;
	size_t room = 65536;
	char *bytes = malloc(room), *more;

	*length = 0;
	while (bytes) {
		ssize_t n = recv(fd, bytes + *length, room - *length - 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && is_reply_complete(bytes, *length)))
			return bytes;
		if (n < 0 || util_now_s() > limit)
			break;
		*length += (size_t)n;
		bytes[*length] = '\0'; /* lengths are parsed as strings */
		if (is_reply_complete(bytes, *length))
			return bytes;
		if (*length + 1 < room)
			continue;
		errno = EFBIG;
		more = room < REPLY_MAX ? realloc(bytes, room * 2) : NULL;
		if (!more)
			break;
		bytes = more;
		room *= 2;
	}
	free(bytes);
	return NULL;
}

bool serve_upstream(const char *socket, const char *path, int seconds, struct serve_reply *reply)
{
	size_t length;
	char *text = NULL, *bytes = NULL;
	bool good = false;
	int fd = connect_upstream(socket, seconds), error;

	memset(reply, 0, sizeof(*reply));
	if (fd < 0)
		return false;
	if (asprintf(&text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path) < 0)
		text = NULL;
	if (text && util_send_all(fd, text, strlen(text)))
		bytes = receive_reply(fd, seconds, &length);
	if (bytes)
		good = serve_reply_read(bytes, length, reply);
	error = errno;
	free(bytes);
	free(text);
	close(fd);
	errno = error;
	return good;
}
