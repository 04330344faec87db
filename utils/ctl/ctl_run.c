/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ctl_run.c - runs a command while the service yields all hardware counters.
 *
 * The yield lasts as long as the connection to the service. Only this process has the connection, so the
 * counters resume when this process ends in any way, even if the command or its children continue. If the
 * service ends and is started again meanwhile, this process asks it again to yield.
 *
 * Terms: ctl/ctl_sheet.h.
 */
#include "ctl/ctl_run.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/common.h"
#include "lib/stat_run.h"

#define RETRY_NS 500000000 /* interval between attempts to reach a service that has ended */
#define RETRY_WAIT_MS 5000 /* time limit for the service's answer, while signals are blocked */
#define RESUME_WAIT_MS 5000

/* Format "for=" and the last component of the program's path. A path may have any bytes, so the component
 * goes through util_put. */
static void program_word(const char *program, char *word, size_t size)
{
	const char *name = strrchr(program, '/');
	FILE *out = fmemopen(word, size, "w");

	word[0] = '\0';
	if (out == NULL)
		return;
	fputs("for=", out);
	util_put(out, name != NULL && name[1] != '\0' ? name + 1 : program, 64);
	fclose(out);
}

/* Ask the service to yield the counters. Return 0, or -1 with the reason in control->why. */
static int yield_counters(struct util_control *control, const char *program)
{
	char what[1000];
	const char *const word[] = {"yield", what};
	json_t *answer;
	bool ok;

	program_word(program, what, sizeof(what));
	answer = util_control_ask(control, word, 2);
	ok = json_is_true(json_object_get(answer, "ok"));

	if (answer != NULL && !ok)
		snprintf(control->why, sizeof(control->why), "the service does not step aside: %s",
			 json_string_value(json_object_get(answer, "message")));
	json_decref(answer);
	return ok ? 0 : -1;
}

/* Ask the service to resume its counters, and wait for the answer. If this fails, the service resumes them
 * when the connection closes. */
static void resume_service(struct util_control *control)
{
	static const char *const word[] = {"resume"};

	if (control->fd < 0)
		return;
	control->wait_ms = RESUME_WAIT_MS;
	json_decref(util_control_ask(control, word, 1));
}

/* Return true if the service closed the connection. No request is pending, so any readable data can only be
 * the end of the stream. */
static bool has_control_ended(const struct util_control *control)
{
	char byte;

	return recv(control->fd, &byte, 1, MSG_DONTWAIT) >= 0;
}

static void try_again(struct util_control *control, const char *program)
{
	char path[sizeof(control->path)];

	snprintf(path, sizeof(path), "%s", control->path);
	util_control_close(control);
	if (util_control_open(control, path) != 0)
		return;
	control->wait_ms = RETRY_WAIT_MS;
	if (yield_counters(control, program) == 0)
		util_error("the service is back, and has stepped aside again");
	else
		util_control_close(control);
}

/* Wait until the command has ended. If the service ends, try to reach the service again. */
static void wait_for_command_end(struct util_control *control, struct stat_run *run, const char *program)
{
	for (;;) {
		int64_t deadline = control->fd < 0 ? stat_run_now() + RETRY_NS : -1;

		run->other = control->fd;
		if (stat_run_wait(run, deadline) == STAT_WAKE_END)
			return;
		if (control->fd < 0) {
			try_again(control, program);
		} else if (has_control_ended(control)) {
			util_error("the service at %s has ended; it will be asked again when it is back",
				   control->path);
			util_control_close(control);
		}
	}
}

int ctl_run(struct util_control *control, char *const *argv)
{
	struct stat_run run;
	int status;

	/* Ask before stat_run_begin blocks signals, so that the user can interrupt a wait for the service. */
	if (yield_counters(control, argv[0]) != 0) {
		util_error("%s; '%s' was not run", control->why, argv[0]);
		return UTIL_FAILED;
	}
	if (stat_run_begin(&run) != 0 || stat_run_spawn(&run, argv, NULL) != 0)
		return UTIL_FAILED;
	stat_run_release(&run);
	wait_for_command_end(control, &run, argv[0]);
	status = stat_run_reap(&run, NULL);
	resume_service(control);
	if (run.exec_error != 0)
		return util_cannot_run(argv[0], run.exec_error);
	return stat_run_exit_status(status);
}
