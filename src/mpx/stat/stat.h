/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat.h - what the core keeps of one event's time slices, and how the part of it
 * that belongs to one event set is cut out. Pure: no clock, no system call.
 *
 * Time is the thread's counted time T: the slices of all groups laid end to end,
 * in the backend's clock. A slice of an event is [begin, end) on it; between two
 * slices of an event lie the slices of other groups, its gap.
 *
 * All but estimates is in integers, since slices are entered by a signal handler.
 * Sums only grow, so that what an event set saw is the difference of two marks
 * (MPX, section 5.2: the values recorded at its start are subtracted).
 */
#ifndef MPXI_STAT_H
#define MPXI_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/spacing.h"

struct mpxi_slice {
	uint64_t begin, end; /* on the thread's counted time      */
	uint64_t covariate;  /* of the covariate event, in it     */
	uint64_t count;      /* of this event, in it              */
	uint64_t typical;    /* length of slices of any group lately; 0: not known */
};

/* The slice where the covariate is the clock, whose count is now at now. */
static inline struct mpxi_slice mpxi_slice_by_covariate(const struct mpxi_slice *slice, uint64_t now,
							uint64_t typical)
{
	return (struct mpxi_slice){
		.begin = now - slice->covariate, .end = now, .count = slice->count, .typical = typical};
}

/* A slice that is more than so many times as long as they typically are is long. */
#define MPXI_LONG 2

/* A stretch in which groups took fewer rounds of turns is a piece (pool.h). */
#define MPXI_ROUNDS 2

/* Lengths of the slices of all groups, whichever event they are of. Zeroed at first. */
struct mpxi_lengths {
	uint64_t slices;
	uint64_t last, typical; /* lengths; 0: there was none yet */
	uint64_t excess;        /* of long slices, above MPXI_LONG times the typical length */
	mpxi_u128 squares;      /* of lengths                                           */
	mpxi_u128 excesses;     /* squared, as excess is summed                         */
	mpxi_u128 steps;        /* of differences to the slice before                   */
	/* Time between groups of a thread that went on meanwhile, or did not: half of it is in T. */
	uint64_t between;
};

/*
 * Sums over slices; subtracting two of the same event gives those between. All grow
 * only, but for the signed ones. They saturate instead of wrapping, and what has
 * saturated once stays so: the estimate is then the ratio's, and rough.
 */
struct mpxi_sums {
	/* First what a plain read takes. */
	uint64_t count;  /* C_e                                         */
	uint64_t size;   /* S_e                                         */
	mpxi_i128 gap;   /* counts in gaps, in 2^-MPXI_GAP_BITS         */
	uint64_t slices; /* slices ended                                */
	/* Long slices: counts, sizes, and their excess over MPXI_LONG typical ones. */
	uint64_t long_count, long_size, excess;
	mpxi_u128 squares;  /* of sizes                                    */
	mpxi_u128 excesses; /* squared, as excess is summed                */
	uint64_t pairs;     /* slices that another one preceded            */
	uint64_t triples;   /* ... that two preceded                       */
	/* Interpolation: what its error is made of, in time (stat.c). */
	uint64_t weight, apart, lag_apart, held;
	mpxi_u128 steps; /* squared differences of slices that follow one another */
	mpxi_i128 lag;   /* products of two differences in turn                   */
	/* Products of second differences of c, a slice's count, and s, its size. */
	mpxi_i128 cc, cs, ss;
};

/* A slice as it is remembered; size 0: there was none. */
struct mpxi_past {
	uint64_t count, size;
};

/*
 * One event of the master event list. Zeroed, then mpxi_stat_open. The end of a slice touches all
 * but the last 16 of its 304 bytes.
 */
struct mpxi_stat {
	uint64_t gap_begin;   /* end of the last slice, or when it was opened        */
	uint64_t last_weight; /* of the last slice in the gaps beside it             */
	int64_t difference;   /* between the last two slices                         */
	struct mpxi_past last, previous;
	struct mpxi_sums sums;
	struct mpxi_past first; /* the slice by which the time before it is filled in */
};

/* A place in an event's history: where a set was started, or is read. */
struct mpxi_mark {
	uint64_t now;           /* T                                                   */
	uint64_t unfilled;      /* time before now that the first slice will fill in   */
	struct mpxi_sums sums;  /* with the running slice so far and the open gap      */
	struct mpxi_past first; /* the first slice as far as it is known, size 0: not yet */
};

/* The counts of one event in one event set and one stretch: from a start to a read or stop. */
struct mpxi_window {
	struct mpxi_sums sums;
	uint64_t time;    /* T: how long the set ran           */
	uint64_t unknown; /* time that no slice has filled in  */
	/* For sums of windows (pool.h); set by the caller, as what follows. */
	uint64_t turn;               /* number of the slice, of any group, in which it begins */
	uint64_t turns;              /* that ended in it                                      */
	unsigned source;             /* the thread, by a number of its own                    */
	bool continues;              /* the stretch before it ended in the same slice         */
	unsigned groups;             /* that took turns                                       */
	bool needs_no_turn;          /* the event would have been counted all the time anyhow */
	bool exact;                  /* counted all the time: N_e is C_e                      */
	struct mpxi_lengths lengths; /* of all slices in it, the running one included */
	/* The sums go by an event that is counted all the time, and not by the clock, by which the event
	 * was counted for clock_size of clock_time. */
	bool by_covariate;
	uint64_t clock_size, clock_time;
	uint64_t burden, burdens; /* delaying counts (burden.h): in the event's slices, in all */
	uint64_t lost;            /* time of the clock in which no group counted */
};

/* A stretch in which no slice has ended: what it comes to without the sums of a window. */
struct mpxi_piece {
	uint64_t count, size, time; /* C_e, S_e, T                                    */
	uint64_t turn, turns;       /* the slice that it begins in; those that ended in it */
	unsigned groups, source;    /* as of a window                                 */
	bool exact, needs_no_turn;
};

/* S_e and T in the clock, whatever the sums go by. */
static inline uint64_t mpxi_window_size(const struct mpxi_window *window)
{
	return window->by_covariate ? window->clock_size : window->sums.size;
}

static inline uint64_t mpxi_window_time(const struct mpxi_window *window)
{
	return window->by_covariate ? window->clock_time : window->time;
}

enum mpxi_estimator {
	MPXI_RATIO,        /* MPX section 4: C_e * T / S_e                            */
	MPXI_INTERPOLATED, /* rates between slices by those of the slices around them */
	MPXI_COVARIATE,    /* as MPXI_AUTO, of a window whose clock is an event      */
	MPXI_AUTO,         /* interpolated where slices are alike in length, else the ratio */
};

/* The inputs of an interval, at any level. */
struct mpxi_basis {
	double value, variance, floor, freedom;
	double count, part; /* C_e, in which part of the time                    */
	double sure;        /* counted where there was no need of an estimate    */
};

struct mpxi_estimate {
	double value;          /* N_e, not rounded; 0 and never set without a slice */
	double standard_error; /* of value; 0 when exact                            */
	double low, high;      /* at 95 % (level.h); low is not below C_e            */
	double coverage;       /* S_e / T, 0 to 1                                    */
	bool exact;
	bool never;              /* not counted in this window: value says nothing     */
	bool rough;              /* too few slices for an error that can be trusted    */
	bool uneven;             /* most of the error is what long slices of others may have in them */
	struct mpxi_basis basis; /* zero: exact, or never counted */
};

/* A slice of any group has ended. For handlers. */
void mpxi_lengths_add_sig(struct mpxi_lengths *lengths, uint64_t length);
/* Between two slices the program may have gone on for so long. For handlers. */
void mpxi_lengths_add_between_sig(struct mpxi_lengths *lengths, uint64_t time);
/* One that runs is so long by now: the step to the last one is not known yet. */
void mpxi_lengths_add_running(struct mpxi_lengths *lengths, uint64_t length);
/* Those between two places. */
void mpxi_lengths_between(struct mpxi_lengths *lengths, const struct mpxi_lengths *start,
			  const struct mpxi_lengths *end);
/* They differ so much from one to the next that filling in gaps by the slices beside them is off:
 * a program's phases make slices long. Nothing but lengths has a say in it. */
bool mpxi_lengths_differ(const struct mpxi_lengths *lengths);

/* The event becomes active at T = now, after a time of not being scheduled at all. */
void mpxi_stat_open(struct mpxi_stat *stat, uint64_t now);

/*
 * The event's group has counted a slice to its end. For handlers. spacing is zeroed at
 * first, and handed on from one event of the group to the next, which may need the same;
 * any other is right, and slower.
 */
void mpxi_stat_slice_sig(struct mpxi_stat *stat, const struct mpxi_slice *slice,
			 struct mpxi_spacing *spacing);

/*
 * A set starts at now; running is the event's slice so far, NULL when its group does
 * not run. Changes nothing in stat. The open gap is filled in up to now with what is
 * known, here as in a read, so that windows add up: N(A..C) = N(A..B) + N(B..C). A part of
 * the gap that is known later goes to the window that is open then, whose sum of gaps may be
 * negative for it; its estimate never is.
 */
void mpxi_stat_start(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		     struct mpxi_mark *mark);

/* A set is read or stopped at now. Changes nothing in stat. */
void mpxi_stat_read(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    struct mpxi_mark *mark);

/* Adds what lies between two marks of one event to a window (zeroed at first): the windows
 * A to B and B to C are the window A to C. */
void mpxi_window_add(struct mpxi_window *window, const struct mpxi_mark *start, const struct mpxi_mark *end);

/*
 * The estimate alone, without an error, as a line: between slices of its own an event's
 * estimate goes on evenly.
 */
struct mpxi_line {
	int64_t count; /* C_e                                       */
	double rest;   /* the part of the estimate that is not C_e  */
	double slope;  /* what rest grows by in a unit of time      */
};

/*
 * The estimate of mpxi_estimate for a set that has run since start, and its slope while the event's
 * group does not run; while the group runs the line holds at now only. False: the caller needs
 * mpxi_estimate, as with the covariate estimator, and for an event without an ended slice. Not for
 * handlers: floating point.
 */
bool mpxi_stat_line(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    const struct mpxi_mark *start, enum mpxi_estimator estimator, struct mpxi_line *line);

/* The line's value when so much time has gone by, as a whole number. */
static inline int64_t mpxi_line_value(const struct mpxi_line *line, uint64_t gone_by)
{
	const double most = 0x1p62;
	double rest = line->rest + line->slope * (double)(int64_t)gone_by + .5;

	/* count is below 2^62, too. A sum of gaps can be negative (mpxi_stat_start). */
	rest = rest < most ? rest : most;
	return line->count + (int64_t)(rest > 0 ? rest : 0);
}

/*
 * The one of an event's two windows of a stretch that its estimate is made of: by the clock, or by the
 * event that is counted all the time (NULL: there is none). Not for handlers: floating point.
 */
const struct mpxi_window *mpxi_window_choose(const struct mpxi_window *clock,
					     const struct mpxi_window *covariate,
					     enum mpxi_estimator estimator);

/* Not for handlers: floating point. */
void mpxi_estimate(const struct mpxi_window *window, enum mpxi_estimator estimator,
		   struct mpxi_estimate *estimate);
/* The interval anew, from quantiles: Student's, and the normal one for what is not known. */
void mpxi_estimate_interval(struct mpxi_estimate *estimate, double t, double z);
/* The interval has in it what an earlier read has given, which is not taken back. */
void mpxi_estimate_include(struct mpxi_estimate *estimate, long long given);

#endif
