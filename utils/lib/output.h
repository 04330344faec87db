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
	const char *name; /* name of the file in messages */
	bool made;        /* util_output_open created the file: remove it if nothing is written */
	bool own;         /* util_output_open opened the file: close it */
};

/* Open the file at path for writing, without changing its content. If path is NULL, use the stream
 * `standard`;
 * "-" is standard output. Return 0, or UTIL_FAILED after printing an error. */
int util_output_open(struct util_output *output, const char *path, FILE *standard);

/* Empty the file before writing. */
void util_output_begin(struct util_output *output);

/* Report a failure to make the report (done is false), which errno explains. Return 0, or UTIL_FAILED after
 * printing an error. */
int util_output_made(struct util_output *output, bool done);

/* Flush and close. Return 0, also if the reader has closed the pipe, or UTIL_FAILED after printing an
 * error. */
int util_output_end(struct util_output *output);

/* Close a file that nothing was written to, and remove it if it was created here. No effect after
 * util_output_end. */
void util_output_drop(struct util_output *output);

/* Check that files can be created in the directory of path. Return 0, or UTIL_FAILED after printing an
 * error. */
int util_output_check_place(const char *path);

#endif
