/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pager.h - shows long output on a terminal in a pager, and decides on colours.
 */
#ifndef UTIL_PAGER_H
#define UTIL_PAGER_H

#include <stdbool.h>

/* Set whether standard output is coloured, by the word of --color. NULL is auto: coloured on a terminal,
 * unless NO_COLOR or TERM=dumb is set. Called before the pager begins. Return 0, or -1 after printing an
 * error. */
int util_pager_colour(const char *word, bool *colour);

/*
 * Start $UPC_PAGER, $PAGER or "less -FRX" for the following standard output, if that is a terminal and TERM
 * is not dumb. If the pager is empty, "cat" or not installed, the output goes directly to the terminal.
 */
void util_pager_begin(void);

/* Flush standard output and wait for the pager. Return 0, also if the pager was quit early, or -1 after
 * printing an error. */
int util_pager_end(void);

#endif
