/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_util.h - what the tests on a hardware PMU share: a loop whose instructions are
 * known, perf_event_open with nothing between, and whether there is a PMU at all.
 */
#ifndef PMU_UTIL_H
#define PMU_UTIL_H

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tap.h"

/* n > 0 rounds of two instructions, and of PER_CALL_ROUND, one of them a system call. */
#if defined(__aarch64__)
__attribute__((always_inline, unused)) static inline void loop(uint64_t n)
{
	__asm__ volatile("1:	subs %0, %0, #1\n"
			 "	b.ne 1b"
			 : "+r"(n)
			 :
			 : "cc");
}

__attribute__((always_inline, unused)) static inline void call_loop(uint64_t n)
{
	register long number __asm__("x8") = SYS_getppid;
	register long result __asm__("x0");

	__asm__ volatile("1:	svc #0\n"
			 "	subs %0, %0, #1\n"
			 "	b.ne 1b"
			 : "+r"(n), "=r"(result)
			 : "r"(number)
			 : "cc", "memory");
}
#define PER_CALL_ROUND 3
#define LOOP_KNOWN 1
#elif defined(__x86_64__)
__attribute__((always_inline, unused)) static inline void loop(uint64_t n)
{
	__asm__ volatile("1:	sub $1, %0\n"
			 "	jnz 1b"
			 : "+r"(n)
			 :
			 : "cc");
}

__attribute__((always_inline, unused)) static inline void call_loop(uint64_t n)
{
	__asm__ volatile("1:	mov %1, %%eax\n"
			 "	syscall\n"
			 "	sub $1, %0\n"
			 "	jnz 1b"
			 : "+r"(n)
			 : "i"(SYS_getppid)
			 : "cc", "memory", "rax", "rcx", "r11");
}
#define PER_CALL_ROUND 4 /* its result is in the register of its number */
#define LOOP_KNOWN 1
#else
static inline void loop(uint64_t n)
{
	(void)n;
}

static inline void call_loop(uint64_t n)
{
	(void)n;
}
#define PER_CALL_ROUND 1
#define LOOP_KNOWN 0
#endif

#define PER_ROUND 2 /* instructions of a round of loop() */

/* ---- what a count has beside the loop's -------------------------------------------- */

#define FAILED INT64_MIN /* instead of a count */
#define SIZES 3

__attribute__((unused)) static const uint64_t sizes[SIZES] = {1000, 100000, 10000000};

/* The constant that was found over each of the sizes, or FAILED where it is not one. */
__attribute__((unused)) static int64_t same_over_sizes(const char *name, unsigned per,
						       const int64_t constant[SIZES])
{
	int i;

	for (i = 0; i < SIZES; i++)
		if (constant[i] != constant[0] || constant[i] < 0) {
			note("%s: %" PRId64 ", %" PRId64 " and %" PRId64 " over %un", name, constant[0],
			     constant[1], constant[2], per);
			return FAILED;
		}
	return constant[0];
}

/* ---- perf_event_open ----------------------------------------------------------------- */

/* An event of the kernel's generic hardware ones, disabled. */
struct raw {
	uint64_t config; /* PERF_COUNT_HW_* */
	int user, kernel;
	int inherit;
	int group; /* or -1 */
	pid_t pid;
	int cpu;
};

#define RAW(name) ((struct raw){.config = PERF_COUNT_HW_##name, .user = 1, .group = -1, .cpu = -1})

__attribute__((unused)) static int raw_open(struct raw wanted)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = wanted.config,
		.disabled = wanted.group < 0,
		.exclude_user = !wanted.user,
		.exclude_kernel = !wanted.kernel,
		.exclude_hv = 1,
		.inherit = wanted.inherit != 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, wanted.pid, wanted.cpu, wanted.group,
			    PERF_FLAG_FD_CLOEXEC);
}

/* The count of an event that ran all the time, or UINT64_MAX. */
__attribute__((unused)) static uint64_t raw_read(int fd)
{
	uint64_t got[3]; /* count, time enabled, time running */

	if (read(fd, got, sizeof(got)) != (ssize_t)sizeof(got) || !got[2] || got[1] != got[2])
		return UINT64_MAX;
	return got[0];
}

/* The whole test is of no use without a PMU that counts instructions. */
__attribute__((unused)) static void need_pmu(void)
{
	uint64_t count;
	int fd;

	if (!LOOP_KNOWN)
		skip_all("no loop with a known number of instructions is written for this CPU");
	fd = raw_open(RAW(INSTRUCTIONS));
	if (fd < 0)
		skip_all("no hardware PMU that counts instructions here: %m");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	loop(100000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	count = raw_read(fd);
	close(fd);
	if (count == UINT64_MAX)
		skip_all("others use all counters of the PMU");
	if (count < 100000 * PER_ROUND)
		skip_all("this PMU has an instructions event that counts nothing");
}

/*
 * How many cycles an instruction has where that is always the same number, as in an
 * emulator that counts instructions; 0 on a CPU, where it depends on much.
 */
__attribute__((unused)) static unsigned cycles_each(void)
{
	struct raw second = RAW(INSTRUCTIONS);
	uint64_t cycles, instructions;
	int leader, member;

	leader = raw_open(RAW(CPU_CYCLES));
	if (leader < 0)
		return 0;
	second.group = leader;
	member = raw_open(second);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	loop(100000);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	cycles = raw_read(leader);
	instructions = raw_read(member);
	close(member);
	close(leader);
	if (cycles == UINT64_MAX || instructions == UINT64_MAX || !instructions || cycles % instructions)
		return 0;
	return (unsigned)(cycles / instructions);
}

#endif /* PMU_UTIL_H */
