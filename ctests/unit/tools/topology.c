/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where CPUs are, of a made-up machine: two sockets of two cores with two threads each.
 */
#include "../../../utils/stat/topology.h"

#include "../test_dir.h"

static void put_cpu(int cpu, const char *what, int value)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s", cpu, what);
	snprintf(text, sizeof(text), "%d\n", value);
	test_put(path, text);
}

static int make_machine(void **state)
{
	assert_int_equal(make_test_dir(state), 0);
	test_put("devices/system/cpu/online", "0-6,9\n");
	for (int cpu = 0; cpu < 8; cpu++) {
		char node[128];

		put_cpu(cpu, "physical_package_id", cpu / 4);
		put_cpu(cpu, "core_id", cpu / 2 % 2);
		put_cpu(cpu, "die_id", cpu < 6 ? 0 : -1);
		snprintf(node, sizeof(node), "devices/system/cpu/cpu%d/node%d/", cpu, cpu / 4);
		test_put(node, NULL);
	}
	/* Neither dies nor NUMA, as old kernels and small machines. */
	put_cpu(8, "physical_package_id", 3);
	put_cpu(8, "core_id", 12);
	test_put("devices/system/cpu/cpu9/", NULL);
	return 0;
}

static void expect(int cpu, enum topology_level level, const char *name)
{
	char got[TOPOLOGY_NAME];

	assert_int_equal(topology_name(test_dir, cpu, level, got), 0);
	assert_string_equal(got, name);
}

TEST(test_names)
{
	char name[TOPOLOGY_NAME];

	expect(3, TOPOLOGY_CPU, "CPU3");
	expect(2, TOPOLOGY_CORE, "S0-D0-C1");
	expect(3, TOPOLOGY_CORE, "S0-D0-C1");
	expect(4, TOPOLOGY_CORE, "S1-D0-C0");
	expect(7, TOPOLOGY_CORE, "S1-D0-C1");
	expect(3, TOPOLOGY_SOCKET, "S0");
	expect(4, TOPOLOGY_SOCKET, "S1");
	expect(3, TOPOLOGY_NODE, "N0");
	expect(4, TOPOLOGY_NODE, "N1");
	expect(8, TOPOLOGY_CORE, "S3-D0-C12");
	expect(9, TOPOLOGY_NODE, "N0");
	assert_int_equal(topology_name(test_dir, 9, TOPOLOGY_CORE, name), -1);
	assert_int_equal(topology_name(test_dir, 9, TOPOLOGY_SOCKET, name), -1);
	assert_int_equal(topology_name(test_dir, 10, TOPOLOGY_NODE, name), -1);
}

TEST(test_online)
{
	static const int expected[] = {0, 1, 2, 3, 4, 5, 6, 9};
	struct number_list cpus = {.n = 0};

	assert_int_equal(topology_online(test_dir, &cpus), 0);
	assert_int_equal(cpus.n, 8);
	assert_memory_equal(cpus.number, expected, sizeof(expected));
	assert_int_equal(topology_online("/nowhere", &cpus), -1);
	assert_int_equal(cpus.n, 8);
	number_list_free(&cpus);
}

/* Every other of many is a long line. */
TEST(test_online_of_many)
{
	struct number_list cpus = {.n = 0};
	char text[16384];
	size_t n = 0;

	for (int cpu = 0; cpu < 4000; cpu += 2)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d", cpu > 0 ? "," : "", cpu);
	test_put("devices/system/cpu/online", text);
	assert_int_equal(topology_online(test_dir, &cpus), 0);
	assert_int_equal(cpus.n, 2000);
	assert_int_equal(cpus.number[1999], 3998);
	number_list_free(&cpus);
}

UNIT_TESTS(topology, make_machine, remove_test_dir)
