/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control.c - sends commands to the node service over its socket.
 *
 * Terms: lib/common.h.
 */
#include "lib/control.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/send.h"
#include "service/request.h"

#define SYSTEM_SOCKET "/run/upc/control"
#define ANSWER_MAX (64u << 20) /* bytes: more than any service answers */

__attribute__((format(printf, 2, 3))) static int fail(struct util_control *control, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(control->why, sizeof(control->why), format, arguments);
	va_end(arguments);
	return -1;
}

/* ---- a connection ------------------------------------------------------------------- */

static void drop_control(struct util_control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	control->fd = -1;
	control->have = 0;
}

void util_control_close(struct util_control *control)
{
	drop_control(control);
	free(control->in);
	control->in = NULL;
	control->room = 0;
}

/* Check the owner of the listening process, because another user could have put a socket into a directory
 * that many users can write to. */
static int check_owner(struct util_control *control)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(control->fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
		return fail(control, "who listens at %s is not known: %s", control->path, strerror(errno));
	if (geteuid() != 0 && peer.uid != 0 && peer.uid != geteuid())
		return fail(control,
			    "what listens at %s belongs to uid %u, not to root or to you: it is not used",
			    control->path, (unsigned)peer.uid);
	return 0;
}

/* Connect to the socket at path. Return 0, -1 after an error, or 1 if no process listens. */
static int connect_control(struct util_control *control, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int error;

	if (strlen(path) >= sizeof(address.sun_path))
		return fail(control, "the path of the socket has %zu bytes, and at most %zu are possible: %s",
			    strlen(path), sizeof(address.sun_path) - 1, path);
	strcpy(address.sun_path, path);
	strcpy(control->path, path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (control->fd < 0)
		return fail(control, "cannot make a socket: %s", strerror(errno));
	if (connect(control->fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return check_owner(control);
	error = errno;
	drop_control(control);
	if (error == EACCES || error == EPERM)
		return fail(control,
			    "the service at %s takes commands from its own user and from root only: %s", path,
			    strerror(error));
	fail(control, "no service listens at %s: %s", path, strerror(error));
	return error == ENOENT || error == ECONNREFUSED || error == ENOTDIR ? 1 : -1;
}

/* Write the socket path of this user's private node, which upc_serve starts if it has no --dir. */
static bool private_path(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (state != NULL && state[0] == '/')
		n = snprintf(path, size, "%s/upc/serve/run/control", state);
	else if (home != NULL && home[0] == '/')
		n = snprintf(path, size, "%s/.local/state/upc/serve/run/control", home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

int util_control_open(struct util_control *control, const char *path)
{
	char own[sizeof(control->path)] = "";
	int result;

	*control = (struct util_control){.fd = -1, .wait_ms = -1};
	if (path == NULL)
		path = getenv("UPC_CONTROL");
	if (path != NULL && path[0] != '\0')
		return connect_control(control, path) == 0 ? 0 : -1;
	if (private_path(own, sizeof(own))) {
		result = connect_control(control, own);
		if (result <= 0)
			return result;
	}
	result = connect_control(control, SYSTEM_SOCKET);
	if (result > 0)
		fail(control,
		     "there is no service: none listens at %s%s%s. 'upc serve' starts one of your own; -S names "
		     "another's socket",
		     own, own[0] != '\0' ? " or " : "", SYSTEM_SOCKET);
	return result == 0 ? 0 : -1;
}

/* ---- commands ------------------------------------------------------------------------ */

static int make_control_room(struct util_control *control)
{
	size_t room = control->room == 0 ? 4096 : 2 * control->room;
	char *in;

	if (control->have < control->room)
		return 0;
	if (room > ANSWER_MAX)
		return fail(control, "the service at %s has answered %zu bytes, and not ended", control->path,
			    control->have);
	in = realloc(control->in, room);
	if (in == NULL)
		return fail(control, "out of memory");
	control->in = in;
	control->room = room;
	return 0;
}

static int wait_for_more(struct util_control *control, int64_t end_ms)
{
	struct pollfd fd = {.fd = control->fd, .events = POLLIN};

	for (;;) {
		int64_t left = control->wait_ms < 0 ? -1 : end_ms - (int64_t)(upci_now_ns() / 1000000);
		int n;

		if (control->wait_ms >= 0 && left < 0)
			left = 0;
		n = poll(&fd, 1, (int)left);
		if (n > 0)
			return 0;
		if (n == 0)
			return fail(control, "the service at %s has not answered for %d ms", control->path,
				    control->wait_ms);
		if (errno != EINTR)
			return fail(control, "cannot wait for an answer: %s", strerror(errno));
	}
}

/* Read until a line is complete. Return its length, or -1. */
static ssize_t receive_line(struct util_control *control)
{
	const int64_t end_ms = (int64_t)(upci_now_ns() / 1000000) + control->wait_ms;

	for (;;) {
		char *newline;
		ssize_t n;

		if (make_control_room(control) != 0 || wait_for_more(control, end_ms) != 0)
			return -1;
		n = recv(control->fd, control->in + control->have, control->room - control->have, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(control,
				    "the service at %s has ended, or closed the connection, before it "
				    "answered%s%s",
				    control->path, n < 0 ? ": " : "", n < 0 ? strerror(errno) : "");
		newline = memchr(control->in + control->have, '\n', (size_t)n);
		control->have += (size_t)n;
		if (newline != NULL)
			return newline - control->in;
	}
}

static bool is_answer(const json_t *answer)
{
	return json_is_boolean(json_object_get(answer, "ok")) &&
	       json_is_string(json_object_get(answer, "message"));
}

json_t *util_control_ask(struct util_control *control, const char *const *word, unsigned words)
{
	char why[REQUEST_WHY_MAX], *line = request_write(word, words, why);
	json_t *answer = NULL;
	ssize_t length;

	if (line == NULL) {
		fail(control, "the command cannot be sent: %s", why);
		return NULL;
	}
	/* The result is ignored: if sending fails because the service has closed the connection, the service
	 * may have answered before. */
	(void)util_send_all(control->fd, line, strlen(line));
	free(line);
	control->have = 0;
	length = receive_line(control);
	if (length >= 0) {
		answer = json_loadb(control->in, (size_t)length, 0, NULL);
		if (!is_answer(answer)) {
			json_decref(answer);
			answer = NULL;
			fail(control, "what listens at %s has answered what is no answer of a service",
			     control->path);
		}
	}
	if (answer == NULL)
		drop_control(control);
	return answer;
}
