/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.h - the library whose calls a front end stands in for: each call goes on to it.
 */
#ifndef UPCR_REAL_H
#define UPCR_REAL_H

#include <stdatomic.h>

/* The function of that name behind ours, or of a library that was opened without RTLD_GLOBAL, whose
 * file's name begins with library. NULL: the program has none. place keeps the answer. */
void *upcr_real(void *_Atomic *place, const char *name, const char *library);

/* The same for a function that is declared; each use has a place. */
#define UPCR_REAL(name, library)                                            \
	({                                                                  \
		static void *_Atomic upcr_place;                            \
		(__typeof__(name) *)upcr_real(&upcr_place, #name, library); \
	})

/* The function behind ours for a caller that cannot go on without it. It is found at the first call, since
 * constructors of libraries, as OpenBLAS's, run before those of this library. caller: an address in the
 * calling object, whose own libraries are searched last. */
void *upcr_real_of(void *_Atomic *place, const char *name, const void *caller);

/* Declares real, that function. */
#define UPCR_FIND_REAL(type, name, parameters) \
	static void *_Atomic upcr_place;       \
	type(*real) parameters;                \
	*(void **)&real =                      \
		upcr_real_of(&upcr_place, name, __builtin_extract_return_addr(__builtin_return_address(0)))

#endif
