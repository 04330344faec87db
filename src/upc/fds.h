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

/* fd as it is, or, when fewer than the reserve would be left, closes it and
 * returns -1 with errno EMFILE. A negative fd passes through. */
int upci_fd_keep(int fd);

#endif
