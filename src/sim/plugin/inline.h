/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline.h - blocks that add to counts themselves, without a call (thread.h). One of two files has
 * it: inline_array.c where the emulator adds to any address (interface 1), inline_scores.c where it
 * adds to its own scoreboards (4).
 *
 * All of it is of translation, which is one at a time.
 */
#ifndef UPCS_INLINE_H
#define UPCS_INLINE_H

#include <stdbool.h>

#include "plugin/qemu_plugin.h"

/* Once, before the first thread begins. */
void upcs_inline_install(void);
/* The block that is translated now may: then only are the next two called. */
bool upcs_inline_may(void);
/* One more of this kind whenever the instruction begins, or the block (insn: NULL). */
void upcs_inline_begins(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t kind);
/* Whenever it accesses memory. */
void upcs_inline_touches(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw, uint32_t kind);

#endif
