/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roots.h - opens files beneath /proc and /sys, and nowhere else, whatever a
 * path or a link says.
 */
#ifndef UPCI_ROOTS_H
#define UPCI_ROOTS_H

#include <dirent.h>
#include <sys/types.h>

#include "base/event.h"

/*
 * A close-on-exec descriptor for reading, or -1 with errno: EINVAL for a path
 * that is absolute, empty or has a ".." in it; ENODEV where the root is not
 * mounted; EXDEV or ELOOP for one that leads out of the root; EMFILE also when
 * only the program's reserve is left (fds.h); what open gives otherwise. pid
 * and tid are those of the TASK and PROCESS roots.
 */
int upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path);

/*
 * The names in a directory of PROC or SYS that begin with prefix, those with
 * numbers in the order of the numbers. Returns how many, 0 also when there is
 * no such directory, with errno of its opening (EMFILE also when only the program's reserve is
 * left); the caller frees each and the array.
 */
int upci_root_list(enum upci_root root, const char *path, const char *prefix, struct dirent ***list);

/* The same in the order of what the names, which are links, lead to: for devices whose numbers
 * are those in which their drivers came up, and whose addresses stay. */
int upci_root_list_by_link(enum upci_root root, const char *path, const char *prefix, struct dirent ***list);

/* "/proc/123/task/123/stat" for messages, cut to size. */
void upci_root_name(enum upci_root root, pid_t pid, pid_t tid, const char *path, char *name, size_t size);

#endif
