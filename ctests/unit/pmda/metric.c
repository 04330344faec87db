/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metric.c - names, numbers, types and units of metrics. Numbers are in archives: they stay.
 */
#include "unit/unit_test.h"

#include "pmda/metric.h"

static struct pmids_entry entry = {
	.key = {.name = "a", .event = "perf::A", .unit = "events"}, .metric = "perf.a", .slot = 0x2cd1a};

static void assert_desc(enum metric_family family, const char *name, const char *pmid, int type, int indom,
			int sem)
{
	char text[METRIC_NAME_MAX];
	pmDesc desc;

	metric_name(&entry, family, text);
	assert_string_equal(text, name);
	metric_desc(&entry, family, 450, &desc);
	assert_string_equal(pmIDStr(desc.pmid), pmid);
	assert_int_equal(metric_family(desc.pmid), family);
	assert_int_equal(desc.type, type);
	assert_int_equal(desc.indom, indom < 0 ? PM_INDOM_NULL : pmInDom_build(450, (unsigned)indom));
	assert_int_equal(desc.sem, sem);
}

TEST(test_families)
{
	assert_desc(FAMILY_CPU, "upc.cpu.perf.a", "450.435.282", PM_TYPE_U64, INDOM_CPU, PM_SEM_COUNTER);
	assert_desc(FAMILY_NUMA, "upc.numa.perf.a", "450.691.282", PM_TYPE_U64, INDOM_NUMA, PM_SEM_COUNTER);
	assert_desc(FAMILY_NODE, "upc.node.perf.a", "450.947.282", PM_TYPE_U64, -1, PM_SEM_COUNTER);
	assert_desc(FAMILY_CGROUP, "upc.cgroup.perf.a", "450.1203.282", PM_TYPE_U64, INDOM_CGROUP,
		    PM_SEM_COUNTER);
	assert_desc(FAMILY_RUNNING_CPU, "upc.running.cpu.perf.a", "450.1459.282", PM_TYPE_U64, INDOM_CPU,
		    PM_SEM_COUNTER);
	assert_desc(FAMILY_RUNNING_NODE, "upc.running.node.perf.a", "450.1971.282", PM_TYPE_U64, -1,
		    PM_SEM_COUNTER);
	assert_desc(FAMILY_STATE_CPU, "upc.state.cpu.perf.a", "450.2483.282", PM_TYPE_U32, INDOM_CPU,
		    PM_SEM_INSTANT);
	assert_desc(FAMILY_STATE_CGROUP, "upc.state.cgroup.perf.a", "450.2995.282", PM_TYPE_U32, INDOM_CGROUP,
		    PM_SEM_INSTANT);
	assert_int_equal(metric_value_family(SERVICE_CPU), FAMILY_CPU);
	assert_int_equal(metric_value_family(SERVICE_NODE), FAMILY_NODE);
	assert_int_equal(metric_value_family(SERVICE_CGROUP), FAMILY_CGROUP);
}

static const char *units_of(const char *unit, bool level, enum metric_family family)
{
	struct pmids_entry other = entry;
	pmDesc desc;

	other.key.unit = unit;
	other.key.level = level;
	metric_desc(&other, family, 450, &desc);
	assert_int_equal(desc.sem, family == FAMILY_STATE_NODE || level ? PM_SEM_INSTANT : PM_SEM_COUNTER);
	return pmUnitsStr(&desc.units);
}

TEST(test_units)
{
	assert_string_equal(units_of("events", false, FAMILY_NODE), "count");
	assert_string_equal(units_of("pages", false, FAMILY_NODE), "count");
	assert_string_equal(units_of("bytes", false, FAMILY_NODE), "byte");
	assert_string_equal(units_of("ns", false, FAMILY_NODE), "nanosec");
	assert_string_equal(units_of("ms", true, FAMILY_NODE), "millisec");
	assert_string_equal(units_of("bytes", true, FAMILY_NODE), "byte");
	assert_string_equal(units_of("tasks", true, FAMILY_NODE), "");
	assert_string_equal(units_of("bytes", false, FAMILY_RUNNING_NODE), "nanosec");
	assert_string_equal(units_of("bytes", false, FAMILY_STATE_NODE), "");
}

/* Those that are always there: each number once, each with help. */
TEST(test_always)
{
	unsigned i, j;

	for (i = 0; i < metric_always_count; i++) {
		assert_ptr_equal(metric_find(metric_always[i].item), &metric_always[i]);
		assert_true(metric_always[i].item < 1024 && metric_always[i].line[0] &&
			    metric_always[i].help[0]);
		assert_int_equal(strncmp(metric_always[i].name, "upc.", 4), 0);
		for (j = 0; j < i; j++)
			assert_string_not_equal(metric_always[i].name, metric_always[j].name);
	}
	assert_null(metric_find(15));
}

UNIT_TESTS(metric, NULL, NULL)
