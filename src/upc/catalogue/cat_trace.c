/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_trace.c - the interface to tracefs: tracepoints, their numbers and fields.
 *
 * If tracefs is not mounted, a caller with the privilege (root) gets a private mount that no path leads to
 * and that ends with its last descriptor. Nothing on the machine changes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catalogue/cat_trace.h"
#include "catalogue/catalogue.h"
#include "base/fds.h"
#include "base/message.h"
#include "perf/perf.h"
#include "base/process.h"
#include "base/text.h"

/* Descriptor of tracefs' events directory, for the life of the process. -1 until it could be opened, which
 * may be later than the first try (descriptors, privileges, a mount). */
static _Atomic int events_fd = -1;

static int open_mounted(const char *path)
{
	struct statfs fs;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && (fstatfs(fd, &fs) < 0 || fs.f_type != TRACEFS_MAGIC)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_private_mount(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount, fd = -1;

	if (context < 0)
		return -1;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0) {
		mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
		if (mount >= 0) {
			fd = openat(mount, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			close(mount);
		}
	}
	close(context);
	return fd;
}

static int open_events_directory(void)
{
	int fd = open_mounted("/sys/kernel/tracing/events");

	if (fd < 0)
		fd = open_mounted("/sys/kernel/debug/tracing/events");
	if (fd < 0)
		fd = open_private_mount();
	return upci_fd_keep(fd);
}

static bool tracing_is_ready(void)
{
	int fd, none = -1;

	if (events_fd >= 0)
		return true;
	fd = open_events_directory();
	/* Another thread may have opened it first. */
	if (fd >= 0 && !atomic_compare_exchange_strong(&events_fd, &none, fd))
		close(fd);
	return events_fd >= 0;
}

/* Read events/SYSTEM/EVENT/FILE as text with a final 0. Return its length, or -1 with errno. */
static ssize_t read_event_file(const char *name, const char *file, char *text, size_t size)
{
	char path[600];
	const char *colon = strchr(name, ':');
	ssize_t n;
	int fd;

	if (!colon || strchr(name, '/') || name[0] == '.' || colon[1] == '.' ||
	    snprintf(path, sizeof(path), "%.*s/%s/%s", (int)(colon - name), name, colon + 1, file) >=
		    (int)sizeof(path)) {
		errno = ENOENT;
		return -1;
	}
	fd = openat(events_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	if (n >= 0)
		text[n] = 0;
	return n;
}

static int fail_id(const char *name)
{
	if (upci_fd_none_left())
		return upci_fd_fail(name);
	switch (errno) {
	case ENOENT:
		return upci_fail(UPC_ENOEVENT, "tracepoint %s: the kernel has none of this name", name);
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM, "tracepoint %s: tracefs is not readable; run as root", name);
	default:
		return upci_fail(UPC_ESYSTEM, "tracepoint %s: its id cannot be read: %s", name,
				 strerror(errno));
	}
}

int upci_tracepoint_id(const char *name, uint64_t *id)
{
	char text[32], *end;

	if (!tracing_is_ready() && upci_fd_none_left())
		return upci_fd_fail(name);
	if (!tracing_is_ready())
		return upci_fail(UPC_EPERM,
				 "tracepoint %s: no access to tracefs; run as root, or have it mounted "
				 "at /sys/kernel/tracing and readable",
				 name);
	if (read_event_file(name, "id", text, sizeof(text)) < 0)
		return fail_id(name);
	errno = 0;
	*id = strtoull(text, &end, 10);
	if (errno || end == text)
		return upci_fail(UPC_ESYSTEM, "tracepoint %s: its id is not a number", name);
	return 0;
}

/* ---- tracepoints that users made ------------------------------------------- */

/*
 * The text of dynamic_events as it was when a catalogue was opened, without tracepoints that were made later;
 * NULL if it could not be read. Protected by the process lock. Reading dynamic_events takes the lock that the
 * kernel holds while it closes tracepoints, so a read at each add would wait.
 */
static char *made;

static char *read_made(void)
{
	int fd = tracing_is_ready() ? openat(events_fd, "../dynamic_events", O_RDONLY | O_CLOEXEC) : -1;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file && fd >= 0)
		close(fd);
	if (!file)
		return NULL;
	/* The text contains no 0, and is empty if no user has made a tracepoint. */
	if (getdelim(&text, &size, 0, file) < 0) {
		free(text);
		text = ferror(file) ? NULL : calloc(1, 1);
	}
	fclose(file);
	return text;
}

static void look_for_made(void)
{
	char *fresh = read_made(), *old;

	upci_process_lock();
	old = made;
	made = fresh;
	upci_process_unlock();
	free(old);
}

/* True if a line of the text is "p:SYSTEM/EVENT ...". */
static bool text_makes_event(const char *text, const char *name)
{
	const size_t n = strlen(name), system = strcspn(name, ":");
	const char *at = text;

	while ((at = strchr(at, ':'))) {
		at++;
		if (!strncmp(at, name, system) && at[system] == '/' &&
		    !strncmp(at + system + 1, name + system + 1, n - system - 1) && strchr(" \t\n", at[n]))
			return true;
	}
	return false;
}

bool upci_tracepoint_is_plain(const char *name)
{
	bool plain;

	upci_process_lock();
	plain = made && !text_makes_event(made, name) && strncmp(name, "ftrace:", 7);
	upci_process_unlock();
	return plain;
}

/* List the names in the "field:TYPE NAME;" lines of a format file, except the common ones. */
static void list_fields(const char *format, char *text, size_t size)
{
	const char *at = format, *separator = "";
	size_t used = 0;

	text[0] = 0;
	while ((at = strstr(at, "field:")) != NULL) {
		const char *end = strchr(at, ';'), *start;
		int n;

		if (!end)
			break;
		for (start = end; start > at && (upci_is_alnum(start[-1]) || strchr("_[]", start[-1]));)
			start--;
		at = end;
		if (end - start > 7 && !strncmp(start, "common_", 7))
			continue;
		n = snprintf(text + used, size - used, "%s%.*s", separator, (int)strcspn(start, "[;"), start);
		if (n < 0 || used + (size_t)n >= size) {
			text[used] = 0;
			break;
		}
		used += (size_t)n;
		separator = ", ";
	}
}

/* True if perf counts the nanoseconds that a tracepoint reports, and not its occurrences. */
static bool counts_time(const char *name)
{
	static const char *const names[] = {"runtime", "wait", "sleep", "iowait", "blocked"};
	static const char prefix[] = "sched:sched_stat_";
	size_t i;

	if (strncmp(name, prefix, sizeof(prefix) - 1))
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name + sizeof(prefix) - 1, names[i]))
			return true;
	return false;
}

void upci_tracepoint_describe(const struct upci_event *event, char *text, size_t size)
{
	char format[8192], fields[512] = "";
	const char *name = event->driver.tracepoint;

	if (event->driver.source != UPC_SOURCE_TRACEPOINT) {
		snprintf(text, size, "%s.", event->name);
		return;
	}
	if (counts_time(name)) {
		snprintf(text, size, "Time in ns that the kernel's tracepoint %s accounts, summed up.", name);
		return;
	}
	if (!strncmp(name, "syscalls:sys_enter_", 19)) {
		snprintf(text, size, "Calls of the system call %s.", name + 19);
		return;
	}
	if (!strncmp(name, "syscalls:sys_exit_", 18)) {
		snprintf(text, size, "Returns from the system call %s.", name + 18);
		return;
	}
	if (tracing_is_ready() && read_event_file(name, "format", format, sizeof(format)) > 0)
		list_fields(format, fields, sizeof(fields));
	if (fields[0])
		snprintf(text, size, "Times that execution passed the kernel's tracepoint %s (it traces %s).",
			 name, fields);
	else
		snprintf(text, size, "Times that execution passed the kernel's tracepoint %s.", name);
}

static int add_one(struct upc_catalogue *c, const char *system, const char *name)
{
	struct upci_event event = {
		.unit = "events",
		.scope = UPC_SCOPE_CONTEXT,
		.kind = UPC_KIND_COUNT,
		.id = UPC_NO_ID,
		.driver = {.source = UPC_SOURCE_TRACEPOINT, .mul = 1, .div = 1},
	};
	int64_t code;

	event.name = upci_catalogue_printf(c, "tp::%s:%s", system, name);
	if (!event.name)
		return UPC_ENOMEM;
	event.driver.tracepoint = event.name + 4;
	if (counts_time(event.driver.tracepoint))
		event.unit = "ns";
	event.subsystem = system;
	code = upci_catalogue_put(c, &event);
	return code == UPC_ENOMEM ? UPC_ENOMEM : 0; /* an overlong name is left out */
}

static int add_system(struct upc_catalogue *c, const char *system)
{
	const char *stable = upci_catalogue_printf(c, "%s", system);
	int fd = openat(events_fd, system, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	struct dirent *entry;
	DIR *dir;

	if (!stable) {
		if (fd >= 0)
			close(fd);
		return UPC_ENOMEM;
	}
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!error && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
			error = add_one(c, stable, entry->d_name);
	closedir(dir);
	return error;
}

/*
 * True if the caller may count tracepoints. Counting them, without recording, needs the permission to count
 * the kernel. Opening one would give the same answer and take tens of milliseconds, since the kernel waits
 * for grace periods when a tracepoint's last counter is closed.
 */
static bool may_count(int domains)
{
	uint64_t id;

	return domains & UPC_DOMAIN_KERNEL && upci_tracepoint_id("sched:sched_switch", &id) == 0;
}

int64_t upci_tracepoint_find_alone(struct upc_catalogue *c, const char *name, bool first)
{
	const char *event = name + 4, *colon = strchr(event, ':'), *system;
	int domains = upci_perf_domains(), error;
	uint64_t id;

	if (domains < 0)
		return domains;
	if (!tracing_is_ready() && upci_fd_none_left())
		return upci_fd_fail("tracefs");
	/* perf cannot open ftrace's own entries. */
	if (!tracing_is_ready() || !may_count(domains) || !colon || !strncmp(event, "ftrace:", 7))
		return UPC_ENOEVENT;
	error = upci_tracepoint_id(event, &id);
	if (error)
		return error;
	if (first)
		look_for_made();
	system = upci_catalogue_printf(c, "%.*s", (int)(colon - event), event);
	error = system ? add_one(c, system, colon + 1) : UPC_ENOMEM;
	return error ? error : upci_catalogue_lookup(c, name);
}

int upci_catalogue_add_tracepoints(struct upc_catalogue *c)
{
	struct dirent *entry;
	int fd, error = 0, domains = upci_perf_domains();
	DIR *dir;

	if (domains < 0)
		return domains;
	if (!tracing_is_ready() && upci_fd_none_left())
		return upci_fd_fail("tracefs");
	look_for_made();
	if (!tracing_is_ready() || !may_count(domains))
		return upci_catalogue_add_missing(
			c,
			"tracepoints: run as root (or with CAP_PERFMON or perf_event_paranoid 1 or lower, and a "
			"tracefs mounted at /sys/kernel/tracing that this user can read)");
	fd = openat(events_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!error && (entry = readdir(dir))) {
		/* perf cannot open ftrace's own entries. */
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR || !strcmp(entry->d_name, "ftrace"))
			continue;
		error = add_system(c, entry->d_name);
	}
	closedir(dir);
	return error;
}
