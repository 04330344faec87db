/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_select.h - selects the events that upc_stat counts by default, from the names that exist.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_SELECT_H
#define STAT_SELECT_H

#include <stdbool.h>

#include "upc.h"

#define STAT_DEFAULT_EVENTS 40
#define STAT_ALL_EVENTS UPC_COUNTERS

/*
 * STAT_CHOICE_DEFAULT has the events that users need first and that cost the program almost nothing: no
 * tracepoints, since each tracepoint makes every fork of the program slower. STAT_CHOICE_DETAILED also has
 * the most useful tracepoints. Both are filled up to STAT_DEFAULT_EVENTS. STAT_CHOICE_ALL continues with all
 * other events, from each subsystem in turn; events of the program precede events of the whole machine.
 * Levels, and events that slow every program down, are only counted if the user names them.
 */
enum stat_choice { STAT_CHOICE_DEFAULT, STAT_CHOICE_DETAILED, STAT_CHOICE_ALL };

/*
 * Fill order, which has room for n, with indices of events, the most useful event first. An event with
 * several names is selected once. Return the number of selected events, or UPC_ENOMEM. The number may exceed
 * a unit's counters: the caller adds events until the quota is reached, so that the next event replaces one
 * that cannot be added.
 */
int stat_select(enum stat_choice kind, const struct upc_event_info *events, unsigned n, unsigned *order);

#endif
