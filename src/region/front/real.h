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

#endif
