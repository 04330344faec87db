/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_coroutines - slices that end while the program is on stacks of its own: coroutines by
 * swapcontext, and such as a few instructions make, without tables for unwinding; and while it is
 * in a function that has an address of PAPI's in its frame, left over from a call.
 */
#include <stdint.h>
#include <ucontext.h>

#include "mpx_util.h"

#define COROUTINES 4
#define TURNS 4000

static ucontext_t back, coroutine[COROUTINES];
static volatile long turns_left;
static volatile unsigned sink;

static void swap_for_ever(int self)
{
	for (;;) {
		volatile int spin;

		for (spin = 0; spin < 20; spin++)
			sink++;
		swapcontext(&coroutine[self], turns_left-- > 0 ? &coroutine[(self + 1) % COROUTINES] : &back);
	}
}

static void make_coroutines(size_t size, char *memory[COROUTINES])
{
	int i;

	for (i = 0; i < COROUTINES; i++) {
		memory[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory[i] == MAP_FAILED)
			bail_out("no memory for a stack");
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = memory[i];
		coroutine[i].uc_stack.ss_size = size;
		coroutine[i].uc_link = NULL;
		makecontext(&coroutine[i], (void (*)(void))swap_for_ever, 1, i);
	}
}

static unsigned long long slices(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	return mpx_thread_get_info(&info) ? 0 : info.slices;
}

/* Until so many slices have ended in it, and some 10 s at most. */
static int ends_slices(void (*function)(void), unsigned long long wanted)
{
	const unsigned long long before = slices();
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		function();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (slices() < before + wanted && now.tv_sec - begin.tv_sec < 10);
	note("%llu slices ended", slices() - before);
	return slices() >= before + wanted;
}

static void swap_some(void)
{
	turns_left = TURNS;
	swapcontext(&back, &coroutine[0]);
}

/* ---- a switch of stacks, without tables ---------------------------------------------- */

#ifdef __x86_64__
/* Saves what a call keeps, and takes the other's: rdi is where to save, rsi what to take. */
__asm__(".text\n"
	".type coroutine_switch, @function\n"
	"coroutine_switch:\n"
	"	push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
	"	ret\n"
	".size coroutine_switch, . - coroutine_switch\n");
void coroutine_switch(void **save, void *take);

/* Turns with wrong tables: the word at the stack pointer is said to be the return address. It is in a
 * function whose frame is found by rbp, and rbp leads nowhere. */
__asm__(".text\n"
	".type framed, @function\n"
	"framed:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 6, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register 6\n"
	"	nop\n nop\n"
	"framed_body:\n"
	"	nop\n pop %rbp\n ret\n"
	"	.cfi_endproc\n"
	".size framed, . - framed\n"
	".type spin_wrongly, @function\n"
	"spin_wrongly:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	mov $0x10, %rbp\n"
	"	lea framed_body(%rip), %rax\n"
	"	push %rax\n"
	"1:	dec %rdi\n jnz 1b\n"
	"	pop %rax\n pop %rbp\n ret\n"
	"	.cfi_endproc\n"
	".size spin_wrongly, . - spin_wrongly\n");
void spin_wrongly(long turns);

static void *main_sp, *small_sp;

static void spin_for_ever(void)
{
	for (;;) {
		spin_wrongly(100);
		coroutine_switch(&small_sp, main_sp);
	}
}

static void switch_some(void)
{
	long i;

	for (i = 0; i < TURNS; i++)
		coroutine_switch(&main_sp, small_sp);
}

static void on_small_stack(size_t size)
{
	const size_t guard = 64 << 10;
	char *memory = mmap(NULL, size + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t *sp;

	if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE))
		bail_out("no memory for a stack");
	sp = (uintptr_t *)(memory + guard + size) - 9;
	/* Six registers, and where to: as if called, from nowhere. */
	sp[6] = (uintptr_t)spin_for_ever;
	small_sp = sp;
	ok(ends_slices(switch_some, 20), "slices end on a stack of %zu KiB", size >> 10);
	munmap(memory, size + guard);
}
#endif

/* ---- an address of PAPI's ------------------------------------------------------------ */

static void spin_beside_a_word(void)
{
	volatile uintptr_t word[16];
	volatile long spin;
	int i;

	for (i = 0; i < 16; i++)
		word[i] = (uintptr_t)PAPI_get_component_info + 1;
	for (spin = 0; spin < 1000000; spin++)
		sink += (unsigned)word[spin & 15];
}

/* The same while libc runs, which PAPI calls, too: for longer than 100 slices of 10 ms, which is how long
 * ticks may be put off. */
static void clear_beside_a_word(void)
{
	const size_t size = 32 << 20;
	volatile uintptr_t word[16];
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec begin, now;
	int i;

	if (memory == MAP_FAILED)
		bail_out("no memory to clear");
	for (i = 0; i < 16; i++)
		word[i] = (uintptr_t)PAPI_get_component_info + 1;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		memset(memory, i++, size);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec - begin.tv_sec < 3);
	sink += (unsigned)word[i & 15];
	munmap(memory, size);
}

static void late_slices(void)
{
	int set = start_turns(10000000);
	struct mpx_estimate e[2];

	ok(ends_slices(clear_beside_a_word, 1),
	   "ticks beside an address that is left over are not put off for ever");
	/* The lost slice belongs to one of the two events. */
	e[0] = estimate_of(set, 0);
	e[1] = estimate_of(set, 1);
	ok((e[0].flags | e[1].flags) & MPX_LOST, "their slice is lost: flags %x and %x", e[0].flags,
	   e[1].flags);
	works(mpx_set_stop(set, NULL));
	works(mpx_library_shutdown());
}

static void under_slices(uint64_t slice_ns)
{
	const unsigned long long some = slice_ns < 1000000 ? 1000 : 20;
	char *memory[COROUTINES];
	long long value[2] = {0};
	int set = start_turns(slice_ns), i;

	make_coroutines(256 << 10, memory);
	ok(ends_slices(swap_some, some), "slices of %llu us end in coroutines of swapcontext",
	   (unsigned long long)slice_ns / 1000);
	ok(ends_slices(spin_beside_a_word, some), "slices of %llu us end beside an address that is left over",
	   (unsigned long long)slice_ns / 1000);
#ifdef __x86_64__
	on_small_stack(256 << 10);
	on_small_stack(64 << 10);
#endif
	works(mpx_set_stop(set, value));
	works(mpx_library_shutdown());
	for (i = 0; i < COROUTINES; i++)
		munmap(memory[i], 256 << 10);
}

int main(void)
{
	start_papi();
	under_slices(100000);
	under_slices(10000000);
	late_slices();
	return done();
}
