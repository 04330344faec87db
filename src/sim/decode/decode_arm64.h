/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_arm64.h - the parts of the AArch64 decoder. Each decodes one of the instruction set's groups of
 * encodings.
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_DECODE_ARM64_H
#define UPCS_DECODE_ARM64_H

#include "decode/decode_word.h"

void upcs_decode_arm64_memory(uint32_t word, struct upcs_insn *insn);
void upcs_decode_arm64_simd(uint32_t word, struct upcs_insn *insn);

#endif
