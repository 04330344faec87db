/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit_threshold.h - thresholds of a unit's events.
 * Terms: unit/unit.h, base/source.h, engine/threshold.h, engine/engine.h, base/event.h, base/target.h.
 */
#ifndef UPCI_UNIT_THRESHOLD_H
#define UPCI_UNIT_THRESHOLD_H

#include "unit/unit.h"

/* Set an event's count; the next interrupt comes at the next multiple of its period. If the counted thread
 * runs, only that thread may call upci_unit_preset. upci_unit_check_preset returns 0 if the calling thread
 * may, or an error with message. */
int upci_unit_preset(struct upc_unit *unit, unsigned i, uint64_t count);
int upci_unit_check_preset(const struct upc_unit *unit);
/* Return UPC_ENOSUPP with message if the bound event is a level, which cannot be preset, else 0. */
int upci_unit_check_no_level(const struct upci_binding *binding);
/* Set the number of counts until the next signal, for a counter that the unit takes in. */
int upci_unit_restart_period(struct upc_unit *unit, unsigned i, uint64_t left);
/* Set the threshold of an event, 0: none. Return 0, or an error with message. Defined in interrupt.c. */
int upci_unit_set_period(struct upc_unit *unit, unsigned i, uint64_t period);
/* Remember a period that was set. Defined in interrupt.c. */
void upci_unit_keep_period(struct upc_unit *unit, unsigned i, uint64_t period);
/* The part of upc_unit_signalled for counters that the unit takes in. */
int upci_unit_signalled(const struct upc_unit *unit, int fd, uint32_t *code);
/* Update armed[] after a change of bindings or handles. */
void upci_unit_rearm(struct upc_unit *unit);
/* Set the period of an event in a context's sources, by its handle there; 0: none. */
int upci_unit_set_live(struct upc_unit *unit, struct upci_sources *sources,
		       const struct upci_context *context, const struct upci_binding *binding, int handle,
		       uint64_t period);
/* Set the thresholds of all events again in new sources of a context. handles[a] is the new handle of
 * active[a]. */
int upci_unit_reopen_thresholds(struct upc_unit *unit, struct upci_sources *sources,
				const struct upci_context *context, const int *handles);

#endif
