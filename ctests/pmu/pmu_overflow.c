/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_overflow - PAPI_overflow on a hardware PMU, through PAPI's perf_event component
 * and through upc's: as many signals as the count has thresholds, and the addresses
 * that they give are in the loop that was running.
 */
#include <inttypes.h>
#include <time.h>

#include "../papi/papi_util.h"
#include "pmu_util.h"

#define THRESHOLD 1000000
#define SIGNALS 20

/* The loop alone is in this section, which so has its bounds. */
__attribute__((noinline, section("pmu_overflow_loop"))) static void looping(uint64_t n)
{
	loop(n);
}
extern const char __start_pmu_overflow_loop[], __stop_pmu_overflow_loop[];

static volatile int came, inside;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	const char *at = address;

	(void)set;
	(void)vector;
	(void)context;
	came++;
	inside += at >= __start_pmu_overflow_loop && at < __stop_pmu_overflow_loop;
}

/*
 * An emulator may see an overflow only when the machine next takes a timer's tick.
 * The kernel puts right what that delays, as long as there is no more than one
 * threshold in a tick: where cycles are counted instructions, it must take longer.
 */
static long long threshold_for(unsigned emulated)
{
	const int64_t tick = 4000000; /* ns, at 250 Hz */
	struct timespec from, to;
	long long threshold = THRESHOLD;
	int64_t ns;

	if (!emulated)
		return threshold;
	clock_gettime(CLOCK_MONOTONIC, &from);
	loop(THRESHOLD / PER_ROUND);
	clock_gettime(CLOCK_MONOTONIC, &to);
	ns = (to.tv_sec - from.tv_sec) * INT64_C(1000000000) + (to.tv_nsec - from.tv_nsec);
	while (ns > 0 && ns < tick) {
		threshold *= 10;
		ns *= 10;
	}
	return threshold;
}

/* per: how many of the event a round of the loop has, or about. */
static void check(const char *event, long long threshold, unsigned per)
{
	const uint64_t rounds = (uint64_t)threshold * SIGNALS / per;
	int set = set_with(event);
	long long count = 0;
	int code, expected;

	if (!ok(set != PAPI_NULL && PAPI_event_name_to_code(event, &code) == PAPI_OK, "%s", event))
		return;
	came = inside = 0;
	if (ok(PAPI_overflow(set, code, (int)threshold, 0, on_overflow) == PAPI_OK &&
		       PAPI_start(set) == PAPI_OK,
	       "%s: started with a threshold of %lld", event, threshold)) {
		looping(rounds);
		PAPI_stop(set, &count);
		expected = (int)(count / threshold);
		ok(expected > 0 && came >= expected - 1 && came <= expected + 1,
		   "%s: %d signals for %lld = %d thresholds", event, came, count, expected);
		ok(inside >= came - came / 10, "%s: %d of %d addresses are in the loop", event, inside, came);
		came = 0;
		PAPI_overflow(set, code, 0, 0, on_overflow);
		PAPI_start(set);
		looping(2 * (uint64_t)threshold / per);
		PAPI_stop(set, &count);
		ok(came == 0 && count > threshold, "%s: none without a threshold", event);
	}
	drop(&set);
}

int main(void)
{
	unsigned emulated;
	long long threshold;
	int own;

	need_pmu();
	start_papi();
	own = PAPI_get_component_index("perf_event");
	if (own < 0 || PAPI_get_component_info(own)->disabled)
		skip_all("PAPI's perf_event component is not active here");
	emulated = cycles_each();
	threshold = threshold_for(emulated);
	if (threshold != THRESHOLD)
		note("a threshold of %d would be met more than once a tick of this machine", THRESHOLD);
	check("perf::INSTRUCTIONS", threshold, PER_ROUND);
	check("upc:::perf::INSTRUCTIONS", threshold, PER_ROUND);
	/* A round takes a cycle or two on a CPU. */
	check("perf::CYCLES", threshold, emulated ? emulated * PER_ROUND : 1);
	check("upc:::perf::CYCLES", threshold, emulated ? emulated * PER_ROUND : 1);
	PAPI_shutdown();
	return done();
}
