/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_pass.h - one file of which a unit wants some lines, and of each line
 * some fields; and the pass that reads it.
 */
#ifndef UPCI_FILE_PASS_H
#define UPCI_FILE_PASS_H

#include <sys/types.h>

#include "base/event.h"
#include "procfs/field.h"

struct upci_want {
	int handle;
	unsigned first, last;
	uint32_t mul, div;
};

struct upci_wanted_line {
	struct upci_line_key key;
	unsigned number; /* where it was last, from 1; 0: not known */
	bool found;
	struct upci_line_scan scan; /* of this pass */
	unsigned wants;
	struct upci_want *want; /* ascending by first */
};

struct upci_wanted_file {
	enum upci_root root;
	char *path;
	int fd; /* -1: to be opened */
	unsigned lines;
	struct upci_wanted_line **line; /* ascending by number */
};

/* The text read from a file. The buffer, which is mapped, grows and is used again. */
struct upci_text {
	char *text; /* a 0 stands behind it */
	size_t capacity;
	size_t length;
	bool complete; /* nothing follows */
};

/* Opens the file if it is not; false with errno when it cannot be. */
bool upci_wanted_open(struct upci_wanted_file *file, pid_t pid, pid_t tid);

void upci_text_free(struct upci_text *text);

/* Reads an open file from its beginning to its end; false with errno. */
bool upci_text_read_all(struct upci_text *text, int fd);

/* Reads an open file once: value and state as in upci_files_read, for the
 * handles of this file. A file that is not open has lost all. Returns how
 * many were lost. */
unsigned upci_wanted_pass(struct upci_wanted_file *file, struct upci_text *text, uint64_t *value,
			  uint8_t *state);

#endif
