/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_runs.c - what several runs of one program have counted.
 */
#include "stat/stat_runs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/list.h"

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

double stat_user_seconds(const struct rusage *usage)
{
	return seconds_of(usage->ru_utime);
}

double stat_system_seconds(const struct rusage *usage)
{
	return seconds_of(usage->ru_stime);
}

int stat_runs_add(struct stat_runs *runs, const struct stat_sample *sample, unsigned n_events)
{
	struct stat_one_run *run;

	if (!util_grow(&runs->run, runs->n, sizeof(*run)) ||
	    !util_grow(&runs->scratch, runs->n, sizeof(*runs->scratch)))
		return -1;
	if (runs->flags == NULL)
		runs->flags = calloc(n_events + 1, sizeof(*runs->flags));
	run = &runs->run[runs->n];
	*run = (struct stat_one_run){
		.seconds = sample->seconds,
		.status = sample->status,
		.timed_out = sample->timed_out,
		.usage = sample->usage,
		.values = malloc((n_events + 1) * sizeof(*run->values)),
	};
	if (runs->flags == NULL || run->values == NULL) {
		free(run->values);
		return -1;
	}
	memcpy(run->values, sample->values, n_events * sizeof(*run->values));
	for (unsigned i = 0; i < n_events; i++)
		runs->flags[i] |= sample->flags[i];
	runs->n++;
	return 0;
}

static double event_of(const struct stat_one_run *run, unsigned i)
{
	return (double)run->values[i];
}

static double elapsed_of(const struct stat_one_run *run, unsigned i)
{
	(void)i;
	return run->seconds;
}

static double user_of(const struct stat_one_run *run, unsigned i)
{
	(void)i;
	return stat_user_seconds(&run->usage);
}

static double system_of(const struct stat_one_run *run, unsigned i)
{
	(void)i;
	return stat_system_seconds(&run->usage);
}

static struct stat_spread spread_of_runs(const struct stat_runs *runs,
					 double (*get)(const struct stat_one_run *run, unsigned i),
					 unsigned i)
{
	for (unsigned k = 0; k < runs->n; k++)
		runs->scratch[k] = get(&runs->run[k], i);
	return stat_spread_of(runs->scratch, runs->n);
}

struct stat_spread stat_runs_event(const struct stat_runs *runs, unsigned i)
{
	return spread_of_runs(runs, event_of, i);
}

struct stat_spread stat_runs_seconds(const struct stat_runs *runs)
{
	return spread_of_runs(runs, elapsed_of, 0);
}

struct stat_spread stat_runs_user_seconds(const struct stat_runs *runs)
{
	return spread_of_runs(runs, user_of, 0);
}

struct stat_spread stat_runs_system_seconds(const struct stat_runs *runs)
{
	return spread_of_runs(runs, system_of, 0);
}

bool stat_run_failed(const struct stat_one_run *run)
{
	return !run->timed_out && (!WIFEXITED(run->status) || WEXITSTATUS(run->status) != 0);
}

unsigned stat_runs_failed(const struct stat_runs *runs)
{
	unsigned failed = 0;

	for (unsigned k = 0; k < runs->n; k++)
		failed += stat_run_failed(&runs->run[k]);
	return failed;
}

void stat_runs_free(struct stat_runs *runs)
{
	for (unsigned k = 0; k < runs->n; k++)
		free(runs->run[k].values);
	free(runs->run);
	free(runs->flags);
	free(runs->scratch);
	*runs = (struct stat_runs){.n = 0};
}
