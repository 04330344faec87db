/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_formula.h - checks whether the formula of a PAPI preset or a user-defined event can be computed in
 * each time slice, and the results of the slices added up. Pure.
 */
#ifndef MPXI_PAPI_FORMULA_H
#define MPXI_PAPI_FORMULA_H

#include <stdbool.h>

/*
 * True if the formula, in postfix notation, is a sum of counts, each times a constant (N0|N1|2|*|+|). Only
 * then do the results of slices add up. Quotients, products of counts and formulas with a constant term do
 * not add up.
 */
bool mpxi_papi_is_sum(const char *postfix);

#endif
