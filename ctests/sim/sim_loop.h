/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_loop.h - a loop whose instructions are known, for tests of what the simulated node
 * counts: one block of translated code an iteration.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

/* An iteration is ... */
#define LOOP_INSTRUCTIONS 7
#define LOOP_LOADS 1    /* 8 bytes, floating point */
#define LOOP_STORES 1   /* of the same             */
#define LOOP_MULTIPLY 1 /* floating point, scalar  */
#define LOOP_ADD 1      /* floating point, scalar  */
#define LOOP_BRANCHES 1

__attribute__((noinline, unused)) static void loop(unsigned long n)
{
	static _Thread_local double data[2] = {1, 1};

#if defined(__x86_64__)
	__asm__ volatile("1:\n\t"
			 "movsd (%1), %%xmm0\n\t"
			 "mulsd %%xmm1, %%xmm0\n\t"
			 "addsd %%xmm1, %%xmm0\n\t"
			 "movsd %%xmm0, 8(%1)\n\t"
			 "nop\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r"(n)
			 : "r"(data)
			 : "xmm0", "xmm1", "memory", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:\n\t"
			 "ldr d0, [%1]\n\t"
			 "fmul d0, d0, d1\n\t"
			 "fadd d0, d0, d1\n\t"
			 "str d0, [%1, #8]\n\t"
			 "nop\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b"
			 : "+r"(n)
			 : "r"(data)
			 : "v0", "v1", "memory", "cc");
#else
	(void)data; /* tests that need it are skipped */
	(void)n;
#endif
}

#endif
