/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sim.h - counts of a program that upc_run simulates. Work that upc_run has counted and that is in no
 * process's file is work outside of all regions, including the preloaded library's own work.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_SIM_H
#define REGIONS_SIM_H

#include <stdbool.h>

#include "regions/regions_data.h"

/* The default events. */
#define REGIONS_SIM_EVENTS "INSTRUCTIONS,FP_OPS,LD_INS,SR_INS,BR_INS"

/* True if all events (names separated by commas) are counts of the simulator. Otherwise report the event that
 * is not, with the nearest names. */
bool regions_sim_check(const char *events);

/* Return the command line that runs `command` under the simulator and writes the simulator's report to a
 * file. The caller frees the array, but not its words. NULL: out of memory. */
char **regions_sim_command(char **command, char *report);

/* Add the rest of the run, which no process's file has, as a pseudo-thread of the first process. False after
 * a message. */
bool regions_sim_rest(struct regions_data *data, size_t first, const char *report);

/* After an end by SIGILL: report if the emulator does not have the instruction, as upc_run does. */
void regions_sim_advise(const char *report);

#endif
