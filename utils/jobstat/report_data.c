/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_data.c - jobs as CSV, with headings once, and as JSON, with one text for each job.
 */
#include <errno.h>
#include <stdlib.h>

#include "jobstat/jobstat_sheet.h"
#include "jobstat/report.h"

struct data {
	struct jobstat_report report; /* first member; the receiver is cast to struct data */
	struct util_output *output;
};

static int begin_csv(struct jobstat_report *report)
{
	struct jobstat_sheet sheet;

	jobstat_sheet_make(&sheet, NULL);
	sheet_csv_begin(((struct data *)report)->output->file, &sheet.sheet);
	return 0;
}

static int put_job_data(struct jobstat_report *report, struct jobstat_job *job,
			bool (*write)(FILE *out, const struct sheet *sheet))
{
	struct util_output *output = ((struct data *)report)->output;
	struct jobstat_sheet sheet;
	bool done;

	jobstat_sheet_make(&sheet, job);
	errno = 0;
	done = write(output->file, &sheet.sheet);
	jobstat_job_free(job);
	return util_output_made(output, done);
}

static int put_job_csv(struct jobstat_report *report, struct jobstat_job *job)
{
	return put_job_data(report, job, sheet_csv);
}

static int put_job_json(struct jobstat_report *report, struct jobstat_job *job)
{
	return put_job_data(report, job, sheet_json);
}

struct jobstat_report *report_data(struct util_output *output, bool csv)
{
	struct data *data = calloc(1, sizeof(*data));

	if (data == NULL)
		return NULL;
	data->report = csv ? (struct jobstat_report){.begin = begin_csv, .job = put_job_csv}
			   : (struct jobstat_report){.job = put_job_json};
	data->output = output;
	return &data->report;
}
