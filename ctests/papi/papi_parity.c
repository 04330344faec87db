/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_parity - a script that damages the array word of a counter: no call gives a
 * wrong count without an error, and a reset or a write mends it.
 */
#include "papi_script.h"

/* Id 1 belongs to counter 1, and so on. No set has counter 9. */
static const char script[] = "upc-trace 1\n"
			     "c 100 1 2\n"
			     "s\n"
			     "e 1 3\n" /* found by the read of this part */
			     "c 10 1 2\n"
			     "s\n"
			     "c 10 1 2\n" /* read */
			     "s\n"
			     "c 10 1 2\n" /* accumulated */
			     "s\n"
			     "e 2 0\n"
			     "c 5000 1 2\n" /* found by an array update on the way */
			     "s\n"
			     "e 9 7\n"
			     "c 5000 1 2\n"
			     "s\n"
			     "c 1 1 2\n"
			     "e 1 1\n";

static const int ids[] = {1, 2};

static int values_are(const long long *values, long long first, long long second)
{
	if (values[0] == first && values[1] == second)
		return 1;
	note("%lld %lld, not %lld %lld", values[0], values[1], first, second);
	return 0;
}

static void told_by_reads(int set)
{
	long long values[2] = {-1, -1}, sum[2] = {5, 6};

	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values_are(values, 100, 100),
	   "an undamaged part");
	ok(PAPI_read(set, values) == PAPI_ECLOST && values_are(values, 100, 100),
	   "a damaged counter is PAPI_ECLOST, and no value is given");
	ok(PAPI_read(set, values) == PAPI_ECLOST, "each read tells it");
	ok(PAPI_accum(set, sum) == PAPI_ECLOST && values_are(sum, 5, 6), "PAPI_accum too, and adds nothing");
	ok(PAPI_reset(set) == PAPI_OK, "a reset mends it");
	ok(PAPI_read(set, values) == PAPI_ECLOST, "the next part damages another one");
	ok(PAPI_stop(set, values) == PAPI_OK, "once told, PAPI_stop ends the set");
	/* The registers hold this value: the flipped bit 0 of an array word is 4096. */
	ok(values_are(values, 5000, 5000 + 4096), "with what the registers hold");
}

static void mended_by_start_and_write(int set)
{
	static long long preset[256] = {1000, 2000};
	long long values[2];

	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values_are(values, 5000, 5000),
	   "a start mends; damage of a counter that counts nothing is nobody's");
	ok(PAPI_read(set, values) == PAPI_ECLOST, "the last part damages the first one");
	ok(PAPI_write(set, preset) == PAPI_OK && PAPI_read(set, values) == PAPI_OK &&
		   values_are(values, 1000, 2000),
	   "a write mends it");
	ok(PAPI_stop(set, values) == PAPI_OK && values_are(values, 1000, 2000), "stop");
}

/* Each thread's unit has the damage. */
static void *another_thread(void *argument)
{
	int *good = argument;
	long long values[2] = {-1, -1};
	const int other[] = {3};
	int set = set_of(ids, 2);
	int unharmed = set_of(other, 1);

	good[0] = PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK &&
		  PAPI_read(set, values) == PAPI_ECLOST;
	good[1] = PAPI_stop(set, values);
	good[2] = PAPI_start(unharmed) == PAPI_OK && PAPI_read(unharmed, values) == PAPI_OK &&
		  PAPI_read(unharmed, values) == PAPI_OK && PAPI_stop(unharmed, values) == PAPI_OK;
	good[3] = PAPI_start(set) == PAPI_OK ? PAPI_stop(set, values) : PAPI_EBUG;
	drop(&unharmed);
	drop(&set);
	PAPI_unregister_thread();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int good[4] = {0};
	int set;

	setenv("UPC_QUIET", "1", 1);
	use_script(script);
	start_papi();
	set = set_of(ids, 2);
	told_by_reads(set);
	mended_by_start_and_write(set);
	drop(&set);
	pthread_create(&thread, NULL, another_thread, good);
	pthread_join(thread, NULL);
	ok(good[0], "another thread has the same damage in its own unit");
	ok(good[1] == PAPI_OK, "PAPI_stop does not tell again: %d", good[1]);
	ok(good[2], "a set of other counters has none");
	ok(good[3] == PAPI_OK, "and the next start of the first has none: %d", good[3]);
	PAPI_shutdown();
	return done();
}
