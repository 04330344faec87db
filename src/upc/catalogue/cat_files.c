/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_files.c - events from files of /proc and /sys, which the kernel counts even if no process reads them.
 *
 * A builder gets the text of its file and adds an event for each number in it, so new keys of a new kernel
 * become events without a change here. The tables only add descriptions and say which keys are levels. This
 * file has the list of the files, and the builders of the small ones.
 *
 * Terms: catalogue/catalogue.h, base/event.h, node/sim.h, base/target.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"

/* ---- /proc/diskstats ---------------------------------------------------- */

#define COUNT(number, column, unit, what) UPCI_COLUMN(COUNT, number, column, unit, 0, what)
#define LEVEL(number, column, unit, mul, what) UPCI_COLUMN(LEVEL, number, column, unit, mul, what)

static const struct upci_words disk_columns[] = {
	COUNT(3, "reads", "requests", "Reads completed by"),
	COUNT(4, "reads_merged", "requests", "Reads joined with a neighbour before they were sent to"),
	COUNT(5, "sectors_read", "sectors of 512 bytes", "Sectors read from"),
	COUNT(6, "read_ms", "ms",
	      "Time that reads took, from queueing to completion and summed over them, on"),
	COUNT(7, "writes", "requests", "Writes completed by"),
	COUNT(8, "writes_merged", "requests", "Writes joined with a neighbour before they were sent to"),
	COUNT(9, "sectors_written", "sectors of 512 bytes", "Sectors written to"),
	COUNT(10, "write_ms", "ms",
	      "Time that writes took, from queueing to completion and summed over them, on"),
	LEVEL(11, "inflight", "requests", 0, "Requests sent and not yet completed by"),
	COUNT(12, "io_ms", "ms", "Time during which at least one request was open at"),
	COUNT(13, "weighted_io_ms", "ms", "Time multiplied by the number of requests open then at"),
	COUNT(14, "discards", "requests", "Discards (trim) completed by"),
	COUNT(15, "discards_merged", "requests", "Discards joined with a neighbour before they were sent to"),
	COUNT(16, "sectors_discarded", "sectors of 512 bytes", "Sectors discarded on"),
	COUNT(17, "discard_ms", "ms", "Time that discards took, summed over them, on"),
	COUNT(18, "flushes", "requests", "Flushes of the write cache completed by"),
	COUNT(19, "flush_ms", "ms", "Time that flushes took, summed over them, on"),
};

/* True for a loop or RAM disk that was never used. The kernel lists sixteen of each, used or not. */
static bool never_used(const char *name, const char *line, const char *end)
{
	const char *token;
	size_t length;

	if (strncmp(name, "loop", 4) && strncmp(name, "ram", 3))
		return false;
	for (unsigned i = 0; (length = upci_token(&line, end, &token)); i++)
		if (i >= 3 && (length != 1 || *token != '0'))
			return false;
	return true;
}

/* True if upci_field_find would split the name into several tokens, or take it for something else. */
static bool name_is_odd(const char *line, const char *end, unsigned number)
{
	const char *token = line;

	for (unsigned i = 0; i <= number; i++)
		upci_token(&line, end, &token);
	return *token == '(' || (line < end && *line != ' ');
}

static int add_diskstats(const struct upci_cat_file *file, const char *key, const char *line, const char *end)
{
	char disk[64], prefix[80], of[80];

	(void)key;
	if (!upci_cat_token(line, end, 2, disk, sizeof(disk)) || name_is_odd(line, end, 2) ||
	    never_used(disk, line, end))
		return 0;
	snprintf(prefix, sizeof(prefix), "disk::%s:", disk);
	snprintf(of, sizeof(of), "block device %s", disk);
	return upci_cat_columns(file, UPCI_TABLE_OF(disk_columns), prefix, of, disk, 2, line, end);
}

/* ---- /proc/pressure ----------------------------------------------------- */

/* Lines "some" and "full": avg10=0.00 avg60=0.00 avg300=0.00 total=0 */
static const struct upci_words pressure_columns[] = {
	COUNT(8, "total", "us", "Time in which"),
	LEVEL(2, "avg10", "1/100 %", 100, "Share of the last 10 seconds in which"),
	LEVEL(4, "avg60", "1/100 %", 100, "Share of the last minute in which"),
	LEVEL(6, "avg300", "1/100 %", 100, "Share of the last five minutes in which"),
};

static int add_pressure(const struct upci_cat_file *file, const char *share, const char *line,
			const char *end)
{
	const char *resource = strrchr(file->path, '/') + 1;
	char prefix[160], of[160];

	snprintf(prefix, sizeof(prefix), "psi::%s:%s_", resource, share);
	snprintf(of, sizeof(of), "%s waited for %s (%s)",
		 !strcmp(share, "full") ? "all tasks that had work" : "at least one task", resource,
		 !strcmp(resource, "cpu")      ? "a CPU to run on"
		 : !strcmp(resource, "memory") ? "reclaim, refaults, swapping"
		 : !strcmp(resource, "irq")    ? "interrupts in their way"
					       : "disks");
	return upci_cat_columns(file, UPCI_TABLE_OF(pressure_columns), prefix, of, share, 0, line, end);
}

/* ---- files of one line -------------------------------------------------- */

#define LOAD(number, column, what) LEVEL(number, column, "1/1000 tasks", 1000, what)
#define TIME(number, column, what) UPCI_COLUMN(COUNT, number, column, "ns", 1000000000, what)

static const struct upci_words load_columns[] = {
	LOAD(0, "load1", "Load average of 1 minute, in thousandths: tasks that run or wait"),
	LOAD(1, "load5", "Load average of 5 minutes, in thousandths"),
	LOAD(2, "load15", "Load average of 15 minutes, in thousandths"),
};
static const struct upci_words uptime_columns[] = {
	TIME(0, "uptime_ns", "Time since boot, in steps of 10 ms"),
	TIME(1, "idle_ns", "Idle time summed over all CPUs since boot, in steps of 10 ms"),
};
static const struct upci_words file_columns[] = {
	LEVEL(0, "open_files", "files", 0, "Open file descriptions, shared ones counted once"),
};
static const struct upci_words inode_columns[] = {
	LEVEL(0, "inodes", "inodes", 0, "Inodes that the kernel has in memory"),
	LEVEL(1, "inodes_free", "inodes", 0, "Inodes in memory that nothing uses"),
};
static const struct upci_words dentry_columns[] = {
	LEVEL(0, "dentries", "entries", 0, "Directory entries in the kernel's cache of names"),
	LEVEL(1, "dentries_unused", "entries", 0, "Cached directory entries that nothing uses now"),
};
static const struct upci_words aio_columns[] = {
	LEVEL(0, "aio_requests", "requests", 0, "Asynchronous I/O requests for which io_setup reserved room"),
};
static const struct upci_words entropy_columns[] = {
	LEVEL(0, "entropy_avail", "bits", 0, "Entropy that the random number generator credits itself with"),
};
static const struct upci_words pty_columns[] = {
	LEVEL(0, "ptys", "terminals", 0, "Pseudo terminals in use"),
};

/* ---- /proc/schedstat ---------------------------------------------------- */

/* Column 2, which is always 0, and the columns of domains are left out. */
static const struct upci_words schedstat_columns[] = {
	COUNT(1, "yields", "calls", "Calls of sched_yield on"),
	COUNT(3, "schedules", "calls", "Runs of the scheduler on"),
	COUNT(4, "goidle", "calls", "Runs of the scheduler that found nothing to run on"),
	COUNT(5, "wakeups", "tasks", "Tasks woken to run on"),
	COUNT(6, "wakeups_local", "tasks", "Tasks woken by the CPU that they then ran on,"),
	COUNT(7, "run_ns", "ns", "Time that tasks ran on"),
	COUNT(8, "run_delay_ns", "ns", "Time that tasks, ready to run, waited for"),
	COUNT(9, "timeslices", "slices", "Time slices that tasks were given on"),
};
/* Add the events of /proc/schedstat, whose columns have had this meaning since version 15. */
static int add_schedstat(const struct upci_cat_file *file, const char *text, size_t length)
{
	char key[64], version[16], prefix[80];
	struct upci_cat_file one = *file;
	int error = 0;

	one.scope = UPC_SCOPE_CPU;
	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end;

		if (!upci_cat_token(line, end, 0, key, sizeof(key)))
			continue;
		if (!strcmp(key, "version") && upci_cat_token(line, end, 1, version, sizeof(version)) &&
		    atoi(version) < 15)
			return 0;
		if (strncmp(key, "cpu", 3))
			continue;
		snprintf(prefix, sizeof(prefix), "sched::%s:", key);
		error = upci_cat_columns(&one, UPCI_TABLE_OF(schedstat_columns), prefix, key, key, 0, line,
					 end);
		if (error)
			break;
	}
	return error;
}

/* ---- the files ---------------------------------------------------------- */

/* A file. One of the last four members is set, and makes the events of the file. */
struct source {
	enum upci_root root;
	enum upc_scope scope;
	const char *path, *subsystem;
	const char *prefix; /* prefix of event names, if a table makes the events */
	const struct upci_table *columns, *keys;
	upci_text_builder *text;
	upci_line_builder *line;
};

#define MACHINE(of_path, of_subsystem, ...)                                                         \
	{                                                                                           \
		.path = of_path, .subsystem = of_subsystem, .scope = UPC_SCOPE_MACHINE, __VA_ARGS__ \
	}
#define PROCESS(of_path, ...)                                                           \
	{                                                                               \
		.root = UPCI_ROOT_PROCESS, .scope = UPC_SCOPE_PROCESS, .path = of_path, \
		.subsystem = "process", .prefix = "process::", __VA_ARGS__              \
	}
#define TASK(of_path, ...)                                                                               \
	{                                                                                                \
		.root = UPCI_ROOT_TASK, .scope = UPC_SCOPE_THREAD, .path = of_path, .subsystem = "task", \
		.prefix = "task::", __VA_ARGS__                                                          \
	}
#define FIRST_LINE(of_prefix, of_columns) .prefix = of_prefix, .columns = UPCI_TABLE_OF(of_columns)

static const struct source sources[] = {
	TASK("stat", .text = upci_cat_stat_of_task),
	TASK("status", .keys = &upci_task_status_words),
	TASK("io", .keys = &upci_io_words),
	TASK("schedstat", .columns = &upci_schedstat_columns),
	TASK("sched", .keys = &upci_sched_words),
	PROCESS("stat", .text = upci_cat_stat_of_task),
	PROCESS("status", .keys = &upci_process_status_words),
	PROCESS("statm", .columns = &upci_statm_columns),
	PROCESS("io", .keys = &upci_io_words),
	MACHINE("stat", "cpu", .line = upci_cat_stat),
	MACHINE("loadavg", "cpu", FIRST_LINE("cpu::", load_columns)),
	MACHINE("uptime", "cpu", FIRST_LINE("time::", uptime_columns)),
	MACHINE("schedstat", "cpu", .text = add_schedstat),
	MACHINE("vmstat", "vm", .line = upci_cat_vmstat),
	MACHINE("meminfo", "mem", .line = upci_cat_meminfo),
	MACHINE("interrupts", "irq", .text = upci_cat_interrupts),
	MACHINE("softirqs", "irq", .text = upci_cat_softirqs),
	MACHINE("net/dev", "net", .text = upci_cat_net_dev),
	MACHINE("net/snmp", "tcp/ip", .text = upci_cat_net_pairs),
	MACHINE("net/netstat", "tcp/ip", .text = upci_cat_net_pairs),
	MACHINE("net/snmp6", "tcp/ip", .line = upci_cat_net_snmp6),
	MACHINE("net/sockstat", "tcp/ip", .line = upci_cat_net_sockets),
	MACHINE("net/sockstat6", "tcp/ip", .line = upci_cat_net_sockets),
	MACHINE("diskstats", "disk", .line = add_diskstats),
	MACHINE("pressure/cpu", "psi", .line = add_pressure),
	MACHINE("pressure/memory", "psi", .line = add_pressure),
	MACHINE("pressure/io", "psi", .line = add_pressure),
	MACHINE("pressure/irq", "psi", .line = add_pressure),
	MACHINE("sys/fs/file-nr", "fs", FIRST_LINE("fs::", file_columns)),
	MACHINE("sys/fs/inode-nr", "fs", FIRST_LINE("fs::", inode_columns)),
	MACHINE("sys/fs/dentry-state", "fs", FIRST_LINE("fs::", dentry_columns)),
	MACHINE("sys/fs/aio-nr", "fs", FIRST_LINE("fs::", aio_columns)),
	MACHINE("sys/kernel/random/entropy_avail", "fs", FIRST_LINE("random::", entropy_columns)),
	MACHINE("sys/kernel/pty/nr", "fs", FIRST_LINE("fs::", pty_columns)),
};
#define SOURCES (sizeof(sources) / sizeof(*sources))

static int add_lines(const struct upci_cat_file *file, upci_line_builder *build, const char *text,
		     size_t length)
{
	char key[128];
	int error = 0;

	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end;

		if (upci_cat_token(line, end, 0, key, sizeof(key)))
			error = build(file, key, line, end);
		if (error)
			break;
	}
	return error;
}

static int add_text(struct upc_catalogue *c, const struct source *source, const char *text, size_t length)
{
	struct upci_cat_file file = {
		.c = c,
		.root = source->root,
		.path = source->path,
		.subsystem = source->subsystem,
		.scope = source->scope,
	};

	if (source->columns)
		return upci_cat_first_line(&file, source->columns, source->prefix, text, length);
	if (source->keys)
		return upci_cat_known_keys(&file, source->keys, source->prefix, NULL, text, length);
	return source->text ? source->text(&file, text, length)
			    : add_lines(&file, source->line, text, length);
}

int upci_catalogue_add_file_text(struct upc_catalogue *c, enum upci_root root, const char *path,
				 const char *text, size_t length)
{
	for (unsigned i = 0; i < SOURCES; i++)
		if (sources[i].root == root && !strcmp(sources[i].path, path))
			return add_text(c, &sources[i], text, length);
	return UPC_EINVAL;
}

/* Return the sentence to report if a file cannot be read, or "" for none: not every kernel has every file. */
static const char *why_missing(const struct source *source, int error)
{
	if (!strcmp(source->path, "pressure/cpu"))
		return error == EOPNOTSUPP
			       ? "psi: pressure stall information is switched off; boot with psi=1"
			       : "psi: this kernel has no /proc/pressure; it needs CONFIG_PSI";
	if (error == EACCES || error == EPERM) {
		if (!strcmp(source->path, "io"))
			return source->root == UPCI_ROOT_TASK
				       ? "task: I/O counts need a dumpable program, or root"
				       : "";
		if (!strcmp(source->path, "vmstat"))
			return "vm: /proc/vmstat is hidden in this container; ask for it";
		if (!strcmp(source->path, "interrupts"))
			return "irq: /proc/interrupts is not readable here; run as root";
	}
	return "";
}

int upci_catalogue_add_files(struct upc_catalogue *c)
{
	for (unsigned i = 0; i < SOURCES; i++) {
		size_t length;
		char *text = upci_file_slurp(sources[i].root, sources[i].path, &length);
		int error = 0;

		if (text)
			error = add_text(c, &sources[i], text, length);
		else if (errno == ENOMEM)
			error = UPC_ENOMEM;
		else if (*why_missing(&sources[i], errno))
			error = upci_catalogue_add_missing(c, why_missing(&sources[i], errno));
		free(text);
		if (error < 0)
			return error;
	}
	/* The simulated node does not have the devices of this machine. */
	return upci_catalogue_node(c) ? 0 : upci_catalogue_add_sysfs(c);
}
