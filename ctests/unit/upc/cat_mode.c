/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signal modes of names: what a live machine gives and what it refuses, and codes of
 * their own for Blue Gene/P names.
 */
#include "catalogue/catalogue.h"
#include "script_test.h"

static struct upc_catalogue *c;

static const char wiring[] = "upc-wiring 1\n"
			     "drive PU0_IPIPE_BRANCHES = perf \"perf::PAGE-FAULTS\" differs \"a test\"\n";

static int open_catalogue(void **state)
{
	char path[] = "/tmp/upc-cat-mode-XXXXXX";
	struct upc_catalogue_options options = {.size = sizeof(options), .wiring_path = path};
	int fd = mkstemp(path), error;

	(void)state;
	if (fd < 0 || write(fd, wiring, sizeof(wiring) - 1) < 0)
		return -1;
	close(fd);
	error = upc_catalogue_open(&options, &c);
	unlink(path);
	return error;
}

static int close_catalogue(void **state)
{
	(void)state;
	upc_catalogue_close(c);
	return 0;
}

static struct upc_event_info info_of(uint32_t code)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

	assert_int_equal(upc_catalogue_info(c, code, &info), 0);
	return info;
}

TEST(test_live_names)
{
	needs_perf();
	uint32_t plain = event_code(c, "PU0_IPIPE_BRANCHES"), rise, other;

	assert_int_equal(info_of(plain).modes, 1u << UPC_MODE_RISE);
	assert_int_equal(info_of(plain).mode, UPC_MODE_RISE);
	rise = event_code(c, "bgp_pu0_ipipe_branches:mode=RISE");
	assert_int_not_equal(rise, plain);
	assert_string_equal(info_of(rise).name, "PU0_IPIPE_BRANCHES:mode=rise");
	assert_int_equal(info_of(rise).modes, 0);
	assert_int_equal(info_of(rise).mode, UPC_MODE_RISE);
	assert_int_equal(info_of(rise).id, info_of(plain).id);
	assert_string_equal(info_of(rise).driver, info_of(plain).driver);
	assert_int_equal(event_code(c, "PU0_IPIPE_BRANCHES:mode=rise"), rise);
	assert_int_equal(upc_catalogue_find(c, "PU0_IPIPE_BRANCHES:mode=high", &other), UPC_ENOSUPP);
	assert_message("source with signals (replay)");
	assert_int_equal(upci_catalogue_event(c, rise)->same_as, plain + 1);
	/* Host events are of mode rise, whichever way they are called. */
	assert_int_equal(info_of(event_code(c, "perf::PAGE-FAULTS")).modes, 0);
	assert_int_equal(event_code(c, "perf::PAGE-FAULTS:mode=rise"), event_code(c, "perf::PAGE-FAULTS"));
}

/* Behind a script each mode is an event of its own, and the one that it has anyway is the same. */
TEST(test_script)
{
	struct upc_catalogue *live = c;
	uint32_t plain, high, fall;

	c = open_script("upc-trace 1\nc 1 0\n");
	plain = event_code(c, "PU0_IPIPE_BRANCHES");
	high = event_code(c, "PU0_IPIPE_BRANCHES:mode=high");
	fall = event_code(c, "PU0_IPIPE_BRANCHES:mode=fall");
	assert_int_equal(info_of(plain).mode, UPC_MODE_HIGH);
	assert_int_equal(info_of(plain).modes, 0xf);
	assert_int_equal(info_of(high).mode, UPC_MODE_HIGH);
	assert_int_equal(info_of(fall).mode, UPC_MODE_FALL);
	assert_int_equal(upci_catalogue_event(c, high)->same_as, plain + 1);
	assert_int_equal(upci_catalogue_event(c, fall)->same_as, 0);
	upc_catalogue_close(c);
	c = live;
}

TEST(test_kinds)
{
	needs_perf();
	assert_int_equal(info_of(event_code(c, "mem::MemFree")).kind, UPC_KIND_LEVEL);
	assert_int_equal(info_of(event_code(c, "perf::PAGE-FAULTS")).kind, UPC_KIND_COUNT);
}

TEST(test_nothing_drives_it)
{
	uint32_t code;

	assert_int_equal(info_of(event_code(c, "PU0_JPIPE_INSTRUCTIONS")).modes, 0);
	assert_int_equal(upc_catalogue_find(c, "PU0_JPIPE_INSTRUCTIONS:mode=high", &code), UPC_ENOSUPP);
	/* Known by what its terms are, not by a signal. */
	assert_int_equal(upc_catalogue_find(c, "PU0_BR_INS:mode=rise", &code), UPC_ENOSUPP);
	assert_message("derived");
}

UNIT_TESTS(cat_mode, open_catalogue, close_catalogue)
