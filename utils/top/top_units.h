/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_units.h - which shared units there are, whose, and the one that somebody who
 * mistyped a name may have meant.
 */
#ifndef TOP_UNITS_H
#define TOP_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/common.h"

#define TOP_USER_MAX 64

/* Options for a monitor of the user's units. */
struct upc_monitor_options top_units_options(uid_t user);

/* A user's name, or the number where there is none. */
void top_units_user(uid_t user, char text[TOP_USER_MAX]);

/* The reverse, of a name or a number: 0, or -1 where it is neither. */
int top_units_find_user(const char *text, uid_t *user);

/*
 * The command line of a process with blanks between the words, or "" where it is not
 * to be seen, or the process is not the user's: who shares a unit says which process
 * he is, and may lie.
 */
void top_units_command(pid_t process, uid_t user, char *text, size_t size);

/* Prints all units, or those of one user. Returns the exit status. */
int top_units_list(const uid_t *user, enum util_format format);

/* Says that a user shares no unit of that name, and which come near. */
void top_units_say_missing(const char *name, uid_t user);

#endif
