/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_count.c - runs a program under the plugin and prints what the results hold, all of it:
 * what tests of the plugin compare.
 *
 *   sim_count [-c] [-r FUNCTION]... PLUGINS PROGRAM [ARGUMENT...]
 *
 * -c: children are not counted. A line a process: "process I STATE PROGRAM threads N ...", and a line
 * a thread and column: "thread I process N number N core N column N entered N NAME=TALLY...", where
 * those that are 0 are left out; and how the program ended. Options in SIM_COUNT_QEMU, separated by
 * single blanks, are put before those of the emulator.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load/emulator.h"
#include "load/exec.h"

extern char **environ;

static void find_qemus(struct upcs_options *options)
{
	char command[64];
	unsigned i;

	for (i = 0; i < UPCS_GUESTS; i++) {
		FILE *f;

		snprintf(command, sizeof(command), "command -v qemu-%s", upcs_guests[i].target);
		f = popen(command, "r");
		if (f && fgets(options->qemu[i], sizeof(options->qemu[i]), f))
			options->qemu[i][strcspn(options->qemu[i], "\n")] = 0;
		if (f)
			pclose(f);
	}
}

/* The directory of the modules, and which of them each emulator can load. */
static bool find_plugins(struct upcs_options *options, const char *where)
{
	unsigned i;

	for (i = 0; i < UPCS_GUESTS; i++)
		options->interface[i] = (uint32_t)upcs_emulator_interface(options->qemu[i]);
	return realpath(where, options->plugin);
}

static void print_thread(const struct upcs_results *results, uint32_t i)
{
	const struct upcs_thread *t = &results->thread[i];
	unsigned c, k;

	for (c = 0; c <= results->options.regions; c++) {
		printf("thread %u process %u number %u core %u column %u entered %llu", i, t->process,
		       t->number, t->core, c, c ? (unsigned long long)t->entered[c - 1] : 0);
		for (k = 0; k < UPCS_TALLIES; k++)
			if (t->tally[c][k])
				printf(" %s=%llu", upcs_tally_name[k], (unsigned long long)t->tally[c][k]);
		printf("\n");
	}
}

static void print_results(const struct upcs_results *results)
{
	static const char *const states[] = {"free", "making", "runs", "ended", "lost"};
	uint32_t i;

	for (i = 0; i < upcs_results_processes(results); i++) {
		const struct upcs_process *p = &results->process[i];

		printf("process %u %s %s threads %u unfolded %u found %x faults %u\n", i, states[p->state],
		       p->program, p->threads, p->unfolded, p->region_found, p->faults);
	}
	for (i = 0; i < upcs_results_threads(results); i++)
		if (results->thread[i].state != UPCS_FREE)
			print_thread(results, i);
}

static char *more_options;

/* The emulator with more options, and never freed. */
static char **with_options(char **argv)
{
	char **list = calloc(1024, sizeof(*list)), *word;
	size_t n = 0, i;

	if (!list)
		abort();
	list[n++] = argv[0];
	for (word = strtok(more_options, " "); word && n < 100; word = strtok(NULL, " "))
		list[n++] = word;
	for (i = 1; argv[i] && n < 1023; i++)
		list[n++] = argv[i];
	return list;
}

static int run(const struct upcs_command *command, char **argv)
{
	struct upcs_exec exec;
	int error = upcs_exec_make(command, argv[0], argv, environ, &exec), status;
	pid_t child;

	if (error) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(-error));
		return 2;
	}
	/* Orphans of the program come to us, so that all have ended when it is settled. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		personality(ADDR_NO_RANDOMIZE);
		argv = with_options(exec.argv);
		execve(argv[0], argv, exec.envp);
		_exit(127);
	}
	upcs_exec_free(&exec);
	error = -1;
	for (;;) {
		pid_t got = wait(&status);

		if (got < 0 && errno == ECHILD)
			return error;
		if (got == child)
			error = status;
	}
}

int main(int argc, char **argv)
{
	char path[UPCS_WORD_MAX];
	int lock;
	struct upcs_results *results = upcs_results_create(path, &lock);
	struct upcs_command command = {.results = path, .after = -1, .counted = true};
	int option, status;

	if (!results) {
		perror("sim_count: /dev/shm");
		return 2;
	}
	while ((option = getopt(argc, argv, "+cr:")) > 0) {
		if (option == 'c')
			results->options.children = UPCS_CHILDREN_OFF;
		else if (option == 'r' && results->options.regions < UPCS_REGIONS_MAX)
			snprintf(results->options.region[results->options.regions++], UPCS_WORD_MAX, "%s",
				 optarg);
		else
			argc = 0;
	}
	find_qemus(&results->options);
	if (argc - optind < 2 || !find_plugins(&results->options, argv[optind])) {
		fprintf(stderr, "sim_count [-c] [-r FUNCTION]... PLUGINS PROGRAM [ARGUMENT...]\n");
		upcs_results_destroy(results, path, lock);
		return 2;
	}
	for (unsigned i = 0; i < UPCS_GUESTS; i++)
		if (i != UPCS_X86_64)
			snprintf(results->options.prefix[i], UPCS_PREFIX_MAX, "/usr/%s",
				 upcs_guests[i].triplet);
	command.options = &results->options;
	more_options = strdup(getenv("SIM_COUNT_QEMU") ? getenv("SIM_COUNT_QEMU") : "");
	unsetenv("SIM_COUNT_QEMU"); /* the program has the same environment with and without it */
	status = run(&command, argv + optind + 1);
	upcs_results_settle(results, path);
	print_results(results);
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("exit %d\n", WEXITSTATUS(status));
	upcs_results_destroy(results, path, lock);
	return 0;
}
