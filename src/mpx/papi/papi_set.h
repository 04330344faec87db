/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_set.h - one PAPI event set of one component, as MPX uses it: created once, then started and stopped
 * by the handler that ends a time slice.
 *
 * The set is attached to the calling thread (PAPI_attach with tid 0) if its component can attach. PAPI
 * allows one running set for each thread and component, but does not count attached sets as such. If the
 * attach fails, the set is an ordinary set, and only one can run.
 *
 * Terms: papi/papi_backend.h.
 */
#ifndef MPXI_PAPI_SET_H
#define MPXI_PAPI_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mpxi_papi_set {
	int id;          /* PAPI's number of the set; PAPI_NULL if the set is not open */
	int component;   /* PAPI's index of the component */
	unsigned n;      /* number of events */
	bool alternates; /* its component supports PAPI_attach */
	bool attached;
	bool running;     /* started, and not yet stopped */
	long long *value; /* [n]: values of the last read, in the order in which events were added */
	long long *carry; /* [n]: counts from before the last start; used by the caller only */
};

/* papi_library.c: Create a PAPI event set. Return 0 or an error with a message: PAPI's, or MPXI_ENOMEM
 * if PAPI's table of sets would have to grow while threads count. */
int mpxi_papi_new_set(int *set);

/* Open an empty set. value and carry are not changed. target is the thread to count; 0: the calling
 * thread. domain is the domain of the set's events; 0: PAPI's default. Errors, with a message: PAPI's,
 * and MPXI_ENOSUPP if the component cannot attach, or cannot attach without a PMU. */
int mpxi_papi_set_open(struct mpxi_papi_set *set, int component, unsigned domain, pid_t target);
/* Add an event. Return PAPI_add_event's error, without a message; MPXI_ESYS with errno EMFILE if no
 * descriptors are left. */
int mpxi_papi_set_add(struct mpxi_papi_set *set, uint32_t event);
/* Close the set, after stopping it if it runs. Does nothing if the set is not open. */
void mpxi_papi_set_close(struct mpxi_papi_set *set);

/*
 * Start, read or stop the set; for handlers. Starting sets the counts to 0; stopping reads them first.
 * MPXI_EISRUN means that the thread is inside libupc, and that nothing has changed. After any other error
 * of mpxi_papi_set_stop_sig, the set is considered stopped.
 */
int mpxi_papi_set_start_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_read_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_stop_sig(struct mpxi_papi_set *set);

#endif
