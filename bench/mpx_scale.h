/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_scale.h - declarations that the parts of mpx_scale share: system calls whose true counts are known, and
 * the results of the checks.
 */
#ifndef MPX_SCALE_H
#define MPX_SCALE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpx.h"

/* SCALE_KNOWN known events: system calls that only scale_work makes. The first one is the covariate, which is
 * counted together with every group, so its count is exact in every set. */
enum { SCALE_KNOWN = 14, SCALE_GROUP = 8 };

struct scale_options {
	unsigned seconds, sets, events, threads;
};

/* How often a thread has made each of the known calls. */
struct scale_truth {
	uint64_t count[SCALE_KNOWN];
};

/* The score of one thread, or the sum over all threads. */
struct scale_score {
	uint64_t exact, wrong;             /* values that must equal the truth, and those that do not */
	uint64_t estimates, held;          /* intervals, and those that contain the truth */
	uint64_t rough, rough_held, never; /* estimates that are flagged as rough or uncounted */
	uint64_t starts, reads, slices, lost, put_off;
	double start_ns, read_ns; /* time of all starts, of all reads */
};

/* Calls of the first known event that all threads have begun, and completed. */
extern atomic_ullong scale_begun, scale_ended;
extern atomic_uint scale_failures;

void scale_check(int error, const char *what);
/* Count a failure; print the first ones. */
void scale_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Return PAPI's name of a known event, a prefix and the tracepoint's name. */
const char *scale_name(unsigned known);
/* Make each known call this many times, and count them in truth. */
void scale_work(struct scale_truth *truth, unsigned times);
/* Compare an estimate with the truth, and add the result to the score. */
void scale_judge(struct scale_score *score, const struct mpx_estimate *estimate, uint64_t truth,
		 const char *who);
void scale_add(struct scale_score *sum, const struct scale_score *part);
/* Add the library's information on the calling thread. */
void scale_thread_info(struct scale_score *score);

/* Open descriptors and memory of the process. */
struct scale_size {
	unsigned descriptors;
	double rss, heap; /* bytes */
};
struct scale_size scale_size(void);

/* ---- mpx_scale_sets.c: the thread with the many sets -------------------------------------- */

/* Choose the events, create the sets and start all of them. */
void scale_sets_start(const struct scale_options *options);
/* Read, stop and restart one set after the other until *end is true. */
void scale_sets_turn(const atomic_bool *end);
void scale_sets_stop(struct scale_score *score);
struct scale_sets_info {
	unsigned events, refused; /* events in use; events that could not be counted */
	unsigned groups;          /* multiplexed groups */
	uint64_t stopped;         /* how often a set was stopped and restarted */
	size_t memory;            /* bytes that the library keeps for the thread */
	double made_s, closed_s;
};
struct scale_sets_info scale_sets_info(void);

/* ---- mpx_scale_threads.c: short-lived threads, and the thread that starts them ------------ */

struct scale_threads {
	const struct scale_options *options;
	uint64_t made;
	struct scale_score score;
	/* Sizes before the first thread; with the whole first generation; after this generation has ended,
	 * which had settled_at threads; and after all threads have ended. */
	struct scale_size empty, full, settled, last;
	double settled_at;
	double thread_memory; /* bytes that the library keeps for a thread, mean of the first generation */
	/* The process-wide set: its reads, reads that some threads did not answer, ns in all reads and in the
	 * longest, and its estimates. */
	uint64_t sum_reads, unanswered;
	double sum_ns, sum_most_ns;
	struct mpx_estimate sum[2];
};

/* Create and start the process-wide set. The same thread makes all scale_threads calls. */
void scale_threads_start(void);
void scale_threads_churn(struct scale_threads *threads);
/* Stop and check the process-wide set, after all threads have ended their work. */
void scale_threads_stop(struct scale_threads *threads);

#endif
