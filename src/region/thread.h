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
#include "region/result.h"
#include "region/tree.h"

struct upcr_thread {
	/* 1: the thread is in a call, or is changed by the one that ends the program. Release at 0.
	 * Partner: upcr_thread_wait, and handlers of the thread itself. */
	atomic_int busy;
	bool counts, broken, simulated;
	uint64_t mark, begun; /* ns */
	struct upcr_tree tree;
	struct upcr_set set;
	atomic_ulong missed; /* calls of handlers. Partner: engine.c's end */
	struct upcr_notes notes;
	unsigned serial;
	pid_t tid;
	char name[16];
	struct upcr_thread *next; /* engine.c's */
};

uint64_t upcr_now(void);

/* The calling thread's. NULL: out of memory. */
struct upcr_thread *upcr_thread_create(unsigned max);
void upcr_thread_free(struct upcr_thread *thread);

/* The thread's own, while it is busy. */
void upcr_thread_enter(struct upcr_thread *thread, unsigned name);
bool upcr_thread_exit(struct upcr_thread *thread, unsigned name, bool closing);

/*
 * What it has so far. own: the calling thread's; else the thread is in no call, and its counts are
 * those up to its last mark. Of its own thread the set may be stopped. NULL: out of memory.
 */
struct upcr_result *upcr_thread_result(struct upcr_thread *thread, bool own);

#endif
