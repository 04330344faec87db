/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_ppc.h - the parts of the PowerPC decoder, by the opcode in the highest 6 bits.
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_DECODE_PPC_H
#define UPCS_DECODE_PPC_H

#include "decode/decode_word.h"

/* Opcodes 32 to 55. Return false for others. */
bool upcs_decode_ppc_memory(uint32_t word, struct upcs_insn *insn);
/* Opcode 31, loads and stores. Return false for other instructions. */
bool upcs_decode_ppc_indexed(uint32_t word, struct upcs_insn *insn);
/* Opcodes 59 and 63. */
void upcs_decode_ppc_fpu(uint32_t word, struct upcs_insn *insn);
/* Opcode 4. */
void upcs_decode_ppc_vector(uint32_t word, struct upcs_insn *insn);

#endif
