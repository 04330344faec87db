/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_formula.h - what PAPI's formula of a preset, or of an event that the user has defined, is
 * worth in time slices. Pure.
 */
#ifndef MPXI_PAPI_FORMULA_H
#define MPXI_PAPI_FORMULA_H

#include <stdbool.h>

/*
 * Is it a sum of counts, each times a constant (N0|N1|2|*|+|)? Then it can be worked out in each
 * slice, and what slices give adds up. Quotients, products of counts and what has a constant of
 * its own do not.
 */
bool mpxi_papi_is_sum(const char *postfix);

#endif
