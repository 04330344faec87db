/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_private.h - the counted threads and their lock, shared by the files behind thread.h. A thread's
 * maker is the thread that made it.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_THREAD_PRIVATE_H
#define UPCS_THREAD_PRIVATE_H

#include <pthread.h>

#include "count/counts.h"
#include "count/team.h"
#include "count/thread.h"

/* The counts of a thread in one set of regions. */
struct upcs_counting {
	struct upcs_counting *next;
	int array;
	uint16_t active, suspect; /* regions counted for; suspect: counted for unless left */
	uint64_t *seen;           /* counts that are in the record already, or were in the array before */
	uint64_t *before;         /* if scored: the array's counts at the thread's start; NULL: zeros */
	uint32_t kinds_before;
};

/* Access to counts in the emulator's memory (score.h). */
struct upcs_scores {
	/* Return a vCPU's counts of the kinds from UPCS_SCORE_KINDS * i on, or NULL if no block adds to
	 * them. */
	uint64_t *(*of)(unsigned vcpu, unsigned i);
	/* Return the highest vCPU number so far plus 1. */
	unsigned (*vcpus)(void);
};

/* The regions and the account that a thread works for. */
struct upcs_stay {
	uint16_t regions;
	uint64_t account, names; /* names: of the account's regions, a bit each */
};

/* The futexes that a thread has last waited on, or woken, and the regions and account that it worked for
 * then. */
#define UPCS_FUTEXES 64u
struct upcs_futexes {
	struct {
		uint64_t address;
		struct upcs_stay stay;
	} at[UPCS_FUTEXES];
	unsigned next;
};

/* An account that a thread inherits from the thread that made it in the account's region. instance: the
 * number of this start of the region, never reused. */
struct upcs_share {
	uint64_t account, instance;
};

/* An account that a thread passed to threads that it made, and the maker's number of open regions then. */
#define UPCS_SHARES 16u
struct upcs_handed_share {
	struct upcs_share share;
	uint64_t open;
};

/* A counted thread. */
struct upcs_counted {
	struct upcs_counted *next, **before; /* list of all threads */
	struct upcs_thread *record;
	uint32_t index;
	struct upcs_counting *counting; /* list of all its counts; the first is in use */
	struct upcs_counting
		*scored; /* counts copied from the emulator's memory; NULL: its blocks do not add there */
	unsigned vcpu;
	uint64_t *counts; /* counts in use */
	uint64_t **hot;  /* the thread's &upcs_counting: holds counts, or NULL while the thread is attended */
	uint64_t **bare; /* the thread's &upcs_bare */
	uint64_t changes; /* number of requests to attend it; only the owner reads it unlocked */
	struct upcs_region_stack *stack;
	uint32_t doubts;            /* value of the stack's change counter when the record was written... */
	const uint32_t *doubts_now; /* ...and the counter itself */
	uint16_t inherited; /* regions of its maker that this thread works for until they end; atomic */
	uint16_t handed;    /* regions of this thread that threads made by it work for */
	bool exits;         /* the thread is in its exit call; atomic */
	uint64_t instance[UPCS_REGIONS_MAX]; /* instance of each region inherited or handed; never reused */
	struct upcs_team_hand hand;
	bool was_in_runtime, in_team; /* in an OpenMP runtime; in_team: the thread began there */
	struct upcs_futexes waited, woke;
	uint64_t account;               /* account that it works for (account.h) */
	uint64_t marking;               /* 1 + depth of its call of a library that marks regions; 0: none */
	uint64_t charged[UPCS_TALLIES]; /* part of the tally that has been charged to accounts, or to none */
	struct upcs_share share;        /* share in its maker's account; account 0: none; atomic */
	uint64_t open;                  /* number of open regions in its own account */
	struct upcs_handed_share handed_share[UPCS_SHARES];
	unsigned handed_shares;
};

/* The state shared by all threads of the process. */
struct upcs_threads {
	/*
	 * Protects kinds, arrays, the list of threads, folding and the fields below. Taken inside of QEMU's
	 * locks; only malloc's locks are taken inside of this lock. No signal handler of the guest runs while
	 * it is held, because QEMU delivers signals between blocks.
	 */
	pthread_mutex_t lock;
	struct upcs_counted *first;
	uint32_t made; /* number of thread numbers given */
	struct upcs_meeting *meetings;
	uint16_t bequeathed; /* regions for the one thread being made, if programs have regions... */
	uint64_t instance[UPCS_REGIONS_MAX], instances; /* ...and their instances; the last number used */
	struct upcs_share share;                        /* the coming thread's share in an account */
	uint32_t coming;  /* number of calls that make a thread and whose thread has not begun yet */
	uint32_t waiting; /* number of threads that wait until none is coming */
	pthread_cond_t came;
	uint64_t *nowhere; /* counts of threads without a record: written by many threads, never read */
	const struct upcs_scores *scores; /* NULL: blocks add to the arrays of the file */
	bool alone;                       /* forked by one of several threads, and has made no thread */
	bool calls;                       /* blocks have to call the plugin */
	bool adding;                      /* there may be blocks that add without a call */
	bool flushed;                     /* the emulator has discarded all code, and will not do so again */
	bool old_code;                    /* some blocks add to another thread's counts, or must call now */
	uint64_t *inlined;                /* counts that blocks add to without call or score; NULL: none do */
};
extern struct upcs_threads upcs_threads;

/* The calling thread; NULL: its counts are discarded. */
extern UPCS_TLS struct upcs_counted *upcs_self;

static inline uint64_t *upcs_counts_of(const struct upcs_counting *c)
{
	return upcs_run.counts->count[c->array];
}

/* ---- thread.c ------------------------------------------------------------------------------ */

/* Make the caller the process's thread of this number. */
void upcs_thread_begin_locked(uint32_t number, unsigned vcpu);
/* Make the caller a thread of the process with the next number, or with the number that its maker gave. */
void upcs_thread_begin_next_locked(unsigned vcpu);
/* Forget thread numbers that wait for their thread, and threads that have not begun yet. */
void upcs_thread_forget_meetings_locked(void);
/* Free the thread. give: also clear and release its arrays. */
void upcs_thread_free(struct upcs_counted *thread, bool give);
/* Use the array of the thread's present regions. */
void upcs_thread_change_regions_locked(struct upcs_counted *thread);

/* ---- thread_team.c ------------------------------------------------------------------------- */

/* Regions that any thread of the process, or of the process that forked it, has entered. Atomic. */
extern uint16_t upcs_regions_entered;
/* End the regions that the thread has handed to others, except those in active. */
void upcs_thread_end_handed(struct upcs_counted *thread, uint16_t active);
void upcs_thread_end_handed_locked(struct upcs_counted *thread, uint16_t active);
/* Prepare the calling thread's regions for a thread that it makes. */
void upcs_thread_bequeath_locked(struct upcs_counted *thread);
/* Give the beginning thread the regions and the account that its maker prepared. */
void upcs_thread_inherit_locked(struct upcs_counted *thread);
/* Update the team work of the thread, which begins a block in a program with regions. Called before
 * upcs_region_block. */
void upcs_thread_follow(struct upcs_counted *thread, const struct upcs_region_block *block);

/* ---- process.c ----------------------------------------------------------------------------- */

/* Note in the process's record if some of the counts' memory is private. */
void upcs_process_note_memory_locked(void);

/* ---- fold.c -------------------------------------------------------------------------------- */

void upcs_fold_thread_locked(struct upcs_counted *thread);
/* Move all counts of one of the calling thread's arrays to another, which has the same regions or more. */
void upcs_fold_move_locked(struct upcs_thread *record, struct upcs_counting *from, struct upcs_counting *to);
void upcs_fold_locked(void);
/* Start the folding thread, which folds on request. Called once in a counted process. The thread does not
 * exist in a forked child. */
void upcs_fold_begin(void);
void upcs_fold_forked(void);

#endif
