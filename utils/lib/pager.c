/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pager.c - shows long output on a terminal in a pager, and decides on colours.
 */
#include "lib/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/common.h"
#include "lib/options.h"

static pid_t pager; /* 0: none */

int util_pager_colour(const char *word, bool *colour)
{
	static const char *const words[] = {"auto", "always", "never", NULL};
	int choice = word == NULL ? 0 : util_option_word("--color", words, word);

	*colour = choice == 0 ? util_colour(stdout) : choice == 1;
	return choice < 0 ? -1 : 0;
}

/* Return the pager's command, or NULL if none is to be used. */
static const char *pager_command(void)
{
	const char *term = getenv("TERM"), *command = getenv("UPC_PAGER");

	if (!isatty(STDOUT_FILENO) || term == NULL || strcmp(term, "dumb") == 0)
		return NULL;
	if (command == NULL)
		command = getenv("PAGER");
	if (command == NULL)
		command = "less";
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Run the pager in the child process, with the pipe `from` as its input. If the command does not exist, the
 * shell executes cat. Does not return. */
static void pager_run(const char *command, int from)
{
	static const char script[] = "command -v \"${1%% *}\" > /dev/null 2>&1 || exec cat\neval \"$1\"";

	setenv("LESS", "FRX", 0);
	if (dup2(from, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", script, "sh", command, (char *)NULL);
	_exit(UTIL_CANNOT_RUN);
}

void util_pager_begin(void)
{
	const char *command = pager_command();
	char columns[16];
	int end[2];

	if (command == NULL || pipe(end) != 0)
		return;
	snprintf(columns, sizeof(columns), "%u", util_width(stdout));
	fflush(stdout);
	pager = fork();
	if (pager == 0) {
		close(end[1]);
		pager_run(command, end[0]);
	}
	if (pager > 0 && dup2(end[1], STDOUT_FILENO) >= 0) {
		setenv("COLUMNS", columns, 1);
		signal(SIGPIPE, SIG_IGN);
	}
	if (pager < 0)
		pager = 0;
	close(end[0]);
	close(end[1]);
}

int util_pager_end(void)
{
	int result;

	if (pager == 0)
		return util_flush(stdout, "standard output");
	errno = 0;
	result = fflush(stdout) == 0 || errno == EPIPE ? 0 : -1;
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	if (result != 0)
		util_error("cannot write to the pager: %s", strerror(EIO));
	return result;
}
