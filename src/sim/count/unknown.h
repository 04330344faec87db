/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unknown.h - the first few instructions of a run that the decoder did not know, for the report. The number
 * of executions of such instructions is the tally UPCS_UNKNOWN.
 */
#ifndef UPCS_UNKNOWN_H
#define UPCS_UNKNOWN_H

#include <stdbool.h>
#include <stdint.h>

#define UPCS_CODES_MAX 8u
#define UPCS_CODE_BYTES 15u

/* An instruction in the guest's memory. */
struct upcs_code {
	uint64_t address;
	uint8_t bytes[UPCS_CODE_BYTES], n;
	uint32_t guest, pad; /* enum upcs_guest */
};

struct upcs_unknown {
	uint32_t state, pad; /* enum upcs_state: FREE, MAKING, ENDED when the rest is written */
	struct upcs_code code;
	char name[48];    /* "": not known */
	char program[80]; /* without directories */
};

/* Add *what, whose state is UPCS_MAKING, unless the same instruction is in the list. Any thread, any
 * process. */
void upcs_unknown_note(struct upcs_unknown list[UPCS_CODES_MAX], const struct upcs_unknown *what);

/* True if the encodings are the same, at whatever addresses. */
bool upcs_unknown_is_same(const struct upcs_code *a, const struct upcs_code *b);

#endif
