/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMUs that sysfs describes: every event listed in there either encodes to the
 * PMU's type or is refused in words; what is no PMU/EVENT/ is refused; what a PMU's
 * files say of it is found by its type.
 */
#include <linux/perf_event.h>

#include "catalogue/cat_pmus.h"
#include "perf/pmus.h"
#include "../unit_test.h"

TEST(test_refusals)
{
	static const char *const wrong[] = {
		"",        "/",           "msr",    "msr/",          "/tsc/",
		"../tsc/", "msr/../tsc/", "msr/./", "nothing/here/", "msr/no_such/",
	};
	struct upci_perf_spec spec;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(upci_pmu_encode(wrong[i], UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
}

TEST(test_whole_sysfs)
{
	static const char devices[] = "/sys/bus/event_source/devices";
	DIR *dir = opendir(devices), *events;
	struct dirent *pmu, *event;
	unsigned seen = 0;

	if (!dir)
		skip_because("no PMU in sysfs");
	while ((pmu = readdir(dir))) {
		char path[600], text[600];
		unsigned type = 0;
		FILE *f;

		if (pmu->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s/type", devices, pmu->d_name);
		f = fopen(path, "r");
		assert_non_null(f);
		assert_int_equal(fscanf(f, "%u", &type), 1);
		fclose(f);
		snprintf(path, sizeof(path), "%s/%s/events", devices, pmu->d_name);
		events = opendir(path);
		if (!events)
			continue;
		while ((event = readdir(events))) {
			struct upci_perf_spec spec;

			if (strchr(event->d_name, '.'))
				continue;
			snprintf(text, sizeof(text), "%s/%s/", pmu->d_name, event->d_name);
			if (upci_pmu_encode(text, UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL, &spec))
				assert_message(event->d_name);
			else
				assert_int_equal(spec.type, type);
			seen++;
		}
		closedir(events);
	}
	closedir(dir);
	printf("# %u events of sysfs\n", seen);
}

/* Whether the first line of a PMU's file is this; with NULL, whether there is a file. */
static bool first_line_is(const char *pmu, const char *file, const char *text)
{
	char path[600], line[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return !text || !strcmp(line, text);
}

TEST(test_kinds)
{
	DIR *dir = opendir("/sys/bus/event_source/devices");
	struct dirent *pmu;

	/* PERF_TYPE_RAW has no directory of its own, and no PMU has the type INT32_MAX. */
	assert_true(upci_pmu_has_user_bit(PERF_TYPE_RAW));
	assert_true(upci_pmu_is_core(PERF_TYPE_RAW));
	assert_false(upci_pmu_is_cpu_only(PERF_TYPE_RAW));
	assert_false(upci_pmu_has_user_bit(INT32_MAX));
	assert_false(upci_pmu_is_core(INT32_MAX));
	assert_false(upci_pmu_is_cpu_only(INT32_MAX));
	while (dir && (pmu = readdir(dir))) {
		char path[600];
		unsigned type;
		FILE *f;

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu->d_name);
		f = pmu->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!f)
			continue;
		assert_int_equal(fscanf(f, "%u", &type), 1);
		fclose(f);
		assert_int_equal(upci_pmu_is_cpu_only(type),
				 type > PERF_TYPE_BREAKPOINT && first_line_is(pmu->d_name, "cpumask", NULL));
		assert_int_equal(upci_pmu_has_user_bit(type),
				 type == PERF_TYPE_RAW ||
					 first_line_is(pmu->d_name, "format/rdpmc", "config1:1\n"));
	}
	if (dir)
		closedir(dir);
}

UNIT_TESTS(cat_pmus, NULL, NULL)
