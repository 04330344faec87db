/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - counters of /proc and /sys: one pass over a file serves all the
 * fields that a unit wants of it.
 *
 * The border to /proc and /sys: paths are opened beneath their root only
 * (openat2 with RESOLVE_BENEATH; on /sys links inside /sys are followed),
 * close-on-exec, and kept open; a read is one pread from offset 0 (more only
 * where a file is larger than the buffer has grown to).
 */
#ifndef UPCI_FILES_H
#define UPCI_FILES_H

#include <sys/types.h>

#include "base/event.h"

struct upci_files; /* the open files of one unit */

/* pid and tid of the context for the TASK and PROCESS roots; 0 where the
 * context has none (then fields of these roots are UPC_ENOSUPP). */
int upci_files_create(pid_t pid, pid_t tid, struct upci_files **files);
void upci_files_destroy(struct upci_files *files);

/*
 * Wants a field; opens its file if it is the first of it and checks that the
 * field is there. Returns its handle (>= 0) or a negative error with message
 * (UPC_ENOSUPP, UPC_EPERM, UPC_EMFILE, UPC_ENOTASK, UPC_ENOMEM).
 * Handles of removed fields are used again.
 */
int upci_files_add(struct upci_files *files, const struct upci_driver *driver);
void upci_files_remove(struct upci_files *files, int handle);

/*
 * One pass over every file: value[handle] gets mul/div scaled values (64-bit,
 * modulo 2^64) and state[handle] an upci_source_state: LOST where the field could not be
 * read this time (value then untouched). Both have room for all handles.
 * Returns how many were lost.
 */
unsigned upci_files_read(struct upci_files *files, uint64_t *value, uint8_t *state);

/* In a forked child: closes the descriptors; everything is opened anew by the
 * next read, for the pid and tid given. */
void upci_files_forked(struct upci_files *files, pid_t pid, pid_t tid);

/* ---- shared with the builder of the catalogue -------------------------- */

/* A whole file of a root (PROC and SYS; TASK and PROCESS of the caller) as a
 * string with a 0 behind it, or NULL. *length may be NULL. The caller frees. */
char *upci_file_slurp(enum upci_root root, const char *path, size_t *length);

/* Reads one token; *p moves behind it. Returns its length and sets *token, 0 at
 * the line's end. */
size_t upci_token(const char **p, const char *line_end, const char **token);

/* Value of a field in a file's text, scaled; false when it is not there. */
bool upci_field_find(const char *text, size_t length, const struct upci_driver *driver, uint64_t *value);

#endif
