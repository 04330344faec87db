/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest.h - the names that somebody who mistyped one may have meant.
 */
#ifndef UPCI_NEAREST_H
#define UPCI_NEAREST_H

/* How far a wrong name is from a right one: 0 is equal but for case, '-' and '_'; names that begin
 * with the wrong one are nearer than all others; what has nothing to do with it is UPCI_FAR. */
#define UPCI_FAR 1000u
unsigned upci_name_distance(const char *wrong, const char *right);

/* The best few names so far, best first. */
struct upci_nearest {
	const char *name[8];
	unsigned distance[8];
	int count, max; /* max <= 8 */
};
void upci_nearest_offer(struct upci_nearest *nearest, const char *wrong, const char *name);

#endif
