/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_signal.h - the signal that live events send on overflow, held as long as any set has
 * thresholds. Includes PAPI's internal headers.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_SIGNAL_H
#define UPC_SIGNAL_H

/*
 * Choose the signal: $UPC_SIGNAL, from SIGRTMIN to SIGRTMAX, or SIGRTMIN+5 by default. PAPI's
 * component perf_event uses SIGRTMIN+2, and sde uses SIGRTMIN.
 */
void upcp_signal_open(void);
/* Register fork handlers. Call before upcp_signal_open. Return 0, or non-zero without memory. */
int upcp_signal_prepare(void);
int upcp_signal_number(void);

/*
 * Take the signal for one set, or give it back. When the first set takes the signal, PAPI's handler
 * for it is installed. upcp_signal_take returns PAPI_OK, PAPI_ECNFLCT (another component of PAPI uses
 * the signal) or PAPI_ESYS. Context: any thread, but no signal handler.
 */
int upcp_signal_take(int component);
void upcp_signal_give_back(void);

#endif /* UPC_SIGNAL_H */
