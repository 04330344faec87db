/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ompt.h - teams of OpenMP runtimes that have OMPT, OpenMP's interface for tools.
 */
#ifndef UPCR_OMPT_H
#define UPCR_OMPT_H

#include <stdbool.h>

/* True if the runtime reports its teams to us. False if there is another tool, or if the runtime has no
 * OMPT. */
bool upcr_ompt_sees(void);

#endif
