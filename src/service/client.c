/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.c - one connection of the control socket: receives lines and sends answers, without blocking.
 */
#include "service/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/lane.h"
#include "service/request.h"

#define ROOM_FIRST 1024u

struct client *client_open(int fd, uint64_t number, int64_t now_ms)
{
	struct client *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	client->fd = fd;
	client->number = number;
	client->since_ms = now_ms;
	return client;
}

void client_close(struct client *client)
{
	close(client->fd);
	lane_job_free(client->resume);
	free(client->in);
	free(client->out);
	free(client);
}

static bool make_input_room(struct client *client)
{
	size_t room = client->room == 0 ? ROOM_FIRST : 2 * client->room;
	char *in;

	if (client->have < client->room)
		return true;
	/* One byte more than the longest line and its newline, so that a longer line is noticed. */
	if (room > REQUEST_MAX + 2)
		room = REQUEST_MAX + 2;
	if (room <= client->room)
		return false;
	in = realloc(client->in, room);
	if (in == NULL)
		return false;
	client->in = in;
	client->room = room;
	return true;
}

bool client_receive(struct client *client)
{
	ssize_t n;

	if (!make_input_room(client))
		return false;
	n = recv(client->fd, client->in + client->have, client->room - client->have, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	client->have += (size_t)n;
	return n > 0;
}

enum client_line client_line(struct client *client, size_t *length)
{
	char *from = client->in + client->looked, *newline = NULL;

	if (client->have > client->looked)
		newline = memchr(from, '\n', client->have - client->looked);
	if (newline != NULL) {
		*length = (size_t)(newline - client->in);
		return *length > REQUEST_MAX ? CLIENT_TOO_LONG : CLIENT_LINE;
	}
	client->looked = client->have;
	return client->have > REQUEST_MAX ? CLIENT_TOO_LONG : CLIENT_NO_LINE;
}

void client_drop_line(struct client *client, size_t length)
{
	client->have -= length + 1;
	client->looked = 0;
	memmove(client->in, client->in + length + 1, client->have);
	if (client->have == 0) {
		/* Free the buffer, so that many waiting clients cost little, even if they have sent long
		 * lines before. */
		free(client->in);
		client->in = NULL;
		client->room = 0;
	}
}

bool client_answer(struct client *client, char *reply, int64_t now_ms)
{
	size_t length = reply != NULL ? strlen(reply) : 0;

	if (reply == NULL)
		return false;
	request_one_line(reply);
	reply[length] = '\n'; /* replaces the terminating NUL */
	client->out = reply;
	client->length = length + 1;
	client->sent = 0;
	return client_send(client, now_ms);
}

bool client_send(struct client *client, int64_t now_ms)
{
	while (client->sent < client->length) {
		ssize_t n = send(client->fd, client->out + client->sent, client->length - client->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		client->sent += (size_t)n;
	}
	free(client->out);
	client->out = NULL;
	client->length = client->sent = 0;
	client->since_ms = now_ms;
	return !client->last;
}
