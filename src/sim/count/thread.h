/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.h - the records of the process and its threads (process.c, thread.c), the counts that each thread
 * adds to, and folding (fold.c).
 *
 * Terms (decode/decode.h has those of instructions: guest, core, tally):
 *   block      code that QEMU translates and executes as one piece, of up to 512 instructions
 *   part       instructions of a block that are counted together, when the first of them begins (block.h)
 *   kind       the tallies of one execution of a part, as an index; equal parts share a kind (counts.h)
 *   array      a thread's counts, one per kind; a thread has an array for each set of regions (counts.h)
 *   to fold    to turn a thread's counts into tallies, in the thread's record (fold.c)
 *   record     the tallies and the state of a process or thread, in the run's results file (results.h)
 *   column     the part of a record for the whole program (column 0) or for one region
 *   region     a function that the user named, with all functions that it calls (region.h)
 *   active     of a region: the thread is in it; suspect: the thread may have left it unseen
 *   to doubt   to note in a record why a count may be inexact (enum upcs_doubt)
 *   account    the counts under a number that the program passes, such as a call path's (account.h)
 *   team       the threads of an OpenMP parallel region, whose work the runtime passes to them (team.h)
 *   attended   of a thread: a context (plugin/context.h) checks the thread's counts at each block
 *   to settle  to complete the records of a process that has died, from the file that it left (left.h)
 *   _locked    at the end of a function's name: the caller holds upcs_threads.lock (thread_private.h)
 *
 * A thread adds to private counts (counts.h) without a lock or an atomic operation. The folding thread reads
 * them and remembers the values, so a thread that blocks or runs for long is folded like any other.
 */
#ifndef UPCS_THREAD_H
#define UPCS_THREAD_H

#include "count/block.h"
#include "count/region.h"
#include "count/results.h"

#include <sys/types.h>

/* The TLS model is initial-exec, because the variables are read at every block. */
#define UPCS_TLS __thread __attribute__((tls_model("initial-exec")))

/* The counts of this thread for its active regions. NULL before the thread's first block and while the thread
 * is attended, that is, while a context must check the thread at each block. A block that finds NULL takes
 * the slow path. */
extern UPCS_TLS uint64_t *upcs_counting;

/* Return upcs_counting. Other threads may set upcs_counting to NULL at any time, but its old value may still
 * be used. */
static inline uint64_t *upcs_thread_counting(void)
{
	return __atomic_load_n(&upcs_counting, __ATOMIC_RELAXED);
}

/* Increment a count. Only the owner thread writes; a folding thread reads concurrently (fold_counting). */
static inline void upcs_thread_count(uint64_t *count)
{
	__atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

#define UPCS_NO_THREAD UINT32_MAX

/* The beginning of a block or of a part, for programs with regions. One cache line. */
struct upcs_site {
	_Alignas(64) struct upcs_region_block block;
	uint32_t kind;
	uint32_t index;   /* index among all sites */
	uint16_t chooses; /* bit per region whose IFUNC resolver begins here (chosen.h) */
	uint16_t late;   /* regions that the block also enters, found after the block's translation; atomic */
	uint32_t number; /* cache for upcs_region_step; atomic */
};

/* The results file of the run, and this process's part of it. */
struct upcs_run {
	struct upcs_results *results;
	char path[UPCS_WORD_MAX]; /* path of the results file */
	enum upcs_guest guest;
	char program[PATH_MAX]; /* "": not known yet */
	struct upcs_kinds *kinds;
	bool continues; /* the process has an earlier record, of a program that this one replaced */
	uint32_t index; /* index of the process's record */
	struct upcs_process *process; /* NULL: the process is not counted */
	struct upcs_counts *counts;   /* NULL: the process is not counted */
};

extern struct upcs_run upcs_run;

/*
 * Begin the process. The caller has set upcs_run except for index, process and counts. Takes a record if
 * counted is true and a record is free; otherwise counts are discarded. Return false if memory is short even
 * for that.
 */
bool upcs_process_begin(bool counted);
/* Fold all threads and end the process's record. */
void upcs_process_end(void);
/* True if the process has a single thread and was forked by a process of several threads. */
bool upcs_process_is_alone(void);
/* leave: called before another program replaces this one in the process; the new program completes the
 * records. stay: called if the exec failed. If several threads execute programs, the last one's failure
 * counts. */
void upcs_process_leave(void);
void upcs_process_stay(void);

/* Called around a fork: no record changes between hold and release. The child calls upcs_process_forked, and
 * starts from zero if it is counted; otherwise its counts are discarded. */
void upcs_process_hold(void);
void upcs_process_release(void);
/* As upcs_process_hold, but first wait until all threads that are being made have begun, so that all counts
 * can be folded. Return false if a thread has not begun within a second. */
bool upcs_process_hold_all(void);
/* Block further calls that make threads, because the process is ending and the emulator would not report the
 * new thread. */
void upcs_process_makes_no_more(void);
void upcs_process_forked(bool counted);

/*
 * Announce a call that makes a thread. The thread takes its number when it begins, or its maker takes the
 * number when the call returns, whichever is first. The threads of one maker thus have numbers in the order
 * of their creation.
 */
void upcs_thread_coming(void);
/* Report the result of a call that makes a thread: the new thread's id, or less than 1 if the call failed. */
void upcs_thread_came(int64_t tid);
/* Return the caller's counts, at its first block or at a later block while the thread is attended. */
uint64_t *upcs_thread_begin(unsigned vcpu);
/* End the calling thread: upcs_thread_exit is called in its exit system call, upcs_thread_end when its vCPU
 * ends. The thread begins no more blocks. */
void upcs_thread_exit(void);
void upcs_thread_end(void);
/* upcs_thread_calls: the caller enters a system call; sends is true for a call that sends a signal.
 * upcs_thread_called: the caller returns from a system call. */
void upcs_thread_calls(bool sends);
void upcs_thread_called(void);
/* Note that the program's function at address handles signals. Regions need this, because no block calls a
 * handler. */
void upcs_process_handles(uint64_t address);
bool upcs_process_is_handler(uint64_t address);
/* Begin a block of the caller in a program with regions, if the block may change the active regions. */
void upcs_thread_site(struct upcs_site *site);
/* True if the process has an OpenMP runtime, so that blocks may change what the thread works for. */
extern bool upcs_has_runtime;
static inline bool upcs_thread_runtime(void)
{
	return __atomic_load_n(&upcs_has_runtime, __ATOMIC_RELAXED);
}
/* Note that code of an OpenMP runtime has been translated. */
void upcs_thread_has_runtime(void);
/* Note a load or store by the caller in the runtime's code. */
void upcs_thread_touched(uint64_t address, size_t bytes, bool store);
/* Note a futex call of the caller, which waits or wakes. */
void upcs_thread_futex(uint64_t address, uint64_t operation, uint64_t value);
/* How the caller's last block ended (UPCS_INSN_*), with UPCS_LAST_FRESH if it was the first of an activation
 * and UPCS_LAST_STRAY after a stray return. */
#define UPCS_LAST_FRESH 64u
#define UPCS_LAST_STRAY 128u
extern UPCS_TLS uint8_t upcs_last_end;
/* The last block with an end, or a block without an end directly after it. NULL at the thread's start. */
extern UPCS_TLS struct upcs_site *upcs_passed;
/*
 * Equal to upcs_counting if the last block had no end, since then the next block needs only to count. NULL if
 * the next block may need more. Other threads set upcs_bare to NULL together with upcs_counting. If the owner
 * has just read upcs_counting, it is attended only after its next block with an end.
 */
extern UPCS_TLS uint64_t *upcs_bare;
/* The thread's stack, if a block that follows a block with an end usually changes only this stack
 * (upcs_region_step). NULL if such blocks may change more. */
extern UPCS_TLS struct upcs_region_stack *upcs_stepping;

/*
 * Blocks without a call
 *
 * In a process without regions, blocks add to the counts themselves, at a fraction of the cost of a call of
 * the plugin. A thread that is attended needs the call: then all translated code is discarded, and from then
 * on all blocks call the plugin, in children too.
 *
 * From version 2 of QEMU's plugin interface on ("interface 2"), blocks add only to numbers of the vCPU
 * (score.h). With interface 1, a block adds to an address that is fixed when the block is translated: the
 * array of the process's only thread. A forked child has its counts at the same address as its parent,
 * because the child runs its parent's code. Such blocks must never run once there is a second thread.
 *
 * Before QEMU makes a second thread, it discards all code, and translates code for several threads from then
 * on. But QEMU does so only once in a process's life, and does so already when memory is mapped that other
 * processes may write. After such a mapping, the plugin itself discards the code before a thread is made:
 * when a stack is mapped, or at the latest in the call that makes the thread. In the latter case, the code is
 * discarded only when the maker has left that call. No count is ever lost. But if a thread's stack was not
 * mapped as a stack, the thread's first blocks may be counted as its maker's.
 */
/* Interface 1: memory was mapped that other processes may write. */
void upcs_process_shares(void);
/* Interface 1. expects_thread: the caller will probably make a thread soon. has_threads: a thread is made. */
void upcs_process_expects_thread(void);
void upcs_process_has_threads(void);
/* inlined: interface 1; return the counts that the caller's new blocks may add to, or NULL if the blocks have
 * to call the plugin. adds: other interfaces; return true if blocks may add without a call. */
uint64_t *upcs_thread_inlined(void);
bool upcs_thread_adds(void);
/* True if there are translated blocks that add without a call and must not: the counts of a forked child
 * could not be placed at its parent's address, or a thread is attended. Returns true only once for each
 * cause, so that the caller discards all code. */
bool upcs_process_has_old_code(void);
bool upcs_process_is_old(void); /* the same, without resetting it */

/* self: return the index of the caller's record, or UPCS_NO_THREAD. before_fork: the index of the forking
 * thread's record. */
uint32_t upcs_thread_self(void);
uint32_t upcs_thread_before_fork(void);
/* Return how often other threads requested that the caller be attended. */
uint64_t upcs_thread_changes(void);

/* Called between upcs_process_hold and upcs_process_release, for any thread. fold: fold the thread, and
 * return its tallies, which may lack a part of a block if the thread is not the caller; NULL for
 * UPCS_NO_THREAD. core: return the thread's core. id: return the thread's kernel thread id, or 0 if the
 * thread has ended. */
const uint64_t *upcs_thread_fold_locked(uint32_t index);
unsigned upcs_thread_core_locked(uint32_t index);
pid_t upcs_thread_id_locked(uint32_t index);
/* Attend the thread from its next block on, because its context has changed. Does nothing if has_to is false
 * and the thread is not attended already. */
void upcs_thread_attend_locked(uint32_t index, bool has_to);
/* Stop attending the caller. */
void upcs_thread_unattend_locked(void);

/* Split the block with the process's kinds. Takes the lock. */
void upcs_process_split(struct upcs_block *block);

/* Bring the records up to date. May be called by any thread. */
void upcs_fold(void);

#endif
