/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_replay - a script of input signals behind PAPI: what is listed, signal modes,
 * how far each call plays, several sets and threads, and what is refused.
 */
#include "papi_script.h"

/* Ids 0 to 3 belong to PU0's J pipe; 256 shares counter 0 with id 0. */
static const char script[] = "upc-trace 1\n"
			     "c 100 0 1@2/1 2@10/3+5 3\n" /* part 1: cycles 0 to 99 */
			     "s # the first mark\n"
			     "c 50 0\n" /* part 2 */
			     "c 25 1\n"
			     "s\n"
			     "s\n" /* part 3 is empty */
			     "c 1000000 0@2/1 1\n"
			     "s\n"
			     "c 7 0-3\n"; /* part 5, up to the end */

static const int jpipe[] = {0, 1, 2, 3};

/* ---- what is listed ----------------------------------------------------- */

static int modes_in_order(int code, int component)
{
	static const struct {
		const char *mode, *words;
	} wanted[] = {
		{":mode=high", "cycles in which the signal is high"},
		{":mode=rise", "low-high transitions"},
		{":mode=fall", "high-low transitions"},
		{":mode=low", "cycles in which the signal is low"},
	};
	size_t i;

	for (i = 0; i < 4; i++) {
		char back[PAPI_MAX_STR_LEN];
		PAPI_event_info_t info;
		int again;

		/* PAPI's own codes of a name may differ: the name must not. */
		if (PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) != PAPI_OK ||
		    PAPI_get_event_info(code, &info) != PAPI_OK || !strstr(info.symbol, wanted[i].mode) ||
		    !strstr(info.long_descr, wanted[i].words) ||
		    PAPI_event_name_to_code(info.symbol, &again) != PAPI_OK ||
		    PAPI_event_code_to_name(again, back) != PAPI_OK || strcmp(info.symbol, back))
			return 0;
	}
	return PAPI_enum_cmp_event(&code, PAPI_NTV_ENUM_UMASKS, component) != PAPI_OK;
}

static void listing(int component)
{
	int found[512] = {0};
	int code = PAPI_NATIVE_MASK;
	int all = 0, qualified = 0, modes = 0, plain_words = 0;
	int more, id;

	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		PAPI_event_info_t info;

		if (PAPI_get_event_info(code, &info) != PAPI_OK)
			continue;
		qualified += strstr(info.symbol, ":mode=") != NULL;
		for (id = 0; id < 512; id++)
			if (bgp_names[id] && strcmp(info.symbol + 6, bgp_names[id]) == 0) {
				found[id]++;
				modes += modes_in_order(code, component);
				plain_words +=
					strstr(info.long_descr, "cycles in which the signal is high") != NULL;
			}
	}
	for (id = 0; id < 512; id++)
		all += found[id] == 1;
	ok(all == 455, "all 455 Blue Gene/P events are listed, each once: %d", all);
	ok(!qualified, "and none of their qualified names");
	ok(modes == 455, "each has the modes high, rise, fall and low, in words: %d", modes);
	ok(plain_words == 455, "and says that without one it counts cycles high: %d", plain_words);
	ok(strstr(PAPI_get_component_info(component)->description, "replay script") != NULL,
	   "the component says what drives it");
	ok(PAPI_query_named_event("upc:::perf::PAGE-FAULTS") != PAPI_OK,
	   "this machine's events are not there");
}

/* ---- playing -------------------------------------------------------------- */

static int values_are(const long long *got, const long long *wanted, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (got[i] != wanted[i]) {
			note("value %d is %lld, and must be %lld", i, got[i], wanted[i]);
			return 0;
		}
	return 1;
}

/* The whole script, with one set. This thread's script is at its end then. */
static void play_all(void)
{
	static const long long nothing[4], part1[] = {100, 50, 30, 100}, part2[] = {150, 75, 30, 100};
	static const long long part4[] = {500000, 1000000, 0, 0};
	long long sum[4] = {1000, 2000, 3000, 4000};
	static const long long summed[] = {1150, 2075, 3030, 4100};
	long long values[4], cycles = -1;
	int set = set_of(jpipe, 4);

	ok(PAPI_start(set) == PAPI_OK && PAPI_stop(set, values) == PAPI_OK && values_are(values, nothing, 4),
	   "start and stop play nothing");
	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values_are(values, part1, 4),
	   "a read plays to the first mark");
	ok(PAPI_read_ts(set, values, &cycles) == PAPI_OK && values_are(values, part2, 4),
	   "PAPI_read_ts to the second, over two lines");
	ok(PAPI_accum(set, sum) == PAPI_OK && values_are(sum, summed, 4),
	   "an empty part is a part: PAPI_accum adds what was there");
	ok(PAPI_stop(set, values) == PAPI_OK && values_are(values, nothing, 4),
	   "it has reset, and stop plays nothing");
	ok(PAPI_read(set, values) == PAPI_OK && values_are(values, nothing, 4),
	   "a read of a stopped set plays nothing");
	ok(PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values_are(values, part4, 4),
	   "the next start goes on where the script is");
	ok(PAPI_reset(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values[0] == 7 &&
		   values[3] == 7,
	   "a last part without a mark ends with the script");
	ok(PAPI_read(set, values) == PAPI_OK && values[0] == 7, "at its end nothing plays");
	ok(PAPI_accum(set, values) == PAPI_OK && values[0] == 14 && PAPI_stop(set, values) == PAPI_OK &&
		   values[0] == 0,
	   "accum and stop work there");
	drop(&set);
}

/* Each thread has the script from its beginning. */
static void *thread_modes(void *argument)
{
	static const char *const modes[] = {"high", "rise", "fall", "low"};
	/* id 1 is high in cycles 0, 2, ... of the part: the first sample is no edge. */
	static const long long wanted[] = {50, 49, 50, 50};
	long long values[2];
	int i = *(int *)argument;
	int set = PAPI_NULL;
	int good;

	good = PAPI_create_eventset(&set) == PAPI_OK &&
	       PAPI_add_named_event(set, event_name(1, modes[i])) == PAPI_OK &&
	       PAPI_add_named_event(set, event_name(2, modes[3 - i])) == PAPI_OK &&
	       PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values[0] == wanted[i];
	drop(&set);
	*(int *)argument = good ? 1 : (int)values[0];
	PAPI_unregister_thread();
	return NULL;
}

static void *thread_sets(void *argument)
{
	long long values[1024];
	int *good = argument;
	const int others[] = {1, 256};
	int first = set_of(jpipe, 4);
	int second;

	good[0] = PAPI_start(first) == PAPI_OK && PAPI_read(first, values) == PAPI_OK && values[0] == 100 &&
		  PAPI_stop(first, values) == PAPI_OK && values[0] == 100;
	second = set_of(others, 2);
	good[1] = PAPI_start(second) == PAPI_OK && PAPI_read(second, values) == PAPI_OK && values[0] == 25 &&
		  values[1] == 0 && PAPI_stop(second, values) == PAPI_OK;
	good[2] = PAPI_start(first) == PAPI_OK && PAPI_read(first, values) == PAPI_OK && values[0] == 0 &&
		  PAPI_read(first, values) == PAPI_OK && values[0] == 500000 &&
		  PAPI_stop(first, values) == PAPI_OK;
	drop(&first);
	drop(&second);
	PAPI_unregister_thread();
	return NULL;
}

static void threads(void)
{
	pthread_t thread[4];
	int result[4] = {0, 1, 2, 3};
	int good[3] = {0};
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, thread_modes, &result[i]);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		ok(result[i] == 1, "thread %d has the whole script, and its mode counts: %d", i, result[i]);
	}
	pthread_create(&thread[0], NULL, thread_sets, good);
	pthread_join(thread[0], NULL);
	ok(good[0], "a first set plays part 1");
	ok(good[1], "a second one of the same thread goes on with part 2");
	ok(good[2], "and the first one after that, which has not counted meanwhile");
}

/* All that a set can have, of all counters, beside a list of ids. */
static void *thread_all(void *argument)
{
	static long long values[1024];
	int *good = argument;
	int ids[256], n = 0, id, i;
	int set;

	for (id = 0; id < 512 && n < 256; id++)
		if (bgp_names[id] && (id < 256 || !bgp_names[id - 256]))
			ids[n++] = id;
	set = set_of(ids, n);
	/* Taken away and added again an event comes last, and others keep theirs. */
	good[0] = PAPI_remove_named_event(set, event_name(1, NULL)) == PAPI_OK &&
		  PAPI_remove_named_event(set, event_name(3, NULL)) == PAPI_OK &&
		  PAPI_add_named_event(set, event_name(3, "low")) == PAPI_OK &&
		  PAPI_add_named_event(set, event_name(1, NULL)) == PAPI_OK;
	good[1] = PAPI_num_events(set) == n && PAPI_start(set) == PAPI_OK &&
		  PAPI_read(set, values) == PAPI_OK && values[0] == 100 && values[1] == 30 &&
		  values[n - 2] == 0 && values[n - 1] == 50;
	for (i = 2; i < n - 2; i++)
		good[1] = good[1] && values[i] == 0;
	good[2] = n;
	drop(&set);
	PAPI_unregister_thread();
	return NULL;
}

static void every_counter(void)
{
	pthread_t thread;
	int good[3] = {0};

	pthread_create(&thread, NULL, thread_all, good);
	pthread_join(thread, NULL);
	ok(good[0], "events of a set with %d are taken away and added again", good[2]);
	ok(good[1], "each value is its own event's");
}

/* ---- what cannot be --------------------------------------------------------- */

static void *thread_conflict(void *argument)
{
	int *good = argument;
	long long values[3];
	int set = set_of(jpipe, 2);

	good[0] = PAPI_add_named_event(set, event_name(256, NULL));
	good[1] = PAPI_add_named_event(set, event_name(257, "rise"));
	good[2] = PAPI_add_named_event(set, event_name(0, "low"));
	good[3] = PAPI_num_events(set) == 2 && PAPI_start(set) == PAPI_OK &&
		  PAPI_read(set, values) == PAPI_OK && values[0] == 100 && values[1] == 50 &&
		  PAPI_stop(set, values) == PAPI_OK;
	good[4] = PAPI_add_named_event(set, event_name(258, NULL)) == PAPI_OK;
	drop(&set);
	PAPI_unregister_thread();
	return NULL;
}

static void conflicts(void)
{
	pthread_t thread;
	int good[5] = {0};

	pthread_create(&thread, NULL, thread_conflict, good);
	pthread_join(thread, NULL);
	ok(good[0] == PAPI_ECNFLCT && good[1] == PAPI_ECNFLCT,
	   "two events of one counter are PAPI_ECNFLCT: %d, %d", good[0], good[1]);
	ok(good[2] == PAPI_ECNFLCT, "and so are two modes of one event: %d", good[2]);
	ok(good[3], "the set is as it was, and counts");
	ok(good[4], "and takes what fits");
}

static void *thread_refused(void *argument)
{
	int *good = argument;
	PAPI_option_t option;
	long long values[4];
	int set = set_of(jpipe, 4);

	good[0] = PAPI_attach(set, (unsigned long)getpid());
	memset(&option, 0, sizeof(option));
	option.inherit.eventset = set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	good[1] = PAPI_set_opt(PAPI_INHERIT, &option);
	memset(&option, 0, sizeof(option));
	option.cpu.eventset = set;
	good[2] = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
	memset(&option, 0, sizeof(option));
	option.granularity.eventset = set;
	option.granularity.granularity = PAPI_GRN_SYS;
	good[3] = PAPI_set_opt(PAPI_GRANUL, &option);
	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = PAPI_DOM_USER;
	good[4] = PAPI_set_opt(PAPI_DOMAIN, &option);
	good[5] = PAPI_start(set) == PAPI_OK && PAPI_read(set, values) == PAPI_OK && values[0] == 100;
	drop(&set);
	PAPI_unregister_thread();
	return NULL;
}

static void refusals(void)
{
	static const char *const what[] = {"attaching", "inheriting", "a CPU", "granularity", "a domain"};
	pthread_t thread;
	int good[6] = {0};
	int i;

	pthread_create(&thread, NULL, thread_refused, good);
	pthread_join(thread, NULL);
	for (i = 0; i < 5; i++)
		ok(good[i] == PAPI_ENOSUPP, "%s is refused: %s", what[i], PAPI_strerror(good[i]));
	ok(good[5], "the set is as it was, and counts");
}

/* The component's disabled_reason in a child with this script, or "" */
static void reason_with(const char *text, char *reason, size_t size)
{
	int ends[2];
	ssize_t length;
	pid_t child;

	reason[0] = '\0';
	if (pipe(ends))
		return;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		const char *why = "PAPI or the component is missing";
		int component;

		if (text)
			use_script(text);
		else
			setenv("UPC_SOURCE", "replay:/no/such/script", 1);
		if (PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
		    (component = find_component()) >= 0)
			why = PAPI_get_component_info(component)->disabled_reason;
		if (write(ends[1], why, strlen(why)) < 0)
			_exit(1);
		remove_script();
		_exit(0);
	}
	close(ends[1]);
	length = read(ends[0], reason, size - 1);
	reason[length > 0 ? length : 0] = '\0';
	close(ends[0]);
	waitpid(child, NULL, 0);
}

static void bad_scripts(void)
{
	static const struct {
		const char *text, *wanted, *what;
	} bad[] = {
		{NULL, "/no/such/script", "a script that is not there"},
		{"upc-trace 1\nc 5 1024\n", ":2:", "a bad token"},
		{"upc-trace 1\nc 5\nw 0x900 1\n", ":3:", "a register write"},
		{"upc-trace 2\n", ":1:", "another version"},
		{"", ":1:", "an empty file"},
	};
	char reason[PAPI_HUGE_STR_LEN];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		reason_with(bad[i].text, reason, sizeof(reason));
		ok(strstr(reason, bad[i].wanted) && strstr(reason, "UPC_SOURCE"),
		   "%s disables the component: \"%s\"", bad[i].what, reason);
	}
}

int main(void)
{
	int component;

	setenv("UPC_QUIET", "1", 1);
	bad_scripts();
	use_script(script);
	component = start_papi();
	listing(component);
	play_all();
	threads();
	every_counter();
	conflicts();
	refusals();
	PAPI_shutdown();
	return done();
}
