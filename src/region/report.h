/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h - the file of one process (doc/reference/json.md).
 * Terms: region/region.h.
 */
#ifndef UPCR_REPORT_H
#define UPCR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "region/names.h"
#include "region/notes.h"
#include "region/result.h"

/* Facts about a process that are known from its beginning. */
struct upcr_about {
	struct timespec started;
	const char *clock;
	uint64_t slice_ns;
	unsigned events;
	const char *(*event)(unsigned i);
};

struct upcr_report {
	const char *path;
	const char *record; /* record to remove once the file exists, before its ".part"; NULL: none */
	pid_t pid;
	const char *head; /* from upcr_report_head */
	size_t head_length;
	const char *ended; /* "exit", "exec", "signal 9 (Killed)", ... */
	uint64_t ns;
	const struct upcr_names *names;
	const struct upcr_notes *notes;
	const char *(*event)(unsigned i);
	const char *(*reason)(unsigned i); /* why event i is refused; UINT32_MAX: why nothing is counted */
	const struct upcr_result *results; /* linked list */
};

/* Write the words for a note to text, with its reason if there is one, and return text. */
const char *upcr_report_words(const struct upcr_said *said, const char *(*reason)(unsigned i), char *text,
			      size_t size);
/* Return the file's text up to the part that is known at the end only; the caller frees it. NULL: out of
 * memory. */
char *upcr_report_head(const struct upcr_about *about, size_t *length);
/* Create a file with ".part" after its name, which stays if the process is killed. It names the record;
 * without a record (NULL) it is empty. */
void upcr_report_begin(const char *path, const char *record);
void upcr_report_forget(const char *path, pid_t pid);
/* Write the whole file or nothing, by a rename. False, with errno, on failure. */
bool upcr_report_write(const struct upcr_report *report);

#endif
