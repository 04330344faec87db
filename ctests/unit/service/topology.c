/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPUs that there are, whether they are online, and their NUMA nodes: from a made directory that is
 * read by its path, or as the machine's /sys.
 */
#include <sys/stat.h>

#include "service/topology.h"
#include "unit/made_sys.h"

TEST(lists)
{
	bool marks[16];

	assert_int_equal(topology_parse_list("0-3,8\n", marks, 16), 5);
	assert_true(marks[0] && marks[3] && marks[8] && !marks[4]);
	assert_int_equal(topology_parse_list("", marks, 16), 0);
	assert_int_equal(topology_parse_list("\n", marks, 16), 0);
	assert_int_equal(topology_parse_list("7", marks, 16), 1);
	assert_int_equal(topology_parse_list("1,1-2", marks, 16), 2);
	assert_int_equal(topology_parse_list("0-15", marks, 16), 16);
	for (unsigned i = 0; i < 9; i++) {
		static const char *const bad[] = {
			"0-16", "a", "1-", "-1", "3-1", "1;2", "1,,2", " 1", "99999999999999999999"};

		if (topology_parse_list(bad[i], marks, 16) >= 0)
			fail_msg("%s is no list", bad[i]);
	}
}

/* Reads a made /sys, by its path or (NULL) as the machine's. */
static void read_made(const char *sys)
{
	struct topology t;

	made_sys_put("0-7\n", "devices/system/cpu/present");
	made_sys_put("0-2,4-7\n", "devices/system/cpu/online");
	made_sys_put("0,2\n", "devices/system/node/node0/cpulist");
	made_sys_put("4-6\n", "devices/system/node/node3/cpulist");
	assert_int_equal(topology_read(sys, &t), 0);
	assert_int_equal(t.cpus, 8);
	for (unsigned i = 0; i < 8; i++) {
		static const int numa[] = {0, -1, 0, -1, 3, 3, 3, -1};

		assert_int_equal(t.cpu[i].number, i);
		assert_int_equal(t.cpu[i].numa, numa[i]);
		assert_int_equal(t.cpu[i].online, i != 3);
	}
	assert_false(topology_refresh(sys, &t));
	made_sys_put("0-6\n", "devices/system/cpu/online");
	assert_true(topology_refresh(sys, &t));
	assert_true(t.cpu[3].online && !t.cpu[7].online);
	/* A file that is no list changes nothing. */
	made_sys_put("what\n", "devices/system/cpu/online");
	assert_false(topology_refresh(sys, &t));
	assert_true(t.cpu[3].online && !t.cpu[7].online);
	topology_free(&t);
	made_sys_empty();
	assert_int_equal(topology_read(sys, &t), UPC_ESYSTEM);
	assert_null(t.cpu);
}

TEST(a_made_directory)
{
	read_made(made_sys);
}

TEST(a_made_sys)
{
	read_made(NULL);
}

/* The kernel names a CPU in its node while it is online. */
TEST(a_node_that_is_learned)
{
	struct topology t;

	made_sys_put("0-2\n", "devices/system/cpu/present");
	made_sys_put("0,2\n", "devices/system/cpu/online");
	made_sys_put("0,2\n", "devices/system/node/node0/cpulist");
	assert_int_equal(topology_read(NULL, &t), 0);
	assert_int_equal(t.cpu[1].numa, -1);
	assert_int_equal(t.cpu[2].numa, 0);
	made_sys_put("0-1\n", "devices/system/cpu/online");
	made_sys_put("0-1\n", "devices/system/node/node0/cpulist");
	assert_true(topology_refresh(NULL, &t));
	assert_int_equal(t.cpu[1].numa, 0);
	assert_int_equal(t.cpu[2].numa, 0);
	topology_free(&t);
	made_sys_empty();
}

/* CPUs that are online and not present (an old kernel), and none that is online by name. */
TEST(odd_ones)
{
	struct topology t;

	made_sys_put("1,3\n", "devices/system/cpu/online");
	assert_int_equal(topology_read(NULL, &t), 0);
	assert_int_equal(t.cpus, 2);
	assert_int_equal(t.cpu[1].number, 3);
	topology_free(&t);
	made_sys_empty();
	made_sys_put("0-1\n", "devices/system/cpu/present");
	assert_int_equal(topology_read(NULL, &t), 0);
	assert_true(t.cpus == 2 && t.cpu[0].online && t.cpu[1].online);
	topology_free(&t);
	made_sys_empty();
}

UNIT_TESTS(topology, made_sys_begin, made_sys_end)
