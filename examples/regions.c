/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - measures regions of a program with the calls of the HPM Toolkit (libhpm.h). Four threads each
 * run a region "solve", which contains a region "exchange". The first access to a page of memory is a page
 * fault, so the counts of upc:::perf::PAGE-FAULTS are known: thread k, of 1 to 4, has 4 * (1000 * k + 100) in
 * "solve", 4 * 100 of which are in "exchange". The reader compiles the program, as README says.
 */
#include <libhpm.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static void touch(long pages)
{
	long size = sysconf(_SC_PAGESIZE), i;
	volatile char *memory =
		mmap(NULL, pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, pages * size, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		memory[i * size] = 1;
	munmap((void *)memory, pages * size);
}

static void *work(void *argument)
{
	long k = (long)argument;
	int i;

	for (i = 0; i < 4; i++) {
		hpmTstart(2, "solve");
		touch(1000 * k);
		hpmTstart(3, "exchange");
		touch(100);
		hpmTstop(3);
		hpmTstop(2);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread[4];
	long k;

	hpmInit(0, "regions");
	hpmStart(1, "setup");
	touch(2000);
	hpmStop(1);
	for (k = 0; k < 4; k++)
		pthread_create(&thread[k], NULL, work, (void *)(k + 1));
	for (k = 0; k < 4; k++)
		pthread_join(thread[k], NULL);
	hpmTerminate(0);
	return 0;
}
