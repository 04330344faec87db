/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_private.h - what the files behind thread.h share: threads that are counted, and the lock.
 */
#ifndef UPCS_THREAD_PRIVATE_H
#define UPCS_THREAD_PRIVATE_H

#include <pthread.h>

#include "count/counts.h"
#include "count/team.h"
#include "count/thread.h"

/* Counts of a thread in one set of regions. */
struct upcs_counting {
	struct upcs_counting *next;
	int array;
	uint16_t active, suspect; /* counts are of the active; of suspects, if they were not left */
	uint64_t *seen;           /* what is in the record, or was there before */
	uint64_t *before;         /* of a scored one: what was there; NULL: zeros */
	uint32_t kinds_before;
};

/* Counts that lie in the emulator's memory (score.h). */
struct upcs_scores {
	/* A vCPU's of the kinds from UPCS_SCORE_KINDS * i on; NULL: no block adds to them. */
	uint64_t *(*of)(unsigned vcpu, unsigned i);
	/* The highest number of a vCPU so far, plus 1. */
	unsigned (*vcpus)(void);
};

/* For whom a thread works. */
struct upcs_stay {
	uint16_t regions;
	uint64_t account, names; /* names of the account's regions, a bit each */
};

/* Where a thread has waited last, or woken others, and for whom it worked. */
#define UPCS_FUTEXES 64u
struct upcs_futexes {
	struct {
		uint64_t address;
		struct upcs_stay stay;
	} at[UPCS_FUTEXES];
	unsigned next;
};

/* An account that threads work for which were made in its region: in which of its starts, never twice. */
struct upcs_share {
	uint64_t account, instance;
};

/* A thread's own account, as other threads have it, with the number of regions that are open in it. */
#define UPCS_SHARES 16u
struct upcs_handed_share {
	struct upcs_share share;
	uint64_t open;
};

/* A thread that is counted. */
struct upcs_counted {
	struct upcs_counted *next, **before; /* in the list of all */
	struct upcs_thread *record;
	uint32_t index;
	struct upcs_counting *counting; /* all; the one in use is the first */
	struct upcs_counting
		*scored; /* what its blocks add without a call; NULL: not in the emulator's memory */
	unsigned vcpu;
	uint64_t *counts; /* of the one in use */
	uint64_t **hot;   /* the thread's upcs_counting: counts, or NULL while it is attended */
	uint64_t **bare;  /* and its upcs_bare */
	uint64_t changes; /* so often was it to be attended; only the thread looks without the lock */
	struct upcs_region_stack *stack;
	uint32_t doubts;            /* of that, in the record... */
	const uint32_t *doubts_now; /* ...and now */
	uint16_t inherited;         /* regions of its maker that it works for, until they end; atomic */
	uint16_t handed;            /* regions of its own that threads which it made work for */
	bool exits;                 /* it is in its last call; atomic */
	uint64_t instance[UPCS_REGIONS_MAX]; /* of each that is inherited or handed; never twice */
	struct upcs_team_hand hand;
	bool was_in_runtime, in_team; /* of OpenMP; its threads begin in it */
	struct upcs_futexes waited, woke;
	uint64_t account; /* that it works for (account.h) */
	uint64_t marking; /* 1 + the depth at which it called a library of marks; 0: it did not */
	uint64_t charged[UPCS_TALLIES]; /* so much of it is in accounts, or nobody's */
	struct upcs_share share;        /* of its maker's; account 0: none, atomic */
	uint64_t open;                  /* regions that are open in its own account */
	struct upcs_handed_share handed_share[UPCS_SHARES];
	unsigned handed_shares;
};

/* The state that all threads of the process share. */
struct upcs_threads {
	/*
	 * Protects kinds, arrays, the list of threads and folding, and what is below. It nests in
	 * QEMU's locks and takes none itself but malloc's; no guest's signal is handled while it is
	 * held, since QEMU delivers those between blocks.
	 */
	pthread_mutex_t lock;
	struct upcs_counted *first;
	uint32_t made; /* numbers that were given */
	struct upcs_meeting *meetings;
	uint16_t bequeathed; /* in programs with regions one thread is coming at a time: its regions, */
	uint64_t instance[UPCS_REGIONS_MAX], instances; /* ... and which of them, of so many */
	struct upcs_share share;                        /* the same of accounts */
	uint32_t coming;  /* calls that make a thread, whose thread has not begun */
	uint32_t waiting; /* who wait until none is coming: calls that would make one wait for them */
	pthread_cond_t came;
	uint64_t *nowhere; /* where those count that have no record: written by many, read by none */
	const struct upcs_scores *scores; /* NULL: blocks add to the arrays of the file */
	bool alone;                       /* forked by one of several threads, and has made none */
	bool calls;                       /* blocks have to call */
	bool adding;                      /* there may be blocks that do not */
	bool flushed;                     /* the emulator has thrown all code away, and does so no more */
	bool old_code;                    /* there are blocks that add to what is not theirs, or must call */
	uint64_t *inlined; /* where blocks add to that do not call, if not to scores; NULL: there are none */
};
extern struct upcs_threads upcs_threads;

/* The calling thread; NULL: counts to nobody. */
extern UPCS_TLS struct upcs_counted *upcs_self;

static inline uint64_t *upcs_counts_of(const struct upcs_counting *c)
{
	return upcs_run.counts->count[c->array];
}

/* ---- thread.c ------------------------------------------------------------------------------ */

/* The caller becomes the process's thread of this number. */
void upcs_thread_begin_locked(uint32_t number, unsigned vcpu);
/* The same of the number that it is given. */
void upcs_thread_begin_next_locked(unsigned vcpu);
/* Nobody is made, and nobody was. */
void upcs_thread_forget_meetings_locked(void);
/* give: its arrays, to be cleared. */
void upcs_thread_free(struct upcs_counted *thread, bool give);
/* Counts go to the array of the regions that the thread is in now. */
void upcs_thread_change_regions_locked(struct upcs_counted *thread);

/* ---- thread_team.c ------------------------------------------------------------------------- */

/* Regions that a thread of the process, or of the one that has forked it, was in. Atomic. */
extern uint16_t upcs_regions_entered;
/* Regions that the thread has handed to others have ended: all but these. */
void upcs_thread_end_handed(struct upcs_counted *thread, uint16_t active);
void upcs_thread_end_handed_locked(struct upcs_counted *thread, uint16_t active);
/* The thread makes another, which will work for the regions that it is in. */
void upcs_thread_bequeath_locked(struct upcs_counted *thread);
/* The thread that begins gets what its maker has left for it. */
void upcs_thread_inherit_locked(struct upcs_counted *thread);
/* The thread, in a program with regions, begins a block: before upcs_region_block. */
void upcs_thread_follow(struct upcs_counted *thread, const struct upcs_region_block *block);

/* ---- process.c ----------------------------------------------------------------------------- */

/* Counts have got more memory: whether others see all of it is in the process's record. */
void upcs_process_note_memory_locked(void);

/* ---- fold.c -------------------------------------------------------------------------------- */

void upcs_fold_thread_locked(struct upcs_counted *thread);
/* Moves all counts of one of the calling thread to another, which has its regions, or more. */
void upcs_fold_move_locked(struct upcs_thread *record, struct upcs_counting *from, struct upcs_counting *to);
void upcs_fold_locked(void);
/* From now on when somebody asks; once, and for a process that is counted. In a forked child it is not there.
 */
void upcs_fold_begin(void);
void upcs_fold_forked(void);

#endif
