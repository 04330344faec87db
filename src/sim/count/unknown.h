/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unknown.h - which instructions the decoder did not know, the first few of a run: for who reads the
 * report, since their number is a tally.
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
	char name[48];    /* "": nobody knows it */
	char program[80]; /* without directories */
};

/* Any thread, any process; what is there already is not noted again. In *what state is UPCS_MAKING. */
void upcs_unknown_note(struct upcs_unknown list[UPCS_CODES_MAX], const struct upcs_unknown *what);

/* Whether the encodings are the same, wherever they were. */
bool upcs_unknown_is_same(const struct upcs_code *a, const struct upcs_code *b);

#endif
