/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_churn - events added and removed in random order, hundreds of rounds:
 * each value must be that of its own event, wherever PAPI moved it.
 */
#include "papi_util.h"

#define ROUNDS 400

/* Things that may happen to the thread during a measurement, as the kernel has counted them. */
enum chance { NONE, SWITCHES, MAJOR_FAULTS, CHANCES };

struct subject {
	const char *name;
	long call;           /* system call that it counts, or 0 */
	long long low, high; /* otherwise the bounds of its count while PAGES are touched */
	enum chance chance;  /* and one more each time that this happens */
	int code;
};

#define PAGES 64
#define HUGE_COUNT (1ll << 50)

static struct subject subjects[] = {
	{FAULTS, 0, PAGES, PAGES + FAULTS_SLACK, MAJOR_FAULTS, 0},
	{"upc:::perf::MINOR-FAULTS", 0, PAGES, PAGES + FAULTS_SLACK, NONE, 0},
	{"upc:::perf::MAJOR-FAULTS", 0, 0, 0, MAJOR_FAULTS, 0},
	{"upc:::perf::TASK-CLOCK", 0, 1000, HUGE_COUNT, NONE, 0},
	{"upc:::perf::CPU-CLOCK", 0, 1000, HUGE_COUNT, NONE, 0},
	{"upc:::perf::CPU-MIGRATIONS", 0, 0, FAULTS_SLACK, SWITCHES, 0},
	{"upc:::perf::CONTEXT-SWITCHES", 0, 0, 0, SWITCHES, 0},
	{"upc:::tp::syscalls:sys_enter_getuid", SYS_getuid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_geteuid", SYS_geteuid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_getgid", SYS_getgid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_getegid", SYS_getegid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_getppid", SYS_getppid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_gettid", SYS_gettid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_getpgid", SYS_getpgid, 0, 0, NONE, 0},
	{"upc:::tp::syscalls:sys_enter_getsid", SYS_getsid, 0, 0, NONE, 0},
};
#define SUBJECTS (sizeof(subjects) / sizeof(*subjects))

static struct subject *here[SUBJECTS]; /* those that this machine has */
static size_t n_here;

static struct subject *in_set[SUBJECTS]; /* in the order of PAPI's values */
static size_t n_in_set;

static void find_subjects(void)
{
	size_t i;

	for (i = 0; i < SUBJECTS; i++)
		if (PAPI_event_name_to_code(subjects[i].name, &subjects[i].code) == PAPI_OK)
			here[n_here++] = &subjects[i];
}

static size_t find(const struct subject *subject)
{
	size_t i;

	for (i = 0; i < n_in_set; i++)
		if (in_set[i] == subject)
			break;
	return i;
}

/* Adds the subject, or removes it where it is in the set. */
static int toggle(int set, struct subject *subject)
{
	size_t place = find(subject);

	if (place == n_in_set) {
		if (PAPI_add_event(set, subject->code) != PAPI_OK)
			return 0;
		in_set[n_in_set++] = subject;
		return 1;
	}
	if (PAPI_remove_event(set, subject->code) != PAPI_OK)
		return 0;
	n_in_set--;
	memmove(in_set + place, in_set + place + 1, (n_in_set - place) * sizeof(*in_set));
	return 1;
}

static void chances(long long chance[CHANCES])
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	chance[NONE] = 0;
	chance[SWITCHES] = usage.ru_nvcsw + usage.ru_nivcsw;
	chance[MAJOR_FAULTS] = usage.ru_majflt;
}

/* Each system call is made a different number of times, so that counts tell the subjects apart. */
static int measure(int set, int round)
{
	long long values[SUBJECTS], before[CHANCES], after[CHANCES];
	size_t i;
	int right = 1;

	chances(before);
	if (PAPI_start(set) != PAPI_OK)
		return 0;
	touch_pages(PAGES);
	for (i = 0; i < SUBJECTS; i++) {
		size_t times = subjects[i].call ? 3 * i + 1 : 0;

		while (times--)
			syscall(subjects[i].call, 0);
	}
	if (PAPI_stop(set, values) != PAPI_OK)
		return 0;
	chances(after);
	for (i = 0; i < n_in_set; i++) {
		const struct subject *subject = in_set[i];
		long long times = 3 * (subject - subjects) + 1;
		long long low = subject->call ? times : subject->low;
		long long more = after[subject->chance] - before[subject->chance];
		long long high = subject->call ? times : subject->high + more;

		if (values[i] < low || values[i] > high) {
			note("round %d, event %zu of %zu, %s: %lld, not %lld..%lld", round, i, n_in_set,
			     subject->name, values[i], low, high);
			right = 0;
		}
	}
	return right;
}

int main(void)
{
	unsigned seed = 20240229;
	int changed = 1;
	int right = 1;
	int set = PAPI_NULL;
	int round;

	start_papi();
	find_subjects();
	if (!ok(n_here >= 5, "%zu of %zu events are here", n_here, SUBJECTS))
		return done();
	PAPI_create_eventset(&set);
	for (round = 0; round < ROUNDS && changed && right; round++) {
		int changes = 1 + rand_r(&seed) % 6;

		while (changes-- && changed)
			changed = toggle(set, here[(size_t)rand_r(&seed) % n_here]);
		if (changed && n_in_set)
			right = measure(set, round);
	}
	ok(changed, "every add and remove of %d rounds was taken", round);
	ok(right, "every value of every round was its event's own");
	ok(PAPI_num_events(set) == (int)n_in_set, "PAPI has the %zu events that are left", n_in_set);
	while (n_in_set && toggle(set, in_set[0]))
		;
	ok(n_in_set == 0 && PAPI_num_events(set) == 0, "all can be removed");
	ok(PAPI_add_named_event(set, FAULTS) == PAPI_OK && still_counts(set, 1),
	   "the emptied set can be used again");
	drop(&set);
	return done();
}
