/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_profil - PAPI_profil and PAPI_sprofil on top of thresholds: a histogram of the
 * program's addresses, exact behind a script, and of live page faults.
 */
#include <stdint.h>

#include "papi_script.h"

#define BUCKETS 4096u

/* A function whose bounds are known: the linker marks those of its section. */
#define PLACE(name)                                                      \
	extern const char __start_place_##name[], __stop_place_##name[]; \
	__attribute__((noinline, noclone, section("place_" #name)))

PLACE(once) static int read_once(int set, long long *values)
{
	int error = PAPI_read(set, values);

	values[1] = error; /* no tail call */
	return error;
}

PLACE(again) static int read_again(int set, long long *values)
{
	int error = PAPI_read(set, values);

	values[2] = error;
	return error;
}

/* One fault a page, made here. */
PLACE(write) static void write_pages(volatile char *area, size_t n, size_t page)
{
	size_t i;

	for (i = 0; i < n; i++)
		area[i * page] = 1;
}

static const char *lowest(void)
{
	const char *low = __start_place_once;

	if (__start_place_again < low)
		low = __start_place_again;
	return __start_place_write < low ? __start_place_write : low;
}

static unsigned long long sum(const void *buckets, size_t from, size_t to, unsigned bits)
{
	unsigned long long all = 0;
	size_t i;

	for (i = from; i < to; i++)
		all += bits == 16   ? ((const uint16_t *)buckets)[i]
		       : bits == 32 ? ((const uint32_t *)buckets)[i]
				    : ((const uint64_t *)buckets)[i];
	return all;
}

/* Hits of a place where each byte from the lowest one on has a bucket. */
#define HITS(buckets, name, bits)                                                                         \
	sum(buckets, (size_t)(__start_place_##name - lowest()), (size_t)(__stop_place_##name - lowest()), \
	    bits)

static const struct {
	int flag;
	unsigned bits;
} sizes[] = {
	{PAPI_PROFIL_BUCKET_16, 16},
	{PAPI_PROFIL_BUCKET_32, 32},
	{PAPI_PROFIL_BUCKET_64, 64},
};

/* 65536 * 2: byte resolution, one bucket for each. */
#define EACH_BYTE 131072

static void *exact_thread(void *argument)
{
	const unsigned kind = *(const unsigned *)argument;
	static uint64_t buckets[3][BUCKETS];
	const int ids[] = {0, 1, 2};
	long long values[3];
	unsigned long long once, again, all;
	int set = set_of(ids, 3);
	int code;

	PAPI_event_name_to_code(event_name(1, NULL), &code);
	ok(PAPI_profil(buckets[kind], sizeof(buckets[kind]), (vptr_t)lowest(), EACH_BYTE, set, code, 10,
		       PAPI_PROFIL_POSIX | sizes[kind].flag) == PAPI_OK,
	   "PAPI_profil with buckets of %u bits", sizes[kind].bits);
	PAPI_start(set);
	read_once(set, values);
	read_again(set, values);
	PAPI_stop(set, values);
	once = HITS(buckets[kind], once, sizes[kind].bits);
	again = HITS(buckets[kind], again, sizes[kind].bits);
	all = sum(buckets[kind], 0, sizeof(buckets[kind]) * 8 / sizes[kind].bits, sizes[kind].bits);
	ok(once == 100 && again == 50 && all == 150,
	   "1000 counts by one read and 500 by another: %llu and %llu hits of %llu", once, again, all);
	/* Off, and the set counts on; then cleaned up with a profile that is on. */
	ok(PAPI_profil(buckets[kind], sizeof(buckets[kind]), (vptr_t)lowest(), EACH_BYTE, set, code, 0,
		       PAPI_PROFIL_POSIX | sizes[kind].flag) == PAPI_OK &&
		   PAPI_start(set) == PAPI_OK && read_once(set, values) == PAPI_OK && values[0] == 200 &&
		   PAPI_stop(set, values) == PAPI_OK && sum(buckets[kind], 0, BUCKETS, 64) != 0,
	   "taken away");
	ok(sum(buckets[kind], 0, sizeof(buckets[kind]) * 8 / sizes[kind].bits, sizes[kind].bits) == all,
	   "it adds nothing more");
	ok(PAPI_profil(buckets[kind], sizeof(buckets[kind]), (vptr_t)lowest(), EACH_BYTE, set, code, 10,
		       PAPI_PROFIL_POSIX | sizes[kind].flag) == PAPI_OK &&
		   PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK,
	   "a set that is profiled can be cleaned up");
	PAPI_unregister_thread();
	return NULL;
}

static int other_calls;

static void on_other(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	other_calls++;
}

/* Two regions, and beside them an event that has a handler and no profile. */
static void *regions_thread(void *unused)
{
	static uint32_t low[BUCKETS], high[BUCKETS];
	PAPI_sprofil_t region[2] = {
		{low, sizeof(low), (vptr_t)__start_place_once, EACH_BYTE},
		{high, sizeof(high), (vptr_t)__start_place_again, EACH_BYTE},
	};
	const int ids[] = {0, 1, 2};
	long long values[3];
	int set = set_of(ids, 3);
	int code, other;

	PAPI_event_name_to_code(event_name(1, NULL), &code);
	PAPI_event_name_to_code(event_name(2, NULL), &other);
	ok(PAPI_sprofil(region, 2, set, code, 10, PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32) == PAPI_OK,
	   "PAPI_sprofil of two regions");
	ok(PAPI_overflow(set, other, 100, 0, on_other) == PAPI_OK, "beside PAPI_overflow");
	PAPI_start(set);
	read_once(set, values);
	read_again(set, values);
	PAPI_stop(set, values);
	ok(sum(low, 0, BUCKETS, 32) == 100 && sum(high, 0, BUCKETS, 32) == 50,
	   "each read's hits are in its region: %llu and %llu", sum(low, 0, BUCKETS, 32),
	   sum(high, 0, BUCKETS, 32));
	ok(other_calls == 15, "and the other event's handler was called: %d", other_calls);
	ok(PAPI_remove_event(set, code) == PAPI_OK && PAPI_start(set) == PAPI_OK &&
		   read_once(set, values) == PAPI_OK && PAPI_stop(set, values) == PAPI_OK &&
		   other_calls == 17 && sum(low, 0, BUCKETS, 32) == 100,
	   "the profiled event is removed, and the other one's handler stays: %d", other_calls);
	drop(&set);
	PAPI_unregister_thread();
	return unused;
}

static void exact(void)
{
	pthread_t thread;
	unsigned kind;

	use_script("upc-trace 1\nc 1000 0-2\ns\nc 500 0-2\ns\nc 200 0-2\n");
	start_papi();
	for (kind = 0; kind < 3; kind++) {
		pthread_create(&thread, NULL, exact_thread, &kind);
		pthread_join(thread, NULL);
	}
	pthread_create(&thread, NULL, regions_thread, NULL);
	pthread_join(thread, NULL);
	PAPI_shutdown();
	unsetenv("UPC_SOURCE");
}

static void faults(void)
{
	static uint32_t buckets[BUCKETS];
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 5000;
	volatile char *area;
	unsigned long long hits;
	long long value;
	int set, code;

	start_papi();
	area = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise((void *)area, n * page, MADV_NOHUGEPAGE);
	set = set_with(FAULTS);
	PAPI_event_name_to_code(FAULTS, &code);
	ok(PAPI_profil(buckets, sizeof(buckets), (vptr_t)lowest(), EACH_BYTE, set, code, 10,
		       PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32) == PAPI_OK,
	   "PAPI_profil of live page faults");
	PAPI_start(set);
	write_pages(area, n, page);
	PAPI_stop(set, &value);
	hits = HITS(buckets, write, 32);
	ok(hits + 4 >= n / 10 && hits <= (unsigned long long)value / 10,
	   "%lld faults, every tenth is a hit, in the loop that makes them: %llu", value, hits);
	munmap((void *)area, n * page);
	drop(&set);
	PAPI_shutdown();
}

int main(void)
{
	setenv("UPC_QUIET", "1", 1);
	exact();
	faults();
	return done();
}
