/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pfm_streams.c - stdout and stderr of the libpfm4 inside libupc.
 *
 * The static libpfm4 of the distributions refers to libc's two variables in a way that an executable may use
 * and a shared library may not. The build therefore renames them to these variables (src/upc/Makemodule.am).
 * libpfm4 prints only if LIBPFM_VERBOSE or LIBPFM_DEBUG is set, and only after its initialization, which
 * comes after this constructor.
 */
#include "perf/pfm_streams.h"

FILE *upci_pfm_stdout;
FILE *upci_pfm_stderr;

static void __attribute__((constructor)) set_streams(void)
{
	upci_pfm_stdout = stdout;
	upci_pfm_stderr = stderr;
}
