/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - the process's record and those of its threads (process.c, thread.c): who counts where;
 * and folding (fold.c).
 *
 * A thread adds to counts of its own (counts.h), without a lock or an atomic: any thread that
 * folds reads them and remembers the values. A thread that blocks or runs for long is thus folded as well
 * as any other.
 */
#ifndef UPCS_THREAD_H
#define UPCS_THREAD_H

#include "count/block.h"
#include "count/region.h"
#include "count/results.h"

#include <sys/types.h>

/* Initial-exec: this is read at every block. */
#define UPCS_TLS __thread __attribute__((tls_model("initial-exec")))

/* The counts of this thread for the regions that it is in; NULL before its first block, and
 * while the thread is attended: its blocks go the slow way then (context.h). */
extern UPCS_TLS uint64_t *upcs_counting;

/* Others set it to NULL at any time; what it was can be added to all the same. */
static inline uint64_t *upcs_thread_counting(void)
{
	return __atomic_load_n(&upcs_counting, __ATOMIC_RELAXED);
}

/* Only the thread adds; who folds reads meanwhile (fold_counting). */
static inline void upcs_thread_count(uint64_t *count)
{
	__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

#define UPCS_NO_THREAD UINT32_MAX

/* Where a block, or a part of one, begins, for programs with regions: a cache line. */
struct upcs_site {
	_Alignas(64) struct upcs_region_block block;
	uint32_t kind;
	uint32_t index;   /* of all sites */
	uint16_t chooses; /* bit per region: what chooses its function begins here (chosen.h) */
	uint16_t late;    /* and more that its block enters, as was seen since it was translated; atomic */
	uint32_t number;  /* upcs_region_step; atomic */
};

/* The results file of the run, and this process's part in it. */
struct upcs_run {
	struct upcs_results *results;
	char path[UPCS_WORD_MAX]; /* of the results */
	enum upcs_guest guest;
	char program[PATH_MAX]; /* "": not known yet */
	struct upcs_kinds *kinds;
	bool continues;               /* another process's record: it is the same one */
	uint32_t index;               /* of the process */
	struct upcs_process *process; /* NULL: is not counted */
	struct upcs_counts *counts;   /* NULL: is not counted */
};

extern struct upcs_run upcs_run;

/*
 * upcs_run is set but for its last three: takes a record if it is to be counted and there is
 * one; else counts go to nobody. False: no memory even for that.
 */
bool upcs_process_begin(bool counted);
/* All threads are folded, and the process has ended. */
void upcs_process_end(void);
/* It has one thread, and was forked by one of several. */
bool upcs_process_is_alone(void);
/* Before another program takes its place, which settles what it leaves; and if that failed. Where
 * several threads try, the last one's failure counts. */
void upcs_process_leave(void);
void upcs_process_stay(void);

/* For a fork: nothing changes between hold and release. The child calls upcs_process_forked: it starts
 * from zero if it is to be counted; else its counts go to no record. */
void upcs_process_hold(void);
void upcs_process_release(void);
/* The same as hold, when threads that were coming have begun: all counts are there to be folded.
 * False: one has not for a second. */
bool upcs_process_hold_all(void);
/* The process ends: no call makes a thread any more. The emulator would not tell of its beginning. */
void upcs_process_makes_no_more(void);
void upcs_process_forked(bool counted);

/*
 * A thread's number is given by the thread, when it begins, or by its maker, when the call that made
 * it comes back, whichever is first. The threads of one maker thus have numbers in their order.
 */
void upcs_thread_coming(void);
/* The kernel's number for it, or less than 1: the call has failed. */
void upcs_thread_came(int64_t tid);
/* The caller's first block, or a later one, of a thread that is attended: where its counts
 * are. */
uint64_t *upcs_thread_begin(unsigned vcpu);
/* The caller's last block is behind it: in its call of exit, and when its vCPU ends. */
void upcs_thread_exit(void);
void upcs_thread_end(void);
/* The caller is in a system call, which may be one that sends a signal, or back from it. */
void upcs_thread_calls(bool sends);
void upcs_thread_called(void);
/* The program has its function at address handle signals. For regions, which see no other call. */
void upcs_process_handles(uint64_t address);
bool upcs_process_is_handler(uint64_t address);
/* The caller, in a program with regions, begins a block where that may change them. */
void upcs_thread_site(struct upcs_site *site);
/* The process has a runtime of OpenMP: blocks may change what the thread works for. */
extern bool upcs_has_runtime;
static inline bool upcs_thread_runtime(void)
{
	return __atomic_load_n(&upcs_has_runtime, __ATOMIC_RELAXED);
}
/* The caller has code of one translated. */
void upcs_thread_has_runtime(void);
/* In that it has stored something, or loaded it. */
void upcs_thread_touched(uint64_t address, size_t bytes, bool store);
/* It waits on a futex, or wakes who does. */
void upcs_thread_futex(uint64_t address, uint64_t operation, uint64_t value);
/* Whether it may, after the thread's last block: how that ended, and that it was the first of an activation,
 * or UPCS_LAST_STRAY. */
#define UPCS_LAST_FRESH 64u
#define UPCS_LAST_STRAY 128u
extern UPCS_TLS uint8_t upcs_last_end;
/* The last block that had an end, or none behind one that had, since the thread began. */
extern UPCS_TLS struct upcs_site *upcs_passed;
/*
 * upcs_counting, where the last block had no end: one without an end has but to count. NULL: it may have more
 * to do. Others set it to NULL with upcs_counting; where the thread has just looked at that, it is
 * attended behind its next block with an end.
 */
extern UPCS_TLS uint64_t *upcs_bare;
/* Most blocks behind such a one change nothing but this stack (upcs_region_step); NULL: they may. */
extern UPCS_TLS struct upcs_region_stack *upcs_stepping;

/*
 * Blocks without a call
 *   A process without regions has its blocks add to counts themselves, which costs a fraction of a
 *   call. A thread that is attended needs the call: then we have the code thrown away, and all
 *   blocks call from then on, in children too.
 *
 *   From interface 2 on QEMU adds to numbers of the vCPU (score.h), and that is all. With interface 1
 *   it adds to what it is told when the block is translated: to the array of the one thread. A
 *   child has its counts where its parent had them, for the code is its parent's. Such blocks must
 *   never run again when there is a second thread. Before it makes one QEMU throws all code away, to
 *   make code that does for several from then on; but it does so when memory is mapped that others
 *   may write, too, and once in a process's life. Where it has, we have it done ourselves: when a
 *   stack is mapped, or at the latest in the call that makes the thread. It is done when the
 *   maker is behind the call. No count is lost in any case, but if a thread's stack was not mapped
 *   as one, its first blocks may be counted as its maker's.
 */
/* Interface 1: memory is mapped that others may write. */
void upcs_process_shares(void);
/* Interface 1: a thread will be made, if the caller knows; and one is made. */
void upcs_process_expects_thread(void);
void upcs_process_has_threads(void);
/* The counts that blocks translated by the caller may add to, with interface 1; NULL: they have to call.
 * The second tells whether they may add with other interfaces. */
uint64_t *upcs_thread_inlined(void);
bool upcs_thread_adds(void);
/* There is code that adds, and must not: a forked child's counts could not be where its parent had
 * them, or the thread is attended. Told once, for the caller to have all code thrown away. */
bool upcs_process_has_old_code(void);
bool upcs_process_is_old(void); /* the same, not told */

/* The record of the caller, by its index, or UPCS_NO_THREAD; before a fork that has made us. */
uint32_t upcs_thread_self(void);
uint32_t upcs_thread_before_fork(void);
/* How often the caller was to be attended. */
uint64_t upcs_thread_changes(void);

/* Between upcs_process_hold and upcs_process_release, of any thread: its tally up to date, to a
 * block where it is not the caller (NULL: nobody's), its core, and the kernel's number for it,
 * 0 where it has ended. */
const uint64_t *upcs_thread_fold_locked(uint32_t index);
unsigned upcs_thread_core_locked(uint32_t index);
pid_t upcs_thread_id_locked(uint32_t index);
/* Something changed: it is attended from its next block on, if it is that already or has to be. */
void upcs_thread_attend_locked(uint32_t index, bool has_to);
/* The caller is attended no longer. */
void upcs_thread_unattend_locked(void);

/* Under the lock: splits the block with the process's kinds. */
void upcs_process_split(struct upcs_block *block);

/* Brings the records up to date. Any thread. */
void upcs_fold(void);

#endif
