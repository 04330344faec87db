/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmu_told - what PAPI is told of hardware events is so: the domain that PAPI_get_opt
 * gives is the one that is counted, as in PAPI's perf_event component; what was not
 * counted is an error of every read; signals and tasks that are not there are an error
 * of PAPI_start.
 */
#include <signal.h>

#include "../lib/child.h"
#include "../papi/papi_util.h"
#include "pmu_util.h"

#define CALLS 1000
#define ROUNDS 100000
#define HOLDERS 5 /* of the six counters that this is written for */
#define INSTRUCTIONS "upc:::perf::INSTRUCTIONS"

static int ours, own; /* components */

static int set_of(int component, const char *event)
{
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK ||
	    PAPI_assign_eventset_component(set, component) != PAPI_OK ||
	    (event && PAPI_add_named_event(set, event) != PAPI_OK))
		drop(&set);
	return set;
}

static int domain_of(int set)
{
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	return PAPI_get_opt(PAPI_DOMAIN, &option) == PAPI_OK ? option.domain.domain : -1;
}

static int choose(int set, int domain)
{
	PAPI_option_t option;

	memset(&option, 0, sizeof(option));
	option.domain.eventset = set;
	option.domain.domain = domain;
	return PAPI_set_opt(PAPI_DOMAIN, &option);
}

/* ---- domains --------------------------------------------------------------------- */

/* System calls have far more instructions in the kernel than in the loop around them. */
static int64_t count_calls(int set)
{
	long long value;

	if (PAPI_start(set) != PAPI_OK)
		return FAILED;
	call_loop(CALLS);
	return PAPI_stop(set, &value) == PAPI_OK ? value : FAILED;
}

static int is_as_told(int domain, int64_t value)
{
	const int64_t user = (int64_t)PER_CALL_ROUND * CALLS;
	const int kernel = (domain & PAPI_DOM_KERNEL) != 0;

	if (kernel != (value > user + 10 * CALLS))
		return 0;
	return domain & PAPI_DOM_USER ? value >= user : value > 0;
}

static void check_domain(int component, const char *event, int domain, const char *how)
{
	int set = set_of(component, event);
	int told = domain_of(set);
	int64_t value = count_calls(set);

	ok(told == domain && is_as_told(told, value), "%s, %s: told %d, counted %" PRId64, event, how, told,
	   value);
	drop(&set);
}

static void check_chosen(int domain)
{
	int set = set_of(ours, NULL);
	int told;
	int64_t value;

	if (!ok(choose(set, domain) == PAPI_OK && PAPI_add_named_event(set, INSTRUCTIONS) == PAPI_OK,
		"a set of domain %d", domain))
		return;
	told = domain_of(set);
	value = count_calls(set);
	ok(told == domain && is_as_told(told, value), "told %d, counted %" PRId64, told, value);
	drop(&set);
}

static void domains(void)
{
	const PAPI_component_info_t *info = PAPI_get_component_info(ours);
	const int chosen[] = {PAPI_DOM_USER, PAPI_DOM_KERNEL, PAPI_DOM_USER | PAPI_DOM_KERNEL};
	const char *software = "upc:::perf::CONTEXT-SWITCHES";
	unsigned i;
	int set;

	ok(info->default_domain == PAPI_DOM_USER, "the default is user mode, as PAPI's");
	check_domain(ours, INSTRUCTIONS, PAPI_DOM_USER, "none chosen");
	check_domain(own, "perf::INSTRUCTIONS", PAPI_DOM_USER, "none chosen");
	check_chosen(PAPI_DOM_USER);
	if (!(info->available_domains & PAPI_DOM_KERNEL)) {
		ok(PAPI_set_cmp_domain(PAPI_DOM_KERNEL, ours) != PAPI_OK,
		   "the kernel is no domain where it may not be counted");
		set = set_of(ours, NULL);
		ok(choose(set, PAPI_DOM_KERNEL) != PAPI_OK, "nor of one set");
		drop(&set);
		return;
	}
	for (i = 1; i < 3; i++) {
		ok(PAPI_set_cmp_domain(chosen[i], ours) == PAPI_OK &&
			   PAPI_set_cmp_domain(chosen[i], own) == PAPI_OK,
		   "domain %d for sets to come", chosen[i]);
		check_domain(ours, INSTRUCTIONS, chosen[i], "chosen before");
		check_domain(own, "perf::INSTRUCTIONS", chosen[i], "chosen before");
		check_chosen(chosen[i]);
	}
	ok(PAPI_set_cmp_domain(PAPI_DOM_USER, ours) == PAPI_OK &&
		   PAPI_set_cmp_domain(PAPI_DOM_USER, own) == PAPI_OK,
	   "and back");
	check_domain(ours, INSTRUCTIONS, PAPI_DOM_USER, "chosen before");
	check_domain(ours, "upc:::perf::INSTRUCTIONS:u", PAPI_DOM_USER, "none chosen");
	set = set_of(ours, "upc:::perf::INSTRUCTIONS:u:k");
	ok(is_as_told(PAPI_DOM_USER | PAPI_DOM_KERNEL, count_calls(set)),
	   "a name's own domains are what it counts");
	drop(&set);
	set = set_of(ours, software);
	ok(set != PAPI_NULL && count_calls(set) != FAILED, "%s needs no choice", software);
	ok(choose(set, PAPI_DOM_USER) != PAPI_OK, "in user mode alone it does not happen");
	drop(&set);
}

/* ---- what did not count ------------------------------------------------------------ */

static const char *const held[] = {
	"upc:::arm_ac57::L1D_CACHE_REFILL", "upc:::arm_ac57::L1D_CACHE_ACCESS",
	"upc:::arm_ac57::L1I_CACHE_REFILL", "upc:::arm_ac57::BRANCH_PRED",
	"upc:::arm_ac57::L1I_CACHE_ACCESS",
};

/* The first n of them, attached to a process or, with 0, counting this one's thread. */
static int holder(int n, pid_t pid)
{
	int set = set_of(ours, NULL);
	int error = pid ? PAPI_attach(set, (unsigned long)pid) : PAPI_OK;
	int i;

	for (i = 0; i < n && error == PAPI_OK; i++)
		error = PAPI_add_named_event(set, held[i]);
	if (error != PAPI_OK)
		drop(&set);
	return set;
}

static void work(size_t n)
{
	loop(n);
}

static void never_counted(void)
{
	struct child child;
	long long value[2] = {0, 0};
	int errors[3], i;
	int first, set;

	if (child_start(&child, work)) {
		ok(0, "a child");
		return;
	}
	first = holder(HOLDERS, child.pid);
	set = set_of(ours, NULL);
	ok(first != PAPI_NULL && PAPI_attach(set, (unsigned long)child.pid) == PAPI_OK &&
		   PAPI_add_named_event(set, INSTRUCTIONS) == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::arm_ac57::EXCEPTION_TAKEN") == PAPI_OK,
	   "a set beside %d counters that others hold", HOLDERS);
	ok(PAPI_start(first) == PAPI_OK && PAPI_start(set) == PAPI_OK, "of another task both start");
	child_work(&child, ROUNDS);
	for (i = 0; i < 3; i++)
		errors[i] = PAPI_read(set, value);
	ok(errors[0] == PAPI_EMISC && errors[1] == PAPI_EMISC && errors[2] == PAPI_EMISC,
	   "every read tells it: %d %d %d", errors[0], errors[1], errors[2]);
	ok(PAPI_accum(set, value) == PAPI_EMISC, "and every accumulation");
	PAPI_reset(set);
	child_work(&child, ROUNDS);
	ok(PAPI_read(set, value) == PAPI_EMISC, "after a reset it is told again");
	ok(PAPI_stop(set, value) == PAPI_OK, "a stop is free to stop then");
	ok(PAPI_start(set) == PAPI_OK, "started again");
	child_work(&child, ROUNDS);
	ok(PAPI_stop(set, value) == PAPI_EMISC, "a stop tells what nobody was told");
	ok(PAPI_stop(set, value) == PAPI_OK, "and stops the next time");
	PAPI_stop(first, NULL);
	ok(PAPI_start(set) == PAPI_OK && child_work(&child, ROUNDS) && PAPI_read(set, value) == PAPI_OK &&
		   value[0] >= PER_ROUND * ROUNDS && PAPI_stop(set, value) == PAPI_OK,
	   "with counters it counts: %lld", value[0]);

	kill(child.pid, SIGKILL);
	waitpid(child.pid, NULL, 0);
	errno = 0;
	ok(PAPI_start(set) == PAPI_ESYS && errno == ESRCH, "the dead cannot be counted");
	drop(&set);
	drop(&first);
	child_end(&child);
}

static volatile int came;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
	came++;
}

/* The set that holds the counters is PAPI's own: a thread has one running set of each. */
static void no_signals(void)
{
	int first = set_of(own, NULL), set = set_of(ours, INSTRUCTIONS);
	long long value = -1;
	int i, code, error;

	for (i = 0; i < HOLDERS; i++)
		PAPI_add_named_event(first, held[i] + strlen("upc:::"));
	PAPI_event_name_to_code(INSTRUCTIONS, &code);
	ok(PAPI_overflow(set, code, 10000000, 0, on_overflow) == PAPI_OK, "a threshold");
	ok(PAPI_start(first) == PAPI_OK, "others hold %d counters", HOLDERS);
	error = PAPI_start(set);
	ok(error == PAPI_ECNFLCT, "a start without a counter for signals: %s", PAPI_strerror(error));
	PAPI_stop(first, NULL);
	ok(PAPI_start(set) == PAPI_OK, "with one it starts");
	loop(25000000);
	ok(PAPI_stop(set, &value) == PAPI_OK && came >= 4, "%d signals for %lld", came, value);
	drop(&set);
	drop(&first);
}

int main(void)
{
	int code;

	need_pmu();
	ours = start_papi();
	own = PAPI_get_component_index("perf_event");
	if (own < 0 || PAPI_get_component_info(own)->disabled)
		skip_all("PAPI's perf_event component is not active here");
	domains();
	if (PAPI_event_name_to_code(held[0], &code) == PAPI_OK) {
		never_counted();
		no_signals();
	} else {
		skip("this machine has not the PMU of scripts/pmu/pmu-rig");
	}
	PAPI_shutdown();
	return done();
}
