/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_units.h - lists shared units with their owners, and finds units whose names are similar to a mistyped
 * name.
 *
 * Terms: top/top_table.h.
 */
#ifndef TOP_UNITS_H
#define TOP_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/common.h"

#define TOP_USER_MAX 64

/* Return options for a monitor of the user's units. */
struct upc_monitor_options top_units_options(uid_t user);

/* Format a user's name, or the number if the user has no name. */
void top_units_user(uid_t user, char text[TOP_USER_MAX]);

/* Find a user by name or number. Return 0, or -1 if text is neither. */
int top_units_find_user(const char *text, uid_t *user);

/*
 * Format the command line of a process, with blanks between the words. The result is "" if the command line
 * is not readable or the process does not belong to the user. This is checked because the process ID comes
 * from the unit's owner, who may have written a wrong ID.
 */
void top_units_command(pid_t process, uid_t user, char *text, size_t size);

/* Print all units, or those of one user. Return the exit status. */
int top_units_list(const uid_t *user, enum util_format format);

/* Print an error: the user shares no unit of this name. The message has the most similar names of units. */
void top_units_say_missing(const char *name, uid_t user);

#endif
