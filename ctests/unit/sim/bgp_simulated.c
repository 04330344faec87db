/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bgp_simulated.c - each documented event is in one row of what is simulated; and
 * doc/reference/EVENTS.md, the node's tallies and the library say the same.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>

#include "catalogue/bgp_simulated.h"
#include "decode/model.h"
#include "../unit_test.h"

#define IDS 512
#define EVENTS 455

static const char *const event[IDS] = {
#define UPC_BGP(id, name) [id] = #name,
#include "catalogue/bgp_events.def"
#undef UPC_BGP
};

static const char *const patterns[] = {
#define UPC_SIM_CORE(name, how) "PU#_" #name,
#define UPC_SIM_REST(pattern, how) pattern,
#include "catalogue/bgp_simulated.def"
};

/* By the C library's matching, not by the library's. */
static bool matches(const char *pattern, const char *name)
{
	char glob[128] = "";
	size_t n = 0;

	for (; *pattern && n + 6 < sizeof(glob); pattern++)
		n += (size_t)snprintf(glob + n, sizeof(glob) - n, *pattern == '#' ? "[0-9]" : "%c", *pattern);
	return !fnmatch(glob, name, 0);
}

TEST(test_one_row_each)
{
	unsigned id, events = 0, exact = 0;
	size_t row;

	for (id = 0; id < IDS; id++) {
		unsigned found = 0;

		if (!event[id])
			continue;
		for (row = 0; row < sizeof(patterns) / sizeof(patterns[0]); row++)
			found += matches(patterns[row], event[id]);
		if (found != 1)
			fail_msg("%s is in %u rows", event[id], found);
		events++;
		exact += upci_bgp_simulated(event[id]) == UPCI_SIM_EXACT;
	}
	assert_int_equal(events, EVENTS);
	assert_int_equal(exact, 4 * 29);
	/* None is of nothing. */
	for (row = 0; row < sizeof(patterns) / sizeof(patterns[0]); row++) {
		for (id = 0; id < IDS && !(event[id] && matches(patterns[row], event[id])); id++)
			;
		if (id == IDS)
			fail_msg("%s is no event", patterns[row]);
	}
}

TEST(test_by_name)
{
	assert_int_equal(upci_bgp_simulated("PU3_FPU_FMA_4"), UPCI_SIM_EXACT);
	assert_int_equal(upci_bgp_simulated("PU0_DCACHE_OPS"), UPCI_SIM_EXACT);
	assert_int_equal(upci_bgp_simulated("PU2_ICACHE_HIT"), UPCI_SIM_MEMORY);
	assert_int_equal(upci_bgp_simulated("PU1_L2_HIT"), UPCI_SIM_MEMORY);
	assert_int_equal(upci_bgp_simulated("L3_M1_W1_DEPOSIT_REQUESTS"), UPCI_SIM_MEMORY);
	assert_int_equal(upci_bgp_simulated("TORUS_ZM_PACKETS"), UPCI_SIM_NETWORK);
	assert_int_equal(upci_bgp_simulated("COL_AC_CH2_VC0_MATURE_UM1"), UPCI_SIM_NETWORK);
	assert_int_equal(upci_bgp_simulated("IC_TIMESTAMP"), UPCI_SIM_TIME);
	assert_int_equal(upci_bgp_simulated("MISC_ELAPSED_TIME_UM1"), UPCI_SIM_TIME);
}

/* A run produces exactly those events that the library calls exact. */
TEST(test_model)
{
	unsigned core, k, id;
	bool of_core[IDS] = {false};

	for (core = 0; core < UPCS_CORES; core++)
		for (k = 0; k < UPCS_EVENTS; k++) {
			id = upcs_core_first[core] + k;
			of_core[id] = true;
			assert_non_null(event[id]);
			assert_int_equal(upci_bgp_simulated(event[id]) == UPCI_SIM_EXACT,
					 upcs_is_produced(upcs_tally_at[k]));
		}
	for (id = 0; id < IDS; id++)
		if (event[id] && !of_core[id])
			assert_int_not_equal(upci_bgp_simulated(event[id]), UPCI_SIM_EXACT);
}

/* ---- the document -------------------------------------------------------- */

static FILE *open_document(void)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	FILE *file;
	int n = snprintf(path, sizeof(path), "%s/doc/reference/EVENTS.md", srcdir ? srcdir : ".");

	assert_true(n < (int)sizeof(path));
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	return file;
}

/* The next cell of a row, without the blanks around it. */
static char *cell(char **rest)
{
	char *text = *rest, *end = strchr(text, '|');

	if (!end)
		fail_msg("a row has too few cells: %s", text);
	*rest = end + 1;
	*end = '\0';
	text += strspn(text, " ");
	for (end = text + strlen(text); end > text && end[-1] == ' ';)
		*--end = '\0';
	return text;
}

static enum upci_simulated how_of(const char *text)
{
	static const char *const words[] = {
		[UPCI_SIM_EXACT] = "exact",
		[UPCI_SIM_MEMORY] = "not produced: memory",
		[UPCI_SIM_NETWORK] = "not produced: network",
		[UPCI_SIM_TIME] = "not produced: time",
	};
	unsigned i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return (enum upci_simulated)i;
	fail_msg("a row has '%s'", text);
	return UPCI_SIM_EXACT;
}

/* "1, 3-5": the events of the row, and none of them seen before. */
static void take_ids(char *ids, const char *pattern, enum upci_simulated how, bool seen[IDS])
{
	unsigned long id, last, all = 0;
	unsigned n = 0;

	while (*ids) {
		id = last = strtoul(ids, &ids, 10);
		if (*ids == '-')
			last = strtoul(ids + 1, &ids, 10);
		assert_true(last < IDS && id <= last);
		for (; id <= last; id++, n++) {
			if (!event[id] || !matches(pattern, event[id]))
				fail_msg("%s has id %lu, which is %s", pattern, id,
					 event[id] ? event[id] : "free");
			if (seen[id] || upci_bgp_simulated(event[id]) != how)
				fail_msg("%s: wrong of %s", pattern, event[id]);
			seen[id] = true;
		}
		if (*ids && strncmp(ids, ", ", 2))
			fail_msg("%s: '%s'", pattern, ids);
		ids += *ids ? 2 : 0;
	}
	for (id = 0; id < IDS; id++)
		all += event[id] && matches(pattern, event[id]);
	assert_int_equal(n, all);
}

TEST(test_document)
{
	FILE *file = open_document();
	char *line = NULL, *rest, *name, *ids;
	bool inside = false, seen[IDS] = {false};
	unsigned id, events = 0;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, file)) > 0) {
		line[n - 1] = '\0';
		if (!strncmp(line, "## ", 3))
			inside = !strcmp(line, "## Blue Gene/P events under simulation");
		if (!inside || strncmp(line, "| `", 3))
			continue;
		rest = line + 1;
		name = cell(&rest);
		assert_true(strlen(name) > 2 && name[strlen(name) - 1] == '`');
		name[strlen(name) - 1] = '\0';
		ids = cell(&rest);
		take_ids(ids, name + 1, how_of(cell(&rest)), seen);
	}
	for (id = 0; id < IDS; id++) {
		if (event[id] && !seen[id])
			fail_msg("doc/reference/EVENTS.md has no row of %s", event[id]);
		events += seen[id];
	}
	assert_int_equal(events, EVENTS);
	free(line);
	fclose(file);
}

UNIT_TESTS(bgp_simulated, NULL, NULL)
