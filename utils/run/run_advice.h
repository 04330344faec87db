/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_advice.h - what the reader of a report can do about it: instructions that nobody knows, or that
 * the emulator does not have; active waiting.
 */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "run/run_report.h"

/* Calls note for each advice. */
void run_advice(const struct run_report *report, void (*note)(void *to, const char *text), void *to);

/* The i-th instruction that the decoder did not know, each once; NULL: there are no more. */
const struct upcs_unknown *run_unknown(const struct upcs_results *results, unsigned i);

/* "62 f1 7c 48 58 c1"; of guests that have words a word, "0xfc40408e". */
#define RUN_CODE_MAX (3 * UPCS_CODE_BYTES)
void run_code_text(const struct upcs_code *code, char text[RUN_CODE_MAX]);

#endif
