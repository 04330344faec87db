/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_proc.c - events from /proc/vmstat, meminfo, stat, interrupts and softirqs: memory management and the
 * CPUs.
 * Terms: base/event.h.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"

/* ---- /proc/vmstat, /proc/meminfo ---------------------------------------- */

/* Guess kind and unit of a key that is not in the table. Keys of zones and nodes (nr_*) are levels; all
 * others count events. */
static void guess_vmstat(const char *key, struct upci_draft *draft)
{
	draft->kind = strncmp(key, "nr_", 3) ? UPC_KIND_COUNT : UPC_KIND_LEVEL;
	draft->unit = !strncmp(key, "nr_", 3) || !strncmp(key, "pg", 2) || !strncmp(key, "workingset_", 11) ||
				      !strncmp(key, "unevictable_pgs_", 16)
			      ? "pages"
			      : "events";
}

int upci_cat_vmstat(const struct upci_cat_file *file, const char *key, const char *line, const char *end)
{
	const struct upci_words *words = upci_words_find(&upci_vmstat_words, key);
	char name[UPC_NAME_MAX], composed[256];
	struct upci_draft draft = {.text = composed};

	if (words) {
		draft = upci_draft_of(words);
	} else {
		guess_vmstat(key, &draft);
		snprintf(composed, sizeof(composed),
			 "What the kernel's memory management keeps under the key %s of /proc/vmstat", key);
	}
	snprintf(name, sizeof(name), "vm::%s", key);
	draft.name = name;
	draft.key = key;
	draft.first = 1;
	return upci_cat_put(file, &draft, line, end);
}

/* Compose the name mem::Active_anon from the key "Active(anon)". */
static void meminfo_name(const char *key, char *name, size_t size)
{
	size_t n = (size_t)snprintf(name, size, "mem::");

	for (; *key && n + 1 < size; key++)
		if (*key != ')')
			name[n++] = *key == '(' ? '_' : *key;
	name[n] = '\0';
}

int upci_cat_meminfo(const struct upci_cat_file *file, const char *key, const char *line, const char *end)
{
	const struct upci_words *words = upci_words_find(&upci_meminfo_words, key);
	char name[UPC_NAME_MAX], composed[256], unit[8];
	bool kib = upci_cat_token(line, end, 2, unit, sizeof(unit)) && !strcmp(unit, "kB");
	struct upci_draft draft = {
		.name = name,
		.text = words ? words->text : composed,
		.unit = kib ? "bytes" : "huge pages",
		.kind = UPC_KIND_LEVEL,
		.mul = kib ? 1024 : 1,
		.key = key,
		.first = 1,
	};

	meminfo_name(key, name, sizeof(name));
	snprintf(composed, sizeof(composed), "Memory that the kernel accounts under %s in /proc/meminfo",
		 key);
	return upci_cat_put(file, &draft, line, end);
}

/* ---- /proc/stat --------------------------------------------------------- */

#define CPU(column, event, what) UPCI_COLUMN(COUNT, column, event, "ns", UPCI_MUL_TICKS, what)

static const struct upci_words cpu_columns[] = {
	CPU(1, "user_ns", "CPU time in user mode, guests included, in steps of a clock tick"),
	CPU(2, "nice_ns", "CPU time in user mode at lowered priority (positive nice)"),
	CPU(3, "system_ns", "CPU time in the kernel, without interrupts"),
	CPU(4, "idle_ns", "CPU time with nothing to run and no disk request waited for"),
	CPU(5, "iowait_ns",
	    "CPU time idle while a task that last ran there waits for a disk; an "
	    "estimate that the kernel may correct downwards"),
	CPU(6, "irq_ns", "CPU time in hardware interrupt handlers"),
	CPU(7, "softirq_ns", "CPU time in soft interrupts: network, timers, block completions"),
	CPU(8, "steal_ns", "CPU time that the hypervisor gave to others while this machine wanted it"),
	CPU(9, "guest_ns", "CPU time spent running guests of virtual machines, also part of user_ns"),
	CPU(10, "guest_nice_ns", "CPU time spent running guests at lowered priority, also part of nice_ns"),
};

static const struct upci_words stat_words[] = {
	UPCI_NAMED_KEY(COUNT, "ctxt", "cpu::ctxt", "switches", 0, "Context switches on all CPUs"),
	UPCI_NAMED_KEY(COUNT, "processes", "cpu::processes", "tasks", 0,
		       "Processes and threads created (fork, vfork, clone)"),
	UPCI_NAMED_KEY(LEVEL, "procs_running", "cpu::procs_running", "tasks", 0,
		       "Tasks that run or wait for a CPU; more than there are CPUs means waiting"),
	UPCI_NAMED_KEY(LEVEL, "procs_blocked", "cpu::procs_blocked", "tasks", 0,
		       "Tasks blocked until a disk or network file system answers"),
	UPCI_NAMED_KEY(COUNT, "intr", "irq::total", "interrupts", 0, "Interrupts served, all kinds together"),
	UPCI_NAMED_KEY(COUNT, "softirq", "softirq::total", "soft interrupts", 0,
		       "Soft interrupts run, all kinds together"),
};

int upci_cat_stat(const struct upci_cat_file *file, const char *key, const char *line, const char *end)
{
	const struct upci_words *words = upci_words_find(UPCI_TABLE_OF(stat_words), key);
	struct upci_cat_file one = *file;
	struct upci_draft draft;
	char prefix[144], of[144];

	if (words) {
		draft = upci_draft_of(words);
		draft.name = words->name;
		draft.key = key;
		draft.first = 1;
		return upci_cat_put(file, &draft, line, end);
	}
	if (!strcmp(key, "cpu"))
		return upci_cat_columns(file, UPCI_TABLE_OF(cpu_columns), "cpu::", "(sum over all CPUs)", key,
					0, line, end);
	if (strncmp(key, "cpu", 3) || !isdigit((unsigned char)key[3]))
		return 0;
	one.scope = UPC_SCOPE_CPU;
	snprintf(prefix, sizeof(prefix), "cpu::%s:", key);
	snprintf(of, sizeof(of), "(of %s)", key);
	return upci_cat_columns(&one, UPCI_TABLE_OF(cpu_columns), prefix, of, key, 0, line, end);
}

/* ---- /proc/interrupts, /proc/softirqs ----------------------------------- */

/* Return the number of columns to add up: the CPUs in the header, or more if some CPUs are offline now. The
 * text after the counts of a line is not a number and ends the sum. */
static unsigned cpu_count(const char *line, const char *end)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	unsigned n = 0;
	const char *token;

	while (upci_token(&line, end, &token))
		n++;
	return configured > (long)n ? (unsigned)configured : n ? n : 1;
}

/* Get the name of the device, which follows the last two blanks of a line: the text before it is padded to
 * columns. */
static void device_name(const char *line, const char *end, char *out, size_t size)
{
	const char *s = end;

	while (s - line >= 2 && !(s[-1] == ' ' && s[-2] == ' '))
		s--;
	snprintf(out, size, "%.*s", (int)(end - s > 100 ? 100 : end - s), s);
}

static int add_interrupt(const struct upci_cat_file *file, const char *key, unsigned cpus, const char *line,
			 const char *end)
{
	char device[128], name[UPC_NAME_MAX], composed[256];
	const struct upci_words *words = upci_words_find(&upci_irq_words, key);
	struct upci_draft draft = {
		.name = name,
		.key = key,
		.first = 1,
		.last = cpus,
		.unit = "interrupts",
	};

	draft.text = words ? words->text : composed;
	device_name(line, end, device, sizeof(device));
	snprintf(name, sizeof(name), "irq::%s", key);
	if (isdigit((unsigned char)key[0])) {
		/* Interrupt numbers change from boot to boot; the device's name does not. */
		if (!device[0] || isdigit((unsigned char)device[0]))
			return 0;
		snprintf(name, sizeof(name), "irq::%s", device);
		snprintf(composed, sizeof(composed), "Interrupts of %s (line %s), on all CPUs together",
			 device, key);
	} else if (!words && device[0] && !isdigit((unsigned char)device[0])) {
		snprintf(composed, sizeof(composed), "%s, on all CPUs together", device);
	} else if (!words) {
		snprintf(composed, sizeof(composed), "Interrupts of the kind %s in /proc/interrupts", key);
	}
	return upci_cat_put(file, &draft, line, end);
}

int upci_cat_interrupts(const struct upci_cat_file *file, const char *text, size_t length)
{
	unsigned cpus = 1;
	char key[64];
	int error = 0;

	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end;

		if (scan.number == 1)
			cpus = cpu_count(line, end);
		else if (upci_cat_token(line, end, 0, key, sizeof(key)))
			error = add_interrupt(file, key, cpus, line, end);
		if (error)
			break;
	}
	return error;
}

int upci_cat_softirqs(const struct upci_cat_file *file, const char *text, size_t length)
{
	char key[64], name[UPC_NAME_MAX], composed[128];
	unsigned cpus = 1;
	int error = 0;

	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end;
		struct upci_draft draft = {
			.name = name,
			.key = key,
			.first = 1,
			.unit = "soft interrupts",
			.text = composed,
		};
		const struct upci_words *words;

		if (scan.number == 1)
			cpus = cpu_count(line, end);
		if (scan.number == 1 || !upci_cat_token(line, end, 0, key, sizeof(key)))
			continue;
		words = upci_words_find(&upci_softirq_words, key);
		snprintf(name, sizeof(name), "softirq::%s", key);
		snprintf(composed, sizeof(composed),
			 "Soft interrupts of the kind %s, on all CPUs "
			 "together",
			 key);
		if (words)
			draft.text = words->text;
		draft.last = cpus;
		error = upci_cat_put(file, &draft, line, end);
		if (error)
			break;
	}
	return error;
}
