/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_task.c - events of a thread (/proc/PID/task/TID) and of its process (/proc/PID).
 *
 * Both directories have the same files, but not everything in them concerns the process: status and schedstat
 * of a process show the context switches and run time of its first thread. These are therefore events of
 * threads only.
 *
 * Terms: base/target.h.
 */
#include <stdio.h>
#include <string.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"

#define FIELD(number, event, unit, mul, what) UPCI_COLUMN(COUNT, number, event, unit, mul, what)
#define LEVEL(number, event, unit, mul, what) UPCI_COLUMN(LEVEL, number, event, unit, mul, what)

static const struct upci_words stat_columns[] = {
	FIELD(9, "minflt", "faults", 1, "Page faults served without reading from a disk"),
	FIELD(11, "majflt", "faults", 1, "Page faults that had to wait for a disk"),
	FIELD(13, "utime_ns", "ns", UPCI_MUL_TICKS, "CPU time in user mode, in steps of a clock tick"),
	FIELD(14, "stime_ns", "ns", UPCI_MUL_TICKS, "CPU time in the kernel, in steps of a clock tick"),
	FIELD(42, "guest_ns", "ns", UPCI_MUL_TICKS,
	      "CPU time running a virtual machine's guest, also part of user time"),
};

static const struct upci_words process_stat_columns[] = {
	FIELD(10, "cminflt", "faults", 1,
	      "Page faults without a disk read of children that have ended and been waited for"),
	FIELD(12, "cmajflt", "faults", 1,
	      "Page faults with a disk read of children that have ended and been waited for"),
	FIELD(15, "cutime_ns", "ns", UPCI_MUL_TICKS,
	      "CPU time in user mode of children that have ended and been waited for"),
	FIELD(16, "cstime_ns", "ns", UPCI_MUL_TICKS,
	      "CPU time in the kernel of children that have ended and been waited for"),
	LEVEL(19, "threads", "threads", 1, "Threads that exist"),
	LEVEL(22, "vsize", "bytes", 1, "Address space in use, touched or not"),
	LEVEL(23, "rss", "bytes", UPCI_MUL_PAGES,
	      "Memory resident, shared pages included; an estimate of the kernel"),
};

static const struct upci_words task_stat_columns[] = {
	LEVEL(17, "priority", "priority", 1,
	      "Scheduling priority: 20 is that of nice 0, real-time ones are negative"),
	LEVEL(18, "nice", "nice", 1, "Nice value, -20 (most CPU) to 19"),
	LEVEL(38, "processor", "CPU number", 1, "CPU that it ran on last"),
	FIELD(41, "blkio_delay_ns", "ns", UPCI_MUL_TICKS,
	      "Time waiting for disks; stays 0 unless the sysctl kernel.task_delayacct is 1"),
};

int upci_cat_stat_of_task(const struct upci_cat_file *file, const char *text, size_t length)
{
	const bool task = file->root == UPCI_ROOT_TASK;
	const char *prefix = task ? "task::" : "process::";
	int error = upci_cat_first_line(file, UPCI_TABLE_OF(stat_columns), prefix, text, length);

	if (error)
		return error;
	return upci_cat_first_line(
		file, task ? UPCI_TABLE_OF(task_stat_columns) : UPCI_TABLE_OF(process_stat_columns), prefix,
		text, length);
}

#define SWITCHES(key, what) UPCI_KEY(COUNT, key, "switches", 0, what)

static const struct upci_words task_status_words[] = {
	SWITCHES("voluntary_ctxt_switches", "Times that it gave the CPU away, to wait for something"),
	SWITCHES("nonvoluntary_ctxt_switches", "Times that the CPU was taken away, for another task's turn"),
};
const struct upci_table upci_task_status_words = UPCI_TABLE(task_status_words);

#define MEMORY(key, what) UPCI_KEY(LEVEL, key, "bytes", 1024, what)

static const struct upci_words process_status_words[] = {
	MEMORY("VmPeak", "Largest address space so far"),
	MEMORY("VmSize", "Address space in use, touched or not"),
	MEMORY("VmLck", "Memory locked by mlock"),
	MEMORY("VmPin", "Memory pinned for devices"),
	MEMORY("VmHWM", "Largest resident memory so far (high water mark)"),
	MEMORY("VmRSS", "Memory resident: the sum of RssAnon, RssFile and RssShmem"),
	MEMORY("RssAnon", "Resident memory of its own: heap, stacks, private data"),
	MEMORY("RssFile", "Resident memory that maps files, programs and libraries among them"),
	MEMORY("RssShmem", "Resident memory that is shared: tmpfs, shared mappings, System V segments"),
	MEMORY("VmData", "Size of private writable mappings, touched or not"),
	MEMORY("VmStk", "Size of the first thread's stack"),
	MEMORY("VmExe", "Size of the program's code"),
	MEMORY("VmLib", "Size of the code of shared libraries"),
	MEMORY("VmPTE", "Memory for page tables"),
	MEMORY("VmSwap", "Private memory that is swapped out"),
	MEMORY("HugetlbPages", "Memory in explicit huge pages (hugetlbfs)"),
	UPCI_KEY(LEVEL, "FDSize", "descriptors", 0, "Room of the table of file descriptors"),
};
const struct upci_table upci_process_status_words = UPCI_TABLE(process_status_words);

#define IO(key, unit, what) UPCI_KEY(COUNT, key, unit, 0, what)

static const struct upci_words io_words[] = {
	IO("rchar", "bytes",
	   "Bytes that read and the like returned, from the page cache, pipes and sockets too"),
	IO("wchar", "bytes", "Bytes that write and the like took, to pipes and sockets too"),
	IO("syscr", "system calls", "System calls that read"),
	IO("syscw", "system calls", "System calls that write"),
	IO("read_bytes", "bytes", "Bytes fetched from disks on its account"),
	IO("write_bytes", "bytes", "Bytes that it made dirty and that disks are to take"),
	IO("cancelled_write_bytes", "bytes",
	   "Dirty bytes that it took back before they were written (truncated)"),
};
const struct upci_table upci_io_words = UPCI_TABLE(io_words);

static const struct upci_words schedstat_columns[] = {
	FIELD(0, "run_ns", "ns", 1, "Time on a CPU"),
	FIELD(1, "run_delay_ns", "ns", 1, "Time ready to run and waiting for a CPU: what crowding costs"),
	FIELD(2, "timeslices", "slices", 1, "Times that it was put on a CPU"),
};
const struct upci_table upci_schedstat_columns = UPCI_TABLE(schedstat_columns);

/* Milliseconds with six decimal places. */
#define MS(key, event, what) UPCI_NAMED_KEY(COUNT, key, event, "ns", 1000000, what)
#define TIMES(key, event, unit, what) UPCI_NAMED_KEY(COUNT, key, event, unit, 0, what)
#define LOAD(key, event, what) UPCI_NAMED_KEY(LEVEL, key, event, "1/1024 CPUs", 0, what)

/* The statistics are present if the kernel keeps them (kernel.sched_schedstats). Their names were longer
 * before Linux 5.15. */
static const struct upci_words sched_words[] = {
	MS("se.sum_exec_runtime", "sched_exec_ns", "Time on a CPU, as the scheduler accounts it"),
	TIMES("se.nr_migrations", "migrations", "migrations", "Moves from one CPU to another"),
	TIMES("nr_switches", "switches", "switches", "Context switches, voluntary or not"),
	LOAD("se.avg.util_avg", "util", "Share of a CPU that it used lately, decaying, 1024 for all of one"),
	LOAD("se.avg.runnable_avg", "runnable",
	     "Share of time that it ran or waited for a CPU lately, decaying"),
	TIMES("total_numa_faults", "numa_faults", "faults",
	      "Faults taken to learn which node it uses memory of"),
	TIMES("numa_pages_migrated", "numa_pages_migrated", "pages",
	      "Pages moved to the node that it runs on"),
	MS("wait_sum", "wait_ns", "Time waiting for a CPU, in the queue"),
	MS("sum_sleep_runtime", "sleep_ns", "Time asleep and interruptible"),
	MS("sum_block_runtime", "block_ns", "Time blocked and not interruptible, on disks mostly"),
	MS("iowait_sum", "iowait_ns", "Time blocked on disks"),
	TIMES("wait_count", "waits", "waits", "Waits for a CPU, in the queue"),
	TIMES("iowait_count", "iowaits", "waits", "Waits for a disk"),
	TIMES("nr_wakeups", "wakeups", "wakeups", "Times that it was woken"),
	TIMES("nr_wakeups_sync", "wakeups_sync", "wakeups", "Times that its waker was about to sleep"),
	TIMES("nr_wakeups_migrate", "wakeups_migrate", "wakeups",
	      "Times that it was woken on another CPU than before"),
	TIMES("nr_wakeups_local", "wakeups_local", "wakeups",
	      "Times that it was woken by the CPU that it then ran on"),
	TIMES("nr_wakeups_remote", "wakeups_remote", "wakeups", "Times that it was woken by another CPU"),
	MS("se.statistics.wait_sum", "wait_ns", "Time waiting for a CPU, in the queue"),
	MS("se.statistics.sum_sleep_runtime", "sleep_ns", "Time asleep and interruptible"),
	MS("se.statistics.sum_block_runtime", "block_ns",
	   "Time blocked and not interruptible, on disks mostly"),
	MS("se.statistics.iowait_sum", "iowait_ns", "Time blocked on disks"),
	TIMES("se.statistics.wait_count", "waits", "waits", "Waits for a CPU, in the queue"),
	TIMES("se.statistics.iowait_count", "iowaits", "waits", "Waits for a disk"),
	TIMES("se.statistics.nr_wakeups", "wakeups", "wakeups", "Times that it was woken"),
};
const struct upci_table upci_sched_words = UPCI_TABLE(sched_words);

static const struct upci_words statm_columns[] = {
	LEVEL(0, "statm_size", "bytes", UPCI_MUL_PAGES, "Address space in use, touched or not"),
	LEVEL(1, "statm_resident", "bytes", UPCI_MUL_PAGES,
	      "Memory resident: the cheapest way to ask for it"),
	LEVEL(2, "statm_shared", "bytes", UPCI_MUL_PAGES, "Resident memory backed by files or shared"),
	LEVEL(3, "statm_text", "bytes", UPCI_MUL_PAGES, "Size of the program's code"),
	LEVEL(5, "statm_data", "bytes", UPCI_MUL_PAGES, "Size of data and stack"),
};
const struct upci_table upci_statm_columns = UPCI_TABLE(statm_columns);
