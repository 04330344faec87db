/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exact_calls.c - a workload whose counts are known: exact_calls RR GETPRIORITY makes so many calls of
 * sched_rr_get_interval and getpriority, which hardly anybody else makes.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

int main(int argc, char **argv)
{
	unsigned long intervals = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long priorities = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec interval;

	while (intervals--)
		(void)sched_rr_get_interval(0, &interval);
	while (priorities--)
		(void)getpriority(PRIO_PROCESS, 0);
	return 0;
}
