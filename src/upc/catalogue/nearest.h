/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - suggests names for a mistyped name.
 */
#ifndef UPCI_NEAREST_H
#define UPCI_NEAREST_H

#include <stddef.h>

/* Return how far a wrong name is from a right one. 0: equal except for case, '-' and '_'. Names that begin
 * with the wrong name are nearer than all others. A distance of UPCI_BEGINNING or more means that only the
 * first letters are the same, and UPCI_FAR that the names have nothing in common. */
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

/* Write to text the pattern that matches name and differs from the given pattern, which contains * ? or [,
 * only in the letters before the first of these three. Return the number of wrong letters. Return UPCI_FAR if
 * this number is 0, exceeds the parameter most, or is more than a third of these letters, or if no such
 * pattern matches. */
unsigned upci_nearest_pattern(const char *pattern, const char *name, unsigned most, char *text, size_t size);

#endif
