/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_mpx - libmpx on a hardware PMU: more instruction events than there are counters, over a loop
 * whose instructions are known. Sets that fit are exact; estimates are within 5 standard errors and
 * 1 %; event sets overlap in all ways (MPX, figure 1). With the clock of user mode, phases of system
 * calls disturb no estimate.
 */
#include <math.h>

#include "mpx.h"
#include "../papi/papi_util.h"
#include "pmu_util.h"

#define EVENTS 16
#define SHARED_FROM 6 /* of two sets the one has the events below SHARED_TO, */
#define SHARED_TO 10  /* the other those from SHARED_FROM on                 */
#define THREADS 4
#define MILLION UINT64_C(1000000)
/* Instructions of starts, stops and slices that are the thread's own too. */
#define SLACK 200000

/* The spellings are the same event to the processor; PAPI takes each as another event. */
static const char *const spellings[] = {
	"perf::INSTRUCTIONS",
	"perf::INSTRUCTIONS:u",
	"perf::INSTRUCTIONS:u=1",
	"perf::PERF_COUNT_HW_INSTRUCTIONS",
	"perf::PERF_COUNT_HW_INSTRUCTIONS:u",
	"perf::PERF_COUNT_HW_INSTRUCTIONS:u=1",
	"perf::INSTRUCTIONS:u=1:k=0",
	"perf::PERF_COUNT_HW_INSTRUCTIONS:u=1:k=0",
	"perf::INSTRUCTIONS:k=0",
	"perf::PERF_COUNT_HW_INSTRUCTIONS:k=0",
	"perf::INSTRUCTIONS:k=0:u=1",
	"perf::PERF_COUNT_HW_INSTRUCTIONS:k=0:u=1",
	"INST_RETIRED",
	"INST_RETIRED:u",
	"INST_RETIRED:u=1",
	"INST_RETIRED:u=1:k=0",
	"INST_RETIRED:k=0",
	"perf_raw::r8",
	"perf_raw::r8:u",
	"perf_raw::r8:u=1",
};
#define SPELLINGS (sizeof(spellings) / sizeof(*spellings))

static const char *names[EVENTS];
static int emulated;

static int find_names(void)
{
	unsigned i, n = 0;
	int set;

	for (i = 0; i < SPELLINGS && n < EVENTS; i++) {
		set = set_with(spellings[i]);
		if (set == PAPI_NULL)
			continue;
		PAPI_cleanup_eventset(set);
		PAPI_destroy_eventset(&set);
		names[n++] = spellings[i];
	}
	return n == EVENTS;
}

static int succeeds(int error)
{
	if (error != PAPI_OK)
		note("error %d: %s", error, mpx_last_message());
	return error == PAPI_OK;
}

/* An event set with names[from] to names[to - 1], or PAPI_NULL. */
static int set_of(unsigned from, unsigned to)
{
	int set = PAPI_NULL;
	unsigned i;

	if (!succeeds(mpx_set_create(&set)))
		return PAPI_NULL;
	for (i = from; i < to; i++)
		if (!succeeds(mpx_set_add_named_event(set, names[i]))) {
			mpx_set_destroy(&set);
			return PAPI_NULL;
		}
	return set;
}

static int estimates_of(int set, struct mpx_estimate *estimate, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		estimate[i] = MPX_OPTIONS_INIT(mpx_estimate);
	return succeeds(mpx_set_estimates(set, estimate, (int)n));
}

/* Returns whether all n estimates are right for the loop's rounds, within the sum of 5 standard errors,
 * the given part of the true count, and SLACK. */
static int is_right(int set, unsigned n, uint64_t rounds, double part)
{
	double truth = (double)(rounds * PER_ROUND), off;
	struct mpx_estimate estimate[EVENTS];
	int right = 1;
	unsigned i;

	if (!estimates_of(set, estimate, n))
		return 0;
	for (i = 0; i < n; i++) {
		off = fabs(estimate[i].estimate - truth);
		if (!(estimate[i].flags & MPX_UNCOUNTED) &&
		    off <= 5 * estimate[i].standard_error + part * truth + SLACK)
			continue;
		note("event %u: %.0f, not %.0f; standard error %.0f, coverage %.2f, flags 0x%x", i,
		     estimate[i].estimate, truth, estimate[i].standard_error, estimate[i].coverage,
		     estimate[i].flags);
		right = 0;
	}
	return right;
}

static int start(int set)
{
	return succeeds(mpx_set_start(set));
}

static int stop(int set)
{
	return succeeds(mpx_set_stop(set, NULL));
}

/* ---- one set ------------------------------------------------------------------------- */

/* A set that need not share counters reads 2n and a constant. */
static void check_exact(void)
{
	long long value[SIZES][2], least;
	struct mpx_estimate estimate[2];
	int set = set_of(0, 2), same = 1, exact = 1, i, again;

	if (!ok(set != PAPI_NULL, "a set of two events"))
		return;
	for (i = -1; i < SIZES; i++) { /* the first is not looked at */
		int k = i < 0 ? 0 : i;

		for (least = -1, again = emulated ? 1 : 20; again; again--) {
			exact &= succeeds(mpx_set_start(set));
			loop(sizes[k]);
			exact &= succeeds(mpx_set_stop(set, value[k]));
			least = least < 0 || value[k][0] < least ? value[k][0] : least;
		}
		value[k][0] = least - (long long)(PER_ROUND * sizes[k]);
		exact &= estimates_of(set, estimate, 2) && estimate[0].flags == MPX_EXACT &&
			 estimate[1].flags == MPX_EXACT && estimate[0].standard_error == 0;
	}
	for (i = 0; i < SIZES; i++)
		same &= value[i][0] == value[0][0] && value[i][0] > 0;
	ok(exact, "a set that fits is exact, and says so");
	ok(same, "it reads 2n + %lld, 2n + %lld, 2n + %lld for n = 1e3, 1e5, 1e7", value[0][0], value[1][0],
	   value[2][0]);
	ok(succeeds(mpx_set_destroy(&set)), "destroyed");
}

static void check_sixteen(uint64_t instructions, double part)
{
	struct mpx_thread_info before = MPX_OPTIONS_INIT(mpx_thread_info), info = before;
	long long value[EVENTS], lowest, highest;
	int set = set_of(0, EVENTS), i;

	if (!ok(set != PAPI_NULL && !mpx_thread_get_info(&before) && start(set),
		"%d events on fewer counters", EVENTS))
		return;
	loop(instructions / PER_ROUND);
	if (!ok(!mpx_thread_get_info(&info) && succeeds(mpx_set_stop(set, value)), "stopped"))
		return;
	for (lowest = highest = value[0], i = 1; i < EVENTS; i++) {
		lowest = value[i] < lowest ? value[i] : lowest;
		highest = value[i] > highest ? value[i] : highest;
	}
	ok(info.groups > 1 && info.slices > before.slices, "%u groups took turns in %u slices", info.groups,
	   (unsigned)(info.slices - before.slices));
	ok((double)lowest >= (1 - part) * (double)instructions &&
		   (double)highest <= (1 + part) * (double)instructions,
	   "%u million instructions are %.4f to %.4f of them", (unsigned)(instructions / MILLION),
	   (double)lowest / (double)instructions, (double)highest / (double)instructions);
	ok(info.lost == before.lost, "no slice was lost");
	mpx_set_destroy(&set);
}

/* ---- overlaps: each returns whether all was right, for threads too -------------------- */

static int partial(void)
{
	int a = set_of(0, SHARED_TO), b = set_of(SHARED_FROM, EVENTS);
	int right = a != PAPI_NULL && b != PAPI_NULL && start(a);

	loop(10 * MILLION);
	right = right && start(b);
	loop(15 * MILLION);
	right = right && stop(a);
	loop(5 * MILLION);
	right = right && stop(b);
	right = right && is_right(a, SHARED_TO, 25 * MILLION, 0.01) &&
		is_right(b, EVENTS - SHARED_FROM, 20 * MILLION, 0.01);
	return !mpx_set_destroy(&a) && !mpx_set_destroy(&b) && right;
}

static int nested(void)
{
	int outer = set_of(0, SHARED_TO), inner = set_of(SHARED_FROM, EVENTS), i;
	int right = outer != PAPI_NULL && inner != PAPI_NULL && start(outer);

	loop(5 * MILLION);
	/* The same set twice in turn: counts begin anew. */
	for (i = 1; i <= 2 && right; i++) {
		right = start(inner);
		loop(10 * MILLION * (uint64_t)i);
		right = right && stop(inner) &&
			is_right(inner, EVENTS - SHARED_FROM, 10 * MILLION * (uint64_t)i, 0.01);
		loop(5 * MILLION);
	}
	right = right && stop(outer) && is_right(outer, SHARED_TO, 45 * MILLION, 0.01);
	return !mpx_set_destroy(&outer) && !mpx_set_destroy(&inner) && right;
}

/*
 * Others come and go, of the same events and of others, while one set runs. Its counts have the instructions
 * of the calls and slices too: 0.8 % with pieces of this length, and up to 1.25 % with half of it.
 */
static int come_and_go(void)
{
	const uint64_t piece = 10 * MILLION;
	int all = set_of(0, EVENTS), right = all != PAPI_NULL && start(all), other;
	unsigned i;

	for (i = 0; i < 8 && right; i++) {
		other = set_of(i, i + 8);
		right = other != PAPI_NULL && start(other);
		loop(piece);
		if (i % 2)
			right = right && stop(other) && is_right(other, 8, piece, 0.01);
		else
			right = right && stop(other);
		right = right && !mpx_set_destroy(&other);
	}
	right = right && stop(all) && is_right(all, EVENTS, 8 * piece, 0.01);
	return !mpx_set_destroy(&all) && right;
}

struct worker {
	pthread_t thread;
	pthread_barrier_t *all;
	int right;
};

static void *run_worker(void *arg)
{
	struct worker *worker = arg;

	pthread_barrier_wait(worker->all);
	worker->right = partial() && nested();
	if (mpx_thread_end() != PAPI_OK)
		worker->right = 0;
	PAPI_unregister_thread();
	return NULL;
}

static void check_threads(void)
{
	struct worker workers[THREADS];
	pthread_barrier_t all;
	int right = 1, i;

	pthread_barrier_init(&all, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.all = &all};
		pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		right &= workers[i].right;
	}
	pthread_barrier_destroy(&all);
	ok(right, "partial overlap and nesting in each of %d threads at once", THREADS);
}

/* ---- the clock of user mode --------------------------------------------------------- */

#define PHASES 50

/* Runs in user mode, and as long in system calls, in turn: a slice that begins before a call phase
 * lasts until the phase is over. The ratio of the events' rates to all cycles changes all the time. */
static uint64_t run_phases(void)
{
	const uint64_t rounds = 500000, calls = 1500;
	unsigned i;

	for (i = 0; i < PHASES; i++) {
		loop(rounds);
		call_loop(calls);
	}
	return PHASES * (PER_ROUND * rounds + PER_CALL_ROUND * calls);
}

/* Events that count in user mode in PAPI's domain of both modes. */
static void check_user_clock(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	long long value[EVENTS];
	double truth, worst = 0, off;
	int set = PAPI_NULL, n = 0, i, added = 1;

	options.slice_ns = 500000;
	options.clock = MPX_CLOCK_USER;
	options.seed = 1;
	if (!ok(PAPI_set_domain(PAPI_DOM_ALL) == PAPI_OK &&
			succeeds(mpx_library_init(MPX_ABI_VERSION, &options)) &&
			succeeds(mpx_set_create(&set)),
		"a clock of user mode in the domain of both modes"))
		return;
	for (i = 0; i < EVENTS; i++)
		if (strstr(names[i], ":k=0") && ++n)
			added &= succeeds(mpx_set_add_named_event(set, names[i]));
	if (!ok(n > (emulated ? 6 : 1) && added && start(set), "%d events of user mode", n))
		return;
	truth = (double)run_phases();
	if (!ok(!mpx_thread_get_info(&info) && succeeds(mpx_set_stop(set, value)), "stopped"))
		return;
	for (i = 0; i < n; i++) {
		off = fabs((double)value[i] / truth - 1);
		worst = off > worst ? off : worst;
	}
	ok(strstr(info.clock, ":u=1:k=0") && !strcmp(info.clock_unit, "cycles"), "its clock is %s",
	   info.clock);
	ok(worst < 0.01, "%d phases and %u slices of %u groups: off by %.4f at most", 2 * PHASES,
	   (unsigned)info.slices, info.groups, worst);
	mpx_set_destroy(&set);
	ok(succeeds(mpx_library_shutdown()), "and it ends");
	PAPI_set_domain(PAPI_DOM_USER);
}

int main(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	need_pmu();
	emulated = cycles_each() > 0;
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		bail_out("PAPI cannot be initialised");
	if (!find_names())
		skip_all("PAPI has fewer than %d names for instructions here", EVENTS);
	options.slice_ns = 500000;
	options.seed = 1;
	if (!ok(succeeds(mpx_library_init(MPX_ABI_VERSION, &options)), "libmpx is ready"))
		return done();
	check_exact();
	check_sixteen(20 * MILLION, 0.05);
	check_sixteen(200 * MILLION, 0.01);
	ok(partial(), "two sets that overlap in part and share events");
	ok(nested(), "a set within another, started twice");
	ok(come_and_go(), "sets that are created and destroyed while another runs");
	check_threads();
	ok(partial(), "and in the first thread after them");
	ok(succeeds(mpx_library_shutdown()), "the library ends");
	check_user_clock();
	return done();
}
