/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overflow.c - cost of an overflow signal, from the kernel's interrupt to the return of a handler that only
 * counts. Compares upci_perf_set_period with bare perf. A signal arrives at every second page fault. The cost
 * of the faults themselves, measured with an event that only counts, is subtracted.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "perf/context.h"
#include "perf/perf.h"

#define PERIOD 2u
#define PAGES 200u

static const struct upci_perf_spec faults = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};

static struct upci_perf *plain, *ours;
static int bare_event = -1, bare_sampler = -1;
static volatile uint64_t signals[2]; /* through upci_perf_set_period, and bare */

static void on_overflow(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_fd == bare_sampler)
		signals[1]++;
	else if (upci_perf_signalled(ours, info->si_fd) >= 0)
		signals[0]++;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void touch(unsigned pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *p = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	madvise(p, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * page] = 1;
	munmap(p, pages * page);
}

static void run_perf(void *arg, unsigned pages)
{
	struct upci_perf *p = *(struct upci_perf **)arg;

	if (upci_perf_start(p))
		fail(upc_last_message());
	touch(pages);
	if (upci_perf_stop(p))
		fail(upc_last_message());
}

static void run_bare(void *arg, unsigned pages)
{
	(void)arg;
	ioctl(bare_event, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(bare_sampler, PERF_EVENT_IOC_ENABLE, 0);
	touch(pages);
	ioctl(bare_event, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(bare_sampler, PERF_EVENT_IOC_DISABLE, 0);
}

static struct upci_perf *create(int *handle)
{
	struct upci_context context;
	struct upci_perf *p;

	if (upci_context_set(&context, NULL) || upci_perf_create(&context, &p))
		fail(upc_last_message());
	*handle = upci_perf_add(p, &faults, false, "page faults");
	if (*handle < 0)
		fail(upc_last_message());
	return p;
}

static int open_bare(uint64_t period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = faults.type,
		.config = faults.config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = period,
		.wakeup_events = period != 0,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail(strerror(errno));
	return fd;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO};
	struct f_owner_ex owner = {F_OWNER_TID, gettid()};
	struct bench_subject subject[] = {{run_perf, &plain, 0}, {run_perf, &ours, 0}, {run_bare, NULL, 0}};
	int handle, signal = SIGRTMIN;
	double cost, floor;

	sigaction(signal, &action, NULL);
	plain = create(&handle);
	ours = create(&handle);
	if (upci_perf_set_period(ours, handle, &faults, PERIOD, signal, "page faults"))
		fail(upc_last_message());
	bare_event = open_bare(0);
	bare_sampler = open_bare(PERIOD);
	if (fcntl(bare_sampler, F_SETSIG, signal) || fcntl(bare_sampler, F_SETOWN_EX, &owner) ||
	    fcntl(bare_sampler, F_SETFL, O_ASYNC))
		fail(strerror(errno));
	bench_in_turn(subject, 3, PAGES);
	/* Both must have had a signal in each period. Faults of other memory may add a few. */
	if (signals[0] < BENCH_SAMPLES * PAGES / PERIOD || signals[1] < BENCH_SAMPLES * PAGES / PERIOD)
		fail("signals were lost: raise kernel.perf_event_max_sample_rate");
	cost = (subject[1].median - subject[0].median) * PERIOD;
	floor = (subject[2].median - subject[0].median) * PERIOD;
	bench_print("overflow_signal", cost / 1000, "us");
	bench_ratio("overflow_signal_to_bare", cost / floor);
	upci_perf_destroy(ours);
	upci_perf_destroy(plain);
	close(bare_sampler);
	close(bare_event);
	return 0;
}
