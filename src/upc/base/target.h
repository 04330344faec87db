/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - whom a unit counts, as the sources need to know it.
 */
#ifndef UPCI_TARGET_H
#define UPCI_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "upc.h"

struct upci_context {
	enum upc_context_kind kind;
	pid_t pid, tid; /* process and thread; 0 where there is none        */
	bool own;       /* a thread or process of our own: a fork's child    */
			/* counts itself instead                             */
	int cpu;
	unsigned domain;    /* UPC_DOMAIN_*, not 0: the user's choice, or else   */
			    /* all that the caller may count                     */
	bool domain_chosen; /* by the user, who means every event; if not,     */
	/* events of a CPU's own PMU count user mode alone */
	/* (either way where their names do not say)       */
	bool inherit;         /* children and new threads count too               */
	bool inherit_threads; /* new threads do: the context of a process         */
	bool enable_on_exec;
	bool flexible;    /* hardware groups are not pinned                       */
	unsigned reserve; /* counters of each PMU that stay free                  */
	int cgroup;       /* CGROUP: a descriptor of its directory, the unit's; else 0 */
};

/* The threads that a group counts: one (cpu -1), all on a CPU (tid -1), or those of a control group on
 * a CPU. */
struct upci_perf_target {
	pid_t tid;
	int cpu;
	int cgroup; /* its descriptor, or 0 */
};

#endif
