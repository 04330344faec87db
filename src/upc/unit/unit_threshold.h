/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_threshold.h - thresholds of a unit's events.
 */
#ifndef UPCI_UNIT_THRESHOLD_H
#define UPCI_UNIT_THRESHOLD_H

#include "unit/unit.h"

/* Sets an event's count; its threshold goes on from there. Live: while the counted
 * thread runs, only on that thread (upci_unit_check_preset). */
int upci_unit_preset(struct upc_unit *unit, unsigned i, uint64_t count);
int upci_unit_check_preset(const struct upc_unit *unit);
/* UPC_ENOSUPP with message where a level is bound: it cannot be preset. */
int upci_unit_check_no_level(const struct upci_binding *binding);
/* Sets the counts until the next signal, for a counter that the unit takes in. */
int upci_unit_restart_period(struct upc_unit *unit, unsigned i, uint64_t left);
/* Gives it a threshold, 0: none. Errors with message. interrupt.c */
int upci_unit_set_period(struct upc_unit *unit, unsigned i, uint64_t period);
/* Remembers one that was set. interrupt.c */
void upci_unit_keep_period(struct upc_unit *unit, unsigned i, uint64_t period);
/* upc_unit_signalled, for counters that the unit takes in. */
int upci_unit_signalled(const struct upc_unit *unit, int fd, uint32_t *code);
/* Updates armed[] after a change of bindings or handles. */
void upci_unit_rearm(struct upc_unit *unit);
/* Asks a context's sources for a threshold of an event's handle there; 0: for none any more. */
int upci_unit_set_live(struct upc_unit *unit, struct upci_sources *sources,
		       const struct upci_context *context, const struct upci_binding *binding, int handle,
		       uint64_t period);
/* Asks a context's new sources for the thresholds that its events have; handles[a] is
 * that of active[a]. */
int upci_unit_reopen_thresholds(struct upc_unit *unit, struct upci_sources *sources,
				const struct upci_context *context, const int *handles);

#endif
