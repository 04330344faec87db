/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_verdict.c - "no node stands apart" is said where it was seen, with how well; else why it is not
 * known.
 */
#include "../unit_test.h"
#include "jobstat/keep.h"
#include "jobstat/verdict.h"

static struct jobstat_metric metric[6];
static struct jobstat_node node[64];
static struct jobstat_job *job;

static void setup(unsigned metrics)
{
	static const char *const name[] = {"cpu.a", "cpu.b", "cpu.c", "cpu.d", "cpu.e", "cpu.f"};

	job = keep_job();
	assert_non_null(job);
	for (unsigned m = 0; m < metrics; m++)
		metric[m] = (struct jobstat_metric){
			.name = name[m], .comparison = JOBSTAT_COMPARED, .less = 0.2, .more = 0.2};
	job->metric = metric;
	job->metrics = metrics;
	for (unsigned k = 0; k < 64; k++)
		node[k].recorded = 1;
	job->node = node;
	job->nodes = 64;
	job->missing = job->unread_why = "";
}

static void says(enum jobstat_told told, const char *text)
{
	assert_int_equal(verdict_make(job), 0);
	assert_int_equal(job->told, told);
	assert_string_equal(job->verdict, text);
	for (unsigned m = 0; m < job->metrics; m++)
		assert_true(strncmp(metric[m].named_at, "-20/+20 %", 9) == 0 ||
			    strncmp(metric[m].named_at, "-34/+50 %", 9) == 0 ||
			    metric[m].comparison != JOBSTAT_COMPARED);
	jobstat_job_free(job);
}

TEST(seen)
{
	setup(2);
	says(JOBSTAT_TOLD_ALL,
	     "No node stands apart: a node 20 % below or 20 % above the median would have been named.");
	setup(3);
	metric[1].less = 0.3311;
	metric[1].more = 0.5;
	says(JOBSTAT_TOLD_ALL,
	     "No node stands apart: a node 20 to 34 % below or 20 to 50 % above the median would have been named, "
	     "depending on the metric (from cpu.a to cpu.b).");
	setup(1);
	job->finding = &(struct jobstat_finding){.bad = true};
	job->findings = 1;
	says(JOBSTAT_TOLD_ALL,
	     "No other node stands apart: a node 20 % below or 20 % above the median would have been named.");
}

TEST(not_in_all)
{
	setup(6);
	metric[5].comparison = JOBSTAT_NOT_COMPARED;
	metric[1].comparison = JOBSTAT_WIDE;
	metric[2].comparison = JOBSTAT_ZERO;
	metric[3].comparison = JOBSTAT_FEW;
	says(JOBSTAT_TOLD_PART,
	     "No node stands apart in 2 of 5 metrics: a node 20 % below or 20 % above the median would have been "
	     "named. In the others it cannot be told: nodes differ too much in cpu.b, so that one with half or "
	     "twice the median would not be named; compare nodes that should be alike (--nodes), or a longer "
	     "time; fewer than 5 nodes have values of cpu.d; most nodes have nothing of cpu.c.");
}

TEST(cannot)
{
	setup(5);
	for (unsigned m = 0; m < 5; m++)
		metric[m].comparison = JOBSTAT_FEW;
	says(JOBSTAT_TOLD_NOT,
	     "Whether a node stands apart cannot be told: fewer than 5 nodes have values of "
	     "cpu.a, cpu.b, cpu.c and 2 more.");
	setup(0);
	says(JOBSTAT_TOLD_NOT,
	     "Whether a node stands apart cannot be told: there is no counter whose rate could "
	     "be compared.");
}

TEST(missing)
{
	setup(1);
	job->unread = 417;
	job->unread_why = "Too many open files";
	says(JOBSTAT_TOLD_NOT,
	     "Whether a node stands apart cannot be told: 417 archives could not be read (the first: Too many "
	     "open files): make them readable, or leave them out, and ask again. No node of the 64 that were "
	     "read stands apart: a node 20 % below or 20 % above the median would have been named.");
	setup(1);
	metric[0].comparison = JOBSTAT_WIDE;
	job->missing = "nid[1-3]";
	says(JOBSTAT_TOLD_NOT,
	     "Whether a node stands apart cannot be told: there is no archive of nid[1-3]: give it, and ask again. "
	     "Nor can it be told of the 64 that were read: nodes differ too much in cpu.a, so that one with half "
	     "or twice the median would not be named; compare nodes that should be alike (--nodes), or a longer "
	     "time.");
}

/* Most nodes have no records: no finding names them, since the usual node has none. */
TEST(empty)
{
	setup(1);
	for (unsigned k = 0; k < 40; k++)
		node[k].recorded = 0;
	says(JOBSTAT_TOLD_NOT,
	     "Whether a node stands apart cannot be told: 40 of 64 nodes have no records of the time: see to their "
	     "archives, or leave them out (--nodes). No node of the 24 that were read stands apart: a node 20 % "
	     "below or 20 % above the median would have been named.");
}

UNIT_TESTS(jobstat_verdict, NULL, NULL)
