/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings.h - what upc_regions asks for, by the environment.
 */
#ifndef UPCR_SETTINGS_H
#define UPCR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { UPCR_EVENTS_MAX = 256 };

struct upcr_settings {
	const char *events; /* names with commas; NULL or empty: time and calls only */
	const char *out;    /* NULL: no file                                          */
	bool simulate;      /* the simulator counts, and not libmpx                   */
	uint64_t slice_ns;  /* 0: libmpx's own                                        */
	unsigned max;       /* names, and paths of a thread                           */
};

void upcr_settings_read(struct upcr_settings *settings);

/* -1: it is none. */
long upcr_rank(void);
long upcr_ranks(void);

/* out with %p, %r and %h filled in, and the process behind it where it is a child and out has no
 * %p. False: it does not fit. */
bool upcr_out_path(const char *out, pid_t pid, bool child, char *path, size_t size);

#endif
