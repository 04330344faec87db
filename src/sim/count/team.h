/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h - functions that an OpenMP runtime passes from thread to thread, and the regions that these
 * functions work for.
 *
 * The compiler moves the body of a parallel region or a task into a separate function. A thread that reaches
 * such a construct calls the runtime, which stores the function's address in memory. A thread that works
 * loads the address from there and calls it. A memory location that holds such an address thus identifies the
 * regions that the work is for: those of the storing thread. Neither registers nor the layout of any runtime
 * are needed.
 *
 * The functions below are called for loads and stores by the runtime's code, and when a thread enters or
 * leaves that code.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_TEAM_H
#define UPCS_TEAM_H

#include <stdbool.h>
#include <stdint.h>

/* The work of a function: the regions (a bit per region) and the account that the function works for. sure:
 * false if different calls of the runtime passed the function for different regions or accounts. */
struct upcs_team_work {
	uint64_t function, account;
	uint16_t regions;
	bool sure;
};

#define UPCS_TEAM_RECENT 8u

/* The functions that a thread has loaded from memory and may call. All zero at first. */
struct upcs_team_hand {
	struct upcs_team_work recent[UPCS_TEAM_RECENT];
	unsigned next;
};

/* Note an address range of the program's code. Only values that point to such code are examined. Any
 * thread. */
void upcs_team_code(uint64_t begin, uint64_t end);
bool upcs_team_is_code(uint64_t value);

/* Begin a call of the runtime by the program: the thread has loaded no function yet. */
void upcs_team_enter(struct upcs_team_hand *hand);
/* Note that the runtime stored a code address, or loaded one, in a thread that works for these regions and
 * this account. */
void upcs_team_store(struct upcs_team_hand *hand, uint16_t regions, uint64_t account, uint64_t address,
		     uint64_t value);
void upcs_team_load(struct upcs_team_hand *hand, uint64_t address, uint64_t value);
/*
 * Note that the runtime calls a function of the program. Return true if the thread had loaded the function;
 * *work holds its regions. Return false if the function was passed in the call of the runtime or its origin
 * is unknown; *work then holds the last known work of the function, or zeros.
 */
bool upcs_team_call(struct upcs_team_hand *hand, uint64_t function, struct upcs_team_work *work);

#endif
