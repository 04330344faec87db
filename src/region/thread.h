/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - a thread's regions: its tree of call paths, the time and the counts of each. Pairs of
 * marks, without knowing who the threads are (engine.c).
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

/* A thread's work outside its own regions belongs to no region, is a worker's waiting, or belongs to the
 * regions that the thread was created in. */
enum upcr_kind { UPCR_MARKING, UPCR_WORKER, UPCR_CREATED };

struct upcr_thread {
	/* 1: the thread is in a call, or is changed by the one that ends the program. Release at 0.
	 * Partner: upcr_thread_wait, and handlers of the thread itself. */
	atomic_int busy;
	bool counts, broken, simulated;
	bool marked; /* it has started a region itself */
	enum upcr_kind kind;
	uint64_t mark, begun; /* ns */
	/* Its copy in the record. Without room the copies go into no_marks and no_row. */
	struct upcr_record_marks *marks;
	struct upcr_record_thread *record; /* or NULL */
	char *rows;                        /* the block of rows that is being filled */
	unsigned rows_left, recorded;      /* recorded: nodes that have a row */
	unsigned stale;                    /* node whose values changed last, and are to be copied */
	bool keeps, full;                  /* values are copied; there is no room for further rows */
	uint64_t copying, copy_at;         /* ns: what copies have taken; when the next one may be */
	struct upcr_record_marks no_marks;
	struct upcr_record_row no_row;
	struct upcr_tree tree;
	unsigned account;   /* node that time and counts go to: the current one, or that of measuring */
	unsigned measuring; /* its node; 0: nothing is counted */
	struct upcr_set set;
	struct upcr_instance *closed; /* starts that have ended in this call, a list */
	struct upcr_instance *birth;  /* the start of a region that it was created in, or NULL */
	unsigned working;             /* calls of upcr_work_begin without their ends */
	unsigned outside;             /* node: the base where it works for no other thread */
	unsigned born;                /* row that upcr_result_settle moves, and where to */
	atomic_uint home;             /* Changed with the engine's lock */
	atomic_ulong missed;          /* calls of handlers. Partner: engine.c's end */
	struct upcr_notes notes;
	unsigned serial;
	pid_t tid;
	char name[16];
	struct upcr_thread *next; /* engine.c's */
};

uint64_t upcr_now(void);

/* The calling thread's, which takes over birth. It counts in the row of measuring. NULL: out of memory. */
struct upcr_thread *upcr_thread_create(unsigned max, enum upcr_kind kind, struct upcr_instance *birth,
				       struct upcr_early *early);
void upcr_thread_free(struct upcr_thread *thread);

/* From now on the record has a copy of what it does. The thread has a serial number. */
void upcr_thread_record(struct upcr_thread *thread);
/* The same, of what a mark does not copy: names of nodes, and all that a thread has at its end. */
void upcr_thread_record_names(struct upcr_thread *thread);
void upcr_thread_record_end(struct upcr_thread *thread, const struct upcr_result *result);
void upcr_thread_note(struct upcr_thread *thread, enum upcr_what what, unsigned name, uint64_t times);

/* Time and counts go to the row of measuring from now on, while the engine makes what it keeps; and to the
 * current node again. The thread's own, while it is busy. */
void upcr_thread_measure(struct upcr_thread *thread);
void upcr_thread_go_on(struct upcr_thread *thread);

/* The thread's own, while it is busy. */
void upcr_thread_enter(struct upcr_thread *thread, unsigned name);
bool upcr_thread_exit(struct upcr_thread *thread, unsigned name, bool closing);
/* Its path begins with another base from now on. */
void upcr_thread_rebase(struct upcr_thread *thread, unsigned base);
/* The node's own counts are not whole from now on; what is worse stays. */
void upcr_thread_lacks(struct upcr_thread *thread, unsigned node, enum upcr_lack lack);
/* alive: how many of the starts that it was created in go on. With the engine's lock, from any thread. */
void upcr_thread_settle(struct upcr_thread *thread, unsigned alive);

/*
 * The thread's counts so far. own: it is the calling thread, and its set runs or is stopped; else the
 * thread is in no call, and its counts are those up to its last mark. NULL: out of memory.
 */
struct upcr_result *upcr_thread_result(struct upcr_thread *thread, bool own);

#endif
