/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * waiting.h - whether the process has a runtime of OpenMP whose threads spin while they wait.
 */
#ifndef UPCS_WAITING_H
#define UPCS_WAITING_H

#include <stdbool.h>

/* libgomp, libomp or libiomp5 is mapped, and no variable says how its threads are to wait. */
bool upcs_waiting_is_active(void);

#endif
