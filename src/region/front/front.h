/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.h - functions and macros that front ends share.
 *
 * Terms, in addition to those of region/region.h:
 * - to stand in for a function: to define one of the same name, which the program then calls
 * - a call goes on: our function calls the library's function of the same name (real.h)
 * - real: the library's function that ours stands in for
 * - ours: of this library, in contrast to the library of the annotation API
 * - label: a small number for a text, such as a domain's or attribute's name (labels.h)
 * - to push, to pop: to start a region, and to end the last one of its kind, by calls that nest (nest.h)
 * - static part: the code that an annotation API compiles into the program, which loads a tool library
 * - handle: a pointer that the program gets from an API for a domain or text, and passes back
 * - a thread without regions: a created thread for which upcr_is_without is true
 */
#ifndef UPCR_FRONT_H
#define UPCR_FRONT_H

#include <string.h>

#include "region/region.h"

#define UPCR_EXPORT __attribute__((visibility("default")))

/* Define an exported function that no header declares: only programs call it. */
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
