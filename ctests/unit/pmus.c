/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A made /sys of a large machine: what is read of its PMUs is read once, and uncore events
 * are opened on the CPUs that their PMUs name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sys/stat.h>

#include "cat_pmus.h"
#include "context.h"
#include "pmus.h"
#include "roots.h"
#include "unit_test.h"

enum { PMUS = 60, NAMES = 10000, FIRST_TYPE = 10 };

static char root[] = "/tmp/upc-pmus-XXXXXX";
static unsigned openings, full_after = UINT_MAX;

/* ---- our /sys in place of the machine's --------------------------------------------- */

int __real_upci_root_open(enum upci_root from, pid_t pid, pid_t tid, const char *path);
int __wrap_upci_root_open(enum upci_root from, pid_t pid, pid_t tid, const char *path);
int __real_upci_root_list(enum upci_root from, const char *path, const char *prefix, struct dirent ***list);
int __wrap_upci_root_list(enum upci_root from, const char *path, const char *prefix, struct dirent ***list);

static bool is_full(void)
{
	if (openings++ < full_after)
		return false;
	errno = EMFILE;
	return true;
}

int __wrap_upci_root_open(enum upci_root from, pid_t pid, pid_t tid, const char *path)
{
	char whole[512];

	if (from != UPCI_ROOT_SYS)
		return __real_upci_root_open(from, pid, tid, path);
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	return is_full() ? -1 : open(whole, O_RDONLY | O_CLOEXEC);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int __wrap_upci_root_list(enum upci_root from, const char *path, const char *prefix, struct dirent ***list)
{
	char whole[512];
	int n;

	if (from != UPCI_ROOT_SYS)
		return __real_upci_root_list(from, path, prefix, list);
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	*list = NULL;
	n = is_full() ? 0 : scandir(whole, list, visible, versionsort);
	return n < 0 ? 0 : n;
}

static void put(const char *text, const char *format, ...)
{
	char path[256], whole[512], *at;
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (at = whole + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(whole, 0700);
		*at = '/';
	}
	f = fopen(whole, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

#define DEVICES "bus/event_source/devices"

static void put_pmu(unsigned i, const char *cpumask)
{
	char type[16];

	snprintf(type, sizeof(type), "%u\n", FIRST_TYPE + i);
	put(type, DEVICES "/uncore_%u/type", i);
	put("config:0-7\n", DEVICES "/uncore_%u/format/event", i);
	put("event=0x3\n", DEVICES "/uncore_%u/events/clocks", i);
	if (cpumask)
		put(cpumask, DEVICES "/uncore_%u/cpumask", i);
}

/* ---- tests --------------------------------------------------------------------------- */

static void test_what_pmus_are_is_read_once(void **state)
{
	unsigned i, before;

	(void)state;
	openings = 0;
	assert_int_equal(upci_pmus_refresh(), 0);
	/* A list, and at most these of each: type, cpumask, cpus, format/rdpmc. */
	assert_in_range(openings, PMUS, 1 + 4 * PMUS);
	before = openings;
	for (i = 0; i < NAMES; i++) {
		assert_true(upci_pmu_is_cpu_only(FIRST_TYPE + i % PMUS));
		assert_false(upci_pmu_is_core(FIRST_TYPE + i % PMUS));
		assert_false(upci_pmu_has_user_bit(FIRST_TYPE + i % PMUS));
	}
	assert_false(upci_pmu_core_is_there());
	assert_int_equal(openings, before);
	/* Of an event, what it alone has. */
	for (i = 0; i < PMUS; i++) {
		struct upci_perf_spec spec;
		char text[64];

		snprintf(text, sizeof(text), "uncore_%u/clocks/", i);
		assert_int_equal(upci_pmu_encode(text, UPC_DOMAIN_USER, &spec), 0);
		assert_true(spec.type == FIRST_TYPE + i && spec.config == 3 && spec.cpu_only && !spec.core);
	}
	assert_int_equal(openings, before + 2 * PMUS);
}

static void test_a_driver_that_comes_later(void **state)
{
	struct upci_perf_spec spec;

	(void)state;
	assert_false(upci_pmu_is_cpu_only(FIRST_TYPE + PMUS));
	assert_int_equal(upci_pmu_encode("uncore_60/clocks/", UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
	put_pmu(PMUS, "0\n");
	assert_true(upci_pmu_is_cpu_only(FIRST_TYPE + PMUS));
	assert_int_equal(upci_pmu_encode("uncore_60/clocks/", UPC_DOMAIN_USER, &spec), 0);
}

static unsigned cpus_of(enum upc_context_kind kind, uint32_t type, int cpus[8])
{
	struct upci_context context = {.kind = kind, .cpu = 2};
	struct upci_perf_target *targets;
	int n = upci_context_targets(&context, type, &targets), i;

	for (i = 0; i < n; i++) {
		assert_int_equal(targets[i].tid, -1);
		cpus[i] = targets[i].cpu;
	}
	if (n >= 0)
		free(targets);
	return n < 0 ? 0 : (unsigned)n;
}

static void test_machines_are_counted_where_their_pmus_say(void **state)
{
	int cpus[8];

	(void)state;
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, PERF_TYPE_SOFTWARE, cpus), 5);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, PERF_TYPE_RAW, cpus), 5);
	/* Not once for each CPU that is online, here 0 to 3 and 6. */
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE, cpus), 2);
	assert_true(cpus[0] == 0 && cpus[1] == 2);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 1, cpus), 1);
	assert_int_equal(cpus[0], 6);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 2, cpus), 0);
	assert_message("uncore_2 counts on CPU 4, and no such CPU is online");
	assert_int_equal(cpus_of(UPC_CONTEXT_CPU, FIRST_TYPE, cpus), 1);
	assert_int_equal(cpus_of(UPC_CONTEXT_CPU, FIRST_TYPE + 1, cpus), 0);
	assert_message("uncore_1 counts on CPU 4,6, not on CPU 2");
	/* The reader of a package goes offline, and another takes its place. */
	put("3\n", DEVICES "/uncore_1/cpumask");
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 1, cpus), 1);
	assert_int_equal(cpus[0], 3);
}

static void test_hybrid_cpus(void **state)
{
	int cpus[8];

	(void)state;
	put("200\n", DEVICES "/cpu_atom/type");
	put("2-3\n", DEVICES "/cpu_atom/cpus");
	assert_true(upci_pmu_is_core(200));
	assert_false(upci_pmu_is_cpu_only(200));
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, 200, cpus), 2);
	assert_int_equal(cpus[0], 2);
}

static void test_no_descriptor_is_no_empty_machine(void **state)
{
	unsigned n, before;

	(void)state;
	(void)upci_pmus(&before);
	for (full_after = 0; full_after < 20; full_after++) {
		openings = 0;
		assert_int_equal(upci_pmus_refresh(), UPC_EMFILE);
		(void)upci_pmus(&n);
		assert_int_equal(n, before);
	}
	full_after = UINT_MAX;
	assert_int_equal(upci_pmus_refresh(), 0);
}

static int set_up(void **state)
{
	unsigned i;

	(void)state;
	if (!mkdtemp(root))
		return -1;
	put("0-3,6\n", "devices/system/cpu/online");
	for (i = 0; i < PMUS; i++)
		put_pmu(i, i == 1 ? "4,6\n" : i == 2 ? "4\n" : "0,2\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_pmus_are_is_read_once),
		cmocka_unit_test(test_machines_are_counted_where_their_pmus_say),
		cmocka_unit_test(test_a_driver_that_comes_later),
		cmocka_unit_test(test_hybrid_cpus),
		cmocka_unit_test(test_no_descriptor_is_no_empty_machine),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
