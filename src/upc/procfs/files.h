/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - the interface to counters in /proc and /sys. One pass over a file reads all fields that a unit
 * wants.
 *
 * Terms:
 *   field   a number in a file, and the description of where it is (struct upci_field)
 *   want    a field that a unit counts: its tokens in a line, and its handle
 *   wanted  of a line or a file: it has at least one want
 *   key     the token by which a line is found
 *   pass    one reading of a file, from its beginning, for all wants
 *   place   of a line: its number at the last pass, where the next pass looks first
 *   lost    of a field: it could not be read in this pass
 *   root    the directory that a path is relative to (enum upci_root)
 *
 * More terms: base/source.h.
 *
 * A path is opened only beneath its root (openat2 with RESOLVE_BENEATH; links inside /sys are followed).
 * Files are opened close-on-exec and stay open. A read is one pread from offset 0, and more preads only if
 * the file is larger than the buffer.
 */
#ifndef UPCI_FILES_H
#define UPCI_FILES_H

#include <sys/types.h>

#include "base/event.h"

struct upci_files; /* the open files of one unit */

/* Create a set of files. pid and tid of the context are for the TASK and PROCESS roots. They are 0 if the
 * context has no task; adding a field of these roots then fails with UPC_ENOSUPP. */
int upci_files_create(pid_t pid, pid_t tid, struct upci_files **files);
void upci_files_destroy(struct upci_files *files);

/*
 * Add a field. Open its file if this is the first field of it, and check that the field exists. Return its
 * handle (>= 0) or a negative error with message (UPC_ENOSUPP, UPC_EPERM, UPC_EMFILE, UPC_ENOTASK,
 * UPC_ENOMEM). Handles of removed fields are used again.
 */
int upci_files_add(struct upci_files *files, const struct upci_driver *driver);
void upci_files_remove(struct upci_files *files, int handle);

/*
 * Read every file in one pass. Set value[handle] to the value scaled by mul/div (64-bit, modulo 2^64) and
 * state[handle] to an enum upci_source_state. The state is LOST if the field could not be read this time;
 * value[handle] then does not change. Both arrays have room for all handles. Return the number of lost
 * fields.
 */
unsigned upci_files_read(struct upci_files *files, uint64_t *value, uint8_t *state);

/* In a forked child, close all descriptors. The next read opens the files again, for the given pid and
 * tid. */
void upci_files_forked(struct upci_files *files, pid_t pid, pid_t tid);

/* ---- shared with the builder of the catalogue -------------------------- */

/* Read a whole file of a root (PROC and SYS; TASK and PROCESS of the caller) as a string with a final 0, or
 * return NULL. length may be NULL. The caller frees the string. */
char *upci_file_slurp(enum upci_root root, const char *path, size_t *length);

/* Read a token; *p moves to its end. Return its length and set *token; 0 at the end of the line. */
size_t upci_token(const char **p, const char *line_end, const char **token);

/* Get the scaled value of a field in a file's text. False if the text does not contain the field. */
bool upci_field_find(const char *text, size_t length, const struct upci_driver *driver, uint64_t *value);

#endif
