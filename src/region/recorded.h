/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorded.h - reads the record of a process that has ended, and makes the process's file from it.
 * Terms: region/region.h.
 */
#ifndef UPCR_RECORDED_H
#define UPCR_RECORDED_H

#include <stdbool.h>
#include <sys/types.h>

struct upcr_recorded {
	pid_t pid;
	bool child; /* child of another process with a record */
	bool over;  /* the process has written its file itself */
	bool alive; /* the process still exists */
	struct upcr_recorded_parts *parts;
};

/* Read a record. False, with errno, on failure; EINVAL if it is no record or is from another release. */
bool upcr_recorded_open(struct upcr_recorded *recorded, const char *path);
void upcr_recorded_free(struct upcr_recorded *recorded);

/* Write the process's file as the process would have written it, with ended as the way it ended, and remove
 * the record and the ".part" file. False, with errno, on failure: nothing is removed. */
bool upcr_recorded_write(const struct upcr_recorded *recorded, const char *record, const char *path,
			 const char *ended);

#endif
