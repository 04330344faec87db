/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h - the file of one process (doc/reference/json.md).
 */
#ifndef UPCR_REPORT_H
#define UPCR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "region/names.h"
#include "region/notes.h"
#include "region/result.h"

/* Facts of a process that are known from its beginning. */
struct upcr_about {
	struct timespec started;
	const char *clock;
	uint64_t slice_ns;
	unsigned events;
	const char *(*event)(unsigned i);
};

struct upcr_report {
	const char *path;
	const char *record; /* removed as soon as the file is there, before its ".part"; NULL: stays */
	pid_t pid;
	const char *head; /* of upcr_report_head */
	size_t head_length;
	const char *ended; /* "exit", "exec", "signal 9 (Killed)", ... */
	uint64_t ns;
	const struct upcr_names *names;
	const struct upcr_notes *notes;
	const char *(*event)(unsigned i);
	const char *(*reason)(unsigned i); /* why event i is refused; UINT32_MAX: why nothing is counted */
	const struct upcr_result *results; /* a list */
};

/* The words for a note, with its reason where there is one. */
const char *upcr_report_words(const struct upcr_said *said, const char *(*reason)(unsigned i), char *text,
			      size_t size);
/* The file's text up to what is known at the end. For the caller to free; NULL: out of memory. */
char *upcr_report_head(const struct upcr_about *about, size_t *length);
/* Leaves a file with ".part" behind its name, which stays where the process is killed: where its record is
 * (NULL: it has none, and the file is empty). */
void upcr_report_begin(const char *path, const char *record);
void upcr_report_forget(const char *path, pid_t pid);
/* Whole, or not at all: by a rename. False, with errno. */
bool upcr_report_write(const struct upcr_report *report);

#endif
