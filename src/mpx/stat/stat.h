/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat.h - the sums that the core keeps of one event's time slices, and how the part that belongs to one
 * event set is computed from them.
 *
 * Terms:
 * - T: the counted time of a thread: the slices of all groups laid end to end, in the clock's unit (cycles
 *   or ns of CPU time).
 * - slice: a time for which one group of events is counted before the next group has its turn. A slice of
 *   an event is an interval [begin, end) of T; its length is its size.
 * - gap: the time between two slices of an event, in which the slices of other groups lie; estimates fill
 *   it in.
 * - C_e, S_e, N_e: an event's counts in its slices, the time of these slices, and the estimate of its
 *   counts in all of T.
 * - covariate: an event that is counted in every group. Its count can replace T (a window "by the
 *   covariate").
 * - stretch: the time from a start, reset or take of an event set to the next one, or to the stop.
 * - mark: the sums of an event at the begin of a stretch or at a read. window: the difference of two marks.
 * - round: one turn of each group that takes turns. piece: a stretch of less than MPXI_ROUNDS rounds.
 * - pool: the sums over many stretches (pool.h).
 * - long slice: more than MPXI_LONG typical lengths; excess: the part of its length beyond that.
 * - exact: counted all the time, so that N_e is C_e.
 * - noise, change: differences between consecutive slices that cancel out later, or that last.
 * - burden: counts of events that delay the program, such as tracepoints (burden.h).
 * - rate: counts per unit of T.
 *
 * The code is pure: it reads no clock and makes no system call.
 *
 * Everything except estimates uses integers, since a signal handler adds the slices to the sums. Sums only
 * grow, so the counts of an event set are the difference of two marks (MPX, section 5.2: the values
 * recorded at its start are subtracted).
 */
#ifndef MPXI_STAT_H
#define MPXI_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/spacing.h"

struct mpxi_slice {
	uint64_t begin, end; /* in T */
	uint64_t covariate;  /* growth of the covariate in the slice */
	uint64_t count;      /* count of this event in the slice */
	uint64_t typical;    /* recent typical slice length of any group; 0: unknown */
};

/* Convert a slice that ends at the present to the covariate as clock: begin and end become values of the
 * covariate's count, which is `now' at present. */
static inline struct mpxi_slice mpxi_slice_by_covariate(const struct mpxi_slice *slice, uint64_t now,
							uint64_t typical)
{
	return (struct mpxi_slice){
		.begin = now - slice->covariate, .end = now, .count = slice->count, .typical = typical};
}

/* A slice is long if it is longer than this multiple of the typical length. */
#define MPXI_LONG 2

/* A stretch in which the groups took fewer rounds is a piece (pool.h). */
#define MPXI_ROUNDS 2

/* Lengths of the slices of all groups. Must be zeroed at first. */
struct mpxi_lengths {
	uint64_t slices;
	uint64_t last, typical; /* length of the last slice; typical length; 0: no slice yet */
	uint64_t excess;        /* sum over long slices of the length beyond MPXI_LONG typical lengths */
	mpxi_u128 squares;      /* sum of squared lengths */
	mpxi_u128 excesses;     /* sum of squares of the terms of excess */
	mpxi_u128 steps;        /* sum of squared differences between the lengths of consecutive slices */
	/* Time between slices, if the counted thread is another thread, which may have continued while
	 * its groups changed. T includes half of this time. */
	uint64_t between;
};

/*
 * Sums over an event's slices. The difference of two states of the sums is the sum over the slices between
 * them. All except the signed sums only grow. A sum saturates instead of wrapping, and a saturated sum
 * stays saturated. The estimate is then computed by MPXI_RATIO, and is rough.
 */
struct mpxi_sums {
	/* The fields that an estimate without an error (mpxi_stat_line) needs come first. */
	uint64_t count;  /* C_e                                         */
	uint64_t size;   /* S_e                                         */
	mpxi_i128 gap;   /* estimated counts in gaps, in units of 2^-MPXI_GAP_BITS */
	uint64_t slices; /* ended slices */
	/* Sums over long slices: counts, sizes, and the length beyond MPXI_LONG typical lengths. */
	uint64_t long_count, long_size, excess;
	mpxi_u128 squares;  /* sum of squared sizes */
	mpxi_u128 excesses; /* sum of squares of the terms of excess */
	uint64_t pairs;     /* number of slices that follow another slice */
	uint64_t triples;   /* number of slices that follow two other slices */
	/* Terms for the error of the interpolation, in units of time (stat.c). */
	uint64_t weight, apart, lag_apart, held;
	mpxi_u128 steps; /* squared differences u of consecutive slices, scaled (stat.c) */
	mpxi_i128 lag;   /* products of two consecutive differences u */
	/* Sums of products of second differences over three consecutive slices, of their counts c and
	 * their sizes s. */
	mpxi_i128 cc, cs, ss;
};

/* An earlier slice; size 0: there was no such slice. */
struct mpxi_past {
	uint64_t count, size;
};

/*
 * The sums of one event, and the state that adding a slice needs. Must be zeroed, then opened with
 * mpxi_stat_open. The end of a slice accesses all but the last 16 of its 304 bytes.
 */
struct mpxi_stat {
	uint64_t gap_begin;   /* T at the end of the last slice or at mpxi_stat_open */
	uint64_t last_weight; /* weight of the last slice in the gap before it */
	int64_t difference;   /* difference u (stat.c) between the last two slices */
	struct mpxi_past last, previous;
	struct mpxi_sums sums;
	struct mpxi_past first; /* first slice since mpxi_stat_open; its rate fills in the time before it */
};

/* The state of an event's sums at the begin of a stretch, or at a read. */
struct mpxi_mark {
	uint64_t now; /* T                                                   */
	/* time before now that only the first slice, which is still to come, can fill in */
	uint64_t unfilled;
	struct mpxi_sums sums;  /* including the running slice so far and the open gap */
	struct mpxi_past first; /* first slice so far; size 0: none yet */
};

/* The counts of one event of one event set, from the begin of a stretch to a read or to the stretch's
 * end. */
struct mpxi_window {
	struct mpxi_sums sums;
	uint64_t time;    /* growth of T in the stretch */
	uint64_t unknown; /* time that could not be filled in, since the event has had no slice yet */
	/* The caller sets this field and the following ones, which sums of windows need (pool.h). */
	uint64_t turn;   /* number of the slice, counting slices of all groups, in which the stretch begins */
	uint64_t turns;  /* number of slices that ended in it */
	unsigned source; /* number of the core, and so of the thread, that counted */
	bool continues;  /* the set's previous stretch ended in the slice in which this stretch begins */
	unsigned groups; /* number of groups that took turns */
	bool needs_no_turn;          /* no other group took turns with the event's group */
	bool exact;                  /* counted all the time: N_e is C_e                      */
	struct mpxi_lengths lengths; /* lengths of all slices in the stretch, including the running slice */
	/* by_covariate: the sums have the covariate's count in place of T. In T, the event was counted
	 * for clock_size of clock_time. */
	bool by_covariate;
	uint64_t clock_size, clock_time;
	/* counts that delay the program (burden.h): in the event's slices, and in all slices */
	uint64_t burden, burdens;
	uint64_t lost; /* part of T in which no group counted */
};

/* A stretch in which no slice has ended: only its totals, since the other sums of a window are zero. */
struct mpxi_piece {
	uint64_t count, size, time; /* C_e, S_e, T                                    */
	uint64_t turn, turns; /* number of the slice in which it begins; number of slices that ended in it */
	unsigned groups, source; /* as in a window */
	bool exact, needs_no_turn;
};

/* Return S_e, and the growth of T, by the clock, even if the window's sums are by the covariate. */
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
	MPXI_INTERPOLATED, /* fills each gap in with the rate of the slices next to it */
	MPXI_COVARIATE,    /* as MPXI_AUTO, for a window by covariate */
	MPXI_AUTO,         /* MPXI_INTERPOLATED if slice lengths are alike, else a form of MPXI_RATIO */
};

/* The numbers from which an interval is computed, at any confidence level. */
struct mpxi_basis {
	double value, variance, floor, freedom;
	double count, part; /* C_e, and the share of the time in which the event was counted */
	double sure;        /* counts that needed no estimate; value, count and part do not include them */
};

struct mpxi_estimate {
	double value;          /* N_e, not rounded; if never is set, 0 */
	double standard_error; /* standard error of value; 0 when exact */
	double low, high;      /* 95 % interval, or another (level.h); low is at least C_e */
	double coverage;       /* S_e / T, 0 to 1                                    */
	bool exact;
	bool never;  /* the event was not counted in the window: value has no meaning */
	bool rough;  /* too few slices for a trustworthy error */
	bool uneven; /* most of the error comes from long slices of other events, whose counts are unknown */
	struct mpxi_basis basis; /* zero if exact or never */
};

/* Add the length of an ended slice of any group. For handlers. */
void mpxi_lengths_add_sig(struct mpxi_lengths *lengths, uint64_t length);
/* Add the time between two slices in which the program may have continued. For handlers. */
void mpxi_lengths_add_between_sig(struct mpxi_lengths *lengths, uint64_t time);
/* Add a running slice with its length so far. steps does not change, since the slice's final length is
 * not known yet. */
void mpxi_lengths_add_running(struct mpxi_lengths *lengths, uint64_t length);
/* Compute the sums of lengths between two states. */
void mpxi_lengths_between(struct mpxi_lengths *lengths, const struct mpxi_lengths *start,
			  const struct mpxi_lengths *end);
/* True if the lengths of consecutive slices differ so much that filling in gaps from the slices next to
 * them is biased. Such lengths arise when a program's phases make slices long. Uses only the lengths,
 * not the event's counts. */
bool mpxi_lengths_differ(const struct mpxi_lengths *lengths);

/* Continue the event's sums when the event becomes active at T = now, after a time in which it was not
 * active, which does not become a gap. */
void mpxi_stat_open(struct mpxi_stat *stat, uint64_t now);

/*
 * Add a slice that has ended to the event's sums. For handlers. spacing must be zeroed for the first event
 * of a group, and is passed from one event to the next, which may need the same terms. Any other content
 * gives the right result, too, but more slowly.
 */
void mpxi_stat_slice_sig(struct mpxi_stat *stat, const struct mpxi_slice *slice,
			 struct mpxi_spacing *spacing);

/*
 * Compute the mark for the begin of a stretch at T = now. running is the event's slice so far, or NULL if
 * its group does not run. stat does not change. The gap since the event's last slice is filled in up to now
 * with the rate of that slice, as at a read, so that windows add up: N(A..C) = N(A..B) + N(B..C). The next
 * slice corrects this. The correction belongs to the window in which the next slice ends, so the sum of a
 * window's gaps may be negative; its estimate never is.
 */
void mpxi_stat_start(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		     struct mpxi_mark *mark);

/* Compute the mark for a read or stop at T = now. stat does not change. */
void mpxi_stat_read(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    struct mpxi_mark *mark);

/* Add the difference of two marks of one event to a window (zeroed at first). The windows A to B and B to C
 * add up to the window A to C. */
void mpxi_window_add(struct mpxi_window *window, const struct mpxi_mark *start, const struct mpxi_mark *end);

/* An estimate without its error, as a straight line: in a gap of an event its estimate grows linearly
 * with T. */
struct mpxi_line {
	int64_t count; /* C_e                                       */
	double rest;   /* estimate minus C_e at the time of the call */
	double slope;  /* growth of rest per unit of T */
};

/*
 * Compute the value that mpxi_estimate would return for the stretch from start to now, and the value's
 * slope while the event's group does not run. While the group runs, the line is valid at now only. Return
 * false if the caller must use mpxi_estimate, for example because of the covariate estimator, or for an
 * event without an ended slice. Not for handlers: floating point.
 */
bool mpxi_stat_line(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    const struct mpxi_mark *start, enum mpxi_estimator estimator, struct mpxi_line *line);

/* Return the line's value at T = now + gone_by, where now is that of mpxi_stat_line, as an integer. */
static inline int64_t mpxi_line_value(const struct mpxi_line *line, uint64_t gone_by)
{
	const double most = 0x1p62;
	double rest = line->rest + line->slope * (double)(int64_t)gone_by + .5;

	/* The sum below cannot overflow, since count is below 2^62, too. rest can be negative
	 * (mpxi_stat_start). */
	rest = rest < most ? rest : most;
	return line->count + (int64_t)(rest > 0 ? rest : 0);
}

/*
 * Return the window that the estimate of a stretch should use: the window by the clock, or the window by
 * the covariate (NULL: there is none). Not for handlers: floating point.
 */
const struct mpxi_window *mpxi_window_choose(const struct mpxi_window *clock,
					     const struct mpxi_window *covariate,
					     enum mpxi_estimator estimator);

/* Estimate the true count from a window. Not for handlers: floating point. */
void mpxi_estimate(const struct mpxi_window *window, enum mpxi_estimator estimator,
		   struct mpxi_estimate *estimate);
/* Recompute the interval from two quantiles: t, of Student's distribution, for the variance that was
 * estimated from the slices, and z, of the normal distribution, for the lower bound of the variance
 * (basis.floor). */
void mpxi_estimate_interval(struct mpxi_estimate *estimate, double t, double z);
/* Extend the interval so that it contains `given', the value that an earlier read returned. */
void mpxi_estimate_include(struct mpxi_estimate *estimate, long long given);

#endif
