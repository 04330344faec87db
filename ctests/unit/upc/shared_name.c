/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_name.c - names of shared units cannot leave their directory, no link is
 * followed, and a lock tells whether an owner lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "share/shared.h"
#include "../unit_test.h"

/* The name and the directory of the files that the tests plant. */
static char planted[64];
static int directory;

static void bad(const char *name)
{
	char file[UPCI_SHARED_FILE_MAX] = "untouched";

	if (upci_shared_file(name, 7, file) != UPC_EINVAL)
		fail_msg("\"%s\" was taken", name ? name : "NULL");
	assert_message("1 to 64");
	assert_string_equal(file, "untouched");
}

TEST(names_that_are_refused)
{
	char name[UPCI_SHARED_NAME_MAX + 2];
	int c;

	bad(NULL);
	bad("");
	bad(".");
	bad("..");
	bad(".hidden");
	bad("a/b");
	bad("/a");
	bad("../a");
	bad("a b");
	bad("a\nb");
	bad("unit\xc3\xa9");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	bad(name);
	/* Every byte that is not in the set. */
	for (c = 1; c < 256; c++) {
		char file[UPCI_SHARED_FILE_MAX];
		bool good = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			    c == '_' || c == '.' || c == '-';

		snprintf(name, sizeof(name), "a%c", c);
		assert_int_equal(upci_shared_file(name, 7, file), good ? 0 : UPC_EINVAL);
	}
}

TEST(names_there_and_back)
{
	static const uid_t users[] = {0, 7, 65534, 4294967294u};
	char longest[UPCI_SHARED_NAME_MAX + 1], file[UPCI_SHARED_FILE_MAX];
	const char *names[] = {"a", "-", "_", "a.b", "0", "A-very.long_name", "a..", longest}, *name;
	uid_t user;
	size_t i, k;

	memset(longest, 'z', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	for (i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			assert_int_equal(upci_shared_file(names[k], users[i], file), 0);
			assert_true(strlen(file) < sizeof(file));
			assert_null(strchr(file, '/'));
			assert_true(upci_shared_parse(file, &user, &name));
			assert_int_equal(user, users[i]);
			assert_string_equal(name, names[k]);
		}
	assert_int_equal(upci_shared_file("node", 1000, file), 0);
	assert_string_equal(file, "upc.1000.node");
}

TEST(files_of_others)
{
	static const char *const files[] = {"",
					    "upc",
					    "upc.",
					    "upc..a",
					    "upc.a",
					    "upc.1",
					    "upc.1.",
					    "upc.1..a",
					    "upc.01.a",
					    "upc.00.a",
					    "upc.-1.a",
					    "upc.+1.a",
					    "upc. 1.a",
					    "upc.1 .a",
					    "upc.0x1.a",
					    "upc.4294967295.a",
					    "UPC.1.a",
					    "upc.1.a b",
					    "upc.4294967296.a",
					    "upc.99999999999999999999999.a",
					    "xupc.1.a",
					    "upc.1.\xff"};
	const char *name;
	uid_t user;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (upci_shared_parse(files[i], &user, &name))
			fail_msg("\"%s\" was taken", files[i]);
}

static int plant(void **state)
{
	(void)state;
	snprintf(planted, sizeof(planted), "upc.%lu.name-test-%d", (unsigned long)geteuid(), (int)getpid());
	directory = upci_shared_directory();
	return directory < 0;
}

static int remove_planted(void **state)
{
	(void)state;
	unlinkat(directory, planted, 0);
	unlinkat(directory, planted, AT_REMOVEDIR);
	return close(directory);
}

TEST_WITH(the_directory, plant, remove_planted)
{
	struct stat st, named;

	assert_int_equal(fstat(directory, &st), 0);
	assert_int_equal(stat("/dev/shm", &named), 0);
	assert_int_equal(st.st_ino, named.st_ino);
	assert_true(fcntl(directory, F_GETFD) & FD_CLOEXEC);
}

static void refused(int error, const char *part)
{
	assert_int_equal(upci_shared_open(directory, planted, false), -1);
	assert_int_equal(upci_shared_open_error(errno, planted), error);
	assert_message(part);
	assert_message(planted);
}

TEST_WITH(opening_planted_things, plant, remove_planted)
{
	int fd;

	refused(UPC_ENOTASK, "no such shared unit");
	assert_int_equal(symlinkat("/etc/passwd", directory, planted), 0);
	refused(UPC_EPERM, "symbolic link");
	assert_int_equal(unlinkat(directory, planted, 0), 0);
	assert_int_equal(symlinkat("nowhere", directory, planted), 0);
	refused(UPC_EPERM, "symbolic link");
	assert_int_equal(unlinkat(directory, planted, 0), 0);
	/* Nothing waits for the other end. */
	assert_int_equal(mkfifoat(directory, planted, 0600), 0);
	fd = upci_shared_open(directory, planted, false);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

TEST(too_few_descriptors)
{
	rlim_t before;
	int error;

	before = limit_descriptors(4);
	error = upci_shared_directory();
	limit_descriptors(before);
	assert_int_equal(error, UPC_EMFILE);
	assert_message("descriptors");
}

/* Another description of the same file, in the same process and in others. */
TEST_WITH(locks, plant, remove_planted)
{
	int holder, asker, reader;
	struct flock read_lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 2};
	pid_t child;

	holder = openat(directory, planted, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	asker = upci_shared_open(directory, planted, true);
	reader = upci_shared_open(directory, planted, false);
	assert_true(holder >= 0 && asker >= 0 && reader >= 0);
	assert_false(upci_shared_locked(asker));

	/* A taker of a name is no owner, and there is only one taker. */
	assert_true(upci_shared_lock(holder, UPCI_SHARED_TAKER));
	assert_false(upci_shared_lock(asker, UPCI_SHARED_TAKER));
	assert_false(upci_shared_locked(asker));

	assert_true(upci_shared_lock(holder, UPCI_SHARED_OWNER));
	assert_false(upci_shared_lock(asker, UPCI_SHARED_OWNER));
	assert_true(upci_shared_locked(asker));
	assert_true(upci_shared_locked(reader));
	child = fork();
	if (!child)
		_exit(!upci_shared_locked(reader));
	assert_int_equal(end_of(child), 0);
	/* The child had the open file description too; the child's end does not release the lock. */
	assert_true(upci_shared_locked(asker));
	close(holder);
	assert_false(upci_shared_locked(asker));

	/* A reader's lock makes nobody live. */
	assert_int_equal(fcntl(reader, F_OFD_SETLK, &read_lock), 0);
	assert_false(upci_shared_locked(asker));
	assert_false(upci_shared_lock(reader, UPCI_SHARED_OWNER));
	close(reader);
	close(asker);
}

UNIT_TESTS(shared_name, NULL, NULL)
