/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_streams.h - where the libpfm4 inside libupc prints what its own
 * debugging variables ask for.
 */
#ifndef UPCI_PFM_STREAMS_H
#define UPCI_PFM_STREAMS_H

#include <stdio.h>

extern FILE *upci_pfm_stdout;
extern FILE *upci_pfm_stderr;

#endif
