/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine.c - speed of the cycle engine with its input signals streamed from memory, compared with this core's
 * read bandwidth and with a plain loop. All 1024 inputs are random, all modes and inputs are mixed, and no
 * interrupts are enabled.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "engine/engine_cycle.h"
#include "plain_unit.h"

#define CHUNK ((uint64_t)16384) /* cycles a call: 2 MiB of signals */
#define CALLS 4
#define CYCLE_BYTES sizeof(struct upci_signals)

struct stream {
	const struct upci_signals *signals;
	uint64_t chunks, at;
};

struct engine_run {
	struct stream stream;
	struct upci_engine *engine;
};

struct plain_run {
	struct stream stream;
	struct plain_unit unit;
};

struct sum_run {
	struct stream stream;
	uint64_t sum;
};

static const struct upci_signals *next_chunk(struct stream *s)
{
	const struct upci_signals *chunk = s->signals + s->at * CHUNK;

	s->at = (s->at + 1) % s->chunks;
	return chunk;
}

static void run_engine(void *arg, unsigned calls)
{
	struct engine_run *r = arg;

	while (calls--)
		upci_engine_cycle.run_signals(r->engine, next_chunk(&r->stream), CHUNK);
}

static void run_plain(void *arg, unsigned calls)
{
	struct plain_run *r = arg;

	while (calls--)
		plain_unit_run(&r->unit, next_chunk(&r->stream), CHUNK);
}

typedef uint64_t v4 __attribute__((vector_size(32), __may_alias__));

/* Read all input and do the least possible work on it. */
#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
static uint64_t
sum(const struct upci_signals *signals, uint64_t n)
{
	const v4 *v = (const v4 *)signals, *end = (const v4 *)(signals + n);
	v4 a = {0}, b = {0}, c = {0}, d = {0};

	for (; v < end; v += 4) {
		a += v[0];
		b += v[1];
		c += v[2];
		d += v[3];
	}
	a += b + c + d;
	return a[0] + a[1] + a[2] + a[3];
}

static void run_sum(void *arg, unsigned calls)
{
	struct sum_run *r = arg;

	while (calls--)
		r->sum += sum(next_chunk(&r->stream), CHUNK);
}

/* Return the array's size: at least 256 MiB and four times the L3 cache, but at most a quarter of the free
 * memory, if that is more than 32 MiB. */
static uint64_t array_bytes(void)
{
	uint64_t bytes = (uint64_t)256 << 20;
	uint64_t memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

	while (cache > 0 && bytes < 4 * (uint64_t)cache)
		bytes *= 2;
	while (bytes > memory / 4 && bytes > (uint64_t)32 << 20)
		bytes /= 2;
	return bytes;
}

static uint64_t random64(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static struct upci_signals *random_array(uint64_t bytes)
{
	uint64_t *w = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), i;

	if (w == MAP_FAILED) {
		fprintf(stderr, "no memory for %llu MiB of signals\n", (unsigned long long)bytes >> 20);
		exit(1);
	}
	(void)madvise(w, bytes, MADV_HUGEPAGE);
	for (i = 0; i < bytes / sizeof(*w); i++)
		w[i] = random64();
	return (struct upci_signals *)w;
}

static void no_event(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle)
{
	(void)arg, (void)event, (void)counter, (void)cycle;
	abort();
}

/* Return a counter's configuration field: a fixed mixture, the same for all engines. */
static uint8_t field(unsigned counter)
{
	return (uint8_t)((counter * 7 + counter / 16) % 16);
}

static struct upci_engine *engine_create(enum upci_isa isa)
{
	struct upci_engine *e = upci_engine_cycle_create(&(struct upci_engine_sink){no_event, NULL}, isa);
	unsigned i, k;

	if (!e)
		exit(1);
	for (i = 0; i < UPC_COUNTERS; i += 8) {
		uint64_t fields = 0;

		for (k = 0; k < 8; k++)
			fields |= (uint64_t)field(i + k) << 8 * k;
		upci_engine_cycle.write(e, UPC_REG_CONFIG(i / 8), fields);
	}
	upci_engine_cycle.write(e, UPC_REG_START_STOP, 1);
	return e;
}

static void plain_reset(struct plain_unit *unit, const struct upci_signals *first)
{
	unsigned i;

	memset(unit, 0, sizeof(*unit));
	for (i = 0; i < UPC_COUNTERS; i++) {
		plain_unit_configure(unit, i, field(i));
		/* Avoid a false edge at the first cycle. */
		unit->counter[i].p = first->bank[field(i) & UPC_FIELD_INPUT][i / 64] >> i % 64 & 1;
	}
}

/* Exit with a message if the engine and the plain loop count differently. */
static void verify(const struct upci_signals *signals, enum upci_isa isa)
{
	static struct plain_unit unit;
	struct upci_engine *e = engine_create(isa);
	uint64_t value;
	unsigned i;

	plain_reset(&unit, signals);
	plain_unit_run(&unit, signals, 5 * CHUNK + 7);
	upci_engine_cycle.run_signals(e, signals, 5 * CHUNK + 7);
	for (i = 0; i < UPC_COUNTERS; i++)
		if (upci_engine_cycle.read(e, UPC_REG_COUNTER(i), &value) ||
		    value != plain_unit_read(&unit, i)) {
			fprintf(stderr, "counter %u: the cycle engine (%s) and the plain loop differ\n", i,
				upci_isa_name(isa));
			exit(1);
		}
	upci_engine_cycle.destroy(e);
}

/* Convert ns per call into millions of cycles per second. */
static double mcycles(double ns)
{
	return (double)CHUNK * 1e3 / ns;
}

int main(void)
{
	uint64_t bytes = array_bytes();
	struct upci_signals *signals = random_array(bytes);
	struct stream stream = {.signals = signals, .chunks = bytes / CYCLE_BYTES / CHUNK};
	static struct engine_run engine[UPCI_ISAS];
	static struct plain_run plain;
	static struct sum_run sums;
	struct bench_subject subject[2 + UPCI_ISAS] = {{run_sum, &sums, 0}, {run_plain, &plain, 0}};
	enum upci_isa of[2 + UPCI_ISAS] = {UPCI_ISA_PLAIN};
	unsigned n = 2, i;
	char name[64];

	for (i = 0; i < UPCI_ISAS; i++) {
		if (!upci_isa_usable((enum upci_isa)i))
			continue;
		verify(signals, (enum upci_isa)i);
		engine[i].engine = engine_create((enum upci_isa)i);
		of[n] = (enum upci_isa)i;
		subject[n++] = (struct bench_subject){run_engine, &engine[i], 0};
	}
	plain_reset(&plain.unit, signals);
	/* The subjects read distant parts of the array, so none finds in the cache what another has read. */
	sums.stream = plain.stream = stream;
	plain.stream.at = stream.chunks / n;
	for (i = 2; i < n; i++) {
		engine[of[i]].stream = stream;
		engine[of[i]].stream.at = stream.chunks * i / n;
	}
	bench_in_turn(subject, n, CALLS);

	bench_print("read_bandwidth", (double)(CHUNK * CYCLE_BYTES) / subject[0].median, "GB/s");
	bench_print("plain_loop", mcycles(subject[1].median), "Mcycles/s");
	for (i = 2; i < n; i++) {
		snprintf(name, sizeof(name), "engine_cycle_%s", upci_isa_name(of[i]));
		bench_print(name, mcycles(subject[i].median), "Mcycles/s");
		snprintf(name, sizeof(name), "engine_cycle_%s_to_bandwidth", upci_isa_name(of[i]));
		bench_ratio(name, subject[0].median / subject[i].median);
		snprintf(name, sizeof(name), "engine_cycle_%s_to_plain_loop", upci_isa_name(of[i]));
		bench_ratio(name, subject[1].median / subject[i].median);
	}
	/* The last usable instruction set is the one that a unit uses. */
	bench_print("engine_cycle", mcycles(subject[n - 1].median), "Mcycles/s");
	bench_ratio("engine_cycle_to_bandwidth", subject[0].median / subject[n - 1].median);
	bench_ratio("engine_cycle_to_plain_loop", subject[1].median / subject[n - 1].median);
	for (i = 2; i < n; i++)
		upci_engine_cycle.destroy(engine[of[i]].engine);
	munmap(signals, bytes);
	/* Use the sum, or the compiler would drop the loop. */
	return sums.sum == 1;
}
