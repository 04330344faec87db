/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.h - finds the library functions that a front end stands in for, so that each call goes on to the
 * library.
 * Terms: region/front/front.h.
 */
#ifndef UPCR_REAL_H
#define UPCR_REAL_H

#include <stdatomic.h>

/* Return the next function of that name after ours, or the function of a library that was opened without
 * RTLD_GLOBAL and whose file name begins with `library`. NULL if the program has neither. place caches the
 * result. */
void *upcr_real(void *_Atomic *place, const char *name, const char *library);

/* The same for a declared function; each use of the macro has its own cache. */
#define UPCR_REAL(name, library)                                            \
	({                                                                  \
		static void *_Atomic upcr_place;                            \
		(__typeof__(name) *)upcr_real(&upcr_place, #name, library); \
	})

/* Return the function that ours stands in for, for a caller that cannot go on without it; abort if there is
 * none. The function is searched at the first call, since constructors of libraries, such as OpenBLAS's, run
 * before ours. caller: an address in the calling object, whose own libraries are searched last. */
void *upcr_real_of(void *_Atomic *place, const char *name, const void *caller);

/* Declare the pointer real, and set it to the function that the caller's function stands in for. */
#define UPCR_FIND_REAL(type, name, parameters) \
	static void *_Atomic upcr_place;       \
	type(*real) parameters;                \
	*(void **)&real =                      \
		upcr_real_of(&upcr_place, name, __builtin_extract_return_addr(__builtin_return_address(0)))

#endif
