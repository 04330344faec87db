/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - the file of -o: opened before anything runs, emptied when there is something to write.
 */
#ifndef UTIL_OUTPUT_H
#define UTIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct util_output {
	FILE *file;
	const char *name; /* for messages */
	bool made;        /* by us: removed where nothing is written */
	bool own;         /* closed by us */
};

/* Opens path for writing, without a change of what it has: 0, or UTIL_FAILED, said. NULL is
 * standard, "-" is standard output. */
int util_output_open(struct util_output *output, const char *path, FILE *standard);

/* Empties the file: what is written from now on is all that it has. */
void util_output_begin(struct util_output *output);

/* Whether a report was made, done, with errno of what failed: 0, or UTIL_FAILED, said. */
int util_output_made(struct util_output *output, bool done);

/* Writes what is buffered, and closes: 0 (also where its reader has gone), or UTIL_FAILED, said. */
int util_output_end(struct util_output *output);

/* Closes a file that nothing was written to, and removes it where it was not there before. Does
 * nothing behind util_output_end. */
void util_output_drop(struct util_output *output);

/* Whether files can be made in the directory of path: 0, or UTIL_FAILED, said. */
int util_output_check_place(const char *path);

#endif
