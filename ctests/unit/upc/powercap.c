/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy counters, on a made /sys whose zones use what the test says: over wraps, with and
 * without a range, gone and back; and the sums over packages.
 */
#include <inttypes.h>

#include "../made_sys.h"

/* A register that wraps as the kernel shows it, and all that was used. */
struct zone {
	const char *name;
	uint64_t range, shown, used;
};

static void show(const struct zone *zone)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", zone->shown);
	made_sys_put(text, "class/powercap/%s/energy_uj", zone->name);
}

static void make_zone(const struct zone *zone, const char *label)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64 "\n", zone->range);
	made_sys_put(label, "class/powercap/%s/name", zone->name);
	if (zone->range)
		made_sys_put(text, "class/powercap/%s/max_energy_range_uj", zone->name);
	show(zone);
}

/* Uses energy, less than the range. */
static void use(struct zone *zone, uint64_t uj)
{
	zone->used += uj;
	zone->shown += uj;
	if (zone->shown > zone->range)
		zone->shown -= zone->range;
	show(zone);
}

static struct upc_catalogue *open_catalogue(const char *wiring)
{
	const struct upc_catalogue_options options = {
		.size = sizeof(options), .wiring_path = wiring, .no_wiring = !wiring};
	struct upc_catalogue *c;

	if (upc_catalogue_open(&options, &c))
		fail_msg("%s", upc_last_message());
	return c;
}

static struct upc_unit *start(struct upc_catalogue *c, const uint32_t *codes, unsigned n)
{
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	for (unsigned i = 0; i < n; i++)
		if (upc_unit_add(u, codes[i]))
			fail_msg("%s", upc_last_message());
	assert_int_equal(upc_unit_start(u), 0);
	return u;
}

TEST(test_wraps)
{
	struct zone zone = {"intel-rapl:0", 1000000, 900000, 0};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t code;

	make_zone(&zone, "package-0\n");
	c = open_catalogue(NULL);
	code = event_code(c, "power::intel-rapl:0:energy_uj");
	u = start(c, &code, 1);
	assert_int_equal(event_value(u, code), 0);
	use(&zone, 50000);
	assert_int_equal(event_value(u, code), 50000);
	use(&zone, 80000);
	assert_true(zone.shown < 900000);
	assert_int_equal(event_value(u, code), 130000);
	assert_int_equal(event_value(u, code), 130000);
	/* Energy that is used while the unit is stopped is not counted, not even over a wrap. */
	assert_int_equal(upc_unit_stop(u), 0);
	use(&zone, 999999);
	use(&zone, 7);
	assert_int_equal(event_value(u, code), 130000);
	assert_int_equal(upc_unit_start(u), 0);
	use(&zone, 999999);
	assert_int_equal(event_value(u, code), 130000 + 999999);
	assert_int_equal(upc_unit_reset(u), 0);
	use(&zone, 3);
	assert_int_equal(event_value(u, code), 3);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

/* Eight hours at 40 W, of which a plain file shows 83 %. */
TEST(test_a_working_day)
{
	struct zone zone = {"intel-rapl:0", UINT64_C(262143328850), UINT64_C(200000000000), 0};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t codes[2];
	uint64_t values[2];

	make_zone(&zone, "package-0\n");
	c = open_catalogue(NULL);
	codes[0] = event_code(c, "power::intel-rapl:0:energy_uj");
	codes[1] = event_code(c, "ENERGY");
	u = start(c, codes, 2);
	for (unsigned minute = 0; minute < 8 * 60; minute++) {
		use(&zone, 40000000u * 60u);
		assert_int_equal(upc_unit_read_events(u, codes, 2, values), 0);
		assert_true(values[0] == zone.used);
		assert_true(values[1] == zone.used / 1000000);
	}
	assert_true(values[0] == UINT64_C(1152000000000));
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

/* Any steps below the range, read in any moments: the sum is what was used. */
TEST(test_random)
{
	struct zone zone = {"intel-rapl:1:0", 0, 0, 0};
	unsigned seed = 20261124;

	for (unsigned round = 0; round < 50; round++) {
		uint64_t since_read = 0;
		struct upc_catalogue *c;
		struct upc_unit *u;
		uint32_t code;

		zone.range = 1 + (uint64_t)rand_r(&seed) * 17;
		zone.shown = (uint64_t)rand_r(&seed) % (zone.range + 1);
		zone.used = 0;
		make_zone(&zone, "core\n");
		c = open_catalogue(NULL);
		code = event_code(c, "power::intel-rapl:1:0:energy_uj");
		u = start(c, &code, 1);
		for (unsigned step = 0; step < 40; step++) {
			uint64_t uj = (uint64_t)rand_r(&seed) % zone.range;

			if (since_read + uj >= zone.range) {
				assert_true(event_value(u, code) == zone.used);
				since_read = 0;
			}
			use(&zone, uj);
			since_read += uj;
		}
		assert_true(event_value(u, code) == zone.used);
		upc_unit_destroy(u);
		upc_catalogue_close(c);
		made_sys_empty();
	}
}

/* Without a range a step back is a beginning; and so it is from beyond one. */
TEST(test_no_range)
{
	struct zone none = {"dtpm:0", 0, 500, 0}, small = {"dtpm:1", 100, 500, 0};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t codes[2];
	uint64_t values[2];

	make_zone(&none, "\n");
	make_zone(&small, "odd\n");
	c = open_catalogue(NULL);
	codes[0] = event_code(c, "power::dtpm:0:energy_uj");
	codes[1] = event_code(c, "power::dtpm:1:energy_uj");
	u = start(c, codes, 2);
	none.shown = small.shown = 30;
	show(&none);
	show(&small);
	assert_int_equal(upc_unit_read_events(u, codes, 2, values), 0);
	assert_int_equal(values[0], 30);
	assert_int_equal(values[1], 30);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

/* A file without a number is an error, never a zero; the next number includes the energy used meanwhile. */
TEST(test_lost)
{
	struct zone zone = {"intel-rapl:0", 1000, 10, 0};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t code;
	uint64_t value = 0;

	make_zone(&zone, "package-0\n");
	c = open_catalogue(NULL);
	code = event_code(c, "power::intel-rapl:0:energy_uj");
	u = start(c, &code, 1);
	use(&zone, 5);
	assert_int_equal(event_value(u, code), 5);
	made_sys_put("-3\n", "class/powercap/intel-rapl:0/energy_uj");
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_ELOST);
	assert_message("power::intel-rapl:0:energy_uj");
	assert_int_equal(value, 5);
	made_sys_put("99999999999999999999999\n", "class/powercap/intel-rapl:0/energy_uj");
	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), UPC_ELOST);
	use(&zone, 20);
	assert_int_equal(event_value(u, code), 25);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

/* Each of two packages counts once, though one is shown twice. Other zones are no part of the sum. */
TEST(test_packages)
{
	struct zone first = {"intel-rapl:0", 100000000, 0, 0},
		    second = {"intel-rapl:1", 100000000, 99000000, 0};
	struct zone core = {"intel-rapl:0:0", 100000000, 0, 0},
		    again = {"intel-rapl-mmio:0", 100000000, 0, 0};
	struct zone board = {"intel-rapl:2", 100000000, 0, 0};
	struct timespec before, after;
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t codes[2];
	uint64_t values[2], most, least;

	make_zone(&first, "package-0\n");
	make_zone(&second, "package-1\n");
	make_zone(&core, "core\n");
	make_zone(&again, "package-0\n");
	make_zone(&board, "psys\n");
	c = open_catalogue(NULL);
	codes[0] = event_code(c, "ENERGY");
	codes[1] = event_code(c, "POWER");
	clock_gettime(CLOCK_MONOTONIC, &before);
	u = start(c, codes, 2);
	clock_gettime(CLOCK_MONOTONIC, &after);
	least = (uint64_t)(-after.tv_sec * 1000000000 - after.tv_nsec);
	most = (uint64_t)(-before.tv_sec * 1000000000 - before.tv_nsec);
	usleep(20000);
	use(&first, 30000000);
	use(&second, 12700000);
	use(&core, 25000000);
	use(&again, 30000000);
	use(&board, 50000000);
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(upc_unit_read_events(u, codes, 2, values), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	least += (uint64_t)(before.tv_sec * 1000000000 + before.tv_nsec);
	most += (uint64_t)(after.tv_sec * 1000000000 + after.tv_nsec);
	assert_int_equal(values[0], 42);
	/* 42.7 J by ns, in mW; the clock runs at the rate of CLOCK_MONOTONIC. */
	assert_in_range(values[1], UINT64_C(42700000000000) / most, UINT64_C(42700000000000) / least + 1);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

/* Descriptors of energy counters that this process has. */
static unsigned open_counters(void)
{
	char path[32], to[512];
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, to, sizeof(to) - 1);
		to[length < 0 ? 0 : length] = 0;
		n += strstr(to, "/energy_uj") != NULL;
	}
	return n;
}

/* A child has nothing of its parent's, and counts for itself when it starts. */
TEST(test_fork)
{
	struct zone zone = {"intel-rapl:0", 1000, 990, 0};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t code;
	pid_t child;

	make_zone(&zone, "package-0\n");
	c = open_catalogue(NULL);
	code = event_code(c, "power::intel-rapl:0:energy_uj");
	u = start(c, &code, 1);
	use(&zone, 5);
	assert_int_equal(open_counters(), 1);
	child = fork();
	if (!child) {
		uint64_t value = 0;

		if (open_counters() || upc_unit_start(u) || open_counters() != 1)
			_exit(1);
		use(&zone, 30);
		if (upc_unit_read_events(u, &code, 1, &value) || value != 30)
			_exit(2);
		upc_unit_destroy(u);
		upc_catalogue_close(c);
		_exit(open_counters() ? 3 : 0);
	}
	assert_int_equal(end_of(child), 0);
	assert_int_equal(event_value(u, code), 35);
	upc_unit_destroy(u);
	assert_int_equal(open_counters(), 0);
	upc_catalogue_close(c);
	made_sys_empty();
}

TEST(test_none)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	struct upc_catalogue *c = open_catalogue(NULL);
	struct upc_unit *u;

	assert_int_equal(upc_catalogue_info(c, event_code(c, "POWER"), &info), 0);
	assert_int_equal(info.source, UPC_SOURCE_NONE);
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, event_code(c, "POWER")), UPC_ENOEVENT);
	assert_message("no energy counter");
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

static char *wiring_file(const char *text)
{
	static char path[] = "/tmp/upc-powercap-XXXXXX";
	int fd;

	strcpy(path, "/tmp/upc-powercap-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* Which event there is not, and why, in a catalogue of this machine. */
static void assert_none(const char *name, const char *why)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	struct upc_catalogue *c = open_catalogue(NULL);

	assert_int_equal(upc_catalogue_info(c, event_code(c, name), &info), 0);
	assert_int_equal(info.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(info.why, why));
	upc_catalogue_close(c);
}

/* A sum of all packages is of all of them, or there is none. */
TEST(test_partial)
{
	struct zone zones[64];
	char names[64][32];

	for (unsigned i = 0; i < 64; i++) {
		snprintf(names[i], sizeof(names[i]), "intel-rapl:%u", i);
		zones[i] = (struct zone){names[i], 1000, 0, 0};
		make_zone(&zones[i], "package-x\n");
	}
	assert_none("ENERGY", "not all packages");
	assert_none("POWER", "not all packages");
	made_sys_empty();
	make_zone(&zones[0], "package-0\n");
	made_sys_put("package-1\n", "class/powercap/intel-rapl:1/name");
	assert_none("ENERGY", "not all packages");
	made_sys_empty();
}

/* A wiring file names a zone, and scales it; nothing that leads out of the class. */
TEST(test_wiring)
{
	struct zone zone = {"intel-rapl:0", 1000000, 999000, 0};
	char *path = wiring_file("upc-wiring 1\nevent mJ = powercap \"intel-rapl:0\" / 1000 unit \"mJ\"\n"
				 "event out = powercap \"../powercap/intel-rapl:0\"\n"
				 "event none = powercap \"intel-rapl:7\"\n");
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t code;

	make_zone(&zone, "package-0\n");
	c = open_catalogue(path);
	code = event_code(c, "mJ");
	u = start(c, &code, 1);
	use(&zone, 500000);
	assert_int_equal(event_value(u, code), 500);
	assert_int_equal(upc_unit_add(u, event_code(c, "out")), UPC_EINVAL);
	assert_message("is no zone");
	assert_int_equal(upc_unit_add(u, event_code(c, "none")), UPC_ENOSUPP);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	unlink(path);
	made_sys_empty();
}

/* All terms of a sum, added and removed: descriptors go with them. */
TEST(test_handles)
{
	struct zone zones[8] = {{NULL}};
	char names[8][32], event[64];
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t codes[8];

	for (unsigned i = 0; i < 8; i++) {
		snprintf(names[i], sizeof(names[i]), "intel-rapl:%u", i);
		zones[i] = (struct zone){names[i], 1000, 100 * i, 0};
		make_zone(&zones[i], "package-x\n");
	}
	c = open_catalogue(NULL);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(event, sizeof(event), "power::%s:energy_uj", names[i]);
		codes[i] = event_code(c, event);
	}
	u = start(c, codes, 8);
	assert_int_equal(upc_unit_remove(u, codes[3]), 0);
	assert_int_equal(upc_unit_remove(u, codes[5]), 0);
	for (unsigned i = 0; i < 8; i++)
		use(&zones[i], 400 + i);
	assert_int_equal(upc_unit_add(u, codes[5]), 0);
	use(&zones[5], 9);
	for (unsigned i = 0; i < 8; i++)
		if (i != 3)
			assert_int_equal(event_value(u, codes[i]), i == 5 ? 9 : 400 + i);
	upc_unit_destroy(u);
	upc_catalogue_close(c);
	made_sys_empty();
}

UNIT_TESTS(powercap, made_sys_begin, made_sys_end)
