/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.h - one connection of the control socket: lines come in, answers go out, and no call waits. The
 * memory of a client is bounded: a buffer of REQUEST_MAX + 2 bytes for lines, and one answer.
 */
#ifndef SERVICE_CLIENT_H
#define SERVICE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lane_job;

struct client {
	uint64_t number; /* never given twice */
	int fd;
	pid_t pid; /* who had made the connection */
	uid_t uid;
	char *in; /* have bytes, of which the first looked have no newline */
	size_t have, looked, room;
	char *out; /* length bytes, of which sent have gone; NULL: there is no answer */
	size_t length, sent;
	int64_t since_ms;        /* when it came, or its last answer had gone      */
	bool busy;               /* a command of it runs                           */
	bool last;               /* the connection ends when the answer has gone   */
	struct lane_job *resume; /* what brings back what it has yielded; NULL: nothing */
};

/* NULL: there is no memory; the descriptor stays the caller's then. */
struct client *client_open(int fd, uint64_t number, int64_t now_ms);
void client_close(struct client *client);

/* Takes what has come. False: the connection is over. */
bool client_receive(struct client *client);

enum client_line { CLIENT_NO_LINE, CLIENT_LINE, CLIENT_TOO_LONG };

/* The next line that is whole, without its newline, until client_drop_line. */
enum client_line client_line(struct client *client, size_t *length);
void client_drop_line(struct client *client, size_t length);

/* Begins to send an answer, which it takes from the caller: one line, without its newline. NULL is that
 * there is no memory for one. False: the connection is over. */
bool client_answer(struct client *client, char *reply, int64_t now_ms);

/* Sends on. False: the connection is over, or was to end now. */
bool client_send(struct client *client, int64_t now_ms);

#endif
