/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_advice.h - advice for the readers of a report: about instructions that the decoder does not know or the
 * emulator does not have, and about active waiting.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "run/run_report.h"

/* Call note for each piece of advice. */
void run_advice(const struct run_report *report, void (*note)(void *to, const char *text), void *to);

/* Return the i-th instruction unknown to the decoder, without duplicates, or NULL after the last. */
const struct upcs_unknown *run_unknown(const struct upcs_results *results, unsigned i);

/* Write the bytes of an instruction: "62 f1 7c 48 58 c1", or one word for guests with word-sized
 * instructions: "0xfc40408e". */
#define RUN_CODE_MAX (3 * UPCS_CODE_BYTES)
void run_code_text(const struct upcs_code *code, char text[RUN_CODE_MAX]);

#endif
