/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * target.h - the target that a unit counts, as the sources need it.
 *
 * Terms:
 *   context  what a unit counts: a thread, a process, a CPU, the machine or a control group
 *   target   one thread, or one CPU, of a context
 *   domain   the privilege levels in which events count: user, kernel, hypervisor
 */
#ifndef UPCI_TARGET_H
#define UPCI_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

#include "upc.h"

struct upci_context {
	enum upc_context_kind kind;
	pid_t pid, tid; /* process and thread, 0: none */
	bool own; /* the thread belongs to the calling process, or the process is the calling one; a child of
		     a fork then counts itself instead */
	int cpu;
	unsigned domain; /* UPC_DOMAIN_*, never 0: the user's choice, or else all domains that the caller may
			    count */
	bool domain_chosen; /* the user chose the domain, which applies to every event. If false, events of a
			       CPU's own PMU count user mode only. In both cases a mode in the event's name
			       comes first. */
	bool inherit;       /* children and new threads count too */
	bool inherit_threads; /* new threads count too (context of a process) */
	bool enable_on_exec;
	bool flexible;    /* hardware groups are not pinned */
	unsigned reserve; /* number of counters of each PMU that stay free */
	int cgroup; /* CGROUP: descriptor of the control group's directory, which the unit owns; else 0 */
};

/* The threads that a group counts: one thread (cpu -1), all threads on a CPU (tid -1), or the threads of a
 * control group on a CPU. */
struct upci_perf_target {
	pid_t tid;
	int cpu;
	int cgroup; /* descriptor of the control group's directory, or 0 */
};

#endif
