/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.h - makes targets of counting from the public options, and adapts them to a fork.
 */
#ifndef UPCI_CONTEXT_H
#define UPCI_CONTEXT_H

#include "base/target.h"

/* Whether it counts on all CPUs that are online. */
static inline bool upci_context_is_wide(const struct upci_context *context)
{
	return context->kind == UPC_CONTEXT_MACHINE || context->kind == UPC_CONTEXT_CGROUP;
}

/* From the public options; NULL is the calling thread. Errors with message:
 * UPC_EINVAL, UPC_ENOTASK, UPC_EPERM (a domain that the caller may not have), and those of
 * upci_cgroup_open. upci_context_close closes the control group's directory. */
int upci_context_set(struct upci_context *context, const struct upc_unit_options *options);

/* The same for a unit behind a script, which has the calling thread's signals only.
 * UPC_ENOSUPP for a context, a domain or children that a script cannot give. */
int upci_context_set_replay(struct upci_context *context, const struct upc_unit_options *options);

/* The same for a unit of the simulated node, which counts the calling thread. */
int upci_context_set_sim(struct upci_context *context, const struct upc_unit_options *options);

void upci_context_close(struct upci_context *context);

/* In a forked child: a context of our own process is now the child's calling thread, or
 * the child. */
void upci_context_forked(struct upci_context *context);

/* The tasks of the context as they are now, or its CPUs that the PMU of this perf type
 * counts on. The caller frees *targets. Returns how many, or a negative error with
 * message: UPC_ENOSUPP where the PMU does not count on the context's CPU. */
int upci_context_targets(const struct upci_context *context, uint32_t type,
			 struct upci_perf_target **targets);

#endif
