/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_unit.c - the simulated node's unit: the threads' sums per core become counts of its registers, which
 * are shown to other processes.
 *
 * The unit belongs to upc_run and not to the simulator, because the program may close the descriptors of its
 * emulator, and with them the lock that shows that a unit's owner lives.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_unit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/common.h"
#include "share/shared.h"
#include "engine/totals.h"

#define NAMES_MAX 256 /* units that differ only in the suffix -N of their name, as with UPC_SHARE */

_Static_assert(2 * RUN_UNIT_EVERY_NS / 1000000 < UPCS_RESULTS_AGE_MS, "folded, then shown");

struct run_unit {
	struct upci_shared shared;
	struct upci_totals totals;
	char name[UPCI_SHARED_NAME_MAX + 16];    /* longer than allowed, so that long names are refused */
	uint64_t given[UPCS_CORES][UPCS_EVENTS]; /* counts of each event already added to totals */
};

/* ---- its name ------------------------------------------------------------------------- */

int run_unit_check(const char *name)
{
	char file[UPCI_SHARED_FILE_MAX];

	if (upci_shared_file(name, geteuid(), file) == 0)
		return 0;
	util_error("'%s' is no name for a unit: %s", name, upc_last_message());
	return -1;
}

/* Take a free name, as libupc's PAPI component does, so that several runs of one script can be watched. */
static int take_name(struct run_unit *unit, const char *name)
{
	int error = UPC_ESTATE;

	for (unsigned i = 1; i <= NAMES_MAX && error == UPC_ESTATE; i++) {
		if (i == 1)
			snprintf(unit->name, sizeof(unit->name), "%s", name);
		else
			snprintf(unit->name, sizeof(unit->name), "%s-%u", name, i);
		error = upci_shared_create(unit->name, false, &unit->shared);
	}
	if (error != 0) {
		util_error("cannot show the unit '%s': %s", name, upc_last_message());
		return -1;
	}
	if (strcmp(unit->name, name) != 0)
		util_error("the unit is shown as '%s': another run shows '%s'", unit->name, name);
	return 0;
}

/* ---- its configuration ---------------------------------------------------------------- */

/* Never called: there are no thresholds or parity errors. */
static void ignore_unit_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg;
	(void)event;
	(void)counter;
	(void)cycle;
}

static void name_event(struct run_unit *unit, unsigned core, unsigned place)
{
	char name[UPC_NAME_MAX];

	snprintf(name, sizeof(name), "PU%u_%s", core, upcs_tally_name[upcs_tally_at[place]]);
	upci_shared_event(&unit->shared, (upcs_core_first[core] + place) % UPC_COUNTERS, name, "events",
			  UPC_KIND_COUNT);
}

/* Configure each counter that has an input for a produced event of these cores to count this event,
 * level-high. */
static void configure_unit_counters(struct run_unit *unit, enum run_unit_cores cores)
{
	unsigned first = cores == RUN_UNIT_PU01 ? 0 : 2;
	uint64_t config[UPC_COUNTERS / 8] = {0};

	for (unsigned core = first; core < first + 2; core++)
		for (unsigned k = 0; k < UPCS_EVENTS; k++) {
			unsigned id = upcs_core_first[core] + k, counter = id % UPC_COUNTERS;

			if (!upcs_is_produced(upcs_tally_at[k]))
				continue;
			config[counter / 8] |= (uint64_t)(id / UPC_COUNTERS) << counter % 8 * 8;
			name_event(unit, core, k);
		}
	for (unsigned g = 0; g < UPC_COUNTERS / 8; g++)
		upci_totals_write(&unit->totals, UPC_REG_CONFIG(g), config[g]);
	upci_totals_write(&unit->totals, UPC_REG_START_STOP, 1);
	for (unsigned i = 0; i < UPC_COUNTERS; i++)
		upci_shared_field(&unit->shared, i, unit->totals.regs.field[i]);
	upci_shared_registers(&unit->shared, true, 0);
}

struct run_unit *run_unit_create(const char *name, enum run_unit_cores cores)
{
	static const struct upci_engine_sink sink = {.event = ignore_unit_event};
	struct run_unit *unit = calloc(1, sizeof(*unit));

	if (unit == NULL) {
		util_error("out of memory");
		return NULL;
	}
	if (take_name(unit, name) != 0) {
		free(unit);
		return NULL;
	}
	upci_totals_init(&unit->totals, &sink);
	upci_shared_begin(&unit->shared);
	configure_unit_counters(unit, cores);
	upci_shared_end(&unit->shared, true);
	return unit;
}

const char *run_unit_name(const struct run_unit *unit)
{
	return unit->name;
}

void run_unit_destroy(struct run_unit *unit)
{
	if (unit == NULL)
		return;
	upci_shared_destroy(&unit->shared);
	free(unit);
}

void run_unit_remove(const char *name)
{
	const struct timespec moment = {.tv_nsec = 10000000};

	/* The kernel may release the killed process's lock last of all. */
	for (unsigned i = 0; i < 100 && upci_shared_clear(name) == UPC_ESTATE; i++)
		nanosleep(&moment, NULL);
}

/* ---- its counts ----------------------------------------------------------------------- */

static void give_unit_count(struct run_unit *unit, unsigned core, unsigned place, uint64_t now)
{
	uint64_t *given = &unit->given[core][place];

	/* A smaller number means that another process has corrupted the file. */
	if (now <= *given)
		return;
	upci_totals_add(&unit->totals, upcs_core_first[core] + place, now - *given);
	*given = now;
}

static void show_unit_counts(struct run_unit *unit)
{
	upci_shared_begin(&unit->shared);
	for (unsigned i = 0; i < UPC_COUNTERS; i++)
		upci_shared_count(&unit->shared, i, upci_totals_count(&unit->totals, i));
	upci_shared_end(&unit->shared, false);
}

static void add_thread_counts(uint64_t sum[UPCS_CORES][UPCS_EVENTS], const struct upcs_thread *thread)
{
	uint64_t *core = sum[thread->core % UPCS_CORES];

	/* The folding thread may store these numbers at the same time. Each number is read untorn; the order
	 * of several numbers does not matter. */
	for (unsigned k = 0; k < UPCS_EVENTS; k++)
		core[k] += __atomic_load_n(&thread->tally[0][upcs_tally_at[k]], __ATOMIC_RELAXED);
}

void run_unit_update(struct run_unit *unit, const struct run_counts *counts,
		     const struct upcs_results *results)
{
	uint64_t sum[UPCS_CORES][UPCS_EVENTS];
	uint32_t n = upcs_results_threads(results);

	for (unsigned core = 0; core < UPCS_CORES; core++)
		for (unsigned k = 0; k < UPCS_EVENTS; k++)
			sum[core][k] = counts->core[0][core].item[upcs_tally_at[k]];
	for (uint32_t t = 0; t < n; t++) {
		enum upcs_state state = upcs_results_state(&results->thread[t].state);

		if (state == UPCS_RUNS || state == UPCS_ENDED)
			add_thread_counts(sum, &results->thread[t]);
	}
	for (unsigned core = 0; core < UPCS_CORES; core++)
		for (unsigned k = 0; k < UPCS_EVENTS; k++)
			give_unit_count(unit, core, k, sum[core][k]);
	show_unit_counts(unit);
}

void run_unit_finish(struct run_unit *unit, const struct run_counts *counts)
{
	for (unsigned core = 0; core < UPCS_CORES; core++)
		for (unsigned k = 0; k < UPCS_EVENTS; k++)
			give_unit_count(unit, core, k, counts->core[0][core].item[upcs_tally_at[k]]);
	show_unit_counts(unit);
}
