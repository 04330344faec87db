/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula.h - derived events: an integer-weighted sum of events, over an integer
 * divisor or, in a ratio, over another such sum, in exact arithmetic.
 *
 *   formula = sum | "(" sum ")" "/" divisor
 *   divisor = INTEGER | NAME | "(" sum ")"
 *   sum     = ["-"] term { ("+" | "-") term }
 *   term    = [INTEGER "*"] NAME | NAME ["*" INTEGER]
 *
 * A ratio is computed of its terms' values at the read, which are their counts since
 * the start or the reset: never as a difference of two ratios. It does not only grow,
 * and is therefore a level (UPC_KIND_LEVEL).
 *
 * A name is any event name of the catalogue; one with characters other than
 * [A-Za-z0-9_.:] is written in double quotes, in which \" and \\ stand for
 * themselves. Integers are 1 to 2^55; a coefficient is at most 2^55, of either sign,
 * also when terms of the same event are added up.
 */
#ifndef UPCI_FORMULA_H
#define UPCI_FORMULA_H

#include "catalogue/catalogue.h"

struct upci_formula_error {
	unsigned column;   /* from 1, in the text */
	char message[400]; /* what is wrong and what was expected */
};

/*
 * The meaning of names: find returns the code of an event, with *formula NULL, or
 * sets *formula for a derived event, which is expanded in place. For an unknown name
 * it returns a negative error, with message; suggestions belong into it.
 */
struct upci_names {
	int64_t (*find)(void *arg, const char *name, const struct upci_formula **formula, char *message,
			size_t size);
	void *arg;
};

/* Parses text into memory of the catalogue. Every name must be known; terms of
 * derived events are merged by the parser: a derived name is expanded in place
 * when its divisor is 1, and refused otherwise. Errors: UPC_EWIRING with *error set,
 * UPC_ENOMEM. */
int upci_formula_parse(struct upc_catalogue *c, const char *text, const struct upci_formula **formula,
		       struct upci_formula_error *error);

/* The same with names other than those of the catalogue. */
int upci_formula_parse_names(struct upc_catalogue *c, const struct upci_names *names, const char *text,
			     const struct upci_formula **formula, struct upci_formula_error *error);

/*
 * value[i] is that of term i. Computes in 128 bits, and cuts off the remainder of a
 * division; a negative sum gives 0 (an estimate below zero is no count). A sum, divided
 * or not, is cut to 64 bits. A ratio is 0 where its divisor is 0 or less: there is no count
 * to divide by. It does not wrap, and is at most 2^63 - 1, the largest value that PAPI can
 * show.
 */
uint64_t upci_formula_value(const struct upci_formula *formula, const uint64_t *value);

/* The text of a formula as the parser takes it. Returns its length as
 * snprintf does. */
int upci_formula_print(struct upc_catalogue *c, const struct upci_formula *formula, char *text, size_t size);

#endif
