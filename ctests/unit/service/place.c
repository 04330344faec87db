/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A place whose unit cannot be started again after a change: nothing of it is said to count, until it can.
 */
#include "service/place.h"
#include "unit/unit_test.h"

/* Somebody else has the PMU's counters. */
static bool taken;

int __real_upc_unit_start(struct upc_unit *unit);
int __wrap_upc_unit_start(struct upc_unit *unit);

int __wrap_upc_unit_start(struct upc_unit *unit)
{
	return taken ? UPC_ECONFLICT : __real_upc_unit_start(unit);
}

static struct place_options options;
static struct place place = {.scope = SERVICE_CPU, .name = (char *)"cpu0", .online = true};

static struct place_cell *make_cell(const char *event)
{
	struct place_cell *cell = calloc(1, sizeof(*cell));
	struct upc_event_info info;
	char why[512];

	assert_non_null(cell);
	if (place_resolve(&options, &place, event, cell, &info, why))
		fail_msg("%s: %s", event, why);
	cell->on = true;
	assert_int_equal(place_reserve(&place, 1), 0);
	return cell;
}

static void sample(void)
{
	usleep(2000);
	place_read(&place);
	place_judge(&options, &place, true);
}

TEST(not_started_again)
{
	struct place_cell *counts, *quiet;
	uint64_t ran;
	int error;

	assert_int_equal(upc_catalogue_open(NULL, &options.catalogue), 0);
	counts = make_cell("cpu::cpu{cpu}:user_ns");
	error = place_change(&options, &place, NULL, 0, &counts, 1);
	assert_int_equal(error, 0);
	place.cell[place.cells++] = counts;
	sample();
	assert_int_equal(counts->state, SERVICE_COUNTING);
	/* As one of the hardware that is halted from the start on: the unit is stopped for it. */
	quiet = make_cell("cpu::cpu{cpu}:idle_ns");
	quiet->hardware = quiet->held = true;
	quiet->on = false;
	taken = true;
	assert_int_equal(place_change(&options, &place, NULL, 0, &quiet, 1), UPC_ECONFLICT);
	assert_false(quiet->open);
	sample();
	ran = counts->running_ns;
	sample();
	assert_int_equal(counts->running_ns, ran);
	assert_int_equal(counts->state, SERVICE_FAILED);
	assert_non_null(strstr(counts->why, "started again"));
	assert_int_equal(place_apply_halts(&options, &place), 0);
	sample();
	assert_int_equal(counts->state, SERVICE_FAILED);
	/* It goes on by itself. */
	taken = false;
	assert_int_equal(place_apply_halts(&options, &place), 0);
	sample();
	sample();
	assert_int_equal(counts->state, SERVICE_COUNTING);
	assert_true(counts->running_ns > ran);
	place_cell_free(quiet);
	place_close(&place);
	place_cell_free(counts);
	free(place.cell);
	upc_catalogue_close(options.catalogue);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
