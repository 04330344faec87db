/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_vcd.h - records a replay as a waveform in the value change dump format of IEEE 1364. One cycle is
 * one unit of time.
 *
 * Terms:
 *   engine        code that runs the registers of a unit for a number of cycles (engine/engine.h)
 *   operation     a line of a script: a read, a write, a flip, or cycles with input signals
 *   wave          a periodic input signal (upci_wave); phase: the position in its period
 *   flip          a change of one bit of a counter without its parity, as by a fault of the memory
 *   parity error  a counter whose value does not match its parity, as a read or an update finds out
 *   sample        whether a counter's selected input was high in a cycle
 *   shadow        a second engine with the same writes, flips and cycles, from which the counters are read
 *   all others    lib/common.h
 */
#ifndef REPLAY_VCD_H
#define REPLAY_VCD_H

#include "replay/trace.h"

/* Longer scripts are refused: the engine runs cycle by cycle, and a dump has up to some kilobytes per
 * cycle. */
#define REPLAY_VCD_CYCLES_MAX 10000000

struct replay_vcd;

/* Begin the waveform of a script that an engine with the functions ops will run. Return NULL after printing
 * an error. */
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

/* Record an interrupt. Called by the function that the engine calls for events (its sink), during
 * replay_vcd_run. */
void replay_vcd_interrupt(struct replay_vcd *vcd, unsigned counter);

/* Record the final registers, close the file and free vcd. Return 0, or -1 after printing an error. */
int replay_vcd_close(struct replay_vcd *vcd, struct upci_engine *engine);

#endif
