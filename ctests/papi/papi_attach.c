/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_attach - the targets that a set can count: another process, a CPU, children, a whole
 * process, the machine; and the domains in which it counts.
 */
#include <sched.h>
#include <signal.h>

#include "../lib/child.h"
#include "papi_util.h"

static void attach_process(void)
{
	struct child child;
	long long value = -1;
	int set = set_with(FAULTS);
	int error;

	if (child_start(&child, touch_pages)) {
		ok(0, "a child");
		return;
	}
	child_work(&child, 10); /* its first steps are behind it */
	error = PAPI_attach(set, (unsigned long)child.pid);
	if (!ok(error == PAPI_OK, "attach to a process: %s", PAPI_strerror(error))) {
		child_end(&child);
		return;
	}
	PAPI_start(set);
	touch_pages(5000);
	child_work(&child, 700);
	ok(PAPI_read(set, &value) == PAPI_OK && about(value, 700), "its pages are counted and not ours: %lld",
	   value);
	child_end(&child);
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= 700 && value < 1000, "stop after it has ended: %lld",
	   value);
	error = PAPI_detach(set);
	ok(error == PAPI_OK && still_counts(set, 1), "detached, the set is ours again (%s)",
	   PAPI_strerror(error));
	drop(&set);
}

static void attach_before_adding(void)
{
	struct child child;
	long long value = -1;
	int set = PAPI_NULL;

	if (child_start(&child, touch_pages)) {
		ok(0, "a child");
		return;
	}
	child_work(&child, 10);
	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, find_component());
	ok(PAPI_attach(set, (unsigned long)child.pid) == PAPI_OK &&
		   PAPI_add_named_event(set, FAULTS) == PAPI_OK,
	   "attach, and only then add");
	PAPI_start(set);
	child_work(&child, 300);
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 300), "counts the process: %lld", value);
	drop(&set);
	child_end(&child);
}

static void attach_nobody(void)
{
	int set = set_with(FAULTS);
	pid_t child = fork();
	int error;

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	error = PAPI_attach(set, (unsigned long)child);
	ok(error == PAPI_ESYS && errno == ESRCH, "a process that is gone is PAPI_ESYS, ESRCH: %s",
	   PAPI_strerror(error));
	ok(still_counts(set, 1), "and the set is as it was");
	ok(PAPI_attach(set, ~0ul) == PAPI_EINVAL, "a process that cannot be is PAPI_EINVAL");
	drop(&set);
}

/* Thread 0 is the caller. A set that is attached to it counts the caller, and PAPI does not take it
 * for the one set of the component that may run in a thread. */
static void attach_self(void)
{
	int set = set_with(FAULTS), other = set_with(FAULTS), own = set_with(FAULTS);
	long long value = -1, others = -1, owns = -1;

	ok(PAPI_attach(set, 0) == PAPI_OK && PAPI_attach(other, 0) == PAPI_OK, "thread 0 is the caller");
	ok(PAPI_start(set) == PAPI_OK && PAPI_start(other) == PAPI_OK && PAPI_start(own) == PAPI_OK,
	   "sets that are attached to it run beside each other, and beside its own");
	touch_pages(80);
	ok(PAPI_stop(set, &value) == PAPI_OK && PAPI_stop(other, &others) == PAPI_OK &&
		   PAPI_stop(own, &owns) == PAPI_OK,
	   "and stop");
	ok(about(value, 80) && about(others, 80) && about(owns, 80), "all count: %lld, %lld, %lld", value,
	   others, owns);
	ok(PAPI_detach(set) == PAPI_OK && still_counts(set, 1), "detached it counts as before");
	drop(&set);
	drop(&other);
	drop(&own);
}

static void *count_own(void *arg)
{
	int *set = arg;
	static long long value;

	value = -1;
	if (PAPI_attach(*set, 0) != PAPI_OK || PAPI_start(*set) != PAPI_OK)
		return &value;
	touch_pages(60);
	PAPI_stop(*set, &value);
	return &value;
}

/* Another thread's set becomes that of the thread that attaches it to itself. */
static void attach_taken(void)
{
	int set = set_with(FAULTS);
	void *value = NULL;
	pthread_t thread;

	if (pthread_create(&thread, NULL, count_own, &set) == 0)
		pthread_join(thread, &value);
	ok(value && about(*(long long *)value, 60), "a set that a thread attaches to itself counts it: %lld",
	   value ? *(long long *)value : -1);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void attach_cpu(void)
{
	PAPI_option_t option = {.cpu = {.cpu_num = (unsigned)sched_getcpu()}};
	cpu_set_t all, one;
	long long value = -1;
	int set = set_with(FAULTS);
	int error;

	option.cpu.eventset = set;
	error = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
	if (error == PAPI_EPERM && !machine_counts_cpus()) {
		skip("the machine lets this user count no CPU");
		drop(&set);
		return;
	}
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(option.cpu.cpu_num, &one);
	sched_setaffinity(0, sizeof(one), &one);
	ok(error == PAPI_OK && PAPI_start(set) == PAPI_OK, "attach to CPU %u: %s", option.cpu.cpu_num,
	   PAPI_strerror(error));
	touch_pages(1000);
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= 1000, "counts what runs there: %lld", value);
	sched_setaffinity(0, sizeof(all), &all);
	drop(&set);

	set = set_with(FAULTS);
	option.cpu.eventset = set;
	option.cpu.cpu_num = 100000;
	ok(PAPI_set_opt(PAPI_CPU_ATTACH, &option) != PAPI_OK, "a CPU that is not there is refused");
	ok(still_counts(set, 1), "and the set is as it was");
	drop(&set);
}

static void *touch_in_thread(void *argument)
{
	touch_pages(*(size_t *)argument);
	return NULL;
}

static void with_new_thread(size_t pages)
{
	pthread_t thread;

	pthread_create(&thread, NULL, touch_in_thread, &pages);
	pthread_join(thread, NULL);
}

static void inherit(void)
{
	PAPI_option_t option = {.inherit = {.inherit = PAPI_INHERIT_ALL}};
	long long value = -1;
	int set = set_with(FAULTS);

	PAPI_start(set);
	with_new_thread(1000);
	ok(PAPI_stop(set, &value) == PAPI_OK && value < 500, "a new thread is not counted: %lld", value);
	option.inherit.eventset = set;
	ok(PAPI_set_opt(PAPI_INHERIT, &option) == PAPI_OK, "inherit");
	PAPI_start(set);
	with_new_thread(1000);
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= 1000 && value < 1500, "now it is: %lld", value);
	drop(&set);
}

static int granularity(int set, int wanted)
{
	PAPI_option_t option = {.granularity = {.eventset = set, .granularity = wanted}};

	return PAPI_set_opt(PAPI_GRANUL, &option);
}

static void granularities(void)
{
	long long value = -1;
	int set = set_with(FAULTS);
	int error;

	error = granularity(set, PAPI_GRN_PROC);
	ok(error == PAPI_OK, "granularity process: %s", PAPI_strerror(error));
	PAPI_start(set);
	touch_pages(200);
	with_new_thread(1000);
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= 1200 && value < 2000,
	   "all threads are counted: %lld", value);
	ok(granularity(set, PAPI_GRN_THR) == PAPI_OK && still_counts(set, 1), "granularity thread again");
	error = granularity(set, PAPI_GRN_SYS);
	if (error == PAPI_EPERM && !machine_counts_cpus()) {
		skip("the machine lets this user count no others");
	} else {
		struct child child;

		ok(error == PAPI_OK, "granularity system: %s", PAPI_strerror(error));
		child_start(&child, touch_pages);
		PAPI_start(set);
		child_work(&child, 2000);
		ok(PAPI_stop(set, &value) == PAPI_OK && value >= 2000, "another process is counted: %lld",
		   value);
		ok(PAPI_attach(set, (unsigned long)child.pid) == PAPI_EINVAL,
		   "one process of the whole machine is PAPI_EINVAL");
		child_end(&child);
	}
	ok(granularity(set, PAPI_GRN_PROCG) != PAPI_OK, "a process group is refused");
	drop(&set);
}

static void domains(void)
{
	PAPI_option_t option = {.domain = {.domain = PAPI_DOM_USER}};
	long long value = -1;
	int set = set_with(FAULTS);
	int error;

	option.domain.eventset = set;
	error = PAPI_set_opt(PAPI_DOMAIN, &option);
	ok(error == PAPI_OK && still_counts(set, 1), "user domain: %s", PAPI_strerror(error));
	option.domain.domain = PAPI_DOM_KERNEL;
	error = PAPI_set_opt(PAPI_DOMAIN, &option);
	if (!(PAPI_get_component_info(find_component())->available_domains & PAPI_DOM_KERNEL)) {
		ok(error != PAPI_OK && still_counts(set, 1), "the kernel, which this user may not count: %s",
		   PAPI_strerror(error));
	} else {
		PAPI_start(set);
		touch_pages(1000);
		ok(error == PAPI_OK && PAPI_stop(set, &value) == PAPI_OK && value < 500,
		   "kernel domain: faults of user code are not counted: %lld", value);
	}
	option.domain.domain = PAPI_DOM_OTHER;
	ok(PAPI_set_opt(PAPI_DOMAIN, &option) != PAPI_OK, "a domain that is not there is refused");
	drop(&set);
}

/* Returns the context switches of this thread, as the kernel has counted them. */
static long long switched_out(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* User mode is the default domain, as in PAPI's own component. Events that happen in the kernel
 * count in it all the same, until user mode alone is asked for. */
static void default_domain(void)
{
	static const char *const switches = "upc:::perf::CONTEXT-SWITCHES";
	const PAPI_component_info_t *info = PAPI_get_component_info(find_component());
	PAPI_option_t option = {.domain = {.domain = 0}};
	const struct timespec moment = {0, 1000000};
	long long value = -1, switched;
	int set;

	ok(info->default_domain == PAPI_DOM_USER, "user mode is the default domain");
	if (!(info->available_domains & PAPI_DOM_KERNEL)) {
		ok(PAPI_set_cmp_domain(PAPI_DOM_KERNEL, find_component()) != PAPI_OK,
		   "and the kernel none that can be chosen");
		return;
	}
	set = set_with(switches);
	option.domain.eventset = set;
	ok(PAPI_get_opt(PAPI_DOMAIN, &option) == PAPI_OK && option.domain.domain == PAPI_DOM_USER,
	   "a set has it");
	PAPI_start(set);
	switched = switched_out();
	/* A sleep that is over before it began is no switch. */
	while (switched_out() < switched + 20)
		nanosleep(&moment, NULL);
	switched = switched_out() - switched;
	ok(PAPI_stop(set, &value) == PAPI_OK && value >= switched,
	   "context switches count in it: %lld of %lld", value, switched);
	option.domain.domain = PAPI_DOM_USER;
	ok(PAPI_set_opt(PAPI_DOMAIN, &option) != PAPI_OK, "and are none of user mode alone");
	option.domain.domain = PAPI_DOM_USER | PAPI_DOM_KERNEL;
	ok(PAPI_set_opt(PAPI_DOMAIN, &option) == PAPI_OK && PAPI_get_opt(PAPI_DOMAIN, &option) == PAPI_OK &&
		   option.domain.domain == (PAPI_DOM_USER | PAPI_DOM_KERNEL),
	   "both, chosen, are told");
	drop(&set);
	set = set_with(FAULTS);
	ok(PAPI_set_cmp_domain(PAPI_DOM_KERNEL, find_component()) == PAPI_OK, "the kernel alone");
	drop(&set);
	set = set_with(FAULTS);
	PAPI_start(set);
	touch_pages(1000);
	ok(PAPI_stop(set, &value) == PAPI_OK && value < 500, "is what the next sets count: %lld faults",
	   value);
	ok(PAPI_set_cmp_domain(PAPI_DOM_USER, find_component()) == PAPI_OK, "and back");
	drop(&set);
}

/* A set of a process that has ended does not start. */
static void attach_dead(void)
{
	struct child child;
	int set = PAPI_NULL;

	child_start(&child, touch_pages);
	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, find_component());
	ok(PAPI_attach(set, (unsigned long)child.pid) == PAPI_OK &&
		   PAPI_add_named_event(set, FAULTS) == PAPI_OK,
	   "a set of a child");
	child_end(&child);
	errno = 0;
	ok(PAPI_start(set) == PAPI_ESYS && errno == ESRCH, "which has ended is not started");
	drop(&set);
}

/* A thread attaches another thread's set to itself while no descriptors are left. */
static void *take_in_vain(void *arg)
{
	struct rlimit limit, none;
	int set = *(int *)arg, error;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return NULL;
	none = limit;
	none.rlim_cur = 4;
	setrlimit(RLIMIT_NOFILE, &none);
	error = PAPI_attach(set, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	PAPI_unregister_thread();
	return error == PAPI_OK ? NULL : arg;
}

static void attach_fails(void)
{
	PAPI_option_t option = {.granularity = {.granularity = PAPI_GRN_THR}};
	int set = set_with(FAULTS);
	pthread_t thread;
	void *failed = NULL;

	pthread_create(&thread, NULL, take_in_vain, &set);
	pthread_join(thread, &failed);
	ok(failed != NULL, "an attach fails");
	option.granularity.eventset = set;
	ok(PAPI_set_opt(PAPI_GRANUL, &option) == PAPI_OK && still_counts(set, 1),
	   "and the set is whose it was");
	drop(&set);
}

int main(void)
{
	start_papi();
	attach_process();
	attach_before_adding();
	attach_nobody();
	attach_self();
	attach_taken();
	attach_cpu();
	inherit();
	granularities();
	domains();
	default_domain();
	attach_dead();
	attach_fails();
	PAPI_shutdown();
	return done();
}
