/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doorbell.h - how a program on the simulated node speaks with the simulator: the contract
 * of libupc in the guest and of the plugin that sees its system calls.
 *
 * A doorbell is a system call of a number that no kernel has,
 *
 *   syscall(UPCI_DOORBELL_CALL, operation, context, a, b, answer)
 *
 * with five 64-bit arguments. The kernel says ENOSYS, always; the simulator has acted and
 * written the answer to the guest's memory before. An answer begins with its status, which the
 * caller has set to UPCI_DOORBELL_NOBODY: where it still is, there is no simulator, or the
 * pointer was bad, and then nothing at all was done. A system call ends a block of translated
 * code, so that all instructions up to the call are counted and none behind it.
 *
 * A context is a unit of 256 counters that counts one thread, the one that made it; other
 * threads may use it as well, and then see the thread's counts up to a block. Its inputs:
 *
 *   ids 0 to 511	the Blue Gene/P events: those of the thread's own core count
 *   ids 512 to 1023	a patch panel: inputs 2 and 3 of a counter both carry what
 *			UPCI_DOORBELL_BIND put there, nothing at first
 *
 * Thresholds of events are the context's: it preloads the counter anew when it interrupts, so
 * that no count is lost however late the program hears of it. Interrupts are queued in the
 * context, and the thread gets one signal, until somebody has fetched all or starts the context,
 * which forgets those of before.
 *
 * An account is the work done for one number since the process began. A thread says for which number it
 * works; there is no account for 0. The work of an OpenMP team for a thread goes to the account that the
 * thread works for as it hands out the work, unless the member has gone on to another meanwhile. A thread
 * that is made while its maker works for an account works for that account, too, where it is in no region
 * of its own, until the maker has left the region; then it works for the account around it.
 * Accounts with the highest bit are for work in no region: they give way to those of teams, and not the
 * other way round. Accounts exist only with upc_run --accounts.
 *
 * All fields are little endian, as are the guests (x86-64, AArch64). The layout of existing fields
 * does not change; additions change the version.
 */
#ifndef UPCI_DOORBELL_H
#define UPCI_DOORBELL_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define UPCI_DOORBELL_CALL 0x5550
#define UPCI_DOORBELL_MAGIC UINT64_C(0x314c4c4542435055)
#define UPCI_DOORBELL_VERSION 3u

enum upci_doorbell_operation {
	UPCI_DOORBELL_HELLO,     /* answer: hello; no context			     */
	UPCI_DOORBELL_CREATE,    /* answer: word, the context; reset state	     */
	UPCI_DOORBELL_DESTROY,   /* answer: word				     */
	UPCI_DOORBELL_READ,      /* a: offset; answer: word, the register	     */
	UPCI_DOORBELL_WRITE,     /* a: offset, b: value; answer: word		     */
	UPCI_DOORBELL_PEEK,      /* answer: all registers, without what reading does */
	UPCI_DOORBELL_PRESET,    /* a: counter, b: count; answer: word		     */
	UPCI_DOORBELL_CLEAR,     /* a: pointer to four words, a bit for each counter
				    that is to have the count 0; answer: word	     */
	UPCI_DOORBELL_THRESHOLD, /* a: counter, b: period, 0 none; answer: word      */
	UPCI_DOORBELL_SIGNAL,    /* a: real-time signal of the guest, 0 none; answer: word */
	UPCI_DOORBELL_BIND,      /* a: counter, b: UPCI_PANEL_*; answer: word	     */
	UPCI_DOORBELL_FLIP,      /* a: counter, b: bit; answer: word		     */
	UPCI_DOORBELL_FETCH,     /* answer: the oldest interrupt, or NONE	     */
	UPCI_DOORBELL_ACCOUNT,   /* a: number; answer: word. In place of a context, as below, how many
				    regions are open, and 1; 0: as before; b: which (UPCI_DOORBELL_NAME) */
	UPCI_DOORBELL_BALANCE,   /* a: number; answer: balance			     */
	UPCI_DOORBELL_CLOSE,     /* a: number, b: so many from there are forgotten; answer: word */
};

/* Inputs of the patch panel, for a thread: all its instructions; those while it is on a core. A value
 * below 0x200 is the event of its own core that has this id on core 0. */
#define UPCI_PANEL_NOTHING 0xffffu
#define UPCI_PANEL_INSTRUCTIONS 0x200u
#define UPCI_PANEL_CORE_INSTRUCTIONS(core) (0x201u + (core))

enum upci_doorbell_status {
	UPCI_DOORBELL_NOBODY, /* not answered						*/
	UPCI_DOORBELL_DONE,
	UPCI_DOORBELL_NONE,        /* nothing to fetch						*/
	UPCI_DOORBELL_UNKNOWN,     /* no such operation, context, register, counter or signal	*/
	UPCI_DOORBELL_NO_MEMORY,   /* or as many contexts as there can be			*/
	UPCI_DOORBELL_NOT_COUNTED, /* told not to count this process; started without its thread */
};

struct upci_doorbell_word {
	uint64_t status;
	uint64_t value;
};

struct upci_doorbell_hello {
	uint64_t status;
	uint64_t magic;
	uint32_t version;
	uint32_t cores;
	uint32_t core;        /* the caller's */
	uint32_t accounts;    /* 1: there are */
	uint64_t produced[8]; /* bit per id: it is counted for whom it belongs to */
};

#define UPCI_DOORBELL_OUTSIDE (UINT64_C(1) << 63)
/* The bit of a region's name, by its number: the same in all threads. Numbers from 63 on share one. */
#define UPCI_DOORBELL_NAME(number) (UINT64_C(1) << ((number) < 63 ? (number) : 63))

/* Doubts of a balance: work of other threads may be missing; work for another may be in it. */
#define UPCI_DOORBELL_LOW 1u
#define UPCI_DOORBELL_HIGH 2u

/* The tallies of a core in the order of their events' ids, INSTRUCTIONS, and those of them that are
 * unknown. */
#define UPCI_DOORBELL_TALLIES 64u
struct upci_doorbell_balance {
	uint64_t status;
	uint64_t doubts; /* UPCI_DOORBELL_LOW, _HIGH */
	uint64_t tally[UPCI_DOORBELL_TALLIES];
};

struct upci_doorbell_registers {
	uint64_t status;
	uint64_t counter[256]; /* counts: without what a threshold has added */
	uint8_t field[256];
	uint64_t damaged[4]; /* a read would find a parity error */
};

struct upci_doorbell_interrupt {
	uint64_t status;
	uint32_t kind; /* enum upc_interrupt_kind */
	uint32_t counter;
	uint64_t value; /* its count at that moment */
	uint64_t lost;  /* interrupts so far for which there was no place */
};

/* Returns the answer's status. Handlers may. */
static inline uint64_t upci_ring(enum upci_doorbell_operation operation, uint64_t context, uint64_t a,
				 uint64_t b, void *answer)
{
	const int saved = errno;
	uint64_t *status = answer;

	*status = UPCI_DOORBELL_NOBODY;
	syscall(UPCI_DOORBELL_CALL, (long)operation, context, a, b, answer);
	errno = saved;
	return *status;
}

#endif
