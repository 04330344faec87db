/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.h - the socket of a service in the file system: where it may be, whose it is, and whether who
 * left it there still lives.
 */
#ifndef SERVICE_LISTEN_H
#define SERVICE_LISTEN_H

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

struct listen {
	int fd; /* listens, does not block */
	struct sockaddr_un address;
	dev_t device; /* of what was put there */
	ino_t inode;
};

/* 0, or a negative UPC_E* and *message, as service_control_start (control.h) has them. */
int listen_open(const char *path, struct listen *l, char **message);

/* Takes it away, if it is still what was put there. */
void listen_close(struct listen *l);

#endif
