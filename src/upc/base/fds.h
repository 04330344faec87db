/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fds.h - a reserve of descriptors for the program that is measured.
 *
 * open() gives the lowest free number, so a descriptor numbered limit - R
 * means that at most R are left: then it is given back, and the event that it
 * was for is refused, before the program's own open fails.
 */
#ifndef UPCI_FDS_H
#define UPCI_FDS_H

#include <stdbool.h>
#include <stddef.h>

/* fd as it is, or, when fewer than the reserve would be left, closes it and
 * returns -1 with errno EMFILE. A negative fd passes through. */
int upci_fd_keep(int fd);

/* How many more upci_fd_keep would let through; SIZE_MAX where that cannot be told. */
size_t upci_fd_left(void);

/* Whether errno says that the process or the system has none left. */
bool upci_fd_none_left(void);
/* UPC_EMFILE, with a message that begins with what one was needed for. */
int upci_fd_fail(const char *what);

#endif
