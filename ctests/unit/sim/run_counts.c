/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sums of upc_run from a results file: every number in its place, and nothing of a
 * file that is not what it should be.
 */
#include "../../../utils/run/run_counts.h"

#include "run_results.h"
#include "../unit_test.h"

static struct run_counts counts;

/* Each core and region has its own threads' numbers, and the sum is theirs. */
TEST_WITH(test_sums, run_results_set_up, run_results_tear_down)
{
	unsigned k;

	results->options.regions = 2;
	run_results_process(0, UPCS_AARCH64);
	run_results_process(1, UPCS_AARCH64);
	run_results_thread(0, 0); /* core 0 */
	run_results_thread(0, 1); /* core 1 */
	run_results_thread(1, 0); /* core 0 */
	run_results_thread(0, 5); /* core 1 */
	run_results_take(&counts);
	assert_int_equal(counts.processes, 2);
	assert_int_equal(counts.threads, 4);
	assert_int_equal(counts.cores, 3);
	assert_int_equal(counts.folded, 1);
	assert_int_equal(counts.guest, UPCS_AARCH64);
	for (unsigned c = 0; c < 3; c++)
		for (k = 0; k < UPCS_TALLIES; k++) {
			uint64_t zero = run_results_tally(0, c, k) + run_results_tally(2, c, k);
			uint64_t one = run_results_tally(1, c, k) + run_results_tally(3, c, k);

			assert_int_equal(counts.core[c][0].item[k], zero);
			assert_int_equal(counts.core[c][1].item[k], one);
			assert_int_equal(counts.core[c][2].item[k], 0);
			assert_int_equal(counts.sum[c].item[k], zero + one);
		}
	/* A region that was not asked for is not looked at. */
	assert_int_equal(counts.sum[3].item[0], 0);
	assert_int_equal(counts.entered[0], 4 * 100 + 0 + 1 + 2 + 3);
	assert_int_equal(counts.entered[1], 4 * 200 + 0 + 1 + 2 + 3);
}

TEST_WITH(test_one, run_results_set_up, run_results_tear_down)
{
	struct run_vector vector = {.doubt = 0};

	run_results_process(0, UPCS_X86_64);
	run_results_process(1, UPCS_X86_64);
	run_results_thread(0, 0);
	run_results_thread(1, 0);
	run_results_thread(1, 1);
	run_vector_add(&vector, &results->thread[1], 2);
	run_vector_settle(&vector);
	assert_int_equal(vector.item[UPCS_DATA_LOADS], run_results_tally(1, 2, UPCS_DATA_LOADS));
	assert_int_equal(vector.item[UPCS_LD_INS], vector.item[UPCS_DATA_LOADS]);
	run_vector_add(&vector, &results->thread[2], 2);
	run_vector_settle(&vector);
	assert_int_equal(vector.item[UPCS_LD_INS],
			 run_results_tally(1, 2, UPCS_DATA_LOADS) + run_results_tally(2, 2, UPCS_DATA_LOADS));
}

/* A thread that was killed after its counts were taken over has at least those, less a block. */
TEST_WITH(test_killed, run_results_set_up, run_results_tear_down)
{
	struct run_vector vector = {.doubt = 0};
	uint64_t *tally = results->thread[0].tally[0];

	run_results_process(0, UPCS_X86_64);
	run_results_thread(0, 0);
	memset(tally, 0, sizeof(results->thread[0].tally[0]));
	tally[UPCS_DATA_LOADS] = UPCS_BLOCK_TALLY_MAX + 7;
	tally[UPCS_DATA_STORES] = UPCS_BLOCK_TALLY_MAX - 1;
	results->thread[0].doubt[0] = UPCS_DOUBT_CUT | UPCS_DOUBT_LATE;
	run_vector_add(&vector, &results->thread[0], 0);
	run_vector_settle(&vector);
	assert_int_equal(vector.doubt, UPCS_DOUBT_LATE);
	assert_int_equal(upcs_bound_of(vector.doubt), UPCS_BOUND_LOW);
	assert_int_equal(vector.item[UPCS_DATA_LOADS], 7);
	assert_int_equal(vector.item[UPCS_DATA_STORES], 0);
	/* Cut alone, the rest of the block is too much. */
	vector = (struct run_vector){.doubt = 0};
	results->thread[0].doubt[0] = UPCS_DOUBT_CUT;
	run_vector_add(&vector, &results->thread[0], 0);
	run_vector_settle(&vector);
	assert_int_equal(upcs_bound_of(vector.doubt), UPCS_BOUND_HIGH);
	assert_int_equal(vector.item[UPCS_DATA_LOADS], UPCS_BLOCK_TALLY_MAX + 7);
}

/* Operations weighted by what one instruction does: a power of ten for each class, so that
 * every weight is a digit. */
TEST_WITH(test_derived, run_results_set_up, run_results_tear_down)
{
	static const enum upcs_tally classes[] = {
		UPCS_FPU_ADD_SUB_1,
		UPCS_FPU_MULT_1,
		UPCS_FPU_DIV_1,
		UPCS_FPU_FMA_2,
		UPCS_FPU_ADD_SUB_2,
		UPCS_FPU_MULT_2,
		UPCS_FPU_FMA_4,
		UPCS_FPU_OTHER_NON_STORAGE_OPS,
		UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS,
		UPCS_FPU_OTHER_LOADS,
	};
	struct upcs_thread *thread;
	uint64_t power = 1;

	run_results_process(0, UPCS_X86_64);
	thread = run_results_thread(0, 0);
	for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++, power *= 10)
		thread->tally[0][classes[i]] = power;
	run_results_take(&counts);
	assert_int_equal(counts.sum[0].item[UPCS_FP_OPS], 4222111);
	assert_int_equal(counts.core[0][0].item[UPCS_FP_OPS], 4222111);
	assert_int_equal(counts.sum[0].item[UPCS_FMA_INS], 1001000);
	assert_int_equal(counts.sum[0].item[UPCS_TOT_INS], run_results_tally(0, 0, UPCS_INSTRUCTIONS));
	assert_int_equal(counts.sum[0].item[UPCS_SR_INS], run_results_tally(0, 0, UPCS_DATA_STORES));
	assert_int_equal(counts.sum[0].item[UPCS_BR_INS], run_results_tally(0, 0, UPCS_IPIPE_BRANCHES));
}

TEST(test_percent)
{
	struct run_vector vector = {.doubt = 0};

	vector.item[UPCS_DATA_LOADS] = 7;
	assert_true(run_percent(&vector, UPCS_DATA_LOADS) == 0); /* of nothing */
	vector.item[UPCS_INSTRUCTIONS] = vector.item[UPCS_TOT_INS] = vector.item[UPCS_FP_OPS] = 28;
	assert_true(run_percent(&vector, UPCS_DATA_LOADS) == 25);
	assert_true(run_percent(&vector, UPCS_INSTRUCTIONS) == 0);
	assert_true(run_percent(&vector, UPCS_TOT_INS) == 0);
	assert_true(run_percent(&vector, UPCS_FP_OPS) == 0);
}

/* Records that are not written yet, and what the reader is told of the others. */
TEST_WITH(test_states, run_results_set_up, run_results_tear_down)
{
	for (unsigned p = 0; p < 5; p++)
		run_results_process(p, UPCS_PPC);
	results->process[0].state = UPCS_FREE;
	results->process[1].state = UPCS_MAKING;
	results->process[2].state = UPCS_RUNS;
	results->process[3].state = UPCS_LOST;
	results->process[2].unfolded = 3;
	results->process[4].unfolded = 40;
	results->process[3].left = 1;
	results->process[1].left = 1; /* not written yet */
	results->process[3].region_found = 1;
	results->process[4].region_found = 4;
	run_results_thread(3, 0);
	run_results_thread(4, 0)->state = UPCS_MAKING;
	run_results_thread(4, 1)->state = UPCS_RUNS;
	run_results_take(&counts);
	assert_int_equal(counts.processes, 3);
	assert_int_equal(counts.lost, 1);
	assert_int_equal(counts.running, 1);
	assert_int_equal(counts.left, 1);
	assert_int_equal(counts.threads, 2);
	assert_int_equal(counts.threads_without, 0);
	assert_int_equal(counts.unfolded, 43);
	assert_false(run_counts_are_whole(&counts));
	assert_false(counts.no_memory);
	assert_int_equal(counts.regions_found, 5);
	assert_int_equal(counts.processes_without, 0);
}

/* Each kind of missing record, with its reason. */
TEST_WITH(test_missing, run_results_set_up, run_results_tear_down)
{
	uint32_t *const places[] = {&results->threads.without, &results->processes.without};
	uint32_t *const memory[] = {&results->threads.without_memory, &results->processes.without_memory};

	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0);
	for (unsigned i = 0; i < 2; i++) {
		run_results_take(&counts);
		assert_true(run_counts_are_whole(&counts));
		*places[i] = 5;
		run_results_take(&counts);
		assert_false(run_counts_are_whole(&counts));
		assert_false(counts.no_memory);
		assert_int_equal(i == 0 ? counts.threads_without : counts.processes_without, 5);
		*memory[i] = 1;
		run_results_take(&counts);
		assert_true(counts.no_memory);
		*places[i] = *memory[i] = 0;
	}
	/* Memory of its own is as good, but for who is killed. */
	results->process[0].unshared = 1;
	run_results_take(&counts);
	assert_true(run_counts_are_whole(&counts));
	results->process[0].state = UPCS_LOST;
	run_results_take(&counts);
	assert_false(run_counts_are_whole(&counts));
	assert_true(counts.no_memory);
	assert_int_equal(counts.cut_off, 1);
}

/* A process that executes another program is still one. */
TEST_WITH(test_exec, run_results_set_up, run_results_tear_down)
{
	for (unsigned p = 0; p < 4; p++)
		run_results_process(p, UPCS_X86_64);
	results->process[2].continues = results->process[3].continues = 1;
	run_results_take(&counts);
	assert_int_equal(counts.processes, 2);
}

/* Threads that run and that have ended, here or gathered before: a power of ten each. */
TEST_WITH(test_instructions, run_results_set_up, run_results_tear_down)
{
	static const enum upcs_state states[] = {UPCS_RUNS, UPCS_ENDED,  UPCS_RUNS,
						 UPCS_FREE, UPCS_MAKING, UPCS_LOST};
	uint64_t power = 1;
	unsigned threads;

	run_results_process(0, UPCS_X86_64);
	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++, power *= 10) {
		struct upcs_thread *thread = run_results_thread(0, i);

		thread->state = states[i];
		thread->tally[0][UPCS_INSTRUCTIONS] = power;
	}
	counts = (struct run_counts){.threads = 0};
	counts.core[0][0].item[UPCS_INSTRUCTIONS] = power;
	counts.core[0][UPCS_CORES - 1].item[UPCS_INSTRUCTIONS] = 10 * power;
	counts.core[1][0].item[UPCS_INSTRUCTIONS] = 1;
	assert_int_equal(run_instructions(&counts, results, &threads), 11000111);
	assert_int_equal(threads, 2);
}

/* Numbers beyond all places are said, and not followed. */
TEST_WITH(test_hostile, run_results_set_up, run_results_tear_down)
{
	unsigned threads;

	run_results_process(UPCS_PROCESSES_MAX - 1, UPCS_X86_64);
	results->process[UPCS_PROCESSES_MAX - 1].guest = 1000000;
	results->process[UPCS_PROCESSES_MAX - 1].serial = 0;
	results->processes.there = UPCS_PROCESSES_MAX + 10;
	results->thread[UPCS_THREADS_MAX - 1].core = 0xfffffffe;
	results->thread[UPCS_THREADS_MAX - 1].process = 0xffffffff;
	results->thread[UPCS_THREADS_MAX - 1].tally[0][UPCS_INSTRUCTIONS] = 11;
	results->thread[UPCS_THREADS_MAX - 1].tally[UPCS_REGIONS_MAX][UPCS_INSTRUCTIONS] = 12;
	results->thread[UPCS_THREADS_MAX - 1].state = UPCS_RUNS;
	results->threads.there = 0xffffffff;
	results->options.regions = 0xffffffff;
	run_results_take(&counts);
	assert_int_equal(counts.processes, 1);
	assert_int_equal(counts.guest, UPCS_X86_64);
	assert_int_equal(counts.cores, 4);
	assert_int_equal(counts.core[0][2].item[UPCS_INSTRUCTIONS], 11);
	assert_int_equal(counts.sum[UPCS_REGIONS_MAX].item[UPCS_INSTRUCTIONS], 12);
	assert_int_equal(run_instructions(&counts, results, &threads), 2 * 11);
	assert_int_equal(threads, 1);
}

UNIT_TESTS(run_counts, NULL, NULL)
