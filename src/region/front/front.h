/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * front.h - what front ends share.
 */
#ifndef UPCR_FRONT_H
#define UPCR_FRONT_H

#include <string.h>

#include "region/region.h"

#define UPCR_EXPORT __attribute__((visibility("default")))

/* Defines a function that no header declares, since programs alone call it. */
#define UPCR_FUNCTION(type, name, ...)      \
	UPCR_EXPORT type name(__VA_ARGS__); \
	type name(__VA_ARGS__)

/* The number of a name that may be NULL. */
static inline unsigned upcr_name_of(const char *name)
{
	return upcr_name(name ? name : "", name ? strlen(name) : 0);
}

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
