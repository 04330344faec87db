/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_file.h - a wiring file between its check (wiring.c) and the change that it
 * makes (wiring_apply.c).
 */
#ifndef UPCI_WIRING_FILE_H
#define UPCI_WIRING_FILE_H

#include "catalogue/catalogue.h"
#include "wiring/wiring_statement.h"

/* Events that only the file defines have no code before it is applied: in
 * formulas it is this bit and their statement's index. */
#define UPCI_WIRING_PENDING 0x80000000u

struct upci_wiring_file {
	struct upc_catalogue *c;
	struct upci_lex lex;
	char *pool; /* where the next string goes */
	struct upci_statement *statement;
	size_t count, room;
	uint32_t *table; /* open addressing on the name: index + 1 */
	size_t table_size;
	size_t current; /* the statement whose formula is parsed */
};

/* The catalogue's event of a statement's name, or NULL. */
static inline const struct upci_event *upci_wiring_known(const struct upci_wiring_file *f,
							 const struct upci_statement *s)
{
	return s->code < 0 ? NULL : upci_catalogue_event(f->c, (uint32_t)s->code);
}

/*
 * Makes the change of a checked file to the catalogue. The only error is UPC_ENOMEM;
 * then the catalogue may have a part of the file, and its opener discards it.
 */
int upci_wiring_apply(struct upci_wiring_file *f);

#endif
