/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_file.h - a wiring file after its check (wiring.c) and before it is applied (wiring_apply.c).
 * Terms: wiring/wiring.h.
 */
#ifndef UPCI_WIRING_FILE_H
#define UPCI_WIRING_FILE_H

#include "catalogue/catalogue.h"
#include "wiring/wiring_statement.h"

/* An event that only the file defines has no code before the file is applied. In formulas, this bit and the
 * index of the event's statement stand for the code. */
#define UPCI_WIRING_PENDING 0x80000000u

struct upci_wiring_file {
	struct upc_catalogue *c;
	struct upci_lex lex;
	char *pool; /* position of the next string */
	struct upci_statement *statement;
	size_t count, room;
	uint32_t *table; /* hash table with open addressing on the name: index + 1 */
	size_t table_size;
	size_t current; /* index of the statement whose formula is being parsed */
};

/* Return the catalogue's event of a statement's name, or NULL. */
static inline const struct upci_event *upci_wiring_known(const struct upci_wiring_file *f,
							 const struct upci_statement *s)
{
	return s->code < 0 ? NULL : upci_catalogue_event(f->c, (uint32_t)s->code);
}

/*
 * Apply a checked file to the catalogue. Return 0 or UPC_ENOMEM. After an error, the catalogue may contain a
 * part of the file, and its opener discards it.
 */
int upci_wiring_apply(struct upci_wiring_file *f);

#endif
