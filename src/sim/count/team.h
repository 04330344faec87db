/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h - functions that an OpenMP runtime hands from thread to thread, and for which regions.
 *
 * The body of a parallel region or a task lies in a function that the compiler has taken out of
 * the program. A thread that meets it calls the runtime, which stores the function's address somewhere;
 * a thread that works takes it from there and calls it. A place in memory that holds such an address
 * thus says for which regions the work is: those in which the storing thread was. Neither registers nor
 * the layout of any runtime are needed.
 *
 * Called for what the runtime's own code does to memory, and where it is entered and left.
 */
#ifndef UPCS_TEAM_H
#define UPCS_TEAM_H

#include <stdbool.h>
#include <stdint.h>

/* The work of a function in a thread's hands: its regions, bit per region, and its account. */
struct upcs_team_work {
	uint64_t function, account;
	uint16_t regions;
	bool sure;
};

#define UPCS_TEAM_RECENT 8u

/* The functions that a thread has taken from memory and may call. All zero at first. */
struct upcs_team_hand {
	struct upcs_team_work recent[UPCS_TEAM_RECENT];
	unsigned next;
};

/* Code of the program lies there: only what points to such code is looked at. Any thread. */
void upcs_team_code(uint64_t begin, uint64_t end);
bool upcs_team_is_code(uint64_t value);

/* The program calls the runtime. */
void upcs_team_enter(struct upcs_team_hand *hand);
/* In the runtime a thread that works for these regions and this account has stored the address of code; or
 * loaded it. */
void upcs_team_store(struct upcs_team_hand *hand, uint16_t regions, uint64_t account, uint64_t address,
		     uint64_t value);
void upcs_team_load(struct upcs_team_hand *hand, uint64_t address, uint64_t value);
/*
 * The runtime calls a function of the program. True: it was in the thread's hands, and *work says
 * for which regions. False: it came with the call of the runtime, or it is not known from where;
 * then what is known of the function by itself is in *work, if anything is.
 */
bool upcs_team_call(struct upcs_team_hand *hand, uint64_t function, struct upcs_team_work *work);

#endif
