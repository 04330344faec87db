/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * words.h - the line of text that says why the calling thread's last call failed. It lies on
 * the heap: a library that is opened at run time gets little thread-local storage.
 * libupc, libmpx and the component of PAPI each have their own.
 */
#ifndef UPCI_WORDS_H
#define UPCI_WORDS_H

#include <stdarg.h>
#include <stdbool.h>

/*
 * Gets the calling thread's memory, once; false where there is none. It is there until the
 * third round of the destructors of thread-specific data. Ordinary context only.
 */
bool upci_words_prepare(void);

/*
 * Sets the words: one line, in which control characters of names are question marks. A thread without memory
 * has the general ones, which live for ever. Callable from a signal handler: it allocates nothing. It calls
 * vsnprintf, which does not either for the conversions that messages have (%s, %d and their like).
 */
void upci_words_set(const char *general, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* How many times the calling thread's words were set; of a thread without memory that is not known: 0. */
unsigned upci_words_count(void);

/* The calling thread's words as they are, for a call that fails inside and succeeds: it restores them. */
#define UPCI_WORDS_MAX 768u
struct upci_words_kept {
	const char *now;
	char text[UPCI_WORDS_MAX];
};
void upci_words_keep(struct upci_words_kept *kept);
void upci_words_restore(const struct upci_words_kept *kept);

/* Never NULL; "" before any were set. */
const char *upci_words(void);

/* The words for an errno, without the C library's lock of translations: in signal handlers too. */
const char *upci_words_of_errno(int error);

#endif
