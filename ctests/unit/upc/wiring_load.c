/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which files are taken, and their hash.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "catalogue_test.h"
#include "wiring/wiring.h"

static char directory[] = "/tmp/upc-wiring-XXXXXX";
static char path[64];

static int setup(void **state)
{
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/file", directory);
	return open_catalogue(state);
}

static int teardown(void **state)
{
	close_catalogue(state);
	unlink(path);
	return rmdir(directory);
}

static void write_file(const char *text, size_t length, mode_t mode)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_hash(void **state)
{
	static const char text[] = "upc-wiring 1\nevent load.a = clock thread\n";
	char hash[65] = "";

	(void)state;
	write_file(text, sizeof(text) - 1, 0644);
	assert_int_equal(upci_wiring_load(c, path, hash), 0);
	assert_string_equal(hash, "c0453870f6f281f3218275996620f1421ba468fefbff51f337b1face76945c9e");
	assert_true(upci_catalogue_lookup(c, "load.a") >= 0);
}

/* The path is in the message; nothing is hashed or applied. */
static void test_mistake(void **state)
{
	static const char text[] = "upc-wiring 1\nevent load.b = clock thread\nevent load.c\n";
	char hash[65] = "as it was", expected[128];

	(void)state;
	write_file(text, sizeof(text) - 1, 0644);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	snprintf(expected, sizeof(expected), "%s:3:13: expected '=', found the end of the line", path);
	assert_string_equal(upc_last_message(), expected);
	assert_string_equal(hash, "as it was");
	assert_int_equal(upci_catalogue_lookup(c, "load.b"), UPC_ENOEVENT);
}

static void test_no_file(void **state)
{
	char hash[65];

	(void)state;
	unlink(path);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("cannot be opened: No such file");
	assert_int_equal(upci_wiring_load(c, directory, hash), UPC_EWIRING);
	assert_message("expected a regular file");
	/* Without a writer: a plain open would wait here for ever. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("expected a regular file");
	unlink(path);
	assert_int_equal(upci_wiring_load(c, "/dev/zero", hash), UPC_EWIRING);
	assert_message("expected a regular file");
}

static void test_too_large(void **state)
{
	char hash[65];

	(void)state;
	write_file("upc-wiring 1\n", 13, 0644);
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("expected at most 8388608 bytes");
}

/* Root's trust is not for a file that others could have written. */
static void test_root(void **state)
{
	char hash[65];

	(void)state;
	if (geteuid() != 0)
		skip_because("what root refuses needs root");
	write_file("upc-wiring 1\n", 13, 0664);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EPERM);
	assert_message("chown root, chmod go-w");
	write_file("upc-wiring 1\n", 13, 0646);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EPERM);
	write_file("upc-wiring 1\n", 13, 0644);
	assert_int_equal(chown(path, 65534, 0), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EPERM);
	assert_int_equal(chown(path, 0, 65534), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), 0);
}

static void test_permission(void **state)
{
	uid_t euid = geteuid();
	char hash[65];
	int error;

	(void)state;
	write_file("upc-wiring 1\n", 13, 0);
	if (euid == 0 && seteuid(65534))
		skip_because("cannot become somebody else");
	error = upci_wiring_load(c, path, hash);
	if (euid == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(error, UPC_EPERM);
	assert_message("cannot be opened: Permission denied");
}

UNIT_MAIN(wiring_load)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),    cmocka_unit_test(test_mistake),
		cmocka_unit_test(test_no_file), cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_root),    cmocka_unit_test(test_permission),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
