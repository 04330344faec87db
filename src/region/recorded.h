/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recorded.h - reads the record of a process that has ended, and makes its file of it.
 */
#ifndef UPCR_RECORDED_H
#define UPCR_RECORDED_H

#include <stdbool.h>
#include <sys/types.h>

struct upcr_recorded {
	pid_t pid;
	bool child; /* of another process with a record */
	bool over;  /* it has written its file itself   */
	bool alive;
	struct upcr_recorded_parts *parts;
};

/* False, with errno: it cannot be read; EINVAL: it is no record, or of another release. */
bool upcr_recorded_open(struct upcr_recorded *recorded, const char *path);
void upcr_recorded_free(struct upcr_recorded *recorded);

/* Writes the process's file as the process would have, with how it ended, and removes the record and the
 * ".part". False, with errno: nothing is removed. */
bool upcr_recorded_write(const struct upcr_recorded *recorded, const char *record, const char *path,
			 const char *ended);

#endif
