/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waiting.h - checks for an OpenMP runtime whose threads spin while they wait.
 */
#ifndef UPCS_WAITING_H
#define UPCS_WAITING_H

#include <stdbool.h>

/* True if libgomp, libomp or libiomp5 is mapped, and no environment variable sets how its threads wait. */
bool upcs_waiting_is_active(void);

#endif
