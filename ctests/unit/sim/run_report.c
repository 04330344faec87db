/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reports of upc_run, letter by letter (ctests/golden/run_report), of results whose numbers differ in
 * every place.
 */
#include "../../../utils/run/run_report.h"

#include "lib/golden.h"
#include "run_results.h"
#include "../unit_test.h"

static char *command[] = {"./solver", "-n", "8", NULL};
static struct run_options options;
static struct run_report report;

static int set_up(void **state)
{
	if (run_results_set_up(state))
		return -1;
	setenv("COLUMNS", "80", 1);
	options = (struct run_options){.command = command};
	run_events_all(&options.events);
	run_functions_free(&report.functions);
	report = (struct run_report){.options = &options, .results = results, .seconds = 1.25};
	return 0;
}

static void events(const char *list)
{
	assert_int_equal(run_events_parse(&options.events, list), 0);
}

static void region(const char *name)
{
	snprintf(results->options.region[options.regions], UPCS_WORD_MAX, "%s", name);
	options.region[options.regions++] = name;
	results->options.regions = options.regions;
	results->process[0].region_found |= 1u << (options.regions - 1);
}

static struct run_gathered gathered;
static uint64_t function[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC];

/* The records are there for another time. */
static void take(void)
{
	static struct upcs_process process[8];
	static struct upcs_thread thread[8];

	memcpy(process, results->process, sizeof(process));
	memcpy(thread, results->thread, sizeof(thread));
	run_gather_end(&gathered);
	run_gather_begin(&gathered, results, options.per_thread, options.per_process);
	run_gather_rest(&gathered, results, "/nonexistent/results");
	run_functions_free(&report.functions);
	if (options.functions)
		assert_int_equal(run_functions_make(&report.functions, &results->functions, function,
						    &gathered.counts.sum[0]),
				 0);
	report.gathered = &gathered;
	report.counts = gathered.counts;
	memcpy(results->process, process, sizeof(process));
	memcpy(results->thread, thread, sizeof(thread));
}

static void expect(enum run_form form, const char *section)
{
	char *text = NULL;
	size_t size;

	report.out = open_memstream(&text, &size);
	take();
	assert_true(run_report_print(&report, form));
	fclose(report.out);
	assert_golden("run_report", section, text);
	free(text);
}

/* One core: no sum of one. */
TEST_WITH(test_core, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 2);
	for (unsigned item = 0; item < UPCS_ITEMS; item++)
		for (unsigned place = 0; place <= UPCS_CORES; place++)
			options.events.shown[place][item] =
				item == UPCS_JPIPE_ADD_SUB || item == UPCS_FMA_INS ||
				item == UPCS_INSTRUCTIONS || item == UPCS_DATA_STORES;
	expect(RUN_TEXT, "core");
}

TEST_WITH(test_cores, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_X86_64);
	for (unsigned i = 0; i < 5; i++)
		run_results_thread(0, i);
	results->threads.without = 1;
	results->process[0].unfolded = 2;
	results->process[0].unread = 1;
	results->thread[3].doubt[0] = UPCS_DOUBT_LATE;
	report.status = 11;
	events("INSTRUCTIONS,FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS,PU0_DATA_LOADS,PU1_TOT_INS,PU2_FP_OPS,"
	       "PU3_IPIPE_BRANCHES");
	expect(RUN_TEXT, "cores");
}

TEST_WITH(test_regions, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_AARCH64);
	run_results_thread(0, 0);
	run_results_thread(0, 1);
	region("solve");
	region("set_up");
	region("nowhere");
	results->process[0].region_found = 3;
	for (unsigned i = 0; i < 2; i++)
		results->thread[i].entered[1] = results->thread[i].entered[2] = 0;
	events("INSTRUCTIONS,LD_INS,FPU_FMA_4");
	expect(RUN_TEXT, "regions");
}

/* Few operations are not none. */
TEST_WITH(test_few_operations, set_up, run_results_tear_down)
{
	char text[4096] = "";

	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0);
	region("solve");
	for (unsigned k = UPCS_FPU_ADD_SUB_1; k <= UPCS_FPU_OTHER_STORES; k++)
		results->thread[0].tally[0][k] = results->thread[0].tally[1][k] = 0;
	results->thread[0].tally[1][UPCS_FPU_DIV_1] = 1;
	report.out = fmemopen(text, sizeof(text), "w");
	take();
	assert_true(run_report_print(&report, RUN_TEXT));
	fclose(report.out);
	assert_non_null(strstr(text, "\n  no floating-point operations\n"
				     "  fewer than 0.001 in solve, entered 100 times\n"));
	results->thread[0].tally[0][UPCS_FPU_DIV_1] = 1;
	results->thread[0].tally[1][UPCS_FPU_DIV_1] = 0;
	report.out = fmemopen(text, sizeof(text), "w");
	take();
	assert_true(run_report_print(&report, RUN_TEXT));
	fclose(report.out);
	assert_non_null(strstr(text, "\n  fewer than 0.001 floating-point operations an instruction\n"
				     "  none in solve, entered 100 times\n"));
}

TEST_WITH(test_threads, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_X86_64);
	run_results_process(1, UPCS_X86_64)->state = UPCS_LOST;
	run_results_thread(0, 0);
	run_results_thread(1, 0);
	options.per_process = options.per_thread = true;
	events("INSTRUCTIONS,SR_INS");
	expect(RUN_TEXT, "threads");
}

/* Each number by itself: what is doubtful of one thread is so of its core, its process and the sum. */
TEST_WITH(test_doubts, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_AARCH64);
	run_results_process(1, UPCS_AARCH64);
	run_results_thread(0, 0);
	run_results_thread(1, 1)->doubt[1] = UPCS_DOUBT_SWITCHED | UPCS_DOUBT_HELPED;
	results->thread[1].doubt[0] = UPCS_DOUBT_CUT;
	run_results_thread(1, 2)->doubt[2] = UPCS_DOUBT_HELPED;
	region("solve");
	region("set_up");
	region("other");
	results->process[0].region_found = 7;
	options.per_process = options.per_thread = true;
	events("INSTRUCTIONS");
	expect(RUN_TEXT, "doubts");
	events("INSTRUCTIONS,PU0_INSTRUCTIONS,PU1_INSTRUCTIONS,PU2_INSTRUCTIONS");
	expect(RUN_CSV, "doubts.csv");
	events("PU1_INSTRUCTIONS");
	options.per_thread = options.per_process = false;
	options.regions = 1;
	expect(RUN_JSON, "doubts.json");
}

/* The names of regions may be long: why they are not exact is said behind all of them. */
TEST_WITH(test_long_names, set_up, run_results_tear_down)
{
	char name[UPCS_REGIONS_MAX][UPCS_WORD_MAX], *text = NULL, *note;
	size_t size;

	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0);
	for (unsigned r = 0; r < UPCS_REGIONS_MAX; r++) {
		memset(name[r], 'a' + (int)r, UPCS_WORD_MAX - 1);
		name[r][UPCS_WORD_MAX - 1] = '\0';
		region(name[r]);
		results->thread[0].doubt[1 + r] = UPCS_DOUBT_HELPED;
	}
	report.out = open_memstream(&text, &size);
	take();
	assert_true(run_report_print(&report, RUN_CSV));
	fclose(report.out);
	note = strstr(text, "not exact: ");
	assert_non_null(note);
	assert_non_null(strstr(note, name[UPCS_REGIONS_MAX - 1]));
	assert_non_null(strstr(note, ": threads that it woke, or that it started"));
	free(text);
}

/* Each reason why a number is not exact has a word, which the manual page explains. */
TEST(test_words)
{
	const char *srcdir = getenv("srcdir"), *word;
	char path[4096], line[80], *page = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s/man", srcdir ? srcdir : ".");
	if (access(path, F_OK))
		skip_because("the source tree is not here");
	snprintf(path, sizeof(path), "%s/man/upc_run.1", srcdir ? srcdir : ".");
	file = fopen(path, "r");
	assert_true(page && file && fread(page, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	for (unsigned bit = 0; (word = run_report_doubt(bit)) != NULL; bit++) {
		snprintf(line, sizeof(line), "\n.It Cm %.*s\n", (int)strcspn(word, ":"), word);
		if (!strstr(page, line))
			fail_msg("the manual page says nothing of \"%s\"", word);
	}
	free(page);
}

/* As upc_stat: an event a row, what was not seen by name. */
TEST_WITH(test_stat, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_X86_64);
	run_results_thread(0, 0)->tally[0][UPCS_FPU_MULT_1] = 0;
	events("INSTRUCTIONS,FPU_*_1,TOT_INS");
	expect(RUN_STAT, "stat");
}

TEST_WITH(test_csv, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_PPC)->left = 1;
	run_results_thread(0, 0);
	run_results_thread(0, 1);
	region("a,b");
	options.per_process = options.per_thread = true;
	events("FPU_FMA_2,PU1_FPU_FMA_2");
	expect(RUN_CSV, "csv");
}

/* No count has work that could not be simulated: none of them is exact, and text does not say so. */
TEST_WITH(test_left, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_PPC)->left = 1;
	run_results_process(1, UPCS_PPC);
	run_results_thread(0, 0);
	run_results_thread(1, 0);
	options.per_process = true;
	events("INSTRUCTIONS");
	expect(RUN_TEXT, "left");
}

/* Each process, and each of its threads, has its own instruction set; the run has none where there are two.
 */
TEST_WITH(test_guests, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_X86_64);
	run_results_process(1, UPCS_AARCH64);
	run_results_thread(0, 0);
	run_results_thread(1, 0);
	options.per_process = options.per_thread = true;
	events("INSTRUCTIONS");
	expect(RUN_CSV, "guests.csv");
}

TEST_WITH(test_json, set_up, run_results_tear_down)
{
	run_results_process(0, UPCS_AARCH64);
	run_results_thread(0, 0);
	run_results_thread(0, 3);
	region("so\"lve");
	options.per_process = options.per_thread = true;
	report.status = 3 << 8;
	events("BR_INS,PU3_IPIPE_BRANCHES");
	expect(RUN_JSON, "json");
}

static void in_function(const char *file, const char *symbol, uint64_t instructions, uint64_t loads,
			uint64_t fmas)
{
	uint64_t *sum = function[upcs_functions_number(&results->functions, file, symbol)];

	sum[UPCS_INSTRUCTIONS] = instructions;
	sum[UPCS_DATA_LOADS] = loads;
	sum[UPCS_FPU_FMA_2] = fmas;
}

static void some_functions(void)
{
	memset(function, 0, sizeof(function));
	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0);
	memset(results->thread[0].tally, 0, sizeof(results->thread[0].tally));
	results->thread[0].tally[0][UPCS_INSTRUCTIONS] = 1234567;
	results->thread[0].tally[0][UPCS_DATA_LOADS] = 5000;
	results->thread[0].tally[0][UPCS_FPU_FMA_2] = 30;
	in_function("/home/user/solver", "solve", 1000000, 3000, 30);
	in_function("/lib/libc.so.6", "memcpy,2", 200000, 1500, 0);
	in_function("/lib/libc.so.6", "", 34000, 400, 0);
	in_function("", "", 500, 0, 0);
	in_function("/home/user/solver", "never", 0, 0, 0);
	in_function("/home/user/solver", "a_function_whose_name_is_longer_than_there_is_room_for_it", 67, 100,
		    0);
	options.functions = true;
	options.function_rows = 20;
	events("INSTRUCTIONS,LD_INS");
}

/* All are shown; then some, and the rest in one row. */
TEST_WITH(test_functions, set_up, run_results_tear_down)
{
	some_functions();
	expect(RUN_TEXT, "functions");
	options.function_rows = 2;
	expect(RUN_TEXT, "functions, 2");
	expect(RUN_STAT, "functions.stat");
	expect(RUN_CSV, "functions.csv");
	expect(RUN_JSON, "functions.json");
}

/* The counts of functions that could not be told apart have the row [others], and all rows are lower
 * bounds; a function with two numbers has one row. */
TEST_WITH(test_functions_missing, set_up, run_results_tear_down)
{
	uint32_t twice;

	some_functions();
	twice = upcs_functions_number(&results->functions, "/home/user/solver", "solve");
	results->functions.slot[twice - 1].state = UPCS_MAKING;
	in_function("/home/user/solver", "solve", 400000, 1000, 10);
	results->functions.slot[twice - 1].state = UPCS_ENDED;
	function[twice][UPCS_INSTRUCTIONS] = 500000;
	expect(RUN_TEXT, "functions missing");
	expect(RUN_CSV, "functions missing.csv");
}

UNIT_TESTS(run_report, NULL, NULL)
