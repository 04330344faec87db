/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode_x86.h - what each of capstone's x86 instructions does: the table, and its words.
 */
#ifndef UPCS_DECODE_X86_H
#define UPCS_DECODE_X86_H

#include <stdint.h>

#include <capstone/capstone.h>

/* The operation in registers. */
enum upcs_x86_op {
	X_NONE,   /* not in the table */
	X_MOVE,   /* J, LOGICAL_OPS, as PowerPC moves; of memory: its load or store alone */
	X_EXTEND, /* J, SHROTMK, as PowerPC does; of memory: the load alone */
	X_ADD,    /* J */
	X_LOGIC,
	X_SHIFT,
	X_COMPARE, /* I, ADD_SUB: cmp, adc, sbb */
	X_TEST,    /* I, LOGICAL_OPS: test, bt */
	X_CARRY,   /* I, SHROTMK: rotates through the carry */
	X_MULDIV,
	X_DIVIDE, /* the same, and traps */
	X_BRANCH,
	X_SELECT,  /* I, OTHER: uses flags: setcc, cmov; and crc32 */
	X_SPECIAL, /* I, OTHER: special registers */
	X_CONTROL, /* system calls, traps, barriers */
	X_TLB,
	X_DCACHE,
	X_EXCHANGE, /* three moves; with memory none */
	X_XADD,     /* an addition and two moves; with memory an addition */
	X_FRAME,    /* enter, leave */

	/* From here on memory is loaded into the FPU's registers, or stored from there. */
	F_FIRST,
	F_MOVE = F_FIRST, /* scalar; of memory: its load or store alone */
	F_ADD,
	F_MULT,
	F_FMA,
	F_DIV,
	F_OTHER,
	F_DOT,   /* a multiplication and an addition */
	F_STATE, /* X_SPECIAL, of the FPU's registers as a whole */
	V_MOVE,  /* of vectors; of memory: its load or store alone */
	V_OTHER, /* DUAL_PIPE_OTHER_NON_STORAGE_OPS, bytes/16 */
};

/* The accesses to operands in memory; operand 0 is the destination. */
enum upcs_x86_memory {
	M_READ,   /* all are read */
	M_WRITE,  /* all are written */
	M_MOVE,   /* operand 0 is written, others are read */
	M_CHANGE, /* operand 0 is read and written, others are read */
	M_BOTH,   /* all are read and written */
	M_NONE,   /* an address only */
	M_GATHER, /* one read a lane */
	M_SCATTER,

	/* Not among the operands. */
	M_PUSH,  /* operands are read, and 8 bytes or more are stored, 8 by 8 */
	M_POP,   /* operands are written, and 8 bytes or more are loaded, 8 by 8 */
	M_STORE, /* stored: maskmov */
	M_LOAD,  /* loaded: xlat */
};

struct upcs_x86_rule {
	uint8_t op;     /* enum upcs_x86_op */
	uint8_t memory; /* enum upcs_x86_memory */
	uint8_t lane;   /* bytes: of a lane of packed floating point, of the wider side of a
			   conversion; 0 scalar */
	uint16_t bytes; /* of the operand in memory, where capstone's size is wrong or missing; or 0 */
	uint8_t twice;  /* a conversion comes first: an integer from memory is added to a float */
};

extern const struct upcs_x86_rule upcs_x86_rule[X86_INS_ENDING];

#endif
