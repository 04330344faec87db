/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_print.h - what a script of upc_replay reads and raises: as text, whose form the
 * unit's contract has, as a JSON object on a line, or as a line of CSV.
 */
#ifndef REPLAY_PRINT_H
#define REPLAY_PRINT_H

#include <stdint.h>

#include "lib/common.h"

struct replay_stats {
	const char *engine;
	uint64_t cycles, closed; /* of those in closed form */
	double seconds;
};

/* Prints the head line of CSV; other formats have none. */
void replay_print_begin(enum util_format format);

void replay_print_read(enum util_format format, uint64_t offset, uint64_t value);
/* An access that was refused. */
void replay_print_fault(enum util_format format, uint64_t offset);
/* "irq" or "parity". */
void replay_print_event(enum util_format format, const char *what, unsigned counter, uint64_t cycle);
/* On standard error where it is text, which is the script's. */
void replay_print_stats(enum util_format format, const struct replay_stats *stats);

#endif
