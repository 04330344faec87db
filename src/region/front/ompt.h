/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.h - teams of runtimes with OMPT.
 */
#ifndef UPCR_OMPT_H
#define UPCR_OMPT_H

#include <stdbool.h>

/* Does the runtime report its teams to us? Not where another tool is there, or where it has no OMPT. */
bool upcr_ompt_sees(void);

#endif
