/* SPDX-License-Identifier: BSD-3-Clause */
/* roots.h - opens files beneath /proc and /sys only, whatever a path or a link contains. */
#ifndef UPCI_ROOTS_H
#define UPCI_ROOTS_H

#include <dirent.h>
#include <sys/types.h>

#include "base/event.h"

/*
 * Open a file for reading. Return a close-on-exec descriptor, or -1 with errno: EINVAL if the path is
 * absolute, empty or contains ".."; ENODEV if the root is not mounted; EXDEV or ELOOP if the path leads out
 * of the root; EMFILE if no descriptor is left, or only the program's reserve (fds.h); or another error of
 * open. pid and tid are for the TASK and PROCESS roots.
 */
int upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path);

/*
 * List the names in a directory of PROC or SYS that begin with prefix, with numbers in numeric order. Return
 * their number, or 0 with errno if the directory cannot be opened. EMFILE then also means that only the
 * program's reserve is left. The caller frees each entry and the array.
 */
int upci_root_list(enum upci_root root, const char *path, const char *prefix, struct dirent ***list);

/*
 * List names as upci_root_list does, but sort them by the targets of the links. Device numbers follow the
 * order in which drivers were loaded, but the device addresses in link targets do not change.
 */
int upci_root_list_by_link(enum upci_root root, const char *path, const char *prefix, struct dirent ***list);

/* Compose a name such as "/proc/123/task/123/stat" for messages, cut to size. */
void upci_root_name(enum upci_root root, pid_t pid, pid_t tid, const char *path, char *name, size_t size);

#endif
