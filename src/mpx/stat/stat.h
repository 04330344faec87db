/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat.h - the sums that the core keeps of one event's time slices, and how the part that belongs to
 * one event set is cut out. Pure: no clock, no system call.
 *
 * Time is the thread's counted time T: the slices of all groups laid end to end, in the backend's clock. A
 * slice of an event is [begin, end) on it. Between two slices of an event lie the slices of other groups,
 * its gap.
 *
 * Everything except estimates uses integers, since a signal handler enters the slices. Sums only grow, so
 * the counts of an event set are the difference of two marks (MPX, section 5.2: the values recorded at its
 * start are subtracted).
 */
#ifndef MPXI_STAT_H
#define MPXI_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/spacing.h"

struct mpxi_slice {
	uint64_t begin, end; /* in the thread's counted time T */
	uint64_t covariate;  /* growth of the covariate in the slice */
	uint64_t count;      /* count of this event in the slice */
	uint64_t typical;    /* recent typical slice length of any group; 0: unknown */
};

/* Convert a slice to the covariate as clock, whose count is now `now'. */
static inline struct mpxi_slice mpxi_slice_by_covariate(const struct mpxi_slice *slice, uint64_t now,
							uint64_t typical)
{
	return (struct mpxi_slice){
		.begin = now - slice->covariate, .end = now, .count = slice->count, .typical = typical};
}

/* A slice is long if it exceeds this multiple of the typical length. */
#define MPXI_LONG 2

/* A stretch in which the groups took fewer rounds of turns is a piece (pool.h). */
#define MPXI_ROUNDS 2

/* Lengths of the slices of all groups, of any event. Must be zeroed at first. */
struct mpxi_lengths {
	uint64_t slices;
	uint64_t last, typical; /* lengths; 0: no slice yet */
	uint64_t excess;        /* sum over long slices of the length above MPXI_LONG typical ones */
	mpxi_u128 squares;      /* sum of squared lengths */
	mpxi_u128 excesses;     /* sum of squares of the terms of excess */
	mpxi_u128 steps;        /* sum of squared differences to the previous slice */
	/* Time between the groups of an attached thread, which may have continued meanwhile. T includes
	 * half of it. */
	uint64_t between;
};

/*
 * Sums over slices; the difference of two of the same event is the sum between them. All except the signed
 * ones only grow. They saturate instead of wrapping, and a saturated sum stays saturated: the estimate is
 * then the ratio's, and rough.
 */
struct mpxi_sums {
	/* The fields that a plain read needs come first. */
	uint64_t count;  /* C_e                                         */
	uint64_t size;   /* S_e                                         */
	mpxi_i128 gap;   /* counts in gaps, in 2^-MPXI_GAP_BITS         */
	uint64_t slices; /* ended slices */
	/* Long slices: counts, sizes, and their excess over MPXI_LONG typical ones. */
	uint64_t long_count, long_size, excess;
	mpxi_u128 squares;  /* sum of squared sizes */
	mpxi_u128 excesses; /* sum of squares of the terms of excess */
	uint64_t pairs;     /* slices that follow another one */
	uint64_t triples;   /* slices that follow two others */
	/* Terms for the error of the interpolation, in time (stat.c). */
	uint64_t weight, apart, lag_apart, held;
	mpxi_u128 steps; /* squared differences of consecutive slices */
	mpxi_i128 lag;   /* products of two consecutive differences */
	/* Products of second differences of c, a slice's count, and s, its size. */
	mpxi_i128 cc, cs, ss;
};

/* An earlier slice; size 0: there was none. */
struct mpxi_past {
	uint64_t count, size;
};

/*
 * One event of the master event list. Must be zeroed, then opened with mpxi_stat_open. The end of a slice
 * accesses all but the last 16 of its 304 bytes.
 */
struct mpxi_stat {
	uint64_t gap_begin;   /* end of the last slice, or time of mpxi_stat_open */
	uint64_t last_weight; /* weight of the last slice in the gaps next to it */
	int64_t difference;   /* between the last two slices                         */
	struct mpxi_past last, previous;
	struct mpxi_sums sums;
	struct mpxi_past first; /* first slice, whose rate fills in the time before it */
};

/* A point in an event's history: the start of a set, or a read. */
struct mpxi_mark {
	uint64_t now;           /* T                                                   */
	uint64_t unfilled;      /* time before now that the first slice will fill in */
	struct mpxi_sums sums;  /* including the running slice so far and the open gap */
	struct mpxi_past first; /* first slice as far as known; size 0: none yet */
};

/* The counts of one event in one event set and one stretch: from a start to a read or stop. */
struct mpxi_window {
	struct mpxi_sums sums;
	uint64_t time;    /* T: time that the set ran */
	uint64_t unknown; /* time that no slice has filled in */
	/* For sums of windows (pool.h); the caller sets this field and the following ones. */
	uint64_t turn;               /* number of the slice, of any group, in which it begins */
	uint64_t turns;              /* number of slices that ended in it */
	unsigned source;             /* unique number of the thread */
	bool continues;              /* the stretch before it ended in the same slice */
	unsigned groups;             /* number of groups that took turns */
	bool needs_no_turn;          /* the event would have been counted all the time anyway */
	bool exact;                  /* counted all the time: N_e is C_e                      */
	struct mpxi_lengths lengths; /* of all slices in it, including the running one */
	/* The sums use the covariate instead of the clock. By the clock, the event was counted for
	 * clock_size of clock_time. */
	bool by_covariate;
	uint64_t clock_size, clock_time;
	uint64_t burden, burdens; /* delaying counts (burden.h): in the event's slices, and in all */
	uint64_t lost;            /* clock time in which no group counted */
};

/* A stretch in which no slice has ended: its totals, without the sums of a window. */
struct mpxi_piece {
	uint64_t count, size, time; /* C_e, S_e, T                                    */
	uint64_t turn, turns;       /* slice in which it begins; number of slices that ended in it */
	unsigned groups, source;    /* as of a window                                 */
	bool exact, needs_no_turn;
};

/* Return S_e and T in the clock, even if the sums use the covariate. */
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
	MPXI_INTERPOLATED, /* interpolates between slices with the rates of the neighbouring slices */
	MPXI_COVARIATE,    /* as MPXI_AUTO, for a window by covariate */
	MPXI_AUTO,         /* interpolated if slice lengths are alike, else the ratio */
};

/* The inputs of an interval, at any level. */
struct mpxi_basis {
	double value, variance, floor, freedom;
	double count, part; /* C_e, and the share of the time in which it was counted */
	double sure;        /* count that needed no estimate */
};

struct mpxi_estimate {
	double value;          /* N_e, not rounded; 0 with never set if there is no slice */
	double standard_error; /* standard error of value; 0 when exact */
	double low, high;      /* 95 % (level.h); low is at least C_e */
	double coverage;       /* S_e / T, 0 to 1                                    */
	bool exact;
	bool never;              /* not counted in this window: value has no meaning */
	bool rough;              /* too few slices for a trustworthy error */
	bool uneven;             /* most of the error is what other events' long slices may contain */
	struct mpxi_basis basis; /* zero if exact or never */
};

/* Add the length of an ended slice of any group. For handlers. */
void mpxi_lengths_add_sig(struct mpxi_lengths *lengths, uint64_t length);
/* Add the time between two slices in which the program may have continued. For handlers. */
void mpxi_lengths_add_between_sig(struct mpxi_lengths *lengths, uint64_t time);
/* Add a running slice of this length so far. Its difference to the last slice is not known yet. */
void mpxi_lengths_add_running(struct mpxi_lengths *lengths, uint64_t length);
/* Compute the lengths between two points. */
void mpxi_lengths_between(struct mpxi_lengths *lengths, const struct mpxi_lengths *start,
			  const struct mpxi_lengths *end);
/* True if consecutive lengths differ so much that filling in gaps from neighbouring slices is biased, since
 * a program's phases make slices long. Depends on nothing but lengths. */
bool mpxi_lengths_differ(const struct mpxi_lengths *lengths);

/* Open the event's sums when it becomes active at T = now, after a time in which it was not scheduled at
 * all. */
void mpxi_stat_open(struct mpxi_stat *stat, uint64_t now);

/*
 * Enter a slice that the event's group has ended. For handlers. spacing must be zeroed at first, and is
 * passed from one event of the group to the next, which may need the same terms; any other content is also
 * right, but slower.
 */
void mpxi_stat_slice_sig(struct mpxi_stat *stat, const struct mpxi_slice *slice,
			 struct mpxi_spacing *spacing);

/*
 * Mark the start of a set at now. running is the event's slice so far, or NULL if its group does not run.
 * stat does not change. The open gap is filled in up to now with what is known, here as in a read, so that
 * windows add up: N(A..C) = N(A..B) + N(B..C). A later correction of the gap goes to the window that is
 * open then, so the sum of its gaps may be negative; its estimate never is.
 */
void mpxi_stat_start(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		     struct mpxi_mark *mark);

/* Mark a read or stop of a set at now. stat does not change. */
void mpxi_stat_read(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    struct mpxi_mark *mark);

/* Add the difference of two marks of one event to a window (zeroed at first). The windows A to B and B to C
 * add up to the window A to C. */
void mpxi_window_add(struct mpxi_window *window, const struct mpxi_mark *start, const struct mpxi_mark *end);

/* The estimate alone, without an error, as a line: between an event's slices its estimate grows linearly. */
struct mpxi_line {
	int64_t count; /* C_e                                       */
	double rest;   /* estimate minus C_e */
	double slope;  /* growth of rest per unit of time */
};

/*
 * Compute the estimate of mpxi_estimate for a set that has run since start, and its slope while the event's
 * group does not run. While the group runs, the line is valid at now only. False: the caller must use
 * mpxi_estimate, for example with the covariate estimator, or for an event without an ended slice. Not for
 * handlers: floating point.
 */
bool mpxi_stat_line(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    const struct mpxi_mark *start, enum mpxi_estimator estimator, struct mpxi_line *line);

/* Return the line's value after the time gone_by, as an integer. */
static inline int64_t mpxi_line_value(const struct mpxi_line *line, uint64_t gone_by)
{
	const double most = 0x1p62;
	double rest = line->rest + line->slope * (double)(int64_t)gone_by + .5;

	/* count is below 2^62, too. A sum of gaps can be negative (mpxi_stat_start). */
	rest = rest < most ? rest : most;
	return line->count + (int64_t)(rest > 0 ? rest : 0);
}

/*
 * Return the window of a stretch that the estimate should use: the one by the clock, or the one by the
 * covariate (NULL: none). Not for handlers: floating point.
 */
const struct mpxi_window *mpxi_window_choose(const struct mpxi_window *clock,
					     const struct mpxi_window *covariate,
					     enum mpxi_estimator estimator);

/* Estimate the true count from a window. Not for handlers: floating point. */
void mpxi_estimate(const struct mpxi_window *window, enum mpxi_estimator estimator,
		   struct mpxi_estimate *estimate);
/* Recompute the interval from quantiles: t is Student's, and z the normal one for what is not known from
 * data. */
void mpxi_estimate_interval(struct mpxi_estimate *estimate, double t, double z);
/* Extend the interval to contain the value that an earlier read returned. */
void mpxi_estimate_include(struct mpxi_estimate *estimate, long long given);

#endif
