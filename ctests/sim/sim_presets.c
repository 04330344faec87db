/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_presets - PAPI's presets in a program on the simulated node, which is linked with the
 * ordinary PAPI, as any other. The test runs itself under upc_run, twice: what it says, counts
 * included, must be the same both times.
 *
 * sim_presets N: PAPI's counts of N iterations, for sim_preload.sh.
 */
#include <signal.h>
#include <sys/time.h>

#include "../papi/papi_util.h"
#include "sim_ways.h"

#define INSIDE "UPC_TEST_SIM_INSIDE"
#define N 1000

/* ---- work whose counts are known ----------------------------------------------------- */

/* An iteration is ... */
#if defined(__aarch64__)
#define MIX_INSTRUCTIONS 14
#else
#define MIX_INSTRUCTIONS 13
#endif
#define MIX_LOADS 1
#define MIX_STORES 1
#define MIX_BRANCHES 1
#define MIX_ADD 5      /* two scalar ones, three of two lanes: x86's third is one of four */
#define MIX_MULTIPLY 2 /* of each kind one */
#define MIX_DIVIDE 1
#define MIX_FMA 2 /* of each kind one */
#define MIX_FP (MIX_ADD + MIX_MULTIPLY + MIX_DIVIDE + MIX_FMA)
#define MIX_OPERATIONS (2 + 3 * 2 + 1 + 2 + MIX_DIVIDE + 2 + 4)

/* By this name upc_run's report has it as a region. */
void sim_presets_mix(unsigned long n);

__attribute__((noinline)) void sim_presets_mix(unsigned long n)
{
	static _Thread_local double data[2] = {1, 1};

#if defined(__x86_64__)
	__asm__ volatile("vxorpd %%ymm0, %%ymm0, %%ymm0\n\t"
			 "vxorpd %%ymm1, %%ymm1, %%ymm1\n\t"
			 "vxorpd %%ymm2, %%ymm2, %%ymm2\n\t"
			 "1:\n\t"
			 "movsd (%1), %%xmm0\n\t"
			 "mulsd %%xmm0, %%xmm0\n\t"
			 "addsd %%xmm1, %%xmm0\n\t"
			 "subsd %%xmm1, %%xmm0\n\t"
			 "divsd %%xmm0, %%xmm0\n\t"
			 "vfmadd231sd %%xmm1, %%xmm1, %%xmm0\n\t"
			 "addpd %%xmm1, %%xmm1\n\t"
			 "mulpd %%xmm1, %%xmm1\n\t"
			 "vfmadd231pd %%xmm1, %%xmm1, %%xmm1\n\t"
			 "vaddpd %%ymm2, %%ymm2, %%ymm2\n\t"
			 "movsd %%xmm0, 8(%1)\n\t"
			 "dec %0\n\t"
			 "jnz 1b\n\t"
			 "vzeroupper"
			 : "+r"(n)
			 : "r"(data)
			 : "xmm0", "xmm1", "xmm2", "memory", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("movi v1.2d, #0\n\t"
			 "movi v2.2d, #0\n\t"
			 "1:\n\t"
			 "ldr d0, [%1]\n\t"
			 "fmul d0, d0, d0\n\t"
			 "fadd d0, d0, d1\n\t"
			 "fsub d0, d0, d1\n\t"
			 "fdiv d0, d0, d0\n\t"
			 "fmadd d0, d1, d1, d0\n\t"
			 "fadd v1.2d, v1.2d, v1.2d\n\t"
			 "fmul v1.2d, v1.2d, v1.2d\n\t"
			 "fmla v1.2d, v1.2d, v1.2d\n\t"
			 "fadd v2.2d, v2.2d, v2.2d\n\t"
			 "fadd v2.2d, v2.2d, v2.2d\n\t"
			 "str d0, [%1, #8]\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b"
			 : "+r"(n)
			 : "r"(data)
			 : "v0", "v1", "v2", "memory", "cc");
#else
	(void)data; /* the test is skipped */
	(void)n;
#endif
}

static const struct {
	int code;
	const char *name;
	long long each; /* an iteration */
	int natives;
} presets[] = {
	{PAPI_TOT_INS, "PAPI_TOT_INS", MIX_INSTRUCTIONS, 1},
	{PAPI_LD_INS, "PAPI_LD_INS", MIX_LOADS, 1},
	{PAPI_SR_INS, "PAPI_SR_INS", MIX_STORES, 1},
	{PAPI_LST_INS, "PAPI_LST_INS", MIX_LOADS + MIX_STORES, 2},
	{PAPI_BR_INS, "PAPI_BR_INS", MIX_BRANCHES, 1},
	{PAPI_FMA_INS, "PAPI_FMA_INS", MIX_FMA, 2},
	{PAPI_FAD_INS, "PAPI_FAD_INS", MIX_ADD, 2},
	{PAPI_FML_INS, "PAPI_FML_INS", MIX_MULTIPLY, 2},
	{PAPI_FDV_INS, "PAPI_FDV_INS", MIX_DIVIDE, 1},
	{PAPI_FP_INS, "PAPI_FP_INS", MIX_FP, 7},
	{PAPI_FP_OPS, "PAPI_FP_OPS", MIX_OPERATIONS, 1},
};
#define PRESETS (sizeof(presets) / sizeof(*presets))

static int make_set(int multiplexed)
{
	int set = PAPI_NULL, error = PAPI_create_eventset(&set);
	size_t i;

	if (!error && multiplexed)
		error = PAPI_assign_eventset_component(set, 0) || PAPI_set_multiplex(set);
	for (i = 0; i < PRESETS && !error; i++)
		error = PAPI_add_event(set, presets[i].code);
	if (error)
		note("no set: %s", PAPI_strerror(error));
	return error ? PAPI_NULL : set;
}

static void drop_set(int set)
{
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* ---- which there are --------------------------------------------------------------------- */

static void test_names(void)
{
	static const int absent[] = {PAPI_TOT_CYC, PAPI_L1_DCM, PAPI_TLB_DM, PAPI_VEC_INS, PAPI_INT_INS,
				     PAPI_BR_TKN,  PAPI_BR_CN,  PAPI_SP_OPS, PAPI_FSQ_INS, PAPI_TOT_IIS};
	int code = 0 | PAPI_PRESET_MASK, good = 1, n = 0;
	PAPI_event_info_t info;
	size_t i;

	for (i = 0; i < PRESETS; i++)
		good &= PAPI_query_event(presets[i].code) == PAPI_OK &&
			PAPI_get_event_info(presets[i].code, &info) == PAPI_OK &&
			(int)info.count == presets[i].natives && strncmp(info.name[0], "upc:::", 6) == 0 &&
			strlen(info.note) > 0;
	ok(good, "presets, with what they are made of and how they count");
	for (i = 0, good = 1; i < sizeof(absent) / sizeof(*absent); i++)
		good &= PAPI_query_event(absent[i]) == PAPI_ENOEVNT;
	ok(good, "none of cycles and caches, or of what the classes do not tell");
	PAPI_enum_event(&code, PAPI_ENUM_FIRST);
	do {
		n++;
	} while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
	/* The first that is enumerated need not be available. */
	ok(n - (PAPI_query_event(0 | PAPI_PRESET_MASK) != PAPI_OK) == (int)PRESETS,
	   "those that are available are %d", (int)PRESETS);
	ok(PAPI_get_component_info(0)->num_preset_events == (int)PRESETS, "the component says so, too");
}

/* ---- exact counts -------------------------------------------------------------------------- */

static void test_way(const struct way *way, int multiplexed)
{
	const char *kind = multiplexed ? ", multiplexed" : "";
	long long one[WAYS_EVENTS], two[WAYS_EVENTS], again[WAYS_EVENTS];
	int set = make_set(multiplexed), good = 1;
	size_t i;

	/* The first time through, symbols are bound and pages touched. */
	if (!ok(set != PAPI_NULL && way->count(set, sim_presets_mix, N, one) == PAPI_OK &&
			way->count(set, sim_presets_mix, N, one) == PAPI_OK &&
			way->count(set, sim_presets_mix, 2 * N, two) == PAPI_OK &&
			way->count(set, sim_presets_mix, N, again) == PAPI_OK,
		"%s%s: counts", way->name, kind))
		return;
	for (i = 0; i < PRESETS; i++)
		if (two[i] - one[i] != N * presets[i].each || one[i] < N * presets[i].each) {
			note("%s: %lld and %lld", presets[i].name, one[i], two[i]);
			good = 0;
		}
	ok(good, "%s%s: the difference between n and 2n iterations is what n do", way->name, kind);
	ok(memcmp(one, again, PRESETS * sizeof(*one)) == 0, "%s%s: n iterations count the same again",
	   way->name, kind);
	/* PAPI itself does no floating point. */
	for (i = 5, good = 1; i < PRESETS; i++)
		good &= one[i] == N * presets[i].each;
	ok(good, "%s%s: floating point is the work's alone", way->name, kind);
	drop_set(set);
}

/* ---- by name, beside native events, in threads ------------------------------------------------ */

static void test_mixed(void)
{
	int set = PAPI_NULL;
	long long values[3];

	PAPI_create_eventset(&set);
	ok(PAPI_add_named_event(set, "PAPI_FP_OPS") == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::PU0_FPU_DIV_1") == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::FP_OPS") == PAPI_OK,
	   "a preset by its name, beside native events");
	PAPI_start(set);
	sim_presets_mix(N);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == N * MIX_OPERATIONS &&
		   values[1] == N * MIX_DIVIDE && values[2] == values[0],
	   "the preset and the derived event are the same");
	ok(PAPI_remove_named_event(set, "upc:::PU0_FPU_DIV_1") == PAPI_OK &&
		   PAPI_add_event(set, PAPI_FDV_INS) == PAPI_OK,
	   "another in the place of one");
	PAPI_start(set);
	sim_presets_mix(N);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == N * MIX_OPERATIONS &&
		   values[1] == N * MIX_OPERATIONS && values[2] == N * MIX_DIVIDE,
	   "... and all count");
	drop_set(set);
}

#define THREADS 5 /* with the first one more than there are cores */

struct worker {
	unsigned long n;
	long long operations, divisions;
	int error;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	long long values[2] = {0, 0};
	int set = PAPI_NULL;

	w->error = PAPI_create_eventset(&set) || PAPI_add_event(set, PAPI_FP_OPS) ||
		   PAPI_add_event(set, PAPI_FDV_INS) || PAPI_start(set);
	sim_presets_mix(w->n);
	w->error = w->error || PAPI_stop(set, values);
	w->operations = values[0];
	w->divisions = values[1];
	drop_set(set);
	PAPI_unregister_thread();
	return NULL;
}

static void test_threads(void)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.n = N * (unsigned long)(i + 1)};
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (i = 0; i < THREADS; i++) {
		const struct worker *w = &workers[i];
		long long n;

		pthread_join(threads[i], NULL);
		n = (long long)w->n;
		ok(!w->error && w->operations == n * MIX_OPERATIONS && w->divisions == n * MIX_DIVIDE,
		   "thread %d counts what it does, on its own core", i + 1);
	}
}

/* ---- overflow ------------------------------------------------------------------------------------ */

static volatile int calls, wrong;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)context;
	calls++;
	wrong |= vector != 1;
}

static void test_overflow(void)
{
	int set = PAPI_NULL;
	long long values[3];

	PAPI_create_eventset(&set);
	PAPI_add_event(set, PAPI_FDV_INS);
	PAPI_add_event(set, PAPI_FP_OPS);
	ok(PAPI_overflow(set, PAPI_FDV_INS, 100, 0, on_overflow) == PAPI_OK,
	   "a threshold of a preset that is one event");
	PAPI_start(set);
	sim_presets_mix(N + 50);
	ok(PAPI_stop(set, values) == PAPI_OK && calls == N / 100 && !wrong, "a call for each multiple of it");
	ok(values[0] == N + 50 && values[1] == (N + 50) * MIX_OPERATIONS, "... and the counts are exact");
	PAPI_overflow(set, PAPI_FDV_INS, 0, 0, on_overflow);
	ok(PAPI_overflow(set, PAPI_FP_OPS, 100, 0, on_overflow) == PAPI_EINVAL, "none of a formula");
	PAPI_add_event(set, PAPI_FP_INS);
	ok(PAPI_overflow(set, PAPI_FP_INS, 100, 0, on_overflow) == PAPI_EINVAL, "nor of a sum");
	calls = 0;
	PAPI_start(set);
	sim_presets_mix(N);
	ok(PAPI_stop(set, values) == PAPI_OK && calls == 0 && values[0] == N && values[2] == N * MIX_FP,
	   "... and the set counts on");
	drop_set(set);
}

/* PAPI's emulation of overflows by a timer reads every now and then. */
static void test_emulated(void)
{
	PAPI_option_t timer = {.itimer = {.itimer_num = ITIMER_VIRTUAL, .itimer_sig = SIGALRM}};
	int set = PAPI_NULL;
	long long value;

	ok(PAPI_set_opt(PAPI_DEF_ITIMER, &timer) == PAPI_EINVAL, "a timer with another one's signal");
	timer.itimer.itimer_sig = SIGVTALRM;
	ok(PAPI_set_opt(PAPI_DEF_ITIMER, &timer) == PAPI_OK, "a timer for overflows that are emulated");
	PAPI_create_eventset(&set);
	PAPI_add_event(set, PAPI_FP_OPS);
	ok(PAPI_overflow(set, PAPI_FP_OPS, 1000, PAPI_OVERFLOW_FORCE_SW, on_overflow) == PAPI_OK,
	   "a formula can have those");
	PAPI_start(set);
	sim_presets_mix(N);
	ok(PAPI_stop(set, &value) == PAPI_OK && value == N * MIX_OPERATIONS, "... and counts as before");
	drop_set(set);
}

/* ---- the test -------------------------------------------------------------------------------------- */

static int inside(void)
{
	size_t i;

	start_papi();
	if (!ok(find_component() == 0, "upc is PAPI's first component"))
		return done();
	test_names();
	for (i = 0; i < WAYS; i++)
		test_way(&ways[i], 0);
	test_way(&ways[0], 1);
	test_mixed();
	test_threads();
	test_overflow();
	test_emulated();
	return done();
}

/* PAPI's counts: what n iterations have beside what none have. */
static int print_counts(unsigned long n)
{
	long long values[WAYS_EVENTS];
	int set;
	size_t i;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 2;
	set = make_set(0);
	if (set == PAPI_NULL || PAPI_start(set) != PAPI_OK)
		return 3;
	sim_presets_mix(n);
	if (PAPI_stop(set, values) != PAPI_OK)
		return 4;
	for (i = 0; i < PRESETS; i++)
		printf("%s %lld\n", presets[i].name, values[i]);
	return 0;
}

#include "sim_inside.h"

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_counts(strtoul(argv[1], NULL, 10));
	if (getenv(INSIDE))
		return inside();
	need_emulator();
	if (!getenv("UPC_SIM_PAPI"))
		skip_all("there is no PAPI for simulated programs (papi-build --simulation)");
	return twice(INSIDE);
}
