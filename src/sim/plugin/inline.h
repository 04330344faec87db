/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline.h - blocks that add to counts without a call of the plugin (count/thread.h). One of two files
 * implements these functions: inline_array.c for plugin interface 1, where the emulator adds to any address,
 * or inline_scores.c for interface 4, where the emulator adds to its own scoreboards.
 *
 * The functions are called during translation, one thread at a time.
 *
 * Terms: plugin/context.h.
 */
#ifndef UPCS_INLINE_H
#define UPCS_INLINE_H

#include <stdbool.h>

#include "plugin/qemu_plugin.h"

/* Set up inline counting. Called once, before the first thread begins. */
void upcs_inline_install(void);
/* True if the block that is being translated may add without a call. Only then are the next two functions
 * called. */
bool upcs_inline_may(void);
/* Add 1 to the count of this kind whenever the instruction begins, or the block if insn is NULL. */
void upcs_inline_begins(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t kind);
/* Add 1 to the count of this kind whenever the instruction accesses memory. */
void upcs_inline_touches(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint32_t kind);

#endif
