/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_user.h - hardware counters read in user mode, where the kernel permits it:
 * from the page that it maps for an event, without a system call. perf_read.c tries
 * this first, and reads the group by a system call where it fails.
 *
 * A page is good on one thread only, the counted one: its counters are those of the
 * CPU that the thread is on. A value that a page cannot give now is never guessed.
 */
#ifndef UPCI_PERF_USER_H
#define UPCI_PERF_USER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct upci_context;

/* How the events of a group are to be opened for it. */
struct upci_user_mode {
	bool map;         /* ask for pages                                           */
	uint64_t config1; /* bits with which the events are opened; where the kernel
			     refuses, without them                                   */
};

/*
 * For a hardware group of a type (PERF_TYPE_RAW stands for the CPU's own PMU): a thread
 * of the caller's own process, without children. Nothing where the machine has no such
 * reads, the system's administrator has switched them off, or UPC_USER_READ is 0 in
 * the environment (for what runs programs without knowing the instruction, such as
 * valgrind).
 */
struct upci_user_mode upci_user_mode(const struct upci_context *context, uint32_t type);

/* The page of an event, or NULL: then the kernel must be asked. A child does not have its
 * parent's: there it is forgotten, not unmapped, also where no handler of forks has run
 * and the child still takes itself for the process pid. */
const struct perf_event_mmap_page *upci_user_map(int fd);
void upci_user_unmap(const struct perf_event_mmap_page *page, pid_t pid);

/* Whether the caller is that thread of that process, which has mapped pages. Reads after
 * this call have the counts of everything that the thread did before it. */
bool upci_user_here(pid_t pid, pid_t tid);

enum upci_user_answer {
	UPCI_USER_ASK,     /* nothing: the kernel must be asked                      */
	UPCI_USER_COUNTS,  /* the value, of a counter that runs                      */
	UPCI_USER_STOPPED, /* the value, of an event that does not count now         */
};

/*
 * An event's count since it was opened, if its counter was there all the time. STOPPED
 * is also the answer for an event that should count and has no counter: the caller
 * tells the two apart, by whether the event is halted.
 */
enum upci_user_answer upci_user_read(const struct perf_event_mmap_page *page, uint64_t *value);

/* ---- the parts of it -------------------------------------------------------- */

/* Times that a read begins anew, when the thread was taken off its CPU in between. */
#define UPCI_USER_TRIES 16

/* A counter of so many bits (1 to 64) as a number with a sign: the kernel has them
 * begin below 0, so that they overflow when they pass it. */
static inline uint64_t upci_user_extend(uint64_t raw, unsigned width)
{
	unsigned shift = 64 - width;

	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

/*
 * Reads a page, its counter with pmc, which is false for an index that it does not
 * know. The kernel changes the page only on this CPU, while the thread is not
 * running: that the compiler keeps the order is enough.
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
