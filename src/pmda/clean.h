/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clean.h - any bytes as text that every reader of PCP takes.
 */
#ifndef PMDA_CLEAN_H
#define PMDA_CLEAN_H

#include <stddef.h>

/*
 * Copies text with '?' for each byte that is no printable UTF-8: controls, overlong forms, surrogates,
 * what is cut. At most size - 1 bytes and no half character. Returns how many. NULL is "".
 */
size_t clean_text(const char *text, char *out, size_t size);

#endif
