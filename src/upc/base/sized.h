/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.h - public structures that begin with their size, of programs that were compiled
 * with an older or a newer header than the library's.
 *
 * A new field goes behind the last one, and begins where the structure ended, not in its
 * padding; its zero is what the library did before it was there. Nothing else changes.
 */
#ifndef UPCI_SIZED_H
#define UPCI_SIZED_H

#include <stddef.h>

struct upci_sized {
	const char *name;    /* in its header, whose name it begins with               */
	size_t least, known; /* bytes: in the oldest header with it, and in today's    */
	/* upci_fail or mpxi_error: sets the message, and returns the error. */
	int (*fail)(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/* The size of a structure that ends, or ended, with this field. */
#define UPCI_UP_TO(type, field)                                                                           \
	((offsetof(struct type, field) + sizeof(((struct type *)0)->field) + _Alignof(struct type) - 1) / \
	 _Alignof(struct type) * _Alignof(struct type))

#define UPCI_SIZED(type, last, fail)                                     \
	{                                                                \
#type, UPCI_UP_TO(type, last), sizeof(struct type), fail \
	}

/* For structures that it fills in, libupc has always accepted any size: a program may ask for
 * the first fields only. */
#define UPCI_SIZED_FROM_0(type, fail)                            \
	{                                                        \
#type, sizeof(size_t), sizeof(struct type), fail \
	}

/* Checks that a structure is there and that its size is possible: else UPC_EINVAL (PAPI_EINVAL has
 * the same number). A size larger than any structure will be is an unset one. */
int upci_sized_check(const struct upci_sized *what, const void *given);

/*
 * Copies a caller's structure into one of today's size. Fields that an older one lacks become
 * zero; fields that only a newer one has must be zero. Errors: UPC_EINVAL, with to as it was.
 */
int upci_sized_take(const struct upci_sized *what, void *to, const void *given);

/* Fills in a caller's structure, which was checked, from one of today's size. It keeps its
 * size; fields that only a newer one has become zero. */
void upci_sized_give(const struct upci_sized *what, void *given, const void *from);

/* The i-th of a caller's array, whose first structure was checked: all are of that size. */
void upci_sized_give_to(const struct upci_sized *what, void *array, size_t i, const void *from);

#endif
