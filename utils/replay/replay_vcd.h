/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_vcd.h - a replay as a waveform: IEEE 1364 value change dump, one unit of
 * time a cycle.
 */
#ifndef REPLAY_VCD_H
#define REPLAY_VCD_H

#include "replay/trace.h"

/* Longer scripts are refused: the engine is stepped cycle by cycle, and a dump has
 * up to kilobytes a cycle. */
#define REPLAY_VCD_CYCLES_MAX 10000000

struct replay_vcd;

/* Begins the waveform of a script that an engine of these operations is to run.
 * After an error it has been said and the result is NULL. */
struct replay_vcd *replay_vcd_open(const char *path, const struct upci_engine_ops *ops,
				   const struct upci_trace *trace);

/* The script's writes and flips, told as they are done to the engine. */
void replay_vcd_write(struct replay_vcd *vcd, unsigned offset, uint64_t value);
void replay_vcd_flip(struct replay_vcd *vcd, unsigned counter, unsigned bit);

/* Runs the engine n cycles of these waves and records them. 0, or -1 when the file
 * cannot be written: then replay_vcd_close says why. */
int replay_vcd_run(struct replay_vcd *vcd, struct upci_engine *engine,
		   const struct upci_wave wave[UPC_INPUTS], uint64_t n);

/* The engine's sink got an interrupt; from within replay_vcd_run. */
void replay_vcd_interrupt(struct replay_vcd *vcd, unsigned counter);

/* Records the registers as they are at last, ends the file and frees vcd. 0, or -1
 * after an error that has been said. */
int replay_vcd_close(struct replay_vcd *vcd, struct upci_engine *engine);

#endif
