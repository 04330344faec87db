/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_node.h - the private node, with its four child processes, from start to end.
 */
#ifndef UTIL_SERVE_NODE_H
#define UTIL_SERVE_NODE_H

#include <stdint.h>

#include "serve/serve_place.h"

struct serve_options {
	const char *dir;    /* NULL: the default */
	const char *config; /* NULL: the default configuration */
	uint64_t interval_ns;
	long port; /* 0: the first free port of a range */
};

/* Run the node until a signal ends it. Return the exit status. */
int serve_node(const struct serve_options *options);

/* End the node that runs in the directory, and processes that a killed node has left. Return the exit
 * status. */
int serve_stop(const char *dir);

#endif
