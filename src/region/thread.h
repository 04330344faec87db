/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - a thread's regions: its tree of call paths, with the time and the counts of each path. The
 * functions handle the marks of one thread; engine.c has the list of threads.
 * Terms: region/region.h.
 */
#ifndef UPCR_THREAD_H
#define UPCR_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "region/counts.h"
#include "region/notes.h"
#include "region/path.h"
#include "region/record.h"
#include "region/result.h"
#include "region/tree.h"

/* Work of a thread outside its own regions belongs to no region (UPCR_MARKING), is a worker's waiting
 * (UPCR_WORKER), or belongs to the regions that the thread was created in (UPCR_CREATED). */
enum upcr_kind { UPCR_MARKING, UPCR_WORKER, UPCR_CREATED };

struct upcr_thread {
	/* 1: the thread is in a call, or it writes the report. Stored as 0 with release, paired with the
	 * acquire load in engine.c's wait_for. The thread's own handlers read it too. */
	atomic_int busy;
	bool counts, broken, simulated;
	bool marked; /* the thread has started a region */
	enum upcr_kind kind;
	uint64_t mark, begun; /* time of the last mark and of the beginning, ns */
	/* The thread's part of the record. If the record has no room, no_marks and no_row get the copies. */
	struct upcr_record_marks *marks;
	struct upcr_record_thread *record; /* NULL: no record */
	char *rows;                        /* the block of rows that is being filled */
	unsigned rows_left, recorded;      /* rows left in the block; nodes that have a row */
	unsigned stale;                    /* 1 + the node whose values changed last, to be copied */
	bool keeps, full; /* values are copied into the record; the record has no room for further rows */
	uint64_t copying, copy_at; /* ns: time taken by copies; earliest time of the next one */
	struct upcr_record_marks no_marks;
	struct upcr_record_row no_row;
	struct upcr_tree tree;
	unsigned account;   /* node that gets time and counts: current or measuring */
	unsigned measuring; /* node of the engine's own work; 0: nothing is counted */
	struct upcr_set set;
	struct upcr_instance *closed; /* list of starts that have ended in the present call */
	struct upcr_instance *birth;  /* start of the region that the thread was created in, or NULL */
	unsigned working;    /* number of calls of upcr_work_begin that upcr_work_end has not ended */
	unsigned outside;    /* base node while the thread works for no other thread */
	unsigned born;       /* row that upcr_result_settle moves */
	atomic_uint home;    /* new place of the row born (upcr_result_settle); changed with the engine's lock
				held */
	atomic_ulong missed; /* number of calls from signal handlers that were left out; read in engine.c */
	struct upcr_notes notes;
	unsigned serial;
	pid_t tid;
	char name[16];
	struct upcr_thread *next; /* engine.c's list */
};

uint64_t upcr_now(void);

/* Create the calling thread's state, which takes over birth. The thread's set first counts for the measuring
 * row. NULL: out of memory. */
struct upcr_thread *upcr_thread_create(unsigned max, enum upcr_kind kind, struct upcr_instance *birth,
				       struct upcr_early *early);
void upcr_thread_free(struct upcr_thread *thread);

/* Begin to copy the thread's work into the record. thread->serial is set. */
void upcr_thread_record(struct upcr_thread *thread);
/* Copy what a mark does not copy: names of nodes, and all counts of a thread at its end. */
void upcr_thread_record_names(struct upcr_thread *thread);
void upcr_thread_record_end(struct upcr_thread *thread, const struct upcr_result *result);
void upcr_thread_note(struct upcr_thread *thread, enum upcr_what what, unsigned name, uint64_t times);

/* Charge time and counts to the measuring row (upcr_thread_measure), while the engine allocates, or to the
 * current node again (upcr_thread_go_on). Context: the thread itself, busy. */
void upcr_thread_measure(struct upcr_thread *thread);
void upcr_thread_go_on(struct upcr_thread *thread);

/* Start or end a region. upcr_thread_exit returns false if it is not open. Context: the thread itself,
 * busy. */
void upcr_thread_enter(struct upcr_thread *thread, unsigned name);
bool upcr_thread_exit(struct upcr_thread *thread, unsigned name, bool closing);
/* Change the base of the thread's path. */
void upcr_thread_rebase(struct upcr_thread *thread, unsigned base);
/* Note that the node's own counts are incomplete or foreign; a worse state stays. */
void upcr_thread_lacks(struct upcr_thread *thread, unsigned node, enum upcr_lack lack);
/* Set home, the new place of the row born. alive: the number of starts, of those that the thread was created
 * in, that are not over. Context: any thread, the engine's lock is held. */
void upcr_thread_settle(struct upcr_thread *thread, unsigned alive);

/*
 * Return the thread's counts so far. own: the caller is the thread itself, and its set runs or is stopped.
 * Otherwise the thread is in no call, and its counts are those up to its last mark. NULL: out of memory.
 */
struct upcr_result *upcr_thread_result(struct upcr_thread *thread, bool own);

#endif
