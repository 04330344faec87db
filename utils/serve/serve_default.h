/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_default.h - the default configuration, from the events that are available on this machine to this
 * user.
 */
#ifndef UTIL_SERVE_DEFAULT_H
#define UTIL_SERVE_DEFAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Write a configuration for an agent of this user. False after a message. */
bool serve_default_write(struct upc_catalogue *catalogue, const char *file, uint64_t interval_ns);

#endif
