/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - whom a unit counts, as the sources need to know it.
 */
#ifndef UPCI_CONTEXT_H
#define UPCI_CONTEXT_H

#include "perf.h"
#include "upc.h"

struct upci_context {
	enum upc_context_kind kind;
	pid_t pid, tid;	 /* process and thread; 0 where there is none        */
	bool own;	 /* a thread or process of our own: a fork's child    */
			 /* counts itself instead                             */
	int cpu;
	unsigned domain; /* UPC_DOMAIN_*, not 0: the user's choice, or else   */
			 /* all that the caller may count                     */
	bool domain_chosen;   /* by the user, who means every event; if not,     */
			      /* events of a CPU's own PMU count user mode alone */
			      /* (either way where their names do not say)       */
	bool inherit;	      /* children and new threads count too               */
	bool inherit_threads; /* new threads do: the context of a process         */
	bool enable_on_exec;
};

/* From the public options; NULL is the calling thread. Errors with message:
 * UPC_EINVAL, UPC_ENOTASK, UPC_EPERM (a domain that the caller may not have). */
int upci_context_set(struct upci_context *context, const struct upc_unit_options *options);

/* The same for a unit behind a script, which has the calling thread's signals and
 * nobody else's. UPC_ENOSUPP: what a script cannot give. */
int upci_context_set_replay(struct upci_context *context, const struct upc_unit_options *options);

/* The same for a unit of the simulated node, which counts the calling thread. */
int upci_context_set_sim(struct upci_context *context, const struct upc_unit_options *options);

/* In a forked child: what was our own is now the child's calling thread, or
 * the child. */
void upci_context_forked(struct upci_context *context);

/* The tasks or CPUs of the context as they are now; of CPUs those that the PMU of this perf
 * type counts on. The caller frees *targets. Returns how many, or a negative error with
 * message: UPC_ENOSUPP where the PMU does not count on the context's CPU. */
int upci_context_targets(const struct upci_context *context, uint32_t type, struct upci_perf_target **targets);

#endif
