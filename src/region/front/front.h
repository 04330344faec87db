/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.h - functions and macros that front ends share.
 */
#ifndef UPCR_FRONT_H
#define UPCR_FRONT_H

#include <string.h>

#include "region/region.h"

#define UPCR_EXPORT __attribute__((visibility("default")))

/* Define a function that no header declares, since only programs call it. */
#define UPCR_FUNCTION(type, name, ...)      \
	UPCR_EXPORT type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

/* Return the number of a name; NULL is the empty name. */
static inline unsigned upcr_name_of(const char *name)
{
	return upcr_name(name ? name : "", name ? strlen(name) : 0);
}

/* Return the length of a Fortran text, without the blanks at its end, or up to a NUL. Compilers pass the
 * lengths after all arguments, as int or as a longer type; a length below 0 counts as 0. */
static inline size_t upcr_fortran_length(const char *text, int length)
{
	size_t n = text && length > 0 ? (size_t)length : 0;

	while (n && text[n - 1] == ' ')
		n--;
	return n ? strnlen(text, n) : 0;
}

#endif
