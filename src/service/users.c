/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.c - see users.h.
 *
 * A process that holds a perf event has a link to anon_inode:[perf_event] among its descriptors. A pass lists
 * the descriptors of each process and reads each link: system calls only, in memory that does not grow. The
 * more expensive facts (the user, the name, the counted events) are read only for processes that hold a perf
 * event.
 *
 * A pass does not see an event that lives on in a mapping after its descriptor was closed, an event that is
 * being passed through a socket, and events of a thread with its own descriptor table. The service does not
 * step aside for such users; there is no other effect.
 * Terms: service/service.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/descriptor.h"
#include "service/users.h"
#include "upc.h"

#define GENERATIONS 32 /* limit of generations from a process up to the service */

struct entries {
	int fd;
	size_t at, end;
	bool failed;
	char buffer[32768] __attribute__((aligned(8)));
};

struct users {
	struct users_options options;
	int proc;
	struct descriptor_pmus pmus;
	bool pmus_read;
	unsigned count, more, hidden;
	struct service_user user[USERS_MAX];
	/* Nested listings: processes, their threads, and descriptors. */
	struct entries processes, threads, descriptors;
};

static int open_proc(void)
{
	struct statfs fs;
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return errno == EMFILE || errno == ENFILE ? UPC_EMFILE : UPC_ENOSUPP;
	if (fstatfs(fd, &fs) || (unsigned long)fs.f_type != PROC_SUPER_MAGIC) {
		close(fd);
		return UPC_ENOSUPP;
	}
	return fd;
}

int users_create(const struct users_options *options, struct users **users)
{
	struct users *u = calloc(1, sizeof(*u));

	if (!u)
		return UPC_ENOMEM;
	u->options = *options;
	if (!u->options.self)
		u->options.self = getpid();
	u->proc = open_proc();
	if (u->proc < 0) {
		int error = u->proc;

		free(u);
		return error;
	}
	*users = u;
	return 0;
}

void users_destroy(struct users *users)
{
	if (!users)
		return;
	close(users->proc);
	free(users);
}

/* ---- directories, listed without allocation ------------------------------------------------- */

struct kernel_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static void entries_open(struct entries *e, int fd)
{
	e->fd = fd;
	e->at = e->end = 0;
	e->failed = false;
}

/* Return the next name that is a number, or NULL after the last. */
static const char *entries_next(struct entries *e)
{
	for (;;) {
		struct kernel_entry *entry;
		const char *p;

		if (e->at == e->end) {
			long got = syscall(SYS_getdents64, e->fd, e->buffer, sizeof(e->buffer));

			if (got <= 0) {
				e->failed = got < 0;
				return NULL;
			}
			e->at = 0;
			e->end = (size_t)got;
		}
		entry = (struct kernel_entry *)(void *)(e->buffer + e->at);
		e->at += entry->length;
		for (p = entry->name; *p >= '0' && *p <= '9'; p++)
			;
		if (!*p && p > entry->name && p - entry->name <= 10)
			return entry->name;
	}
}

/* ---- one process -------------------------------------------------------------------------- */

/* Read the beginning of a file of the process as text. False if there is none. */
static bool read_process_file(const struct users *u, pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	fd = openat(u->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}

/* Read a number from the status file. The kernel writes a newline in a process's name as "\n", so no process
 * can forge a line. */
static bool status_number(const char *status, const char *key, unsigned long *number)
{
	const char *at = strstr(status, key);
	char *end;

	if (!at)
		return false;
	at += strlen(key);
	*number = strtoul(at, &end, 10);
	return end > at;
}

static bool is_process_ours(const struct users *u, pid_t pid)
{
	unsigned long parent;
	char status[2048];

	for (int i = 0; i < GENERATIONS && pid > 1; i++) {
		if (pid == u->options.self)
			return true;
		if (!read_process_file(u, pid, "status", status, sizeof(status)) ||
		    !status_number(status, "\nPPid:", &parent))
			return false;
		pid = (pid_t)parent;
	}
	return false;
}

static void describe_user(const struct users *u, struct service_user *user)
{
	char status[2048];
	unsigned long uid;
	size_t i;

	user->uid = (uid_t)-1;
	if (read_process_file(u, user->pid, "status", status, sizeof(status)) &&
	    status_number(status, "\nUid:", &uid))
		user->uid = (uid_t)uid;
	/* Read the name only: arguments may be private. */
	if (!read_process_file(u, user->pid, "comm", user->command, sizeof(user->command)))
		snprintf(user->command, sizeof(user->command), "?");
	for (i = 0; user->command[i]; i++) {
		if (user->command[i] == '\n' && !user->command[i + 1])
			user->command[i] = 0;
		else if (user->command[i] < ' ' || user->command[i] > '~')
			user->command[i] = '?';
	}
}

enum held { NOTHING, PERF_EVENT, MSR };

static enum held held_by(int dir, const char *name)
{
	static const char event[] = "anon_inode:[perf_event]", cpu[] = "/dev/cpu/", msr[] = "/msr";
	const size_t cpu_length = sizeof(cpu) - 1, msr_length = sizeof(msr) - 1;
	char to[40];
	ssize_t got = readlinkat(dir, name, to, sizeof(to));
	size_t length = got > 0 ? (size_t)got : 0;

	if (length == sizeof(event) - 1 && !memcmp(to, event, length))
		return PERF_EVENT;
	if (length > cpu_length + msr_length && length < sizeof(to) && !memcmp(to, cpu, cpu_length) &&
	    !memcmp(to + length - msr_length, msr, msr_length))
		return MSR;
	return NOTHING;
}

#define NOT_ASKED (-2)
#define ENDED (-3)

/* State while the descriptors of a process are looked at. first: stop at the first one that takes a
 * counter. */
struct look {
	pid_t pid;
	bool first;
	int pidfd; /* NOT_ASKED, ENDED, or -1: not available */
	unsigned descriptors;
};

static bool takes_a_counter(struct users *u, struct look *look, const char *name)
{
	if (u->options.software)
		return true;
	if (look->pidfd == NOT_ASKED) {
		look->pidfd = descriptor_process(look->pid);
		if (look->pidfd < 0 && errno == ESRCH)
			look->pidfd = ENDED;
	}
	if (look->pidfd == ENDED)
		return false;
	if (!u->pmus_read) {
		descriptor_pmus_read(&u->pmus);
		u->pmus_read = true;
	}
	return descriptor_is_hardware(&u->pmus, look->pidfd, atoi(name));
}

/* Look at the descriptors in a directory of /proc. Return how many of any kind it has, or -1. */
static long look_at_descriptors(struct users *u, const char *path, struct look *look)
{
	struct entries *e = &u->descriptors;
	int fd = openat(u->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *name;
	long all = 0;

	if (fd < 0) {
		u->hidden += errno == EACCES || errno == EPERM;
		return -1;
	}
	entries_open(e, fd);
	while (!(look->first && look->descriptors) && (name = entries_next(e))) {
		enum held held = held_by(fd, name);

		all++;
		look->descriptors += held == MSR || (held == PERF_EVENT && takes_a_counter(u, look, name));
	}
	close(fd);
	return all;
}

/* Look at the other threads. A process whose first thread has ended shows no descriptors there, but its other
 * threads do. */
static void look_at_threads(struct users *u, struct look *look)
{
	char path[64];
	struct stat s;
	const char *name;
	int fd;

	snprintf(path, sizeof(path), "%d/task", (int)look->pid);
	if (fstatat(u->proc, path, &s, 0) || s.st_nlink <= 3)
		return;
	fd = openat(u->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	entries_open(&u->threads, fd);
	while ((name = entries_next(&u->threads))) {
		if (atoi(name) == look->pid)
			continue;
		/* Threads share their descriptors: the first thread that shows any is enough. */
		snprintf(path, sizeof(path), "%d/task/%.10s/fd", (int)look->pid, name);
		if (look_at_descriptors(u, path, look) > 0)
			break;
	}
	close(fd);
}

/* Return how many of the process's descriptors take a counter; with first, at most 1 is counted. */
static unsigned look_at_process(struct users *u, pid_t pid, bool first)
{
	struct look look = {.pid = pid, .first = first, .pidfd = NOT_ASKED};
	char path[32];

	snprintf(path, sizeof(path), "%d/fd", (int)pid);
	if (!look_at_descriptors(u, path, &look))
		look_at_threads(u, &look);
	if (look.pidfd >= 0)
		close(look.pidfd);
	return look.descriptors;
}

/* ---- all of them ----------------------------------------------------------------------------- */

int users_look(struct users *u)
{
	const char *name;

	if (lseek(u->proc, 0, SEEK_SET) < 0)
		return UPC_ESYSTEM;
	u->count = u->more = u->hidden = 0;
	entries_open(&u->processes, u->proc);
	while ((name = entries_next(&u->processes))) {
		struct service_user user = {.pid = (pid_t)strtoul(name, NULL, 10)};

		if (user.pid <= 0 || user.pid == u->options.self)
			continue;
		user.descriptors = look_at_process(u, user.pid, false);
		if (!user.descriptors || is_process_ours(u, user.pid))
			continue;
		if (u->count == USERS_MAX) {
			u->more++;
			continue;
		}
		describe_user(u, &user);
		u->user[u->count++] = user;
	}
	return u->processes.failed ? UPC_ESYSTEM : 0;
}

bool users_still(struct users *u)
{
	unsigned hidden = u->hidden;
	bool still = u->more > 0;

	for (unsigned i = 0; !still && i < u->count; i++)
		still = look_at_process(u, u->user[i].pid, true) > 0;
	u->hidden = hidden;
	return still;
}

const struct service_user *users_found(const struct users *u, unsigned *count, unsigned *more)
{
	*count = u->count;
	*more = u->more;
	return u->user;
}

unsigned users_hidden(const struct users *u)
{
	return u->hidden;
}

bool users_all_here(void)
{
	/* The initial PID namespace has an inode number that is part of the kernel's interface. A /proc that
	 * is mounted with hidepid hides even process 1 from an ordinary user. */
	const ino_t first = 0xEFFFFFFCu;
	struct stat s;

	if (stat("/proc/1", &s))
		return false;
	return stat("/proc/self/ns/pid", &s) || s.st_ino == first;
}
