/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_streams.h - streams to which the libpfm4 inside libupc prints its debugging output.
 */
#ifndef UPCI_PFM_STREAMS_H
#define UPCI_PFM_STREAMS_H

#include <stdio.h>

extern FILE *upci_pfm_stdout;
extern FILE *upci_pfm_stderr;

#endif
