/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names that are read when they are needed: one by itself, or all. Codes that were given out
 * stay valid, a reading that fails leaves nothing behind, and a child of a fork goes on.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "catalogue/cat_trace.h"
#include "catalogue/on_demand.h"
#include "catalogue_test.h"

#define FAULTS "perf::PAGE-FAULTS"
#define SWITCH "tp::sched:sched_switch"

static struct upc_catalogue *lazy;
static struct upc_catalogue *outdated; /* whose names a test may have */

static int open_lazy(void **state)
{
	struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1, .on_demand = 1};

	(void)state;
	return upc_catalogue_open(&options, &lazy);
}

static int close_lazy(void **state)
{
	(void)state;
	upc_catalogue_close(lazy);
	upc_catalogue_close(outdated);
	outdated = NULL;
	return 0;
}

/* A network interface, or a device, that has come or gone since c was opened makes a difference. */
static void open_catalogue_anew(void)
{
	upc_catalogue_close(outdated);
	outdated = c;
	assert_int_equal(open_catalogue(NULL), 0);
}

/* Opens c anew where it differs. */
static int has_all_names(void)
{
	if (upci_catalogue_size(lazy) != upc_catalogue_count(c))
		open_catalogue_anew();
	return upci_catalogue_size(lazy) == upc_catalogue_count(c);
}

static void assert_all_are_read(void)
{
	assert_true(has_all_names());
}

static void assert_same_event(const char *name)
{
	struct upc_event_info a = UPC_OPTIONS_INIT(upc_event_info), b = a;

	assert_int_equal(upc_catalogue_info(c, event_code(c, name), &a), 0);
	assert_int_equal(upc_catalogue_info(lazy, event_code(lazy, name), &b), 0);
	assert_string_equal(a.name, b.name);
	assert_string_equal(a.description, b.description);
	assert_string_equal(a.unit, b.unit);
	assert_string_equal(a.subsystem, b.subsystem);
	assert_string_equal(a.driver, b.driver);
	assert_int_equal(a.source, b.source);
	assert_int_equal(a.scope, b.scope);
	assert_int_equal(a.kind, b.kind);
	assert_int_equal(a.id, b.id);
}

TEST_WITH(on_demand_reads_nothing, open_lazy, close_lazy)
{
	assert_int_equal(upci_catalogue_size(lazy), 0);
	assert_true(upc_catalogue_count(lazy) > 0);
	assert_all_are_read();
}

TEST_WITH(on_demand_one_name_alone, open_lazy, close_lazy)
{
	needs_perf();
	assert_same_event(FAULTS);
	assert_int_equal(upci_catalogue_size(lazy), 1);
	assert_int_equal(event_code(lazy, FAULTS ":mode=rise"), event_code(lazy, FAULTS));
	assert_int_equal(upci_catalogue_size(lazy), 1);
	/* The other name that libpfm4 has for the event is not listed. */
	assert_int_equal(event_code(lazy, "perf::PERF_COUNT_SW_PAGE_FAULTS"), 0);
	assert_all_are_read();
	assert_same_event(FAULTS);
}

TEST_WITH(on_demand_one_tracepoint_alone, open_lazy, close_lazy)
{
	if (!machine_traces())
		skip_because("no tracepoints for this user");
	assert_same_event(SWITCH);
	assert_int_equal(upci_catalogue_size(lazy), 1);
	assert_true(upci_tracepoint_is_plain("sched:sched_switch"));
}

/* A wrong name gives the same message as in c, and the message needs all names. */
TEST_WITH(on_demand_wrong_names, open_lazy, close_lazy)
{
	static const char *const names[] = {
		"perf::PAGE-FALTS", "perf::page-faults:k:u:x", "tp::sched:sched_swich", "tp::sched",
		"tp::../x:id",      "tp::ftrace:function",     "NO_SUCH_EVENT",         "perf::",
	};
	char said[1024];
	uint32_t code;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int error = upc_catalogue_find(c, names[i], &code);

		snprintf(said, sizeof(said), "%s", upc_last_message());
		assert_int_not_equal(error, 0);
		close_lazy(NULL);
		assert_int_equal(open_lazy(NULL), 0);
		assert_int_equal(upc_catalogue_find(lazy, names[i], &code), error);
		assert_string_equal(upc_last_message(), said);
		assert_all_are_read();
	}
}

/* Lists tracepoints of the whole catalogue. */
static unsigned list_tracepoints(const char **names, unsigned max)
{
	enum upc_source source;
	uint32_t code;
	unsigned n = 0;

	for (code = 0; n < max && code < upc_catalogue_count(c); code++)
		if (!upc_catalogue_name(c, code, &names[n], &source) && source == UPC_SOURCE_TRACEPOINT)
			n++;
	return n;
}

TEST_WITH(on_demand_the_17th_reads_all, open_lazy, close_lazy)
{
	const char *names[UPCI_ALONE_MAX + 1];
	uint32_t codes[UPCI_ALONE_MAX + 1];
	unsigned i;

	if (!machine_traces() || list_tracepoints(names, UPCI_ALONE_MAX + 1) <= UPCI_ALONE_MAX)
		skip_because("no tracepoints for this user");
	for (i = 0; i < UPCI_ALONE_MAX; i++) {
		codes[i] = event_code(lazy, names[i]);
		assert_int_equal(event_code(lazy, names[i]), codes[i]);
		assert_int_equal(upci_catalogue_size(lazy), i + 1);
	}
	codes[i] = event_code(lazy, names[i]);
	assert_all_are_read();
	for (i = 0; i <= UPCI_ALONE_MAX; i++)
		assert_int_equal(event_code(lazy, names[i]), codes[i]);
}

static int on_demand_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **on_demand_sorted(struct upc_catalogue *of, uint32_t n)
{
	const char **names = calloc(n, sizeof(*names));
	uint32_t code;

	assert_non_null(names);
	for (code = 0; code < n; code++)
		assert_int_equal(upc_catalogue_name(of, code, &names[code], NULL), 0);
	qsort(names, n, sizeof(*names), on_demand_compare);
	return names;
}

/* Compares the sorted names of both. Returns the first of lazy's that differs from c's, or NULL. */
static const char *find_other_name(void)
{
	const uint32_t n = upc_catalogue_count(c);
	const char **all = on_demand_sorted(c, n), **late = on_demand_sorted(lazy, n), *other = NULL;
	uint32_t i;

	for (i = 0; i < n && !other; i++)
		if (strcmp(all[i], late[i]))
			other = late[i];
	free(all);
	free(late);
	return other;
}

TEST_WITH(on_demand_lists_each_name_once, open_lazy, close_lazy)
{
	uint32_t faults = machine_counts() ? event_code(lazy, FAULTS) : 0, i;

	assert_true(upc_catalogue_count(lazy) > 0);
	assert_all_are_read();
	if (find_other_name())
		open_catalogue_anew();
	assert_all_are_read();
	assert_null(find_other_name());
	if (machine_counts())
		assert_int_equal(event_code(lazy, FAULTS), faults);
	for (i = 0; upc_catalogue_missing(c, i); i++)
		assert_string_equal(upc_catalogue_missing(lazy, i), upc_catalogue_missing(c, i));
	assert_null(upc_catalogue_missing(lazy, i));
}

TEST_WITH(on_demand_an_unknown_code_reads_all, open_lazy, close_lazy)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

	assert_int_equal(upc_catalogue_info(lazy, 0, &info), 0);
	assert_all_are_read();
	assert_int_equal(upc_catalogue_name(lazy, UINT32_MAX, NULL, NULL), UPC_ENOEVENT);
}

TEST_WITH(on_demand_not_beside_a_choice, open_lazy, close_lazy)
{
	struct upc_catalogue_options options = {.size = sizeof(options), .on_demand = 1};
	char path[] = "/tmp/on_demand-XXXXXX";
	int fd = mkstemp(path);
	struct upc_catalogue *wired;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "upc-wiring 1\n", 13), 13);
	close(fd);
	options.wiring_path = path;
	assert_int_equal(upc_catalogue_open(&options, &wired), 0);
	unlink(path);
	assert_true(upci_catalogue_size(wired) > 400);
	assert_int_equal(strlen(upc_catalogue_wiring_hash(wired)), 64);
	upc_catalogue_close(wired);
}

/* ---- failures ---------------------------------------------------------------- */

/* Limits the descriptors to those that are open, and "more" others. */
static void leave_few_descriptors(unsigned more, struct rlimit *before)
{
	struct rlimit few;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
	few = *before;
	few.rlim_cur = (rlim_t)fd + more;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
}

/* A reading that runs out of descriptors, at any point, leaves no names behind. */
TEST_WITH(on_demand_truncates_what_failed, open_lazy, close_lazy)
{
	const uint32_t before = machine_counts() ? 1 : 0;
	struct rlimit limit;
	unsigned more, failed = 0;
	int error;

	if (before)
		assert_int_equal(event_code(lazy, FAULTS), 0);
	for (more = 0; more < 64 && failed == more; more++) {
		leave_few_descriptors(more, &limit);
		error = upc_catalogue_name(lazy, UINT32_MAX, NULL, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		if (error == UPC_ENOEVENT)
			continue;
		assert_int_equal(error, UPC_EMFILE);
		assert_int_equal(upci_catalogue_size(lazy), before);
		failed++;
	}
	assert_true(failed > 0);
	assert_true(upc_catalogue_count(lazy) > 0);
	assert_all_are_read();
	if (before)
		assert_int_equal(event_code(lazy, FAULTS), 0);
}

static int build_some_and_fail(struct upc_catalogue *of)
{
	struct upci_event some = {.unit = "x", .id = UPC_NO_ID};
	int i;

	assert_int_equal(upci_catalogue_add_missing(of, "nothing: is missing"), 0);
	for (i = 0; i < 5000; i++) {
		some.name = upci_catalogue_printf(of, "some::%d", i);
		assert_true(upci_catalogue_put(of, &some) >= 0);
	}
	return UPC_ENOMEM;
}

static int build_some(struct upc_catalogue *of)
{
	struct upci_event some = {.name = "some::4999", .unit = "x", .id = UPC_NO_ID};

	return upci_catalogue_add(of, &some);
}

TEST_WITH(on_demand_forgets_half_of_the_names, open_lazy, close_lazy)
{
	struct upc_catalogue *own = upci_catalogue_create(NULL, NULL);
	uint32_t code;

	upci_catalogue_put_off(own, build_some_and_fail);
	assert_int_equal(upc_catalogue_find(own, "some::1", &code), UPC_ENOMEM);
	assert_int_equal(upci_catalogue_size(own), 0);
	assert_null(upci_catalogue_missing(own, 0));
	assert_int_equal(upci_catalogue_lookup(own, "some::1"), UPC_ENOEVENT);
	assert_int_equal(upci_catalogue_lookup(own, "some::4999"), UPC_ENOEVENT);
	upci_catalogue_put_off(own, build_some);
	assert_int_equal(upc_catalogue_find(own, "some::4999", &code), 0);
	assert_int_equal(code, 0);
	upc_catalogue_close(own);
}

/* ---- threads, forks -------------------------------------------------------------- */

/* NULL where all is read. */
static void *find_and_count(void *arg)
{
	uint32_t code, n;

	if (machine_counts() && upc_catalogue_find(lazy, FAULTS, &code))
		return (void *)1;
	n = upc_catalogue_count(lazy);
	return n > 1 && n == upci_catalogue_size(lazy) ? arg : (void *)1;
}

TEST_WITH(on_demand_by_many_threads, open_lazy, close_lazy)
{
	pthread_t thread[4];
	void *result;
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, find_and_count, NULL), 0);
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &result);
		assert_null(result);
	}
	assert_all_are_read();
}

/* Reads with a cancellation pending; the reading has many cancellation points. */
static void *count_cancelled(void *arg)
{
	pthread_cancel(pthread_self());
	(void)upc_catalogue_count(lazy);
	return arg;
}

TEST_WITH(on_demand_by_a_cancelled_thread, open_lazy, close_lazy)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, count_cancelled, NULL), 0);
	pthread_join(thread, NULL);
	assert_all_are_read();
}

static _Atomic int reading;

static void *count_in_thread(void *arg)
{
	reading = 1;
	(void)upc_catalogue_count(lazy);
	reading = 0;
	return arg;
}

/* Reports that all is well and waits to be killed: an exit would report the parent's memory as leaked. */
static void be_on_demand_child(int say)
{
	alarm(300); /* ends a deadlock */
	if (!find_and_count(NULL) && has_all_names() && write(say, "", 1) == 1)
		pause();
	_exit(1);
}

TEST_WITH(on_demand_in_a_child_of_that_moment, open_lazy, close_lazy)
{
	pthread_t thread;
	int ends[2], n = 0;
	pid_t child;
	char said;

	assert_int_equal(pthread_create(&thread, NULL, count_in_thread, NULL), 0);
	while (!reading && !upci_catalogue_size(lazy))
		sched_yield();
	do {
		assert_int_equal(pipe(ends), 0);
		child = fork();
		if (child == 0)
			be_on_demand_child(ends[1]);
		assert_true(child > 0);
		close(ends[1]);
		assert_int_equal(read(ends[0], &said, 1), 1);
		close(ends[0]);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		n++;
	} while (reading && n < 100);
	pthread_join(thread, NULL);
}

UNIT_TESTS(on_demand, open_catalogue, close_catalogue)
