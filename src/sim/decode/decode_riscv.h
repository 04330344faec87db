/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_riscv.h - the parts of the RISC-V decoder.
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_DECODE_RISCV_H
#define UPCS_DECODE_RISCV_H

#include "decode/decode_word.h"

enum upcs_riscv_opcode {
	UPCS_RISCV_LOAD,
	UPCS_RISCV_LOAD_FP,
	UPCS_RISCV_MISC_MEM = 3,
	UPCS_RISCV_OP_IMM,
	UPCS_RISCV_AUIPC,
	UPCS_RISCV_OP_IMM_32,
	UPCS_RISCV_STORE = 8,
	UPCS_RISCV_STORE_FP,
	UPCS_RISCV_AMO = 11,
	UPCS_RISCV_OP,
	UPCS_RISCV_LUI,
	UPCS_RISCV_OP_32,
	UPCS_RISCV_MADD = 16,
	UPCS_RISCV_MSUB,
	UPCS_RISCV_NMSUB,
	UPCS_RISCV_NMADD,
	UPCS_RISCV_OP_FP,
	UPCS_RISCV_BRANCH = 24,
	UPCS_RISCV_JALR,
	UPCS_RISCV_JAL = 27,
	UPCS_RISCV_SYSTEM,
};

/*
 * Return a 32-bit instruction with the same operation, registers and tallies as a 16-bit instruction, or
 * UPCS_RISCV_RESERVED if half is no instruction. Constants and offsets are replaced by 0 or 1, since only a
 * constant of 0 can change the tallies.
 */
#define UPCS_RISCV_RESERVED UINT32_C(0xffffffff) /* no 32-bit instruction either */
#define UPCS_RISCV_EBREAK UINT32_C(0x00100073)
uint32_t upcs_riscv_expanded(uint16_t half);

#endif
