/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_user.c - see perf_user.h.
 *
 * The instruction that reads a counter faults if the kernel does not permit it, so each read checks in the
 * page that it is permitted now. One gap remains. If an administrator forbids it in perf_user_access while
 * the thread runs, the counters are taken away at once, but the page says so only after the thread's next
 * context switch.
 *
 * Terms: perf/perf.h, base/target.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/pmus.h"
#include "perf/context.h"
#include "procfs/files.h"
#include "perf/perf_user.h"
#include "base/process.h"

/* ---- the machine's instructions ----------------------------------------------- */

#if defined(__aarch64__)

/* The bit of config1 that opens an event of Arm's PMU for reads in user mode. */
#define WANT_USER_ACCESS 2u
#define ON_BY_DEFAULT false

/* The register's name is part of the instruction, so each counter has its own. */
#define READ(register_name) __asm__ volatile("mrs %0, " register_name : "=r"(*raw))
#define COUNTER(n)                          \
	case n:                             \
		READ("pmevcntr" #n "_el0"); \
		return true

static inline bool read_pmc(uint32_t index, uint64_t *raw)
{
	if (index == 31) {
		READ("pmccntr_el0");
		return true;
	}
	switch (index) {
		COUNTER(0);
		COUNTER(1);
		COUNTER(2);
		COUNTER(3);
		COUNTER(4);
		COUNTER(5);
		COUNTER(6);
		COUNTER(7);
		COUNTER(8);
		COUNTER(9);
		COUNTER(10);
		COUNTER(11);
		COUNTER(12);
		COUNTER(13);
		COUNTER(14);
		COUNTER(15);
		COUNTER(16);
		COUNTER(17);
		COUNTER(18);
		COUNTER(19);
		COUNTER(20);
		COUNTER(21);
		COUNTER(22);
		COUNTER(23);
		COUNTER(24);
		COUNTER(25);
		COUNTER(26);
		COUNTER(27);
		COUNTER(28);
		COUNTER(29);
		COUNTER(30);
	}
	return false;
}

static inline void settle_instructions(void)
{
	__asm__ volatile("isb" : : : "memory");
}

#elif defined(__x86_64__)

#define WANT_USER_ACCESS 0u
#define ON_BY_DEFAULT true

/* Programmable counters begin at 0; fixed counters have bit 30. Bit 29 is not a counter but packed fractions,
 * which only the kernel converts to counts. */
#define FIXED (1u << 30)

static inline bool read_pmc(uint32_t index, uint64_t *raw)
{
	uint32_t low, high;

	if (index & ~(FIXED | 0xffu))
		return false;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	*raw = (uint64_t)high << 32 | low;
	return true;
}

static inline void settle_instructions(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

#else

#define NO_USER_READ

static inline bool read_pmc(uint32_t index, uint64_t *raw)
{
	(void)index;
	(void)raw;
	return false;
}

static inline void settle_instructions(void)
{
}

#endif

/* ---- the decision to use reads in user mode ------------------------------------ */

#ifndef NO_USER_READ

/* True if the system permits reads in user mode. Older kernels for Arm have neither this file nor such reads.
 * On x86 only the page tells. */
static bool system_permits(void)
{
	char *text = upci_file_slurp(UPCI_ROOT_PROC, "sys/kernel/perf_user_access", NULL);
	bool yes = text ? atoi(text) != 0 : ON_BY_DEFAULT;

	free(text);
	return yes;
}

struct upci_user_mode upci_user_mode(const struct upci_context *context, uint32_t type)
{
	struct upci_user_mode mode = {0};
	const char *wish = getenv("UPC_USER_READ");

	if (context->kind != UPC_CONTEXT_THREAD || !context->own || context->inherit ||
	    context->inherit_threads || context->enable_on_exec)
		return mode;
	if ((wish && !strcmp(wish, "0")) || !system_permits())
		return mode;
	if (WANT_USER_ACCESS && !upci_pmu_has_user_bit(type))
		return mode;
	mode.map = true;
	mode.config1 = WANT_USER_ACCESS;
	return mode;
}

#else

struct upci_user_mode upci_user_mode(const struct upci_context *context, uint32_t type)
{
	(void)context;
	(void)type;
	return (struct upci_user_mode){0};
}

#endif

/* ---- pages --------------------------------------------------------------------- */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

const struct perf_event_mmap_page *upci_user_map(int fd)
{
	const struct perf_event_mmap_page *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);

	/* The caller may be a forked child, in which the cached thread id is its parent's. */
	upci_thread_forget();
	if ((const void *)page == MAP_FAILED)
		return NULL;
	/* Kernels do not give these pages to children. With MADV_DONTFORK a child cannot read its parent's
	 * counts on any kernel. A page that permits no reads would use the user's share of locked memory for
	 * nothing. */
	if (!page->cap_user_rdpmc || madvise((void *)(uintptr_t)page, page_size(), MADV_DONTFORK) < 0 ||
	    !upci_process_claim()) {
		munmap((void *)(uintptr_t)page, page_size());
		return NULL;
	}
	return page;
}

void upci_user_unmap(const struct perf_event_mmap_page *page, pid_t pid)
{
	/* In a child, something else may be mapped at that address. */
	if (page && upci_process_claimed() == pid)
		munmap((void *)(uintptr_t)page, page_size());
}

bool upci_user_here(pid_t pid, pid_t tid)
{
	if (upci_process_claimed() != pid || upci_thread_id() != tid)
		return false;
	settle_instructions();
	return true;
}

enum upci_user_answer upci_user_read(const struct perf_event_mmap_page *page, uint64_t *value)
{
	return upci_user_read_with(page, read_pmc, value);
}
