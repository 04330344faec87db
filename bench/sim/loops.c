/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loops - loops for measuring a simulator's speed, each with one kind of operation.
 *
 * Usage: loops NAME COUNT [THREADS]    prints a number that depends on all operations
 *        loops                         prints the names
 *
 * COUNT is the number of rounds, of about a thousand operations each. THREADS additional threads share the
 * rounds; without THREADS, the main thread does all of them.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 64
#define WORDS 1024

struct thread {
	pthread_t id;
	uint64_t (*loop)(struct thread *thread);
	unsigned long rounds;
	uint64_t result;
	double x[WORDS], y[WORDS];
	uint32_t next[WORDS];
	uint64_t from[WORDS], to[WORDS];
};

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* ---- the loops ------------------------------------------------------------------------ */

/* Do additions, shifts and logic in registers. */
static uint64_t integer(struct thread *t)
{
	uint32_t a = 1, b = 2, c = 3;
	unsigned long r;
	unsigned i;

	for (r = 0; r < t->rounds; r++)
		for (i = 0; i < 128; i++) {
			a += b ^ (c >> 3);
			b = (b << 5 | b >> 27) + i;
			c = (c & a) + (b | 1);
		}
	return a ^ b ^ c;
}

/* Compute y += s x. */
static uint64_t daxpy(struct thread *t)
{
	double s = 0x1p-20, sum = 0;
	unsigned long r;
	unsigned i;

	for (r = 0; r < t->rounds; r++)
		for (i = 0; i < 256; i++)
			t->y[i] += s * t->x[i];
	for (i = 0; i < 256; i++)
		sum += t->y[i];
	return (uint64_t)sum;
}

/* Load words, each of which contains the index of the next one. */
static uint64_t chase(struct thread *t)
{
	unsigned long r;
	uint32_t at = 0;
	unsigned i;

	for (r = 0; r < t->rounds; r++)
		for (i = 0; i < 512; i++)
			at = t->next[at];
	return at;
}

/* Compute a Fibonacci number recursively: blocks are short, and many end in a return. */
__attribute__((noinline, noclone)) static uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint64_t calls(struct thread *t)
{
	unsigned long r;
	uint64_t sum = 0;

	for (r = 0; r < t->rounds; r++)
		sum += fibonacci(8 + (uint32_t)(r & 1));
	return sum;
}

/* Do conditional jumps that depend on data and are taken half of the time. */
static uint64_t branchy(struct thread *t)
{
	uint32_t state = 1, odd = 0, low = 0, high = 0;
	unsigned long r;
	unsigned i;

	for (r = 0; r < t->rounds; r++)
		for (i = 0; i < 80; i++) {
			uint32_t value = next_random(&state);

			if (value & 1)
				odd += value >> 7;
			if (value & 0x100)
				low ^= odd;
			else
				high += 3 * low;
			if ((value & 0x6000) == 0x2000)
				odd -= high;
		}
	return odd ^ low ^ high;
}

/* Copy an array word by word. The copied data changes. */
static uint64_t copy(struct thread *t)
{
	volatile uint64_t *to = t->to;
	unsigned long r;
	unsigned i;

	for (r = 0; r < t->rounds; r++) {
		t->from[r % 256] += r;
		for (i = 0; i < 256; i++)
			to[i] = t->from[i];
	}
	return t->to[7] ^ t->to[255];
}

/* Do dependent divisions and multiplications, which the emulator computes in software. */
static uint64_t floating(struct thread *t)
{
	double a = 1.5, b = 2.5;
	unsigned long r;
	unsigned i;

	for (r = 0; r < t->rounds; r++)
		for (i = 0; i < 64; i++) {
			a = (a * b + 3.0) / (b + 1.0);
			b = b * 0.75 + a * 0.125 - 0.5 / a;
		}
	return (uint64_t)(1e6 * (a + b));
}

static const struct {
	const char *name;
	uint64_t (*loop)(struct thread *t);
} loops[] = {
	{"integer", integer}, {"daxpy", daxpy}, {"chase", chase},       {"calls", calls},
	{"branchy", branchy}, {"copy", copy},   {"floating", floating},
};
#define LOOPS (sizeof(loops) / sizeof(loops[0]))

/* ---- threads -------------------------------------------------------------------------- */

/* Fill the words with one random cycle through all of them (Sattolo's algorithm). */
static void fill(struct thread *t)
{
	uint32_t state = 12345;
	unsigned i;

	for (i = 0; i < WORDS; i++) {
		t->x[i] = i;
		t->y[i] = 1;
		t->from[i] = i;
		t->to[i] = 0;
		t->next[i] = i;
	}
	for (i = WORDS - 1; i > 0; i--) {
		uint32_t j = next_random(&state) % i, other = t->next[j];

		t->next[j] = t->next[i];
		t->next[i] = other;
	}
}

static void *run(void *thread)
{
	struct thread *t = thread;

	fill(t);
	t->result = t->loop(t);
	return NULL;
}

static int run_all(uint64_t (*loop)(struct thread *t), unsigned long rounds, unsigned threads)
{
	unsigned shares = threads ? threads : 1, i;
	struct thread *t = calloc(shares, sizeof(*t));
	uint64_t result = 0;

	for (i = 0; t && i < shares; i++) {
		t[i].loop = loop;
		t[i].rounds = rounds / shares + (i < rounds % shares);
		if (!threads)
			run(&t[i]);
		else if (pthread_create(&t[i].id, NULL, run, &t[i]))
			break;
	}
	if (i < shares) {
		fprintf(stderr, "loops: no memory for %u threads\n", threads);
		return 1; /* exit ends the running threads, too */
	}
	for (i = 0; i < shares; i++) {
		if (threads)
			pthread_join(t[i].id, NULL);
		result += t[i].result;
	}
	printf("%016llx\n", (unsigned long long)result);
	free(t);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	unsigned i;

	for (i = 0; argc == 1 && i < LOOPS; i++)
		puts(loops[i].name);
	if (argc == 1)
		return 0;
	for (i = 0; i < LOOPS; i++)
		if (argc <= 4 && rounds && threads <= THREADS_MAX && strcmp(argv[1], loops[i].name) == 0)
			return run_all(loops[i].loop, rounds, (unsigned)threads);
	fprintf(stderr, "Usage: loops [NAME COUNT [THREADS]]\n");
	return 2;
}
