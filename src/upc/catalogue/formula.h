/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula.h - derived events: an integer-weighted sum of events, divided by an integer or, in a ratio, by
 * another such sum, in exact arithmetic.
 *
 *   formula = sum | "(" sum ")" "/" divisor
 *   divisor = INTEGER | NAME | "(" sum ")"
 *   sum     = ["-"] term { ("+" | "-") term }
 *   term    = [INTEGER "*"] NAME | NAME ["*" INTEGER]
 *
 * A ratio is computed at the read, from its terms' counts since the start or the reset, never as a difference
 * of two ratios. It can fall, and is therefore a level (UPC_KIND_LEVEL).
 *
 * A name is any event name of the catalogue. A name with characters other than [A-Za-z0-9_.:] is written in
 * double quotes, in which \" and \\ stand for " and \. Integers are 1 to 2^55. A coefficient is at most 2^55,
 * of either sign, also when terms of the same event are added up.
 *
 * Terms: base/event.h.
 */
#ifndef UPCI_FORMULA_H
#define UPCI_FORMULA_H

#include "catalogue/catalogue.h"

struct upci_formula_error {
	unsigned column;   /* position in the text, from 1 */
	char message[400]; /* what is wrong and what was expected */
};

/*
 * The meaning of names. find returns the code of an event, with *formula NULL. For a derived event it sets
 * *formula, which is expanded in place. For an unknown name it returns a negative error, with a message that
 * may contain suggestions.
 */
struct upci_names {
	int64_t (*find)(void *arg, const char *name, const struct upci_formula **formula, char *message,
			size_t size);
	void *arg;
};

/* Parse text into memory of the catalogue. Every name must be known. A derived name is expanded in place, and
 * its terms are merged, if its divisor is 1; otherwise it is refused. Return 0, UPC_EWIRING with *error set,
 * or UPC_ENOMEM. */
int upci_formula_parse(struct upc_catalogue *c, const char *text, const struct upci_formula **formula,
		       struct upci_formula_error *error);

/* Do the same, with names that do not come from the catalogue. */
int upci_formula_parse_names(struct upc_catalogue *c, const struct upci_names *names, const char *text,
			     const struct upci_formula **formula, struct upci_formula_error *error);

/*
 * Return the value of a formula; value[i] is the value of term i. Computes in 128 bits and drops the
 * remainder of a division. A negative sum gives 0, since an estimate below zero is not a count. A sum,
 * divided or not, is cut to 64 bits. A ratio is 0 if its divisor is 0 or less, since there is no count to
 * divide by. A ratio does not wrap, and is at most 2^63 - 1, the largest value that PAPI can show.
 */
uint64_t upci_formula_value(const struct upci_formula *formula, const uint64_t *value);

/* Print a formula as the parser accepts it. Return its length, as snprintf does. */
int upci_formula_print(struct upc_catalogue *c, const struct upci_formula *formula, char *text, size_t size);

#endif
