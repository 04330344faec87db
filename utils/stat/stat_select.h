/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_select.h - which events upc_stat counts when nobody says which: a
 * function of the names that exist.
 */
#ifndef STAT_SELECT_H
#define STAT_SELECT_H

#include <stdbool.h>

#include "upc.h"

#define STAT_DEFAULT_EVENTS 40
#define STAT_ALL_EVENTS UPC_COUNTERS

/*
 * The default is what a person asks first and what hardly costs the program anything: no
 * tracepoints, of which each makes every fork of the program dearer. Detailed has the
 * telling ones of these as well. Both are filled up to STAT_DEFAULT_EVENTS where there is
 * less. All goes on with everything else, the program's own before the machine's, in turn
 * from each subsystem. Levels, and what slows every program down to look at, come only
 * where they are asked for by name.
 */
enum stat_choice { STAT_CHOICE_DEFAULT, STAT_CHOICE_DETAILED, STAT_CHOICE_ALL };

/*
 * Fills order, which has room for n, with positions in events: the most telling first,
 * each thing that can be counted once, also where it has several names. Returns how many
 * there are, which may be more than a unit has counters: whoever adds them goes on until
 * enough could be added, so that one that cannot is replaced by the next.
 */
int stat_select(enum stat_choice kind, const struct upc_event_info *events, unsigned n, unsigned *order);

#endif
