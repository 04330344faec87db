/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structures of programs that were compiled with an older or a newer header: every call
 * that takes or fills in one, with the sizes that headers have given them.
 */
#include <limits.h>

#include "base/message.h"
#include "base/sized.h"
#include "../unit_test.h"

/* The sizes in the oldest header with each structure. Published sizes never change. */
enum {
	FIRST_EVENT_INFO = 88,
	FIRST_CATALOGUE_OPTIONS = 24,
	FIRST_UNIT_OPTIONS = 32,
	FIRST_COUNTER_INFO = 40,
	FIRST_SHARE_OPTIONS = 16,
	FIRST_MONITOR_OPTIONS = 16,
	FIRST_MONITOR_INFO = 304,
	FIRST_MONITOR_EVENT = 320,
};
#define NEWER 64 /* bytes more */

static struct upc_catalogue *c;
static struct upc_unit *shown;
static struct upc_monitor *monitor;
static char name[64], script[] = "/tmp/upc-sized-XXXXXX", *page;

/* ---- structures at the very end of what may be touched ---------------------------- */

static void *structure(size_t size, int byte)
{
	char *s = page + 4096 - size;

	memset(page, byte, 4096);
	memcpy(s, &size, sizeof(size));
	return s;
}

static size_t size_in(const void *s)
{
	size_t size;

	memcpy(&size, s, sizeof(size));
	return size;
}

/* ---- options -------------------------------------------------------------------------- */

static int open_catalogue(void *options)
{
	struct upc_catalogue *opened;
	int error = upc_catalogue_open(options, &opened);

	if (!error)
		upc_catalogue_close(opened);
	return error;
}

static int create_unit(void *options)
{
	struct upc_unit *u;
	int error = upc_unit_create(c, options, &u);

	if (!error)
		upc_unit_destroy(u);
	return error;
}

static int retarget_unit(void *options)
{
	struct upc_unit *u;
	int error;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	error = upc_unit_retarget(u, options);
	upc_unit_destroy(u);
	return error;
}

static int share_unit(void *options)
{
	struct upc_unit *u;
	char other[80];
	int error;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	snprintf(other, sizeof(other), "%s.other", name);
	error = upc_unit_share(u, other, options);
	upc_unit_destroy(u);
	return error;
}

static int open_monitor(void *options)
{
	struct upc_monitor *m;
	int error = upc_monitor_open(name, options, &m);

	if (!error)
		upc_monitor_close(m);
	return error;
}

static void options_of(int (*call)(void *options), size_t first, size_t today)
{
	size_t sizes[] = {first, today, today + NEWER}, wrong[] = {0, 3, 8, first - 1, 5000, SIZE_MAX}, i;
	char *s, large[512] = "";

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(call(structure(sizes[i], 0)), 0);
	for (i = today; i < today + NEWER; i++) {
		s = structure(today + NEWER, 0);
		s[i] = 1;
		assert_int_equal(call(s), UPC_EINVAL);
		assert_message("older than the program's upc.h");
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(large, &wrong[i], sizeof(wrong[i]));
		assert_int_equal(call(large), UPC_EINVAL);
		assert_message("set it to sizeof");
	}
}

TEST(test_options)
{
	options_of(open_catalogue, FIRST_CATALOGUE_OPTIONS, sizeof(struct upc_catalogue_options));
	options_of(create_unit, FIRST_UNIT_OPTIONS, sizeof(struct upc_unit_options));
	options_of(retarget_unit, FIRST_UNIT_OPTIONS, sizeof(struct upc_unit_options));
	options_of(share_unit, FIRST_SHARE_OPTIONS, sizeof(struct upc_share_options));
	options_of(open_monitor, FIRST_MONITOR_OPTIONS, sizeof(struct upc_monitor_options));
}

/* ---- what is filled in ------------------------------------------------------------------ */

static int describe_event(void *info)
{
	return upc_catalogue_info(c, 0, info);
}

static int describe_counter(void *info)
{
	return upc_counter_state(shown, 0, info);
}

static int read_monitor(void *info)
{
	return upc_monitor_read(monitor, NULL, info);
}

static int read_event(void *event)
{
	return upc_monitor_counter(monitor, 0, event);
}

static void infos_of(int (*call)(void *info), size_t first, size_t today)
{
	size_t sizes[] = {sizeof(size_t), first, today, today + NEWER}, wrong[] = {0, 7, 5000, SIZE_MAX}, i,
	       at;
	unsigned char *s, large[512], untouched[sizeof(large)];

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		s = structure(sizes[i], 0x55);
		assert_int_equal(call(s), 0);
		assert_int_equal(size_in(s), sizes[i]);
		for (at = today; at < sizes[i]; at++)
			assert_int_equal(s[at], 0);
		for (at = 0; at < 4096 - sizes[i]; at++)
			assert_int_equal(page[at], 0x55);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(large, 0x55, sizeof(large));
		memcpy(large, &wrong[i], sizeof(wrong[i]));
		memcpy(untouched, large, sizeof(large));
		assert_int_equal(call(large), UPC_EINVAL);
		assert_message("set it to sizeof");
		assert_memory_equal(untouched, large, sizeof(large));
	}
	assert_int_equal(call(NULL), call == read_monitor ? 0 : UPC_EINVAL);
}

TEST(test_infos)
{
	struct upc_event_info *info;

	infos_of(describe_event, FIRST_EVENT_INFO, sizeof(struct upc_event_info));
	infos_of(describe_counter, FIRST_COUNTER_INFO, sizeof(struct upc_counter_info));
	infos_of(read_monitor, FIRST_MONITOR_INFO, sizeof(struct upc_monitor_info));
	infos_of(read_event, FIRST_MONITOR_EVENT, sizeof(struct upc_monitor_event));
	/* The part of a structure that an older program has is right. */
	info = structure(FIRST_EVENT_INFO, 0x55);
	assert_int_equal(upc_catalogue_info(c, 0, info), 0);
	assert_string_equal(info->name, "PU0_JPIPE_INSTRUCTIONS");
}

/* ---- a structure that has grown -------------------------------------------------------- */

struct grown {
	size_t size;
	int a;
	int b; /* the first header ended here */
	int c;
	int d;
};
static const struct upci_sized grown = UPCI_SIZED(grown, b, upci_fail);

TEST(test_a_structure_that_has_grown)
{
	struct grown given = {.size = 16, .a = 1, .b = 2, .c = 3, .d = 4}, taken = {.c = 5};

	assert_int_equal(grown.least, 16);
	assert_int_equal(upci_sized_take(&grown, &taken, &given), 0);
	assert_true(taken.a == 1 && taken.b == 2 && !taken.c && !taken.d);
	given.size = 15;
	taken.a = 7;
	assert_int_equal(upci_sized_take(&grown, &taken, &given), UPC_EINVAL);
	assert_int_equal(taken.a, 7);
	given.size = 16;
	assert_int_equal(upci_sized_check(&grown, &given), 0);
	upci_sized_give(&grown, &given, &(struct grown){.size = 24, .a = 11, .b = 12, .c = 13, .d = 14});
	assert_true(given.size == 16 && given.a == 11 && given.b == 12 && given.c == 3 && given.d == 4);
}

/* A script's catalogue is opened fast, and the test does so often. */
static int use_script(void)
{
	static const char text[] = "upc-trace 1\nc 1 0\n";
	char source[64];
	int fd = mkstemp(script), written;

	if (fd < 0)
		return -1;
	written = (int)write(fd, text, sizeof(text) - 1);
	close(fd);
	snprintf(source, sizeof(source), "replay:%s", script);
	return written == sizeof(text) - 1 ? setenv("UPC_SOURCE", source, 1) : -1;
}

static int set_up(void **state)
{
	(void)state;
	snprintf(name, sizeof(name), "sized.%d", (int)getpid());
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		return -1;
	return use_script() || upc_catalogue_open(NULL, &c) || upc_unit_create(c, NULL, &shown) ||
	       upc_unit_share(shown, name, NULL) || upc_monitor_open(name, NULL, &monitor);
}

static int tear_down(void **state)
{
	(void)state;
	upc_monitor_close(monitor);
	upc_unit_destroy(shown);
	upc_catalogue_close(c);
	munmap(page, 8192);
	unlink(script);
	return 0;
}

UNIT_TESTS(sized, set_up, tear_down)
