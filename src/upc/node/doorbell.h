/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doorbell.h - the interface between a program on the simulated node and the simulator: between libupc in the
 * guest and the plugin that sees the guest's system calls.
 *
 * A doorbell is a system call with a number that no kernel has,
 *
 *   syscall(UPCI_DOORBELL_CALL, operation, context, a, b, answer)
 *
 * with five 64-bit arguments. The kernel always returns ENOSYS. Before that, the simulator has acted and
 * written the answer to the guest's memory. An answer begins with its status, which the caller sets to
 * UPCI_DOORBELL_NOBODY. If it still has this value, there is no simulator, or the pointer was bad, and
 * nothing was done. A system call ends a block of translated code, so all instructions up to the call are
 * counted and none after it.
 *
 * A context is a unit of 256 counters that counts one thread: the thread that created it. Other threads may
 * use it as well; they see the counts of that thread up to its last completed block. Inputs of a context:
 *
 *   ids 0 to 511     the Blue Gene/P events; only those of the thread's own core count
 *   ids 512 to 1023  a patch panel: inputs 2 and 3 of a counter both carry the signal that
 *                    UPCI_DOORBELL_BIND put there, nothing at first
 *
 * The context makes thresholds per event. When it interrupts, it preloads the counter for the next interrupt,
 * so no count is lost however late the program receives the signal. Interrupts are queued in the context. The
 * thread gets one signal, and no other until all interrupts are fetched or the context is started, which
 * discards earlier ones.
 *
 * An account is the work done for one number since the process began. A thread declares the number for which
 * it works; number 0 has no account. The work of an OpenMP team belongs to the account for which the thread
 * that hands out the work works at that time, except the work of a member that has moved to another account
 * meanwhile. A new thread is in no region. While it is in none, it works for the account for which its
 * creator worked when it created the thread, and for the enclosing account once the creator has left that
 * region. Accounts whose number has the highest bit (UPCI_DOORBELL_OUTSIDE) are for work in no region. The
 * account of a team takes precedence over them, never the reverse. Accounts exist only with upc_run
 * --accounts.
 *
 * All fields are little endian, as are the guests (x86-64, AArch64). The layout of existing fields does not
 * change; additions change the version.
 *
 * Terms: node/sim.h, engine/engine.h, engine/threshold.h.
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
	UPCI_DOORBELL_HELLO,   /* answer: hello; no context */
	UPCI_DOORBELL_CREATE,  /* answer: word, the context; reset state */
	UPCI_DOORBELL_DESTROY, /* answer: word */
	UPCI_DOORBELL_READ,    /* a: offset; answer: word, the register */
	UPCI_DOORBELL_WRITE,   /* a: offset, b: value; answer: word */
	UPCI_DOORBELL_PEEK,    /* answer: all registers, without the side effects of a read */
	UPCI_DOORBELL_PRESET,  /* a: counter, b: count; answer: word */
	UPCI_DOORBELL_CLEAR,   /* a: pointer to four words, with a bit for each counter whose count becomes 0;
				  answer: word */
	UPCI_DOORBELL_THRESHOLD, /* a: counter, b: period, 0 none; answer: word */
	UPCI_DOORBELL_SIGNAL,    /* a: real-time signal of the guest, 0 none; answer: word */
	UPCI_DOORBELL_BIND,      /* a: counter, b: UPCI_PANEL_*; answer: word */
	UPCI_DOORBELL_FLIP,      /* a: counter, b: bit; answer: word */
	UPCI_DOORBELL_FETCH,     /* answer: the oldest interrupt, or NONE */
	UPCI_DOORBELL_ACCOUNT,   /* a: number; context: number of open regions + 1, or 0: unchanged; b: their
				    names (UPCI_DOORBELL_NAME); answer: word */
	UPCI_DOORBELL_BALANCE,   /* a: number; answer: balance */
	UPCI_DOORBELL_CLOSE,     /* a: first number, b: how many accounts are forgotten; answer: word */
};

/* Inputs of the patch panel, for a thread: all its instructions, or its instructions while it is on a core. A
 * value below 0x200 is the event of its own core that has this id on core 0. */
#define UPCI_PANEL_NOTHING 0xffffu
#define UPCI_PANEL_INSTRUCTIONS 0x200u
#define UPCI_PANEL_CORE_INSTRUCTIONS(core) (0x201u + (core))

enum upci_doorbell_status {
	UPCI_DOORBELL_NOBODY, /* not answered */
	UPCI_DOORBELL_DONE,
	UPCI_DOORBELL_NONE,        /* nothing to fetch */
	UPCI_DOORBELL_UNKNOWN,     /* no such operation, context, register, counter or signal */
	UPCI_DOORBELL_NO_MEMORY,   /* or the maximum number of contexts exists */
	UPCI_DOORBELL_NOT_COUNTED, /* the simulator does not count this process, or the context was started
				      without its thread */
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
	uint32_t core;        /* core of the caller */
	uint32_t accounts;    /* 1: accounts exist */
	uint64_t produced[8]; /* one bit per id: the simulator counts the event */
};

#define UPCI_DOORBELL_OUTSIDE (UINT64_C(1) << 63)
/* The bit for the name of a region, by the name's number, which is the same in all threads. Numbers from 63
 * on share one bit. */
#define UPCI_DOORBELL_NAME(number) (UINT64_C(1) << ((number) < 63 ? (number) : 63))

/* Doubts about a balance: LOW: work of other threads may be missing; HIGH: work for another account may be
 * included. */
#define UPCI_DOORBELL_LOW 1u
#define UPCI_DOORBELL_HIGH 2u

/* The tallies of a core in the order of their events' ids, then INSTRUCTIONS, then the unknown
 * instructions. */
#define UPCI_DOORBELL_TALLIES 64u
struct upci_doorbell_balance {
	uint64_t status;
	uint64_t doubts; /* UPCI_DOORBELL_LOW and _HIGH */
	uint64_t tally[UPCI_DOORBELL_TALLIES];
};

struct upci_doorbell_registers {
	uint64_t status;
	uint64_t counter[256]; /* counts, without the preload of a threshold */
	uint8_t field[256];
	uint64_t damaged[4]; /* one bit per counter: a read would find a parity error */
};

struct upci_doorbell_interrupt {
	uint64_t status;
	uint32_t kind; /* enum upc_interrupt_kind */
	uint32_t counter;
	uint64_t value; /* count of the counter's event at the moment of the interrupt */
	uint64_t lost;  /* number of interrupts so far that did not fit in the queue */
};

/* Ring the doorbell. Return the answer's status. Async-signal-safe. */
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
