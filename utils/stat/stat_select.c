/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_select.c - selects the events that upc_stat counts by default, from the names that exist.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_select.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Events in the order of their significance for a program; at most max of the matching events are selected.
 * Names differ between kernels, so several patterns may mean the same event, which is selected only once.
 */
static const struct wish {
	const char *pattern;
	unsigned max;
} wishes[] = {
	{"perf::TASK-CLOCK", 1},
	{"perf::PERF_COUNT_SW_TASK_CLOCK", 1},
	{"perf::CYCLES", 1},
	{"perf::PERF_COUNT_HW_CPU_CYCLES", 1},
	{"perf::INSTRUCTIONS", 1},
	{"perf::PERF_COUNT_HW_INSTRUCTIONS", 1},
	{"perf::BRANCH-INSTRUCTIONS", 1},
	{"perf::PERF_COUNT_HW_BRANCH_INSTRUCTIONS", 1},
	{"perf::BRANCH-MISSES", 1},
	{"perf::PERF_COUNT_HW_BRANCH_MISSES", 1},
	{"perf::CACHE-REFERENCES", 1},
	{"perf::PERF_COUNT_HW_CACHE_REFERENCES", 1},
	{"perf::CACHE-MISSES", 1},
	{"perf::PERF_COUNT_HW_CACHE_MISSES", 1},
	{"perf::PAGE-FAULTS", 1},
	{"perf::FAULTS", 1},
	{"perf::PERF_COUNT_SW_PAGE_FAULTS", 1},
	{"perf::MINOR-FAULTS", 1},
	{"perf::PERF_COUNT_SW_PAGE_FAULTS_MIN", 1},
	{"perf::MAJOR-FAULTS", 1},
	{"perf::PERF_COUNT_SW_PAGE_FAULTS_MAJ", 1},
	{"perf::CONTEXT-SWITCHES", 1},
	{"perf::PERF_COUNT_SW_CONTEXT_SWITCHES", 1},
	{"perf::CPU-MIGRATIONS", 1},
	{"perf::PERF_COUNT_SW_CPU_MIGRATIONS", 1},
	{"process::rchar", 1},
	{"process::wchar", 1},
	{"process::syscr", 1},
	{"process::syscw", 1},
	{"process::read_bytes", 1},
	{"process::write_bytes", 1},
	{"tp::raw_syscalls:sys_enter", 1},
	{"tp::sched:sched_process_fork", 1},
	{"tp::sched:sched_process_exec", 1},
	{"tp::sched:sched_wakeup", 1},
	{"tp::exceptions:page_fault_user", 1},
	{"tp::exceptions:page_fault_kernel", 1},
	{"tp::kmem:mm_page_alloc", 1},
	{"tp::kmem:kmalloc", 1},
	{"tp::kmem:kmem_cache_alloc", 1},
	{"tp::filemap:mm_filemap_add_to_page_cache", 1},
	{"tp::writeback:writeback_dirty_page", 1},
	{"tp::writeback:writeback_dirty_folio", 1},
	{"tp::block:block_rq_issue", 1},
	{"tp::syscalls:sys_enter_mmap", 1},
	{"tp::syscalls:sys_enter_futex", 1},
	{"tp::irq:softirq_entry", 1},
	{"tp::irq:irq_handler_entry", 1},
	{"tp::irq_vectors:local_timer_entry", 1},
	{"tp::timer:hrtimer_start", 1},
	{"tp::net:net_dev_queue", 1},
	{"tp::net:netif_receive_skb", 1},
	{"net::e[nt]*:rx_bytes", 1},
	{"net::e[nt]*:tx_bytes", 1},
	{"vm::pgpgin", 1},
	{"vm::pgpgout", 1},
	{"vm::pgfault", 1},
	{"psi::cpu:some_total", 1},
	{"psi::io:some_total", 1},
	{"psi::memory:some_total", 1},
	/* If tracepoints are not counted, counters remain for the following events. */
	{"task::*_ctxt_switches", 2},
	{"process::utime_ns", 1},
	{"process::stime_ns", 1},
	{"process::cminflt", 1},
	{"net::lo:rx_bytes", 1},
	{"cpu::user_ns", 1},
	{"cpu::system_ns", 1},
	{"cpu::idle_ns", 1},
	{"cpu::iowait_ns", 1},
	{"cpu::steal_ns", 1},
	{"cpu::ctxt", 1},
	{"cpu::processes", 1},
	{"irq::total", 1},
	{"softirq::total", 1},
	{"vm::pgmajfault", 1},
	{"vm::pgfree", 1},
	{"vm::pgalloc_normal", 1},
	{"vm::pswpin", 1},
	{"vm::pswpout", 1},
	{"vm::thp_fault_alloc", 1},
	{"net::e[nt]*:rx_packets", 1},
	{"net::e[nt]*:tx_packets", 1},
	{"disk::*:sectors_read", 1},
	{"disk::*:sectors_written", 1},
	{"perf::CPU-CLOCK", 1},
	{"perf::PERF_COUNT_SW_CPU_CLOCK", 1},
	{"tp::kmem:mm_page_free", 1},
	{"tp::sched:sched_migrate_task", 1},
	{"tp::block:block_rq_complete", 1},
	{"tp::signal:signal_deliver", 1},
};

/*
 * STAT_CHOICE_ALL continues with these: the most frequent events of programs. take_rest then takes events
 * from each subsystem in turn; most of them never happen on a given machine.
 */
static const struct wish more_wishes[] = {
	{"tp::sched:sched_[mpsw]*", 20},
	{"tp::syscalls:sys_enter_*read*", 6},
	{"tp::syscalls:sys_enter_*write*", 4},
	{"tp::syscalls:sys_enter_open*", 3},
	{"tp::syscalls:sys_enter_close*", 2},
	{"tp::syscalls:sys_enter_*stat*", 6},
	{"tp::syscalls:sys_enter_lseek", 1},
	{"tp::syscalls:sys_enter_getdents64", 1},
	{"tp::syscalls:sys_enter_ioctl", 1},
	{"tp::syscalls:sys_enter_fcntl", 1},
	{"tp::syscalls:sys_enter_m[upra]*", 6},
	{"tp::syscalls:sys_enter_brk", 1},
	{"tp::syscalls:sys_enter_*poll*", 4},
	{"tp::syscalls:sys_enter_epoll_*", 4},
	{"tp::syscalls:sys_enter_*select*", 2},
	{"tp::syscalls:sys_enter_*nanosleep", 2},
	{"tp::syscalls:sys_enter_sched_yield", 1},
	{"tp::syscalls:sys_enter_send*", 3},
	{"tp::syscalls:sys_enter_recv*", 3},
	{"tp::syscalls:sys_enter_socket*", 1},
	{"tp::syscalls:sys_enter_connect", 1},
	{"tp::syscalls:sys_enter_accept*", 2},
	{"tp::syscalls:sys_enter_pipe*", 2},
	{"tp::syscalls:sys_enter_dup*", 2},
	{"tp::syscalls:sys_enter_clone*", 2},
	{"tp::syscalls:sys_enter_*fork", 2},
	{"tp::syscalls:sys_enter_execve*", 2},
	{"tp::syscalls:sys_enter_exit*", 2},
	{"tp::syscalls:sys_enter_wait*", 2},
	{"tp::syscalls:sys_enter_*kill", 2},
	{"tp::syscalls:sys_enter_rt_sig*", 4},
	{"tp::syscalls:sys_enter_f*sync", 2},
	{"tp::syscalls:sys_enter_unlink*", 2},
	{"tp::syscalls:sys_enter_rename*", 2},
	{"tp::syscalls:sys_enter_io_uring_*", 2},
	{"tp::raw_syscalls:sys_exit", 1},
	{"tp::kmem:*", 10},
	{"tp::pagemap:*", 2},
	{"tp::filemap:*", 6},
	{"tp::mmap*:*", 6},
	{"tp::huge_memory:mm_*", 4},
	{"tp::memcg:*", 2},
	{"tp::readahead:*", 3},
	{"tp::writeback:*", 10},
	{"tp::block:*", 12},
	{"tp::ext4:ext4_*_enter", 6},
	{"tp::irq:*", 6},
	{"tp::irq_vectors:*_entry", 8},
	{"tp::timer:*", 8},
	{"tp::workqueue:*", 4},
	{"tp::signal:*", 2},
	{"tp::task:*", 3},
	{"tp::net:*", 8},
	{"tp::skb:*", 3},
	{"tp::sock:*", 4},
	{"tp::tcp:tcp_[prs]*", 5},
	{"tp::rseq:*", 1},
	{"tp::csd:*", 2},
	{"tp::maple_tree:*", 2},
	{"tp::vmscan:*", 4},
	{"process::*", 20},
	{"task::*", 20},
	{"vm::pg*", 16},
	{"net::e[nt]*:*", 4},
	{"disk::*", 4},
	{"psi::*", 6},
};

/* Tracepoints that every use of a lock or every interrupt hits. Counting them costs more than their counts
 * are worth. */
static const char *const heavy[] = {
	"tp::lock:*", "tp::preemptirq:*", "tp::ftrace:*", "tp::rcu:*", "tp::bpf_trace:*",
};

struct choice {
	enum stat_choice kind;
	const struct upc_event_info *events;
	unsigned n;
	unsigned *same; /* [events]: index of the first event with the same driver */
	bool *taken;    /* index: same[i] */
	unsigned *order;
	unsigned count;
};

static const struct upc_event_info *sorting; /* for compare_drivers, since qsort passes no argument */

static int compare_drivers(const void *a, const void *b)
{
	const unsigned *i = a, *k = b;
	int order = strcmp(sorting[*i].driver, sorting[*k].driver);

	return order != 0 ? order : *i < *k ? -1 : *i > *k;
}

/* Return true if an event may be selected. The default choice has no tracepoints: for each inherited
 * tracepoint, a fork creates a new event, for which the kernel (6.18) walks its list of all tracepoints, and
 * the fork waits while another process closes a tracepoint. */
static bool counts_in_choice(enum stat_choice kind, const struct upc_event_info *event)
{
	if (event->source == UPC_SOURCE_NONE || event->kind != UPC_KIND_COUNT ||
	    (kind == STAT_CHOICE_DEFAULT && event->source == UPC_SOURCE_TRACEPOINT))
		return false;
	for (unsigned i = 0; i < COUNT(heavy); i++)
		if (fnmatch(heavy[i], event->name, FNM_CASEFOLD) == 0)
			return false;
	return true;
}

static int choice_create(struct choice *choice, enum stat_choice kind, const struct upc_event_info *events,
			 unsigned n, unsigned *order)
{
	unsigned *sorted = malloc((n + 1) * sizeof(*sorted));

	*choice = (struct choice){.kind = kind, .events = events, .n = n, .order = order};
	choice->same = malloc((n + 1) * sizeof(*choice->same));
	choice->taken = calloc(n + 1, sizeof(*choice->taken));
	if (sorted == NULL || choice->same == NULL || choice->taken == NULL) {
		free(sorted);
		free(choice->same);
		free(choice->taken);
		return UPC_ENOMEM;
	}
	for (unsigned i = 0; i < n; i++)
		sorted[i] = i;
	sorting = events;
	qsort(sorted, n, sizeof(*sorted), compare_drivers);
	for (unsigned i = 0; i < n; i++) {
		const struct upc_event_info *event = &events[sorted[i]];
		bool again = i > 0 && event->driver[0] != '\0' &&
			     strcmp(event->driver, events[sorted[i - 1]].driver) == 0;

		choice->same[sorted[i]] = again ? choice->same[sorted[i - 1]] : sorted[i];
	}
	free(sorted);
	return 0;
}

static void choice_destroy(struct choice *choice)
{
	free(choice->same);
	free(choice->taken);
}

static bool take_chosen_event(struct choice *choice, unsigned i)
{
	if (choice->taken[choice->same[i]])
		return false;
	choice->taken[choice->same[i]] = true;
	choice->order[choice->count++] = i;
	return true;
}

static void take_wished_events(struct choice *choice, const struct wish *wish, size_t n)
{
	for (; n > 0; n--, wish++) {
		unsigned left = wish->max;

		for (unsigned i = 0; i < choice->n && left > 0; i++)
			if (fnmatch(wish->pattern, choice->events[i].name, FNM_CASEFOLD) == 0 &&
			    counts_in_choice(choice->kind, &choice->events[i]) &&
			    take_chosen_event(choice, i))
				left--;
	}
}

/* Return true if event i is left for take_rest. If an event has a Blue Gene/P name and a name of the host,
 * the host's name is used. Clocks are omitted, since they tick regardless of the program. */
static bool is_rest(const struct choice *choice, unsigned i, bool machine)
{
	const struct upc_event_info *event = &choice->events[i];
	bool shared = event->scope == UPC_SCOPE_MACHINE || event->scope == UPC_SCOPE_CPU;

	return shared == machine && event->id == UPC_NO_ID && event->source != UPC_SOURCE_DERIVED &&
	       event->source != UPC_SOURCE_CLOCK && !choice->taken[choice->same[i]] &&
	       (choice->kind != STAT_CHOICE_DEFAULT || event->source != UPC_SOURCE_PERF) &&
	       counts_in_choice(choice->kind, event);
}

/*
 * Select one event from each subsystem in turn. Otherwise the first large subsystem, which has a tracepoint
 * for every system call, would take all counters. Return 0 or UPC_ENOMEM.
 */
static int take_rest(struct choice *choice, bool machine)
{
	unsigned *group = malloc((choice->n + 1) * sizeof(*group));
	unsigned *from = calloc(choice->n + 1, sizeof(*from)); /* [groups]: position to continue from */
	unsigned groups = 0;
	bool more = true;

	if (group == NULL || from == NULL) {
		free(group);
		free(from);
		return UPC_ENOMEM;
	}
	for (unsigned i = 0; i < choice->n; i++) {
		unsigned k = groups;

		/* Neighbouring events nearly always have the same subsystem. */
		while (k > 0 &&
		       strcmp(choice->events[from[k - 1]].subsystem, choice->events[i].subsystem) != 0)
			k--;
		if (k == 0) {
			from[groups] = i;
			k = ++groups;
		}
		group[i] = k - 1;
	}
	while (more) {
		more = false;
		for (unsigned g = 0; g < groups; g++) {
			unsigned i = from[g];

			while (i < choice->n && !(group[i] == g && is_rest(choice, i, machine)))
				i++;
			if (i < choice->n && take_chosen_event(choice, i)) {
				more = true;
				i++;
			}
			from[g] = i;
		}
	}
	free(group);
	free(from);
	return 0;
}

int stat_select(enum stat_choice kind, const struct upc_event_info *events, unsigned n, unsigned *order)
{
	struct choice choice;
	int error = choice_create(&choice, kind, events, n, order);

	if (error != 0)
		return error;
	take_wished_events(&choice, wishes, COUNT(wishes));
	if (kind == STAT_CHOICE_ALL)
		take_wished_events(&choice, more_wishes, COUNT(more_wishes));
	if (kind == STAT_CHOICE_ALL || choice.count < STAT_DEFAULT_EVENTS) {
		error = take_rest(&choice, false);
		if (error == 0)
			error = take_rest(&choice, true);
	}
	choice_destroy(&choice);
	return error != 0 ? error : (int)choice.count;
}
