/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_node.h - the private node: its four processes and ours, from the start to the end.
 */
#ifndef UTIL_SERVE_NODE_H
#define UTIL_SERVE_NODE_H

#include <stdint.h>

#include "serve/serve_place.h"

struct serve_options {
	const char *dir;    /* NULL: the default */
	const char *config; /* NULL: what this machine has */
	uint64_t interval_ns;
	long port; /* 0: the first free one of some */
};

/* Runs until a signal ends it; returns the exit status. */
int serve_node(const struct serve_options *options);

/* Ends the one that runs in the directory, and what is left of one. Returns the exit status. */
int serve_stop(const char *dir);

#endif
