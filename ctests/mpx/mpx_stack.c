/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_stack - slices that end while a handler of the program runs on an alternate stack, a small
 * one and a large one, behind which lies protected memory.
 */
#include <signal.h>
#include <stdint.h>

#include "../lib/signal_frame.h"
#include "mpx_util.h"

/* The stack frames that are not the kernel's: those of the program's handler, and of the library's
 * up to the point where it looks. Sanitizers put guards between variables. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FRAMES 8192
#else
#define FRAMES 1536
#endif

static volatile sig_atomic_t calls;

/* Runs for some milliseconds, in which slices end. */
static void handler(int signo)
{
	volatile long spin;

	(void)signo;
	for (spin = 0; spin < 10000000; spin++)
		;
	calls++;
}

static void on_stack(size_t size, int small)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + 2 * page - 1) / page;
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), after = before;
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK}, old_action;
	stack_t stack = {.ss_size = size}, old_stack;
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned turn = 0;

	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE))
		bail_out("no memory for a stack");
	stack.ss_sp = memory + page;
	sigaltstack(&stack, &old_stack);
	sigaction(SIGUSR1, &action, &old_action);
	works(mpx_thread_get_info(&before));
	calls = 0;
	do {
		raise(SIGUSR1);
		if (mpx_thread_get_info(&after))
			break;
	} while (++turn < 1000 &&
		 (small ? after.put_off == before.put_off : after.slices < before.slices + 3));
	sigaction(SIGUSR1, &old_action, NULL);
	sigaltstack(&old_stack, NULL);
	munmap(memory, pages * page);
	ok(calls > 0 && (small ? after.put_off > before.put_off : after.slices >= before.slices + 3),
	   "a stack of %zu bytes: %d calls of the handler, %llu slices ended and %llu were put off", size,
	   (int)calls, (unsigned long long)(after.slices - before.slices),
	   (unsigned long long)(after.put_off - before.put_off));
}

int main(void)
{
	const size_t frame = signal_frame();
	long long value[2] = {0};
	int set;

	start_papi();
	set = start_turns(1000000);
	on_stack(2 * frame + FRAMES, 1);
	on_stack(256 << 10, 0);
	works(mpx_set_stop(set, value));
	works(mpx_library_shutdown());
	return done();
}
