/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings.h - settings that upc_regions passes to the program in the environment.
 */
#ifndef UPCR_SETTINGS_H
#define UPCR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { UPCR_EVENTS_MAX = 256 };

struct upcr_settings {
	const char *events; /* names separated by commas; NULL or empty: time and calls only */
	const char *out;    /* NULL: no file */
	bool simulate;      /* the simulator counts, not libmpx */
	uint64_t slice_ns;  /* time slice in ns; 0: libmpx's default */
	unsigned max;       /* limit of names, and of paths per thread */
};

void upcr_settings_read(struct upcr_settings *settings);

/* Return the process's rank, and the number of ranks, from the environment of MPI or Slurm; -1: none. */
long upcr_rank(void);
long upcr_ranks(void);

/* Copy the file name out to path, with %p, %r and %h replaced by PID, rank and host, and with the PID
 * appended if the process is a child and out has no %p. False if the result does not fit. */
bool upcr_out_path(const char *out, pid_t pid, bool child, char *path, size_t size);

#endif
