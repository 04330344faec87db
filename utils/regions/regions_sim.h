/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sim.h - a program on the simulated node, counted by upc_run. Counts of upc_run that no file of a
 * process has belong to work outside of all regions, including the library's own work.
 */
#ifndef REGIONS_SIM_H
#define REGIONS_SIM_H

#include <stdbool.h>

#include "regions/regions_data.h"

/* The default events. */
#define REGIONS_SIM_EVENTS "INSTRUCTIONS,FP_OPS,LD_INS,SR_INS,BR_INS"

/* True if all events (names separated by commas) are counts of the simulator. Otherwise report which one is
 * not, and the nearest names. */
bool regions_sim_check(const char *events);

/* Return the command that runs another under the simulator and writes the simulator's report to a file. The
 * caller frees the array, but not its words. NULL: out of memory. */
char **regions_sim_command(char **command, char *report);

/* Add the rest of the run as a pseudo-thread of the first process. False after a message. */
bool regions_sim_rest(struct regions_data *data, size_t first, const char *report);

/* After an end by SIGILL: report if the emulator does not have the instruction, as upc_run does. */
void regions_sim_advise(const char *report);

#endif
