/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When upc_run says how far it is, and what: lines of a run that does so much in so much time.
 */
#include "../../../utils/run/run_progress.h"

#include "run_results.h"
#include "../unit_test.h"

#define START_NS INT64_C(7000000000)
#define MS_NS INT64_C(1000000)

static struct run_counts counts;
static struct run_progress_line line;

/* Expects the text that is printed ms behind the start. */
static void expect(int64_t ms, const char *text)
{
	char path[] = "/tmp/upc-run-progress-XXXXXX", said[200] = "";
	int file = mkstemp(path), kept = dup(STDERR_FILENO);

	assert_true(file >= 0 && kept >= 0);
	unlink(path);
	fflush(stderr);
	assert_true(dup2(file, STDERR_FILENO) >= 0);
	run_progress_show(&line, &counts, results, START_NS + ms * MS_NS);
	fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	assert_true(pread(file, said, sizeof(said) - 1, 0) >= 0);
	close(file);
	assert_string_equal(said, text);
}

static void run(unsigned thread, uint64_t instructions)
{
	results->thread[thread].tally[0][UPCS_INSTRUCTIONS] = instructions;
}

/* A rate is of the time since the last line, whatever was before, and whoever did it. */
TEST_WITH(test_lines, run_results_set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0)->state = UPCS_RUNS;
	run(0, 3000000);
	run_progress_begin(&line, RUN_PROGRESS_ON, START_NS);
	line.alone = false; /* also where standard error is a terminal */
	expect(1000, "upc_run: 1.0 s, 3 million instructions, 3.0 million a second, 1 thread\n");
	run_results_thread(0, 1)->state = UPCS_RUNS;
	run(0, 4000000);
	run(1, 250000);
	expect(1500, "upc_run: 1.5 s, 4 million instructions, 2.5 million a second, 2 threads\n");
	/* One has ended and been taken over: nothing of it is done twice. */
	counts.core[0][1].item[UPCS_INSTRUCTIONS] = 250000;
	results->thread[1].state = UPCS_FREE;
	expect(2000, "upc_run: 2.0 s, 4 million instructions, 0.0 million a second, 1 thread\n");
	run(0, UINT64_C(2004000000));
	expect(4000, "upc_run: 4.0 s, 2,004 million instructions, 1000.0 million a second, 1 thread\n");
	expect(4000, "upc_run: 4.0 s, 2,004 million instructions, 0.0 million a second, 1 thread\n");
}

TEST(test_due)
{
	run_progress_begin(&line, RUN_PROGRESS_OFF, START_NS);
	assert_int_equal(run_progress_due(&line), -1);
	run_progress_begin(&line, RUN_PROGRESS_ON, START_NS);
	assert_int_equal(run_progress_due(&line), START_NS + 1000 * MS_NS);
	line.time += 1234 * MS_NS;
	assert_int_equal(run_progress_due(&line), START_NS + 1734 * MS_NS);
}

UNIT_TESTS(run_progress, NULL, NULL)
