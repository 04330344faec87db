/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_words.h - words and limits of the wiring syntax, for the parser and the printer.
 * Terms: wiring/wiring.h.
 */
#ifndef UPCI_WIRING_WORDS_H
#define UPCI_WIRING_WORDS_H

#include <string.h>

#include "base/event.h"
#include "base/text.h"

#define UPCI_WIRING_BYTES_MAX                                              \
	(8u * 1024u * 1024u) /* of a file: a large machine writes some MiB \
			      */
#define UPCI_WIRING_LINES_MAX 65536u

/* Maximum lengths of strings, in bytes without the quotes. */
#define UPCI_WIRING_TEXT_MAX 4000u     /* describe, differs */
#define UPCI_WIRING_LABEL_MAX 60u      /* unit, subsystem */
#define UPCI_WIRING_PATH_MAX 511u      /* path of a file, key in a file */
#define UPCI_WIRING_FORMULA_MAX 70000u /* 64 terms of the longest names, quoted, in numerator and divisor */

/* Indexed by enum upc_scope, with a final NULL. */
extern const char *const upci_wiring_scopes[];

static inline bool upci_wiring_word_char(char c)
{
	return upci_is_alnum(c) || (c && strchr("_.:+-", c));
}

#endif
