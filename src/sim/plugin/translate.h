/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * translate.h - what is called when blocks are translated, and by translated blocks.
 */
#ifndef UPCS_TRANSLATE_H
#define UPCS_TRANSLATE_H

#include <stdbool.h>

#include "decode/guest.h"
#include "plugin/qemu_plugin.h"

/* False: no memory, or capstone does not know the guest. */
bool upcs_translate_begin(enum upcs_guest guest);
/* The emulator's callback. */
void upcs_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

/* From now on blocks are translated in parts behind which a fault may leave them. Those that are
 * translated already are not. */
void upcs_translate_set_exact(void);
bool upcs_translate_is_exact(void);

#endif
