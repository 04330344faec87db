/* SPDX-License-Identifier: BSD-3-Clause */
/* in_call.c - defines the marks of the calling thread. */
#include "runtime/in_call.h"

__thread volatile sig_atomic_t mpxi_in_call __attribute__((tls_model("initial-exec")));
__thread uintptr_t mpxi_in_call_frame __attribute__((tls_model("initial-exec")));
