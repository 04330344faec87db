/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_set.h - one PAPI event set: a unit of libupc, and the positions of its events in PAPI's array
 * of values.
 *
 * Terms:
 *   set             a PAPI event set
 *   unit            256 counters of libupc (upc.h), which start and stop together
 *   catalogue       libupc's list of all events, with codes
 *   source          the origin of counts ($UPC_SOURCE): this machine, a replay script, the simulated node
 *   live            counted on this machine, not in a replay or by the simulated node
 *   replay          a script drives the unit's signals; to play: to run the script on to its next mark
 *   simulated node  a simulator of Blue Gene/P's node, in which upc_run executes the program
 *   position        index of an event in PAPI's array of values
 *   target          what a set counts (struct upcp_target); to aim: to make the unit count a target
 *   owner           the thread that an unattached set counts; as EventSetInfo_t, PAPI's structure of the set
 *   spread set      a multiplexed set whose events do not all fit into its unit (runtime/spread.h)
 *   qualifiers      suffixes of event names that apply to the whole set (upc_qualifiers.h)
 *   reported error  an error - MPXI_TOLD: the user has already got its message (runtime/turns.h)
 *   vector          PAPI's table of a component's functions; of overflows: one bit for each position
 *   Context         where a function may be called; "any": in every thread, and in signal handlers
 *
 * Uses libupc's functions and nothing of PAPI.
 */
#ifndef UPC_SET_H
#define UPC_SET_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/spread.h"
#include "upc_library.h"

#define UPCP_EVENTS UPC_EVENTS_MAX /* events, and positions, of a set */
#define UPCP_WORDS (UPCP_EVENTS / 64)

/*
 * Number of positions that an event with a threshold can have. PAPI reports overflows in a vector
 * of 64 bits.
 */
#define UPCP_THRESHOLDS 64

#define UPCP_NO_POSITION (-1)
#define UPCP_NO_CPU (-1)

/*
 * The threads that a set counts, as chosen by PAPI's options: one thread, all threads of a process,
 * or all threads of the machine.
 */
enum upcp_reach { UPCP_REACH_THREAD, UPCP_REACH_PROCESS, UPCP_REACH_MACHINE };

struct upcp_target {
	enum upcp_reach reach;
	pid_t attached;  /* attached process or thread; 0: the owner */
	int cpu;         /* UPCP_NO_CPU: none                               */
	unsigned domain; /* UPC_DOMAIN_*; 0: not chosen                     */
	int inherit;
	const struct upcp_qualifiers *qualifiers; /* qualifiers of all events of the set, or NULL */
};

/*
 * One event in the list that the caller passes to upcp_set_update. tag is any number: the set stores
 * the tag of a new event, and returns the stored tag for an event that it already has.
 */
struct upcp_entry {
	int position; /* UPCP_NO_POSITION: new; set by upcp_set_update */
	int tag;
	uint32_t code;
};

/*
 * A PAPI event set. A structure with all members before codes zero, except target.cpu, is a valid
 * empty set.
 */
struct upcp_set {
	const struct mpxi_libupc *lib;     /* libupc of the unit                 */
	struct upc_catalogue *catalogue;   /* catalogue of the unit, valid after PAPI_shutdown, too */
	struct upc_unit *unit;             /* NULL until it is needed            */
	struct upcp_set *next, **previous; /* list of the sets that have a unit  */
	struct upcp_target target;
	pid_t owner_process, owner_thread; /* the owner of an unattached set     */
	pid_t opened_for;                  /* pid in the unit's options, or 0    */
	pid_t maker;                       /* thread that created the unit       */
	int shown;                         /* upcp_share has run; the unit may be shown */
	uint64_t slice_ns;                 /* length of a time slice in ns; 0: not multiplexed */
	struct mpxi_spread *spread;        /* events that do not fit into the unit, or NULL */
	struct mpxi_spread_gaps gaps;      /* gaps in the last read of a spread set */
	unsigned n;
	int in_order;                         /* libupc lists the events in the order of codes          */
	int direct;                           /* in_order, and event i is at position i                 */
	uint64_t used[UPCP_WORDS];            /* bit p: position p has an event     */
	uint64_t thresholds[UPCP_THRESHOLDS]; /* threshold at each position, or 0   */
	/*
	 * Members from here on are written before they are read. Most sets never touch most of
	 * these pages.
	 */
	/*
	 * The events in the order in which they were added, which is also the order of PAPI_write.
	 */
	uint32_t codes[UPCP_EVENTS];
	uint16_t positions[UPCP_EVENTS];
	/* Temporary lists within one call. They are too large for a thread's stack of 32 KiB. */
	union {
		uint64_t counts[UPCP_EVENTS]; /* read: the counts */
		struct {
			uint32_t gone[UPCP_EVENTS], fresh[UPCP_EVENTS]; /* change: removed and new events */
		};
		uint32_t listed[UPCP_EVENTS]; /* after a change: the codes as libupc lists them */
	};
	/*
	 * Arrays by position. values is the array that PAPI reads, as long long in two's
	 * complement.
	 */
	int tags[UPCP_EVENTS];
	uint32_t by_position[UPCP_EVENTS];
	uint64_t values[UPCP_EVENTS];
	struct upcp_entry entries[UPCP_EVENTS]; /* filled by on_update_control_state for upcp_set_update */
};

/*
 * upcp_sets_prepare registers fork handlers in PAPI_library_init. Returns 0, or non-zero without
 * memory.
 *
 * upcp_sets_open sets the libupc and the catalogue of all sets, until upcp_sets_close.
 *
 * upcp_sets_close destroys the units that are left, except units created by other threads that
 * still live. Such a thread may be counting with its unit, and can do so until the process ends.
 * Returns non-zero if no unit is left, so that the catalogue can be closed.
 *
 * Unless stated otherwise, all functions below return 0 or a negative UPC_E* code. For a
 * multiplexed set they may also return an error that was already reported (MPXI_TOLD in
 * runtime/turns.h). A call that fails changes nothing. Context: one thread at a time per set.
 */
int upcp_sets_prepare(void);
void upcp_sets_open(const struct mpxi_libupc *library, struct upc_catalogue *catalogue);
int upcp_sets_close(void);

/*
 * Report that thresholds and multiplexing exclude each other. Return the error, marked as reported.
 */
int upcp_set_refuse_overflow(void);

/*
 * In a forked child, replace the groups of a multiplexed set, which still belong to the parent, by new
 * groups.
 */
int upcp_set_renew(struct upcp_set *set);

/*
 * Multiplex the set from now on, in time slices of ns nanoseconds. Fails with a reported
 * MPXI_ENOSUPP if an event has a threshold.
 */
int upcp_set_multiplex(struct upcp_set *set, uint64_t ns);

/*
 * Make the set's events those of entries, in one transaction, and fill in position and tag of each
 * entry. An event keeps its position as long as it is in the set. The qualifiers apply to all
 * entries, and a set without events has no qualifiers. Errors: UPC_EINVAL (a position that the set
 * does not have), errors of upcp_set_aim and of transactions.
 */
int upcp_set_update(struct upcp_set *set, struct upcp_entry *entries, unsigned n,
		    const struct upcp_qualifiers *qualifiers);

/*
 * Make the set count another target from now on. Errors: UPC_EINVAL (options that exclude each
 * other), errors of upc_unit_create and upc_unit_retarget.
 */
int upcp_set_aim(struct upcp_set *set, const struct upcp_target *target);

/* Aim the set as upcp_set_aim does, and make the calling thread its owner. */
int upcp_set_take(struct upcp_set *set, const struct upcp_target *target);

/* Reset the counts to 0 and start the set. Errors: those of upc_unit_start; UPC_ESTATE (no event). */
int upcp_set_start(struct upcp_set *set);

/*
 * Stop the set. Return an error only if the set still runs, or if it is multiplexed and only another
 * thread can stop it.
 */
int upcp_set_stop(struct upcp_set *set);

/*
 * Stop the set and read its values in one step. On failure the set goes on running. Errors: those
 * of upcp_set_read, and UPC_ENOSUPP (the set must be read before it is stopped).
 */
int upcp_set_finish(struct upcp_set *set);

int upcp_set_reset(struct upcp_set *set);

/*
 * Read the counts into set->values. The values are also valid with UPC_ELOST, UPC_EPARTIAL and
 * UPC_EPARITY.
 */
int upcp_set_read(struct upcp_set *set);

/* Copy the current registers into set->values, during an interrupt of a replay. */
void upcp_set_peek(struct upcp_set *set);

/*
 * upcp_set_playable returns non-zero if the set's replay has not ended. upcp_set_play advances the
 * replay to its next mark.
 */
int upcp_set_playable(const struct upcp_set *set);
int upcp_set_play(struct upcp_set *set);

/* Set the counts of all events. values is in the order in which the events were added. */
int upcp_set_write(struct upcp_set *set, const uint64_t *values);

/* ---- thresholds, of events at positions below UPCP_THRESHOLDS -------------- */

/*
 * Set the function that the unit's interrupts call, and the signal of a live unit's interrupts.
 * Errors: those of upc_unit_set_interrupt.
 */
int upcp_set_watch(struct upcp_set *set, void (*fn)(struct upc_unit *, const struct upc_interrupt *, void *),
		   void *arg, int signal);

/*
 * Set the threshold of the event at a position; 0 removes the threshold. Errors: those of
 * upc_unit_set_threshold.
 */
int upcp_set_threshold(struct upcp_set *set, unsigned position, uint64_t threshold);

/* Exchange the events at two positions, or move one event to a free position. */
void upcp_set_swap(struct upcp_set *set, unsigned a, unsigned b);

/*
 * Return the position of an event that has a threshold, or UPCP_NO_POSITION. Context: any,
 * including signal handlers.
 */
int upcp_set_find_threshold(const struct upcp_set *set, uint32_t code);

/*
 * Return the position of the event whose overflow signal has the descriptor fd (si_fd), or
 * UPCP_NO_POSITION. Context: the set's thread, including its signal handlers.
 */
int upcp_set_signalled(const struct upcp_set *set, int fd);

/* Destroy the unit. The set is then empty and keeps its target, but no qualifiers. */
void upcp_set_clear(struct upcp_set *set);

#endif /* UPC_SET_H */
