/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.c - the owner of a shared unit: one at a time has a name, in whatever way it
 * ends the name is free, and nothing that lies in the way is harmed or followed.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/process.h"
#include "share/shared.h"
#include "../unit_test.h"

#define NOBODY 65534u

static char name[UPCI_SHARED_NAME_MAX + 1], file[UPCI_SHARED_FILE_MAX], path[128];

static int choose_name(void **state)
{
	(void)state;
	snprintf(name, sizeof(name), "owner-test-%d", (int)getpid());
	if (upci_shared_file(name, geteuid(), file))
		return 1;
	snprintf(path, sizeof(path), "/dev/shm/%s", file);
	return 0;
}

static int remove_it(void **state)
{
	(void)state;
	unlink(path);
	rmdir(path);
	return 0;
}

static void create(struct upci_shared *shared)
{
	memset(shared, 0, sizeof(*shared));
	if (upci_shared_create(name, false, shared))
		fail_msg("%s", upc_last_message());
}

static void refused(int error, const char *part)
{
	struct upci_shared shared = {.page = NULL};

	assert_int_equal(upci_shared_create(name, false, &shared), error);
	assert_message(part);
	assert_null(shared.page);
}

/* Runs fn in a child, which ends with what it returns. */
static int in_child(int (*fn)(void))
{
	pid_t child = fork();

	if (!child)
		_exit(fn());
	return end_of(child);
}

/* ---- the file ---------------------------------------------------------------- */

TEST_WITH(what_is_made, choose_name, remove_it)
{
	unsigned before = open_descriptors();
	struct upci_shared shared;
	struct stat st;

	create(&shared);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(st.st_size, sizeof(struct upci_shared_page));
	assert_true((size_t)st.st_blocks * 512 >= sizeof(struct upci_shared_page));
	assert_true(fcntl(shared.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(shared.page->magic, UPCI_SHARED_MAGIC);
	assert_int_equal(shared.page->tail, UPCI_SHARED_MAGIC);
	assert_int_equal(shared.page->version, UPCI_SHARED_VERSION);
	assert_int_equal(shared.page->bytes, sizeof(struct upci_shared_page));
	assert_int_equal(shared.page->process, getpid());
	assert_int_equal(shared.page->sequence % 2, 0);
	assert_int_equal(shared.page->slot[shared.page->change % UPCI_SHARED_SLOTS].stamp,
			 2 * shared.page->change);
	assert_int_equal(shared.page->ended, 0);
	upci_shared_destroy(&shared);
	assert_null(shared.page);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(open_descriptors(), before);
}

TEST_WITH(modes_whatever_the_umask, choose_name, remove_it)
{
	static const mode_t masks[] = {0, 0777, 077, 022};
	struct upci_shared shared;
	struct stat st;
	unsigned i, group;
	mode_t before;

	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		for (group = 0; group < 2; group++) {
			memset(&shared, 0, sizeof(shared));
			before = umask(masks[i]);
			assert_int_equal(upci_shared_create(name, group, &shared), 0);
			umask(before);
			assert_int_equal(lstat(path, &st), 0);
			assert_int_equal(st.st_mode & 07777, group ? 0640 : 0600);
			upci_shared_destroy(&shared);
		}
}

TEST_WITH(writes, choose_name, remove_it)
{
	char longest[UPC_NAME_MAX + 50];
	struct upci_shared shared;
	struct upci_shared_page *page;
	const struct upci_shared_slot *slot;
	uint64_t change, generation;
	unsigned i;

	create(&shared);
	page = shared.page;
	change = page->change;
	slot = &page->slot[change % UPCI_SHARED_SLOTS];
	generation = slot->generation;
	/* A count alone is seen at once. */
	upci_shared_count(&shared, 255, 1);
	assert_int_equal(slot->count[255], 1);
	assert_int_equal(page->change, change);
	/* A change is not, before its end. */
	upci_shared_begin(&shared);
	upci_shared_count(&shared, 0, UINT64_MAX);
	upci_shared_field(&shared, 9, 0x13);
	upci_shared_field(&shared, 15, 0xff);
	upci_shared_field(&shared, 15, 0x81);
	upci_shared_registers(&shared, true, 4096);
	assert_int_equal(page->sequence % 2, 0);
	assert_int_equal(slot->count[0] | slot->config[1] | slot->running | slot->threshold, 0);
	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	upci_shared_event(&shared, 3, longest, longest, UPC_KIND_LEVEL);
	assert_int_equal(page->sequence % 2, 1);
	assert_int_equal(page->change, change);
	upci_shared_end(&shared, true);
	assert_int_equal(page->sequence % 2, 0);
	assert_int_equal(page->change, change + 1);
	assert_int_equal(slot->count[0], 0);
	slot = &page->slot[(change + 1) % UPCI_SHARED_SLOTS];
	assert_int_equal(slot->stamp, 2 * (change + 1));
	assert_int_equal(slot->generation, generation + 1);
	assert_int_equal(page->generation, generation + 1);
	assert_int_equal(slot->changed_by, getpid());
	assert_int_equal(slot->count[255], 1);
	assert_int_equal(slot->count[0], UINT64_MAX);
	/* As the configuration register: counter 8 is byte 0 of the second. */
	assert_int_equal(slot->config[1], UINT64_C(0x8100000000001300));
	assert_int_equal(slot->running, 1);
	assert_int_equal(slot->threshold, 4096);
	assert_int_equal(strlen((char *)page->event[3].name), UPC_NAME_MAX - 1);
	assert_int_equal(strlen((char *)page->event[3].unit), UPCI_SHARED_UNIT_MAX - 1);
	assert_int_equal(page->event[3].bound, 1);
	assert_int_equal(page->event[3].kind, UPC_KIND_LEVEL);

	upci_shared_begin(&shared);
	upci_shared_event(&shared, 3, NULL, NULL, UPC_KIND_COUNT);
	upci_shared_end(&shared, false);
	assert_int_equal(page->sequence % 2, 0);
	assert_int_equal(page->generation, generation + 1);
	assert_int_equal(page->event[3].bound, 0);
	assert_int_equal(page->event[3].name[0], 0);
	assert_int_equal(page->event[3].name[31], 0);
	/* Once around and more: every slot has all that was ever stored. */
	for (i = 0; i < 3 * UPCI_SHARED_SLOTS; i++) {
		upci_shared_count(&shared, i, 7);
		upci_shared_begin(&shared);
		upci_shared_end(&shared, false);
		slot = &page->slot[page->change % UPCI_SHARED_SLOTS];
		assert_int_equal(slot->count[i], 7);
		assert_int_equal(slot->count[255], 1);
		assert_int_equal(slot->threshold, 4096);
		assert_int_equal(slot->generation, generation + 1);
	}
	upci_shared_destroy(&shared);
}

TEST(bad_names)
{
	struct upci_shared shared = {.page = NULL};

	assert_int_equal(upci_shared_create("../x", false, &shared), UPC_EINVAL);
	assert_int_equal(upci_shared_create("", false, &shared), UPC_EINVAL);
	assert_int_equal(upci_shared_create(NULL, false, &shared), UPC_EINVAL);
}

/* ---- what is in the way ------------------------------------------------------- */

TEST_WITH(a_symbolic_link, choose_name, remove_it)
{
	char target[] = "/tmp/upc-shared-XXXXXX", bytes[8] = "";
	int fd = mkstemp(target);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "data", 4), 4);
	assert_int_equal(symlink(target, path), 0);
	refused(UPC_EPERM, "symbolic link");
	assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), 4);
	assert_string_equal(bytes, "data");
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	/* No file is made at the target of a link that leads nowhere. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(target), 0);
	assert_int_equal(symlink(target, path), 0);
	refused(UPC_EPERM, "symbolic link");
	assert_int_equal(access(target, F_OK), -1);
	close(fd);
}

TEST_WITH(no_regular_file, choose_name, remove_it)
{
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(UPC_EPERM, "not a regular file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	refused(UPC_EPERM, "not a regular file");
	assert_int_equal(access(path, F_OK), 0);
}

TEST_WITH(somebody_elses_file, choose_name, remove_it)
{
	int fd;

	if (geteuid())
		skip_because("only root can make another user's file");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	assert_int_equal(fchown(fd, NOBODY, NOBODY), 0);
	refused(UPC_EPERM, "user 65534");
	assert_int_equal(access(path, F_OK), 0);
	close(fd);
}

/* A file of ours that is no unit, or a piece of one, and has another name as well:
 * the name is taken over, what it led to is left as it was. */
TEST_WITH(a_dead_file_of_any_kind, choose_name, remove_it)
{
	char other[160];
	struct upci_shared shared;
	struct stat st;
	int fd;

	snprintf(other, sizeof(other), "%s-other", path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
	assert_int_equal(write(fd, "data", 4), 4);
	assert_int_equal(link(path, other), 0);
	create(&shared);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(unlink(other), 0);
	close(fd);
	upci_shared_destroy(&shared);
}

TEST_WITH(the_living, choose_name, remove_it)
{
	struct upci_shared shared, second = {.page = NULL};
	char pid[32];
	struct stat st, after;

	create(&shared);
	assert_int_equal(lstat(path, &st), 0);
	snprintf(pid, sizeof(pid), "process %d ", (int)getpid());
	refused(UPC_ESTATE, pid);
	assert_int_equal(lstat(path, &after), 0);
	assert_int_equal(st.st_ino, after.st_ino);
	upci_shared_destroy(&shared);
	assert_int_equal(upci_shared_create(name, false, &second), 0);
	upci_shared_destroy(&second);
}

/* Removed by hand, and taken by another: what is there then is not ours to remove. */
TEST_WITH(removed_by_hand, choose_name, remove_it)
{
	struct upci_shared shared, second;

	create(&shared);
	assert_int_equal(unlink(path), 0);
	create(&second);
	upci_shared_destroy(&shared);
	assert_int_equal(access(path, F_OK), 0);
	upci_shared_destroy(&second);
	assert_int_equal(access(path, F_OK), -1);
}

/* ---- the ways to end --------------------------------------------------------- */

static int share_and_die(void)
{
	struct upci_shared shared = {.page = NULL};

	if (upci_shared_create(name, false, &shared))
		return 1;
	upci_shared_count(&shared, 7, 7);
	upci_shared_begin(&shared);
	upci_shared_event(&shared, 7, "half", "", UPC_KIND_COUNT);
	raise(SIGKILL);
	return 2;
}

TEST_WITH(taken_over_from_the_dead, choose_name, remove_it)
{
	struct upci_shared shared;
	struct stat dead, st;
	int i;

	for (i = 0; i < 5; i++) {
		assert_int_equal(in_child(share_and_die), -SIGKILL);
		assert_int_equal(lstat(path, &dead), 0);
		if (i % 2)
			continue; /* by the next child */
		create(&shared);
		assert_int_equal(lstat(path, &st), 0);
		assert_int_equal(shared.page->slot[shared.page->change % UPCI_SHARED_SLOTS].count[7], 0);
		assert_int_equal(shared.page->sequence, 0);
		upci_shared_destroy(&shared);
		assert_int_equal(access(path, F_OK), -1);
	}
}

/* By anybody of the user's; who lives keeps it. */
TEST_WITH(cleared, choose_name, remove_it)
{
	struct upci_shared shared;

	assert_int_equal(upci_shared_clear("a/b"), UPC_EINVAL);
	assert_int_equal(upci_shared_clear(name), 0);
	assert_int_equal(in_child(share_and_die), -SIGKILL);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(upci_shared_clear(name), 0);
	assert_int_equal(access(path, F_OK), -1);
	create(&shared);
	assert_int_equal(upci_shared_clear(name), UPC_ESTATE);
	assert_int_equal(access(path, F_OK), 0);
	upci_shared_destroy(&shared);
}

/* Only a lock of its own byte makes an owner; but it keeps another taker out, who is
 * patient and then gives up. */
TEST_WITH(somebody_at_it, choose_name, remove_it)
{
	struct upci_shared shared;
	int fd, other;

	assert_int_equal(in_child(share_and_die), -SIGKILL);
	fd = open(path, O_RDWR | O_CLOEXEC);
	other = open(path, O_RDWR | O_CLOEXEC);
	assert_true(upci_shared_lock(fd, UPCI_SHARED_TAKER));
	refused(UPC_ESTATE, "others hold or take");
	assert_false(upci_shared_locked(other));
	close(fd);
	close(other);
	create(&shared);
	upci_shared_destroy(&shared);
}

/* Many at once after a death: one of them has the name, the others are told so. */
TEST_WITH(one_of_many_takes_it, choose_name, remove_it)
{
	enum { TAKERS = 8, ROUNDS = 10 };
	struct upci_shared shared;
	int start[2], hold[2], status, round, i, won, lost;
	char byte;

	for (round = 0; round < ROUNDS; round++) {
		assert_int_equal(in_child(share_and_die), -SIGKILL);
		assert_int_equal(pipe(start), 0);
		assert_int_equal(pipe(hold), 0);
		for (i = 0; i < TAKERS; i++)
			if (!fork()) {
				int error;

				memset(&shared, 0, sizeof(shared));
				alarm(600);
				close(start[1]);
				close(hold[0]);
				(void)!read(start[0], &byte, 1);
				error = upci_shared_create(name, false, &shared);
				/* Lives until all have tried: theirs is the last writing end. */
				byte = error ? 'l' : 'w';
				(void)!write(hold[1], &byte, 1);
				if (!error)
					pause();
				_exit(error == UPC_ESTATE ? 1 : 2);
			}
		close(start[0]);
		close(start[1]);
		close(hold[1]);
		for (i = won = lost = 0; i < TAKERS; i++) {
			assert_int_equal(read(hold[0], &byte, 1), 1);
			won += byte == 'w';
			lost += byte == 'l';
		}
		close(hold[0]);
		assert_int_equal(won, 1);
		assert_int_equal(lost, TAKERS - 1);
		/* The file names the winner; all losers have ended in the same way. */
		i = open(path, O_RDONLY | O_CLOEXEC);
		assert_true(upci_shared_locked(i));
		assert_int_equal(pread(i, &won, sizeof(won), offsetof(struct upci_shared_page, process)),
				 sizeof(won));
		assert_int_equal(kill(won, SIGKILL), 0);
		close(i);
		for (i = 0; i < TAKERS; i++) {
			pid_t ended = wait(&status);

			if (ended == won)
				assert_true(WIFSIGNALED(status));
			else
				assert_int_equal(WEXITSTATUS(status), 1);
		}
	}
}

/* ---- fork ---------------------------------------------------------------------- */

static struct upci_shared forked;

static void on_fork(struct upci_fork_entry *entry)
{
	(void)entry;
	upci_shared_forked(&forked);
}

static struct upci_fork_entry entry = {.forked = on_fork};

TEST_WITH(a_child_does_not_keep_the_name, choose_name, remove_it)
{
	struct upci_shared shared;
	int to_us[2], status;
	pid_t child, parent;

	assert_int_equal(pipe(to_us), 0);
	parent = fork();
	if (!parent) {
		char byte;
		int ready[2];

		if (pipe(ready))
			_exit(1);
		upci_fork_register(&entry);
		if (upci_shared_create(name, false, &forked))
			_exit(1);
		child = fork();
		if (!child) {
			alarm(600);
			byte = forked.page ? 'b' : 'g';
			(void)!write(ready[1], &byte, 1);
			pause();
			_exit(0);
		}
		if (read(ready[0], &byte, 1) != 1 || byte != 'g')
			_exit(3);
		(void)!write(to_us[1], &child, sizeof(child));
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_int_equal(read(to_us[0], &child, sizeof(child)), sizeof(child));
	assert_int_equal(kill(child, 0), 0);
	create(&shared);
	upci_shared_destroy(&shared);
	kill(child, SIGKILL);
	close(to_us[0]);
	close(to_us[1]);
}

static int child_lets_go(void)
{
	/* The handler has been here: the page is the parent's alone, and its lock holds. */
	struct upci_shared second = {.page = NULL};

	if (forked.page || upci_shared_create(name, false, &second) != UPC_ESTATE)
		return 1;
	return 0;
}

TEST_WITH(the_parent_goes_on, choose_name, remove_it)
{
	int fd;

	upci_fork_register(&entry);
	assert_int_equal(upci_shared_create(name, false, &forked), 0);
	assert_int_equal(in_child(child_lets_go), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(upci_shared_locked(fd));
	close(fd);
	upci_shared_begin(&forked);
	upci_shared_count(&forked, 0, 1);
	upci_shared_end(&forked, false);
	assert_int_equal(forked.page->slot[forked.page->change % UPCI_SHARED_SLOTS].count[0], 1);
	upci_shared_destroy(&forked);
	upci_fork_unregister(&entry);
}

/* ---- what the machine lacks ------------------------------------------------------ */

static int try_create(int error, const char *part)
{
	struct upci_shared shared = {.page = NULL};
	int result = upci_shared_create(name, false, &shared);

	if (result != error || !strstr(upc_last_message(), part)) {
		printf("# %d: %s\n", result, upc_last_message());
		return 1;
	}
	return 0;
}

/* In mount name spaces of their own. 77: not permitted here. */
static int own_mounts(void)
{
	return unshare(CLONE_NEWNS) || mount("none", "/", "", MS_REC | MS_PRIVATE, NULL);
}

static int without_room(void)
{
	if (own_mounts() || mount("none", "/dev/shm", "tmpfs", 0, "size=8k"))
		return 77;
	return try_create(UPC_ENOMEM, "no memory is left in /dev/shm");
}

static int without_nameless_files(void)
{
	if (own_mounts() || mount("none", "/dev/shm", "proc", 0, NULL))
		return 77;
	return try_create(UPC_ENOSUPP, "O_TMPFILE");
}

static int without_directory(void)
{
	if (own_mounts() || mount("none", "/dev", "tmpfs", 0, NULL))
		return 77;
	return try_create(UPC_ENOSUPP, "/dev/shm");
}

static int without_writing(void)
{
	if (own_mounts() || mount("none", "/dev/shm", "tmpfs", MS_RDONLY, NULL))
		return 77;
	return try_create(UPC_EPERM, "not permitted");
}

static int without_proc(void)
{
	struct upci_shared shared = {.page = NULL};
	int result;

	if (own_mounts() || mount("none", "/proc", "tmpfs", 0, NULL))
		return 77;
	result = upci_shared_create(name, false, &shared);
	if (!result)
		upci_shared_destroy(&shared);
	return result ? 1 : 0;
}

TEST_WITH(what_the_machine_lacks, choose_name, remove_it)
{
	static int (*const lacks[])(void) = {without_room, without_nameless_files, without_directory,
					     without_writing, without_proc};
	unsigned i;
	int status;

	for (i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++) {
		status = in_child(lacks[i]);
		if (status == 77)
			skip_because("mounting file systems is not permitted");
		if (status)
			fail_msg("case %u", i);
	}
}

static int small_files_only(void)
{
	struct rlimit limit = {4096, 4096};

	setrlimit(RLIMIT_FSIZE, &limit);
	return try_create(UPC_EPERM, "ulimit -f");
}

static int few_descriptors_only(void)
{
	limit_descriptors(4);
	return try_create(UPC_EMFILE, "ulimit -n");
}

TEST_WITH(limits, choose_name, remove_it)
{
	assert_int_equal(in_child(small_files_only), 0);
	assert_int_equal(in_child(few_descriptors_only), 0);
	assert_int_equal(access(path, F_OK), -1);
}

static int as_nobody(void)
{
	struct upci_shared shared = {.page = NULL};
	char own[UPCI_SHARED_FILE_MAX];
	struct stat st;
	int directory;

	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return 77;
	if (upci_shared_create(name, false, &shared))
		return 1;
	directory = upci_shared_directory();
	upci_shared_file(name, NOBODY, own);
	if (fstatat(directory, own, &st, AT_SYMLINK_NOFOLLOW) || st.st_uid != NOBODY ||
	    (st.st_mode & 0777) != 0600)
		return 2;
	upci_shared_destroy(&shared);
	return fstatat(directory, own, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Two users have the same name at a time, without any privilege. */
TEST_WITH(users_have_names_of_their_own, choose_name, remove_it)
{
	struct upci_shared shared;
	int status;

	create(&shared);
	status = in_child(as_nobody);
	upci_shared_destroy(&shared);
	if (status == 77)
		skip_because("only root can become another user");
	assert_int_equal(status, 0);
}

UNIT_TESTS(shared, NULL, NULL)
