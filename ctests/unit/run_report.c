/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reports of upc_run, letter by letter, of results whose numbers differ in every place.
 */
#include "../../utils/run_report.h"

#include "run_results.h"
#include "unit_test.h"

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
	report.gathered = &gathered;
	report.counts = gathered.counts;
	memcpy(results->process, process, sizeof(process));
	memcpy(results->thread, thread, sizeof(thread));
}

static void expect(void (*form)(const struct run_report *), const char *expected)
{
	char *text = NULL;
	size_t size;

	report.out = open_memstream(&text, &size);
	take();
	form(&report);
	fclose(report.out);
	assert_string_equal(text, expected);
	free(text);
}

#define EXACT                                                                            \
	"  Percents are of INSTRUCTIONS. All counts are exact: of every instruction that\n" \
	"  began, as what a Blue Gene/P core would have done for it.\n"

#define NOT_ALL_EXACT                                                                    \
	"  Percents are of INSTRUCTIONS. Columns with ~ may be off, those with >= too\n"    \
	"  small. All other counts are exact: of every instruction that began, as what a\n" \
	"  Blue Gene/P core would have done for it.\n"

/* One core: no sum of one. */
static void test_core(void **state)
{
	(void)state;
	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 2);
	for (unsigned item = 0; item < RUN_ITEMS; item++)
		for (unsigned place = 0; place <= UPCS_CORES; place++)
			options.events.shown[place][item] = item == UPCS_JPIPE_ADD_SUB || item == RUN_FMA_INS ||
							    item == UPCS_INSTRUCTIONS || item == UPCS_DATA_STORES;
	expect(run_report_text,
	       "\n"
	       " ./solver -n 8: 32-bit PowerPC, 1 process, 1 thread on 1 core, 1.250 s\n"
	       "\n"
	       "                                PU2\n"
	       " instructions\n"
	       "  INSTRUCTIONS    9,003,500\n"
	       " integer pipes\n"
	       "  JPIPE_ADD_SUB   1,000,100  11.1 %\n"
	       " loads and stores\n"
	       "  DATA_STORES     1,001,800  11.1 %\n"
	       " derived\n"
	       "  FMA_INS         2,005,300  22.3 %\n"
	       "\n"
	       "  1.448 floating-point operations an instruction\n"
	       EXACT
	       "\n");
}

static void test_cores(void **state)
{
	(void)state;
	run_results_process(0, UPCS_X86_64);
	for (unsigned i = 0; i < 5; i++)
		run_results_thread(0, i);
	results->threads.without = 1;
	results->process[0].unfolded = 2;
	report.status = 11;
	events("INSTRUCTIONS,FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS,PU0_DATA_LOADS,PU1_TOT_INS,PU2_FP_OPS,"
	       "PU3_IPIPE_BRANCHES");
	expect(run_report_text,
	       "\n"
	       " ./solver -n 8: x86-64, 1 process, 5 threads on 4 cores, 1.250 s\n"
	       "\n"
	       "                                              >=all cores       >=PU0\n"
	       " instructions\n"
	       "  INSTRUCTIONS                         45,117,510          18,047,004\n"
	       " integer pipes\n"
	       "  IPIPE_BRANCHES                        5,104,510  11.3 %   2,041,804\n"
	       " loads and stores\n"
	       "  DATA_LOADS                            5,108,510  11.3 %   2,043,404\n"
	       " floating point\n"
	       "  FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS   5,115,010  11.3 %   2,046,004\n"
	       " derived\n"
	       "  TOT_INS                              45,117,510          18,047,004\n"
	       "  FP_OPS                               66,472,130          26,588,852\n"
	       "\n"
	       "                                            >=PU1       >=PU2       >=PU3\n"
	       " instructions\n"
	       "  INSTRUCTIONS                          9,013,501   9,023,502   9,033,503\n"
	       " integer pipes\n"
	       "  IPIPE_BRANCHES                        1,010,901   1,020,902   1,030,903\n"
	       " loads and stores\n"
	       "  DATA_LOADS                            1,011,701   1,021,702   1,031,703\n"
	       " floating point\n"
	       "  FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS   1,013,001   1,023,002   1,033,003\n"
	       " derived\n"
	       "  TOT_INS                               9,013,501   9,023,502   9,033,503\n"
	       "  FP_OPS                               13,164,413  13,294,426  13,424,439\n"
	       "\n"
	       "  1.473 floating-point operations an instruction\n"
	       NOT_ALL_EXACT
	       "  Note: ended by signal 11 (Segmentation fault).\n"
	       "  Note: thread n of a process is counted on core n mod 4.\n"
	       "  Note: 1 thread more than there is room for: not in the counts.\n"
	       "  Note: 2 threads, regions or blocks more than there is room for: not in the\n"
	       "        counts.\n"
	       "\n");
}

static void test_regions(void **state)
{
	(void)state;
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
	expect(run_report_text,
	       "\n"
	       " ./solver -n 8: AArch64, 1 process, 2 threads on 2 cores, 1.250 s\n"
	       "\n"
	       "                         whole run               solve              set_up\n"
	       " instructions\n"
	       "  INSTRUCTIONS  18,017,001          18,217,021          18,417,041\n"
	       " floating point\n"
	       "  FPU_FMA_4      2,015,801  11.2 %   2,215,821  12.2 %   2,415,841  13.1 %\n"
	       " derived\n"
	       "  LD_INS         2,013,401  11.2 %   2,213,421  12.2 %   2,413,441  13.1 %\n"
	       "\n"
	       "                           nowhere\n"
	       " instructions\n"
	       "  INSTRUCTIONS  18,617,061\n"
	       " floating point\n"
	       "  FPU_FMA_4      2,615,861  14.1 %\n"
	       " derived\n"
	       "  LD_INS         2,613,461  14.0 %\n"
	       "\n"
	       "  1.454 floating-point operations an instruction\n"
	       "  1.581 in solve, entered 201 times\n"
	       "  1.705 in set_up, entered 0 times\n"
	       "  1.826 in nowhere, entered 0 times\n"
	       EXACT
	       "  Note: region set_up was never entered.\n"
	       "  Note: region nowhere was not found in anything that ran.\n"
	       "\n");
}

/* Few operations are not none. */
static void test_few_operations(void **state)
{
	char text[4096] = "";

	(void)state;
	run_results_process(0, UPCS_PPC);
	run_results_thread(0, 0);
	region("solve");
	for (unsigned k = UPCS_FPU_ADD_SUB_1; k <= UPCS_FPU_OTHER_STORES; k++)
		results->thread[0].tally[0][k] = results->thread[0].tally[1][k] = 0;
	results->thread[0].tally[1][UPCS_FPU_DIV_1] = 1;
	report.out = fmemopen(text, sizeof(text), "w");
	take();
	run_report_text(&report);
	fclose(report.out);
	assert_non_null(strstr(text, "\n  no floating-point operations\n"
				     "  fewer than 0.001 in solve, entered 100 times\n"));
	results->thread[0].tally[0][UPCS_FPU_DIV_1] = 1;
	results->thread[0].tally[1][UPCS_FPU_DIV_1] = 0;
	report.out = fmemopen(text, sizeof(text), "w");
	take();
	run_report_text(&report);
	fclose(report.out);
	assert_non_null(strstr(text, "\n  fewer than 0.001 floating-point operations an instruction\n"
				     "  none in solve, entered 100 times\n"));
}

static void test_threads(void **state)
{
	(void)state;
	run_results_process(0, UPCS_X86_64);
	run_results_process(1, UPCS_X86_64)->state = UPCS_LOST;
	run_results_thread(0, 0);
	run_results_thread(1, 0);
	options.per_process = options.per_thread = true;
	events("INSTRUCTIONS,SR_INS");
	expect(run_report_text,
	       "\n"
	       " ./solver -n 8: x86-64, 2 processes, 2 threads on 1 core, 1.250 s\n"
	       "\n"
	       "                         all cores\n"
	       " instructions\n"
	       "  INSTRUCTIONS  18,017,001\n"
	       " derived\n"
	       "  SR_INS         2,013,601  11.2 %\n"
	       "\n"
	       " Processes\n"
	       "\n"
	       "                               all   program-0   program-1\n"
	       "                                          1000        1001\n"
	       " instructions\n"
	       "  INSTRUCTIONS  18,017,001           9,003,500   9,013,501\n"
	       " derived\n"
	       "  SR_INS         2,013,601  11.2 %   1,001,800   1,011,801\n"
	       "\n"
	       " Threads\n"
	       "\n"
	       "                               all         PU0         PU0\n"
	       "                                          2000        2001\n"
	       " instructions\n"
	       "  INSTRUCTIONS  18,017,001           9,003,500   9,013,501\n"
	       " derived\n"
	       "  SR_INS         2,013,601  11.2 %   1,001,800   1,011,801\n"
	       "\n"
	       "  1.454 floating-point operations an instruction\n"
	       EXACT
	       "  Note: 1 process was killed: all that was done until then is in the counts.\n"
	       "\n");
}

/* Each number by itself: what is doubtful of one thread is so of its core, its process and the sum. */
static void test_doubts(void **state)
{
	(void)state;
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
	expect(run_report_text,
	       "\n"
	       " ./solver -n 8: AArch64, 2 processes, 3 threads on 3 cores, 1.250 s\n"
	       "\n"
	       "                ~whole run              ~solve            >=set_up\n"
	       " instructions\n"
	       "  INSTRUCTIONS  27,040,503  27,340,533          27,640,563\n"
	       "\n"
	       "                             other\n"
	       " instructions\n"
	       "  INSTRUCTIONS  27,940,593\n"
	       "\n"
	       " Processes\n"
	       "\n"
	       "                      ~all   program-0  ~program-1\n"
	       "                                  1000        1001\n"
	       " instructions\n"
	       "  INSTRUCTIONS  27,040,503   9,003,500  18,037,003\n"
	       "\n"
	       " Threads\n"
	       "\n"
	       "                      ~all         PU0        ~PU1         PU2\n"
	       "                                  2000        2001        2002\n"
	       " instructions\n"
	       "  INSTRUCTIONS  27,040,503   9,003,500   9,013,501   9,023,502\n"
	       "\n"
	       "  1.461 floating-point operations an instruction\n"
	       "  1.587 in solve, entered 303 times\n"
	       "  1.711 in set_up, entered 603 times\n"
	       "  1.832 in other, entered 903 times\n"
	       NOT_ALL_EXACT
	       "  Note: not exact: the whole run: a thread ended within a block of instructions,\n"
	       "        by a fault or a signal, and the rest of the block counts as well.\n"
	       "  Note: not exact: solve: it was left or entered by a change of stacks, as\n"
	       "        coroutines do: what is done on the other stack counts, or what is done\n"
	       "        in it afterwards does not.\n"
	       "  Note: not exact: solve, set_up: threads that it started or woke may have\n"
	       "        worked for it, and their work does not count.\n"
	       "\n");
	events("INSTRUCTIONS,PU0_INSTRUCTIONS,PU1_INSTRUCTIONS,PU2_INSTRUCTIONS");
	expect(run_report_csv,
	       "scope,pid,tid,region,event,value,guest,seconds,version,exact\n"
	       "run,,,,INSTRUCTIONS,27040503,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "run,,,,PU0_INSTRUCTIONS,9003500,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,,PU1_INSTRUCTIONS,9013501,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "run,,,,PU2_INSTRUCTIONS,9023502,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,solve,INSTRUCTIONS,27340533,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "run,,,solve,PU0_INSTRUCTIONS,9103510,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,solve,PU1_INSTRUCTIONS,9113511,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "run,,,solve,PU2_INSTRUCTIONS,9123512,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,solve,entered,303,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "run,,,set_up,INSTRUCTIONS,27640563,AArch64,1.250000," UPC_VERSION_STRING ",at least\n"
	       "run,,,set_up,PU0_INSTRUCTIONS,9203520,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,set_up,PU1_INSTRUCTIONS,9213521,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,set_up,PU2_INSTRUCTIONS,9223522,AArch64,1.250000," UPC_VERSION_STRING ",at least\n"
	       "run,,,set_up,entered,603,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,other,INSTRUCTIONS,27940593,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,other,PU0_INSTRUCTIONS,9303530,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,other,PU1_INSTRUCTIONS,9313531,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,other,PU2_INSTRUCTIONS,9323532,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,other,entered,903,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,,INSTRUCTIONS,9003500,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,solve,INSTRUCTIONS,9103510,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,set_up,INSTRUCTIONS,9203520,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,other,INSTRUCTIONS,9303530,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1001,,,INSTRUCTIONS,18037003,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "process,1001,,solve,INSTRUCTIONS,18237023,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "process,1001,,set_up,INSTRUCTIONS,18437043,AArch64,1.250000," UPC_VERSION_STRING ",at least\n"
	       "process,1001,,other,INSTRUCTIONS,18637063,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,,INSTRUCTIONS,9003500,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,solve,INSTRUCTIONS,9103510,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,set_up,INSTRUCTIONS,9203520,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,other,INSTRUCTIONS,9303530,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1001,2001,,INSTRUCTIONS,9013501,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "thread,1001,2001,solve,INSTRUCTIONS,9113511,AArch64,1.250000," UPC_VERSION_STRING ",about\n"
	       "thread,1001,2001,set_up,INSTRUCTIONS,9213521,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1001,2001,other,INSTRUCTIONS,9313531,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1001,2002,,INSTRUCTIONS,9023502,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1001,2002,solve,INSTRUCTIONS,9123512,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1001,2002,set_up,INSTRUCTIONS,9223522,AArch64,1.250000," UPC_VERSION_STRING ",at least\n"
	       "thread,1001,2002,other,INSTRUCTIONS,9323532,AArch64,1.250000," UPC_VERSION_STRING ",yes\n"
	       "note,,,,\"not exact: the whole run: a thread ended within a block of instructions, by a fault or a signal, and the rest of the block counts as well\",,AArch64,1.250000," UPC_VERSION_STRING ",\n"
	       "note,,,,\"not exact: solve: it was left or entered by a change of stacks, as coroutines do: what is done on the other stack counts, or what is done in it afterwards does not\",,AArch64,1.250000," UPC_VERSION_STRING ",\n"
	       "note,,,,\"not exact: solve, set_up: threads that it started or woke may have worked for it, and their work does not count\",,AArch64,1.250000," UPC_VERSION_STRING ",\n");
	events("PU1_INSTRUCTIONS");
	options.per_thread = options.per_process = false;
	options.regions = 1;
	expect(run_report_json,
	       "{\n"
	       "  \"tool\": \"upc_run\",\n"
	       "  \"version\": \"" UPC_VERSION_STRING "\",\n"
	       "  \"command\": [\n"
	       "    \"./solver\",\n"
	       "    \"-n\",\n"
	       "    \"8\"\n"
	       "  ],\n"
	       "  \"guest\": \"AArch64\",\n"
	       "  \"randomised\": false,\n"
	       "  \"children\": true,\n"
	       "  \"seconds\": 1.25,\n"
	       "  \"exit_status\": 0,\n"
	       "  \"processes\": 2,\n"
	       "  \"threads\": 3,\n"
	       "  \"cores\": [\n"
	       "    0,\n"
	       "    1,\n"
	       "    2\n"
	       "  ],\n"
	       "  \"counts\": {\n"
	       "    \"sum\": {\n"
	       "      \"exact\": false,\n"
	       "      \"why\": [\n"
	       "        \"cut\"\n"
	       "      ],\n"
	       "      \"lower_bound\": false,\n"
	       "      \"INSTRUCTIONS\": 27040503\n"
	       "    },\n"
	       "    \"PU0\": {\n"
	       "      \"exact\": true,\n"
	       "      \"INSTRUCTIONS\": 9003500\n"
	       "    },\n"
	       "    \"PU1\": {\n"
	       "      \"exact\": false,\n"
	       "      \"why\": [\n"
	       "        \"cut\"\n"
	       "      ],\n"
	       "      \"lower_bound\": false,\n"
	       "      \"INSTRUCTIONS\": 9013501\n"
	       "    },\n"
	       "    \"PU2\": {\n"
	       "      \"exact\": true,\n"
	       "      \"INSTRUCTIONS\": 9023502\n"
	       "    }\n"
	       "  },\n"
	       "  \"regions\": [\n"
	       "    {\n"
	       "      \"name\": \"solve\",\n"
	       "      \"found\": true,\n"
	       "      \"entered\": 303,\n"
	       "      \"counts\": {\n"
	       "        \"sum\": {\n"
	       "          \"exact\": false,\n"
	       "          \"why\": [\n"
	       "            \"switched\",\n"
	       "            \"helped\"\n"
	       "          ],\n"
	       "          \"lower_bound\": false,\n"
	       "          \"INSTRUCTIONS\": 27340533\n"
	       "        },\n"
	       "        \"PU0\": {\n"
	       "          \"exact\": true,\n"
	       "          \"INSTRUCTIONS\": 9103510\n"
	       "        },\n"
	       "        \"PU1\": {\n"
	       "          \"exact\": false,\n"
	       "          \"why\": [\n"
	       "            \"switched\",\n"
	       "            \"helped\"\n"
	       "          ],\n"
	       "          \"lower_bound\": false,\n"
	       "          \"INSTRUCTIONS\": 9113511\n"
	       "        },\n"
	       "        \"PU2\": {\n"
	       "          \"exact\": true,\n"
	       "          \"INSTRUCTIONS\": 9123512\n"
	       "        }\n"
	       "      }\n"
	       "    }\n"
	       "  ],\n"
	       "  \"notes\": [\n"
	       "    \"not exact: the whole run: a thread ended within a block of instructions, by a fault or a signal, and the rest of the block counts as well\",\n"
	       "    \"not exact: solve: it was left or entered by a change of stacks, as coroutines do: what is done on the other stack counts, or what is done in it afterwards does not\",\n"
	       "    \"not exact: solve: threads that it started or woke may have worked for it, and their work does not count\"\n"
	       "  ]\n"
	       "}\n");
}

/* As upc_stat: an event a row, what was not seen by name. */
static void test_stat(void **state)
{
	(void)state;
	run_results_process(0, UPCS_X86_64);
	run_results_thread(0, 0)->tally[0][UPCS_FPU_MULT_1] = 0;
	events("INSTRUCTIONS,FPU_*_1,TOT_INS");
	expect(run_report_stat,
	       "\n"
	       " Counts of ./solver -n 8\n"
	       "\n"
	       " instructions\n"
	       "  9,003,500           INSTRUCTIONS\n"
	       " floating point\n"
	       "  1,002,200   11.1 %  FPU_ADD_SUB_1\n"
	       "  1,002,500   11.1 %  FPU_DIV_1\n"
	       "  not seen: FPU_MULT_1\n"
	       " derived\n"
	       "  9,003,500           TOT_INS\n"
	       "\n"
	       "  1.250000 s elapsed, simulated\n"
	       "\n");
}

static void test_csv(void **state)
{
	(void)state;
	run_results_process(0, UPCS_PPC)->left = 1;
	run_results_thread(0, 0);
	run_results_thread(0, 1);
	region("a,b");
	options.per_process = options.per_thread = true;
	events("FPU_FMA_2,PU1_FPU_FMA_2");
	expect(run_report_csv,
	       "scope,pid,tid,region,event,value,guest,seconds,version,exact\n"
	       "run,,,,FPU_FMA_2,2014801,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,,PU1_FPU_FMA_2,1012401,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,\"a,b\",FPU_FMA_2,2214821,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,\"a,b\",PU1_FPU_FMA_2,1112411,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "run,,,\"a,b\",entered,201,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,,FPU_FMA_2,2014801,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "process,1000,,\"a,b\",FPU_FMA_2,2214821,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,,FPU_FMA_2,1002400,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2000,\"a,b\",FPU_FMA_2,1102410,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2001,,FPU_FMA_2,1012401,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "thread,1000,2001,\"a,b\",FPU_FMA_2,1112411,32-bit PowerPC,1.250000," UPC_VERSION_STRING ",yes\n"
	       "note,,,,\"1 process has executed a program that could not be simulated, as one that is "
	       "set-user-id or of another user: it ran, and is not in the counts\",,32-bit PowerPC,1.250000,"
	       UPC_VERSION_STRING ",\n");
}

static void test_json(void **state)
{
	(void)state;
	run_results_process(0, UPCS_AARCH64);
	run_results_thread(0, 0);
	run_results_thread(0, 3);
	region("so\"lve");
	options.per_process = options.per_thread = true;
	report.status = 3 << 8;
	events("BR_INS,PU3_IPIPE_BRANCHES");
	expect(run_report_json,
	       "{\n"
	       "  \"tool\": \"upc_run\",\n"
	       "  \"version\": \"" UPC_VERSION_STRING "\",\n"
	       "  \"command\": [\n"
	       "    \"./solver\",\n"
	       "    \"-n\",\n"
	       "    \"8\"\n"
	       "  ],\n"
	       "  \"guest\": \"AArch64\",\n"
	       "  \"randomised\": false,\n"
	       "  \"children\": true,\n"
	       "  \"seconds\": 1.25,\n"
	       "  \"exit_status\": 3,\n"
	       "  \"processes\": 1,\n"
	       "  \"threads\": 2,\n"
	       "  \"cores\": [\n"
	       "    0,\n"
	       "    3\n"
	       "  ],\n"
	       "  \"counts\": {\n"
	       "    \"sum\": {\n"
	       "      \"exact\": true,\n"
	       "      \"BR_INS\": 2011801\n"
	       "    },\n"
	       "    \"PU3\": {\n"
	       "      \"exact\": true,\n"
	       "      \"IPIPE_BRANCHES\": 1010901\n"
	       "    }\n"
	       "  },\n"
	       "  \"regions\": [\n"
	       "    {\n"
	       "      \"name\": \"so\\\"lve\",\n"
	       "      \"found\": true,\n"
	       "      \"entered\": 201,\n"
	       "      \"counts\": {\n"
	       "        \"sum\": {\n"
	       "          \"exact\": true,\n"
	       "          \"BR_INS\": 2211821\n"
	       "        },\n"
	       "        \"PU3\": {\n"
	       "          \"exact\": true,\n"
	       "          \"IPIPE_BRANCHES\": 1110911\n"
	       "        }\n"
	       "      }\n"
	       "    }\n"
	       "  ],\n"
	       "  \"by_process\": [\n"
	       "    {\n"
	       "      \"pid\": 1000,\n"
	       "      \"parent\": 1,\n"
	       "      \"program\": \"program-0\",\n"
	       "      \"guest\": \"AArch64\",\n"
	       "      \"state\": \"ended\",\n"
	       "      \"seconds\": 0.25,\n"
	       "      \"threads\": 2,\n"
	       "      \"counts\": {\n"
	       "        \"exact\": true,\n"
	       "        \"IPIPE_BRANCHES\": 2011801,\n"
	       "        \"BR_INS\": 2011801\n"
	       "      },\n"
	       "      \"regions\": {\n"
	       "        \"so\\\"lve\": {\n"
	       "          \"exact\": true,\n"
	       "          \"IPIPE_BRANCHES\": 2211821,\n"
	       "          \"BR_INS\": 2211821\n"
	       "        }\n"
	       "      }\n"
	       "    }\n"
	       "  ],\n"
	       "  \"by_thread\": [\n"
	       "    {\n"
	       "      \"pid\": 1000,\n"
	       "      \"tid\": 2000,\n"
	       "      \"number\": 0,\n"
	       "      \"core\": 0,\n"
	       "      \"counts\": {\n"
	       "        \"exact\": true,\n"
	       "        \"IPIPE_BRANCHES\": 1000900,\n"
	       "        \"BR_INS\": 1000900\n"
	       "      },\n"
	       "      \"regions\": {\n"
	       "        \"so\\\"lve\": {\n"
	       "          \"exact\": true,\n"
	       "          \"IPIPE_BRANCHES\": 1100910,\n"
	       "          \"BR_INS\": 1100910\n"
	       "        }\n"
	       "      }\n"
	       "    },\n"
	       "    {\n"
	       "      \"pid\": 1000,\n"
	       "      \"tid\": 2001,\n"
	       "      \"number\": 3,\n"
	       "      \"core\": 3,\n"
	       "      \"counts\": {\n"
	       "        \"exact\": true,\n"
	       "        \"IPIPE_BRANCHES\": 1010901,\n"
	       "        \"BR_INS\": 1010901\n"
	       "      },\n"
	       "      \"regions\": {\n"
	       "        \"so\\\"lve\": {\n"
	       "          \"exact\": true,\n"
	       "          \"IPIPE_BRANCHES\": 1110911,\n"
	       "          \"BR_INS\": 1110911\n"
	       "        }\n"
	       "      }\n"
	       "    }\n"
	       "  ],\n"
	       "  \"notes\": []\n"
	       "}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_core, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_cores, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_regions, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_few_operations, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_doubts, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_stat, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_csv, set_up, run_results_tear_down),
		cmocka_unit_test_setup_teardown(test_json, set_up, run_results_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
