/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_run.c - runs a program on a simulated Blue Gene/P node, and prints its counts.
 *
 * The simulator is a plugin of the emulator. Its options and its counts are in a file in shared memory
 * (src/sim/count/results.h), which upc_run creates before the run and reads afterwards.
 *
 * Terms: run/run_counts.h.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <time.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/output.h"
#include "count/leftover.h"
#include "run/run_gather.h"
#include "run/run_guest.h"
#include "run/run_progress.h"
#include "run/run_regions.h"
#include "run/run_report.h"
#include "run/run_tidy.h"
#include "run/run_unit.h"
#include "lib/stat_run.h"

/* Time in ns between two calls of run_gather, which frees records for new processes and threads. */
#define GATHER_EVERY_NS 100000000

struct session {
	struct run_options options;
	struct run_guest guest;
	struct stat_run run;
	struct upcs_results *results;
	char path[UPCS_WORD_MAX]; /* path of the results file */
	int lock;                 /* descriptor that holds the lock on the results file */
	struct run_tidy tidy;     /* removes the results if upc_run is killed */
	struct run_gathered gathered;
	struct run_unit *unit; /* NULL: no unit is shown */
	struct util_output output;
};

/* ---- before the run ------------------------------------------------------------------------- */

static int make_results(struct session *s)
{
	int error;

	upcs_leftover_remove();
	s->results = upcs_results_create(s->path, &s->lock);
	if (s->results != NULL)
		return 0;
	error = errno;
	if (error == ENOENT || error == ENOTDIR)
		util_error("there is no shared memory, which the counts go to: mount a tmpfs at /dev/shm");
	else if (error == ENOSPC || error == ENOMEM || error == EDQUOT)
		util_error("shared memory is full (%s): remove what is not needed in /dev/shm, or mount it "
			   "with a larger size",
			   strerror(error));
	else if (error == EFBIG)
		util_error("files may not be as large as that of the counts, %zu MB: ulimit -f unlimited",
			   (sizeof(*s->results) >> 20) + 1);
	else
		util_error("cannot make a file in /dev/shm for the counts: %s", strerror(error));
	return RUN_ERROR;
}

static int make_session_unit(struct session *s)
{
	if (s->options.unit == NULL)
		return 0;
	s->unit = run_unit_create(s->options.unit, s->options.unit_cores);
	if (s->unit == NULL)
		return RUN_ERROR;
	snprintf(s->results->options.unit, sizeof(s->results->options.unit), "%s", run_unit_name(s->unit));
	return 0;
}

/* Remove the run's files and unit from shared memory. */
static void clear_session(struct session *s)
{
	run_unit_destroy(s->unit);
	s->unit = NULL;
	if (s->results != NULL)
		upcs_results_destroy(s->results, s->path, s->lock);
	s->results = NULL;
	run_tidy_end(&s->tidy);
}

static int set_up_session(struct session *s)
{
	struct upcs_options *filled;
	int status = run_guest_find(&s->guest, s->options.command[0]);

	if (status != 0)
		return status;
	filled = calloc(1, sizeof(*filled));
	if (filled == NULL) {
		util_error("out of memory");
		return RUN_ERROR;
	}
	status = run_guest_options(&s->guest, &s->options, filled);
	if (status == 0)
		status = run_regions_check(&s->guest, &s->options, filled);
	if (status == 0)
		status = util_output_open(&s->output, s->options.output, stderr);
	/* From here on a signal is passed to the program, and ends upc_run after the program has ended, so
	 * that nothing is left in shared memory. */
	if (status == 0 && stat_run_begin(&s->run) != 0)
		status = RUN_ERROR;
	if (status == 0)
		status = make_results(s);
	if (status == 0) {
		s->results->options = *filled;
		if (s->options.functions && !upcs_functions_begin(&s->results->functions)) {
			util_error(
				"shared memory is full: there is no room for a table of functions in /dev/shm");
			status = RUN_ERROR;
		}
	}
	if (status == 0) {
		s->results->options.watched =
			s->options.unit != NULL || run_progress_is_shown(s->options.progress);
		run_tidy_begin(&s->tidy, s->results, s->path, s->lock);
		status = make_session_unit(s);
	}
	free(filled);
	return status;
}

/* ---- while the program runs -------------------------------------------------------------------- */

/* Disable address randomisation for the emulator, which inherits it, so that all runs have the same
 * addresses. */
static void fix_addresses(const struct run_options *options)
{
	int now = personality(0xffffffff);

	/* If a sandbox forbids this, counts are still exact, except for work that depends on addresses. */
	if (!options->randomise && now != -1)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* Let the program's libupc count the simulator's events, unless the user has set UPC_SOURCE. */
static bool choose_unit_source(void)
{
	if (setenv("UPC_SOURCE", "sim", 0) == 0)
		return true;
	util_error("out of memory");
	return false;
}

static int spawn_simulated_program(struct session *s)
{
	struct upcs_exec exec;
	int status;

	if (!choose_unit_source())
		return RUN_ERROR;
	status = run_guest_exec(&s->guest, &s->results->options, s->path, s->options.command, &exec);
	if (status != 0)
		return status;
	fix_addresses(&s->options);
	status = stat_run_spawn(&s->run, exec.argv, exec.envp) == 0 ? 0 : RUN_ERROR;
	upcs_exec_free(&exec);
	return status;
}

/* Return the earlier of two times; -1 means no time. */
static int64_t sooner_time(int64_t a, int64_t b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

/* Ask for counts, and give the processes time to fold. */
static void ask_now(struct upcs_results *results)
{
	const struct timespec time = {.tv_nsec = 2000000};

	upcs_results_ask(results);
	nanosleep(&time, NULL);
}

static void wait_for_simulated_end(struct session *s, int64_t start)
{
	int64_t show = s->unit != NULL ? start : -1, gather = start + GATHER_EVERY_NS, due;
	struct run_progress_line line;

	run_gather_begin(&s->gathered, s->results, s->options.per_thread, s->options.per_process);
	s->gathered.program = s->run.pid;
	run_progress_begin(&line, s->options.progress, start);
	due = run_progress_due(&line);
	while (stat_run_wait(&s->run, sooner_time(gather, sooner_time(due, show))) != STAT_WAKE_END) {
		if (stat_run_now() >= gather) {
			run_gather(&s->gathered, s->results, s->path);
			gather = stat_run_now() + GATHER_EVERY_NS;
		}
		if (show >= 0 && stat_run_now() >= show) {
			run_unit_update(s->unit, &s->gathered.counts, s->results);
			upcs_results_ask(s->results);
			show = stat_run_now() + RUN_UNIT_EVERY_NS;
		}
		if (due >= 0 && stat_run_now() >= due) {
			ask_now(s->results);
			run_progress_show(&line, &s->gathered.counts, s->results, stat_run_now());
			due = run_progress_due(&line);
		}
	}
	run_progress_end(&line);
}

/* ---- after the run ------------------------------------------------------------------------------ */

/* Report an emulator that ended before the program began. Return an exit status, or 0 if a signal ended the
 * emulator, whose status upc_run then returns. */
static int nothing_ran(const struct session *s, int status)
{
	const char *qemu = s->results->options.qemu[s->guest.guest];
	struct rlimit memory;
	bool limited = getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;

	if (s->run.exec_error != 0) {
		util_error("cannot run the emulator '%s': %s", qemu, strerror(s->run.exec_error));
		return RUN_ERROR;
	}
	/* Without memory the emulator ends with an exit status, SIGABRT or SIGSEGV. */
	if (limited && (!WIFSIGNALED(status) || WTERMSIG(status) == SIGABRT || WTERMSIG(status) == SIGSEGV)) {
		util_error(
			"nothing was counted: '%s' ended before the program began; it may have %llu MB of address "
			"space, and needs more: ulimit -v unlimited",
			qemu, (unsigned long long)memory.rlim_cur >> 20);
		return RUN_ERROR;
	}
	if (WIFSIGNALED(status)) {
		util_error("nothing was counted: '%s' was ended by signal %d (%s) before the program began",
			   qemu, WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 0;
	}
	util_error("nothing was counted: '%s' ended before the program began; it has to be QEMU 7.2 or "
		   "later with plugins, and able to load '%s'",
		   qemu, s->results->options.plugin);
	return RUN_ERROR;
}

/* The report lists the missing counts; this message says that some are missing. */
static int judge_run_counts(const struct run_counts *counts)
{
	if (run_counts_are_whole(counts))
		return 0;
	util_error(
		"not all was counted: %s",
		counts->no_memory
			? "there is no memory left in /dev/shm: remove what is not needed there, or mount it with a "
			  "larger size"
			: "the report says what is missing");
	return RUN_ERROR;
}

static int make_functions(struct session *s, struct run_report *report)
{
	if (!s->options.functions)
		return 0;
	if (s->gathered.function != NULL &&
	    run_functions_make(&report->functions, &s->results->functions, s->gathered.function,
			       &report->counts.whole) == 0)
		return 0;
	util_error("out of memory");
	return RUN_ERROR;
}

static int print_report(struct session *s, double seconds, int status)
{
	struct run_report report = {
		.out = s->output.file,
		.options = &s->options,
		.results = s->results,
		.seconds = seconds,
		.status = status,
		.gathered = &s->gathered,
	};
	int failed, without;

	run_gather_rest(&s->gathered, s->results, s->path);
	report.counts = s->gathered.counts;
	without = make_functions(s, &report);
	run_events_seen(&s->options.events, &report.counts.sum[0]);
	/* The last values that monitors see are those of the report. */
	if (s->unit != NULL)
		run_unit_finish(s->unit, &report.counts);
	run_unit_destroy(s->unit);
	s->unit = NULL;
	util_output_begin(&s->output);
	errno = 0;
	failed = util_output_made(&s->output, run_report_print(&report, s->options.form));
	if (util_output_end(&s->output) != 0)
		failed = RUN_ERROR;
	run_functions_free(&report.functions);
	return failed != 0 ? failed : without != 0 ? without : judge_run_counts(&report.counts);
}

static int simulate_program(struct session *s)
{
	int64_t start = stat_run_now(), end;
	struct rusage usage;
	int status, error = 0;

	stat_run_release(&s->run);
	wait_for_simulated_end(s, start);
	end = stat_run_now();
	status = stat_run_reap(&s->run, &usage);
	/* The emulator may have loaded the plugin, but no instruction began. */
	if (upcs_results_processes(s->results) == 0 ||
	    (upcs_results_threads(s->results) == 0 && s->results->threads.without == 0))
		error = nothing_ran(s, status);
	else
		error = print_report(s, (double)(end - start) / 1e9, status);
	run_gather_end(&s->gathered);
	util_output_drop(&s->output);
	/* Called before stat_run_exit_status, which does not return after a signal. */
	clear_session(s);
	return error != 0 ? error : stat_run_exit_status(status);
}

int main(int argc, char **argv)
{
	struct session session = {.path = ""};
	int status;

	util_begin("upc_run");
	if (run_options_parse(&session.options, argc, argv, &status) != 0)
		return status;
	status = set_up_session(&session);
	if (status == 0)
		status = spawn_simulated_program(&session);
	if (status == 0)
		status = simulate_program(&session);
	util_output_drop(&session.output);
	clear_session(&session);
	run_regions_free(&session.options);
	return status;
}
