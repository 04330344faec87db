/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of /sys, on a made one: twin sensors keep their names whichever driver comes up
 * first.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "unit_test.h"

static char root[] = "/tmp/upc-sysfs-XXXXXX";

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_fstatfs(int fd, struct statfs *fs);
int __wrap_fstatfs(int fd, struct statfs *fs);

int __wrap_open(const char *path, int flags, ...)
{
	return __real_open(!strcmp(path, "/sys") ? root : path, flags, 0600);
}

int __wrap_fstatfs(int fd, struct statfs *fs)
{
	int error = __real_fstatfs(fd, fs);

	/* Of what is opened as /sys or /proc. */
	if (!error && (unsigned long)fs->f_type != PROC_SUPER_MAGIC)
		fs->f_type = SYSFS_MAGIC;
	return error;
}

static void path_of(char path[512], const char *below)
{
	char *at;

	snprintf(path, 512, "%s/%s", root, below);
	for (at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		mkdir(path, 0700);
		*at = '/';
	}
}

static void put(const char *below, const char *text)
{
	char path[512];
	FILE *f;

	path_of(path, below);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A chip at a place of its own, with the number in whose order its driver came up. */
static void plug(const char *place, unsigned number, const char *temperature)
{
	char below[256], to[300], path[512];

	snprintf(below, sizeof(below), "devices/pci0000:00/%s/nvme/hwmon/hwmon%u/name", place, number);
	put(below, "nvme\n");
	snprintf(below, sizeof(below), "devices/pci0000:00/%s/nvme/hwmon/hwmon%u/temp1_input", place, number);
	put(below, temperature);
	snprintf(to, sizeof(to), "../../devices/pci0000:00/%s/nvme/hwmon/hwmon%u", place, number);
	snprintf(below, sizeof(below), "class/hwmon/hwmon%u", number);
	path_of(path, below);
	assert_int_equal(symlink(to, path), 0);
}

static void unplug_all(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s/*", root);
	assert_int_equal(system(command), 0);
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

static void test_twins(void **state)
{
	(void)state;
	plug("0000:02:00.0", 1, "30000\n");
	plug("0000:10:00.0", 2, "40000\n");
	expect(30000, 40000);
	unplug_all();
	/* The next start of the machine; and a number of two digits. */
	plug("0000:02:00.0", 11, "31000\n");
	plug("0000:10:00.0", 3, "41000\n");
	expect(31000, 41000);
	unplug_all();
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unplug_all();
	return rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twins),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
