/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roles.h - functions of a file that change which stack or team a thread is on, by their names: those
 * that unwind or switch stacks (region.h), and all of an OpenMP runtime.
 */
#ifndef UPCS_ROLES_H
#define UPCS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "load/symbols.h"

struct upcs_roles;

/* Those of a file; path is its own. NULL: it has none. */
struct upcs_roles *upcs_roles_create(const struct upcs_symbols *symbols, const char *path);
void upcs_roles_destroy(struct upcs_roles *roles);

/* Bits of enum upcs_region_role of the function that begins at an offset in the file. */
uint8_t upcs_roles_at(const struct upcs_roles *roles, uint64_t offset);
/* An OpenMP runtime's code is there. */
bool upcs_roles_is_runtime(const struct upcs_roles *roles, uint64_t offset);
/* The file is a library that programs mark regions with. */
bool upcs_roles_is_marks(const struct upcs_roles *roles);

#endif
