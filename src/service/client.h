/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.h - one connection of the control socket: receives lines and sends answers; no call waits. The
 * memory of a client is bounded: a buffer of REQUEST_MAX + 2 bytes for lines, and one answer.
 * Terms: service/service.h.
 */
#ifndef SERVICE_CLIENT_H
#define SERVICE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lane_job;

struct client {
	uint64_t number; /* never reused */
	int fd;
	pid_t pid; /* process that made the connection */
	uid_t uid;
	char *in; /* `have` received bytes; the first `looked` bytes contain no newline */
	size_t have, looked, room;
	char *out; /* answer of `length` bytes, of which `sent` are sent; NULL: no answer */
	size_t length, sent;
	int64_t since_ms;        /* time when the connection was made or its last answer sent */
	bool busy;               /* a command of the client runs */
	bool last;               /* the connection ends once the answer is sent */
	struct lane_job *resume; /* job that ends the client's yield; NULL: no yield */
};

/* Return a client; NULL if out of memory: fd then still belongs to the caller. */
struct client *client_open(int fd, uint64_t number, int64_t now_ms);
void client_close(struct client *client);

/* Receive the available bytes. False: the connection is over. */
bool client_receive(struct client *client);

enum client_line { CLIENT_NO_LINE, CLIENT_LINE, CLIENT_TOO_LONG };

/* Find the next complete line, of *length bytes without its newline. It stays valid until
 * client_drop_line. */
enum client_line client_line(struct client *client, size_t *length);
void client_drop_line(struct client *client, size_t length);

/* Begin to send an answer, one line without its newline, which the client takes over. reply NULL means that
 * there was no memory for an answer. False: the connection is over. */
bool client_answer(struct client *client, char *reply, int64_t now_ms);

/* Continue to send. False: the connection is over, or was to end after this answer. */
bool client_send(struct client *client, int64_t now_ms);

#endif
