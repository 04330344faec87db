/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_domain - mpx_set_domain on page faults: the test makes a known number of them in user mode,
 * by stores, and of others in the kernel, which stores the bytes of a read.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "mpx_util.h"

#define FAULTS_OF_FILES "upc:::vm::pgfault"

static int kernel_is_allowed;

/* Page faults in the kernel: it stores the 8 bytes that are read from /dev/zero. */
__attribute__((no_sanitize("address", "thread"))) static void fault_in_kernel(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char *area = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (zero < 0 || area == MAP_FAILED)
		return;
	madvise(area, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		syscall(SYS_read, zero, area + i * page, 8);
	munmap(area, n * page);
	close(zero);
}

static int make(int domain, const char *name)
{
	int set = PAPI_NULL;

	works(mpx_set_create(&set));
	works(mpx_set_domain(set, domain));
	works(mpx_set_add_named_event(set, name));
	return set;
}

static void expect(const char *what, long long value, long long wanted)
{
	ok(about(value, wanted), "%s: %lld of %lld", what, value, wanted);
}

static long long stop(int set)
{
	long long value = 0;

	works(mpx_set_stop(set, &value));
	return value;
}

/* Three sets with one event, in domains of their own, overlap. */
static void at_once(void)
{
	int all = make(0, FAULTS), user = make(PAPI_DOM_USER, FAULTS);
	int kernel = kernel_is_allowed ? make(PAPI_DOM_KERNEL, FAULTS) : PAPI_NULL;

	works(mpx_set_start(all));
	works(mpx_set_start(user));
	touch_pages(300);
	if (kernel != PAPI_NULL)
		works(mpx_set_start(kernel));
	fault_in_kernel(200);
	touch_pages(100);
	expect("user mode", stop(user), 400);
	if (kernel != PAPI_NULL)
		expect("the kernel", stop(kernel), 200);
	expect("what PAPI has as its default", stop(all), kernel_is_allowed ? 600 : 400);
	works(mpx_set_destroy(&all));
	works(mpx_set_destroy(&user));
	if (kernel != PAPI_NULL)
		works(mpx_set_destroy(&kernel));
}

static int entries_of(int code, int domain)
{
	struct mpx_master_event list[16];
	int n, i, found = 0;

	list[0].size = sizeof(list[0]);
	n = mpx_thread_master_list(list, 16);
	for (i = 0; i < n && i < 16; i++)
		found += list[i].code == code && list[i].domain == domain;
	return found;
}

/* A set that has events and regions already. */
static void changes(void)
{
	struct mpx_estimate e[2];
	struct mpx_ratio r = MPX_OPTIONS_INIT(mpx_ratio);
	int set = make(0, FAULTS), code[2] = {0, 0}, n = 2;
	long long value[2] = {0, 0};

	works(mpx_set_add_named_event(set, MINOR));
	works(mpx_set_list_events(set, code, &n));
	works(mpx_set_add_ratio(set, code[1], code[0]));
	works(mpx_set_region(set, 5));
	works(mpx_set_start(set));
	touch_pages(100);
	refuses(PAPI_EISRUN, mpx_set_domain(set, PAPI_DOM_USER));
	works(mpx_set_stop(set, value));
	works(mpx_set_domain(set, PAPI_DOM_USER));
	ok(entries_of(code[0], PAPI_DOM_USER) == 1 && entries_of(code[0], 0) == 0,
	   "the event in the domain is in the master event list, and the other is not");
	e[0].size = sizeof(e[0]);
	works(mpx_set_region_estimates(set, 5, e, 2));
	ok(e[0].count == 0 && e[0].time == 0 && e[0].code == code[0] && e[1].code == code[1],
	   "regions have forgotten the counts of another domain; codes are the same");
	works(mpx_set_start(set));
	touch_pages(200);
	fault_in_kernel(100);
	works(mpx_set_stop(set, value));
	expect("user mode", value[0], 200);
	works(mpx_set_region_estimates(set, 5, e, 2));
	expect("the region of it", e[0].value, 200);
	works(mpx_set_ratios(set, &r, 1));
	ok(r.numerator == code[1] && r.denominator == code[0] && r.value > 0.9 && r.value <= 1,
	   "the ratio is still asked for: %g", r.value);
	works(mpx_set_remove_event(set, code[0]));
	refuses(PAPI_ENOEVNT, mpx_set_remove_event(set, code[1] | PAPI_DOM_USER << 24));
	works(mpx_set_add_event(set, code[0]));
	refuses(PAPI_ECNFLCT, mpx_set_add_event(set, code[0]));
	works(mpx_set_cleanup(set));
	works(mpx_set_add_event(set, code[0]));
	works(mpx_set_domain(set, 0));
	ok(entries_of(code[0], 0) == 1, "back in PAPI's default");
	works(mpx_set_destroy(&set));
}

/* An event that is in no domain is the same event in all of them. */
static void without_domains(void)
{
	int one = make(0, FAULTS_OF_FILES), other = make(PAPI_DOM_USER, FAULTS_OF_FILES);
	int code[1] = {0}, n = 1;

	works(mpx_set_list_events(other, code, &n));
	ok(entries_of(code[0], 0) == 1 && entries_of(code[0], PAPI_DOM_USER) == 0,
	   "an event of a file is in no domain");
	works(mpx_set_destroy(&one));
	works(mpx_set_destroy(&other));
}

static void refusals(void)
{
	int set = make(0, FAULTS), process = PAPI_NULL, code = 0, n = 1;
	long long value = 0;

	works(mpx_set_list_events(set, &code, &n));
	refuses(PAPI_ENOEVST, mpx_set_domain(-1, PAPI_DOM_USER));
	refuses(PAPI_EINVAL, mpx_set_domain(set, -1));
	refuses(PAPI_EINVAL, mpx_set_domain(set, PAPI_DOM_ALL + 1));
	/* The component has no such domain. */
	ok(mpx_set_domain(set, PAPI_DOM_OTHER) < 0 && strstr(mpx_last_message(), "PAPI_DOM_OTHER"),
	   "a domain that no component has is refused: %s", mpx_last_message());
	ok(entries_of(code, 0) == 1, "... and the event is as it was");
	refuses(PAPI_ENOEVNT, mpx_set_add_event(set, code | PAPI_DOM_USER << 24));
	works(mpx_set_start(set));
	touch_pages(100);
	expect("its set counts", stop(set), 100);
	/* There are no context switches in user mode; some users have no such event at all. */
	works(mpx_set_domain(set, PAPI_DOM_USER));
	ok(mpx_set_add_named_event(set, "upc:::perf::CONTEXT-SWITCHES") < 0, "no context switches: %s",
	   mpx_last_message());
	if (!kernel_is_allowed) {
		ok(mpx_set_domain(set, PAPI_DOM_KERNEL) < 0 && mpx_last_message()[0],
		   "the kernel is refused to this user: %s", mpx_last_message());
		works(mpx_set_start(set));
		touch_pages(100);
		works(mpx_set_stop(set, &value));
		expect("... and the set is as it was", value, 100);
	}
	works(mpx_set_create_process(&process));
	works(mpx_set_domain(process, PAPI_DOM_USER));
	works(mpx_set_destroy(&process));
	works(mpx_set_destroy(&set));
}

/* ---- all threads -------------------------------------------------------------------------- */

static atomic_int phase;

static void *thread(void *arg)
{
	works(mpx_thread_register());
	atomic_store(&phase, 1);
	while (atomic_load(&phase) < 2)
		usleep(1000);
	touch_pages(300);
	fault_in_kernel(200);
	atomic_store(&phase, 3);
	while (atomic_load(&phase) < 4)
		usleep(1000);
	return arg;
}

/* The domain changes when threads have their parts already. */
static void of_process(void)
{
	int set = PAPI_NULL, value_is;
	long long value = 0;
	pthread_t id;

	works(mpx_set_create_process(&set));
	works(mpx_set_add_named_event(set, FAULTS));
	works(mpx_set_domain(set, PAPI_DOM_USER));
	if (pthread_create(&id, NULL, thread, NULL)) {
		ok(0, "a thread");
		return;
	}
	while (atomic_load(&phase) < 1)
		usleep(1000);
	works(mpx_set_start(set));
	atomic_store(&phase, 2);
	while (atomic_load(&phase) < 3)
		usleep(1000);
	works(mpx_set_stop(set, &value));
	value_is = value >= 300 && value <= 300 + 3 * FAULTS_SLACK;
	ok(value_is, "a thread of the process, in user mode: %lld of 300", value);
	atomic_store(&phase, 4);
	pthread_join(id, NULL);
	works(mpx_set_destroy(&set));
}

/* ---- in turns ------------------------------------------------------------------------------ */

/* One event in each group: three of one kind of faults to one of the other. */
static void in_turns(void)
{
	const double rounds = 6000;
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	struct mpx_estimate e;
	int user, kernel, i;

	options.group_max = 1;
	options.slice_ns = 1000000;
	options.clock = MPX_CLOCK_CPU;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	user = make(PAPI_DOM_USER, FAULTS);
	kernel = make(kernel_is_allowed ? PAPI_DOM_KERNEL : 0, FAULTS);
	works(mpx_set_start(user));
	works(mpx_set_start(kernel));
	works(mpx_thread_get_info(&info));
	ok(info.groups == 2, "%u groups take turns", info.groups);
	for (i = 0; i < (int)rounds; i++) {
		touch_pages(3);
		fault_in_kernel(1);
	}
	works(mpx_set_stop(kernel, NULL));
	works(mpx_set_stop(user, NULL));
	e = estimate_of(user, 0);
	ok(is_estimate_of(&e, 3 * rounds, 0.25), "user mode: %.0f (%.0f) of %.0f", e.estimate,
	   e.standard_error, 3 * rounds);
	e = estimate_of(kernel, 0);
	if (kernel_is_allowed)
		ok(is_estimate_of(&e, rounds, 0.25), "the kernel: %.0f (%.0f) of %.0f", e.estimate,
		   e.standard_error, rounds);
	ok(!(e.flags & MPX_EXACT), "they took turns");
	works(mpx_library_shutdown());
}

/* Touches pages of the heap that PAPI and libmpx will use. A set that runs would count their faults when
 * another one starts. */
static void touch_heap(void)
{
	const size_t size = 4 << 20;
	void *memory;

	mallopt(M_MMAP_THRESHOLD, 2 * (int)size);
	mallopt(M_TRIM_THRESHOLD, 2 * (int)size);
	memory = malloc(size);
	if (!memory)
		bail_out("no memory");
	memset(memory, 1, size);
	free(memory);
}

int main(void)
{
	int set = PAPI_NULL;

	start_papi();
	touch_heap();
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	works(mpx_set_create(&set));
	works(mpx_set_domain(set, PAPI_DOM_KERNEL));
	kernel_is_allowed = mpx_set_add_named_event(set, FAULTS) == PAPI_OK;
	note(kernel_is_allowed ? "faults in the kernel count" : "this user may not count the kernel: %s",
	     mpx_last_message());
	works(mpx_set_destroy(&set));
	at_once();
	changes();
	without_domains();
	refusals();
	of_process();
	works(mpx_library_shutdown());
	in_turns();
	PAPI_shutdown();
	return done();
}
