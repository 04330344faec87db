/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracepoints are opened by the start, and not before: the openings, the answers of an add,
 * and the state after a start that fails.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/syscall.h>

#include "catalogue/cat_trace.h"
#include "base/fds.h"
#include "unit/unit.h"
#include "lib/machine.h"
#include "../unit_test.h"

static struct upc_catalogue *catalogue;

/* ---- perf_event_open as the library calls it ------------------------------- */

static unsigned opened, tracepoints; /* calls, and those of tracepoints       */
static uint64_t refused;             /* the tracepoint that cannot be opened, or 0 */
static int fail_plain;               /* errno of all events but tracepoints, or 0 */

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const struct perf_event_attr *attr;
	long a[6];
	va_list args;

	va_start(args, number);
	take_arguments(a, args);
	va_end(args);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	attr = (const struct perf_event_attr *)a[0];
	if (number == SYS_perf_event_open) {
		opened++;
		if (attr->type != PERF_TYPE_TRACEPOINT && fail_plain) {
			errno = fail_plain;
			return -1;
		}
		tracepoints += attr->type == PERF_TYPE_TRACEPOINT;
		if (attr->type == PERF_TYPE_TRACEPOINT && attr->config == refused) {
			errno = EIO;
			return -1;
		}
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void count_anew(void)
{
	opened = tracepoints = 0;
	refused = 0;
	fail_plain = 0;
}

/* ---- what is counted ---------------------------------------------------------- */

static const char *const calls[] = {
	"tp::syscalls:sys_enter_getppid", "tp::syscalls:sys_exit_getppid",  "tp::syscalls:sys_enter_getuid",
	"tp::syscalls:sys_exit_getuid",   "tp::syscalls:sys_enter_geteuid", "tp::syscalls:sys_exit_geteuid",
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static uint32_t code[CALLS];

static void need_tracepoints(void)
{
	size_t i;

	for (i = 0; i < CALLS; i++)
		if (upc_catalogue_find(catalogue, calls[i], &code[i])) {
			assert_false(machine_traces());
			skip_because("no tracepoints: %s", upc_last_message());
		}
	count_anew();
}

static struct upc_unit *create(const struct upc_unit_options *options)
{
	struct upc_unit *u = NULL;

	if (upc_unit_create(catalogue, options, &u))
		fail_msg("%s", upc_last_message());
	return u;
}

static void add(struct upc_unit *u, size_t from, size_t to)
{
	for (; from < to; from++)
		if (upc_unit_add(u, code[from]))
			fail_msg("%s", upc_last_message());
}

static void refuse(size_t event)
{
	assert_int_equal(upci_tracepoint_id(calls[event] + 4, &refused), 0);
}

static void call_getppid(int n)
{
	while (n-- > 0)
		(void)syscall(SYS_getppid);
}

/* ---- tests ---------------------------------------------------------------------- */

TEST(test_opened_by_the_start)
{
	unsigned before;
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	before = open_descriptors();
	add(u, 0, CALLS);
	assert_int_equal(upc_unit_remove(u, code[1]), 0);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(event_value(u, code[0]), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(tracepoints, CALLS - 1);
	call_getppid(7);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 7);
	/* From here on a start only switches. */
	count_anew();
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(opened, 0);
	call_getppid(5);
	/* Beside running events it is opened at once. */
	add(u, 1, 2);
	assert_true(tracepoints > 0);
	call_getppid(3);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 15);
	assert_int_equal(event_value(u, code[1]), 3);
	/* Among events that have counted. */
	assert_int_equal(upc_unit_remove(u, code[1]), 0);
	count_anew();
	add(u, 1, 2);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(2);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 17);
	assert_int_equal(event_value(u, code[1]), 2);
	upc_unit_destroy(u);
	assert_int_equal(open_descriptors(), before);
}

/* The leader gives the task clock, whichever was added first: one event is opened. */
TEST(test_time_takes_no_event)
{
	uint32_t time = event_code(catalogue, "perf::TASK-CLOCK");
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	add(u, 0, 2);
	assert_int_equal(upc_unit_remove(u, code[0]), 0);
	assert_int_equal(upc_unit_add(u, time), 0);
	add(u, 0, 1);
	assert_int_equal(upc_unit_remove(u, code[1]), 0);
	count_anew();
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(opened, 1);
	call_getppid(5);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 5);
	assert_true(event_value(u, time) > 0);
	upc_unit_destroy(u);
}

TEST(test_opened_by_hand)
{
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	add(u, 0, 3);
	assert_int_equal(upc_unit_open(u), 0);
	assert_int_equal(tracepoints, 3);
	count_anew();
	assert_int_equal(upc_unit_open(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_open(u), 0);
	assert_int_equal(opened, 0);
	call_getppid(4);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 4);
	upc_unit_destroy(u);
}

/* A refusal of a software event applies to a tracepoint as well, and the add of the tracepoint reports it. */
TEST(test_refused_by_the_add)
{
	static const struct {
		int number, error;
	} cases[] = {{EACCES, UPC_EPERM},  {EPERM, UPC_EPERM},   {ENOSYS, UPC_ENOSUPP},
		     {EMFILE, UPC_EMFILE}, {ENOMEM, UPC_ENOMEM}, {ESRCH, UPC_ENOTASK}};
	struct upc_unit *u;
	size_t i;

	need_tracepoints();
	u = create(NULL);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fail_plain = cases[i].number;
		assert_int_equal(upc_unit_add(u, code[0]), cases[i].error);
		assert_message("syscalls:sys_enter_getppid: ");
	}
	count_anew();
	assert_int_equal(upc_unit_list(u, NULL, 0), 0);
	upc_unit_destroy(u);
}

/* Adds take as many tracepoints as the start can open, and no more; and the start opens them. */
TEST(test_descriptors_are_counted_by_the_add)
{
	struct upc_unit *u;
	rlim_t old, low;
	size_t i, taken;
	int fd, error = 0;

	need_tracepoints();
	u = create(NULL);
	fd = dup(0);
	assert_true(fd >= 0);
	close(fd);
	/* A quarter of so few is left to the program. */
	low = (rlim_t)((fd + 4) * 4 + 2) / 3;
	old = limit_descriptors(low);
	taken = upci_fd_left();
	for (i = 0; i < CALLS && !error; i++)
		error = upc_unit_add(u, code[i]);
	if (!error)
		i++;
	limit_descriptors(old);
	assert_int_equal(error, UPC_EMFILE);
	assert_message(calls[i - 1] + 4);
	assert_in_range(taken, 1, CALLS - 1);
	assert_int_equal(i - 1, taken);
	limit_descriptors(low);
	error = upc_unit_start(u);
	limit_descriptors(old);
	assert_int_equal(error, 0);
	call_getppid(3);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 3);
	upc_unit_destroy(u);
}

/* Other events of the same commit take descriptors at once. */
TEST(test_descriptors_are_counted_within_a_commit)
{
	uint32_t faults, switches; /* an ordinary user has no switches */
	const uint32_t *const order[] = {&code[0], &faults, &switches, &code[1]};
	struct upc_transaction *t;
	struct upc_unit *u;
	rlim_t old = 0, low;
	size_t i, left;
	int error;

	need_tracepoints();
	faults = event_code(catalogue, "perf::PAGE-FAULTS");
	switches = event_code(catalogue, "perf::CONTEXT-SWITCHES");
	u = create(NULL);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(upc_transaction_add(t, *order[i], UPC_ANY_COUNTER), 0);
	for (low = 8; low < 512; low++) {
		old = limit_descriptors(low);
		left = upci_fd_left();
		if (left == 3)
			break;
		limit_descriptors(old);
	}
	error = upc_transaction_commit(t);
	limit_descriptors(old);
	assert_int_equal(left, 3);
	assert_int_equal(error, UPC_EMFILE);
	assert_message(calls[1] + 4);
	assert_int_equal(upc_unit_list(u, NULL, 0), 0);
	upc_unit_destroy(u);
}

/* Each of the events in turn is the one that the kernel refuses. software: it joins others
 * that are open already. */
static void fail_each(bool software, const struct upc_unit_options *options)
{
	uint32_t faults = event_code(catalogue, "perf::PAGE-FAULTS");
	struct upc_unit *u = create(options);
	unsigned before;
	size_t k;

	if (software)
		assert_int_equal(upc_unit_add(u, faults), 0);
	add(u, 0, CALLS);
	before = open_descriptors();
	for (k = 0; k < CALLS; k++) {
		count_anew();
		refuse(k);
		assert_int_equal(upc_unit_start(u), UPC_ESYSTEM);
		assert_message(calls[k] + 4);
		assert_message(strerror(EIO));
		assert_int_equal(upc_unit_running(u), 0);
		assert_int_equal(open_descriptors(), before);
		call_getppid(1);
		assert_int_equal(event_value(u, code[0]), 0);
	}
	count_anew();
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(3);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 3);
	upc_unit_destroy(u);
}

TEST(test_failed_start)
{
	struct upc_unit_options process = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit_options inherit = UPC_OPTIONS_INIT(upc_unit_options);

	need_tracepoints();
	process.context = UPC_CONTEXT_PROCESS;
	process.pid = getpid();
	inherit.inherit = 1;
	fail_each(false, NULL);
	fail_each(true, NULL);
	fail_each(false, &process);
	fail_each(true, &process);
	fail_each(true, &inherit);
}

/* They were counting, and go on as they were. */
TEST(test_failed_later_start)
{
	unsigned before;
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	add(u, 0, 2);
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(2);
	assert_int_equal(upc_unit_stop(u), 0);
	add(u, 2, 5);
	before = open_descriptors();
	count_anew();
	refuse(4);
	assert_int_equal(upc_unit_start(u), UPC_ESYSTEM);
	assert_message(calls[4] + 4);
	assert_int_equal(open_descriptors(), before);
	call_getppid(5);
	assert_int_equal(event_value(u, code[0]), 2);
	count_anew();
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(3);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 5);
	assert_int_equal(event_value(u, code[1]), 5);
	upc_unit_destroy(u);
}

/* An event that waits again is halted as before. */
TEST(test_failed_later_start_of_halted_ones)
{
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	add(u, 4, 6);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	add(u, 0, 3);
	assert_int_equal(upc_counter_halt(u, 2), 0);
	assert_int_equal(upc_counter_halt(u, 3), 0);
	count_anew();
	refuse(1);
	assert_int_equal(upc_unit_start(u), UPC_ESYSTEM);
	count_anew();
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(3);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 0);
	assert_int_equal(event_value(u, code[1]), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_counter_continue(u, 2), 0);
	call_getppid(2);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 2);
	upc_unit_destroy(u);
}

/* Halted, moved to another counter, taken back: all before anything is open. */
TEST(test_changes_before_the_start)
{
	struct upc_transaction *t;
	struct upc_unit *u;

	need_tracepoints();
	u = create(NULL);
	add(u, 0, 3);
	assert_int_equal(upc_counter_halt(u, 0), 0);
	assert_int_equal(upc_counter_halt(u, 1), 0);
	assert_int_equal(upc_counter_continue(u, 1), 0);
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_reassign(t, code[2], code[3]), 0);
	assert_int_equal(upc_transaction_commit(t), 0);
	assert_int_equal(tracepoints, 0);
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(6);
	assert_int_equal(event_value(u, code[0]), 0);
	assert_int_equal(event_value(u, code[1]), 6);
	assert_int_equal(upc_counter_continue(u, 0), 0);
	call_getppid(2);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 2);
	assert_int_equal(event_value(u, code[1]), 8);
	assert_int_equal(event_value(u, code[3]), 0);
	upc_unit_destroy(u);
}

/* The child has no open events of the parent, and opens its own. */
TEST(test_fork_before_the_start)
{
	struct upc_unit *u;
	pid_t pid;

	need_tracepoints();
	u = create(NULL);
	add(u, 0, 2);
	pid = fork();
	if (pid == 0) {
		bool good = tracepoints == 0 && !upc_unit_start(u);

		call_getppid(3);
		good = good && !upc_unit_stop(u) && event_value(u, code[0]) == 3;
		upc_unit_destroy(u);
		_exit(!good);
	}
	assert_true(pid > 0);
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(upc_unit_start(u), 0);
	call_getppid(4);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(event_value(u, code[0]), 4);
	upc_unit_destroy(u);
}

/* A unit that waits for an exec opens at once: it may never be started before the exec. */
TEST(test_exec_does_not_wait)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	int status;

	need_tracepoints();
	options.pid = fork();
	if (options.pid == 0)
		for (;;)
			pause();
	assert_true(options.pid > 0);
	options.enable_on_exec = 1;
	u = create(&options);
	add(u, 0, 2);
	assert_true(tracepoints >= 2);
	upc_unit_destroy(u);
	assert_int_equal(kill(options.pid, SIGKILL), 0);
	assert_int_equal(waitpid(options.pid, &status, 0), options.pid);
}

TEST(test_plain_tracepoints)
{
	need_tracepoints();
	assert_true(upci_tracepoint_is_plain("syscalls:sys_enter_getppid"));
	assert_true(upci_tracepoint_is_plain("sched:sched_switch"));
	assert_false(upci_tracepoint_is_plain("ftrace:function"));
}

static int open_catalogue(void **state)
{
	(void)state;
	return upc_catalogue_open(NULL, &catalogue);
}

static int close_catalogue(void **state)
{
	(void)state;
	upc_catalogue_close(catalogue);
	return 0;
}

int main(void)
{
	return run_own_tests(open_catalogue, close_catalogue);
}
