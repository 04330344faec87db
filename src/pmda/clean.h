/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clean.h - turns any bytes into text that every reader of PCP accepts.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_CLEAN_H
#define PMDA_CLEAN_H

#include <stddef.h>

/*
 * Copy text, with '?' for each byte that is not printable UTF-8: controls, overlong forms, surrogates,
 * truncated characters. Write at most size - 1 bytes, and no partial character. Return the number of bytes.
 * NULL is "".
 */
size_t clean_text(const char *text, char *out, size_t size);

#endif
