/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totals.c - speed of the totals engine: one add, and a read of all 256 counters.
 *
 * The ids to add are random numbers in memory, so that no branch predictor learns their order: all 1024 ids,
 * or only the ids that a counter has chosen. The results are compared with the least that any counting costs:
 * an addition to an array element whose index comes from the same stream, and a copy of 256 numbers.
 */
#include <string.h>

#include "bench.h"
#include "random.h"
#include "engine/totals.h"

#define IDS (1u << 16) /* 128 KiB: from the second-level cache at least */
#define CALLS (1u << 16)

enum { ALL, CHOSEN }; /* streams of ids */
static uint16_t ids[2][IDS];
static uint64_t plain[UPC_INPUTS], copy[UPC_COUNTERS];
static unsigned interrupts;

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg, (void)event, (void)counter, (void)cycle;
	interrupts++;
}

static void run_add_all(void *arg, unsigned calls)
{
	unsigned n;

	for (n = 0; n < calls; n++)
		upci_totals_add(arg, ids[ALL][n % IDS], n & 7);
}

static void run_add_chosen(void *arg, unsigned calls)
{
	unsigned n;

	for (n = 0; n < calls; n++)
		upci_totals_add(arg, ids[CHOSEN][n % IDS], n & 7);
}

static void run_plain(void *arg, unsigned calls)
{
	uint64_t *count = arg;
	unsigned n;

	for (n = 0; n < calls; n++) {
		count[ids[ALL][n % IDS]] += n & 7;
		/* Force a store for each addition, as an add to a watched unit does. */
		__asm__ volatile("" ::: "memory");
	}
}

static void run_read_all(void *arg, unsigned calls)
{
	while (calls--) {
		upci_totals_read_all(arg, copy);
		__asm__ volatile("" ::: "memory");
	}
}

static void run_copy(void *arg, unsigned calls)
{
	while (calls--) {
		memcpy(copy, arg, sizeof(copy));
		__asm__ volatile("" ::: "memory");
	}
}

static void open_totals(struct upci_totals *totals)
{
	static const struct upci_engine_sink sink = {on_event, NULL};

	upci_totals_init(totals, &sink);
	upci_totals_write(totals, UPC_REG_START_STOP, 1);
}

int main(void)
{
	/* Three engines: unchanged; visible to monitors; and with event thresholds that this program never
	 * reaches. */
	static struct upci_totals quiet, watched, thresholds;
	static uint64_t shown[UPC_COUNTERS];
	uint64_t counts[UPC_COUNTERS], added = 0;
	struct bench_subject add[] = {
		{run_add_all, &quiet, 0},         {run_add_chosen, &quiet, 0}, {run_add_all, &watched, 0},
		{run_add_chosen, &thresholds, 0}, {run_plain, plain, 0},
	};
	struct bench_subject read[] = {{run_read_all, &thresholds, 0}, {run_copy, plain, 0}};
	unsigned i;

	open_totals(&quiet);
	open_totals(&watched);
	open_totals(&thresholds);
	watched.shown = shown;
	for (i = 0; i < UPC_COUNTERS / 8; i++) {
		uint64_t fields = bench_pick(1u << 16) | bench_pick(1u << 16) << 32;

		fields = (fields | fields << 8) & 0x0303030303030303u;
		upci_totals_write(&quiet, UPC_REG_CONFIG(i), fields);
		upci_totals_write(&watched, UPC_REG_CONFIG(i), fields);
		upci_totals_write(&thresholds, UPC_REG_CONFIG(i), fields);
	}
	for (i = 0; i < UPC_COUNTERS; i++)
		upci_totals_set_threshold(&thresholds, i, (UINT64_C(1) << 60) + i);
	for (i = 0; i < IDS; i++) {
		unsigned counter = (unsigned)bench_pick(UPC_COUNTERS);

		ids[ALL][i] = (uint16_t)bench_pick(UPC_INPUTS);
		ids[CHOSEN][i] = (uint16_t)(256 * (quiet.regs.field[counter] & 3) + counter);
	}
	bench_in_turn(add, 5, CALLS);
	bench_in_turn(read, 2, 1000);
	bench_print("totals_add", add[0].median, "ns");
	bench_print("totals_add_chosen", add[1].median, "ns");
	bench_print("totals_add_shown", add[2].median, "ns");
	bench_print("totals_add_with_threshold", add[3].median, "ns");
	bench_print("plain_increment", add[4].median, "ns");
	bench_ratio("totals_add_to_plain_increment", add[0].median / add[4].median);
	bench_ratio("totals_add_shown_to_plain_increment", add[2].median / add[4].median);
	bench_ratio("totals_add_with_threshold_to_plain_increment", add[3].median / add[4].median);
	bench_print("totals_read_all", read[0].median, "ns");
	bench_print("memcpy_2KB", read[1].median, "ns");
	bench_ratio("totals_read_all_to_memcpy", read[0].median / read[1].median);

	/* The counters must contain everything that was added to chosen ids. */
	upci_totals_read_all(&watched, counts);
	for (i = 0; i < CALLS; i++)
		if (upci_totals_counts(&watched, ids[ALL][i % IDS]))
			added += i & 7;
	added *= BENCH_SAMPLES + 1;
	for (i = 0; i < UPC_COUNTERS; i++)
		added -= counts[i];
	if (interrupts || added || memcmp(shown, counts, sizeof(shown)) != 0) {
		fprintf(stderr, "totals: %u interrupts, %lld counts too few\n", interrupts, (long long)added);
		return 1;
	}
	return 0;
}
