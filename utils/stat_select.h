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
 * Both fill order, which has room for n, with positions in events: the most
 * telling first, each thing that can be counted once, also where it has
 * several names. Both return how many there are, which may be more than a unit
 * has counters: whoever adds them goes on until enough could be added, so
 * that one that cannot is replaced by the next.
 *
 * The default is what a person asks first; where that is less than
 * STAT_DEFAULT_EVENTS, it is filled up. all goes on with everything else, the
 * program's own before the machine's, in turn from each subsystem. Levels, and
 * what slows every program down to look at, come only where they are asked for
 * by name.
 */
int stat_select_default(const struct upc_event_info *events, unsigned n, unsigned *order);
int stat_select_all(const struct upc_event_info *events, unsigned n, unsigned *order);

#endif
