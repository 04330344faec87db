/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_region.c - regions of threads whose blocks are known: by hand, and of random
 * programs beside a model that knows who called whom.
 */
#include "decode/decode.h"
#include "count/region.h"
#include "../unit_test.h"

enum { CALL = UPCS_INSN_CALL, RETURN = UPCS_INSN_RETURN, INDIRECT = UPCS_INSN_INDIRECT };
#define RET (RETURN | INDIRECT)

static struct upcs_region_stack *stack;
static uint16_t entered;
static uint64_t handles; /* this function: signals */
static uint8_t role;     /* of the function at 0x3000 */

static int setup(void **state)
{
	(void)state;
	handles = 0;
	role = 0;
	stack = upcs_region_create();
	return stack ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	upcs_region_destroy(stack);
	return 0;
}

/* A block of 8 bytes. Region 0 is the function at 0x1000, region 1 that at 0x2000. */
static uint16_t block(uint64_t begin, uint8_t end)
{
	const struct upcs_region_block b = {
		.begin = begin,
		.next = begin + 8,
		.enters = begin == 0x1000   ? 1
			  : begin == 0x2000 ? 2
					    : 0,
		.end = end,
		.handler = begin == handles,
		.role = begin == 0x3000 ? role : 0,
		.runtime = begin >= 0x9000 && begin < 0xa000,
	};
	uint16_t active = upcs_region_block(stack, &b, &entered);

	assert_int_equal(active, upcs_region_active(stack));
	return active;
}

/* Regions that were doubted for a reason; what may still prove so. */
static uint16_t doubt(enum upcs_region_doubt why)
{
	return upcs_region_doubts(stack)[why];
}

static uint16_t suspects(void)
{
	uint16_t switched;

	return upcs_region_suspects(stack, &switched);
}

static bool is_sure(void)
{
	return !doubt(UPCS_REGION_UNWOUND) && !doubt(UPCS_REGION_SWITCHED) && !doubt(UPCS_REGION_FORGOT) &&
	       !doubt(UPCS_REGION_JUMPED) && !suspects();
}

TEST_WITH(test_call, setup, teardown)
{
	for (int i = 0; i < 3; i++) {
		assert_int_equal(block(0x100, CALL), 0);
		assert_int_equal(block(0x1000, 0), 1);
		assert_int_equal(entered, 1);
		assert_int_equal(block(0x1008, CALL), 1);
		assert_int_equal(entered, 0);
		assert_int_equal(block(0x3000, RET), 1);
		assert_int_equal(block(0x1010, RET), 1);
		assert_int_equal(block(0x108, 0), 0);
	}
	assert_int_equal(block(0x200, CALL | INDIRECT), 0); /* from somewhere else */
	assert_int_equal(block(0x1000, RET), 1);
	assert_int_equal(block(0x208, 0), 0);
}

TEST_WITH(test_recursion, setup, teardown)
{
	block(0x100, CALL);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(block(0x1000, CALL), 1);
		assert_int_equal(entered, i == 0);
	}
	assert_int_equal(block(0x3000, RET), 1);
	for (int i = 0; i < 999; i++)
		assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* Region 0 calls region 1, which calls region 0. */
TEST_WITH(test_nested, setup, teardown)
{
	block(0x100, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	assert_int_equal(block(0x2000, CALL), 3);
	assert_int_equal(entered, 2);
	assert_int_equal(block(0x1000, RET), 3);
	assert_int_equal(entered, 0);
	assert_int_equal(block(0x2008, RET), 3);
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* The function ends with that which jumped to it, by an address or without. */
TEST_WITH(test_tail_call, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		block(0x100, CALL);
		assert_int_equal(block(0x5000, i ? INDIRECT : 0), 0);
		assert_int_equal(block(0x1000, i ? INDIRECT : 0), 1);
		assert_int_equal(block(0x6000, RET), 1); /* and it jumped away */
		assert_int_equal(block(0x108, 0), 0);
	}
}

TEST_WITH(test_loop_to_entry, setup, teardown)
{
	block(0x100, CALL);
	block(0x1000, 0);
	assert_int_equal(block(0x1000, 0), 1);
	assert_int_equal(entered, 0);
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* call next; pop: no frame. A conditional return that is not taken is no return either. */
TEST_WITH(test_get_pc, setup, teardown)
{
	block(0x100, CALL);
	block(0x1000, CALL);
	assert_int_equal(block(0x1008, RET), 1); /* not taken */
	assert_int_equal(block(0x1010, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* A switch in region 0 to what lies behind its call of itself, once that is on the stack
 * and once it was popped. */
TEST_WITH(test_switch, setup, teardown)
{
	block(0x100, CALL);
	block(0x1000, CALL);
	assert_int_equal(block(0x1000, 0), 1);
	assert_int_equal(block(0x1018, INDIRECT), 1);
	assert_int_equal(block(0x1008, 0), 1); /* the inner one, still */
	assert_int_equal(block(0x1010, RET), 1);
	assert_int_equal(block(0x1008, CALL), 1); /* the outer one */
	assert_int_equal(block(0x1000, 0), 1);
	assert_int_equal(block(0x1020, INDIRECT), 1);
	assert_int_equal(block(0x1008, 0), 1); /* inner: the site's owner is the outer */
	assert_int_equal(block(0x1018, RET), 1);
	assert_int_equal(block(0x1010, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* main at 0x100 calls setjmp at 0x4000, then the region, which calls longjmp at 0x4100;
 * by a jump, or by what is a return elsewhere (PowerPC). */
TEST_WITH(test_longjmp, setup, teardown)
{
	for (int i = 0; i < 4; i++) {
		block(0x100, CALL);
		block(0x4000, RET);
		assert_int_equal(block(0x108, CALL), 0);
		assert_int_equal(block(0x1000, CALL), 1);
		assert_int_equal(block(0x3000, CALL), 1);
		assert_int_equal(block(0x4100, i & 1 ? RET : INDIRECT), 1);
		assert_int_equal(block(0x108, 0), 0);
		assert_int_equal(block(0x110, CALL), 0); /* goes on as ever */
		assert_int_equal(block(0x1000, RET), 1);
		assert_int_equal(block(0x118, 0), 0);
	}
	assert_true(is_sure());
}

/* The function that called setjmp was left and called again: the older place is dead, and
 * it is its new activation that goes on. */
TEST_WITH(test_longjmp_again, setup, teardown)
{
	for (int i = 0; i < 3; i++) {
		block(0x100, CALL);
		block(0x500, CALL);
		block(0x4000, RET);
		block(0x508, CALL);
		assert_int_equal(block(0x1000, CALL), 1);
		block(0x500, CALL); /* the same within the region... */
		block(0x4000, RET);
		assert_int_equal(block(0x508, RET), 1); /* ...which returns */
		assert_int_equal(block(0x1008, CALL), 1);
		block(0x4100, INDIRECT);
		assert_int_equal(block(0x508, RET), 0);
		assert_int_equal(block(0x108, 0), 0);
	}
}

/* A handler begins behind any block, and goes on by a return to the trampoline at 0x7000. */
static void handler(void)
{
	uint16_t active = block(0x6000, CALL);

	assert_int_equal(block(0x3000, RET), active);
	assert_int_equal(block(0x6008, RET), active);
	assert_int_equal(block(0x7000, 0), active);
}

/* A handler comes behind each of several blocks; known: the function that is known to be a handler. */
static void signals(uint64_t known)
{
	handles = known;
	block(0x100, CALL);
	handler(); /* before the function's first block */
	assert_int_equal(block(0x1000, 0), 1);
	handler();
	assert_int_equal(block(0x1008, CALL), 1);
	handler();
	assert_int_equal(block(0x3000, RET), 1);
	handler(); /* in the middle of a return, */
	assert_int_equal(block(0x1010, RET), 1);
	handler(); /* and of that which ends it */
	assert_int_equal(block(0x108, 0), 0);
}

TEST_WITH(test_signal, setup, teardown)
{
	signals(0x6000);
	assert_true(is_sure());
}

/* One that is not known to be a handler ends, within a function that was called and then in one that was
 * jumped to: that may as well be the function's return by another way than a call. */
TEST_WITH(test_unknown_signal, setup, teardown)
{
	block(0x100, CALL);
	assert_int_equal(block(0x1000, 0), 1);
	handler();
	assert_int_equal(suspects(), 1);
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, CALL), 0);
	assert_true(is_sure());
	block(0x500, 0);
	assert_int_equal(block(0x1000, 0), 1);
	handler();
	assert_int_equal(block(0x1008, RET), 0);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
	assert_int_equal(block(0x110, 0), 0);
}

/* A handler that is itself the region, called for by a system call and in loops. */
TEST_WITH(test_handler_region, setup, teardown)
{
	handles = 0x1000;
	block(0x100, CALL);
	for (int i = 0; i < 4; i++) {
		block(0x500, 0);
		assert_int_equal(block(0x1000, 0), 1);
		assert_int_equal(entered, 1);
		assert_int_equal(block(0x1000, 0), 1); /* its own loop */
		assert_int_equal(block(0x1008, RET), 1);
		assert_int_equal(block(0x7000, 0), 1);
		assert_int_equal(block((const uint64_t[]){0x500, 0x508, 0x400, 0x504}[i], 0), 0);
	}
	assert_int_equal(block(0x600, RET), 0);
	assert_int_equal(block(0x108, 0), 0);
}

/* It comes between a call and the first block that it calls, and at once again when it has
 * ended; one handler interrupts another; and the program itself calls it. */
TEST_WITH(test_handler_calls, setup, teardown)
{
	handles = 0x1000;
	block(0x100, CALL);
	block(0x500, CALL);
	for (int i = 0; i < 3; i++) { /* pending ones */
		assert_int_equal(block(0x1000, RET), 1);
		assert_int_equal(entered, 1);
		assert_int_equal(block(0x7000, 0), 1);
	}
	assert_int_equal(block(0x3000, 0), 0);
	assert_int_equal(block(0x1000, 0), 1);
	handles = 0x2000;
	assert_int_equal(block(0x2000, RET), 3);
	assert_int_equal(block(0x7000, 0), 3);
	assert_int_equal(block(0x1040, RET), 1);
	handles = 0x1000;
	assert_int_equal(block(0x7000, 0), 1);
	assert_int_equal(block(0x3080, RET), 0);
	assert_int_equal(block(0x508, CALL), 0);
	assert_int_equal(block(0x1000, RET), 1);
	assert_int_equal(block(0x510, INDIRECT), 0);
	assert_int_equal(block(0x1000, RET), 1); /* a tail call */
	assert_int_equal(block(0x108, 0), 0);
}

/* It jumps out of itself, to where what it has interrupted is at. */
TEST_WITH(test_handler_leaves, setup, teardown)
{
	handles = 0x1000;
	block(0x100, CALL);
	block(0x500, CALL);
	block(0x4000, RET);
	for (int i = 0; i < 3; i++) {
		block(0x508, 0);
		assert_int_equal(block(0x1000, CALL), 1);
		assert_int_equal(block(0x4100, INDIRECT), 1);
		assert_int_equal(block(0x508, 0), 0);
	}
	block(0x510, RET);
	assert_int_equal(block(0x108, 0), 0);
}

/* Most blocks are passed without a word; where a signal comes has to be known. */
TEST_WITH(test_passed, setup, teardown)
{
	const struct upcs_region_block passed = {.begin = 0x540, .next = 0x548};

	block(0x100, CALL);
	block(0x500, CALL);
	upcs_region_passed(stack, &passed, false);
	handles = 0x1000;
	assert_int_equal(block(0x1000, RET), 1);
	assert_false(upcs_region_is_stray(stack));
	assert_int_equal(block(0x7000, 0), 1);
	assert_true(upcs_region_is_stray(stack));
	assert_int_equal(block(0x520, 0), 0);
	assert_false(upcs_region_is_stray(stack));
}

/* In the middle of longjmp. */
TEST_WITH(test_signal_longjmp, setup, teardown)
{
	block(0x100, CALL);
	block(0x4000, RET);
	block(0x108, CALL);
	block(0x1000, CALL);
	assert_int_equal(block(0x4100, INDIRECT), 1);
	handler();
	assert_int_equal(block(0x108, 0), 0);
}

/* longjmp out of a handler. */
TEST_WITH(test_handler_longjmp, setup, teardown)
{
	block(0x100, CALL);
	block(0x4000, RET);
	block(0x108, CALL);
	assert_int_equal(block(0x1000, 0), 1);
	block(0x6000, CALL);
	assert_int_equal(block(0x4100, INDIRECT), 1);
	assert_int_equal(block(0x108, 0), 0);
}

/* main catches what the region throws. It is known to be out of it when it calls from where
 * it called before, or when it returns. */
TEST_WITH(test_exception, setup, teardown)
{
	block(0x100, CALL);
	for (int i = 0; i < 3; i++) {
		block(0x500, CALL);
		assert_int_equal(block(0x1000, CALL), 1);
		block(0x8000, CALL);
		block(0x8100, RET); /* by eh_return */
		block(0x580, CALL); /* the landing pad */
		block(0x8200, RET);
		block(0x588, 0);
		block(0x500, CALL);
		assert_int_equal(entered, 0);
		assert_int_equal(block(0x3000, RET), 0);
		assert_int_equal(block(0x508, 0), 0);
	}
	block(0x500, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	block(0x8000, RET);
	block(0x590, RET);
	assert_int_equal(block(0x108, 0), 0);
	assert_int_equal(doubt(UPCS_REGION_UNWOUND), 1);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 0);
}

/* A function that is called for the first time is looked up by ld.so, which jumps there: both a caller
 * and its callee have called from the same place in it. Neither is left. */
TEST_WITH(test_lazy_binding, setup, teardown)
{
	block(0x100, CALL);
	for (int inner = 0; inner < 2; inner++) {
		block(0x500 + 0x40 * (uint64_t)inner, INDIRECT); /* the stub */
		block(0x510 + 0x40 * (uint64_t)inner, 0);
		block(0xa00, INDIRECT); /* all stubs' end */
		block(0x90000, CALL);
		assert_int_equal(block(0x91000, RET), inner);
		block(0x90008, INDIRECT);
		if (!inner) {
			block(0x60000, CALL);
			assert_int_equal(block(0x1000, CALL), 1);
			block(0x8000, RET); /* astray */
			assert_int_equal(block(0x1080, CALL), 1);
		}
	}
	assert_int_equal(block(0x3000, RET), 1);
	assert_int_equal(block(0x1088, RET), 1);
	assert_int_equal(block(0x60008, RET), 0);
	assert_int_equal(block(0x108, 0), 0);
}

/* By a jump, as x86-64's unwinder does; and the program ends before anything shows where. */
TEST_WITH(test_exception_ends, setup, teardown)
{
	for (int i = 0; i < 2; i++) {
		role = i ? UPCS_REGION_UNWINDS : 0;
		block(0x100, CALL);
		assert_int_equal(block(0x1000, CALL), 1);
		block(0x3000, INDIRECT);
		block(0x80000, RET); /* a tail call */
		assert_int_equal(block(0x1008, RET), 1);
		assert_int_equal(block(0x108, 0), 0);
		assert_true(is_sure());
	}
	block(0x100, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	block(0x3000, 0);
	block(0x3008, INDIRECT);
	assert_int_equal(block(0x80000, CALL), 1);
	assert_int_equal(suspects(), 1);
	assert_int_equal(block(0x4000, 0), 1);
	assert_int_equal(suspects(), 1);
	assert_int_equal(doubt(UPCS_REGION_UNWOUND), 0);
}

/* It is caught within the region, which calls itself: nothing ends. */
TEST_WITH(test_exception_inside, setup, teardown)
{
	block(0x100, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	assert_int_equal(block(0x1000, CALL), 1);
	block(0x8000, RET);
	assert_int_equal(block(0x1080, 0), 1);
	assert_int_equal(block(0x1018, CALL), 1);
	assert_int_equal(block(0x3000, RET), 1);
	assert_int_equal(suspects(), 1);
	assert_int_equal(block(0x1020, RET), 1);
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
	assert_true(is_sure());
}

/* main at 0x100 starts one by 0x4000, which returns to its function at 0x5000; that calls the
 * region, which goes back to main by 0x4000, and on, as often as there are. */
TEST_WITH(test_coroutine, setup, teardown)
{
	block(0x100, CALL);
	assert_int_equal(block(0x2000, CALL), 2);
	block(0x4000, RET);
	assert_int_equal(block(0x2008, RET), 2); /* one that is called */
	assert_int_equal(block(0x108, CALL), 0);
	block(0x4000, RET);
	block(0x5000, CALL); /* the coroutine */
	assert_int_equal(block(0x1000, CALL), 1);
	block(0x4000, RET);
	assert_int_equal(block(0x110, CALL), 0);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
	assert_int_equal(block(0x2000, CALL), 2);
	block(0x4000, RET);
	assert_int_equal(block(0x1008, RET), 2); /* in region 0, and goes on for region 1 */
	assert_int_equal(block(0x5008, 0), 2);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
	assert_int_equal(suspects(), 2);
}

/* A function that is known to switch. */
TEST_WITH(test_switches, setup, teardown)
{
	role = UPCS_REGION_SWITCHES;
	block(0x100, CALL);
	block(0x3000, RET);
	block(0x108, CALL);
	assert_true(is_sure());
	block(0x1000, CALL);
	block(0x3000, RET);
	assert_int_equal(suspects(), 1);
	assert_int_equal(block(0x1008, CALL), 1);
	assert_true(is_sure()); /* it came back */
	block(0x3000, RET);
	block(0x5000, CALL); /* another stack */
	block(0x4000, RET);
	block(0x5008, RET);
	assert_int_equal(suspects(), 1);
	assert_int_equal(block(0x108, 0), 0); /* by an older frame */
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
}

/* Counts of the time in which it was suspect are the region's, or no region's. */
TEST_WITH(test_decided, setup, teardown)
{
	uint16_t kept, left;

	role = UPCS_REGION_SWITCHES;
	block(0x100, CALL);
	block(0x1000, CALL);
	block(0x3000, RET);
	upcs_region_decided(stack, &kept, &left);
	assert_int_equal(kept | left, 0);
	block(0x1008, CALL);
	upcs_region_decided(stack, &kept, &left);
	assert_int_equal(kept, 1);
	assert_int_equal(left, 0);
	block(0x3000, RET);
	block(0x108, 0);
	upcs_region_decided(stack, &kept, &left);
	assert_int_equal(kept, 0);
	assert_int_equal(left, 1);
	upcs_region_decided(stack, &kept, &left);
	assert_int_equal(kept | left, 0);
}

/* A child doubts what it is in, and no more. */
TEST_WITH(test_forked, setup, teardown)
{
	role = UPCS_REGION_SWITCHES;
	block(0x100, CALL);
	block(0x1000, CALL);
	block(0x2000, CALL);
	block(0x3000, RET);
	block(0x108, CALL);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 3);
	block(0x1000, 0);
	upcs_region_forked(stack);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
}

/* A function that was called and returns to nobody knows where is suspected, and not yet doubted. */
TEST_WITH(test_stray_return_of_a_called_one, setup, teardown)
{
	block(0x100, CALL);
	block(0x1000, RET);
	block(0x7000, CALL);
	block(0x3000, 0);
	assert_int_equal(suspects(), 1);
	assert_int_equal(doubt(UPCS_REGION_UNWOUND), 0);
}

/* push and jmp: it returns to where nobody called from. */
TEST_WITH(test_pushed, setup, teardown)
{
	block(0x100, CALL);
	block(0x500, 0);
	block(0x510, 0);
	assert_int_equal(block(0x1000, RET), 1);
	block(0x540, 0);
	block(0x548, RET);
	assert_int_equal(block(0x108, 0), 0);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
}

/* The same in the activation that nobody called. It ends there, and begins anew. */
TEST_WITH(test_pushed_outermost, setup, teardown)
{
	for (int i = 0; i < 3; i++) {
		block(0x500, CALL);
		block(0x4000, RET);
		block(0x508, 0);
		assert_int_equal(block(0x1000, RET), 1);
		assert_int_equal(entered, 1);
		block(0x540, 0);
		assert_int_equal(suspects(), 1);
		assert_int_equal(block(0x548, CALL), 0);
		assert_int_equal(block(0x4000, RET), 0);
		assert_int_equal(block(0x550, 0), 0);
		assert_int_equal(doubt(UPCS_REGION_SWITCHED), 1);
	}
}

/* The function that called setjmp has called itself: which of them goes on shows when it returns. */
TEST_WITH(test_longjmp_recursion, setup, teardown)
{
	for (int outer = 0; outer < 2; outer++) {
		block(0x100, CALL);
		for (int i = 0; i < 2; i++) {
			block(0x500, CALL);
			block(0x4000, RET);
			block(0x508, CALL);
			if (i == 0)
				block(0x1000, CALL);
		}
		block(0x3000, CALL);
		block(0x4100, INDIRECT);
		assert_int_equal(block(0x508, RET), 1); /* the inner one; or is it the outer? */
		assert_true(is_sure());
		if (!outer) {
			assert_int_equal(block(0x1008, RET), 1);
			assert_int_equal(block(0x510, RET), 0);
		}
		assert_int_equal(block(0x108, 0), 0);
		assert_int_equal(doubt(UPCS_REGION_JUMPED), outer);
	}
}

/* 0x9000 to 0x9fff is a runtime, which calls 0x500 by an address. The function at 0x500 works for other
 * regions than those that its caller is in, and so do its callees, until it returns. */
TEST_WITH(test_adopt, setup, teardown)
{
	struct upcs_region_block b = {.begin = 0x500, .next = 0x508, .end = CALL};

	block(0x100, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	assert_false(upcs_region_is_in_runtime(stack));
	block(0x9000, CALL | INDIRECT);
	assert_true(upcs_region_is_in_runtime(stack));
	assert_true(upcs_region_is_called_out(stack, &b));
	assert_false(upcs_region_is_away(stack));
	assert_true(upcs_region_adopt(stack, 4, 0));
	assert_int_equal(block(0x500, CALL), 4);
	assert_true(upcs_region_is_away(stack));
	assert_false(upcs_region_is_in_runtime(stack));
	assert_int_equal(block(0x9200, CALL), 4); /* a barrier, and what that calls by name */
	assert_true(upcs_region_is_in_runtime(stack));
	assert_int_equal(block(0x700, RET), 4);
	assert_true(upcs_region_is_in_runtime(stack));
	assert_int_equal(block(0x9208, RET), 4);
	assert_int_equal(block(0x508, CALL), 4);
	assert_false(upcs_region_is_in_runtime(stack));
	assert_int_equal(block(0x1000, CALL), 5); /* it is not the one outside */
	assert_int_equal(entered, 1);
	block(0x9100, CALL | INDIRECT);
	assert_true(upcs_region_adopt(stack, 0, 0));
	assert_int_equal(block(0x600, CALL), 0);
	assert_int_equal(block(0x2000, RET), 2);
	assert_int_equal(block(0x608, RET), 0);
	assert_int_equal(block(0x9108, RET), 5);
	assert_int_equal(block(0x1008, RET), 5);
	assert_int_equal(block(0x510, RET), 4);
	assert_int_equal(block(0x9008, RET), 1);
	assert_false(upcs_region_is_away(stack));
	assert_int_equal(block(0x1008, RET), 1);
	assert_int_equal(block(0x108, 0), 0);
	assert_true(is_sure());
}

/* The account: a region that was entered since comes first, then that of the work, then one's own; an
 * account of no region gives way. */
TEST_WITH(test_accounts, setup, teardown)
{
	const uint64_t outside = UPCS_OUTSIDE | 1;

	block(0x100, CALL);
	assert_int_equal(upcs_region_account(stack), 0);
	upcs_region_set_account(stack, outside);
	assert_int_equal(upcs_region_account(stack), outside);
	block(0x9000, CALL | INDIRECT);
	assert_true(upcs_region_adopt(stack, 0, 7));
	assert_int_equal(upcs_region_account(stack), outside); /* not before it is called */
	block(0x500, CALL);
	assert_int_equal(upcs_region_account(stack), 7);
	upcs_region_set_account(stack, 5);
	assert_int_equal(upcs_region_account(stack), 5);
	block(0x9100, CALL | INDIRECT);
	assert_true(upcs_region_adopt(stack, 0, 8));
	block(0x600, 0);
	assert_int_equal(upcs_region_account(stack), 8); /* 5 was there before */
	upcs_region_set_account(stack, 6);
	assert_int_equal(upcs_region_account(stack), 6);
	upcs_region_set_account(stack, 5);
	assert_int_equal(upcs_region_account(stack), 8);
	block(0x604, RET);
	block(0x9108, RET);
	assert_int_equal(upcs_region_account(stack), 5);
	upcs_region_set_account(stack, outside);
	assert_int_equal(upcs_region_account(stack), 7);
	block(0x508, RET);
	assert_int_equal(block(0x9008, 0), 0);
	assert_int_equal(upcs_region_account(stack), outside);
	/* Work of nobody's region stays one's own's. */
	upcs_region_set_account(stack, 5);
	block(0x9000, CALL | INDIRECT);
	assert_true(upcs_region_adopt(stack, 0, outside + 1));
	block(0x500, 0);
	assert_int_equal(upcs_region_account(stack), 5);
	upcs_region_set_account(stack, outside);
	assert_int_equal(upcs_region_account(stack), outside + 1);
}

/* By name, from a block that is no runtime's, or of the runtime's own: none of them is work. */
TEST_WITH(test_calls_of_runtime, setup, teardown)
{
	struct upcs_region_block b = {.begin = 0x500, .next = 0x508};

	block(0x100, CALL);
	b.runtime = true;
	assert_true(upcs_region_is_called_in(stack, &b));
	b.runtime = false;
	assert_false(upcs_region_is_called_in(stack, &b));
	block(0x9000, CALL);
	assert_false(upcs_region_is_called_out(stack, &b));
	block(0x9100, CALL | INDIRECT);
	assert_true(upcs_region_is_called_out(stack, &b));
	b.handler = true;
	assert_false(upcs_region_is_called_out(stack, &b));
	b.handler = false;
	b.runtime = true;
	assert_false(upcs_region_is_called_out(stack, &b));
	block(0x600, RET);
	assert_false(upcs_region_is_called_in(stack, &b)); /* it returns */
}

/* A jump out of the work, by longjmp: what was adopted ends as well. */
TEST_WITH(test_adopt_left, setup, teardown)
{
	block(0x100, CALL);
	block(0x4000, RET);
	block(0x108, CALL);
	assert_int_equal(block(0x1000, CALL), 1);
	for (int i = 0; i < 9; i++) {
		block(0x9000, CALL | INDIRECT);
		assert_true(upcs_region_adopt(stack, (uint16_t)(4 << i), 0));
		assert_int_equal(block(0x500, CALL), 4 << i);
	}
	block(0x4100, INDIRECT);
	assert_int_equal(block(0x108, 0), 0);
	assert_false(upcs_region_is_away(stack));
}

/* A million frames are kept. A region that was entered below them ends; what returns there is a return all
 * the same. */
TEST_WITH(test_deep, setup, teardown)
{
	const int deep = 1100000;

	block(0x100, CALL);
	block(0x1000, CALL);
	assert_true(is_sure());
	for (int i = 0; i < deep; i++)
		block(0x2000, CALL);
	assert_int_equal(doubt(UPCS_REGION_FORGOT), 3);
	assert_int_equal(block(0x3000, RET), 2); /* which has been entered anew */
	for (int i = 0; i < deep - 1; i++)
		block(0x2008, RET);
	assert_int_equal(block(0x2008, RET), 0);
	assert_int_equal(block(0x1008, RET), 0);
	assert_int_equal(block(0x108, CALL), 0);
	assert_int_equal(block(0x2000, RET), 2);
	assert_int_equal(block(0x110, 0), 0);
	assert_int_equal(doubt(UPCS_REGION_FORGOT), 3);
	assert_int_equal(doubt(UPCS_REGION_SWITCHED), 0);
}

/* More places that call than are kept (a JIT): it goes on, and says so. */
TEST_WITH(test_many_sites, setup, teardown)
{
	block(0x200, CALL);
	block(0x2000, 0);
	for (uint64_t i = 0; i < 300000; i++) {
		block(0x100000 + 64 * i, CALL);
		block(0x3000, RET);
		block(0x100008 + 64 * i, 0);
	}
	block(0x100, CALL);
	assert_int_equal(block(0x1000, RET), 1);
	assert_int_equal(block(0x108, RET), 0);
	assert_int_equal(block(0x208, 0), 0);
	assert_int_equal(doubt(UPCS_REGION_FORGOT), 2);
}

/* ---- random programs ---------------------------------------------------------------- */

/*
 * Function f has its code at 0x800 * (f + 1), near to all others, in blocks of 16 bytes. Blocks 8 to 15 end
 * with calls, 16 and 17 with those of setjmp; blocks from 32 call nothing. Functions from
 * FUNCTIONS on are handlers of signals, which nobody calls; the last below them is where the
 * thread began. Regions are the first CALLED functions, and the first handlers. An activation is a call with
 * all that was jumped to in it.
 */
enum { FUNCTIONS = 24, HANDLERS = 4, REGIONS = 11, CALLED = 9, DEPTH = 40 };
#define BASE(f) (0x800 * ((uint64_t)(f) + 1))
#define TRAMPOLINE UINT64_C(0x7fff0000)
#define SETJMP UINT64_C(0x7ffe0000)
#define LONGJMP UINT64_C(0x7ffe1000)

struct activation {
	int function, first; /* it was called as first */
	uint32_t been;       /* all that it has been */
	uint64_t serial;
	bool handler;
	uint64_t goes_on; /* where its return leads */
	uint16_t regions;
};

static struct activation model[DEPTH];
static int depth;
/* The last activation that passed a setjmp. */
static struct {
	int depth;
	uint64_t serial;
} passed[FUNCTIONS + HANDLERS][2];
static uint64_t seed, serial, entries[REGIONS], truth[REGIONS];
/* Blocks: what is a region's, what is while it is suspect, and the truth. */
static uint64_t blocks[REGIONS], apart[REGIONS], true_blocks[REGIONS];

static uint64_t below(uint64_t n)
{
	return random_next(&seed) % n;
}

static uint16_t true_regions(void)
{
	uint16_t regions = 0;

	for (int i = 0; i < depth; i++)
		regions |= model[i].regions;
	return regions;
}

static int function_of(int region)
{
	return region < CALLED ? region : FUNCTIONS + region - CALLED;
}

/* As a thread counts it. */
static void count_block(void)
{
	uint16_t kept, left, regions = true_regions(), active = upcs_region_active(stack);

	upcs_region_decided(stack, &kept, &left);
	for (int r = 0; r < REGIONS; r++) {
		if (kept >> r & 1)
			blocks[r] += apart[r];
		if ((kept | left) >> r & 1)
			apart[r] = 0;
		if (suspects() >> r & 1)
			apart[r]++;
		else
			blocks[r] += active >> r & 1;
		true_blocks[r] += regions >> r & 1;
	}
}

/* The same program the short way, where that is open: as a thread takes it. */
static struct {
	struct upcs_region_stack *stack;
	struct upcs_region_block passed;
	uint8_t end; /* of that, or 0 behind one without */
	bool fresh, open;
	uint32_t number; /* that of another block, mostly */
	uint64_t steps;
} brief;

static void brief_begins(const struct upcs_region_block *b)
{
	enum upcs_region_step step = UPCS_REGION_NO_STEP;
	uint16_t switched, active, began = 0;

	if (brief.open && !(b->enters | b->handler | b->role))
		step = brief.end ? upcs_region_step(brief.stack, &brief.passed, brief.fresh, &brief.number, b)
				 : UPCS_REGION_STEP;
	brief.steps += step != UPCS_REGION_NO_STEP;
	/* One that passes without an end is not noted. */
	if (step != UPCS_REGION_NO_STEP && !brief.end && !b->end)
		return;
	if (step == UPCS_REGION_NO_STEP) {
		upcs_region_passed(brief.stack, &brief.passed, brief.fresh);
		active = upcs_region_block(brief.stack, b, &began);
		assert_int_equal(active, upcs_region_active(stack));
	}
	assert_int_equal(began, entered);
	brief.fresh =
		step == UPCS_REGION_NO_STEP ? upcs_region_is_fresh(brief.stack) : step == UPCS_REGION_FRESH;
	brief.open = step != UPCS_REGION_NO_STEP || upcs_region_may_step(brief.stack);
	brief.passed = *b;
	brief.end = b->end;
	assert_int_equal(upcs_region_active(brief.stack), upcs_region_active(stack));
	assert_int_equal(upcs_region_depth(brief.stack), upcs_region_depth(stack));
	assert_int_equal(upcs_region_suspects(brief.stack, &switched), suspects());
	assert_memory_equal(upcs_region_doubts(brief.stack), upcs_region_doubts(stack),
			    UPCS_REGION_DOUBTS * sizeof(uint16_t));
}

/* Begins a block, and compares. */
static void step(uint64_t begin, uint8_t end)
{
	struct upcs_region_block b = {.begin = begin, .next = begin + 16, .end = end};

	for (int f = FUNCTIONS; f < FUNCTIONS + HANDLERS; f++)
		b.handler |= begin == BASE(f);
	for (int r = 0; r < REGIONS; r++)
		if (begin == BASE(function_of(r)))
			b.enters |= (uint16_t)(1u << r);
	if (upcs_region_block(stack, &b, &entered) != true_regions())
		fail_msg("at %#llx, depth %d: regions %#x, not %#x", (unsigned long long)begin, depth,
			 upcs_region_active(stack), true_regions());
	for (int r = 0; r < REGIONS; r++)
		entries[r] += entered >> r & 1;
	brief_begins(&b);
	count_block();
}

static void note_entry(int f)
{
	for (int r = 0; r < REGIONS; r++)
		if (function_of(r) == f) {
			truth[r] += !(true_regions() >> r & 1);
			model[depth - 1].regions |= (uint16_t)(1u << r);
		}
}

static void begin_activation(int f, uint64_t goes_on, bool handler)
{
	model[depth++] = (struct activation){f, f, 1u << f, ++serial, handler, goes_on, 0};
	note_entry(f);
}

static uint64_t place(unsigned k)
{
	return BASE(model[depth - 1].function) + 16 * k;
}

/*
 * A jump to behind a call cannot be told from longjmp where an older activation of the
 * function was called by another name (a tail call) than this one, or not at all.
 */
static bool switch_is_plain(void)
{
	const struct activation *top = &model[depth - 1];

	for (int i = 0; i < depth; i++)
		if (model[i].been >> top->function & 1 && (model[i].first != top->first || model[i].handler))
			return false;
	return true;
}

/* One that is interrupted by itself looks like one that jumps to its beginning. */
static int some_handler(void)
{
	int f;

	do
		f = (int)(FUNCTIONS + below(HANDLERS));
	while (f == model[depth - 1].function);
	return f;
}

/* Now and then, behind any block: a handler that is done at once. */
static void interrupt(void)
{
	int f = some_handler();

	if (below(8) || depth >= DEPTH - 2)
		return;
	do {
		begin_activation(f, 0, true);
		step(BASE(f), 0);
		step(BASE(f) + 16 * 33, below(2) ? INDIRECT : 0);
		step(BASE(f) + 16 * 40, RET);
		step(TRAMPOLINE, 0);
		depth--;
	} while (below(2));
}

/* The whole of a program's next act. The block before it ended without a jump, or what
 * it jumps to is the first that is done here. */
static void act(void)
{
	struct activation *top = &model[depth - 1];
	uint64_t at, back;
	int f, d, k;

	switch (below(10)) {
	case 0:
	case 1:
	case 2: /* a call */
		if (depth >= DEPTH - 2)
			return;
		f = (int)below(FUNCTIONS - 1);
		at = place(8 + (unsigned)below(8));
		step(at, CALL);
		interrupt();
		begin_activation(f, at + 16, false);
		step(BASE(f), below(2) ? INDIRECT : 0);
		interrupt();
		step(BASE(f) + 16 * 33, 0);
		return;
	case 3:
	case 4: /* a return */
		if (depth == 1 || top->handler)
			return;
		step(place(40), RET);
		interrupt();
		back = top->goes_on;
		depth--;
		step(back, 0);
		return;
	case 5: /* a tail call */
		if (depth == 1 || top->handler)
			return;
		f = (int)below(FUNCTIONS - 1);
		step(place(41), below(2) ? INDIRECT : 0);
		interrupt();
		top->function = f;
		top->been |= 1u << f;
		note_entry(f);
		step(BASE(f), 0);
		return;
	case 6:
		step(place(42), INDIRECT);
		step(place(switch_is_plain() ? 9 + (unsigned)below(8) : 50), 0);
		return;
	case 7: /* setjmp */
		k = (int)below(2);
		at = place(16 + (unsigned)k);
		step(at, CALL);
		step(SETJMP, RET);
		step(at + 16, 0);
		passed[top->function][k].depth = depth;
		passed[top->function][k].serial = top->serial;
		return;
	case 8: /* longjmp */
		f = (int)below(FUNCTIONS + HANDLERS);
		k = (int)below(2);
		d = passed[f][k].depth;
		if (!d || d > depth || model[d - 1].serial != passed[f][k].serial ||
		    model[d - 1].function != f)
			return;
		step(place(8), CALL);
		step(LONGJMP, below(2) ? RET : INDIRECT);
		interrupt();
		depth = d;
		step(BASE(f) + 16 * (17 + (uint64_t)k), 0);
		return;
	default: /* a signal's handler, and all that it calls; the end is end_handler's */
		if (depth >= DEPTH - 2)
			return;
		at = place(44);
		step(at, 0);
		f = some_handler();
		begin_activation(f, place(1 + (unsigned)below(47)), true);
		step(BASE(f), 0);
	}
}

static void end_handler(void)
{
	uint64_t back = model[depth - 1].goes_on;

	if (!model[depth - 1].handler)
		return;
	step(place(40), RET);
	step(TRAMPOLINE, 0);
	depth--;
	step(back, 0);
}

TEST_WITH(test_random, setup, teardown)
{
	uint64_t programs = 300, deepest = 0, sum = 0;

	if (getenv("UPC_TEST_CASES"))
		programs = strtoull(getenv("UPC_TEST_CASES"), NULL, 0);
	for (uint64_t i = 1; i <= programs; i++) {
		seed = i;
		depth = 0;
		memset(passed, 0, sizeof(passed));
		memset(entries, 0, sizeof(entries));
		memset(truth, 0, sizeof(truth));
		memset(blocks, 0, sizeof(blocks));
		memset(apart, 0, sizeof(apart));
		memset(true_blocks, 0, sizeof(true_blocks));
		upcs_region_destroy(stack);
		stack = upcs_region_create();
		brief.stack = upcs_region_create();
		brief.passed = (struct upcs_region_block){0};
		brief.end = 0;
		brief.open = false;
		begin_activation(FUNCTIONS - 1, 0, false);
		step(BASE(FUNCTIONS - 1), 0);
		for (int n = 0; n < 2000; n++) {
			act();
			if (below(8) == 0)
				end_handler();
			if ((uint64_t)depth > deepest)
				deepest = (uint64_t)depth;
		}
		/* Nothing of it is an exception or a coroutine. */
		assert_true(is_sure());
		for (int r = 0; r < REGIONS; r++) {
			assert_int_equal(entries[r], truth[r]);
			assert_int_equal(blocks[r] + apart[r], true_blocks[r]);
			assert_true(apart[r] <= 1);
			sum += truth[r];
		}
		upcs_region_destroy(brief.stack);
	}
	assert_true(deepest > 10 && sum > programs * 10 && brief.steps > programs * 1000);
}

UNIT_TESTS(sim_region, NULL, NULL)
