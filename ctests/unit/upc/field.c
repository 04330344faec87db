/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * field.c - tokens, numbers and lines, and what hostile text does to them.
 */
#include "procfs/field.h"
#include "procfs/files.h"

#include "../unit_test.h"

static struct upci_driver driver(const char *key, unsigned token, unsigned occurrence, unsigned first,
				 unsigned last)
{
	return (struct upci_driver){
		.source = UPC_SOURCE_FILE,
		.mul = 1,
		.div = 1,
		.file =
			{
				.path = "x",
				.key = key,
				.key_token = token,
				.occurrence = occurrence,
				.first = first,
				.last = last,
			},
	};
}

/* On memory of exactly this size, so that a reader beyond it is caught. */
static bool find(const char *text, struct upci_driver d, uint64_t *value)
{
	size_t length = strlen(text);
	char *exact = malloc(length ? length : 1);
	bool found;

	memcpy(exact, text, length);
	found = upci_field_find(exact, length, &d, value);
	free(exact);
	return found;
}

static void is(const char *text, struct upci_driver d, uint64_t expected)
{
	uint64_t value = ~expected;

	assert_true(find(text, d, &value));
	assert_int_equal(value, expected);
}

static void is_lost(const char *text, struct upci_driver d)
{
	uint64_t value = 42;

	assert_false(find(text, d, &value));
	assert_int_equal(value, 42);
}

TEST(tokens)
{
	static const char line[] = "  a:b = c\t(d (e) f) g)h";
	static const char *const expected[] = {"a", "b", "c", "(d (e) f) g)", "h"};
	const char *p = line, *end = line + strlen(line), *token;

	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(upci_token(&p, end, &token), strlen(expected[i]));
		assert_memory_equal(token, expected[i], strlen(expected[i]));
	}
	assert_int_equal(upci_token(&p, end, &token), 0);
	assert_int_equal(upci_token(&p, end, &token), 0);
	p = "(open b";
	end = p + strlen(p);
	assert_int_equal(upci_token(&p, end, &token), 5);
}

TEST(lines)
{
	is("pgfault 12\npgmajfault 3\n", driver("pgfault", 0, 1, 1, 1), 12);
	is("pgfault 12\npgmajfault 3\n", driver("pgmajfault", 0, 1, 1, 1), 3);
	is("pgmajfault 3", driver("pgmajfault", 0, 1, 1, 1), 3);
	is("Tcp: A B\nTcp: 5 6\nUdp: C\n", driver("Tcp", 0, 2, 2, 2), 6);
	is("MemFree:   7 kB\n", driver("MemFree", 0, 1, 1, 1), 7);
	is("some avg10=0.00 total=99\n", driver("some", 0, 1, 4, 4), 99);
	is(" 8 0 sda 1 2\n", driver("sda", 2, 1, 4, 4), 2);
	is("1 2\n3 4\n", driver(NULL, 0, 2, 1, 1), 4);
	is("\n\n9\n", driver(NULL, 0, 3, 0, 0), 9);
	is("7 (x) y) S 1) 5 6\n", driver(NULL, 0, 1, 2, 2), 5);
	is_lost("pgfault 12\n", driver("pgfaul", 0, 1, 1, 1));
	is_lost("pgfault 12\n", driver("pgfaults", 0, 1, 1, 1));
	is_lost("pgfault 12\n", driver("pgfault", 0, 2, 1, 1));
	is_lost("pgfault 12\n", driver("pgfault", 0, 0, 1, 1));
	is_lost("pgfault 12\n", driver("pgfault", 0, 1, 2, 2));
	is_lost("pgfault 12\n", driver("pgfault", 7, 1, 1, 1));
	is_lost("pgfault 12\n", driver(NULL, 0, 2, 1, 1));
	is_lost("pgfault\n12\n", driver("pgfault", 0, 1, 1, 1));
	is_lost("", driver("pgfault", 0, 1, 1, 1));
	is_lost("", driver(NULL, 0, 1, 0, 0));
	is_lost("\n", driver(NULL, 0, 1, 0, 0));
	is_lost("1 2 3\n", driver(NULL, 0, 1, 2, 1));
	is_lost("a b 3\n", driver("a b", 0, 1, 2, 2)); /* two tokens, no key */
	is_lost("(a) 3\n", driver("(a", 0, 1, 1, 1));
	is("(a) 3\n", driver("(a)", 0, 1, 1, 1), 3);
}

TEST(numbers)
{
	struct upci_driver one = driver(NULL, 0, 1, 0, 0), d = one;

	is("18446744073709551615\n", one, UINT64_MAX);
	is_lost("18446744073709551616\n", one);
	is_lost("99999999999999999999999999\n", one);
	is("000000000000000000000000000012\n", one, 12);
	is("-5000\n", one, (uint64_t)-5000);
	is_lost("-\n", one);
	is_lost("+1\n", one);
	is_lost("0x10\n", one);
	is_lost("12kB\n", one);
	is_lost("2/88\n", one);
	is_lost("0-edge\n", one);
	is_lost("1.\n", one);
	is_lost(".5\n", one);
	is_lost("1.2.3\n", one);
	is("3.999999\n", one, 3);
	d.mul = 1000000000;
	is("1448.83\n", d, 1448830000000u);
	is("0.000000001\n", d, 1);
	is("0.0000000019\n", d, 1);
	is("-0.5\n", d, (uint64_t)-500000000);
	d.mul = 1024;
	is("18446744073709551615\n", d, (uint64_t)0 - 1024);
	d.mul = 10;
	d.div = 3;
	is("10\n", d, 33);
	d.div = 0;
	is_lost("10\n", d);
	d = one;
	d.mul = UINT32_MAX;
	is("18446744073709551615.5\n", d, (uint64_t)0 - 0x80000000u);
	d.file.last = 3;
	is_lost("18446744073709551615 18446744073709551615 18446744073709551615 1.5\n", d);
}

TEST(sums)
{
	is("LOC: 1 2 3 Local timer 9\n", driver("LOC", 0, 1, 1, 512), 6);
	is("ERR: 4\n", driver("ERR", 0, 1, 1, 512), 4);
	is("X: 1 2 3 4\n", driver("X", 0, 1, 2, 3), 5);
	is("X: 18446744073709551615 2\n", driver("X", 0, 1, 1, 2), 1);
	is("X: 0.5 0.75\n", driver("X", 0, 1, 1, 2), 1);
	is_lost("X: 1 99999999999999999999 3\n", driver("X", 0, 1, 1, 3));
	is_lost("X: chip 1\n", driver("X", 0, 1, 1, 2));
}

/* A program's name cannot shift the columns of its stat: a newline in the name makes the value lost,
 * not wrong. */
TEST(names_of_programs)
{
	struct upci_driver minflt = driver(NULL, 0, 1, 9, 9);

	is("7 (a) R 1 1) S 1 1 1 0 -1 0 77 0\n", minflt, 77);
	is("7 ((((() S 1 1 1 0 -1 0 77 0\n", minflt, 77);
	is("7 () S 1 1 1 0 -1 0 77 0\n", minflt, 77);
	is_lost("7 (a\nb) S 1 1 1 0 -1 0 77 0\n", minflt);
	is_lost("7 () 1 2 3 4 5 6\n) S 1 1 1 0 -1 0 77 0\n", minflt);
}

/* Every truncation of a text gives the value of the whole, a prefix of its
 * digits, or nothing; and random bytes give no access beyond the text. */
TEST(truncated_and_random)
{
	static const char text[] = "cpu  10 20 30\nintr 12345 6\nctxt 9876543\nx (a b) 3\n";
	struct upci_driver d = driver("ctxt", 0, 1, 1, 1);
	char part[sizeof(text)], noise[200];
	uint64_t value;

	for (size_t n = 0; n < sizeof(text); n++) {
		memcpy(part, text, n);
		part[n] = '\0';
		if (find(part, d, &value)) {
			char digits[24];

			snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
			assert_memory_equal(digits, "9876543", strlen(digits));
		}
	}
	srandom(1);
	for (unsigned round = 0; round < 20000; round++) {
		static const char set[] = " :=()\n\t-.0123456789abc";
		size_t n = (size_t)random() % sizeof(noise);

		for (size_t i = 0; i < n; i++)
			noise[i] = set[(size_t)random() % (sizeof(set) - 1)];
		noise[n ? n - 1 : 0] = '\0';
		find(noise,
		     driver("a", (unsigned)random() % 3, 1 + (unsigned)random() % 3, (unsigned)random() % 4,
			    3 + (unsigned)random() % 4),
		     &value);
	}
}

UNIT_TESTS(field, NULL, NULL)
