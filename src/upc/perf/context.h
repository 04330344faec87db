/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - makes contexts, the targets of counting, from the public options, and adapts them after a fork.
 * Terms: base/target.h, node/sim.h, replay/replay.h.
 */
#ifndef UPCI_CONTEXT_H
#define UPCI_CONTEXT_H

#include "base/target.h"

/* True if the context counts on all CPUs that are online. */
static inline bool upci_context_is_wide(const struct upci_context *context)
{
	return context->kind == UPC_CONTEXT_MACHINE || context->kind == UPC_CONTEXT_CGROUP;
}

/* Set a context from the public options; NULL is the calling thread. Return 0, or an error with message:
 * UPC_EINVAL, UPC_ENOTASK, UPC_EPERM (the caller may not count the domain), or an error of upci_cgroup_open.
 * upci_context_close closes the control group's directory. */
int upci_context_set(struct upci_context *context, const struct upc_unit_options *options);

/* Set the context of a unit that plays a script. The signals of a script belong to the calling thread, in no
 * particular domain, and not to its children. Return UPC_ENOSUPP with message if the options choose another
 * context, a domain, or children. */
int upci_context_set_replay(struct upci_context *context, const struct upc_unit_options *options);

/* Set the context of a unit of the simulated node. Such a unit counts the calling thread. Errors are those of
 * upci_context_set_replay. */
int upci_context_set_sim(struct upci_context *context, const struct upc_unit_options *options);

void upci_context_close(struct upci_context *context);

/* Adapt a context in a forked child. If the context is a thread of the parent, it becomes the child's thread.
 * If the context is the parent process, it becomes the child process. Other contexts stay. */
void upci_context_forked(struct upci_context *context);

/* List the present tasks of the context, or its CPUs on which the PMU of this perf type counts. The caller
 * frees *targets. Return their number, or a negative error with message: UPC_ENOSUPP if the PMU does not
 * count on the context's CPU. */
int upci_context_targets(const struct upci_context *context, uint32_t type,
			 struct upci_perf_target **targets);

#endif
