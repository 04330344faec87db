/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_scale.h - what the parts of mpx_scale share: system calls whose true counts are
 * known, and what the checks have found.
 */
#ifndef MPX_SCALE_H
#define MPX_SCALE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpx.h"

/* Known events: system calls that nothing in this process makes but scale_work. The first
 * one is the covariate, which is counted beside every group: it is exact in every set. */
enum { SCALE_KNOWN = 14, SCALE_GROUP = 8 };

struct scale_options {
	unsigned seconds, sets, events, threads;
};

/* How often a thread has made each of the known calls. */
struct scale_truth {
	uint64_t count[SCALE_KNOWN];
};

/* The score of one thread, then of all. */
struct scale_score {
	uint64_t exact, wrong;             /* values that are to be equal to the truth      */
	uint64_t estimates, held;          /* intervals, and those that have the truth      */
	uint64_t rough, rough_held, never; /* estimates that say that they are worth little */
	uint64_t starts, reads, slices, lost, put_off;
	double start_ns, read_ns; /* in all starts, in all reads                   */
};

/* Calls of the first kind that all threads have begun, and ended. */
extern atomic_ullong scale_begun, scale_ended;
extern atomic_uint scale_failures;

void scale_check(int error, const char *what);
/* One more failure: the first ones are printed. */
void scale_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* PAPI's name of a known event; without the prefix it is a tracepoint's. */
const char *scale_name(unsigned known);
/* Each call so many times. */
void scale_work(struct scale_truth *truth, unsigned times);
/* Holds an estimate against the truth. */
void scale_judge(struct scale_score *score, const struct mpx_estimate *estimate, uint64_t truth,
		 const char *who);
void scale_add(struct scale_score *sum, const struct scale_score *part);
/* Adds the library's information on the calling thread. */
void scale_thread_info(struct scale_score *score);

/* Descriptors and memory of the process. */
struct scale_size {
	unsigned descriptors;
	double rss, heap; /* bytes */
};
struct scale_size scale_size(void);

/* ---- mpx_scale_sets.c: the thread that has the many sets ---------------------------------- */

/* Chooses the events, makes the sets and starts all. */
void scale_sets_start(const struct scale_options *options);
/* Reads and stops one after the other, and starts it again, until it is told to end. */
void scale_sets_turn(const atomic_bool *end);
void scale_sets_stop(struct scale_score *score);
struct scale_sets_info {
	unsigned events, refused; /* taken; that could not be counted */
	unsigned groups;          /* that took turns                  */
	uint64_t stopped;         /* sets, and started again          */
	size_t memory;            /* that the library keeps for it    */
	double made_s, closed_s;
};
struct scale_sets_info scale_sets_info(void);

/* ---- mpx_scale_threads.c: threads that come and go, and who starts them ------------------- */

struct scale_threads {
	const struct scale_options *options;
	uint64_t made;
	struct scale_score score;
	/* Before there were any; with all of the first generation; when these had ended, which
	 * were settled_at; when all had. */
	struct scale_size empty, full, settled, last;
	double settled_at;
	double thread_memory; /* bytes that the library keeps for one, mean of all at once */
	/* The process-wide set: reads, those that not all have answered, and what it has. */
	uint64_t sum_reads, unanswered;
	double sum_ns, sum_most_ns;
	struct mpx_estimate sum[2];
};

/* The process-wide set, started. All calls are the same thread's. */
void scale_threads_start(void);
void scale_threads_churn(struct scale_threads *threads);
/* When no thread works any more. */
void scale_threads_stop(struct scale_threads *threads);

#endif
