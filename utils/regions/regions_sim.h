/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sim.h - a program on the simulated node: upc_run counts, and what it has counted that no file
 * of a process has is what was done outside of all regions, the library's own work included.
 */
#ifndef REGIONS_SIM_H
#define REGIONS_SIM_H

#include <stdbool.h>

#include "regions/regions_data.h"

/* The default events. */
#define REGIONS_SIM_EVENTS "INSTRUCTIONS,FP_OPS,LD_INS,SR_INS,BR_INS"

/* Are all of these names, with commas between, counts of the simulator's? Says which is not, and the
 * nearest. */
bool regions_sim_check(const char *events);

/* The command that runs another under the simulator, whose report goes to a file; for the caller to free,
 * not what it points to. NULL: out of memory. */
char **regions_sim_command(char **command, char *report);

/* Adds the rest of the run as a thread that is none, of its first process. False: said. */
bool regions_sim_rest(struct regions_data *data, size_t first, const char *report);

/* The program was ended by SIGILL: says so where the emulator does not have the instruction, as upc_run does.
 */
void regions_sim_advise(const char *report);

#endif
