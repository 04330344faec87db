/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_ratio - a derived event that is a ratio, on a hardware PMU: cycles per 1000
 * instructions is, through libupc and through PAPI, what the cycles and instructions of
 * the same run make it, also while it runs and after a reset; its terms share counters
 * with the events themselves; and what is for counts alone is refused.
 */
#include "../papi/papi_util.h"
#include "pmu_util.h"
#include "upc.h"

#define RATIO "CYCLES_PER_1000_INSTRUCTIONS"
#define N 10000000u

enum { OF_RATIO, OF_INS, OF_CYC, OF_PERF_INS, OF_PERF_CYC, EVENTS };

static const char *const names[EVENTS] = {
	[OF_RATIO] = RATIO,
	[OF_INS] = "TOT_INS",
	[OF_CYC] = "TOT_CYC",
	[OF_PERF_INS] = "perf::INSTRUCTIONS",
	[OF_PERF_CYC] = "perf::CYCLES",
};

static unsigned emulated; /* cycles an instruction, where that is constant */

static void check_values(const char *when, uint64_t ratio, uint64_t instructions, uint64_t cycles)
{
	uint64_t exact = instructions ? 1000 * cycles / instructions : 0;

	ok(ratio == exact, "%s: %" PRIu64 ", of %" PRIu64 " cycles and %" PRIu64 " instructions", when, ratio,
	   cycles, instructions);
	ok(instructions >= (uint64_t)PER_ROUND * N, "%s: the loop's %u instructions and more", when,
	   PER_ROUND * N);
	/* One event goes on a moment longer than the other: of 20 million it does not
	 * make one in 1000. */
	if (emulated)
		ok(ratio + 1 >= 1000 * emulated && ratio <= 1000 * emulated + 1,
		   "%s: %u for %u an instruction", when, 1000 * emulated, emulated);
}

/* ---- libupc -------------------------------------------------------------------- */

static unsigned bound(struct upc_unit *unit)
{
	unsigned n = 0, i;

	for (i = 0; i < UPC_COUNTERS; i++) {
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		if (upc_counter_state(unit, i, &info) == 0)
			n += info.flags & UPC_COUNTER_BOUND;
	}
	return n;
}

static void check_read(const char *when, struct upc_unit *unit, const uint32_t *code)
{
	uint64_t value[EVENTS];

	if (!ok(!upc_unit_read_events(unit, code, EVENTS, value), "%s: read", when)) {
		note("%s", upc_last_message());
		return;
	}
	check_values(when, value[OF_RATIO], value[OF_INS], value[OF_CYC]);
	ok(value[OF_PERF_INS] == value[OF_INS] && value[OF_PERF_CYC] == value[OF_CYC],
	   "%s: both names of an event read the same", when);
}

static void check_refused(struct upc_unit *unit, uint32_t code)
{
	const uint64_t one = 1;

	ok(upc_unit_set_threshold(unit, code, 1000) == UPC_ENOSUPP, "no threshold: %s", upc_last_message());
	ok(upc_unit_write_events(unit, &code, 1, &one) == UPC_ENOSUPP, "no preset: %s", upc_last_message());
}

static void check_upc(struct upc_catalogue *catalogue)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uint32_t code[EVENTS];
	struct upc_unit *unit;
	uint64_t value = 1;
	int i;

	for (i = 0; i < EVENTS; i++)
		if (!ok(!upc_catalogue_find(catalogue, names[i], &code[i]), "%s is there", names[i])) {
			note("%s", upc_last_message());
			return;
		}
	upc_catalogue_info(catalogue, code[OF_RATIO], &info);
	ok(info.source == UPC_SOURCE_DERIVED && info.kind == UPC_KIND_LEVEL &&
		   !strcmp(info.unit, "cycles/1000 instructions"),
	   "it is a level in %s, of %s", info.unit, info.driver);
	options.domain = UPC_DOMAIN_USER;
	if (!ok(!upc_unit_create(catalogue, &options, &unit), "a unit"))
		return;
	ok(!upc_unit_add(unit, code[OF_RATIO]) && bound(unit) == 2, "the ratio takes two counters");
	ok(!upc_unit_read_events(unit, code, 1, &value) && value == 0, "0 before anything counted");
	for (i = OF_INS; i < EVENTS; i++)
		if (!ok(!upc_unit_add(unit, code[i]), "%s beside it", names[i]))
			note("%s", upc_last_message());
	ok(bound(unit) == 2, "... and all share the two");

	upc_unit_start(unit);
	loop(N);
	ok(!upc_unit_read_events(unit, code, 1, &value) && value > 0, "while it runs: %" PRIu64, value);
	check_read("while it runs", unit, code);
	loop(N);
	upc_unit_stop(unit);
	check_read("stopped", unit, code);
	upc_unit_reset(unit);
	ok(!upc_unit_read_events(unit, code, 1, &value) && value == 0, "0 after a reset");
	upc_unit_start(unit);
	loop(N);
	upc_unit_stop(unit);
	check_read("after a reset", unit, code);
	check_refused(unit, code[OF_RATIO]);
	upc_unit_destroy(unit);
}

/* ---- PAPI ---------------------------------------------------------------------- */

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

static void check_papi(int component)
{
	long long value[3] = {-1, -1, -1};
	PAPI_event_info_t info;
	int set = PAPI_NULL, code = 0;
	int i;

	if (!ok(PAPI_create_eventset(&set) == PAPI_OK &&
			PAPI_assign_eventset_component(set, component) == PAPI_OK,
		"an event set"))
		return;
	for (i = OF_RATIO; i <= OF_CYC; i++) {
		char name[PAPI_MAX_STR_LEN];
		int error;

		snprintf(name, sizeof(name), "upc:::%s", names[i]);
		error = PAPI_add_named_event(set, name);
		if (!ok(error == PAPI_OK, "PAPI adds %s: %s", name, PAPI_strerror(error)))
			return;
	}
	ok(PAPI_event_name_to_code("upc:::" RATIO, &code) == PAPI_OK &&
		   PAPI_get_event_info(code, &info) == PAPI_OK &&
		   !strcmp(info.units, "cycles/1000 instructions") && info.timescope == PAPI_TIMESCOPE_POINT,
	   "PAPI has its unit, %s, and that its values are not to be subtracted", info.units);
	ok(PAPI_overflow(set, code, 1000000, 0, on_overflow) != PAPI_OK, "no overflow of a ratio");
	ok(PAPI_start(set) == PAPI_OK, "start");
	loop(N);
	if (ok(PAPI_read(set, value) == PAPI_OK, "read while it runs"))
		check_values("PAPI, while it runs", (uint64_t)value[OF_RATIO], (uint64_t)value[OF_INS],
			     (uint64_t)value[OF_CYC]);
	ok(PAPI_reset(set) == PAPI_OK, "reset while it runs");
	loop(N);
	if (ok(PAPI_stop(set, value) == PAPI_OK, "stop"))
		check_values("PAPI, stopped", (uint64_t)value[OF_RATIO], (uint64_t)value[OF_INS],
			     (uint64_t)value[OF_CYC]);
	ok(PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK, "clean up");
}

int main(void)
{
	struct upc_catalogue *catalogue;
	int component;

	need_pmu();
	unsetenv("UPC_WIRING");
	component = start_papi();
	emulated = cycles_each();
	if (upc_catalogue_open(NULL, &catalogue))
		bail_out("%s", upc_last_message());
	check_upc(catalogue);
	upc_catalogue_close(catalogue);
	check_papi(component);
	return done();
}
