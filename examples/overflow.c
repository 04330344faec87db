/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overflow.c - samples the places of a program's page faults. PAPI calls a handler at every hundredth fault,
 * with the address of the instruction.
 *
 *   cc overflow.c -o overflow -lpapi
 */
#include <papi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define THRESHOLD 100
#define SAMPLES_MAX 1000

static void *sample[SAMPLES_MAX];
static volatile sig_atomic_t samples;

/* Store a sample. Context: signal handler, so it only writes to static memory. */
static void handler(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)vector; /* one bit: the index of the event that overflowed */
	(void)context;
	if (samples < SAMPLES_MAX)
		sample[samples++] = address;
}

__attribute__((noinline)) static void touch(size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *memory =
		mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	madvise((void *)memory, pages * page, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		memory[i * page] = 1;
	munmap((void *)memory, pages * page);
}

static void check(int result, const char *what)
{
	if (result >= PAPI_OK)
		return;
	fprintf(stderr, "overflow: %s: %s\n", what, PAPI_strerror(result));
	exit(1);
}

int main(void)
{
	long long faults;
	int set = PAPI_NULL, code, inside = 0, i;

	check(PAPI_library_init(PAPI_VER_CURRENT), "PAPI_library_init");
	check(PAPI_create_eventset(&set), "PAPI_create_eventset");
	check(PAPI_event_name_to_code("upc:::perf::PAGE-FAULTS", &code), "perf::PAGE-FAULTS");
	check(PAPI_add_event(set, code), "PAPI_add_event");
	check(PAPI_overflow(set, code, THRESHOLD, 0, handler), "PAPI_overflow");
	check(PAPI_start(set), "PAPI_start");
	touch(5000);
	check(PAPI_stop(set, &faults), "PAPI_stop");

	for (i = 0; i < samples; i++)
		inside += (char *)sample[i] >= (char *)touch && (char *)sample[i] < (char *)touch + 512;
	printf("%lld page faults, %d samples at every %d, %d of them in touch()\n", faults, (int)samples,
	       THRESHOLD, inside);
	return samples == faults / THRESHOLD ? 0 : 1;
}
