/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal_frame.h - measures how much stack a signal needs on this machine. AT_MINSIGSTKSZ is the maximum,
 * which includes room for registers that a program must request first, such as those of AMX.
 */
#ifndef SIGNAL_FRAME_H
#define SIGNAL_FRAME_H

#include <signal.h>
#include <stddef.h>

static const char *volatile signal_frame_end;

static void signal_frame_find(int signo)
{
	(void)signo;
	signal_frame_end = __builtin_frame_address(0);
}

/* Return the bytes that a signal needs, including the frame of an empty handler. Restores SIGUSR1's handler
 * and the thread's alternate stack. */
static inline size_t signal_frame(void)
{
	static char memory[64 << 10];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	const struct sigaction action = {.sa_handler = signal_frame_find, .sa_flags = SA_ONSTACK};
	struct sigaction old_action;
	stack_t old_stack;

	sigaltstack(&stack, &old_stack);
	sigaction(SIGUSR1, &action, &old_action);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old_action, NULL);
	sigaltstack(&old_stack, NULL);
	return (size_t)(memory + sizeof(memory) - signal_frame_end);
}

#endif
