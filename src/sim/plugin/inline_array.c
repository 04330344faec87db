/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline_array.c - lets blocks add to the array of the process's only thread.
 *
 * Terms: plugin/context.h.
 */
#include "plugin/inline.h"
#include "count/thread.h"

static uint64_t *counts; /* counts that the block which is being translated adds to */

void upcs_inline_install(void)
{
}

bool upcs_inline_may(void)
{
	counts = upcs_thread_inlined();
	return counts;
}

void upcs_inline_begins(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t kind)
{
	if (insn)
		qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &counts[kind],
							   1);
	else
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &counts[kind], 1);
}

void upcs_inline_touches(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint32_t kind)
{
	qemu_plugin_register_vcpu_mem_inline(insn, rw, QEMU_PLUGIN_INLINE_ADD_U64, &counts[kind], 1);
}
