/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results.h - a run's options and counts, in one file that upc_run makes and that the plugin maps in every
 * simulated process of the run.
 *
 * upc_run writes the options before the first process starts, and never changes them. Every process and every
 * thread takes a record, which only its owner writes. Counts are updated on request (upcs_results_ask), and
 * are complete when the thread has ended, however it ended.
 *
 * The file lies in /dev/shm with mode 0600, and is removed when upc_run ends. Its layout is fixed and little
 * endian: plugin and upc_run are of the same machine and release. "release, acquire" in the comment of a
 * field means that the field is stored with release order and loaded with acquire order.
 *
 * Terms: count/thread.h.
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
#define UPCS_RESULTS_AGE_MS 10 /* greatest age of the counts that a unit shows */
#define UPCS_REGIONS_MAX 15u
#define UPCS_PROCESSES_MAX 4096u
#define UPCS_THREADS_MAX 16384u
#define UPCS_WORD_MAX 256u

/* Column 0 is the whole program, the others are regions. */
#define UPCS_COLUMNS (1 + UPCS_REGIONS_MAX)

enum upcs_children {
	UPCS_CHILDREN_COUNT, /* forked children and their programs are simulated and counted */
	UPCS_CHILDREN_OFF,   /* children are not counted, and execute programs natively if the machine can */
};

#define UPCS_PREFIX_MAX 64u /* holds "/usr/" and the triplet of a row of guests.def */

struct upcs_options {
	uint32_t children; /* enum upcs_children */
	uint32_t regions;
	char region[UPCS_REGIONS_MAX][UPCS_WORD_MAX]; /* names of functions */
	char unit[UPCS_WORD_MAX];                     /* name of the shared node unit; "": none */
	uint32_t functions;                           /* 1: count each function separately */
	uint32_t accounts;                            /* 1: programs may use accounts (account.h) */
	uint32_t watched;                             /* 1: counts are read while programs run */
	char plugin[PATH_MAX];                        /* directory of the modules, or path of one module */
	uint32_t interface[UPCS_GUESTS];  /* emulators' plugin interfaces; 0: plugin is a module */
	char qemu[UPCS_GUESTS][PATH_MAX]; /* "": not installed */
	/* Prefixes of the libraries (-L). prefix: as installed, "" is "/". given_prefix: set by the user for
	 * the guest given_guest, "" is unset. */
	char prefix[UPCS_GUESTS][UPCS_PREFIX_MAX], given_prefix[PATH_MAX];
	uint32_t given_guest;
	uint32_t randomise;   /* 0: addresses are the same in every run */
	uint32_t papi_always; /* 1: programs that need no libpapi.so are given papi's, too */
	char papi[PATH_MAX];  /* directory of the PAPI libraries for programs; "": none */
};

static inline const char *upcs_options_prefix(const struct upcs_options *options, enum upcs_guest guest)
{
	return options->given_prefix[0] && options->given_guest == guest ? options->given_prefix
									 : options->prefix[guest];
}

/* True if calls and returns of threads are tracked. */
static inline bool upcs_options_follow(const struct upcs_options *options)
{
	return options->regions || options->accounts;
}

enum upcs_state {
	UPCS_FREE,
	UPCS_MAKING, /* taken, not written yet; the bits above the state hold the owner (records.h) */
	UPCS_RUNS,
	UPCS_ENDED,
	UPCS_LOST, /* set by upc_run: the process died without storing UPCS_ENDED; counts are complete */
};

/*
 * Reasons why a number may not be exact, a bit each. 0: the number is exact. A sum has the bits of all its
 * terms.
 */
enum upcs_doubt {
	UPCS_DOUBT_CUT = 1,       /* the thread ended within a block; the whole block is counted */
	UPCS_DOUBT_UNWOUND = 2,   /* an exception left the region, as only a later block showed */
	UPCS_DOUBT_SWITCHED = 4,  /* the thread changed to another stack, as coroutines do */
	UPCS_DOUBT_FORGOT = 8,    /* calls were deeper, or from more sites, than are kept */
	UPCS_DOUBT_HELPED = 16,   /* threads woken by the region, or outliving it, may work for it */
	UPCS_DOUBT_UNPLACED = 32, /* a thread of a team worked for an unknown region */
	UPCS_DOUBT_MISSING = 64,  /* records are missing (set by upc_run) */
	UPCS_DOUBT_UNSEEN = 128,  /* the IFUNC resolver's choice was not seen (set by upc_run) */
	UPCS_DOUBT_LATE = 256,    /* the thread ended before its last counts were taken over (score.h) */
	UPCS_DOUBT_JUMPED = 512,  /* a jump like a tail call left the region, as only a later block showed */
	UPCS_DOUBT_TWICE = 1024,  /* the process was killed while counts moved: some may count twice */
};
/* These doubts alone make an upper bound. All others alone make a lower bound. */
#define UPCS_DOUBTS_HIGH (UPCS_DOUBT_CUT | UPCS_DOUBT_JUMPED | UPCS_DOUBT_TWICE)
/* No block adds more to a tally: 512 instructions (QEMU's TCG_MAX_INSNS) with at most 8 operations each, as
 * for divisions of 256 bits. */
#define UPCS_BLOCK_TALLY_MAX 4096u

/* Exactness of a number, derived from its doubts. */
enum upcs_bound {
	UPCS_BOUND_EXACT,
	UPCS_BOUND_LOW,  /* the true number is this or more */
	UPCS_BOUND_HIGH, /* the true number is this or less */
	UPCS_BOUND_NONE, /* errors in both directions: the number must not be shown */
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
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end_ns 0: still running */
	uint32_t threads;          /* number of threads made */
	uint32_t unfolded;         /* number of threads (with a record), region sets and blocks not counted */
	uint32_t unshared; /* 1: /dev/shm was full: counts are private, and lost if the process is killed */
	uint32_t region_found;  /* bit per region whose function was seen in memory */
	uint32_t region_unseen; /* bit per region whose IFUNC resolver ran, but whose function was not seen */
	uint32_t faults;        /* 1: handlers of SIGSEGV or similar are set: blocks are counted in parts */
	uint32_t spins;         /* 1: OpenMP threads wait actively (waiting.h) */
	uint32_t serial;        /* number of processes that began before this one */
	uint32_t continues;     /* 1: the program replaced another one and completed its record */
	uint32_t settled;       /* 1: the next program has completed this record; release, acquire */
	uint64_t space;         /* inode of the PID namespace; 0: unknown */
	uint32_t left;   /* 1: executed a program that has not continued the record: it is not simulated */
	uint32_t unread; /* set by upc_run: the file of raw counts could not be read */
	uint32_t died;   /* 1: a thread ended within a block without a signal: killed by an instruction */
	char program[UPCS_WORD_MAX]; /* path of the program, or the end of a long one */
	/* The instruction that ends the block translated last; n is 0 for a jump. If SIGILL killed the
	 * process, this instruction raised it. */
	struct upcs_code last;
};

struct upcs_thread {
	uint32_t state;   /* enum upcs_state; release, acquire */
	uint32_t process; /* index of the thread's process */
	uint32_t number;  /* from 0, in the order in which the process made its threads */
	uint32_t core;    /* number mod UPCS_CORES */
	int32_t tid;
	uint32_t in_call;  /* 1: in a system call, thus not within a block */
	uint32_t active;   /* bit per active region */
	uint32_t suspect;  /* bit per suspect region: left unless a later block proves otherwise */
	uint32_t switched; /* subset of suspect: left by a change of stacks */
	uint32_t scored;   /* 1: counts are in the emulator's memory and are copied from there (score.h) */
	uint32_t calls;    /* number of system calls, modulo 2^32 */
	uint32_t taken;    /* value of calls up to which all counts have been copied */
	uint64_t raised;   /* INSTRUCTIONS when the thread last sent a signal, which may kill it */
	uint32_t doubt[UPCS_COLUMNS]; /* bits of enum upcs_doubt, per column as in tally */
	/* 64 bits each, never torn. Column 0 is the whole program, column 1 + r is region r. */
	uint64_t tally[UPCS_COLUMNS][UPCS_TALLIES];
	uint64_t entered[UPCS_REGIONS_MAX]; /* calls of the region's function from outside of it */
};

struct upcs_results {
	uint64_t magic;
	uint32_t version, layout; /* layout: hash of the layout of this file and of the files of raw counts */
	struct upcs_options options;
	struct upcs_places processes, threads;
	uint32_t closed; /* 1: upc_run has ended, so processes that still run must remove their files */
	uint32_t asked;  /* number of requests for counts; a futex */
	struct upcs_unknown unknown[UPCS_CODES_MAX]; /* the first instructions unknown to the decoder */
	struct upcs_process process[UPCS_PROCESSES_MAX];
	struct upcs_thread thread[UPCS_THREADS_MAX];
	struct upcs_functions functions; /* has memory if functions are counted */
};

/*
 * Called by upc_run: create the file, with all options zero. path has room for UPCS_WORD_MAX characters.
 * *lock is a descriptor whose lock shows that the run's owner lives (leftover.h). Return NULL with errno if
 * /dev/shm cannot hold the file; EFBIG: RLIMIT_FSIZE is too small for the file.
 */
struct upcs_results *upcs_results_create(char *path, int *lock);
/* Called when all processes have ended. Add the counts that killed processes left in their files, and mark
 * these processes' records UPCS_LOST. For programs that read the records themselves (ctests/sim/sim_count.c);
 * upc_run uses run_gather.h. */
void upcs_results_settle(struct upcs_results *results, const char *path);
/* Unmap the results, and remove the file and its files of counts. Processes that still run remove the files
 * that they make later. */
void upcs_results_destroy(struct upcs_results *results, const char *path, int lock);

/* Called by upc_run: ask all processes to update their counts, without waiting. */
void upcs_results_ask(struct upcs_results *results);
/* Return the inode of the caller's PID namespace, or 0 if it is unknown. */
uint64_t upcs_results_space(void);

/* Called by the plugin: map the file. Return NULL if the file is not a results file of this release. */
struct upcs_results *upcs_results_open(const char *path);
bool upcs_results_are_closed(const struct upcs_results *results);
/* upcs_results_asked returns the number of requests so far. upcs_results_wait returns when the number differs
 * from the argument asked, or after ns nanoseconds; -1: no limit. */
uint32_t upcs_results_asked(const struct upcs_results *results);
void upcs_results_wait(struct upcs_results *results, uint32_t asked, int64_t ns);

/* Return the number of records that may be read. The file may have any content. */
static inline uint32_t upcs_places_there(const struct upcs_places *places, uint32_t max)
{
	/* Pairs with the compare-and-swap in grow_records(). upcs_results_destroy() explains the order of
	 * this load and the store to the field closed. */
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

/* Return a record's state without its owner bits. Acquire: fields written before the state can be read
 * afterwards. */
static inline enum upcs_state upcs_results_state(const uint32_t *state)
{
	return (enum upcs_state)(__atomic_load_n(state, __ATOMIC_ACQUIRE) & ((1u << UPCS_STATE_BITS) - 1));
}

#endif
