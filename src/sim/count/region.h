/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - is a thread inside of a function that is to be counted, calls under it
 * included? Pure: it sees the addresses of blocks and how they end, and no program.
 *
 * A thread has a stack of return addresses, which calls push. A region begins with the
 * first block of its function, and ends when the call that led there has returned: when
 * a block begins at an address of the stack, after a return or any other jump whose target
 * is not in its instruction, the frame of that address and those above are popped. Longjmp and exceptions
 * thus end it at the latest when a function returns that was called before it. Recursion: a region that is
 * active is not entered again. A handler of signals is as if called by what it interrupts.
 *
 * After an exception, or on another stack, a thread may have left a region before that is seen. Until
 * it is known the region is suspect (region_doubt.c).
 */
#ifndef UPCS_REGION_H
#define UPCS_REGION_H

#include <stdbool.h>
#include <stdint.h>

/* A block of instructions that are executed one after the other. */
struct upcs_region_block {
	uint64_t begin;
	uint64_t next;   /* address behind its last instruction: of a call, the return address */
	uint16_t enters; /* bit per region: its function begins here */
	uint8_t end;     /* UPCS_INSN_CALL, RETURN, INDIRECT of the last instruction */
	bool handler;    /* a function begins here that the program has handle signals */
	uint8_t role;    /* bits of enum upcs_region_role: of the function that begins here */
	bool runtime;    /* it is an OpenMP runtime's code */
	bool marks;      /* it is the code of a library that programs mark regions with */
};

enum upcs_region_role {
	UPCS_REGION_UNWINDS = 1,  /* _Unwind_RaiseException: may jump to who catches */
	UPCS_REGION_SWITCHES = 2, /* swapcontext: goes on on another stack */
};

/* Why a region's counts may not be what it did; in the order of the bits of enum upcs_doubt. */
enum upcs_region_doubt {
	UPCS_REGION_UNWOUND,
	UPCS_REGION_SWITCHED,
	UPCS_REGION_FORGOT,
	UPCS_REGION_JUMPED,
	UPCS_REGION_DOUBTS,
};

struct upcs_region_stack;

/* NULL: no memory. One for each thread; only it uses it. */
struct upcs_region_stack *upcs_region_create(void);
void upcs_region_destroy(struct upcs_region_stack *stack);

/*
 * The thread begins a block. Returns the regions that are active in it, bit per region;
 * *entered those that begin with it. A stack without memory to grow forgets its oldest
 * addresses: what was entered below them is UPCS_REGION_FORGOT.
 */
uint16_t upcs_region_block(struct upcs_region_stack *stack, const struct upcs_region_block *block,
			   uint16_t *entered);
/*
 * The thread has begun blocks that upcs_region_block was not told of, and this was the last that had an end.
 * All of them enter nothing, and the block before each had no end, and was not upcs_region_is_stray. fresh:
 * it is the first of an activation (UPCS_REGION_FRESH).
 */
void upcs_region_passed(struct upcs_region_stack *stack, const struct upcs_region_block *block, bool fresh);
/*
 * A short way for most blocks behind one with an end, which enter and end no region. Until the next
 * upcs_region_block it is open, if this says so.
 */
bool upcs_region_may_step(const struct upcs_region_stack *stack);
/* The last block of upcs_region_block is the first of an activation. */
bool upcs_region_is_fresh(const struct upcs_region_stack *stack);
enum upcs_region_step {
	UPCS_REGION_NO_STEP, /* nothing was done: it is for upcs_region_block */
	UPCS_REGION_STEP,
	UPCS_REGION_FRESH, /* the same: the block is the first of an activation */
};
/*
 * A block begins that has no enters, handler or role, behind passed. number: of that, 0 at first, to be found
 * again faster. Before the next upcs_region_block comes upcs_region_passed.
 */
enum upcs_region_step upcs_region_step(struct upcs_region_stack *stack,
				       const struct upcs_region_block *passed, bool fresh, uint32_t *number,
				       const struct upcs_region_block *block);
/*
 * Teams: a runtime calls a function of the program, which works for other regions than those that its
 * thread is in. Before its first block, if upcs_region_is_called_out: from there to its return the
 * thread is in these regions and works for this account (account.h), and then for those that it was
 * in. False: no memory.
 */
bool upcs_region_is_called_out(const struct upcs_region_stack *stack, const struct upcs_region_block *block);
bool upcs_region_adopt(struct upcs_region_stack *stack, uint16_t regions, uint64_t account);
/* The block is the first of a call of the runtime. */
bool upcs_region_is_called_in(const struct upcs_region_stack *stack, const struct upcs_region_block *block);
/* It is in such a call. */
bool upcs_region_is_away(const struct upcs_region_stack *stack);
/* Calls that have not returned. */
uint64_t upcs_region_depth(const struct upcs_region_stack *stack);
/* The account that the thread works for: its own, or that of the team that it works for. An account of
 * no region, with this bit, gives way. */
#define UPCS_OUTSIDE (UINT64_C(1) << 63)
void upcs_region_set_account(struct upcs_region_stack *stack, uint64_t account);
uint64_t upcs_region_account(const struct upcs_region_stack *stack);
/* The thread is in the runtime, or in what that has called but the program's functions. */
bool upcs_region_is_in_runtime(const struct upcs_region_stack *stack);

/* Where the next block begins matters, whatever it is: a signal's handler may have ended. */
bool upcs_region_is_stray(const struct upcs_region_stack *stack);
uint16_t upcs_region_active(const struct upcs_region_stack *stack);
/* Doubts: a bit per region, a set for each reason. */
const uint16_t *upcs_region_doubts(const struct upcs_region_stack *stack);
/*
 * Active regions that the thread may have left. Its work is counted apart until it shows
 * whether it has. *switched: those that it would have left by a change of stacks.
 */
uint16_t upcs_region_suspects(const struct upcs_region_stack *stack, uint16_t *switched);
/* Since the last call: suspects that the thread had not left, and those that it had. */
void upcs_region_decided(struct upcs_region_stack *stack, uint16_t *kept, uint16_t *left);
/* Changes whenever any of that does; as long as the stack is there. */
const uint32_t *upcs_region_changes(const struct upcs_region_stack *stack);
/* Its process is a new one: what is doubted of regions that it is not in is not its. */
void upcs_region_forked(struct upcs_region_stack *stack);

#endif
