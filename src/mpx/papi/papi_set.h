/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_set.h - one PAPI event set of one component, as MPX uses it: created once, then started and stopped
 * by the handler that ends a time slice.
 *
 * The set is attached to the calling thread (PAPI_attach with tid 0) if its component can attach. PAPI then
 * does not treat the set as the thread's running set, of which it allows one for each component. If the
 * attach fails, the set is that running set.
 */
#ifndef MPXI_PAPI_SET_H
#define MPXI_PAPI_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mpxi_papi_set {
	int id;          /* PAPI's number; PAPI_NULL if not open */
	int component;   /* PAPI's index                            */
	unsigned n;      /* number of events */
	bool alternates; /* its component can attach */
	bool attached;
	bool running;     /* started, and not yet stopped */
	long long *value; /* [n]: the last read, in the order of add */
	long long *carry; /* [n]: owned by the caller: counts from before the last start */
};

/* papi_library.c: Create a PAPI event set. PAPI's errors, and MPXI_ENOMEM if PAPI's table of sets would
 * have to grow while threads count, with a message. */
int mpxi_papi_new_set(int *set);

/* Open an empty set. value and carry are not changed. target is the thread to count, 0: the calling one.
 * domain is that of its events, 0: PAPI's default. PAPI's errors, with a message; MPXI_ENOSUPP if the
 * component cannot attach, or needs a PMU for it. */
int mpxi_papi_set_open(struct mpxi_papi_set *set, int component, unsigned domain, pid_t target);
/* Add an event. Return PAPI_add_event's error, without a message; MPXI_ESYS with errno EMFILE if no
 * descriptors are left. */
int mpxi_papi_set_add(struct mpxi_papi_set *set, uint32_t event);
/* Close the set, after stopping it if it runs. No effect on a set that is not open. */
void mpxi_papi_set_close(struct mpxi_papi_set *set);

/*
 * Start, read or stop the set; for handlers. start counts from 0; stop reads first. After MPXI_EISRUN,
 * which means that the thread is inside libupc, nothing has changed. After any other error of stop, the set
 * counts as stopped.
 */
int mpxi_papi_set_start_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_read_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_stop_sig(struct mpxi_papi_set *set);

#endif
