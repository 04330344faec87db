/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pager.h - long output on a terminal: a pager for it, and whether it has colours.
 */
#ifndef UTIL_PAGER_H
#define UTIL_PAGER_H

#include <stdbool.h>

/* Whether standard output gets colours: --color's word, NULL: auto, which is a terminal's way where neither
 * NO_COLOR nor TERM=dumb objects. To be called before the pager begins. 0, or -1, said. */
int util_pager_colour(const char *word, bool *colour);

/*
 * Has $UPC_PAGER, $PAGER or "less -FRX" show what is written to standard output from here on, where that is a
 * terminal and TERM is not dumb. Where the pager is empty, "cat" or not there, the output goes to the
 * terminal as it is.
 */
void util_pager_begin(void);

/* Flushes standard output and waits for the pager. 0, or -1, said; a pager that was quit early is no failure.
 */
int util_pager_end(void);

#endif
