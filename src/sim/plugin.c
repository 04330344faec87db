/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plugin.c - what QEMU calls: the program begins, threads come and go, system calls, fork, the
 * end. Arguments: results=PATH, after=INDEX (of the process whose place this one takes),
 * count=on|off.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "counts.h"
#include "doorbell.h"
#include "exec.h"
#include "guest.h"
#include "places.h"
#include "qemu_plugin.h"
#include "ring.h"
#include "thread.h"
#include "translate.h"

int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static bool forked;	    /* not the program that upc_run began, but a child */
static UPCS_TLS bool left; /* the guest's own exec was let go on */

static bool children_count(void)
{
	return upcs_run.results->options.children == UPCS_CHILDREN_COUNT;
}

/* The emulator knows it once the program is loaded: when its first block is translated. */
static void find_program(void)
{
	const char *path = qemu_plugin_path_to_binary();

	if (path && !realpath(path, upcs_run.program))
		snprintf(upcs_run.program, sizeof(upcs_run.program), "%s", path);
	free((void *)path);
	upcs_process_name();
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	if (!upcs_run.program[0])
		find_program();
	upcs_translate(id, tb);
}

static void vcpu_made(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	upcs_thread_made(vcpu);
}

static void vcpu_ends(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	(void)vcpu;
	upcs_thread_end();
}

static void program_ends(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	upcs_process_end();
}

/* ---- exec ---------------------------------------------------------------------------- */

/* A name of our own process in /proc, as /proc/self/: what is behind it, or NULL. */
static const char *behind_own(const char *path)
{
	char own[32];
	const char *names[] = {"/proc/self/", "/proc/thread-self/", own};
	size_t i;

	snprintf(own, sizeof(own), "/proc/%ld/", (long)getpid());
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return path + strlen(names[i]);
	return NULL;
}

/* The descriptor that a path names, as /dev/fd/3; -1: none. */
static int named_descriptor(const char *path)
{
	const char *own = behind_own(path), *digits = NULL;
	char *end;
	long fd;

	if (own && strncmp(own, "fd/", 3) == 0)
		digits = own + 3;
	else if (strncmp(path, "/dev/fd/", 8) == 0)
		digits = path + 8;
	if (!digits || *digits < '0' || *digits > '9')
		return -1;
	fd = strtol(digits, &end, 10);
	return *end || fd > INT_MAX ? -1 : (int)fd;
}

/*
 * A program that is open. The emulator looks for it only once we have become it, so it needs the
 * file's path; where that names another file or none (memfd_create, a file that was removed), the
 * descriptor has to stay open, and *fd is that.
 */
static char *open_program(int descriptor, int *fd)
{
	char link[64], target[PATH_MAX];
	struct stat open_one, named;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0 || fstat(descriptor, &open_one))
		return NULL;
	target[n] = 0;
	if (stat(target, &named) == 0 && named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino)
		return strdup(target);
	*fd = descriptor;
	return strdup(link);
}

/* What a path relative to an open directory is without it; NULL: let the kernel say. */
static char *resolve(int directory, const char *path, uint64_t flags, int *fd)
{
	char link[64], target[PATH_MAX], *resolved = NULL;
	const char *own = behind_own(path);
	ssize_t n;

	/* The emulator's own are not what the guest means. */
	if (own && strcmp(own, "exe") == 0)
		return strdup(upcs_run.program);
	if (!path[0] && flags & AT_EMPTY_PATH)
		return open_program(directory, fd);
	if (named_descriptor(path) >= 0)
		return open_program(named_descriptor(path), fd);
	if (path[0] == '/' || (directory == AT_FDCWD && path[0]))
		return strdup(path);
	if (!path[0])
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return NULL;
	target[n] = 0;
	if (asprintf(&resolved, "%s/%s", target, path) < 0)
		return NULL;
	return resolved;
}

static bool is_executable(const char *path, uint64_t flags)
{
	struct stat st;

	if (flags & AT_SYMLINK_NOFOLLOW && (lstat(path, &st) || S_ISLNK(st.st_mode)))
		return false;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* The guest's program runs on this machine as it is. */
static bool is_native(enum upcs_guest guest)
{
#if defined(__x86_64__)
	return guest == UPCS_X86_64;
#elif defined(__aarch64__)
	return guest == UPCS_AARCH64;
#else
	(void)guest;
	return false;
#endif
}

/* execve, with a descriptor that stays open; -1: none. */
static void become(const char *path, char **argv, char **envp, int fd)
{
	int flags = fd >= 0 ? fcntl(fd, F_GETFD) : -1;

	if (flags >= 0)
		fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
	upcs_process_leave();
	execve(path, argv, envp);
	upcs_process_stay();
	if (flags >= 0)
		fcntl(fd, F_SETFD, flags);
}

/* Returns only if it cannot be, or must not: then the guest's own call says why, or goes on. */
static void execute(const char *path, int fd, char **argv, char **envp)
{
	struct upcs_command command = {
		.options = &upcs_run.results->options,
		.results = upcs_run.path,
		.after = upcs_run.process ? (int64_t)upcs_run.index : -1,
		.counted = upcs_run.process && (!forked || children_count()),
	};
	struct upcs_exec exec;
	bool made = upcs_exec_make(&command, path, argv, envp, &exec) == 0;

	if (made && (command.counted || !is_native(exec.info.guest)))
		become(exec.argv[0], exec.argv, exec.envp, fd);
	else if (upcs_exec_release(command.options, envp))
		become(path, argv, envp, fd);
	if (made)
		upcs_exec_free(&exec);
}

static void guest_executes(int directory, uint64_t path, uint64_t argv, uint64_t envp, uint64_t flags)
{
	size_t max = (size_t)sysconf(_SC_ARG_MAX);
	int fd = -1;
	char *text = upcs_guest_string(path, PATH_MAX), *file = NULL, **arguments = NULL, **variables = NULL;

	if (text)
		file = resolve(directory, text, flags, &fd);
	if (file && is_executable(file, flags) && !upcs_exec_is_privileged(file)) {
		arguments = upcs_guest_strings(upcs_run.guest, argv, max);
		variables = arguments ? upcs_guest_strings(upcs_run.guest, envp, max) : NULL;
		if (variables)
			execute(file, fd, arguments, variables);
	}
	upcs_guest_free(arguments);
	upcs_guest_free(variables);
	free(text);
	free(file);
	/* Whatever the guest's own call does, all before is counted. */
	upcs_process_leave();
	left = true;
}

/* ---- faults -------------------------------------------------------------------------- */

static void register_all(qemu_plugin_id_t id);

/*
 * From the first handler of a fault on, blocks may be left in the middle and the program goes on.
 * Without one a fault is the end of it, and at most the rest of one block was counted too much.
 * Handlers 0 and 1 are none: SIG_DFL, SIG_IGN.
 */
static void guest_handles(qemu_plugin_id_t id, uint64_t signal, uint64_t handler)
{
	if (handler < 2)
		return;
	if (upcs_run.results->options.regions)
		upcs_process_handles(handler);
	/* The same numbers in all guests: ILL, TRAP, BUS, FPE, SEGV. */
	if (signal != 4 && signal != 5 && signal != 7 && signal != 8 && signal != 11)
		return;
	if (upcs_translate_is_exact())
		return;
	upcs_translate_set_exact();
	if (upcs_run.process)
		__atomic_store_n(&upcs_run.process->faults, 1, __ATOMIC_RELAXED);
	qemu_plugin_reset(id, register_all);
}

/* ---- system calls -------------------------------------------------------------------- */

static void call_begins(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
			uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	uint64_t handler;

	(void)vcpu;
	if (number == UPCI_DOORBELL_CALL) {
		upcs_ring(a1, a2, a3, a4, a5);
		return;
	}
	(void)a6;
	(void)a7;
	(void)a8;
	switch (upcs_guest_call(upcs_run.guest, number)) {
	case UPCS_CALL_EXECVE:
		guest_executes(AT_FDCWD, a1, a2, a3, 0);
		break;
	case UPCS_CALL_EXECVEAT:
		guest_executes((int)a1, a2, a3, a4, a5);
		break;
	case UPCS_CALL_ACTION:
		if (a2 && upcs_guest_pointer(upcs_run.guest, a2, &handler) == 0)
			guest_handles(id, a1, handler);
		break;
	case UPCS_CALL_SIGNAL:
		guest_handles(id, a1, a2);
		break;
	case UPCS_CALL_MMAP:
		/* MAP_TYPE and MAP_PRIVATE are the same for all guests. */
		if ((a4 & 15) != 2)
			upcs_process_is_parallel();
		break;
	case UPCS_CALL_SHARE:
		upcs_process_is_parallel();
		break;
	case UPCS_CALL_MAP:
	case UPCS_CALL_OTHER:
		break;
	}
}

static void call_ends(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)id;
	(void)vcpu;
	(void)result;
	/* The end of fork itself, before any code of the child; or of a doorbell. */
	if (upcs_process_has_old_code())
		qemu_plugin_reset(id, register_all);
	switch (upcs_guest_call(upcs_run.guest, number)) {
	case UPCS_CALL_EXECVE:
	case UPCS_CALL_EXECVEAT:
		if (left)
			upcs_process_stay();
		left = false;
		break;
	case UPCS_CALL_MAP:
	case UPCS_CALL_MMAP:
	case UPCS_CALL_SHARE:
		/* When it is done: before that, others could see what was. */
		upcs_places_changed();
		break;
	default:
		break;
	}
}

/* ---- fork ---------------------------------------------------------------------------- */

static void fork_child(void)
{
	forked = true;
	upcs_process_forked(upcs_run.process && children_count());
	upcs_context_forked();
	if (upcs_run.process)
		upcs_run.process->faults = upcs_translate_is_exact();
}

/* ---- the beginning ------------------------------------------------------------------- */

static void register_all(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, vcpu_made);
	qemu_plugin_register_vcpu_exit_cb(id, vcpu_ends);
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	qemu_plugin_register_vcpu_syscall_cb(id, call_begins);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_ends);
	qemu_plugin_register_atexit_cb(id, program_ends, NULL);
}

static bool find_guest(const char *name)
{
	static const char *const names[UPCS_GUESTS] = {"x86_64", "aarch64", "ppc"};
	unsigned i;

	for (i = 0; i < UPCS_GUESTS; i++)
		if (strcmp(name, names[i]) == 0) {
			upcs_run.guest = i;
			return true;
		}
	return false;
}

static int refuse(const char *what, const char *which)
{
	fprintf(stderr, "upc_sim: %s%s\n", what, which);
	return 1;
}

/* What the process left whose place we take. */
static void settle(int64_t after)
{
	char path[UPCS_COUNTS_PATH_MAX];

	if (after < 0 || after >= UPCS_PROCESSES_MAX)
		return;
	upcs_run.results->process[after].left = 0;
	upcs_counts_path(path, upcs_run.path, (uint32_t)after);
	(void)upcs_counts_settle(upcs_run.results, (uint32_t)after, path);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	int64_t after = -1;
	bool counted = true;
	int i;

	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "results=", 8) == 0 && strlen(argv[i] + 8) < sizeof(upcs_run.path))
			strcpy(upcs_run.path, argv[i] + 8);
		else if (strncmp(argv[i], "after=", 6) == 0)
			after = strtoll(argv[i] + 6, NULL, 10);
		else if (strcmp(argv[i], "count=off") == 0)
			counted = false;
		else if (strcmp(argv[i], "count=on") != 0)
			return refuse("not an argument of this plugin, which upc_run starts: ", argv[i]);
	}
	if (info->system_emulation || !find_guest(info->target_name))
		return refuse("programs for x86_64, aarch64 and ppc can be counted, not for ", info->target_name);
	upcs_run.results = upcs_results_open(upcs_run.path);
	if (!upcs_run.results && after >= 0)
		return 0; /* may not be opened by who the program has become: it runs, not counted */
	if (!upcs_run.results)
		return refuse("not the results of an upc_run of this release: ", upcs_run.path);
	settle(after);
	upcs_run.kinds = upcs_kinds_create();
	if (!upcs_run.kinds || !upcs_translate_begin(upcs_run.guest) || !upcs_process_begin(counted))
		return refuse("out of memory, or libcapstone does not know ", info->target_name);
	if (!counted)
		forked = true;
	if (pthread_atfork(upcs_process_hold, upcs_process_release, fork_child))
		return refuse("out of memory", "");
	register_all(id);
	return 0;
}
