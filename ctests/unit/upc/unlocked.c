/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow work is done without the process's lock: whenever the library reads or makes a file, or
 * waits, another thread can take that lock.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "procfs/files.h"
#include "base/process.h"
#include "share/shared.h"
#include "../unit_test.h"

static bool watching;
static unsigned seen, held;

static void *take(void *arg)
{
	upci_process_lock();
	upci_process_unlock();
	return arg;
}

/* Long enough for a machine that is busy; who holds the lock does so until we return. */
static void look(void)
{
	struct timespec until;
	pthread_t other;

	if (!watching)
		return;
	watching = false;
	seen++;
	assert_int_equal(pthread_create(&other, NULL, take, NULL), 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	if (pthread_timedjoin_np(other, NULL, &until)) {
		held++;
		pthread_detach(other);
	}
	watching = true;
}

int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __real_posix_fallocate(int fd, off_t offset, off_t length);
int __wrap_posix_fallocate(int fd, off_t offset, off_t length);
ssize_t __real_pread(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	look();
	return __real_nanosleep(time, left);
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t length)
{
	look();
	return __real_posix_fallocate(fd, offset, length);
}

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at)
{
	look();
	return __real_pread(fd, to, n, at);
}

static void begin(void)
{
	seen = held = 0;
	watching = true;
}

static void end(void)
{
	watching = false;
	assert_true(seen > 0);
	assert_int_equal(held, 0);
}

TEST(test_files_are_read)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *c;
	struct upc_unit *u;
	uint32_t code;

	assert_int_equal(upc_catalogue_open(&options, &c), 0);
	code = event_code(c, "task::minflt");
	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	begin();
	assert_int_equal(upc_unit_add(u, code), 0);
	end();
	upc_unit_destroy(u);
	upc_catalogue_close(c);
}

static char name[64], path[128];

TEST(test_a_file_is_made)
{
	struct upci_shared shared = {.page = NULL};

	begin();
	assert_int_equal(upci_shared_create(name, false, &shared), 0);
	end();
	upci_shared_destroy(&shared);
}

/* Somebody else is about to take a dead owner's name. */
TEST(test_others_are_waited_for)
{
	struct upci_shared shared = {.page = NULL};
	pid_t child = fork();
	int fd;

	if (!child) {
		if (!upci_shared_create(name, false, &shared))
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(upci_shared_lock(fd, UPCI_SHARED_TAKER));
	begin();
	assert_int_equal(upci_shared_create(name, false, &shared), UPC_ESTATE);
	end();
	close(fd);
	assert_int_equal(upci_shared_clear(name), 0);
}

int main(void)
{
	char file[UPCI_SHARED_FILE_MAX];

	snprintf(name, sizeof(name), "unlocked.%d", (int)getpid());
	if (upci_shared_file(name, geteuid(), file))
		return 1;
	snprintf(path, sizeof(path), "/dev/shm/%s", file);
	return run_own_tests(NULL, NULL);
}
