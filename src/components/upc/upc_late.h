/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_late.h - opens libupc and its catalogue when the program first needs them. PAPI initialises
 * all of its components in every program, but most programs use only one component.
 *
 * Terms: upc_set.h.
 */
#ifndef UPC_LATE_H
#define UPC_LATE_H

#include "papi.h"

#include "upc_open.h"

/* States of opening the component. Each state from DELAYED on includes the states before it. */
enum upcp_late {
	UPCP_LATE_FAILED = -1, /* permanently; disabled_reason says why                       */
	UPCP_LATE_CLOSED,      /* before PAPI_library_init, and after PAPI_shutdown           */
	UPCP_LATE_DELAYED,     /* nothing is loaded yet                                       */
	UPCP_LATE_OPEN,        /* libupc is loaded and finds names                            */
	UPCP_LATE_DESCRIBED,   /* all names are read; their number and the missing sources are known */
};

/*
 * Prepare the component in PAPI_library_init. By default, opening waits for the first use. The
 * component is opened at once if the user chose its source ($UPC_SOURCE, $UPC_WIRING), if the build
 * has presets (UPC_PRESETS), or if glibc is older than 2.36. on_open is called after opening, and
 * must not look up names. *opened receives the result of opening. Return PAPI_OK, PAPI_EDELAY_INIT,
 * or, if the component is disabled, PAPI_ECMP or PAPI_ENOMEM with cmp->disabled_reason.
 */
int upcp_late_prepare(PAPI_component_info_t *cmp, struct upcp_opened *opened, void (*on_open)(void));

/*
 * Bring the component to the state UPCP_LATE_OPEN or UPCP_LATE_DESCRIBED. If several threads call
 * at once, one opens and the others wait.
 *
 * Return PAPI_OK, a temporary failure, or PAPI_ECMP_DISABLED. After a temporary failure the next
 * call tries again. Temporary failures are PAPI_ENOMEM, and PAPI_ESYS with errno: EMFILE or ENFILE
 * without descriptors, EAGAIN in a prepare handler of a fork while another thread opens the
 * component, or EIO if the names cannot be read.
 *
 * Context: any thread, but no signal handler that interrupts a call of PAPI. All signals are
 * blocked and cancellation is disabled during the call.
 */
int upcp_late_open(enum upcp_late wanted);

/* Return the state. Context: any. */
enum upcp_late upcp_late_state(void);

/*
 * Close the component in PAPI_shutdown. Waits for a thread that is opening it. Return the
 * catalogue, which the caller closes, or NULL if none is open. The next PAPI_library_init prepares
 * the component again. Context: no signal handler.
 */
struct upc_catalogue *upcp_late_close(void);

#endif /* UPC_LATE_H */
