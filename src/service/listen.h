/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.h - the service's socket in the file system: checks its directory and owner, and whether the service
 * that left a socket still lives.
 */
#ifndef SERVICE_LISTEN_H
#define SERVICE_LISTEN_H

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

struct listen {
	int fd; /* listening, non-blocking */
	struct sockaddr_un address;
	dev_t device; /* of the socket file */
	ino_t inode;
};

/* Make the socket and listen. Return 0, or a negative UPC_E* and *message, as service_control_start
 * (control.h) does. */
int listen_open(const char *path, struct listen *l, char **message);

/* Close the socket, and remove its file unless it was replaced. */
void listen_close(struct listen *l);

#endif
