/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_fake.h - a fake backend of MPX's core. Only the test advances its clock, so all counts are known
 * exactly. The backend can hold few events at a time, fail at any call, and be interrupted by a tick at any
 * call. A forbidden call by the core fails the test.
 */
#ifndef MPX_FAKE_H
#define MPX_FAKE_H

#include <limits.h>

#include "core/core.h"
#include "core/error.h"
#include "../unit_test.h"

#define FAKE_UNLIMITED 0x10000u /* FAKE_UNLIMITED + i */
#define FAKE_CLOCK 0x20000u
#define FAKE_BESIDE 0x30000u
#define FAKE_NOWHERE 0x40000u /* no counter holds it */
#define FAKE_OUTSIDE 0x50000u /* FAKE_OUTSIDE + i: unlimited, and not for handlers */
#define FAKE_EVENTS 2048
#define FAKE_RUNS 2048 /* groups of unlimited events that run at once */

struct fake_group {
	unsigned n;
	uint64_t begin;
	uint32_t covariate; /* the one that it was opened with */
	bool runs;
	struct fake_group *next, **link; /* all that are open */
	uint32_t code[];
};

enum fake_call {
	FAKE_FITS = 1,
	FAKE_OPEN = 2,
	FAKE_START = 4,
	FAKE_READ = 8,
	FAKE_STOP = 16,
	FAKE_SHARING = 32,
	FAKE_MEMORY = 64,
	FAKE_ALL = 127,
};

struct fake {
	_Atomic uint64_t now; /* handlers that interrupt the backend may change it */
	uint64_t cost;        /* time that each call of a _sig function takes */
	uint64_t pace;        /* CPU time in a unit of the clock */
	uint64_t counted_to;  /* nothing is counted from then on; 0: always */
	bool blocked;         /* the answer to the question whether ticks are blocked */
	unsigned sought;
	/* Rates of events by the low 11 bits of their code; burst comes on top of it in
	 * every other half of a period. */
	uint64_t rate[FAKE_EVENTS], burst[FAKE_EVENTS], half;
	uint32_t slow;              /* events below it slow the program that they count */
	unsigned capacity, modulus; /* events in a group; codes that are equal modulo it conflict */

	unsigned start_max; /* larger groups open, but do not start; 0: all do */

	unsigned fail;     /* calls that can fail (enum fake_call)      */
	unsigned fail_in;  /* the n-th such call from now on fails; 0: none */
	unsigned fail_for; /* calls that are still to fail, one after another */
	unsigned failed;   /* calls that have failed since fake_fail */
	unsigned starts_failed;

	struct fake_group *groups;
	unsigned open, opened, fits, starts, stops, reads, allocations;
	struct fake_group *timed; /* the one of ordinary events that runs, or the idle one */
	struct fake_group *beside[FAKE_RUNS];
	unsigned besides;
	bool sharing;
	uint32_t covariate; /* of groups that are opened now */
	void (*on_stop)(const struct fake_group *group);
	void (*on_call)(void);
	struct mpxi_core *core;
	bool in_handler;
};
extern struct fake fake;

/* Let the k-th of these calls fail, and the n - 1 after it. */
void fake_fail(unsigned calls, unsigned k, unsigned n);

/* ---- the backend ------------------------------------------------------------------- */

extern const struct mpxi_backend_ops fake_ops;

int fake_fits(void *backend, const uint32_t *code, unsigned n);
void fake_free(struct fake_group *group);
bool fake_is_beside(const struct fake_group *group);
bool fake_has(const struct fake_group *group, uint32_t code);
/* Return the true count of an event up to this time. */
uint64_t fake_total(uint32_t code, uint64_t now);
/* True if a running group counts the event. */
bool fake_counts(uint32_t code);

/* ---- for tests ----------------------------------------------------------------------- */

/* Settings of cores that are created later: whether they count another thread, and whether the clock is that
 * thread's CPU time. */
extern bool fake_apart, fake_by_cpu;

/* Create a core whose counters hold capacity events. Event i happens at rate i + 1. slice: CPU time of a
 * slice of 1000 clock units; 0: the ticks determine the length. */
void fake_make(unsigned capacity, uint64_t slice, bool covariate);
void fake_create_sliced(unsigned capacity, uint64_t slice);
void fake_create(unsigned capacity);
/* Destroy the core. Check that no group runs or is open. */
void fake_destroy(void);
bool fake_tick(void);
/* Run n slices of this length. */
void fake_slices(unsigned n, uint64_t length);
/* Create a set of the events from..to. */
struct mpxi_set *fake_set(uint32_t from, uint32_t to);
/* Create and start a set of the events from..to. */
struct mpxi_set *fake_running(uint32_t from, uint32_t to);
unsigned fake_index(const struct mpxi_set *set, uint32_t code);
const struct mpxi_window *fake_window(const struct mpxi_set *set, uint32_t code);
/* Check T, S_e and C_e, by the clock and by the covariate, of an event that was counted for size of the time.
 */
void assert_window(const struct mpxi_set *set, uint32_t code, uint64_t time, uint64_t size);
void assert_exact(const struct mpxi_set *set, uint32_t code, uint64_t time);
/* Return the event's entry in the master list; its references are 0 if there is no entry. */
struct mpxi_master fake_master(uint32_t code);
struct mpxi_core_info fake_info(void);

#endif
