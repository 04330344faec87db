/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_signal.h - the signal by which live events tell of their overflows, for as
 * long as any set has thresholds. Includes PAPI's inside.
 */
#ifndef UPC_SIGNAL_H
#define UPC_SIGNAL_H

/* Chooses it: $UPC_SIGNAL, SIGRTMIN to SIGRTMAX, or SIGRTMIN+5. PAPI's perf_event
 * uses SIGRTMIN+2, and its sde SIGRTMIN. */
void upcp_signal_open(void);
/* Before that: PAPI_OK, or PAPI_ENOMEM. */
int upcp_signal_prepare(void);
int upcp_signal_number(void);

/* Installs PAPI's handler of the component for one set more, or less. PAPI_OK,
 * PAPI_ECNFLCT (another component of PAPI has the signal), PAPI_ESYS.
 * Context: any thread; not for signal handlers. */
int upcp_signal_take(int component);
void upcp_signal_give_back(void);

#endif /* UPC_SIGNAL_H */
