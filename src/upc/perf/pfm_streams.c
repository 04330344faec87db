/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_streams.c - stdout and stderr of the libpfm4 inside libupc.
 *
 * The static libpfm4 of the distributions refers to libc's two variables as an
 * executable may and a shared library may not, so the build renames them to
 * these (src/upc/Makemodule.am). It prints only where LIBPFM_VERBOSE or
 * LIBPFM_DEBUG is set, and never before it is initialised, which is after the
 * constructor has run.
 */
#include "perf/pfm_streams.h"

FILE *upci_pfm_stdout;
FILE *upci_pfm_stderr;

static void __attribute__((constructor)) set_streams(void)
{
	upci_pfm_stdout = stdout;
	upci_pfm_stderr = stderr;
}
