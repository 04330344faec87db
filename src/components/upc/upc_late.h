/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_late.h - opens libupc and its catalogue when a program first needs them: PAPI initialises all
 * of its components in every program, and most programs use one.
 */
#ifndef UPC_LATE_H
#define UPC_LATE_H

#include "papi.h"

#include "upc_open.h"

/* How far the component is. Each state from DELAYED on includes the ones before it. */
enum upcp_late {
	UPCP_LATE_FAILED = -1, /* for good: disabled_reason says why                          */
	UPCP_LATE_CLOSED,      /* before PAPI_library_init, and after PAPI_shutdown           */
	UPCP_LATE_DELAYED,     /* nothing is loaded yet                                       */
	UPCP_LATE_OPEN,        /* libupc is there, and finds names                            */
	UPCP_LATE_DESCRIBED,   /* all names are read: their number is known, and what is missing */
};

/*
 * For PAPI_library_init: has the component wait for its first use, or opens it at once where what
 * drives it was chosen ($UPC_SOURCE, $UPC_WIRING), PAPI has presets of it, or glibc is older than
 * 2.36. on_open is called when it is open, and must not ask for names. *opened gets the result.
 * PAPI_OK, PAPI_EDELAY_INIT, or why it is disabled, with disabled_reason: PAPI_ECMP, PAPI_ENOMEM.
 */
int upcp_late_prepare(PAPI_component_info_t *cmp, struct upcp_opened *opened, void (*on_open)(void));

/*
 * Makes sure that the component is that far: UPCP_LATE_OPEN or _DESCRIBED. Where several threads
 * ask at once, one does it and the others wait. PAPI_OK, or a failure that
 * can pass, after which the next call tries again: PAPI_ENOMEM, or PAPI_ESYS with errno (descriptors;
 * EAGAIN: in a handler before a fork while another thread opens it). Else PAPI_ECMP_DISABLED.
 * Context: any thread, no handler of a signal on top of a call of PAPI; all signals are blocked
 * meanwhile, and no cancellation acts.
 */
int upcp_late_open(enum upcp_late wanted);

/* How far it is. Context: any. */
enum upcp_late upcp_late_state(void);

/* For PAPI_shutdown, not in handlers: waits for a thread that opens it. The next PAPI_library_init
 * prepares anew. The catalogue, which the caller closes, or NULL where there is none. */
struct upc_catalogue *upcp_late_close(void);

#endif /* UPC_LATE_H */
