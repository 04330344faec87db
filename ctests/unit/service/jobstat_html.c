/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html.c - jobs as pages: which node stands for a job, what is in the page of one and of seven, and
 * that what was not counted is a gap. With a file and a number it writes a page of so many jobs there, for a
 * browser.
 */
#include <errno.h>

#include "jobstat/jobstat_html.h"
#include "jobstat/jobstat_html_parts.h"

#include "../unit_test.h"
#include "../../lib/jobstat_made.h"

const char jobstat_locality[] = "Each miss is taken as a load from the memory of its NUMA node.";

static unsigned freed;

void jobstat_job_free(struct jobstat_job *job)
{
	freed++;
	made_free(job);
}

/* ---- numbers --------------------------------------------------------------------------------- */

TEST(representative)
{
	struct jobstat_job *job = made_job("1", 9, 120, true);
	struct html_choice choice;
	unsigned i;
	int node;

	for (i = 0; i < 9; i++)
		job->node[i].value[1].mean = 1000 + i;
	/* The median is node 4's. */
	node = html_representative(job, 1, &choice);
	assert_int_equal(node, 4);
	assert_true(choice.median == 1004 && choice.whole);
	assert_int_equal(choice.nodes, 9);
	assert_int_equal(choice.among, 7); /* without the bad one, and the one that was taken */
	job->node[4].value[1].covered = .5;
	assert_int_equal(html_representative(job, 1, &choice), 5);
	job->finding[0].first_node = 5;
	/* 3 was taken for a while; 2 and 6 are as near. */
	assert_int_equal(html_representative(job, 1, &choice), 2);
	for (i = 0; i < 9; i++)
		job->node[i].value[1].covered = .2;
	assert_int_equal(html_representative(job, 1, &choice), 4);
	assert_false(choice.whole);
	for (i = 0; i < 9; i++)
		job->node[i].value[1].mean = NAN;
	assert_int_equal(html_representative(job, 1, &choice), -1);
	made_free(job);
}

TEST(without_first_and_last)
{
	const double a[] = {NAN, 100, 1, NAN, 3, 50, NAN}, b[] = {1, 2}, c[] = {NAN, 7, NAN};

	assert_true(html_inner_mean(a, 7) == 2);
	assert_true(html_inner_most(a, 7) == 3);
	assert_true(isnan(html_inner_mean(b, 2)) && isnan(html_inner_most(b, 2)));
	assert_true(isnan(html_inner_mean(c, 3)) && isnan(html_inner_mean(c, 0)));
	assert_true(html_inner_mean((const double[]){9, 5, 9}, 3) == 5);
}

/* A step of which most is missing has no spread that others have. */
TEST(spread)
{
	struct jobstat_job *job = made_job("1", 20, 60, false);

	assert_int_equal(job->point[0][40].nodes, 19);
	assert_true(html_spread(job, 0, 40) == job->point[0][40].sd);
	job->point[0][10].nodes = 17;
	job->point[0][11].nodes = 1;
	assert_true(isnan(html_spread(job, 0, 10)) && isnan(html_spread(job, 0, 11)));
	made_free(job);
}

TEST(words)
{
	const struct jobstat_lost lost = {.taken = .25, .record = .005};
	char text[120], little[8], time[HTML_TIME_MAX];

	html_why_not(&lost, text, sizeof(text));
	assert_string_equal(text, "taken 25 %, no record 0.5 %");
	html_why_not(&lost, little, sizeof(little));
	assert_string_equal(little, "taken 2");
	html_why_not(&(struct jobstat_lost){.taken = NAN}, text, sizeof(text));
	assert_string_equal(text, "");
	html_format_time(1792000000000000000, time);
	assert_string_equal(time, "2026-10-14 17:46:40 UTC");
	html_format_time(INT64_MAX, time);
	html_format_time(INT64_MIN, time);
	html_format_span(3723.4, time);
	assert_string_equal(time, "1:02:03");
	html_format_span(NAN, time);
	html_format_span(INFINITY, time);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int write_page(FILE *out, unsigned jobs, unsigned nodes)
{
	static const char *const id[] = {"good-1", "bad-1",     "good-2", "good-3",
					 "bad-2",  "bad-3 <i>", "good-4"};
	struct jobstat_report *report = jobstat_html_create(out);
	unsigned i;
	int error;

	assert_non_null(report);
	assert_int_equal(report->begin(report), 0);
	for (i = 0; i < jobs; i++)
		assert_int_equal(report->job(report, made_job(jobs == 1 ? "" : id[i % 7], nodes,
							      180 - i % 7 * 6, *id[i % 7] == 'b')),
				 0);
	error = report->end(report);
	jobstat_html_free(report);
	return error;
}

static char *page_of(unsigned jobs, unsigned nodes)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(write_page(out, jobs, nodes), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST(one_job)
{
	char *page = page_of(1, 20);

	assert_non_null(strstr(page, "<h1>Counters of nodes</h1>"));
	assert_non_null(strstr(page, "<figcaption>FLOP rate of the job</figcaption>"));
	assert_non_null(strstr(page, "Spread over nodes: standard deviation of the FLOP rate"));
	assert_non_null(strstr(page, "0:40:00 to 0:56:00: 1 of 20 nodes without a value"));
	/* 20 nodes: an even number has its median between two of them. */
	assert_non_null(
		strstr(page, " stands for the job: its mean is the nearest to the median of 20 nodes"));
	assert_non_null(strstr(page, "100 % is 25.600 GB/s: the stated peak of a NUMA node"));
	/* Table III's first row, in MB/s. */
	assert_non_null(strstr(page, ">\xe2\x89\xa4 12.20</td>"));
	assert_non_null(strstr(page, ">1.81</td>"));
	assert_non_null(strstr(page, ">45.70</td>"));
	assert_non_null(strstr(page, jobstat_locality));
	assert_int_equal(times_in(page, ">-23/+34 %</"), 1);
	assert_non_null(strstr(page, ">counters were taken by pid 4711 (perf)"));
	assert_null(strstr(page, "Runs side by side"));
	free(page);
}

TEST(seven_jobs)
{
	char *page = page_of(7, 12);

	assert_non_null(strstr(page, "<h1>7 jobs</h1>"));
	assert_int_equal(times_in(page, "one line a run</figcaption>"), 1);
	assert_int_equal(times_in(page, ">good-1</th>"), 2);
	assert_int_equal(times_in(page, ">bad-3 &lt;i&gt;</th>"), 2);
	assert_int_equal(times_in(page, "<h2>Job "), 7);
	assert_int_equal(times_in(page, "which is named as bad (divergent)</figcaption>"), 3);
	assert_int_equal(times_in(page, "cannot be told: there is no archive of nid[020-021]."), 3);
	assert_int_equal(times_in(page, ">No node stands apart: a node 20 % below"), 4);
	assert_int_equal(times_in(page, "<b>"), 0);
	free(page);
}

/* More jobs than have parts, and one node only: nothing is compared. */
TEST(many_jobs)
{
	char *page;

	freed = 0;
	page = page_of(40, 1);
	assert_int_equal(freed, 40);
	assert_int_equal(times_in(page, "<h2>Job "), 24);
	assert_non_null(strstr(page, "The first 24 jobs follow; the others are in the table only."));
	assert_null(strstr(page, "Spread over nodes: standard"));
	free(page);
	page = page_of(0, 1);
	assert_non_null(strstr(page, "There is no job."));
	free(page);
}

TEST(without_roles)
{
	struct jobstat_job *job = made_job("1", 6, 100, false);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct jobstat_report *report = jobstat_html_create(out);

	job->flops = job->bandwidth = -1;
	job->rows = 0;
	job->n_lines = 0;
	job->findings = 0;
	assert_non_null(report);
	assert_int_equal(report->begin(report), 0);
	assert_int_equal(report->job(report, job), 0);
	assert_int_equal(report->end(report), 0);
	fclose(out);
	assert_non_null(strstr(text, "<figcaption>node.flops of a node</figcaption>"));
	assert_non_null(
		strstr(text, "No node stands apart: a node 20 % below the median would have been named."));
	free(text);
	jobstat_html_free(report);
}

/* Bandwidth of CPUs, more of them than are drawn: the others are told of. */
TEST(many_places)
{
	struct jobstat_job *job = made_job("1", 5, 60, false);
	struct jobstat_value *value = &job->node[2].value[1];
	struct jobstat_line *line = job->lines[1].line;
	struct jobstat_report *report;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned i;

	job->metric[1].scope = JOBSTAT_CPU;
	value->place = realloc(value->place, 40 * sizeof(*value->place));
	job->lines[1].line = calloc(job->lines[1].lines + 40, sizeof(*line));
	memcpy(job->lines[1].line, line, job->lines[1].lines * sizeof(*line));
	free(line);
	for (i = MADE_NUMA; i < 40; i++) {
		value->place[i] = (struct jobstat_place){.number = (int)i, .name = made_name("cpu%u", i)};
		job->lines[1].line[job->lines[1].lines++] =
			(struct jobstat_line){2, (int)i, calloc(60, sizeof(float))};
	}
	value->places = 40;
	for (i = 0; i < 5; i++)
		job->node[i].value[1].mean = 1000 + i;
	report = jobstat_html_create(out);
	assert_non_null(report);
	assert_int_equal(report->begin(report), 0);
	assert_int_equal(report->job(report, job), 0);
	assert_int_equal(report->end(report), 0);
	fclose(out);
	assert_non_null(strstr(text, "<figcaption>Memory bandwidth of nid002</figcaption>"));
	assert_non_null(strstr(text, "</svg>cpu23</th>"));
	assert_null(strstr(text, "</svg>cpu24</th>"));
	assert_non_null(strstr(text, "Not drawn of the lines: 16<"));
	free(text);
	jobstat_html_free(report);
}

TEST(full_disk)
{
	FILE *out = fopen("/dev/full", "w");

	if (!out)
		skip();
	assert_int_equal(write_page(out, 1, 5), -1);
	fclose(out);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		FILE *out = fopen(argv[1], "w");
		const int error = out ? write_page(out, (unsigned)atoi(argv[2]), 20) : -1;

		return !out || fclose(out) || error;
	}
	return run_own_tests(NULL, NULL);
}
