/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.h - what front ends share.
 */
#ifndef UPCR_FRONT_H
#define UPCR_FRONT_H

#include <string.h>

#define UPCR_EXPORT __attribute__((visibility("default")))

/* Texts of Fortran end with blanks, or at a NUL, and their lengths come behind all arguments. Compilers
 * pass them as int or as longer ones; a length below 0 is 0. */
static inline size_t upcr_fortran_length(const char *text, int length)
{
	size_t n = text && length > 0 ? (size_t)length : 0;

	while (n && text[n - 1] == ' ')
		n--;
	return n ? strnlen(text, n) : 0;
}

#endif
