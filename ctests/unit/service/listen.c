/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.c - unit tests of where the control socket may be: a dead one is replaced, a living one is not, and
 * a file that others could have put there is refused by name, and stays.
 */
#include "service/listen.h"

#include <fcntl.h>
#include <sys/file.h>

#include "../test_dir.h"

static char path[80];

static int setup(void **state)
{
	assert_int_equal(make_test_dir(state), 0);
	snprintf(path, sizeof(path), "%s/control", test_dir);
	return 0;
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

TEST_WITH(test_opens, setup, remove_test_dir)
{
	struct listen l;
	struct stat status;

	opens(path, &l);
	assert_return_code(lstat(path, &status), 0);
	assert_true(S_ISSOCK(status.st_mode));
	assert_int_equal(status.st_mode & 07777, 0600);
	listen_close(&l);
	assert_int_equal(lstat(path, &status), -1);
	listen_close(&l); /* does nothing more */
}

TEST_WITH(test_directory_is_made, setup, remove_test_dir)
{
	struct listen l;
	struct stat status;

	opens(test_path("run/control"), &l);
	assert_return_code(lstat(test_path("run"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	listen_close(&l);
	refused(test_path("no/where/control"), UPC_ESYSTEM, "cannot make");
}

TEST_WITH(test_dead_one_is_replaced, setup, remove_test_dir)
{
	struct listen l, next;
	struct stat status;

	opens(path, &l);
	close(l.fd); /* as a death would */
	assert_return_code(lstat(path, &status), 0);
	opens(path, &next);
	/* A late listen_close does not remove the socket of another service. */
	l.fd = dup(0);
	l.inode++;
	listen_close(&l);
	assert_return_code(lstat(path, &status), 0);
	listen_close(&next);
}

TEST_WITH(test_living_one_is_not, setup, remove_test_dir)
{
	struct sockaddr_un *address;
	struct listen l;
	int client[200], n = 0;

	opens(path, &l);
	refused(path, UPC_ESTATE, "a service listens at");
	/* It is refused also where so many clients wait that no more can connect. */
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

TEST_WITH(test_one_of_two_at_once, setup, remove_test_dir)
{
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
		/* A second one opens it only after the one before has ended. */
		assert_in_range(fine, 1, 4);
		unlink(path);
	}
}

TEST_WITH(test_what_is_there_stays, setup, remove_test_dir)
{
	const char *other = test_path("other");
	struct stat status;

	close(open(path, O_CREAT | O_WRONLY, 0600));
	refused(path, UPC_EPERM, "no socket: it stays");
	assert_return_code(lstat(path, &status), 0);
	unlink(path);
	assert_return_code(symlink(other, path), 0);
	refused(path, UPC_EPERM, "is a symbolic link");
	assert_return_code(lstat(path, &status), 0);
	assert_int_equal(lstat(other, &status), -1);
}

TEST_WITH(test_directories, setup, remove_test_dir)
{
	const char *dir = test_path("dir"), *there = test_path("dir/control");
	struct listen l;

	assert_return_code(mkdir(dir, 0700), 0);
	assert_return_code(symlink(dir, test_path("link")), 0);
	refused(test_path("link/control"), UPC_EPERM, "is a symbolic link: name the directory itself");
	assert_return_code(chmod(dir, 0777), 0);
	refused(there, UPC_EPERM, "others may write to");
	assert_return_code(chmod(dir, 0770), 0);
	refused(there, UPC_EPERM, "others may write to");
	assert_return_code(chmod(dir, 01777), 0);
	opens(there, &l);
	listen_close(&l);
	assert_return_code(chmod(dir, 0700), 0);
	test_put("file", "");
	refused(test_path("file/control"), UPC_EPERM, "no directory");
	if (geteuid() != 0)
		skip_because("only root can make a directory of another");
	assert_return_code(chown(dir, 65534, 65534), 0);
	refused(there, UPC_EPERM, "belongs to uid 65534");
}

TEST_WITH(test_socket_of_another, setup, remove_test_dir)
{
	struct listen l;

	if (geteuid() != 0)
		skip_because("only root can make a socket of another");
	opens(path, &l);
	close(l.fd);
	assert_return_code(chown(path, 65534, 65534), 0);
	refused(path, UPC_EPERM, "belongs to uid 65534: it stays");
}

TEST_WITH(test_paths, setup, remove_test_dir)
{
	char longest[200];
	struct listen l;

	refused("", UPC_EINVAL, "no path");
	refused("/tmp/", UPC_EINVAL, "no path");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, test_dir, strlen(test_dir));
	longest[strlen(test_dir)] = '/';
	longest[108] = '\0';
	refused(longest, UPC_EINVAL, "108 bytes, and at most 107 are possible");
	longest[107] = '\0';
	opens(longest, &l);
	listen_close(&l);
}

TEST_WITH(test_locked, setup, remove_test_dir)
{
	int fd = open(test_dir, O_RDONLY | O_DIRECTORY);

	assert_return_code(flock(fd, LOCK_EX), 0);
	refused(path, UPC_ESTATE, "locked");
	close(fd);
}

UNIT_TESTS(listen, NULL, NULL)
