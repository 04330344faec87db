/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known_work - a program that does a known amount of work and counts it with PAPI:
 *
 *   known_work FAULTS CALLS SWITCHES
 *
 * It faults that number of pages in, makes that number of system calls, and waits that number of
 * times. It prints the set's count of each, or "-" where calls cannot be counted here.
 * undisturbed.sh runs it.
 */
#include <stdint.h>
#include <sys/eventfd.h>

#include "papi_util.h"

#define CALLS "upc:::tp::raw_syscalls:sys_enter"
#define SWITCHES "upc:::task::voluntary_ctxt_switches"

/* The system calls of mmap, madvise and munmap in touch_pages, two in wait_often, and the ioctl
 * that stops the set. */
#define OWN_CALLS (3 + 2 + 1)

/* Voluntary switches of a thread, as the kernel has counted them. */
static long switches_of(pid_t process, pid_t thread)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[64], text[8192], *found;
	ssize_t length = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)process, (int)thread);
	file = fopen(path, "r");
	if (file) {
		length = (ssize_t)fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = '\0';
	found = strstr(text, key);
	return found ? strtol(found + strlen(key), NULL, 10) : -1;
}

/* Wakes the parent each time that it has begun to wait, and so has been switched away. */
static void wake(pid_t parent, int orders, int event)
{
	const uint64_t one = 1;
	long order[2], left; /* switches before the first wait, and how many waits */

	while (read(orders, order, sizeof(order)) == (ssize_t)sizeof(order))
		for (left = order[1]; left > 0; left--, order[0]++) {
			while (switches_of(parent, parent) <= order[0])
				if (getppid() != parent || usleep(100))
					_exit(1);
			if (write(event, &one, sizeof(one)) != (ssize_t)sizeof(one))
				_exit(1);
		}
	_exit(0);
}

static int orders[2], event;

static int wait_often(long times)
{
	long order[2] = {0, times};
	struct rusage usage;
	uint64_t sink;

	if (getrusage(RUSAGE_THREAD, &usage))
		return -1;
	order[0] = usage.ru_nvcsw;
	if (write(orders[1], order, sizeof(order)) != (ssize_t)sizeof(order))
		return -1;
	while (times-- > 0)
		if (read(event, &sink, sizeof(sink)) != (ssize_t)sizeof(sink))
			return -1;
	return 0;
}

static int work(long faults, long calls, long switches)
{
	long left = calls - switches - OWN_CALLS;

	if (wait_often(switches))
		return -1;
	touch_pages((size_t)faults);
	while (left-- > 0)
		(void)syscall(SYS_getppid);
	return 0;
}

/* Counts the work with the set. The values are in the order in which its events were added. */
static int count(int set, long faults, long calls, long switches, long long *values)
{
	if (PAPI_start(set) != PAPI_OK || work(faults, calls, switches))
		return -1;
	return PAPI_stop(set, values) == PAPI_OK ? 0 : -1;
}

int main(int argc, char **argv)
{
	long long values[3] = {0, 0, 0};
	int set, counts_calls;
	long n[3];
	int i;

	if (argc != 4)
		return 2;
	for (i = 0; i < 3; i++)
		n[i] = strtol(argv[i + 1], NULL, 10);
	event = eventfd(0, EFD_CLOEXEC);
	if (event < 0 || pipe(orders))
		return 2;
	if (fork() == 0) {
		close(orders[1]);
		wake(getppid(), orders[0], event);
	}
	close(orders[0]);
	/* A first run, which is not counted, takes the faults of pages that are touched for the
	 * first time. */
	if (work(n[0], n[1], n[2]))
		return 2;
	start_papi();
	if (!machine_counts())
		skip_all("faults cannot be counted here");
	set = set_with(FAULTS);
	if (set == PAPI_NULL || PAPI_add_named_event(set, SWITCHES) != PAPI_OK)
		bail_out("faults and switches are not counted");
	counts_calls = PAPI_add_named_event(set, CALLS) == PAPI_OK;
	if (!counts_calls && machine_traces())
		bail_out("calls are not counted");
	if (count(set, n[0], n[1], n[2], values))
		return 1;
	printf("%lld ", values[0]);
	if (counts_calls)
		printf("%lld ", values[2]);
	else
		printf("- ");
	printf("%lld\n", values[1]);
	fflush(stdout);
	drop(&set);
	PAPI_shutdown();
	return 0;
}
