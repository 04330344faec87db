/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * region_engine - the region engine in whole programs: this program runs itself once for each
 * story, with page faults counted whose number is known, and reads the file that the story leaves.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "../papi/papi_util.h"
#include "region/region.h"

/* Valgrind and ThreadSanitizer fault pages in of their own, and are slow. */
static bool inexact;

/* Names stay to the end, in a table that LeakSanitizer does not look into. PAPI keeps what it has
 * worked out of an event that it then refuses, where libpfm4 knows the processor's PMU. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:entry_of\nleak:allocate_native_event\n";
}

static unsigned named(void)
{
	return getenv("UPC_TEST_INEXACT") ? 50000 : 1000000;
}

static unsigned name_of(const char *text)
{
	return upcr_name(text, strlen(text));
}

static void enter(const char *name)
{
	upcr_enter(name_of(name));
}

static int leave(const char *name)
{
	return upcr_exit(name_of(name));
}

/* The first turn of each path costs faults of its own. */
static void warm(void (*story)(size_t scale))
{
	story(0);
	story(1);
}

/* ---- stories -------------------------------------------------------------------------------- */

static void nest(size_t scale)
{
	enter("A");
	touch_pages(100 * scale);
	enter("B");
	touch_pages(400 * scale);
	leave("B");
	touch_pages(100 * scale);
	leave("A");
	enter("B");
	touch_pages(1600 * scale);
	leave("B");
}

/* The regions overlap as the event sets do in the paper's first figure. */
static void overlap(size_t scale)
{
	touch_pages(3000 * scale);
	enter("A");
	touch_pages(100 * scale);
	enter("B");
	touch_pages(400 * scale);
	leave("A");
	touch_pages(1600 * scale);
	leave("B");
}

static void recur(size_t scale)
{
	unsigned i;

	for (i = 0; i < 4; i++) {
		enter("R");
		touch_pages(((size_t)200 << i) * scale);
	}
	for (i = 0; i < 4; i++)
		leave("R");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spin(double seconds)
{
	double from = now();

	while (now() - from < seconds)
		;
}

/* A region's time begins and ends where it does, whichever begins and ends beside it. */
static void durations(void)
{
	spin(.01);
	enter("A");
	spin(.02);
	enter("B");
	spin(.03);
	leave("B");
	spin(.02);
	leave("A");
	spin(.01);
}

static pthread_barrier_t there;

static void *work(void *argument)
{
	size_t i = *(size_t *)argument;

	enter("T");
	leave("T");
	enter("T");
	touch_pages(200 * (i + 1));
	leave("T");
	if (i == 3) {
		/* This thread is there to the end. */
		pthread_barrier_wait(&there);
		for (;;)
			pause();
	}
	return NULL;
}

static void threads(void)
{
	static size_t number[4] = {0, 1, 2, 3};
	pthread_t thread[4];
	size_t i;

	pthread_barrier_init(&there, NULL, 2);
	enter("main");
	for (i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &number[i]);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_wait(&there);
	leave("main");
}

static void forks(void)
{
	int status;
	pid_t child;

	enter("parent");
	leave("parent");
	enter("parent");
	touch_pages(400);
	child = fork();
	if (child == 0) {
		enter("child");
		leave("child");
		enter("child");
		touch_pages(1600);
		leave("child");
		leave("parent"); /* is the parent's alone */
		exit(0);
	}
	waitpid(child, &status, 0);
	leave("parent");
	/* A child that enters no region leaves no file. */
	child = fork();
	if (child == 0)
		exit(0);
	waitpid(child, &status, 0);
}

static void names(void)
{
	char text[300];
	unsigned i;

	for (i = 1; i < 256; i++)
		text[i - 1] = (char)i;
	upcr_enter(upcr_name(text, 255));
	upcr_enter(upcr_name("", 0));
	upcr_enter(upcr_name("a\0b", 3));
	upcr_enter(upcr_name("\xc3\xa4\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80", 11));
	upcr_enter(upcr_name("\"\\", 2));
}

static void *elsewhere(void *unused)
{
	(void)unused;
	leave("main");
	return NULL;
}

static int wrong(void)
{
	pthread_t thread;
	int bad = 0;

	bad += leave("nobody") != UPCR_NOT_OPEN;
	bad += leave("nobody") != UPCR_NOT_OPEN;
	enter("main");
	pthread_create(&thread, NULL, elsewhere, NULL);
	pthread_join(thread, NULL);
	bad += leave("main") != UPCR_OK;
	/* A jump out of inner regions, of annotations that nest. */
	enter("main");
	enter("left");
	bad += upcr_exit_closing(name_of("main")) != UPCR_OK;
	bad += leave("left") != UPCR_NOT_OPEN;
	enter("open");
	return bad;
}

static volatile sig_atomic_t handled;

static void handler(int signal_number)
{
	(void)signal_number;
	handled++;
	enter("H");
	leave("H");
}

/* A handler interrupts the engine at any place, and its calls are counted or reported. */
static void handlers(void)
{
	struct itimerval often = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200};
	struct itimerval never = {.it_value.tv_usec = 0};
	struct sigaction action = {.sa_handler = handler};
	char text[32];
	unsigned i;

	enter("main");
	enter("H");
	leave("H");
	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	for (i = 0; handled < 200; i++) {
		snprintf(text, sizeof(text), "name %u", i % 2000);
		enter(text);
		leave(text);
	}
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	leave("main");
	printf("%d\n", (int)handled);
}

static void *short_one(void *unused)
{
	(void)unused;
	enter("short");
	leave("short");
	return NULL;
}

static void many(void)
{
	pthread_t thread;
	unsigned i;

	for (i = 0; i < 1100; i++) {
		pthread_create(&thread, NULL, short_one, NULL);
		pthread_join(thread, NULL);
	}
}

static void limit(void)
{
	char text[32];
	unsigned i;

	for (i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "%u", i);
		enter(text);
		leave(text);
	}
}

static void reset(void)
{
	nest(1);
	upcr_reset(name_of("B"));
	nest(0);
}

static atomic_uint turns; /* of all threads that are cancelled */

static void *until_cancelled(void *unused)
{
	(void)unused;
	for (;;) {
		enter("C");
		touch_pages(10);
		atomic_fetch_add(&turns, 1);
		pthread_testcancel();
		leave("C");
	}
	return NULL;
}

/* PAPI reads descriptors in starts and ends of regions: a thread does not end there. */
static void cancels(void)
{
	char text[32];
	pthread_t thread;
	unsigned i;

	for (i = 0; i < 100; i++) {
		unsigned before = atomic_load(&turns);

		pthread_create(&thread, NULL, until_cancelled, NULL);
		while (atomic_load(&turns) < before + i % 7)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	/* The name of a region tells the number of turns. */
	snprintf(text, sizeof(text), "turns %u", atomic_load(&turns));
	enter(text);
	leave(text);
	/* No cancelled thread has kept a lock. */
	enter("after");
	touch_pages(700);
	leave("after");
}

static sigjmp_buf out_of_call;

static void jump(int signal_number)
{
	(void)signal_number;
	siglongjmp(out_of_call, 1);
}

static void *thousand(void *unused)
{
	unsigned i;

	(void)unused;
	for (i = 0; i < 1000; i++) {
		enter("other");
		leave("other");
	}
	return NULL;
}

/* A handler jumps out of a call, sooner or later: the rest of the thread is lost, and nothing else. */
static void jumps(void)
{
	struct itimerval often = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200};
	struct itimerval never = {.it_value.tv_usec = 0};
	struct sigaction action = {.sa_handler = jump};
	unsigned kept = name_of("main");
	pthread_t thread;

	upcr_enter(kept);
	upcr_exit(kept);
	sigaction(SIGVTALRM, &action, NULL);
	sigsetjmp(out_of_call, 1);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	/* Nothing in this loop allocates, or takes a lock. */
	do
		upcr_enter(kept);
	while (upcr_exit(kept) != UPCR_MISSED);
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	pthread_create(&thread, NULL, thousand, NULL);
	pthread_join(thread, NULL);
}

static void in_handler(int signal_number)
{
	(void)signal_number;
	enter("H");
	touch_pages(300);
	leave("H");
}

/* The first start of a path allocates memory, which no handler may. */
static void interrupt(size_t scale)
{
	if (scale)
		raise(SIGUSR1);
	else
		in_handler(SIGUSR1);
}

/* A handler that comes between calls has regions as all other code has. */
static void signals(size_t scale)
{
	enter("A");
	touch_pages(100 * scale);
	interrupt(scale);
	touch_pages(100 * scale);
	leave("A");
	interrupt(scale);
}

/* One thread forks while others begin and end. */
static void *begins(void *unused)
{
	enter("begun");
	leave("begun");
	return unused;
}

static void fork_beside(void)
{
	pthread_t thread[4];
	unsigned i, k;
	pid_t child;

	begins(NULL);
	for (i = 0; i < 50; i++) {
		for (k = 0; k < 4; k++)
			pthread_create(&thread[k], NULL, begins, NULL);
		child = fork();
		/* Not _exit: ThreadSanitizer reports there what only the parent can join. */
		if (child == 0)
			syscall(SYS_exit_group, 0);
		waitpid(child, NULL, 0);
		for (k = 0; k < 4; k++)
			pthread_join(thread[k], NULL);
	}
}

static void many_names(void)
{
	const unsigned n = named();
	char text[32];
	unsigned i;

	enter("around");
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		enter(text);
		leave(text);
	}
	enter(text);
	touch_pages(1000);
	leave(text);
	touch_pages(200);
	leave("around");
}

/* Each depth has another path. */
static void deep(void)
{
	unsigned i, n = 2000, name = name_of("D");

	for (i = 0; i < n; i++) {
		upcr_enter(name);
		if (i % 500 == 0)
			touch_pages(400);
	}
	for (i = 0; i < n; i++)
		upcr_exit(name);
}

static int tell(const char *story)
{
	if (!strcmp(story, "nest"))
		warm(nest);
	else if (!strcmp(story, "overlap"))
		warm(overlap);
	else if (!strcmp(story, "recur"))
		warm(recur);
	else if (!strcmp(story, "times"))
		durations();
	else if (!strcmp(story, "threads"))
		threads();
	else if (!strcmp(story, "fork"))
		forks();
	else if (!strcmp(story, "names"))
		names();
	else if (!strcmp(story, "wrong"))
		return wrong();
	else if (!strcmp(story, "handlers"))
		handlers();
	else if (!strcmp(story, "many"))
		many();
	else if (!strcmp(story, "limit"))
		limit();
	else if (!strcmp(story, "reset"))
		reset();
	else if (!strcmp(story, "cancel"))
		cancels();
	else if (!strcmp(story, "jump"))
		jumps();
	else if (!strcmp(story, "fork beside"))
		fork_beside();
	else if (!strcmp(story, "million"))
		many_names();
	else if (!strcmp(story, "deep"))
		deep();
	else if (!strcmp(story, "signals")) {
		signal(SIGUSR1, in_handler);
		warm(signals);
	}
	return 0;
}

/* ---- what is left of them -------------------------------------------------------------------- */

static char path[64];

/* Runs a story with that environment, and reads its file. NULL: there is none. */
static json_t *run(const char *story, const char *events, const char *max, pid_t *pid)
{
	json_error_t error;
	int status = -1;
	json_t *file;

	unlink(path);
	*pid = fork();
	if (*pid == 0) {
		setenv("UPC_REGIONS_OUT", path, 1);
		setenv("UPC_REGIONS_EVENTS", events, 1);
		setenv("UPC_REGIONS_MAX", max, 1);
		execl("/proc/self/exe", "region_engine", story, (char *)NULL);
		_exit(127);
	}
	waitpid(*pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the program ends well", story);
	file = json_load_file(path, 0, &error);
	if (!ok(file, "%s: and leaves a file", story))
		note("%s", error.text);
	return file;
}

/* Is the node's path these names, with blanks between them? */
static bool is_path(const json_t *file, const json_t *node, const char *wanted)
{
	char text[256] = "";
	json_t *index;
	size_t i;

	if (json_object_get(node, "under"))
		return false;
	json_array_foreach(json_object_get(node, "path"), i, index)
	{
		if (i)
			strcat(text, " ");
		strncat(text,
			json_string_value(json_array_get(json_object_get(file, "names"),
							 (size_t)json_integer_value(index))),
			100);
	}
	return !strcmp(text, wanted);
}

/* Returns the sum of a path's first value over all threads. calls may be NULL. */
static double sum_of(const json_t *file, const char *wanted, json_int_t *calls, bool *exact)
{
	json_t *thread, *node, *value;
	double sum = 0;
	size_t i, k;

	if (calls)
		*calls = 0;
	*exact = true;
	json_array_foreach(json_object_get(file, "threads"), i, thread)
		json_array_foreach(json_object_get(thread, "nodes"), k, node)
	{
		if (!is_path(file, node, wanted))
			continue;
		value = json_array_get(json_object_get(node, "values"), 0);
		sum += json_number_value(json_object_get(value, "value"));
		*exact &= json_is_true(json_object_get(value, "exact"));
		if (calls)
			*calls += json_integer_value(json_object_get(node, "calls"));
	}
	return sum;
}

/* Checks a path's starts and faults; the first start of a path may fault once more. */
static void has(const json_t *file, const char *wanted, json_int_t calls, double faults)
{
	json_int_t got;
	bool exact;
	double sum = sum_of(file, wanted, &got, &exact);

	ok(got == calls, "'%s' was started %d times: %d", wanted, (int)calls, (int)got);
	ok(exact && sum >= faults && (inexact || sum <= faults + 100), "... with %g faults, exactly: %g",
	   faults, sum);
}

/* Checks that a region lasted no less than it had for itself; how much more depends on the machine. */
static void lasted(const json_t *file, const char *wanted, double seconds)
{
	json_t *node, *thread = json_array_get(json_object_get(file, "threads"), 0);
	double got = 0;
	size_t k;

	json_array_foreach(json_object_get(thread, "nodes"), k, node) if (is_path(file, node, wanted)) got +=
		json_number_value(json_object_get(node, "seconds"));
	ok(got >= seconds, "'%s' has %g s at least: %g", wanted, seconds, got);
}

/* Returns whether a text is of that kind; a reason may follow it. */
static bool is_kind(const char *text, const char *what)
{
	size_t length = strlen(what);

	return !strncmp(text, what, length) && (!text[length] || text[length] == ':');
}

static json_int_t noted(const json_t *file, const char *what, const char *name)
{
	const char *of;
	json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(file, "notes"), i, entry)
	{
		of = json_string_value(json_object_get(entry, "name"));
		if (is_kind(json_string_value(json_object_get(entry, "what")), what) &&
		    (name ? of && !strcmp(of, name) : !of))
			return json_integer_value(json_object_get(entry, "times"));
	}
	return 0;
}

/* A thread's time is that of its nodes. */
static void adds_up(const json_t *file)
{
	json_t *thread, *node;
	bool right = true;
	size_t i, k;

	json_array_foreach(json_object_get(file, "threads"), i, thread)
	{
		double all = json_number_value(json_object_get(thread, "seconds")), sum = 0;
		size_t nodes = json_array_size(json_object_get(thread, "nodes"));

		json_array_foreach(json_object_get(thread, "nodes"), k, node) sum +=
			json_number_value(json_object_get(node, "seconds"));
		right &= fabs(all - sum) < 1e-9 * (double)(nodes + 1);
	}
	ok(right, "the times of a thread's paths are the thread's");
}

static void check_plain(void)
{
	char events[64];
	pid_t pid;
	json_t *file = run("nest", faults_event(), "10000", &pid);

	has(file, "A", 2, 200);
	has(file, "A B", 2, 400);
	has(file, "B", 2, 1600);
	ok(json_integer_value(json_object_get(file, "upc_regions")) == 1 &&
		   json_integer_value(json_object_get(file, "pid")) == pid,
	   "it says what it is, and of whom");
	adds_up(file);
	json_decref(file);

	file = run("overlap", faults_event(), "10000", &pid);
	has(file, "A", 2, 100);
	has(file, "A B", 2, 400);
	has(file, "B", 0, 1600);
	has(file, "", 0, 3000);
	adds_up(file);
	json_decref(file);

	file = run("recur", faults_event(), "10000", &pid);
	has(file, "R", 2, 200);
	has(file, "R R", 2, 400);
	has(file, "R R R", 2, 800);
	has(file, "R R R R", 2, 1600);
	json_decref(file);

	/* Time alone: PAPI is not even loaded. */
	file = run("nest", "", "10000", &pid);
	ok(json_array_size(json_object_get(file, "events")) == 0, "without events there are none");
	adds_up(file);
	json_decref(file);

	file = run("times", "", "10000", &pid);
	lasted(file, "", .01); /* from the first call on */
	lasted(file, "A", .04);
	lasted(file, "A B", .03);
	adds_up(file);
	json_decref(file);

	snprintf(events, sizeof(events), "none:::such,%s", faults_event());
	file = run("nest", events, "10000", &pid);
	ok(noted(file, "event refused", "none:::such") == 1, "an event that is refused is told of");
	ok(json_array_size(json_object_get(file, "events")) == 2, "... and has its column");
	json_decref(file);
}

static void check_threads(void)
{
	bool exact;
	double sum;
	pid_t pid;
	json_t *file = run("threads", faults_event(), "10000", &pid);

	sum = sum_of(file, "T", NULL, &exact);
	/* The fourth lives, and waits outside of regions. */
	ok(exact && sum >= 2000 && (inexact || sum <= 2400),
	   "what threads count is there, also of those that have not ended: %g", sum);
	ok(json_array_size(json_object_get(file, "threads")) == 5, "there are five");
	adds_up(file);
	json_decref(file);

	file = run("many", "", "10000", &pid);
	ok(json_array_size(json_object_get(file, "threads")) == 1025,
	   "more than 1,024 threads are put together");
	ok((sum_of(file, "short", &(json_int_t){0}, &exact), true), "...");
	{
		json_int_t calls;

		sum_of(file, "short", &calls, &exact);
		ok(calls == 1100, "and none is lost: %d", (int)calls);
	}
	json_decref(file);
}

static void check_fork(void)
{
	char pattern[128];
	glob_t others = {.gl_pathc = 0};
	size_t i;
	json_t *file, *childs;
	json_int_t begun = 0;
	pid_t pid, child = 0;

	file = run("fork", faults_event(), "10000", &pid);
	has(file, "parent", 2, 400);
	ok(noted(file, "stop without a start", "parent") == 0, "the child's mistake is not the parent's");
	snprintf(pattern, sizeof(pattern), "%s.*", path);
	ok(glob(pattern, 0, NULL, &others) == 0 && others.gl_pathc == 1,
	   "the child has a file of its own, and a child without regions has none");
	childs = others.gl_pathc ? json_load_file(others.gl_pathv[0], 0, NULL) : NULL;
	if (ok(childs, "the child's file can be read")) {
		child = (pid_t)strtol(others.gl_pathv[0] + strlen(path) + 1, NULL, 10);
		has(childs, "child", 2, 1600);
		ok(json_integer_value(json_object_get(childs, "parent")) == pid &&
			   json_integer_value(json_object_get(childs, "pid")) == child,
		   "and says whose child it is");
		ok(noted(childs, "stop without a start", "parent") == 1, "its parent's regions are not open");
	}
	for (i = 0; i < others.gl_pathc; i++)
		unlink(others.gl_pathv[i]);
	globfree(&others);
	json_decref(childs);
	json_decref(file);

	file = run("fork beside", faults_event(), "10000", &pid);
	sum_of(file, "begun", &begun, &(bool){true});
	ok(begun == 201, "forks beside threads that begin and end: %d", (int)begun);
	json_decref(file);
}

static void check_mistakes(void)
{
	json_int_t calls, left_out;
	bool exact;
	pid_t pid;
	json_t *file = run("wrong", faults_event(), "10000", &pid);

	ok(noted(file, "stop without a start", "nobody") == 2, "stops without a start are told of");
	ok(noted(file, "stop in another thread than the start", "main") == 1, "and those in another thread");
	ok(noted(file, "left open inside", "left") == 1, "and what a jump has left");
	ok(noted(file, "open at the end", "open") == 1, "and what is open at the end");
	adds_up(file);
	json_decref(file);

	file = run("names", "", "10000", &pid);
	ok(json_array_size(json_object_get(file, "names")) == 9, "names are any bytes");
	ok(noted(file, "open at the end",
		 "a\xef\xbf\xbd"
		 "b") == 1,
	   "a NUL is none in JSON");
	ok(noted(file, "open at the end",
		 "\xc3\xa4\xc3\xad\xc2\xa0\xc2\x80\xc3\xb4\xc2\x90\xc2\x80\xc2\x80"
		 "\xc3\x80\xc2\x80") == 1,
	   "UTF-8 stays, other bytes are Latin-1");
	ok(noted(file, "open at the end", "\"\\") == 1, "quotes are escaped");
	json_decref(file);

	file = run("limit", "", "20", &pid);
	sum_of(file, "others", &calls, &exact);
	ok(calls == 30, "beyond the limit is one row: %d", (int)calls);
	ok(noted(file, "beyond the limit", NULL) > 0, "... which is told");
	json_decref(file);

	file = run("reset", faults_event(), "10000", &pid);
	has(file, "B (before a reset)", 1, 1600);
	sum_of(file, "B", &calls, &exact);
	ok(calls == 1 && sum_of(file, "B", NULL, &exact) < 1000, "after a reset a name begins at zero");
	json_decref(file);

	file = run("handlers", "", "10000", &pid);
	sum_of(file, "main H", &calls, &exact);
	left_out = noted(file, "missed in a signal handler", NULL);
	{
		json_t *thread, *node;
		json_int_t all = -1; /* the one that is no handler's */
		size_t i, k, depth;

		json_array_foreach(json_object_get(file, "threads"), i, thread)
			json_array_foreach(json_object_get(thread, "nodes"), k, node)
		{
			json_t *of = json_object_get(node, "path");

			depth = json_array_size(of);
			if (depth &&
			    !strcmp(json_string_value(json_array_get(
					    json_object_get(file, "names"),
					    (size_t)json_integer_value(json_array_get(of, depth - 1)))),
				    "H"))
				all += json_integer_value(json_object_get(node, "calls"));
		}
		ok(2 * all + left_out >= 400 && 2 * all + left_out <= 410,
		   "a handler's calls are counted (%d) or told of (%d)", (int)(2 * all), (int)left_out);
	}
	adds_up(file);
	json_decref(file);
}

/* Returns the sum over all paths, in which nothing is counted twice, and nothing is left out. */
static double whole_of(const json_t *file)
{
	json_t *thread, *node;
	double sum = 0;
	size_t i, k;

	json_array_foreach(json_object_get(file, "threads"), i, thread)
		json_array_foreach(json_object_get(thread, "nodes"), k, node) sum += json_number_value(
			json_object_get(json_array_get(json_object_get(node, "values"), 0), "value"));
	return sum;
}

static void check_cancel(void)
{
	unsigned turns_made = 0;
	json_int_t calls, left_out;
	json_t *file, *name;
	bool exact;
	double sum;
	pid_t pid;
	size_t i;

	file = run("cancel", faults_event(), "10000", &pid);
	json_array_foreach(json_object_get(file, "names"), i, name)
		sscanf(json_string_value(name), "turns %u", &turns_made);
	sum = sum_of(file, "C", &calls, &exact);
	ok(calls == turns_made && turns_made >= 100, "cancelled threads: each of %u starts is counted: %d",
	   turns_made, (int)calls);
	/* The other pages that each thread is the first to touch are of its stack: more of them where
	 * sanitizers put guards. */
	ok(exact && sum >= 10.0 * turns_made && (inexact || sum <= 10.0 * turns_made + 3000),
	   "... with its page faults, exactly: %g", sum);
	left_out = noted(file, "open at the end", "C");
	ok(left_out == 100, "... and each ends in its region: %d", (int)left_out);
	ok(noted(file, "thread left out", NULL) == 0 && noted(file, "counting ended early", NULL) == 0,
	   "... and not in a call");
	has(file, "after", 1, 700);
	adds_up(file);
	json_decref(file);

	file = run("jump", "", "10000", &pid);
	sum_of(file, "other", &calls, &exact);
	ok(calls == 1000, "a jump out of a call leaves the other threads' regions: %d", (int)calls);
	ok(noted(file, "thread left out", NULL) == 1, "... and the thread is told of");
	ok(noted(file, "missed in a signal handler", NULL) >= 1, "... and so are its further calls");
	json_decref(file);

	file = run("signals", faults_event(), "10000", &pid);
	has(file, "A", 2, 200);
	has(file, "A H", 2, 600);
	has(file, "H", 2, 600);
	ok(noted(file, "missed in a signal handler", NULL) == 0, "a handler between calls misses none");
	adds_up(file);
	json_decref(file);
}

static void check_many(void)
{
	json_t *file, *node, *thread;
	json_int_t calls;
	bool exact, right = true;
	double sum;
	pid_t pid;
	size_t i, depth;

	file = run("million", faults_event(), "1000", &pid);
	sum_of(file, "around", &calls, &exact);
	ok(calls == 1 && json_array_size(json_object_get(file, "names")) == 1004,
	   "a million names: so many as there is room for");
	sum = sum_of(file, "others", &calls, &exact);
	ok(calls == named() - 998, "... and the others are one row: %d", (int)calls);
	ok(exact && sum >= 1000 && (inexact || sum <= 4000), "... with its page faults: %g", sum);
	sum = whole_of(file);
	ok(sum >= 1200 && (inexact || sum <= 20000), "... and all of them are the whole: %g", sum);
	ok(noted(file, "beyond the limit", NULL) > 0, "... and it is told");
	adds_up(file);
	json_decref(file);

	file = run("deep", faults_event(), "10000", &pid);
	thread = json_array_get(json_object_get(file, "threads"), 0);
	json_array_foreach(json_object_get(thread, "nodes"), i, node)
	{
		json_t *under = json_object_get(node, "under");

		/* [0] is outside, and [1] the library's own. */
		if (i == 1)
			continue;
		depth = i ? i - 1 : 0;
		right &= json_integer_value(json_object_get(node, "calls")) == (i > 0);
		right &= depth <= 64 ? !under && json_array_size(json_object_get(node, "path")) == depth
				     : json_integer_value(under) == (json_int_t)i - 1;
		right &= depth % 500 != 1 ||
			 json_number_value(json_object_get(json_array_get(json_object_get(node, "values"), 0),
							   "value")) >= 400;
	}
	ok(right && i == 2002, "deep recursion: each depth is there, with what was counted in it");
	adds_up(file);
	json_decref(file);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return tell(argv[1]);
	inexact = getenv("UPC_TEST_INEXACT") != NULL;
	snprintf(path, sizeof(path), "region_engine.%d.json", (int)getpid());
	check_plain();
	check_threads();
	check_fork();
	check_mistakes();
	check_cancel();
	check_many();
	unlink(path);
	return done();
}
