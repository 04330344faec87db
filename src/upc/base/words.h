/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * words.h - the line of text that says why the calling thread's last call failed. The line is on the heap,
 * because a library that is opened at run time gets little thread-local storage. libupc, libmpx and the PAPI
 * component each have a separate copy.
 */
#ifndef UPCI_WORDS_H
#define UPCI_WORDS_H

#include <stdarg.h>
#include <stdbool.h>

/*
 * Allocate the calling thread's line, once. False if there is no memory. The line exists until the third
 * round of the destructors of thread-specific data. Context: not in signal handlers.
 */
bool upci_words_prepare(void);

/*
 * Set the thread's text to one line, in which control characters become question marks. A thread without a
 * line gets general instead, which must live for ever. Async-signal-safe: allocates nothing. It calls
 * vsnprintf, which does not allocate for the conversions that messages use (%s, %d and the like).
 */
void upci_words_set(const char *general, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Return how often the calling thread's text was set; 0 for a thread without a line, where this is
 * unknown. */
unsigned upci_words_count(void);

/* A saved copy of the calling thread's text. A call that succeeds although an inner call failed restores
 * it. */
#define UPCI_WORDS_MAX 768u
struct upci_words_kept {
	const char *now;
	char text[UPCI_WORDS_MAX];
};
void upci_words_keep(struct upci_words_kept *kept);
void upci_words_restore(const struct upci_words_kept *kept);

/* Return the calling thread's text, never NULL; "" before the first was set. */
const char *upci_words(void);

/* Return the text for an errno value. Async-signal-safe: does not take the C library's lock for
 * translations. */
const char *upci_words_of_errno(int error);

#endif
