/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_node.h - the private node, with its four child processes, from start to end.
 *
 * Terms:
 * - private node: a node service for one user, with the daemons of PCP (Performance Co-Pilot) and a page
 * - agent: pmdaupc, the program that counts and through which pmcd reads the counts (src/pmda)
 * - pmcd: PCP's daemon for values; pmproxy: its HTTP server; pmlogger: writes the archive
 * - page: the web page with live values, and the process that serves it (serve_front.h)
 * - child: one of pmcd, pmproxy, pmlogger and the page; the agent is a child of pmcd
 * - configuration: the agent's list of counters (service/config.h)
 * - directory: the node's directory (serve_place.h); holder: the upc_serve that has locked it
 * - nobody, web user: the user without rights that pmproxy and the page run as on root's node
 * - archive: the samples that pmlogger has written
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
