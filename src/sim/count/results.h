/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results.h - a run's options and counts: one file that upc_run makes, and that the plugin
 * maps in every simulated process of the run.
 *
 * upc_run writes the options before the first process, and they do not change. Then every
 * process takes a record, every thread one, and only it writes there. Counts are brought up to date
 * when somebody asks (upcs_results_ask), and are whole when the thread has ended, however it did.
 *
 * The file lies in /dev/shm, is the user's alone (0600), and is gone when upc_run ends.
 * Fixed layout, little endian: plugin and upc_run are of one machine and one release.
 */
#ifndef UPCS_RESULTS_H
#define UPCS_RESULTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "decode/guest.h"
#include "decode/model.h"
#include "count/functions.h"
#include "decode/model.h"
#include "count/records.h"
#include "count/unknown.h"

#define UPCS_RESULTS_MAGIC UINT64_C(0x314d49535f435055)
#define UPCS_RESULTS_VERSION 2u
#define UPCS_RESULTS_AGE_MS 10 /* at most, of what a unit shows */
#define UPCS_REGIONS_MAX 15u
#define UPCS_PROCESSES_MAX 4096u
#define UPCS_THREADS_MAX 16384u
#define UPCS_WORD_MAX 256u

/* Whole program, then each region. */
#define UPCS_COLUMNS (1 + UPCS_REGIONS_MAX)

enum upcs_children {
	UPCS_CHILDREN_COUNT, /* forked ones and what they execute are simulated, and counted */
	UPCS_CHILDREN_OFF,   /* forked ones are not counted, and what they execute runs natively
				where the machine can */
};

#define UPCS_PREFIX_MAX 64u /* "/usr/" and the triplet of a row of guests.def */

struct upcs_options {
	uint32_t children; /* enum upcs_children */
	uint32_t regions;
	char region[UPCS_REGIONS_MAX][UPCS_WORD_MAX]; /* names of functions */
	char unit[UPCS_WORD_MAX];                     /* name of the shared node unit, "" none */
	uint32_t functions;                           /* each is counted by itself */
	uint32_t accounts;                            /* programs may have some (account.h) */
	uint32_t watched;                             /* somebody asks for counts while programs run */
	char plugin[PATH_MAX];                        /* the modules' directory, or the module */
	uint32_t interface[UPCS_GUESTS];  /* that the emulator has; 0: plugin is the module for it */
	char qemu[UPCS_GUESTS][PATH_MAX]; /* "" not installed            */
	/* The libraries' prefixes (-L): as they are installed, "" /; given, "" not, those of one guest. */
	char prefix[UPCS_GUESTS][UPCS_PREFIX_MAX], given_prefix[PATH_MAX];
	uint32_t given_guest;
	uint32_t randomise;   /* 0: addresses are the same in every run */
	uint32_t papi_always; /* programs are given papi's libpapi.so if they need none, too */
	char papi[PATH_MAX];  /* directory of the PAPIs that they are given, "" none */
};

static inline const char *upcs_options_prefix(const struct upcs_options *options, enum upcs_guest guest)
{
	return options->given_prefix[0] && options->given_guest == guest ? options->given_prefix
									 : options->prefix[guest];
}

/* Whether threads are followed from call to call. */
static inline bool upcs_options_follow(const struct upcs_options *options)
{
	return options->regions || options->accounts;
}

enum upcs_state {
	UPCS_FREE,
	UPCS_MAKING, /* taken, not written yet; whose it is stands above these bits (records.h) */
	UPCS_RUNS,
	UPCS_ENDED,
	UPCS_LOST, /* set by upc_run: its process died without a word; counts are whole all the same */
};

/*
 * The reasons why a number may not be exact, bit by bit; 0: it is exact. A number that is made of
 * several has the bits of all.
 */
enum upcs_doubt {
	UPCS_DOUBT_CUT = 1,       /* the thread ended within a block, whose rest counts as well */
	UPCS_DOUBT_UNWOUND = 2,   /* an exception left the region, and where it went on was seen later */
	UPCS_DOUBT_SWITCHED = 4,  /* the thread went to another stack, a coroutine's */
	UPCS_DOUBT_FORGOT = 8,    /* calls deeper, or from more places, than are kept */
	UPCS_DOUBT_HELPED = 16,   /* threads that it woke, or that outlived it, may work for the region */
	UPCS_DOUBT_UNPLACED = 32, /* a thread of a team worked for a region that could not be told */
	UPCS_DOUBT_MISSING = 64,  /* there are records missing (upc_run's) */
	UPCS_DOUBT_UNSEEN = 128,  /* its function was chosen (IFUNC) and not seen (upc_run's) */
	UPCS_DOUBT_LATE = 256,    /* it ended before its last counts were taken over (score.h) */
	UPCS_DOUBT_JUMPED = 512,  /* a jump that looked like a call left the region, and was seen later */
	UPCS_DOUBT_TWICE = 1024,  /* it was killed while its counts were moved: some may be there twice */
};
/* By these alone an upper bound; by all others alone a lower bound. */
#define UPCS_DOUBTS_HIGH (UPCS_DOUBT_CUT | UPCS_DOUBT_JUMPED | UPCS_DOUBT_TWICE)
/* No block adds more to a tally: 512 instructions (QEMU's TCG_MAX_INSNS), and 8 of each, as divisions of 256
 * bits. */
#define UPCS_BLOCK_TALLY_MAX 4096u

/* Exactness of a number, by its doubts. */
enum upcs_bound {
	UPCS_BOUND_EXACT,
	UPCS_BOUND_LOW,  /* the truth is this or more */
	UPCS_BOUND_HIGH, /* the truth is this or less */
	UPCS_BOUND_NONE, /* too much in one way and too little in another: it is no number to show */
};

static inline enum upcs_bound upcs_bound_of(unsigned doubt)
{
	const bool high = (doubt & UPCS_DOUBTS_HIGH) != 0, low = (doubt & ~(unsigned)UPCS_DOUBTS_HIGH) != 0;

	return high && low ? UPCS_BOUND_NONE
	       : high      ? UPCS_BOUND_HIGH
	       : low       ? UPCS_BOUND_LOW
			   : UPCS_BOUND_EXACT;
}

struct upcs_process {
	uint32_t state; /* enum upcs_state; release, acquire */
	uint32_t guest; /* enum upcs_guest */
	int32_t pid, parent;
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end 0: not yet */
	uint32_t threads;          /* so many were made */
	uint32_t unfolded;         /* threads with a record, regions of one, or blocks that found no place */
	uint32_t unshared;         /* /dev/shm was full: counts are its own, and gone if it is killed */
	uint32_t region_found;     /* bit per region: its function was seen in memory */
	uint32_t region_unseen;    /* bit per region: its function was chosen, and which one was not seen */
	uint32_t faults;    /* handlers of SIGSEGV and its like were set: blocks are counted by parts */
	uint32_t spins;     /* threads of OpenMP wait actively (waiting.h) */
	uint32_t serial;    /* how many had begun before it */
	uint32_t continues; /* it took the place of another, which it has settled: the same process */
	uint32_t settled;   /* another took its place; release, acquire */
	uint64_t space;     /* of process ids, the kernel's number for it; 0: not known */
	uint32_t left;      /* it executed a program that has not taken its place: not simulated */
	uint32_t unread;    /* set by upc_run: what it left could not be read */
	uint32_t died;      /* a thread ended within a block, and none sent a signal: by an instruction */
	char program[UPCS_WORD_MAX]; /* its path, or the end of a long one */
	/* The instruction that ends what was translated last, n 0: a jump. If it died of SIGILL, that. */
	struct upcs_code last;
};

struct upcs_thread {
	uint32_t state;   /* enum upcs_state; release, acquire */
	uint32_t process; /* index of its process */
	uint32_t number;  /* from 0, in the order in which its process made them */
	uint32_t core;    /* number mod UPCS_CORES */
	int32_t tid;
	uint32_t in_call;  /* it is in a system call: not within a block */
	uint32_t active;   /* bit per region in which it is */
	uint32_t suspect;  /* bit per region that it may have left, if it never shows that it is in it... */
	uint32_t switched; /* ...by a change of stacks */
	uint32_t scored;   /* its counts lie in the emulator's memory, and are taken over from there */
	uint32_t calls;    /* of the system, so many, modulo 2^32 */
	uint32_t taken;    /* all that it did before that call has been taken over */
	uint64_t raised;   /* INSTRUCTIONS when it last sent a signal, which may be what it dies of */
	uint32_t doubt[UPCS_COLUMNS]; /* bits of enum upcs_doubt, as in tally */
	/* 64 bits each, never torn; [0] the whole program, [1 + r] in region r. */
	uint64_t tally[UPCS_COLUMNS][UPCS_TALLIES];
	uint64_t entered[UPCS_REGIONS_MAX]; /* calls of the function from outside of it */
};

struct upcs_results {
	uint64_t magic;
	uint32_t version, layout; /* of this file, and of those of raw counts */
	struct upcs_options options;
	struct upcs_places processes, threads;
	uint32_t closed; /* upc_run has ended: who still runs leaves no file behind */
	uint32_t asked;  /* so often has somebody asked for counts; a futex */
	struct upcs_unknown unknown[UPCS_CODES_MAX]; /* what the decoder did not know first */
	struct upcs_process process[UPCS_PROCESSES_MAX];
	struct upcs_thread thread[UPCS_THREADS_MAX];
	struct upcs_functions functions; /* has memory where they are asked for */
};

/*
 * upc_run: makes the file, its options all zero but for the magic number. path has
 * UPCS_WORD_MAX characters; *lock is a descriptor which says that the run's owner lives
 * (leftover.h). NULL with errno where /dev/shm cannot do it; EFBIG: the process may not write
 * a file that large.
 */
struct upcs_results *upcs_results_create(char *path, int *lock);
/* When all processes have ended: takes in what those that were killed left behind, and marks them
 * UPCS_LOST. For who looks at the records themselves (ctests/sim/sim_count.c); upc_run gathers. */
void upcs_results_settle(struct upcs_results *results, const char *path);
/* Unmaps it, and removes the file and all that belongs to it: what processes that still run
 * make later, they remove themselves. */
void upcs_results_destroy(struct upcs_results *results, const char *path, int lock);

/* upc_run: counts are to be brought up to date, by all processes, and without waiting for it. */
void upcs_results_ask(struct upcs_results *results);
/* The caller's space of process ids; 0: nobody can tell. */
uint64_t upcs_results_space(void);

/* The plugin: NULL where it is not such a file, or of another release. */
struct upcs_results *upcs_results_open(const char *path);
bool upcs_results_are_closed(const struct upcs_results *results);
/* How often it was asked for; and waits until it is more often, for so many ns at most (-1: for
 * ever). */
uint32_t upcs_results_asked(const struct upcs_results *results);
void upcs_results_wait(struct upcs_results *results, uint32_t asked, int64_t ns);

/* How many records there are to look at; the file may be anything. */
static inline uint32_t upcs_places_there(const struct upcs_places *places, uint32_t max)
{
	/* Partner: who makes one more. After closed: see upcs_results_destroy. */
	uint32_t n = __atomic_load_n(&places->there, __ATOMIC_SEQ_CST);

	return n < max ? n : max;
}

static inline uint32_t upcs_results_processes(const struct upcs_results *results)
{
	return upcs_places_there(&results->processes, UPCS_PROCESSES_MAX);
}

static inline uint32_t upcs_results_threads(const struct upcs_results *results)
{
	return upcs_places_there(&results->threads, UPCS_THREADS_MAX);
}

/* A record's state, without its maker. Fields that were written before the state can be read behind it. */
static inline enum upcs_state upcs_results_state(const uint32_t *state)
{
	return (enum upcs_state)(__atomic_load_n(state, __ATOMIC_ACQUIRE) & ((1u << UPCS_STATE_BITS) - 1));
}

#endif
