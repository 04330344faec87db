/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file_pass.h - a file with the lines and fields that a unit reads, and the pass that reads them.
 * Terms: procfs/files.h, base/source.h.
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
	unsigned number; /* number at the last pass, from 1; 0: unknown */
	bool found;
	struct upci_line_scan scan; /* state of the search in this pass */
	unsigned wants;
	struct upci_want *want; /* in ascending order of first */
};

struct upci_wanted_file {
	enum upci_root root;
	char *path;
	int fd; /* -1: not open */
	unsigned lines;
	struct upci_wanted_line **line; /* in ascending order of number */
};

/* The text read from a file. The buffer is mapped, grows, and is reused. */
struct upci_text {
	char *text; /* followed by a 0 */
	size_t capacity;
	size_t length;
	bool complete; /* the end of the file was read */
};

/* Open the file if it is not open. False with errno if that fails. */
bool upci_wanted_open(struct upci_wanted_file *file, pid_t pid, pid_t tid);

void upci_text_free(struct upci_text *text);

/* Read an open file from beginning to end. False with errno. */
bool upci_text_read_all(struct upci_text *text, int fd);

/* Read an open file once; set value and state as upci_files_read does, for the handles of this file. If the
 * file is not open, all its fields are lost. Return the number of lost fields. */
unsigned upci_wanted_pass(struct upci_wanted_file *file, struct upci_text *text, uint64_t *value,
			  uint8_t *state);

#endif
