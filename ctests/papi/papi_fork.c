/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_fork - fork, exec and vfork while a set counts: the child may use what it
 * inherited without a crash, and the parent's count goes on undisturbed.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>

#include "papi_util.h"

/* The child's exit status, or -1 where a signal ended it. */
static int outcome(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Does everything in the child that a program may do with the set. The bits of the result name the
 * steps that went wrong. */
static int use_inherited(int set)
{
	long long value = -1;
	int own;
	int wrong = 0;

	touch_pages(3000);
	if (PAPI_read(set, &value) != PAPI_OK || value < 0 || value > 100)
		wrong |= 1; /* the parent's unit is not the child's: zero */
	PAPI_reset(set);
	if (PAPI_stop(set, &value) != PAPI_OK)
		wrong |= 2;
	if (PAPI_start(set) != PAPI_OK)
		wrong |= 4;
	touch_pages(100);
	if (PAPI_stop(set, &value) != PAPI_OK || !about(value, 100))
		wrong |= 8; /* started here, it counts the child */
	own = set_with(FAULTS);
	if (own == PAPI_NULL || !still_counts(own, 1))
		wrong |= 16;
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return wrong;
}

static void forked(int set)
{
	long long before = -1;
	long long after = -1;
	pid_t child;
	int wrong;

	PAPI_start(set);
	touch_pages(100);
	PAPI_read(set, &before);
	child = fork();
	if (child == 0)
		_exit(use_inherited(set));
	wrong = outcome(child);
	ok(wrong == 0, "a child uses the set that it inherited (%d)", wrong);
	touch_pages(1000);
	/* After a fork the parent's own pages fault once each, copy on write. */
	ok(PAPI_stop(set, &after) == PAPI_OK && after >= before + 1000 && after < before + 2000,
	   "the parent counted on, without the child: %lld, then %lld", before, after);
}

static void executed(int set)
{
	long long value = -1;
	pid_t child;

	PAPI_start(set);
	child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 42", (char *)NULL);
		_exit(127);
	}
	ok(outcome(child) == 42, "a child executes a program");
	touch_pages(100);
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= 100 && value < 1000, "the parent counted on: %lld",
	   value);
}

/* A vfork child shares the parent's memory until its exec. */
static void vforked(int set)
{
	long long value = -1;
	volatile pid_t child;

	PAPI_start(set);
	child = vfork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 43", (char *)NULL);
		_exit(127);
	}
	ok(outcome(child) == 43, "a vfork child executes a program");
	touch_pages(100);
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 100), "the parent counted on: %lld", value);
}

/* The component closes its descriptors on exec: none appears in the program. */
static void descriptors(int set)
{
	pid_t child;

	PAPI_start(set);
	child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c",
		      "for f in /proc/self/fd/*; do case \"$(readlink $f)\" in"
		      " anon_inode:*perf_event*) exit 1;; esac; done; exit 0",
		      (char *)NULL);
		_exit(127);
	}
	ok(outcome(child) == 0, "no event's descriptor is left open across exec");
	PAPI_stop(set, NULL);
}

static int asks_for(const char *name)
{
	int code;

	return PAPI_event_name_to_code(name, &code) != PAPI_OK;
}

/* Reads the text that came meanwhile, as one line. */
static void hear(int fd, char *text, size_t size)
{
	ssize_t length = read(fd, text, size - 1);

	text[length > 0 ? length : 0] = '\0';
	while ((text = strchr(text, '\n')))
		*text = ';';
}

/* The component's messages wait while a set runs. In a child no set runs, and the messages that
 * wait are left to the parent. */
static void said(int set)
{
	char text[2000];
	int ends[2], error = dup(STDERR_FILENO), wrong;
	pid_t child;

	if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0) {
		skip("no pipe");
		return;
	}
	PAPI_start(set);
	asks_for("upc:::the::parent");
	child = fork();
	if (child == 0)
		_exit(!asks_for("upc:::the::child"));
	wrong = outcome(child);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	hear(ends[0], text, sizeof(text));
	ok(!wrong && strstr(text, "the::child") && !strstr(text, "the::parent"),
	   "a child says what it has to say: %s", text);
	PAPI_stop(set, NULL);
	hear(ends[0], text, sizeof(text));
	ok(strstr(text, "the::parent") && !strstr(text, "the::child"), "and the parent: %s", text);
	dup2(error, STDERR_FILENO);
	close(error);
	close(ends[0]);
	close(ends[1]);
}

/*
 * Grandchildren, each with a set of its own beside the inherited one. PAPI lets one set of a thread
 * run, and takes the inherited one for running.
 */
static int descend(int depth, int inherited)
{
	int set = set_with(FAULTS);
	long long value;
	pid_t child;
	int deeper;

	if (inherited != PAPI_NULL && PAPI_stop(inherited, &value) != PAPI_OK)
		return 4;
	if (set == PAPI_NULL || PAPI_start(set) != PAPI_OK)
		return 1;
	if (depth == 0) {
		touch_pages(50);
		return PAPI_stop(set, &value) == PAPI_OK && about(value, 50) ? 0 : 2;
	}
	child = fork();
	if (child == 0)
		_exit(descend(depth - 1, set));
	deeper = outcome(child);
	if (deeper)
		return deeper;
	touch_pages(50);
	return PAPI_stop(set, &value) == PAPI_OK && value >= 50 && value < 1000 ? 0 : 3;
}

/* ---- a fork in the middle of another thread's PAPI_overflow ---------------------------- */

static int waits, inside, forked_already; /* atomics */

extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);

/* Stands in front of the C library's function, by which PAPI installs its handlers while the
 * component holds its lock. */
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *action,
						     struct sigaction *before)
{
	int i;

	if (action && __atomic_exchange_n(&waits, 0, __ATOMIC_SEQ_CST)) {
		__atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST);
		/* A fork that waits for this thread does not return before the loop ends. */
		for (i = 0; i < 300 && !__atomic_load_n(&forked_already, __ATOMIC_SEQ_CST); i++)
			usleep(1000);
	}
	return __sigaction(number, action, before);
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

static int overflows(int set)
{
	int code;

	return PAPI_event_name_to_code(FAULTS, &code) == PAPI_OK &&
	       PAPI_overflow(set, code, 100, 0, on_overflow) == PAPI_OK &&
	       PAPI_overflow(set, code, 0, 0, on_overflow) == PAPI_OK;
}

static void *overflow_slowly(void *arg)
{
	int set = set_with(FAULTS);

	__atomic_store_n(&waits, 1, __ATOMIC_SEQ_CST);
	if (!overflows(set))
		arg = NULL;
	if (__atomic_exchange_n(&waits, 0, __ATOMIC_SEQ_CST))
		__atomic_store_n(&inside, -1, __ATOMIC_SEQ_CST);
	drop(&set);
	PAPI_unregister_thread();
	return arg;
}

static void in_overflow(int set)
{
	pthread_t thread;
	void *good = NULL;
	pid_t child;

	pthread_create(&thread, NULL, overflow_slowly, &set);
	while (!__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
		sched_yield();
	ok(inside > 0, "a thread installs a handler");
	child = fork();
	__atomic_store_n(&forked_already, 1, __ATOMIC_SEQ_CST);
	if (child == 0) {
		alarm(600);
		_exit(overflows(set) ? 0 : 1);
	}
	ok(outcome(child) == 0, "a child has overflows, though another thread was at it");
	pthread_join(thread, &good);
	ok(good != NULL, "and so has that thread");
}

int main(void)
{
	pid_t child;
	int set;
	int wrong;

	start_papi();
	set = set_with(FAULTS);
	if (!ok(set != PAPI_NULL, "a set with " FAULTS))
		return done();
	forked(set);
	executed(set);
	vforked(set);
	descriptors(set);
	said(set);
	in_overflow(set);
	drop(&set);
	child = fork();
	if (child == 0)
		_exit(descend(4, PAPI_NULL));
	wrong = outcome(child);
	ok(wrong == 0, "five generations count, each its own (%d)", wrong);
	PAPI_shutdown();
	return done();
}
