/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of /sys, on a made one: twin sensors keep their names whichever driver comes up
 * first.
 */
#include "../made_sys.h"

/* A chip at a place of its own, with the number in whose order its driver came up. */
static void plug(const char *place, unsigned number, const char *temperature)
{
	char to[300];

	made_sys_put("nvme\n", "devices/pci0000:00/%s/nvme/hwmon/hwmon%u/name", place, number);
	made_sys_put(temperature, "devices/pci0000:00/%s/nvme/hwmon/hwmon%u/temp1_input", place, number);
	snprintf(to, sizeof(to), "../../devices/pci0000:00/%s/nvme/hwmon/hwmon%u", place, number);
	made_sys_link(to, "class/hwmon/hwmon%u", number);
}

static uint64_t level_of(struct upc_catalogue *c, const char *name)
{
	uint32_t code = event_code(c, name);
	struct upc_unit *u;
	uint64_t value;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	if (upc_unit_add(u, code))
		fail_msg("%s", upc_last_message());
	assert_int_equal(upc_unit_start(u), 0);
	value = event_value(u, code);
	upc_unit_destroy(u);
	return value;
}

static void expect(uint64_t first, uint64_t second)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *c;

	if (upc_catalogue_open(&options, &c))
		fail_msg("%s", upc_last_message());
	assert_int_equal(level_of(c, "hwmon::nvme:temp1"), first);
	assert_int_equal(level_of(c, "hwmon::nvme:temp1.2"), second);
	upc_catalogue_close(c);
}

TEST(test_twins)
{
	plug("0000:02:00.0", 1, "30000\n");
	plug("0000:10:00.0", 2, "40000\n");
	expect(30000, 40000);
	made_sys_empty();
	/* The next start of the machine; and a number of two digits. */
	plug("0000:02:00.0", 11, "31000\n");
	plug("0000:10:00.0", 3, "41000\n");
	expect(31000, 41000);
	made_sys_empty();
}

UNIT_TESTS(cat_sysfs, made_sys_begin, made_sys_end)
