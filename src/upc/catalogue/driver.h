/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.h - the driver of an event as text, in the words of a wiring file.
 * Terms: base/event.h.
 */
#ifndef UPCI_DRIVER_H
#define UPCI_DRIVER_H

#include "base/event.h"
#include "base/text.h"

/* Indexed by enum upci_root, with a final NULL. */
extern const char *const upci_driver_roots[];

struct upci_driver_clock {
	const char *word; /* NULL in the last element */
	int id;           /* clockid_t */
	enum upc_scope scope;
	enum upc_kind kind;
	const char *name, *text; /* name and text of its event */
};
extern const struct upci_driver_clock upci_driver_clocks[];

/* Print a driver as in upc_event_info.driver: upci_driver_out at the end of a text, upci_driver_print alone,
 * with the return value of snprintf. */
void upci_driver_out(struct upc_catalogue *c, struct upci_out *out, const struct upci_driver *driver);
int upci_driver_print(struct upc_catalogue *c, const struct upci_driver *driver, char *text, size_t size);

#endif
