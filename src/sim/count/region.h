/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region.h - tracks whether a thread is inside a function that is a region, including the calls below it. The
 * code works on the addresses of blocks and on how they end, and needs no running program.
 *
 * A thread has a stack of frames, each with a return address, which calls push. A frame is a call that has
 * not returned. An activation is the execution of the function that a frame's call began. A site is a return
 * address. The depth is the number of frames; frames are numbered from 0 at the bottom. A region begins with
 * the first block of its function, and ends when the call that led there has returned. A return, or another
 * indirect jump, to an address on the stack pops this address's frame and all frames above. After longjmp and
 * exceptions, a region therefore ends at the latest when a function returns that was called before it.
 * Recursive calls do not enter an active region again. A signal handler counts as called by the interrupted
 * code.
 *
 * After an exception, or on another stack, a thread may have left a region before any block shows it. Until
 * this is known, the region is suspect (region_doubt.c).
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_REGION_H
#define UPCS_REGION_H

#include <stdbool.h>
#include <stdint.h>

/* A block of instructions that are executed one after another. */
struct upcs_region_block {
	uint64_t begin;
	uint64_t next;   /* address after the last instruction; if that is a call, the return address */
	uint16_t enters; /* bit per region whose function begins here */
	uint8_t end;     /* flags UPCS_INSN_CALL, _RETURN, _INDIRECT of the last instruction; 0: no end */
	bool handler;    /* a signal handler of the program begins here */
	uint8_t role;    /* bits of enum upcs_region_role of the function that begins here */
	bool runtime;    /* code of an OpenMP runtime */
	bool marks;      /* code of a library with which programs mark regions */
};

enum upcs_region_role {
	UPCS_REGION_UNWINDS = 1,  /* _Unwind_RaiseException: may jump to an exception's handler */
	UPCS_REGION_SWITCHES = 2, /* swapcontext: continues on another stack */
};

/* Reasons why a region's counts may be wrong, in the order of the bits of enum upcs_doubt. */
enum upcs_region_doubt {
	UPCS_REGION_UNWOUND,
	UPCS_REGION_SWITCHED,
	UPCS_REGION_FORGOT,
	UPCS_REGION_JUMPED,
	UPCS_REGION_DOUBTS,
};

struct upcs_region_stack;

/* Create the stack of one thread. Only this thread uses the stack. Return NULL if memory is short. */
struct upcs_region_stack *upcs_region_create(void);
void upcs_region_destroy(struct upcs_region_stack *stack);

/*
 * Begin a block. Return the regions that are active in the block, a bit per region. *entered is set to the
 * regions that begin with the block. A stack that cannot grow forgets its oldest addresses, and regions that
 * were entered below them become UPCS_REGION_FORGOT.
 */
uint16_t upcs_region_block(struct upcs_region_stack *stack, const struct upcs_region_block *block,
			   uint16_t *entered);
/*
 * Report blocks that the thread began without a call of upcs_region_block. block is the last of these that
 * has an end. None of these blocks enters a region. Each of them was begun after a block without an end, and
 * while upcs_region_is_stray was false. fresh: block is the first of an activation (UPCS_REGION_FRESH).
 */
void upcs_region_passed(struct upcs_region_stack *stack, const struct upcs_region_block *block, bool fresh);
/*
 * True if upcs_region_step may be used until the next upcs_region_block. The step is a shortcut for a block
 * that follows a block with an end, and that neither enters nor ends a region.
 */
bool upcs_region_may_step(const struct upcs_region_stack *stack);
/* True if the block of the last call of upcs_region_block is the first of an activation. */
bool upcs_region_is_fresh(const struct upcs_region_stack *stack);
enum upcs_region_step {
	UPCS_REGION_NO_STEP, /* nothing was done: call upcs_region_block */
	UPCS_REGION_STEP,
	UPCS_REGION_FRESH, /* as UPCS_REGION_STEP, and the block is the first of an activation */
};
/*
 * Begin a block whose fields enters, handler and role are 0. passed is the block before. *number caches the
 * site of passed, and is 0 at first. Call upcs_region_passed before the next upcs_region_block.
 */
enum upcs_region_step upcs_region_step(struct upcs_region_stack *stack,
				       const struct upcs_region_block *passed, bool fresh, uint32_t *number,
				       const struct upcs_region_block *block);
/*
 * Teams: an OpenMP runtime calls a function of the program, which works for other regions than those that its
 * thread is in. upcs_region_is_called_out is true if the block is the first of such a function. Then, before
 * the block begins, upcs_region_adopt may be called. Until the function returns, the thread is in the given
 * regions and works for the given account (account.h); afterwards the thread is in its previous regions
 * again. Return false if memory is short.
 */
bool upcs_region_is_called_out(const struct upcs_region_stack *stack, const struct upcs_region_block *block);
bool upcs_region_adopt(struct upcs_region_stack *stack, uint16_t regions, uint64_t account);
/* True if the block is the first of a call of the runtime. */
bool upcs_region_is_called_in(const struct upcs_region_stack *stack, const struct upcs_region_block *block);
/* True if the thread is in a call for which it adopted regions. */
bool upcs_region_is_away(const struct upcs_region_stack *stack);
/* Return the number of calls that have not returned. */
uint64_t upcs_region_depth(const struct upcs_region_stack *stack);
/* The account that the thread works for: the thread's own, or that of its team. Account numbers with this bit
 * set stand for code outside of all regions and give way to a team's account. */
#define UPCS_OUTSIDE (UINT64_C(1) << 63)
void upcs_region_set_account(struct upcs_region_stack *stack, uint64_t account);
uint64_t upcs_region_account(const struct upcs_region_stack *stack);
/* True if the thread is in the runtime, or in a function that the runtime called, except the program's
 * functions. */
bool upcs_region_is_in_runtime(const struct upcs_region_stack *stack);

/* True if the next block needs upcs_region_block wherever it begins, because a signal handler may have
 * ended. */
bool upcs_region_is_stray(const struct upcs_region_stack *stack);
uint16_t upcs_region_active(const struct upcs_region_stack *stack);
/* Return an array of sets of regions, one for each reason for doubt. */
const uint16_t *upcs_region_doubts(const struct upcs_region_stack *stack);
/*
 * Return the active regions that the thread may have left. Their work is counted separately until a later
 * block decides. *switched is set to the regions among them whose suspicion comes from a change of stacks.
 */
uint16_t upcs_region_suspects(const struct upcs_region_stack *stack, uint16_t *switched);
/* Return the suspect regions decided since the last call: in *kept those that were not left, in *left those
 * that were. */
void upcs_region_decided(struct upcs_region_stack *stack, uint16_t *kept, uint16_t *left);
/* Return a counter that is incremented whenever any of the above sets changes. The pointer is valid as long
 * as the stack. */
const uint32_t *upcs_region_changes(const struct upcs_region_stack *stack);
/* Reset the stack in a forked child: drop the doubts about regions that the thread is not in. */
void upcs_region_forked(struct upcs_region_stack *stack);

#endif
