/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_children.c - the processes of a private node. Each is ended by the kernel when upc_serve ends
 * (PR_SET_PDEATHSIG). Orphans of the children become children of upc_serve (PR_SET_CHILD_SUBREAPER), so that
 * upc_serve can end and reap all of them. If upc_serve is killed, a file lists the processes that are left,
 * with their start times, since PIDs are reused.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_children.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/common.h"

#define RECORD "processes"

/* ---- starting ----------------------------------------------------------------------------- */

/* Remove variables that would lead PCP's programs elsewhere. */
static void clean_environment(void)
{
	for (char **e = environ; *e;) {
		char name[128];
		size_t n = strcspn(*e, "=");

		if ((strncmp(*e, "PCP_", 4) && strncmp(*e, "PMCD_", 5) && strncmp(*e, "PMPROXY_", 8) &&
		     strncmp(*e, "PMLOGGER_", 9) && strncmp(*e, "PMDA_", 5)) ||
		    n >= sizeof(name)) {
			e++;
			continue;
		}
		memcpy(name, *e, n);
		name[n] = '\0';
		if (unsetenv(name) != 0)
			e++;
	}
}

static bool become_nobody(const struct serve_nobody *nobody)
{
	if (!nobody || nobody->uid == geteuid())
		return true;
	return setgroups(0, NULL) == 0 && setresgid(nobody->gid, nobody->gid, nobody->gid) == 0 &&
	       setresuid(nobody->uid, nobody->uid, nobody->uid) == 0 && setuid(0) != 0;
}

/* Open the program and the directory of its libraries with upc_serve's rights: the child may be unable to
 * reach them by name. Return the program's descriptor; -1: an error. */
static int open_child_program(const struct serve_child *child, char libraries[64])
{
	int at = open(child->libraries, O_PATH | O_DIRECTORY);

	snprintf(libraries, 64, "/proc/self/fd/%d", at);
	return at < 0 ? -1 : open(child->program, O_PATH | O_CLOEXEC);
}

_Noreturn static void run_child_program(const struct serve_child *child, pid_t parent)
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR), log, program = -1;
	char libraries[64];

	sigemptyset(&none);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0); /* Ctrl-C must reach upc_serve only, which ends the children in order */
	log = open(child->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (null < 0 || log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
		_exit(126);
	if (null > 2)
		close(null);
	if (child->libraries) {
		program = open_child_program(child, libraries);
		if (program < 0) {
			fprintf(stderr, "%s: %s\n", child->program, strerror(errno));
			_exit(127);
		}
	}
	if (chdir(child->where) != 0 || !become_nobody(child->nobody)) {
		fprintf(stderr, "%s: %s\n", child->name, strerror(errno));
		_exit(126);
	}
	/* Set this after the change of user, which clears the setting. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(126);
	if (!child->program) {
		child->run(child->argument);
		_exit(126);
	}
	clean_environment();
	for (const char *const *e = child->env; *e; e++)
		putenv((char *)*e);
	if (program >= 0) {
		setenv("LD_LIBRARY_PATH", libraries, 1);
		fexecve(program, (char *const *)child->argv, environ);
	} else {
		execv(child->program, (char *const *)child->argv);
	}
	fprintf(stderr, "%s: %s\n", child->program, strerror(errno));
	_exit(127);
}

bool serve_child_start(struct serve_child *child)
{
	pid_t parent = getpid(), pid;

	unlink(child->log);
	pid = fork();
	if (pid == 0)
		run_child_program(child, parent);
	if (pid < 0) {
		util_error("cannot start %s: %s", child->name, strerror(errno));
		return false;
	}
	child->pid = pid;
	child->status = 0;
	child->began = util_now_s();
	serve_record(pid, child->name);
	return true;
}

const char *serve_child_end(const struct serve_child *child, char text[80])
{
	if (WIFSIGNALED(child->status))
		snprintf(text, 80, "was ended by signal %d (%s)", WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
	else
		snprintf(text, 80, "ended with status %d", WEXITSTATUS(child->status));
	return text;
}

/* ---- the record --------------------------------------------------------------------------- */

/* Return the start time of a process, in ticks since boot; 0: no such process. */
static uint64_t get_start_ticks(pid_t pid)
{
	char path[64], text[2048];
	const char *at;
	uint64_t ticks = 0;
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	in = fopen(path, "re");
	if (!in)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	/* The command's name may contain blanks and parentheses: the fields follow the last parenthesis. */
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == 'Z')
		return 0;
	if (sscanf(at + 2,
		   "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
		   &ticks) != 1)
		return 0;
	return ticks;
}

pid_t serve_grandchild(pid_t pid)
{
	char path[64];
	FILE *in;
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	in = fopen(path, "re");
	if (!in)
		return -1;
	if (fscanf(in, "%d", &child) != 1)
		child = 0;
	fclose(in);
	/* A zombie does not count as a process. */
	return child > 0 && get_start_ticks(child) == 0 ? 0 : child;
}

void serve_record(pid_t pid, const char *name)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%d %" PRIu64 " %.40s\n", (int)pid, get_start_ticks(pid), name);
	int fd = open(RECORD, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		util_error("cannot write " RECORD ": %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void wait_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* True if the process has ended within the time. */
static bool has_child_ended(pid_t pid, uint64_t ticks, int seconds)
{
	for (int i = 0; i < seconds * 50; i++) {
		if (get_start_ticks(pid) != ticks)
			return true;
		wait_ms(20);
	}
	return false;
}

unsigned serve_end_leftovers(void)
{
	FILE *in = fopen(RECORD, "re");
	unsigned found = 0;
	uint64_t ticks;
	char line[256];
	int pid;

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%d %" SCNu64, &pid, &ticks) != 2 || pid <= 1 || ticks == 0 ||
		    get_start_ticks(pid) != ticks)
			continue;
		found++;
		if (kill(pid, SIGTERM) == 0 && !has_child_ended(pid, ticks, 5) &&
		    get_start_ticks(pid) == ticks && kill(pid, SIGKILL) == 0)
			has_child_ended(pid, ticks, 5);
	}
	if (in)
		fclose(in);
	return found;
}

/* ---- ending ------------------------------------------------------------------------------- */

void serve_child_stop(struct serve_child *child, int seconds)
{
	if (child->pid == 0)
		return;
	kill(child->pid, SIGTERM);
	for (int i = 0; waitpid(child->pid, &child->status, WNOHANG) == 0; i++) {
		if (i == seconds * 50)
			kill(child->pid, SIGKILL);
		wait_ms(20);
	}
	child->pid = 0;
}

bool serve_orphans_ended(int seconds)
{
	for (int i = 0; i < seconds * 50; i++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return true;
		if (pid == 0)
			wait_ms(20);
	}
	return false;
}

void serve_last_line(const char *log, char *text, int room)
{
	/* pmproxy's log may be any file, since another user owns its directory: a pipe would block for
	 * ever. */
	int fd = open(log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat s;
	FILE *in = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? fdopen(fd, "r") : NULL;
	char line[1024];

	text[0] = '\0';
	if (!in && fd >= 0)
		close(fd);
	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] && strncmp(line, "Log for ", 8) && strncmp(line, "Log finished", 12))
			snprintf(text, (size_t)room, "%.*s", room - 1, line);
	}
	if (in)
		fclose(in);
}
