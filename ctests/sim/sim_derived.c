/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_derived - presets, and events that the user has defined, that are sums and differences of
 * others, as they take turns: never below 0, and near what a loop does, where the difference of two
 * estimates is off by the errors of both. The test runs itself under upc_run.
 */
#include <mpx.h>

#include "../papi/papi_util.h"
#include "sim_loop.h"

#define INSIDE "UPC_TEST_SIM_DERIVED_INSIDE"

static const char definitions[] =
	"CPU,upc\n"
	"EVENT,MY_REST,DERIVED_SUB,upc:::PU_INSTRUCTIONS,upc:::PU_IPIPE_BRANCHES\n"
	"EVENT,MY_SURPLUS,DERIVED_SUB,upc:::PU_DATA_LOADS,upc:::PU_DATA_STORES\n"
	"EVENT,MY_SUM,DERIVED_POSTFIX,N0|2|*|N1|+|,upc:::PU_FPU_MULT_1,upc:::PU_FPU_ADD_SUB_1\n"
	"EVENT,MY_SCALED,DERIVED_POSTFIX,N0|512|128|/|*|,upc:::PU_FPU_MULT_1\n"
	"EVENT,MY_PRODUCT,DERIVED_POSTFIX,N0|N1|*|,upc:::PU_FPU_MULT_1,upc:::PU_FPU_ADD_SUB_1\n"
	"EVENT,MY_QUOTIENT,DERIVED_POSTFIX,N0|N1|/|,upc:::PU_FPU_MULT_1,upc:::PU_FPU_ADD_SUB_1\n"
	"EVENT,MY_MORE,DERIVED_POSTFIX,N0|100|+|,upc:::PU_FPU_MULT_1\n";

/* The count of each in an iteration of the loop. */
static const struct {
	const char *name;
	int each;
} events[] = {
	{"MY_REST", LOOP_INSTRUCTIONS - LOOP_BRANCHES}, {"MY_SURPLUS", LOOP_LOADS - LOOP_STORES},
	{"MY_SUM", 2 * LOOP_MULTIPLY + LOOP_ADD},       {"MY_SCALED", 4 * LOOP_MULTIPLY},
	{"PAPI_FP_INS", LOOP_MULTIPLY + LOOP_ADD},
};
#define EVENTS (int)(sizeof(events) / sizeof(*events))

static const char *const refused[] = {"MY_PRODUCT", "MY_QUOTIENT", "MY_MORE"};

/* Slices that the event with the fewest has had; all else that holds at any time is looked at. */
static unsigned look(int set, struct mpx_estimate *e, int *sound)
{
	static long long before[EVENTS];
	unsigned least = 1000000;
	int i;

	memset(e, 0, EVENTS * sizeof(*e));
	e[0].size = sizeof(*e);
	if (mpx_set_estimates(set, e, EVENTS) != PAPI_OK)
		return 0;
	for (i = 0; i < EVENTS; i++) {
		*sound &= e[i].value == MPX_NEVER || (e[i].value >= before[i] && e[i].value >= 0);
		*sound &= e[i].low >= 0 && e[i].low <= e[i].estimate && e[i].estimate <= e[i].high;
		before[i] = e[i].value > 0 ? e[i].value : 0;
		least = e[i].slices < least ? (unsigned)e[i].slices : least;
	}
	return least;
}

static int inside(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	const unsigned long each = 500000;
	struct mpx_estimate e[EVENTS];
	double truth = 0;
	int set, i, sound = 1;

	options.slice_ns = 2000000;
	options.timer = MPX_TIMER_THREAD;
	options.group_max = 1;
	if (!ok(mpx_library_init(MPX_ABI_VERSION, &options) == PAPI_OK && mpx_set_create(&set) == PAPI_OK,
		"a set"))
		note("%s", mpx_last_message());
	for (i = 0; i < EVENTS; i++)
		if (!ok(mpx_set_add_named_event(set, events[i].name) == PAPI_OK, "%s", events[i].name))
			note("%s", mpx_last_message());
	for (i = 0; i < 3; i++)
		ok(mpx_set_add_named_event(set, refused[i]) == PAPI_ENOSUPP, "%s: %s", refused[i],
		   mpx_last_message());
	ok(mpx_set_start(set) == PAPI_OK, "it starts");
	/* However slow the machine is, until each has had its turns. */
	do {
		loop(each);
		truth += (double)each;
	} while (look(set, e, &sound) < 20 && truth < 1000. * (double)each);
	ok(mpx_set_stop(set, NULL) == PAPI_OK, "it stops");
	ok(look(set, e, &sound) >= 20, "each event has had its slices");
	ok(sound, "no value was below 0 or came down, and each was in its interval");
	for (i = 0; i < EVENTS; i++) {
		/* Beside the loop there is what else the program does. */
		double off = e[i].estimate - events[i].each * truth;

		ok((off < 0 ? -off : off) < truth * (events[i].each ? events[i].each : 1) / 2 &&
			   e[i].count > 0,
		   "%s: %.0f [%.0f, %.0f], about %.0f", events[i].name, e[i].estimate, e[i].low, e[i].high,
		   events[i].each * truth);
	}
	ok(mpx_set_destroy(&set) == PAPI_OK && mpx_library_shutdown() == PAPI_OK, "the end");
	return done();
}

#include "sim_inside.h"

int main(void)
{
	char path[] = "/tmp/upc-derived-XXXXXX";
	int fd, result;

	if (getenv(INSIDE))
		return inside();
	need_emulator();
	if (!getenv("UPC_SIM_PAPI"))
		skip_all("there is no PAPI for simulated programs (papi-build --simulation)");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, definitions, sizeof(definitions) - 1) != sizeof(definitions) - 1)
		bail_out("no file in /tmp");
	close(fd);
	setenv("PAPI_USER_EVENTS_FILE", path, 1);
	result = once(INSIDE);
	unlink(path);
	return result;
}
