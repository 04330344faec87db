/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * near.h - how far a name is from the one that was typed.
 */
#ifndef UTIL_NEAR_H
#define UTIL_NEAR_H

#include <stdbool.h>

#define UTIL_NEAR_MAX 64u /* letters of a name; what is longer is compared so far */

/* How many letters must be put in, taken out or changed, where case is none. */
unsigned util_distance(const char *a, const char *b);

/* Whether somebody who typed wrong may have meant name, which is so far from it. */
bool util_is_near(const char *wrong, const char *name, unsigned far);

#endif
