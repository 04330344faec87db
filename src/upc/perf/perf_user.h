/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_user.h - reads hardware counters in user mode, if the kernel permits it: from the page that it maps
 * for an event, without a system call. perf_read.c tries this first. If it fails, perf_read.c reads the group
 * by a system call.
 *
 * A page is valid only on the counted thread, since its counters are those of the CPU on which the thread
 * runs. A value that a page cannot give now is never guessed.
 *
 * Terms: perf/perf.h, base/source.h.
 */
#ifndef UPCI_PERF_USER_H
#define UPCI_PERF_USER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct upci_context;

/* How to open the events of a group for reads in user mode. */
struct upci_user_mode {
	bool map;         /* map a page for each event */
	uint64_t config1; /* bits that are set when the events are opened; if the kernel refuses them, they
			     are left out */
};

/*
 * Choose the mode for a hardware group of a type (PERF_TYPE_RAW stands for the CPU's own PMU). Only a thread
 * of the caller's own process, without children, can be read in user mode. Return all zero if the machine has
 * no such reads, if the administrator has switched them off, or if UPC_USER_READ is 0 in the environment,
 * which helps under tools such as valgrind that do not know the instruction.
 */
struct upci_user_mode upci_user_mode(const struct upci_context *context, uint32_t type);

/* Map the page of an event. Return NULL if the event must be read by a system call instead. A child does not
 * have its parent's pages. In a child, upci_user_unmap does not unmap the page, even if no fork handler has
 * run and pid is still the parent's. */
const struct perf_event_mmap_page *upci_user_map(int fd);
void upci_user_unmap(const struct perf_event_mmap_page *page, pid_t pid);

/* True if the caller is thread tid of process pid, which has mapped pages. Reads after this call include the
 * counts of everything that the thread did before it. */
bool upci_user_here(pid_t pid, pid_t tid);

enum upci_user_answer {
	UPCI_USER_ASK,     /* no value: the kernel must be asked */
	UPCI_USER_COUNTS,  /* value of a counter that runs */
	UPCI_USER_STOPPED, /* value of an event that does not count now */
};

/*
 * Get an event's count since it was opened, if it had its counter all the time. STOPPED is also the answer
 * for an event that should count and has no counter. The caller distinguishes the two by whether the event is
 * halted.
 */
enum upci_user_answer upci_user_read(const struct perf_event_mmap_page *page, uint64_t *value);

/* ---- parts of a read ------------------------------------------------------------ */

/* Maximum number of tries of a read, which starts again if the thread was taken off its CPU in between. */
#define UPCI_USER_TRIES 16

/* Sign-extend a counter of width bits (1 to 64). The kernel starts counters below 0, so that they overflow
 * when they pass 0. */
static inline uint64_t upci_user_extend(uint64_t raw, unsigned width)
{
	unsigned shift = 64 - width;

	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

/*
 * Read a page, with pmc for its counter; pmc returns false for an index that it does not know. The kernel
 * changes the page only on this CPU, while the thread does not run. It is therefore enough that the compiler
 * keeps the order.
 */
static inline __attribute__((always_inline)) enum upci_user_answer
upci_user_read_with(const volatile struct perf_event_mmap_page *page,
		    bool (*pmc)(uint32_t index, uint64_t *raw), uint64_t *value)
{
	enum upci_user_answer answer;
	unsigned tries;

	for (tries = 0; tries < UPCI_USER_TRIES; tries++) {
		uint32_t sequence = page->lock, index;
		uint64_t count, raw;

		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = page->index;
		count = (uint64_t)page->offset;
		answer = UPCI_USER_STOPPED;
		if (page->time_running != page->time_enabled || !page->cap_user_rdpmc) {
			answer = UPCI_USER_ASK;
		} else if (index) {
			unsigned width = page->pmc_width;

			answer = UPCI_USER_ASK;
			if (width - 1 < 64 && pmc(index - 1, &raw)) {
				count += upci_user_extend(raw, width);
				answer = UPCI_USER_COUNTS;
			}
		}
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		if (page->lock == sequence && !(sequence & 1)) {
			*value = count;
			return answer;
		}
	}
	return UPCI_USER_ASK;
}

#endif
