/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.c - unit tests of where the control socket may be: a dead one is replaced, a living one is not, and
 * what others could have put there is refused by name, and stays.
 */
#include "service/listen.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "../unit_test.h"

static char directory[60], path[80];

static int setup(void **state)
{
	(void)state;
	strcpy(directory, "/tmp/upc-listen-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/control", directory);
	return 0;
}

static int teardown(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command);
}

static void opens(const char *where, struct listen *l)
{
	char *message;

	if (listen_open(where, l, &message) != 0)
		fail_msg("%s", message);
	assert_null(message);
}

static void refused(const char *where, int error, const char *part)
{
	struct listen l;
	unsigned before = open_descriptors();
	char *message;

	assert_int_equal(listen_open(where, &l, &message), error);
	assert_non_null(message);
	if (strstr(message, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", message, part);
	free(message);
	assert_int_equal(l.fd, -1);
	assert_int_equal(open_descriptors(), before);
}

static void test_opens(void **state)
{
	struct listen l;
	struct stat status;

	(void)state;
	opens(path, &l);
	assert_return_code(lstat(path, &status), 0);
	assert_true(S_ISSOCK(status.st_mode));
	assert_int_equal(status.st_mode & 07777, 0600);
	listen_close(&l);
	assert_int_equal(lstat(path, &status), -1);
	listen_close(&l); /* does nothing more */
}

static void test_directory_is_made(void **state)
{
	struct listen l;
	struct stat status;
	char deep[100], run[100];

	(void)state;
	snprintf(run, sizeof(run), "%s/run", directory);
	snprintf(deep, sizeof(deep), "%s/run/control", directory);
	opens(deep, &l);
	assert_return_code(lstat(run, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	listen_close(&l);
	snprintf(deep, sizeof(deep), "%s/no/where/control", directory);
	refused(deep, UPC_ESYSTEM, "cannot make");
}

static void test_dead_one_is_replaced(void **state)
{
	struct listen l, next;
	struct stat status;

	(void)state;
	opens(path, &l);
	close(l.fd); /* as a death would */
	assert_return_code(lstat(path, &status), 0);
	opens(path, &next);
	/* Who comes later does not take away what is another's by now. */
	l.fd = dup(0);
	l.inode++;
	listen_close(&l);
	assert_return_code(lstat(path, &status), 0);
	listen_close(&next);
}

static void test_living_one_is_not(void **state)
{
	struct sockaddr_un *address;
	struct listen l;
	int client[200], n = 0;

	(void)state;
	opens(path, &l);
	refused(path, UPC_ESTATE, "a service listens at");
	/* Also where so many wait that no more can. */
	address = &l.address;
	do {
		client[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	} while (connect(client[n++], (struct sockaddr *)address, sizeof(*address)) == 0 && n < 200);
	assert_in_range(n, 2, 199);
	refused(path, UPC_ESTATE, "a service listens at");
	while (n > 0)
		close(client[--n]);
	listen_close(&l);
}

static void test_one_of_two_at_once(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct listen l;
		int go[2], fine = 0, status;
		pid_t pid[4];
		char byte;

		opens(path, &l);
		close(l.fd);
		assert_return_code(pipe(go), 0);
		for (unsigned i = 0; i < 4; i++) {
			pid[i] = fork();
			if (pid[i] == 0) {
				char *message;

				close(go[1]);
				if (read(go[0], &byte, 1) < 0 || listen_open(path, &l, &message) != 0)
					_exit(1);
				/* Until all others have tried: they end, or wait for us. */
				usleep(50000);
				_exit(0);
			}
		}
		close(go[0]);
		close(go[1]);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
			fine += WIFEXITED(status) && WEXITSTATUS(status) == 0;
		}
		/* More than one only after the one before has ended. */
		assert_in_range(fine, 1, 4);
		unlink(path);
	}
}

static void test_what_is_there_stays(void **state)
{
	char other[100];
	struct stat status;

	(void)state;
	snprintf(other, sizeof(other), "%s/other", directory);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	refused(path, UPC_EPERM, "no socket: it stays");
	assert_return_code(lstat(path, &status), 0);
	unlink(path);
	assert_return_code(symlink(other, path), 0);
	refused(path, UPC_EPERM, "is a symbolic link");
	assert_return_code(lstat(path, &status), 0);
	assert_int_equal(lstat(other, &status), -1);
}

static void test_directories(void **state)
{
	char dir[100], there[120], link[100], through[120];
	struct listen l;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/dir", directory);
	snprintf(there, sizeof(there), "%s/control", dir);
	snprintf(link, sizeof(link), "%s/link", directory);
	snprintf(through, sizeof(through), "%s/control", link);
	assert_return_code(mkdir(dir, 0700), 0);
	assert_return_code(symlink(dir, link), 0);
	refused(through, UPC_EPERM, "is a symbolic link: name the directory itself");
	assert_return_code(chmod(dir, 0777), 0);
	refused(there, UPC_EPERM, "others may write to");
	assert_return_code(chmod(dir, 0770), 0);
	refused(there, UPC_EPERM, "others may write to");
	assert_return_code(chmod(dir, 01777), 0);
	opens(there, &l);
	listen_close(&l);
	assert_return_code(chmod(dir, 0700), 0);
	snprintf(through, sizeof(through), "%s/file/control", directory);
	snprintf(link, sizeof(link), "%s/file", directory);
	close(open(link, O_CREAT | O_WRONLY, 0600));
	refused(through, UPC_EPERM, "no directory");
	if (geteuid() != 0)
		skip_because("only root can make a directory of another");
	assert_return_code(chown(dir, 65534, 65534), 0);
	refused(there, UPC_EPERM, "belongs to uid 65534");
}

static void test_socket_of_another(void **state)
{
	struct listen l;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can make a socket of another");
	opens(path, &l);
	close(l.fd);
	assert_return_code(chown(path, 65534, 65534), 0);
	refused(path, UPC_EPERM, "belongs to uid 65534: it stays");
}

static void test_paths(void **state)
{
	char longest[200];
	struct listen l;

	(void)state;
	refused("", UPC_EINVAL, "no path");
	refused("/tmp/", UPC_EINVAL, "no path");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, directory, strlen(directory));
	longest[strlen(directory)] = '/';
	longest[108] = '\0';
	refused(longest, UPC_EINVAL, "108 bytes, and at most 107 are possible");
	longest[107] = '\0';
	opens(longest, &l);
	listen_close(&l);
}

static void test_locked(void **state)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_return_code(flock(fd, LOCK_EX), 0);
	refused(path, UPC_ESTATE, "locked");
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_MAIN(listen)
{
	const struct CMUnitTest tests[] = {
		TEST(test_opens),
		TEST(test_directory_is_made),
		TEST(test_dead_one_is_replaced),
		TEST(test_living_one_is_not),
		TEST(test_one_of_two_at_once),
		TEST(test_what_is_there_stays),
		TEST(test_directories),
		TEST(test_socket_of_another),
		TEST(test_paths),
		TEST(test_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
