/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which files are taken, and their hash.
 */
#include <fcntl.h>

#include "catalogue_test.h"
#include "../test_dir.h"
#include "wiring/wiring.h"

static char path[64];

static int setup(void **state)
{
	if (make_test_dir(state))
		return -1;
	snprintf(path, sizeof(path), "%s/file", test_dir);
	return open_catalogue(state);
}

static int teardown(void **state)
{
	close_catalogue(state);
	return remove_test_dir(state);
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

TEST(test_hash)
{
	static const char text[] = "upc-wiring 1\nevent load.a = clock thread\n";
	char hash[65] = "";

	write_file(text, sizeof(text) - 1, 0644);
	assert_int_equal(upci_wiring_load(c, path, hash), 0);
	assert_string_equal(hash, "c0453870f6f281f3218275996620f1421ba468fefbff51f337b1face76945c9e");
	assert_true(upci_catalogue_lookup(c, "load.a") >= 0);
}

/* The path is in the message; nothing is hashed or applied. */
TEST(test_mistake)
{
	static const char text[] = "upc-wiring 1\nevent load.b = clock thread\nevent load.c\n";
	char hash[65] = "as it was", expected[128];

	write_file(text, sizeof(text) - 1, 0644);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	snprintf(expected, sizeof(expected), "%s:3:13: expected '=', found the end of the line", path);
	assert_string_equal(upc_last_message(), expected);
	assert_string_equal(hash, "as it was");
	assert_int_equal(upci_catalogue_lookup(c, "load.b"), UPC_ENOEVENT);
}

TEST(test_no_file)
{
	char hash[65];

	unlink(path);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("cannot be opened: No such file");
	assert_int_equal(upci_wiring_load(c, test_dir, hash), UPC_EWIRING);
	assert_message("expected a regular file");
	/* Without a writer: a plain open would wait here for ever. */
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("expected a regular file");
	unlink(path);
	assert_int_equal(upci_wiring_load(c, "/dev/zero", hash), UPC_EWIRING);
	assert_message("expected a regular file");
}

TEST(test_too_large)
{
	char hash[65];

	write_file("upc-wiring 1\n", 13, 0644);
	assert_int_equal(truncate(path, (off_t)1 << 40), 0);
	assert_int_equal(upci_wiring_load(c, path, hash), UPC_EWIRING);
	assert_message("expected at most 8388608 bytes");
}

/* Root's trust is not for a file that others could have written. */
TEST(test_root)
{
	char hash[65];

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

TEST(test_permission)
{
	uid_t euid = geteuid();
	char hash[65];
	int error;

	write_file("upc-wiring 1\n", 13, 0);
	if (euid == 0 && seteuid(65534))
		skip_because("cannot become somebody else");
	error = upci_wiring_load(c, path, hash);
	if (euid == 0)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(error, UPC_EPERM);
	assert_message("cannot be opened: Permission denied");
}

UNIT_TESTS(wiring_load, setup, teardown)
