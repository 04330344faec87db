/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_runs.c - the counts of several runs of a program.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_runs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/list.h"

int stat_runs_add(struct stat_runs *runs, const struct stat_sample *sample, unsigned n_events)
{
	struct stat_one_run run = {
		.end = sample->end,
		.values = malloc((n_events + 1) * sizeof(*run.values)),
		.flags = malloc((n_events + 1) * sizeof(*run.flags)),
	};

	if (runs->flags == NULL)
		runs->flags = calloc(n_events + 1, sizeof(*runs->flags));
	if (runs->flags == NULL || run.values == NULL || run.flags == NULL ||
	    !util_grow(&runs->run, runs->n, sizeof(*runs->run)) ||
	    !util_grow(&runs->scratch, runs->n, sizeof(*runs->scratch))) {
		free(run.values);
		free(run.flags);
		return -1;
	}
	memcpy(run.values, sample->values, n_events * sizeof(*run.values));
	memcpy(run.flags, sample->flags, n_events * sizeof(*run.flags));
	for (unsigned i = 0; i < n_events; i++)
		runs->flags[i] = runs->n == 0 ? run.flags[i] : stat_flags_both(runs->flags[i], run.flags[i]);
	runs->run[runs->n++] = run;
	return 0;
}

struct stat_spread stat_runs_event(const struct stat_runs *runs, unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < runs->n; k++)
		if (!(runs->run[k].flags[i] & UPC_COUNTER_NEVER))
			runs->scratch[n++] = (double)runs->run[k].values[i];
	return stat_spread_of(runs->scratch, n);
}

struct stat_spread stat_runs_time(const struct stat_runs *runs, enum stat_time time)
{
	for (unsigned k = 0; k < runs->n; k++)
		runs->scratch[k] = runs->run[k].end.seconds[time];
	return stat_spread_of(runs->scratch, runs->n);
}

bool stat_run_failed(const struct stat_one_run *run)
{
	return !run->end.timed_out && (!WIFEXITED(run->end.status) || WEXITSTATUS(run->end.status) != 0);
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
	for (unsigned k = 0; k < runs->n; k++) {
		free(runs->run[k].values);
		free(runs->run[k].flags);
	}
	free(runs->run);
	free(runs->flags);
	free(runs->scratch);
	*runs = (struct stat_runs){.n = 0};
}
