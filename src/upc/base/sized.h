/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.h - public structures that begin with their size. The program may have been compiled with an older or
 * a newer header than the library.
 *
 * A new field comes after the last one and begins where the structure ended, not in its padding. Its value 0
 * means what the library did before the field existed. Nothing else in a structure changes.
 */
#ifndef UPCI_SIZED_H
#define UPCI_SIZED_H

#include <stddef.h>

struct upci_sized {
	const char *name;    /* name in its header; the header's name is its prefix */
	size_t least, known; /* sizes in bytes: in the oldest header that has it, and today */
	/* upci_fail or mpxi_error: sets the message, and returns the error. */
	int (*fail)(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/* The size of a structure whose last field is, or was, this one. */
#define UPCI_UP_TO(type, field)                                                                           \
	((offsetof(struct type, field) + sizeof(((struct type *)0)->field) + _Alignof(struct type) - 1) / \
	 _Alignof(struct type) * _Alignof(struct type))

#define UPCI_SIZED(type, last, fail)                                     \
	{                                                                \
#type, UPCI_UP_TO(type, last), sizeof(struct type), fail \
	}

/* Describe a structure that libupc fills in and of which it has always accepted any size: a program may ask
 * for only the first fields. */
#define UPCI_SIZED_FROM_0(type, fail)                            \
	{                                                        \
#type, sizeof(size_t), sizeof(struct type), fail \
	}

/* Check that a structure is given and that its size is possible. Return 0, or UPC_EINVAL (PAPI_EINVAL has the
 * same number). A size larger than any structure will have is taken for an uninitialized one. */
int upci_sized_check(const struct upci_sized *what, const void *given);

/*
 * Copy a caller's structure into a structure of today's size. Fields that an older one lacks become 0. Fields
 * that only a newer one has must be 0. Return 0, or UPC_EINVAL with *to unchanged.
 */
int upci_sized_take(const struct upci_sized *what, void *to, const void *given);

/* Fill in a caller's structure, whose size was checked, from a structure of today's size. The caller's size
 * field stays. Fields that only a newer structure has become 0. */
void upci_sized_give(const struct upci_sized *what, void *given, const void *from);

/* Fill in the i-th element of a caller's array. All elements have the size of the first, which was
 * checked. */
void upci_sized_give_to(const struct upci_sized *what, void *array, size_t i, const void *from);

#endif
