/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.c - names of counters as PCP's name space has them: what they look like, and that no two meet.
 */
#include "unit/unit_test.h"

#include "pmda/names.h"

static void assert_plain(const char *name, const char *want)
{
	char plain[NAMES_MAX];

	names_plain(name, plain);
	assert_string_equal(plain, want);
}

TEST(test_events)
{
	assert_plain("perf::PAGE-FAULTS", "perf.page_faults");
	assert_plain("tp::sched:sched_switch", "tp.sched.sched_switch");
	assert_plain("amd64_fam19h_zen4::RETIRED_OPS:u", "amd64_fam19h_zen4.retired_ops.u");
	assert_plain("perf::L1-DCACHE-LOADS:mode=rise", "perf.l1_dcache_loads.mode_rise");
	assert_plain("BGP_PU0_FPU_FMA_2", "bgp_pu0_fpu_fma_2");
	assert_plain("net.eth0::rx_bytes", "net.eth0.rx_bytes");
	assert_plain("cpu/cycles/", "cpu.cycles");
	assert_plain("foo", "foo");
}

TEST(test_what_is_no_name)
{
	assert_plain("", "counter");
	assert_plain("::::", "counter");
	assert_plain("\xff\xfe", "counter");
	assert_plain("...a", "a");
	assert_plain("1st", "n1st");
	assert_plain("a::2", "a.n2");
	assert_plain("_a_", "a");
	assert_plain("a _:_ b", "a.b");
	assert_plain("a\n\"b\\c", "a_b_c");
	assert_plain("a..b", "a.b");
	assert_plain("\xc3\xa4pfel", "pfel");
}

/* Whatever comes in, what goes out is a name; and is one again. */
TEST(test_any_bytes)
{
	char name[400], plain[NAMES_MAX], again[NAMES_MAX];
	unsigned seed = 1, round, i, length;
	const char *p;

	for (round = 0; round < 20000; round++) {
		length = (seed = seed * 1103515245 + 12345) >> 16 & 255;
		for (i = 0; i < length; i++) {
			seed = seed * 1103515245 + 12345;
			name[i] = (seed >> 30) ? "a:Z._-/1"[seed >> 16 & 7] : (char)((seed >> 16 & 255) | 1);
		}
		name[length] = 0;
		names_plain(name, plain);
		assert_true(strlen(plain) && strlen(plain) < NAMES_MAX);
		for (p = plain; *p; p++) {
			bool first = p == plain || p[-1] == '.';

			assert_non_null(strchr(first ? "abcdefghijklmnopqrstuvwxyz"
						     : "abcdefghijklmnopqrstuvwxyz0123456789_.",
					       *p));
		}
		assert_true(p[-1] != '.');
		names_plain(plain, again);
		assert_string_equal(plain, again);
	}
}

TEST(test_valid)
{
	char name[NAMES_MAX + 1];

	assert_true(names_valid("a"));
	assert_true(names_valid("a_.b1"));
	assert_false(names_valid(""));
	assert_false(names_valid("a."));
	assert_false(names_valid(".a"));
	assert_false(names_valid("a..b"));
	assert_false(names_valid("1"));
	assert_false(names_valid("a.1"));
	assert_false(names_valid("A"));
	assert_false(names_valid("a b"));
	memset(name, 'a', sizeof(name));
	name[NAMES_MAX] = 0;
	assert_false(names_valid(name));
	name[NAMES_MAX - 1] = 0;
	assert_true(names_valid(name));
}

TEST(test_meet)
{
	assert_true(names_meet("a", "a"));
	assert_true(names_meet("a.b", "a"));
	assert_true(names_meet("a", "a.b"));
	assert_false(names_meet("a", "ab"));
	assert_false(names_meet("a.b", "a.c"));
	assert_false(names_meet("a_2", "a"));
}

static const char *taken[8];

static const char *taken_name(const void *arg, size_t i)
{
	(void)arg;
	return taken[i];
}

static void assert_unique(const char *name, size_t count, const char *want)
{
	char plain[NAMES_MAX];
	size_t i;

	snprintf(plain, sizeof(plain), "%s", name);
	names_unique(plain, taken_name, NULL, count);
	assert_string_equal(plain, want);
	for (i = 0; i < count; i++)
		assert_false(taken[i] && names_meet(plain, taken[i]));
}

TEST(test_unique)
{
	assert_unique("a", 0, "a");
	taken[0] = "a";
	taken[1] = NULL;
	assert_unique("b", 2, "b");
	assert_unique("a", 2, "a_2");
	taken[1] = "a_2";
	assert_unique("a", 2, "a_3");
	taken[1] = "a_7.x";
	assert_unique("a", 2, "a_8");
	/* A leaf has no branches. */
	assert_unique("a.b.c", 2, "a_b.c");
	taken[1] = "a_b";
	assert_unique("a.b.c", 2, "a_b_c");
	taken[0] = "x.y";
	assert_unique("x", 2, "x_2");
	/* A number that is none of ours. */
	taken[0] = "a";
	taken[1] = "a_99999999999999999999";
	assert_unique("a", 2, "a_2");
}

TEST(test_longest)
{
	char name[1000], plain[NAMES_MAX], other[NAMES_MAX];

	memset(name, 'a', sizeof(name));
	name[999] = 0;
	names_plain(name, plain);
	memcpy(other, plain, sizeof(plain));
	taken[0] = other;
	names_unique(plain, taken_name, NULL, 1);
	assert_false(names_meet(plain, other));
	assert_string_equal(plain + strlen(plain) - 2, "_2");
	assert_true(names_valid(plain));
}

UNIT_TESTS(names, NULL, NULL)
