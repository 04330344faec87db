/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_vcd.h - records a replay as a waveform in the value change dump format of IEEE 1364. One cycle is
 * one unit of time.
 */
#ifndef REPLAY_VCD_H
#define REPLAY_VCD_H

#include "replay/trace.h"

/* Longer scripts are refused: the engine runs cycle by cycle, and a dump has up to some kilobytes per
 * cycle. */
#define REPLAY_VCD_CYCLES_MAX 10000000

struct replay_vcd;

/* Begin the waveform of a script that an engine with these operations will run. Return NULL after printing an
 * error. */
struct replay_vcd *replay_vcd_open(const char *path, const struct upci_engine_ops *ops,
				   const struct upci_trace *trace);

/* Apply the script's writes and flips to the shadow. Call these functions after each write or flip on the
 * engine. */
void replay_vcd_write(struct replay_vcd *vcd, unsigned offset, uint64_t value);
void replay_vcd_flip(struct replay_vcd *vcd, unsigned counter, unsigned bit);

/* Run the engine for n cycles with these waves and record the cycles. Return 0, or -1 if the file cannot be
 * written; replay_vcd_close then prints the error. */
int replay_vcd_run(struct replay_vcd *vcd, struct upci_engine *engine,
		   const struct upci_wave wave[UPC_INPUTS], uint64_t n);

/* Record an interrupt. The engine's sink calls this function, from within replay_vcd_run. */
void replay_vcd_interrupt(struct replay_vcd *vcd, unsigned counter);

/* Record the final registers, close the file and free vcd. Return 0, or -1 after printing an error. */
int replay_vcd_close(struct replay_vcd *vcd, struct upci_engine *engine);

#endif
