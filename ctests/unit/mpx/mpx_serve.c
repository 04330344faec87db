/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions serve as covariate where counting them takes nothing from anybody: on processors of
 * which each counter is known here.
 */
#include <linux/perf_event.h>

#include "../unit_test.h"
#include "papi/papi_serve.h"

/* Counters that count one event only, those that count any, and what is counted. */
static struct processor {
	unsigned fixed_cycles, fixed_instructions, any;
	bool no_cycles, no_branches, no_others;
	unsigned cycles, instructions, others, open, most;
} cpu;

static bool fits(unsigned cycles, unsigned instructions, unsigned others)
{
	cycles -= cycles < cpu.fixed_cycles ? cycles : cpu.fixed_cycles;
	instructions -= instructions < cpu.fixed_instructions ? instructions : cpu.fixed_instructions;
	return cycles + instructions + others <= cpu.any;
}

static int open_event(uint64_t config, int leader)
{
	unsigned cycles = cpu.cycles, instructions = cpu.instructions, others = cpu.others;

	if ((cpu.no_cycles && config == PERF_COUNT_HW_CPU_CYCLES) ||
	    (cpu.no_branches && config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS) ||
	    (cpu.no_others && config != PERF_COUNT_HW_CPU_CYCLES && config != PERF_COUNT_HW_INSTRUCTIONS))
		return -1;
	assert_true(leader == (cpu.open ? 100 : -1));
	cycles += config == PERF_COUNT_HW_CPU_CYCLES;
	instructions += config == PERF_COUNT_HW_INSTRUCTIONS;
	others += config != PERF_COUNT_HW_CPU_CYCLES && config != PERF_COUNT_HW_INSTRUCTIONS;
	if (!fits(cycles, instructions, others))
		return -1;
	cpu.cycles = cycles;
	cpu.instructions = instructions;
	cpu.others = others;
	cpu.open++;
	cpu.most = cpu.open > cpu.most ? cpu.open : cpu.most;
	return 99 + (int)cpu.open;
}

static void close_event(int descriptor)
{
	assert_true(descriptor >= 100 && descriptor < 100 + (int)cpu.open);
	if (!--cpu.open)
		cpu.cycles = cpu.instructions = cpu.others = 0;
}

static bool are_free(struct processor processor)
{
	static const struct mpxi_pmu pmu = {open_event, close_event};
	bool found;

	cpu = processor;
	found = mpxi_papi_instructions_are_free(&pmu);
	assert_int_equal(cpu.open, 0);
	return found;
}

TEST(processors)
{
	/* Intel's, with and without hyperthreads. */
	assert_true(are_free((struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 4}));
	assert_true(are_free((struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 8}));
	/* AMD's; ARM's, with a counter for cycles. */
	assert_false(are_free((struct processor){.fixed_cycles = 0, .fixed_instructions = 0, .any = 6}));
	assert_false(are_free((struct processor){.fixed_cycles = 1, .fixed_instructions = 0, .any = 6}));
	/* One with instructions only: cycles take a counter with and without them. */
	assert_true(are_free((struct processor){.fixed_cycles = 0, .fixed_instructions = 1, .any = 2}));
	/* Nothing beside the two. */
	assert_false(are_free((struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 0}));
	/* Events that it does not have. */
	assert_true(are_free((struct processor){
		.fixed_cycles = 1, .fixed_instructions = 1, .any = 4, .no_branches = true}));
	assert_false(are_free(
		(struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 4, .no_others = true}));
	assert_false(are_free(
		(struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 4, .no_cycles = true}));
	/* A kernel that takes all groups says nothing. */
	assert_false(are_free((struct processor){.fixed_cycles = 1, .fixed_instructions = 1, .any = 1000}));
	assert_true(cpu.most < 100);
}

UNIT_TESTS(mpx_serve, NULL, NULL)
