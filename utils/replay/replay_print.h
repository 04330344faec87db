/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_print.h - prints what a script of upc_replay reads, and the interrupts and parity errors of the
 * unit: as text in the format of the unit's contract, as one JSON object per line, or as CSV lines.
 *
 * Terms: replay/replay_vcd.h.
 */
#ifndef REPLAY_PRINT_H
#define REPLAY_PRINT_H

#include <stdint.h>

#include "lib/common.h"

struct replay_stats {
	const char *engine;
	uint64_t cycles, closed; /* number of all cycles, and of those computed without stepping */
	double seconds;
};

/* Print the header of CSV. Other formats have none. */
void replay_print_begin(enum util_format format);

void replay_print_read(enum util_format format, uint64_t offset, uint64_t value);
/* Print an access that the engine refused. */
void replay_print_fault(enum util_format format, uint64_t offset);
/* Print an event. what is "irq" or "parity". */
void replay_print_event(enum util_format format, const char *what, unsigned counter, uint64_t cycle);
/* Print the statistics. Text goes to standard error, since standard output has the script's output. */
void replay_print_stats(enum util_format format, const struct replay_stats *stats);

#endif
