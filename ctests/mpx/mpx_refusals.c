/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_refusals - libmpx where something is gone: PAPI, by the program's PAPI_shutdown; an event set
 * whose number the program still has; descriptors. A refusal has a message, on one line; and a
 * value that a read has given is not taken back.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "mpx_util.h"

/* Returns whether the last message has these words, and replaces the message, so that a later call
 * cannot pass with it. */
static int has_words(const char *wanted)
{
	const char *words = mpx_last_message();
	int found = strstr(words, wanted) != NULL && !strstr(words, "(null)");

	if (!found)
		note("'%s' is not about '%s'", words, wanted);
	(void)mpx_set_destroy(NULL);
	return found;
}

#define refuses_with(error, words, call) \
	ok((call) == (error) && has_words(words), "%s: %s, with words about it", #call, #error)

/* ---- PAPI has ended ---------------------------------------------------------------------- */

static int with_event(int process, const char *name)
{
	int set = PAPI_NULL;

	works(process ? mpx_set_create_process(&set) : mpx_set_create(&set));
	works(mpx_set_add_named_event(set, name));
	return set;
}

static void calls_without_papi(int still, int runs)
{
	static const char about[] = "mpx_library_init anew";
	struct mpx_estimate e = MPX_OPTIONS_INIT(mpx_estimate);
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	int fresh = PAPI_NULL, n = 0, state = 0;
	long long value = 0;

	refuses_with(PAPI_ENOINIT, about, mpx_set_add_named_event(still, MINOR));
	refuses_with(PAPI_ENOINIT, about, mpx_set_add_named_event(still, "upc:::perf::NONE-SUCH"));
	refuses_with(PAPI_ENOINIT, about, mpx_set_add_event(still, PAPI_TOT_CYC));
	refuses_with(PAPI_ENOINIT, about, mpx_set_remove_named_event(still, FAULTS));
	refuses_with(PAPI_ENOINIT, about, mpx_set_start(still));
	refuses_with(PAPI_ENOINIT, about, mpx_set_read(runs, &value));
	refuses_with(PAPI_ENOINIT, about, mpx_set_accum(runs, &value));
	refuses_with(PAPI_ENOINIT, about, mpx_set_estimates(runs, &e, 1));
	refuses_with(PAPI_ENOINIT, about, mpx_set_reset(runs));
	/* Calls that need nothing of PAPI work. */
	works(mpx_set_list_events(still, NULL, &n));
	works(mpx_set_state(runs, &state));
	ok(n == 1 && state == PAPI_RUNNING, "events and states are as they were");
	works(mpx_thread_get_info(&info));
	works(mpx_set_create(&fresh));
	refuses_with(PAPI_ENOINIT, about, mpx_set_add_named_event(fresh, MINOR));
	works(mpx_set_destroy(&fresh));
	refuses_with(PAPI_ENOINIT, about, mpx_set_stop(runs, &value));
	works(mpx_set_destroy(&runs));
	works(mpx_set_destroy(&still));
}

static void papi_ends(int process, int anew)
{
	int still, opened, runs;
	long long value = 0;

	note("PAPI_shutdown%s, sets of the %s", anew ? " and PAPI_library_init" : "",
	     process ? "process" : "thread");
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	still = with_event(process, FAULTS);
	/* Its group is open, and does not run. */
	opened = with_event(process, MAJOR);
	works(mpx_set_start(opened));
	works(mpx_set_stop(opened, NULL));
	runs = with_event(process, MINOR);
	works(mpx_set_start(runs));
	PAPI_shutdown();
	if (anew)
		ok(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI begins anew");
	refuses_with(PAPI_ENOINIT, "mpx_library_init anew", mpx_set_start(opened));
	calls_without_papi(still, runs);
	works(mpx_set_destroy(&opened));
	works(mpx_library_shutdown());
	/* The library is initialised anew, as the message says. */
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	runs = with_event(process, FAULTS);
	works(mpx_set_start(runs));
	touch_pages(100);
	works(mpx_set_stop(runs, &value));
	ok(value >= 100 && value <= 100 + FAULTS_SLACK, "it counts again: %lld of 100", value);
	works(mpx_library_shutdown());
}

/* ---- numbers ------------------------------------------------------------------------------ */

static int order(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void numbers(void)
{
	enum { MANY = 100000 };
	int *old = calloc(MANY, sizeof(*old)), set, n = 0, i, gone, twice = 0, there = 0;
	size_t before, after;

	refuses(PAPI_EINVAL, mpx_set_create(NULL));
	refuses(PAPI_EINVAL, mpx_set_create_process(NULL));
	refuses(PAPI_EINVAL, mpx_set_destroy(NULL));
	before = mallinfo2().uordblks;
	/* Three sets exist at any time. */
	for (n = 0; old && n < MANY && mpx_set_create(&set) == PAPI_OK; n++) {
		old[n] = set;
		if (n < 3)
			continue;
		gone = old[n - 3];
		if (mpx_set_destroy(&gone) != PAPI_OK)
			break;
		there += mpx_set_state(old[n - 3], &gone) != PAPI_ENOEVST;
	}
	for (i = n > 3 ? n - 3 : 0; i < n; i++) {
		gone = old[i];
		(void)mpx_set_destroy(&gone);
	}
	after = mallinfo2().uordblks;
	qsort(old, (size_t)n, sizeof(*old), order);
	for (i = 1; i < n; i++)
		twice += old[i] == old[i - 1];
	ok(n == MANY && !twice && !there, "%d event sets had numbers of their own: %d twice, %d still there",
	   n, twice, there);
	/* A chunk of places is there, and does not grow. */
	ok(after < before + 65536, "and no memory of theirs is left: %zu, then %zu bytes", before, after);
	free(old);
}

/* ---- words --------------------------------------------------------------------------------- */

static void one_line(void)
{
	int set = PAPI_NULL;
	const char *c;

	works(mpx_set_create(&set));
	refuses(PAPI_ENOEVNT, mpx_set_add_named_event(set, "none\nsuch\tat\033[2Jall\177"));
	for (c = mpx_last_message(); *c && (unsigned char)*c >= ' ' && *c != 0x7f; c++)
		;
	ok(!*c, "a message is one line, whatever is in a name: '%s'", mpx_last_message());
	ok(strstr(mpx_last_message(), "none?such?at?[2Jall?") != NULL, "and the name is in it");
	works(mpx_set_destroy(&set));
}

/* A name that no lookup has met yet. */
static void without_descriptors(void)
{
	struct rlimit before, none;
	int set = PAPI_NULL, fd[64], n = 0, error;
	char words[512];

	works(mpx_set_create(&set));
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)open_files() + 40;
	setrlimit(RLIMIT_NOFILE, &none);
	while (n < 64 && (fd[n] = open("/dev/null", O_RDONLY)) >= 0)
		n++;
	error = mpx_set_add_named_event(set, "upc:::tp::sched:none_such");
	snprintf(words, sizeof(words), "%s", mpx_last_message());
	while (n-- > 0)
		close(fd[n]);
	setrlimit(RLIMIT_NOFILE, &before);
	ok(error == PAPI_ESYS && strstr(words, "ulimit -n"),
	   "without descriptors nobody says that there is no such event: %d '%s'", error, words);
	refuses(PAPI_ENOEVNT, mpx_set_add_named_event(set, "upc:::tp::sched:none_such"));
	works(mpx_set_destroy(&set));
}

/* ---- threads ------------------------------------------------------------------------------- */

/* Half of the threads look for names that no component has while the others make sets. */
static void *looks(void *failed)
{
	const int asks = *(int *)failed;
	char name[64];
	int set, i;

	*(int *)failed = 0;
	for (i = 0; i < 20 && !*(int *)failed; i++) {
		snprintf(name, sizeof(name), "upc:::none::SUCH-%p-%d", failed, i);
		*(int *)failed = mpx_set_create(&set) != PAPI_OK ||
				 (asks && mpx_set_add_named_event(set, name) != PAPI_ENOEVNT) ||
				 mpx_set_add_named_event(set, i % 2 ? FAULTS : MINOR) != PAPI_OK ||
				 mpx_set_start(set) != PAPI_OK || mpx_set_stop(set, NULL) != PAPI_OK ||
				 mpx_set_destroy(&set) != PAPI_OK;
	}
	return NULL;
}

static void names_in_threads(void)
{
	enum { N = 16 };
	pthread_t thread[N];
	int failed[N], i, right = 1;

	for (i = 0; i < N; i++) {
		failed[i] = i % 2;
		pthread_create(&thread[i], NULL, looks, &failed[i]);
	}
	for (i = 0; i < N; i++) {
		pthread_join(thread[i], NULL);
		right &= !failed[i];
	}
	ok(right, "threads ask for wrong names, and others for right ones");
}

/* ---- what was given ------------------------------------------------------------------------- */

/* Spends CPU time in which nothing is counted, until so many slices have ended. */
static void idle(unsigned slices)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	uint64_t until;
	volatile long spin;

	if (mpx_thread_get_info(&info))
		return;
	until = info.slices + slices;
	while (info.slices < until) {
		for (spin = 0; spin < 100000; spin++)
			;
		if (mpx_thread_get_info(&info))
			return;
	}
}

/* Many page faults, then none: the estimate for a gap sinks when the other side of the gap is seen. */
static void what_was_given_stays(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_estimate e[3];
	long long last[3] = {0};
	unsigned i, k, sank = 0, wrong = 0, decreased = 0;
	int set = PAPI_NULL;

	o.group_max = 1;
	o.slice_ns = 1000000;
	o.clock = MPX_CLOCK_CPU;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	works(mpx_set_create(&set));
	works(mpx_set_add_named_event(set, FAULTS));
	works(mpx_set_add_named_event(set, MINOR));
	works(mpx_set_add_named_event(set, MAJOR));
	works(mpx_set_start(set));
	for (i = 0; i < 200; i++) {
		if (i / 10 % 2)
			idle(1);
		else
			touch_pages(300);
		memset(e, 0, sizeof(e));
		e[0].size = sizeof(e[0]);
		if (mpx_set_estimates(set, e, 3) != PAPI_OK)
			break;
		for (k = 0; k < 3; k++) {
			if (e[k].flags & MPX_UNCOUNTED)
				continue;
			sank += e[k].estimate + 1 < (double)e[k].value;
			decreased += e[k].value < last[k];
			last[k] = e[k].value;
			wrong += e[k].low > e[k].estimate || e[k].estimate > e[k].high ||
				 e[k].low > (double)e[k].value || e[k].high < (double)e[k].value ||
				 e[k].low < (double)e[k].count;
		}
	}
	ok(i == 200 && !wrong && !decreased,
	   "value and estimate are in the interval, also where an earlier value was above: %u did, %u not",
	   sank, wrong);
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

int main(void)
{
	unsigned i;

	refuses(PAPI_ENOINIT, mpx_set_create(NULL));
	refuses(PAPI_ENOINIT, mpx_set_create_process(NULL));
	refuses(PAPI_ENOINIT, mpx_set_destroy(NULL));
	start_papi();
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	numbers();
	one_line();
	without_descriptors();
	names_in_threads();
	works(mpx_library_shutdown());
	what_was_given_stays();
	for (i = 0; i < 4; i++)
		papi_ends(i & 1, i / 2);
	PAPI_shutdown();
	return done();
}
