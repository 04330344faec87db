/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.h - the translation callback, and the counting callbacks of translated blocks.
 *
 * Terms: plugin/context.h.
 */
#ifndef UPCS_TRANSLATE_H
#define UPCS_TRANSLATE_H

#include <stdbool.h>

#include "decode/guest.h"
#include "plugin/qemu_plugin.h"

/* Create the decoder. Return false if memory is short or capstone does not know the guest. */
bool upcs_translate_begin(enum upcs_guest guest);
/* The emulator's callback for translation. */
void upcs_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

/* Make translation exact: from now on, split blocks into parts that end wherever a fault may leave the block.
 * Blocks that are translated already stay as they are. */
void upcs_translate_set_exact(void);
bool upcs_translate_is_exact(void);

#endif
