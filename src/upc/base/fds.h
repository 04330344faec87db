/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.h - a reserve of file descriptors for the measured program.
 *
 * open() returns the lowest free number. A descriptor numbered limit - R therefore means that at most R are
 * left. The descriptor is then closed and its event refused, before an open() of the program itself fails.
 */
#ifndef UPCI_FDS_H
#define UPCI_FDS_H

#include <stdbool.h>
#include <stddef.h>

/* Return fd. If fewer descriptors than the reserve would be left, close fd and return -1 with errno EMFILE. A
 * negative fd is returned as it is. */
int upci_fd_keep(int fd);

/* Return how many more descriptors upci_fd_keep would accept, or SIZE_MAX if that is unknown. */
size_t upci_fd_left(void);

/* True if errno says that the process or the system has no descriptors left. */
bool upci_fd_none_left(void);
/* Return UPC_EMFILE, with a message that begins with what the descriptor was for. */
int upci_fd_fail(const char *what);

#endif
