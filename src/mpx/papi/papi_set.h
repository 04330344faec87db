/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_set.h - one PAPI event set of one component, as MPX uses it: made once, then
 * started and stopped by the handler that ends a time slice.
 *
 * The set is attached to the calling thread (PAPI_attach with tid 0), where its
 * component can attach at all: PAPI then does not take it for the thread's running set,
 * of which it allows one for each component. Where the attach fails the set is that running set.
 */
#ifndef MPXI_PAPI_SET_H
#define MPXI_PAPI_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mpxi_papi_set {
	int id;          /* PAPI's, PAPI_NULL until it is opened    */
	int component;   /* PAPI's index                            */
	unsigned n;      /* events                                  */
	bool alternates; /* its component is one that attaches     */
	bool attached;
	bool running;     /* started, and not stopped since          */
	long long *value; /* [n]: the last read, in the order of add */
	long long *carry; /* [n]: the caller's: counted before the last start */
};

/* papi_library.c: a number of PAPI's. PAPI's errors, and MPXI_ENOMEM where PAPI's table of
 * sets would have to grow under threads that count, with a message. */
int mpxi_papi_new_set(int *set);

/* An empty set. value and carry stay as they are. target is the thread that it counts in, 0: the
 * calling one; domain that of its events, 0: PAPI's default. PAPI's errors, with a message;
 * MPXI_ENOSUPP where a component has no attach, or needs a PMU for it. */
int mpxi_papi_set_open(struct mpxi_papi_set *set, int component, unsigned domain, pid_t target);
/* Returns PAPI_add_event's error, without a message; MPXI_ESYS with errno EMFILE where there
 * were no descriptors left. */
int mpxi_papi_set_add(struct mpxi_papi_set *set, uint32_t event);
/* Stops it where it runs. Does nothing to a set that is not open. */
void mpxi_papi_set_close(struct mpxi_papi_set *set);

/*
 * For handlers. start counts from 0; stop reads first. After MPXI_EISRUN, which says that
 * the thread is inside libupc, nothing has changed; after any other error of stop the set
 * is taken for stopped.
 */
int mpxi_papi_set_start_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_read_sig(struct mpxi_papi_set *set);
int mpxi_papi_set_stop_sig(struct mpxi_papi_set *set);

#endif
