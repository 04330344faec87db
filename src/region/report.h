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
#include "region/result.h"
#include "region/thread.h"

struct upcr_report {
	const char *path;
	const char *ended; /* "exit", "exec", ... */
	struct timespec started;
	uint64_t ns;
	const char *clock;
	const struct upcr_names *names;
	const struct upcr_notes *notes;
	const struct upcr_result *results; /* a list */
};

/* What a note is in words, with its reason where there is one. */
const char *upcr_report_words(const struct upcr_said *said, char *text, size_t size);
/* Leaves an empty file with ".part" behind its name, which stays where the process is killed. */
void upcr_report_begin(const char *path);
void upcr_report_forget(const char *path);
/* Whole, or not at all: by a rename. False, with errno. */
bool upcr_report_write(const struct upcr_report *report);

#endif
