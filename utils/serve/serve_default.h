/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_default.h - what is counted where no configuration is given: what this machine has for this user.
 */
#ifndef UTIL_SERVE_DEFAULT_H
#define UTIL_SERVE_DEFAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Writes a configuration for an agent of this user. False, said. */
bool serve_default_write(struct upc_catalogue *catalogue, const char *file, uint64_t interval_ns);

#endif
