/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_set.h - one PAPI event set: a unit of libupc, and which of its events has
 * which place in PAPI's array of values. Knows libupc's calls and nothing of PAPI.
 */
#ifndef UPC_SET_H
#define UPC_SET_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/spread.h"
#include "upc_library.h"

#define UPCP_EVENTS UPC_EVENTS_MAX /* events, and positions, of a set */
#define UPCP_WORDS (UPCP_EVENTS / 64)

/* Positions that an event with a threshold can have: PAPI tells what overflowed
 * by a vector of 64 bits. */
#define UPCP_THRESHOLDS 64

#define UPCP_NO_POSITION (-1)
#define UPCP_NO_CPU (-1)

/* The threads that a set counts, by PAPI's options: one, all of a process, all of the machine. */
enum upcp_reach { UPCP_REACH_THREAD, UPCP_REACH_PROCESS, UPCP_REACH_MACHINE };

struct upcp_target {
	enum upcp_reach reach;
	pid_t attached;  /* process or thread attached to; 0: the set's own */
	int cpu;         /* UPCP_NO_CPU: none                               */
	unsigned domain; /* UPC_DOMAIN_*; 0: nobody chose                   */
	int inherit;
	const struct upcp_qualifiers *qualifiers; /* of all events of the set, or NULL */
};

/* One event as the caller lists it. tag is the caller's own number for it: it
 * is taken with a new event and given back with one that the set has. */
struct upcp_entry {
	int position; /* UPCP_NO_POSITION: new; set by upcp_set_update */
	int tag;
	uint32_t code;
};

/* All zero up to codes, but target.cpu, is a valid empty set. */
struct upcp_set {
	const struct mpxi_libupc *lib;     /* of unit                            */
	struct upc_catalogue *catalogue;   /* of unit, after PAPI_shutdown too   */
	struct upc_unit *unit;             /* NULL until it is needed            */
	struct upcp_set *next, **previous; /* list of sets that have a unit      */
	struct upcp_target target;
	pid_t owner_process, owner_thread; /* whose counts an unattached set has */
	pid_t opened_for;                  /* pid that the unit was told, or 0   */
	pid_t maker;                       /* thread that has made the unit      */
	int shown;                         /* to others, or nobody wants that    */
	uint64_t slice_ns;                 /* multiplexed: length of a time slice; 0: not */
	struct mpxi_spread *spread;        /* where events are that unit cannot have, or NULL */
	struct mpxi_spread_gaps gaps;      /* of the last read, while there is a spread */
	unsigned n;
	int in_order;                         /* libupc has the events in the order of codes            */
	int direct;                           /* ... and the i-th is at position i, for all             */
	uint64_t used[UPCP_WORDS];            /* bit per position                   */
	uint64_t thresholds[UPCP_THRESHOLDS]; /* by position; 0: none    */
	/* From here on nothing is read before it was written: pages that most sets never need. */
	/* The events in the order of their adding, which is that of PAPI_write. */
	uint32_t codes[UPCP_EVENTS];
	uint16_t positions[UPCP_EVENTS];
	/* Lists within one call, which a thread's stack of 32 KiB has no room for. */
	union {
		uint64_t counts[UPCP_EVENTS]; /* of a read */
		struct {
			uint32_t gone[UPCP_EVENTS], fresh[UPCP_EVENTS]; /* of a change */
		};
		uint32_t listed[UPCP_EVENTS]; /* after it */
	};
	/* By position. values is what PAPI reads: long long of two's complement. */
	int tags[UPCP_EVENTS];
	uint32_t by_position[UPCP_EVENTS];
	uint64_t values[UPCP_EVENTS];
	struct upcp_entry entries[UPCP_EVENTS]; /* that a change is told */
};

/*
 * For PAPI_library_init: what a fork does to the sets. 0, or non-zero without memory.
 * Then the libupc and the catalogue of all sets, until upcp_sets_close, which destroys the units that
 * are left, but for those that other living threads have made: they may be counting with them, and
 * do so until the process ends. It returns whether there is none, and nothing needs the catalogue.
 * All other functions below return 0 or a negative UPC_E* code, or where the set is
 * multiplexed an error that was told (runtime/turns.h); a call that fails
 * has changed nothing. Context: one thread at a time for one set.
 */
int upcp_sets_prepare(void);
void upcp_sets_open(const struct mpxi_libupc *library, struct upc_catalogue *catalogue);
int upcp_sets_close(void);

/* Told: thresholds and multiplexing exclude each other. */
int upcp_set_refuse_overflow(void);

/* Groups of a multiplexed set that a forked child has inherited become its own. */
int upcp_set_renew(struct upcp_set *set);

/* From now on events that do not fit share what they need, in slices of ns. UPC_ENOSUPP,
 * told, where events have thresholds. */
int upcp_set_multiplex(struct upcp_set *set, uint64_t ns);

/*
 * Makes the set's events those of entries, in one transaction, and fills in
 * position and tag of each. An event keeps its position while it lives. The qualifiers are those of all
 * entries; a set that has lost its last event has none.
 * Errors: UPC_EINVAL (a position that the set does not have), those of
 * upcp_set_aim and of transactions.
 */
int upcp_set_update(struct upcp_set *set, struct upcp_entry *entries, unsigned n,
		    const struct upcp_qualifiers *qualifiers);

/* Counts somebody else from now on. Errors: UPC_EINVAL (options that exclude
 * each other), those of upc_unit_create and upc_unit_retarget. */
int upcp_set_aim(struct upcp_set *set, const struct upcp_target *target);

/* The same, and from now on the set is the calling thread's own. */
int upcp_set_take(struct upcp_set *set, const struct upcp_target *target);

/* From 0 on. Errors: those of upc_unit_start; UPC_ESTATE (no event). */
int upcp_set_start(struct upcp_set *set);

/* Always leaves the set stopped. Errors: those of upc_unit_start. */
int upcp_set_stop(struct upcp_set *set);

/* Stops it with the values of that moment, in one read. Or changes nothing: errors are those of
 * upcp_set_read, and UPC_ENOSUPP (it must be read before it is stopped). */
int upcp_set_finish(struct upcp_set *set);

int upcp_set_reset(struct upcp_set *set);

/* Brings set->values up to date; with UPC_ELOST, UPC_EPARTIAL and UPC_EPARITY as
 * well. */
int upcp_set_read(struct upcp_set *set);

/* The same from the registers as they are: for an interrupt of an exact source. */
void upcp_set_peek(struct upcp_set *set);

/* Whether a replay has anything left to play, and plays it to the next mark. */
int upcp_set_playable(const struct upcp_set *set);
int upcp_set_play(struct upcp_set *set);

/* Presets all events, values in the order of their adding. */
int upcp_set_write(struct upcp_set *set, const uint64_t *values);

/* ---- thresholds, of events at positions below UPCP_THRESHOLDS -------------- */

/* Sets the function that the unit's interrupts call, and their signal where the unit is live.
 * Errors: those of upc_unit_set_interrupt. */
int upcp_set_watch(struct upcp_set *set, void (*fn)(struct upc_unit *, const struct upc_interrupt *, void *),
		   void *arg, int signal);

/* Gives the event at a position a threshold, 0 none. Errors: those of
 * upc_unit_set_threshold. */
int upcp_set_threshold(struct upcp_set *set, unsigned position, uint64_t threshold);

/* The events at two positions change places, or one moves to a free one. */
void upcp_set_swap(struct upcp_set *set, unsigned a, unsigned b);

/* The position of an event that has a threshold, or UPCP_NO_POSITION. Context:
 * signal handlers as well. */
int upcp_set_find_threshold(const struct upcp_set *set, uint32_t code);

/* The same for a signal's descriptor (si_fd). Context: signal handlers of the
 * set's thread as well. */
int upcp_set_signalled(const struct upcp_set *set, int fd);

/* Destroys the unit; the set is empty and keeps its target. */
void upcp_set_clear(struct upcp_set *set);

#endif /* UPC_SET_H */
