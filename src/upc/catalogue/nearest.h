/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - the names that somebody who mistyped one may have meant.
 */
#ifndef UPCI_NEAREST_H
#define UPCI_NEAREST_H

#include <stddef.h>

/* How far a wrong name is from a right one: 0 is equal but for case, '-' and '_'; names that begin
 * with the wrong one are nearer than all others. From UPCI_BEGINNING on, only the first letters are the
 * same; a name that has nothing to do with it is UPCI_FAR. */
#define UPCI_FAR 1000u
#define UPCI_BEGINNING 400u
unsigned upci_name_distance(const char *wrong, const char *right);

/* The best few names so far, best first. */
struct upci_nearest {
	const char *name[8];
	unsigned distance[8];
	int count, max; /* max <= 8 */
};
void upci_nearest_offer(struct upci_nearest *nearest, const char *wrong, const char *name);

/* Writes the pattern, with any of * ? [, that matches a name and differs from another in the letters before
 * the first of these. Returns how many are wrong; UPCI_FAR: more than most or than a third, or none. */
unsigned upci_nearest_pattern(const char *pattern, const char *name, unsigned most, char *text, size_t size);

#endif
