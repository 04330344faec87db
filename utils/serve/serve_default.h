/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_default.h - the default configuration of the node's agent: counters of events that are available on
 * this machine to this user.
 * Terms: serve/serve_node.h.
 */
#ifndef UTIL_SERVE_DEFAULT_H
#define UTIL_SERVE_DEFAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Write the configuration to the file, for an agent that runs as this user. False after a message. */
bool serve_default_write(struct upc_catalogue *catalogue, const char *file, uint64_t interval_ns);

#endif
