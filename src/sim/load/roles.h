/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roles.h - functions of a file that change a thread's stack or team, found by their names: functions that
 * unwind or switch stacks (count/region.h), and all functions of an OpenMP runtime.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_ROLES_H
#define UPCS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "load/symbols.h"

struct upcs_roles;

/* Find the functions with roles in the file at path. Return NULL if there are none. */
struct upcs_roles *upcs_roles_create(const struct upcs_symbols *symbols, const char *path);
void upcs_roles_destroy(struct upcs_roles *roles);

/* Return bits of enum upcs_region_role of the function that begins at an offset in the file. */
uint8_t upcs_roles_at(const struct upcs_roles *roles, uint64_t offset);
/* True if an OpenMP runtime's code is at this offset. */
bool upcs_roles_is_runtime(const struct upcs_roles *roles, uint64_t offset);
/* True if programs mark regions with this library. */
bool upcs_roles_is_marks(const struct upcs_roles *roles);

#endif
