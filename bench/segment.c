/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * segment.c - time of a million cycles in the segment engine. All 1024 inputs have random periods, all signal
 * modes are mixed, and interrupts are enabled, but none happens.
 */
#include "bench.h"
#include "random.h"
#include "engine/engine.h"

#define CYCLES 1000000

static struct upci_wave wave[UPC_INPUTS];
static unsigned interrupts;

static void on_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg, (void)event, (void)counter, (void)cycle;
	interrupts++;
}

static void run(void *arg, unsigned calls)
{
	while (calls--)
		upci_engine_segment.run_waves(arg, wave, CYCLES);
}

int main(void)
{
	static const struct upci_engine_sink sink = {on_event, NULL};
	struct upci_engine *e = upci_engine_segment.create(&sink);
	struct bench_subject subject = {run, e, 0};
	unsigned i, k;

	if (!e)
		return 1;
	for (i = 0; i < UPC_INPUTS; i++) {
		/* Every order of magnitude of the period is equally likely. */
		wave[i].period = 2 + bench_pick(UINT64_C(1) << bench_pick(24));
		wave[i].high = 1 + bench_pick(wave[i].period - 1);
		wave[i].phase = bench_pick(wave[i].period);
	}
	for (i = 0; i < UPC_COUNTERS / 8; i++) {
		uint64_t fields = 0;

		for (k = 0; k < 8; k++)
			fields |= (bench_pick(16) | UPC_FIELD_INTERRUPT_ENABLE) << 8 * k;
		upci_engine_segment.write(e, UPC_REG_CONFIG(i), fields);
	}
	/* A threshold that this program never reaches. */
	upci_engine_segment.write(e, UPC_REG_THRESHOLD, UINT64_MAX);
	upci_engine_segment.write(e, UPC_REG_START_STOP, 1);
	bench_in_turn(&subject, 1, 100);
	bench_print("segment_million_cycles", subject.median / 1000, "us");
	upci_engine_segment.destroy(e);
	if (interrupts) {
		fprintf(stderr, "segment: %u interrupts in a run that should have none\n", interrupts);
		return 1;
	}
	return 0;
}
