/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_256 - 256 events in one event set: started, read while they run, stopped;
 * the 257th is a conflict and leaves the set as it was.
 */
#include <fcntl.h>
#include <time.h>

#include "papi_util.h"

#define FULL 256

/*
 * The events that are added first: load() moves them. This machine's other events follow, in the
 * catalogue's order, until 256 counters are taken.
 */
#define CALL(name) "upc:::tp::syscalls:sys_enter_" #name, "upc:::tp::syscalls:sys_exit_" #name
static const char *const stated[] = {
	FAULTS,
	"upc:::perf::MINOR-FAULTS",
	"upc:::perf::TASK-CLOCK",
	"upc:::perf::CPU-CLOCK",
	"upc:::perf::CONTEXT-SWITCHES",
	"upc:::tp::raw_syscalls:sys_enter",
	"upc:::tp::raw_syscalls:sys_exit",
	"upc:::tp::exceptions:page_fault_user",
	"upc:::tp::kmem:mm_page_alloc",
	"upc:::tp::kmem:kmem_cache_alloc",
	"upc:::tp::kmem:kmem_cache_free",
	CALL(read),
	CALL(write),
	CALL(openat),
	CALL(close),
	CALL(mmap),
	CALL(munmap),
	CALL(madvise),
	CALL(lseek),
	CALL(dup),
	CALL(fcntl),
	CALL(getpid),
	CALL(gettid),
	CALL(getppid),
	CALL(getuid),
	CALL(geteuid),
	CALL(getgid),
	CALL(getegid),
	CALL(getpgid),
	CALL(getsid),
	CALL(getresuid),
	CALL(getresgid),
	CALL(getcwd),
	CALL(uname),
	CALL(sched_yield),
	CALL(clock_nanosleep),
	CALL(getrusage),
	CALL(sysinfo),
	CALL(times),
	CALL(getpriority),
	CALL(sched_getaffinity),
	CALL(getrandom),
	CALL(pipe2),
};
#define STATED (sizeof(stated) / sizeof(*stated))
#define STATED_MOVING 60 /* at least, of those that are here */

static int set = PAPI_NULL;
static int codes[FULL];
static int n;
static int n_stated; /* the first of codes */
static int tried;    /* those of the list up to this one are in the set, or are refused in one */

/*
 * Returns whether an event has a counter of its own, and no other event can be in its way: a formula
 * shares the counters of others, and a hardware PMU holds only a few events. Events of a hardware PMU
 * count what the set is attached to. (The software events of perf, which are stated above, and
 * tracepoints count that as well.)
 */
static int plain(int code, const char *name)
{
	PAPI_event_info_t info;

	name += strlen("upc:::");
	if (!strncmp(name, "tp::", strlen("tp::")))
		return 1;
	return strstr(name, "::") && PAPI_get_event_info(code, &info) == PAPI_OK &&
	       !strstr(info.long_descr, "Scope: what the event set is attached to");
}

static int have(int code)
{
	char name[PAPI_MAX_STR_LEN], other[PAPI_MAX_STR_LEN];
	int i;

	if (PAPI_event_code_to_name(code, name) != PAPI_OK)
		return 1;
	for (i = 0; i < n; i++)
		if (PAPI_event_code_to_name(codes[i], other) == PAPI_OK && !strcmp(name, other))
			return 1;
	return 0;
}

static int fill(int component)
{
	int code = PAPI_NATIVE_MASK;
	size_t i;
	int more;

	for (i = 0; i < STATED; i++)
		if (PAPI_event_name_to_code(stated[i], &codes[n]) == PAPI_OK &&
		    PAPI_add_event(set, codes[n]) == PAPI_OK)
			n++;
	n_stated = n;
	note("%d of the %zu stated events are here", n, STATED);
	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK && n < FULL;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		char name[PAPI_MAX_STR_LEN];

		tried = code;
		if (PAPI_event_code_to_name(code, name) != PAPI_OK || !plain(code, name) || have(code))
			continue;
		if (PAPI_add_event(set, code) == PAPI_OK)
			codes[n++] = code;
	}
	return n;
}

/* Tries to add the first plain event after `tried` that the set does not have. Returns the result of
 * PAPI_add_event, or PAPI_ENOEVNT where there is no such event. */
static int one_more(int component)
{
	int code = tried;

	while (PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component) == PAPI_OK) {
		char name[PAPI_MAX_STR_LEN];

		if (PAPI_event_code_to_name(code, name) == PAPI_OK && plain(code, name) && !have(code))
			return PAPI_add_event(set, code);
	}
	return PAPI_ENOEVNT;
}

/* One pass over all stated events. */
static void load_once(void)
{
	static const long plain_calls[] = {
		SYS_getpid,  SYS_gettid, SYS_getppid, SYS_getuid,
		SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_yield,
	};
	static char bytes[4096];
	struct timespec moment = {0, 1000};
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
	int ends[2];
	size_t i;

	touch_pages(10);
	if (read(fd, bytes, sizeof(bytes)) < 0 || write(fd, bytes, sizeof(bytes)) < 0)
		note("/dev/zero: %s", strerror(errno));
	lseek(fd, 0, SEEK_SET);
	fcntl(fd, F_GETFD);
	close(dup(fd));
	close(fd);
	if (pipe2(ends, O_CLOEXEC) == 0) {
		close(ends[0]);
		close(ends[1]);
	}
	for (i = 0; i < sizeof(plain_calls) / sizeof(*plain_calls); i++)
		syscall(plain_calls[i]);
	syscall(SYS_getpgid, 0);
	syscall(SYS_getsid, 0);
	syscall(SYS_getresuid, bytes, bytes + 8, bytes + 16);
	syscall(SYS_getresgid, bytes, bytes + 8, bytes + 16);
	syscall(SYS_getcwd, bytes, sizeof(bytes));
	syscall(SYS_uname, bytes);
	syscall(SYS_getrusage, RUSAGE_SELF, bytes);
	syscall(SYS_sysinfo, bytes);
	syscall(SYS_times, bytes);
	syscall(SYS_getpriority, PRIO_PROCESS, 0);
	syscall(SYS_sched_getaffinity, 0, sizeof(bytes), bytes);
	syscall(SYS_getrandom, bytes, (size_t)8, 0);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}

static void load(void)
{
	int i;

	for (i = 0; i < 200; i++)
		load_once();
}

static int same_events(void)
{
	int listed[1024];
	int number = 1024;
	int i;

	if (PAPI_list_events(set, listed, &number) != PAPI_OK || number != n)
		return 0;
	for (i = 0; i < n; i++)
		if (listed[i] != codes[i])
			return 0;
	return 1;
}

int main(void)
{
	static long long first[FULL], second[FULL], last[FULL];
	int component = start_papi();
	int moved = 0;
	int stated_moved = 0;
	int monotone = 1;
	int error;
	int i;

	PAPI_create_eventset(&set);
	fill(component);
	if (n < FULL && !machine_traces())
		skip_all("this machine gives this user %d events, not %d", n, FULL);
	ok(n == FULL, "%d events in one set", n);
	ok(PAPI_start(set) == PAPI_OK, "start");
	load();
	ok(PAPI_read(set, first) == PAPI_OK, "read while they run");
	load();
	ok(PAPI_read(set, second) == PAPI_OK, "read again");
	ok(PAPI_stop(set, last) == PAPI_OK, "stop");
	ok(first[0] >= 2000 && second[0] >= first[0] + 2000, "page faults: %lld, then %lld", first[0],
	   second[0]);
	for (i = 0; i < n; i++) {
		PAPI_event_info_t info;

		moved += last[i] != 0;
		stated_moved += i < n_stated && last[i] != 0;
		if (PAPI_get_event_info(codes[i], &info) == PAPI_OK &&
		    info.value_type == PAPI_VALUETYPE_RUNNING_SUM &&
		    (second[i] < first[i] || last[i] < second[i])) {
			note("%s: %lld, %lld, %lld", info.symbol, first[i], second[i], last[i]);
			monotone = 0;
		}
	}
	ok(monotone, "no count fell");
	note("%d of %d are not zero", moved, n);
	if (n_stated < STATED_MOVING && !machine_traces())
		skip("this user is given only %d of the stated events", n_stated);
	else
		ok(stated_moved >= STATED_MOVING, "%d of %d stated events are not zero", stated_moved,
		   n_stated);
	error = one_more(component);
	ok(error == PAPI_ECNFLCT, "the 257th is PAPI_ECNFLCT: %s", PAPI_strerror(error));
	ok(same_events(), "the set has the events that it had");
	ok(still_counts(set, FULL), "and counts");
	ok(PAPI_remove_event(set, codes[FULL - 1]) == PAPI_OK, "one is removed");
	n--;
	error = one_more(component);
	ok(error == PAPI_OK, "now there is room for another: %s", PAPI_strerror(error));
	drop(&set);
	PAPI_shutdown();
	return done();
}
