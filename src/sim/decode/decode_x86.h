/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86.h - the table with a rule for each x86 instruction that capstone knows, and the enums of which
 * the rules are made. I and J are the pipes.
 *
 * Terms: decode/decode.h.
 */
#ifndef UPCS_DECODE_X86_H
#define UPCS_DECODE_X86_H

#include <stdint.h>

#include <capstone/capstone.h>

/* The operations that an instruction counts as, in addition to its memory accesses: the pipe and the
 * class. */
enum upcs_x86_op {
	X_NONE, /* not in the table */
	X_MOVE, /* J, LOGICAL_OPS, as a move is an "or" on PowerPC; from or to memory only a load or store */
	X_EXTEND, /* J, SHROTMK (extensions of sign or zero), as on PowerPC; from memory only a load */
	X_ADD,    /* J */
	X_LOGIC,
	X_SHIFT,
	X_COMPARE, /* I, ADD_SUB: cmp, adc, sbb */
	X_TEST,    /* I, LOGICAL_OPS: test, bt */
	X_CARRY,   /* I, SHROTMK: rotates through the carry */
	X_MULDIV,
	X_DIVIDE, /* as X_MULDIV, and may trap */
	X_BRANCH,
	X_SELECT,  /* I, OTHER: uses of flags: setcc, cmov; also crc32 */
	X_SPECIAL, /* I, OTHER: special registers */
	X_CONTROL, /* system calls, traps, barriers */
	X_TLB,
	X_DCACHE,
	X_EXCHANGE, /* three moves; if an operand is in memory, no moves */
	X_XADD,     /* an addition and two moves; if an operand is in memory, only the addition */
	X_FRAME,    /* enter, leave */

	/* From here on memory is loaded into FPU registers or stored from them. */
	F_FIRST,
	F_MOVE = F_FIRST, /* scalar; from or to memory only a load or store */
	F_ADD,
	F_MULT,
	F_FMA,
	F_DIV,
	F_OTHER,
	F_DOT,   /* a multiplication and an addition */
	F_STATE, /* as X_SPECIAL, once, for an instruction on the FPU's whole state */
	V_MOVE,  /* vectors; from or to memory only a load or store */
	V_OTHER, /* DUAL_PIPE_OTHER_NON_STORAGE_OPS, one for each 16 bytes */
};

/* Accesses to operands in memory. Operand 0 is the destination. */
enum upcs_x86_memory {
	M_READ,   /* all are read */
	M_WRITE,  /* all are written */
	M_MOVE,   /* operand 0 is written, others are read */
	M_CHANGE, /* operand 0 is read and written, others are read */
	M_BOTH,   /* all are read and written */
	M_NONE,   /* no access: only an address */
	M_GATHER, /* one read per lane */
	M_SCATTER,

	/* Accesses to memory that is not an operand. */
	M_PUSH,  /* operands are read, and 8 bytes or more are stored, 8 at a time */
	M_POP,   /* operands are written, and 8 bytes or more are loaded, 8 at a time */
	M_STORE, /* a store: maskmov */
	M_LOAD,  /* a load: xlat */
};

struct upcs_x86_rule {
	uint8_t op;     /* enum upcs_x86_op */
	uint8_t memory; /* enum upcs_x86_memory */
	uint8_t lane;   /* bytes of a lane of packed floating point; of a conversion, of the wider lanes */
	uint16_t bytes; /* bytes of the operand in memory if capstone's size is wrong or missing; or 0 */
	uint8_t twice;  /* 1: counts a conversion, too, before the operation (an integer in memory is added to
			   a float) */
};

extern const struct upcs_x86_rule upcs_x86_rule[X86_INS_ENDING];

#endif
