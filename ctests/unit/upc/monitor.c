/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * monitor.c - what a monitor sees is what the owner wrote, together; what is no unit,
 * or one that anybody else could write to, is refused; and neither a dead owner nor
 * one that spoils its memory does a reader any harm.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "share/shared.h"
#include "../unit_test.h"

#define NOBODY 65534u

static char name[40], file[UPCI_SHARED_FILE_MAX], path[128];
static struct upci_shared shared;

static int share(void **state)
{
	(void)state;
	snprintf(name, sizeof(name), "monitor-test-%d", (int)getpid());
	if (upci_shared_file(name, geteuid(), file))
		return 1;
	snprintf(path, sizeof(path), "/dev/shm/%s", file);
	memset(&shared, 0, sizeof(shared));
	return upci_shared_create(name, false, &shared);
}

static int unshare_it(void **state)
{
	(void)state;
	if (shared.page)
		upci_shared_destroy(&shared);
	unlink(path);
	return 0;
}

static struct upc_monitor *open_it(void)
{
	struct upc_monitor *m = NULL;

	if (upc_monitor_open(name, NULL, &m))
		fail_msg("%s", upc_last_message());
	return m;
}

static void refused(int error, const char *part)
{
	struct upc_monitor *m = NULL;
	int result = upc_monitor_open(name, NULL, &m);

	if (result != error)
		fail_msg("%d, not %d: %s", result, error, upc_last_message());
	assert_message(part);
	assert_null(m);
}

/* ---- who may look ------------------------------------------------------------------ */

static int become(uid_t user, gid_t group)
{
	return setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user);
}

/* Another user: nothing, unless the unit is for the group and he is in it. Before there are threads: a
 * child's memory check finds what they leave. */
TEST_WITH(permissions, share, unshare_it)
{
	struct upc_monitor_options options = UPC_OPTIONS_INIT(upc_monitor_options);
	struct upc_monitor *m;
	unsigned group_mode, in_group;
	pid_t child;
	int result;

	if (geteuid())
		skip_because("only root can become another user");
	options.foreign = 1;
	options.user = geteuid();
	for (group_mode = 0; group_mode < 2; group_mode++) {
		upci_shared_destroy(&shared);
		assert_int_equal(upci_shared_create(name, group_mode, &shared), 0);
		for (in_group = 0; in_group < 2; in_group++) {
			child = fork();
			if (!child) {
				if (become(NOBODY, in_group ? getegid() : NOBODY))
					_exit(77);
				result = upc_monitor_open(name, &options, &m);
				if (!result)
					result = upc_monitor_read(m, NULL, NULL);
				/* Never for writing. */
				if (open(path, O_RDWR | O_CLOEXEC) >= 0)
					result = -100;
				_exit(-result);
			}
			result = end_of(child);
			if (result == 77)
				skip_because("becoming another user is not permitted");
			assert_int_equal(-result, group_mode && in_group ? 0 : UPC_EPERM);
		}
	}
}

/* ---- what is seen ---------------------------------------------------------------- */

TEST_WITH(counts_and_configuration, share, unshare_it)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info), later = info;
	struct upc_monitor *m = open_it();
	uint64_t values[UPC_COUNTERS];
	unsigned i;

	assert_int_equal(upc_monitor_read(m, values, &info), 0);
	assert_int_equal(info.process, getpid());
	assert_int_equal(info.running, 0);
	assert_int_equal(info.ended, 0);
	for (i = 0; i < UPC_COUNTERS; i++)
		assert_int_equal(values[i] | info.field[i] | info.unread[i], 0);

	upci_shared_begin(&shared);
	for (i = 0; i < UPC_COUNTERS; i++) {
		upci_shared_count(&shared, i, UINT64_MAX - i);
		upci_shared_field(&shared, i, (uint8_t)(i ^ 0x5a));
	}
	upci_shared_registers(&shared, true, UINT64_C(0x123456789abcdef0));
	upci_shared_unread(&shared, (uint64_t[]){1, 2, UINT64_C(1) << 63, 0});
	upci_shared_end(&shared, true);
	assert_int_equal(upc_monitor_read(m, values, &later), 0);
	for (i = 0; i < UPC_COUNTERS; i++) {
		assert_int_equal(later.unread[i], i == 0 || i == 65 || i == 191);
		assert_int_equal(values[i], UINT64_MAX - i);
		assert_int_equal(later.field[i], i ^ 0x5a);
	}
	assert_int_equal(later.running, 1);
	assert_int_equal(later.threshold, UINT64_C(0x123456789abcdef0));
	assert_int_equal(later.generation, info.generation + 1);
	assert_int_equal(later.changed_by, syscall(SYS_gettid));
	assert_true(later.updated_ns >= info.updated_ns);

	/* A count alone, and counts that change no configuration. */
	upci_shared_count(&shared, 3, 33);
	upci_shared_begin(&shared);
	upci_shared_count(&shared, 4, 44);
	upci_shared_end(&shared, false);
	assert_int_equal(upc_monitor_read(m, values, &info), 0);
	assert_int_equal(values[3], 33);
	assert_int_equal(values[4], 44);
	assert_int_equal(info.generation, later.generation);
	/* Either may be left out. */
	assert_int_equal(upc_monitor_read(m, NULL, NULL), 0);
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	upc_monitor_close(m);
	upc_monitor_close(NULL);
}

static void *change_configuration(void *arg)
{
	upci_shared_begin(&shared);
	upci_shared_field(&shared, 0, 1);
	upci_shared_end(&shared, true);
	*(pid_t *)arg = (pid_t)syscall(SYS_gettid);
	return NULL;
}

TEST_WITH(who_changed_the_configuration, share, unshare_it)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor *m = open_it();
	pthread_t thread;
	uint64_t before;
	pid_t tid = 0;

	assert_int_equal(upc_monitor_read(m, NULL, &info), 0);
	before = info.generation;
	assert_int_equal(pthread_create(&thread, NULL, change_configuration, &tid), 0);
	pthread_join(thread, NULL);
	assert_int_equal(upc_monitor_read(m, NULL, &info), 0);
	assert_true(info.generation > before);
	assert_int_equal(info.changed_by, tid);
	assert_int_not_equal(tid, getpid());
	upc_monitor_close(m);
}

TEST_WITH(events, share, unshare_it)
{
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor *m = open_it();

	assert_int_equal(upc_monitor_counter(m, 0, &event), 0);
	assert_int_equal(event.bound, 0);
	assert_string_equal(event.name, "");
	upci_shared_begin(&shared);
	upci_shared_event(&shared, 0, "perf::PAGE-FAULTS", "", UPC_KIND_COUNT);
	upci_shared_event(&shared, 255, "mem::MemFree", "kB", UPC_KIND_LEVEL);
	upci_shared_end(&shared, true);
	assert_int_equal(upc_monitor_counter(m, 255, &event), 0);
	assert_int_equal(event.bound, 1);
	assert_int_equal(event.kind, UPC_KIND_LEVEL);
	assert_string_equal(event.name, "mem::MemFree");
	assert_string_equal(event.unit, "kB");
	assert_int_equal(upc_monitor_read(m, NULL, &info), 0);
	assert_int_equal(event.generation, info.generation);
	assert_int_equal(upc_monitor_counter(m, 0, &event), 0);
	assert_int_equal(event.kind, UPC_KIND_COUNT);
	assert_string_equal(event.unit, "");

	assert_int_equal(upc_monitor_counter(m, -1, &event), UPC_EINVAL);
	assert_int_equal(upc_monitor_counter(m, 256, &event), UPC_EINVAL);
	assert_int_equal(upc_monitor_counter(m, INT_MAX, &event), UPC_EINVAL);
	assert_int_equal(upc_monitor_counter(m, INT_MIN, &event), UPC_EINVAL);
	event.size = 0;
	assert_int_equal(upc_monitor_counter(m, 0, &event), UPC_EINVAL);
	assert_int_equal(upc_monitor_counter(m, 0, NULL), UPC_EINVAL);
	upc_monitor_close(m);
}

/* Any bytes that a unit's owner may have written. */
TEST_WITH(spoilt_events, share, unshare_it)
{
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_monitor *m = open_it();
	struct upci_shared_event *e = &shared.page->event[9];
	size_t i;

	memset(e, 0xff, sizeof(*e));
	assert_int_equal(upc_monitor_counter(m, 9, &event), 0);
	assert_int_equal(event.bound, 1);
	assert_int_equal(event.kind, UPC_KIND_COUNT);
	assert_int_equal(strnlen(event.name, sizeof(event.name)), sizeof(event.name) - 1);
	assert_int_equal(strnlen(event.unit, sizeof(event.unit)), sizeof(event.unit) - 1);
	for (i = 0; event.name[i]; i++)
		assert_int_equal(event.name[i], '?');
	/* A name with control characters, and bytes behind its end. */
	memcpy(e->name, "a\033[2J\tb\x9b\x7f c\0secret", 18);
	e->bound = 0x80000000;
	assert_int_equal(upc_monitor_counter(m, 9, &event), 0);
	assert_string_equal(event.name, "a?[2J?b?? c");
	for (i = strlen(event.name); i < sizeof(event.name); i++)
		assert_int_equal(event.name[i], 0);
	upc_monitor_close(m);
}

/* A program that was built with a shorter structure gets that part. */
TEST_WITH(sizes, share, unshare_it)
{
	struct upc_monitor_info info;
	struct upc_monitor *m = open_it();
	uint64_t values[UPC_COUNTERS];

	memset(&info, 0x77, sizeof(info));
	info.size = offsetof(struct upc_monitor_info, generation);
	assert_int_equal(upc_monitor_read(m, NULL, &info), 0);
	assert_int_equal(info.process, getpid());
	assert_int_equal(info.generation, UINT64_C(0x7777777777777777));
	values[0] = 5;
	info.size = 3;
	assert_int_equal(upc_monitor_read(m, values, &info), UPC_EINVAL);
	assert_int_equal(values[0], 5);
	assert_int_equal(upc_monitor_read(NULL, values, NULL), UPC_EINVAL);
	upc_monitor_close(m);
}

/* Between the two marks in the trace there is no system call. */
static int read_between_marks(const char *unit)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	uint64_t values[UPC_COUNTERS];
	struct upc_monitor *m;
	int i, bad = 0;

	if (upc_monitor_open(unit, NULL, &m))
		return 1;
	syscall(SYS_getppid);
	for (i = 0; i < 1000; i++)
		bad |= upc_monitor_read(m, values, &info) | upc_monitor_counter(m, i % UPC_COUNTERS, &event);
	syscall(SYS_getppid);
	upc_monitor_close(m);
	return bad != 0;
}

TEST_WITH(no_system_call, share, unshare_it)
{
	char trace[] = "/tmp/upc-monitor-XXXXXX", line[512], self[512] = "";
	int fd, marks = 0, between = 0, status;
	pid_t child;
	FILE *f;

	if (system("strace -qq -o /dev/null true 2> /dev/null"))
		skip_because("strace is not here, or may not trace");
	fd = mkstemp(trace);
	assert_true(fd >= 0);
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	child = fork();
	if (!child) {
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		execlp("strace", "strace", "-qq", "-e", "signal=none", "-o", trace, self, "monitor", "--read",
		       name, (char *)NULL);
		_exit(127);
	}
	status = end_of(child);
	f = fdopen(fd, "r");
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "getppid("))
			marks++;
		else if (marks == 1)
			between++;
	}
	fclose(f);
	unlink(trace);
	assert_int_equal(status, 0);
	assert_int_equal(marks, 2);
	assert_int_equal(between, 0);
}

/* ---- what is refused --------------------------------------------------------------- */

TEST_WITH(arguments, share, unshare_it)
{
	struct upc_monitor_options options = UPC_OPTIONS_INIT(upc_monitor_options);
	struct upc_monitor *m = NULL;

	assert_int_equal(upc_monitor_open(NULL, NULL, &m), UPC_EINVAL);
	assert_int_equal(upc_monitor_open("", NULL, &m), UPC_EINVAL);
	assert_int_equal(upc_monitor_open("../shm/x", NULL, &m), UPC_EINVAL);
	assert_int_equal(upc_monitor_open(name, NULL, NULL), UPC_EINVAL);
	options.size = 1;
	assert_int_equal(upc_monitor_open(name, &options, &m), UPC_EINVAL);
	assert_int_equal(upc_monitor_open("there-is-none", NULL, &m), UPC_ENOTASK);
	assert_message("no such shared unit");
	assert_null(m);
	/* By number it is the same unit. */
	options.size = sizeof(options);
	options.foreign = 1;
	options.user = geteuid();
	assert_int_equal(upc_monitor_open(name, &options, &m), 0);
	upc_monitor_close(m);
	options.user = 4294967000u;
	assert_int_equal(upc_monitor_open(name, &options, &m), UPC_ENOTASK);
}

TEST_WITH(files_that_are_no_units, share, unshare_it)
{
	char other[160];
	int fd;

	snprintf(other, sizeof(other), "%s-other", path);
	assert_int_equal(chmod(path, 0620), 0);
	refused(UPC_EPERM, "others than its owner can write");
	assert_int_equal(chmod(path, 0602), 0);
	refused(UPC_EPERM, "others than its owner can write");
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(link(path, other), 0);
	refused(UPC_EPERM, "hard link");
	/* And by a symbolic link. */
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	refused(UPC_EPERM, "symbolic link");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	refused(UPC_EPERM, "not a regular file");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	refused(UPC_EPERM, "not a regular file");
	assert_int_equal(rmdir(path), 0);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	refused(UPC_ENOSUPP, "not a shared unit");
	assert_int_equal(ftruncate(fd, sizeof(struct upci_shared_page)), 0);
	refused(UPC_ENOSUPP, "not a shared unit");
	if (!geteuid()) {
		assert_int_equal(fchown(fd, NOBODY, (gid_t)-1), 0);
		refused(UPC_EPERM, "belongs to user 65534");
	}
	close(fd);
}

TEST_WITH(other_layouts, share, unshare_it)
{
	struct upci_shared_page *page = shared.page;

	page->version = 7;
	refused(UPC_ENOSUPP, "version 7, and this libupc");
	assert_message("knows version 2");
	/* The version is refused for a page of any size. */
	assert_int_equal(ftruncate(shared.fd, sizeof(*page) + 8), 0);
	refused(UPC_ENOSUPP, "version 7, and this libupc");
	page->version = UPCI_SHARED_VERSION;
	refused(UPC_ENOSUPP, "95376 bytes");
	assert_int_equal(ftruncate(shared.fd, sizeof(*page)), 0);
	upci_shared_put64(&page->tail, UPCI_SHARED_MAGIC);
	page->bytes = 12;
	refused(UPC_ENOSUPP, "says 12");
	page->bytes = sizeof(*page);
	page->magic ^= 1;
	refused(UPC_ENOSUPP, "not a shared unit");
	page->magic ^= 1;
	page->tail ^= 1;
	refused(UPC_EGONE, "cut off");
	page->tail ^= 1;
	upc_monitor_close(open_it());
}

TEST_WITH(few_descriptors, share, unshare_it)
{
	rlim_t before;
	struct upc_monitor *m = NULL;
	int error, listed;

	before = limit_descriptors(4);
	error = upc_monitor_open(name, NULL, &m);
	listed = upc_monitor_list(NULL, NULL);
	limit_descriptors(before);
	assert_int_equal(error, UPC_EMFILE);
	assert_int_equal(listed, UPC_EMFILE);
}

/* ---- owners that end ---------------------------------------------------------------- */

TEST_WITH(one_that_ends, share, unshare_it)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor *m = open_it();
	uint64_t values[UPC_COUNTERS];

	upci_shared_count(&shared, 1, 11);
	assert_int_equal(upc_monitor_alive(m), 1);
	upci_shared_destroy(&shared);
	assert_int_equal(upc_monitor_alive(m), 0);
	assert_int_equal(upc_monitor_read(m, values, &info), 0);
	assert_int_equal(info.ended, 1);
	assert_int_equal(values[1], 11);
	refused(UPC_ENOTASK, "no such shared unit");
	/* Marked, and not unlinked yet. */
	share(NULL);
	shared.page->ended = 1;
	refused(UPC_EGONE, "has ended");
	upc_monitor_close(m);
}

/* A child that shares a unit and is killed, in the middle of a change or not. m is
 * opened while it lives. */
static struct upc_monitor *killed_owner(bool in_the_middle)
{
	struct upci_shared own = {.page = NULL};
	struct upc_monitor *m;
	int ready[2], go[2];
	pid_t child;
	char byte;

	upci_shared_destroy(&shared);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	child = fork();
	if (!child) {
		alarm(600);
		if (upci_shared_create(name, false, &own))
			_exit(1);
		upci_shared_count(&own, 5, 55);
		if (write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(2);
		if (in_the_middle) {
			upci_shared_begin(&own);
			upci_shared_count(&own, 5, 56);
			upci_shared_event(&own, 5, "half", "", UPC_KIND_COUNT);
		}
		raise(SIGKILL);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	m = open_it();
	assert_int_equal(upc_monitor_alive(m), 1);
	assert_int_equal(write(go[1], "g", 1), 1);
	assert_int_equal(end_of(child), -SIGKILL);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
	return m;
}

TEST_WITH(killed_between_changes, share, unshare_it)
{
	struct upc_monitor *m = killed_owner(false);
	uint64_t values[UPC_COUNTERS];

	assert_int_equal(upc_monitor_alive(m), 0);
	/* Nothing is lost of what it wrote. */
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	assert_int_equal(values[5], 55);
	refused(UPC_EGONE, "has ended");
	upc_monitor_close(m);
}

TEST_WITH(killed_in_the_middle_of_a_change, share, unshare_it)
{
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_monitor *m = killed_owner(true);
	uint64_t values[UPC_COUNTERS];

	/* Counts are what they were before it; names there may be none. */
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	assert_int_equal(values[5], 55);
	event.bound = 42;
	assert_int_equal(upc_monitor_counter(m, 0, &event), UPC_EGONE);
	assert_message("killed in the middle of a change");
	assert_int_equal(event.bound, 42);
	assert_int_equal(upc_monitor_alive(m), 0);
	refused(UPC_EGONE, "has ended");
	/* The next owner has a unit of its own; who watches the dead one's is not fooled. */
	memset(&shared, 0, sizeof(shared));
	assert_int_equal(upci_shared_create(name, false, &shared), 0);
	assert_int_equal(upc_monitor_alive(m), 0);
	assert_int_equal(upc_monitor_counter(m, 0, &event), UPC_EGONE);
	upc_monitor_close(m);
	m = open_it();
	assert_int_equal(upc_monitor_counter(m, 0, &event), 0);
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	assert_int_equal(values[5], 0);
	upc_monitor_close(m);
}

/* It lives and does not go on: a reader does not wait for ever. */
TEST_WITH(stopped_in_the_middle_of_a_change, share, unshare_it)
{
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_monitor *m = open_it();
	uint64_t values[UPC_COUNTERS];

	upci_shared_begin(&shared);
	upci_shared_count(&shared, 0, 1);
	upci_shared_event(&shared, 0, "half", "", UPC_KIND_COUNT);
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	assert_int_equal(values[0], 0);
	assert_int_equal(upc_monitor_counter(m, 0, &event), UPC_ESTATE);
	assert_message("stopped while it does");
	assert_int_equal(upc_monitor_alive(m), 1);
	upc_monitor_close(open_it());
	upci_shared_end(&shared, true);
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	assert_int_equal(values[0], 1);
	assert_int_equal(upc_monitor_counter(m, 0, &event), 0);
	assert_string_equal(event.name, "half");
	upc_monitor_close(m);
}

/* A stamp that never fits, as no owner of ours leaves it. */
TEST_WITH(no_slot_that_is_whole, share, unshare_it)
{
	struct upci_shared_page *page = shared.page;
	uint64_t values[UPC_COUNTERS] = {1}, change = page->change;
	struct upc_monitor *m = open_it();

	page->change = UINT64_MAX;
	assert_int_equal(upc_monitor_read(m, values, NULL), UPC_ESTATE);
	assert_int_equal(values[0], 1);
	refused(UPC_ESTATE, "try again");
	page->change = change;
	page->slot[change % UPCI_SHARED_SLOTS].stamp--;
	assert_int_equal(upc_monitor_read(m, values, NULL), UPC_ESTATE);
	page->slot[change % UPCI_SHARED_SLOTS].stamp++;
	assert_int_equal(upc_monitor_read(m, values, NULL), 0);
	upc_monitor_close(m);
}

static void *end_the_change(void *arg)
{
	static const struct timespec a_while = {.tv_nsec = 10000000};

	(void)arg;
	nanosleep(&a_while, NULL);
	upci_shared_end(&shared, true);
	return NULL;
}

/* Preempted in the middle: the reader waits for it. */
TEST_WITH(a_slow_change, share, unshare_it)
{
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	struct upc_monitor *m = open_it();
	pthread_t thread;
	int error;

	upci_shared_begin(&shared);
	upci_shared_event(&shared, 2, "slow", "", UPC_KIND_COUNT);
	assert_int_equal(pthread_create(&thread, NULL, end_the_change, NULL), 0);
	do
		error = upc_monitor_counter(m, 2, &event);
	while (error == UPC_ESTATE); /* on a machine that is very busy */
	pthread_join(thread, NULL);
	assert_int_equal(error, 0);
	assert_string_equal(event.name, "slow");
	upc_monitor_close(m);
}

struct changer {
	uint64_t changes;
	int stop;
};

static void *change_without_rest(void *arg)
{
	struct changer *c = arg;
	unsigned i;

	while (!__atomic_load_n(&c->stop, __ATOMIC_RELAXED)) {
		c->changes++;
		upci_shared_begin(&shared);
		for (i = 0; i < UPC_COUNTERS; i++)
			upci_shared_count(&shared, i, c->changes);
		upci_shared_end(&shared, false);
	}
	return NULL;
}

/* An owner that does nothing else leaves its readers time enough. */
TEST_WITH(changes_without_rest, share, unshare_it)
{
	struct changer changer = {.changes = 0};
	struct upc_monitor *m = open_it();
	uint64_t values[UPC_COUNTERS], before = 0;
	unsigned i, reads = 0;
	pthread_t thread;
	int error;

	assert_int_equal(pthread_create(&thread, NULL, change_without_rest, &changer), 0);
	while (reads < 1000 || !before) {
		error = upc_monitor_read(m, values, NULL);
		if (error == UPC_ESTATE)
			continue; /* on a machine that is very busy */
		assert_int_equal(error, 0);
		reads++;
		assert_true(values[0] >= before);
		before = values[0];
		for (i = 1; i < UPC_COUNTERS; i++)
			assert_int_equal(values[i], before);
	}
	__atomic_store_n(&changer.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	upc_monitor_close(m);
}

/* ---- files that are cut off ----------------------------------------------------------- */

/* From any length on, and made as long again or not. */
TEST_WITH(cut_off, share, unshare_it)
{
	static const off_t lengths[] = {0,
					100,
					400,
					4096,
					4097,
					40000,
					(off_t)sizeof(struct upci_shared_page) - 4096,
					(off_t)sizeof(struct upci_shared_page) - 1};
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	uint64_t values[UPC_COUNTERS];
	struct upc_monitor *m;
	unsigned i;

	for (i = 0; i < 2 * sizeof(lengths) / sizeof(lengths[0]); i++) {
		m = open_it();
		memset(values, 0x55, sizeof(values));
		assert_int_equal(ftruncate(shared.fd, lengths[i / 2]), 0);
		if (i % 2)
			assert_int_equal(ftruncate(shared.fd, sizeof(struct upci_shared_page)), 0);
		assert_int_equal(upc_monitor_read(m, values, NULL), UPC_EGONE);
		assert_message("cut off");
		assert_int_equal(values[0], UINT64_C(0x5555555555555555));
		assert_int_equal(upc_monitor_counter(m, 255, &event), UPC_EGONE);
		assert_int_equal(upc_monitor_alive(m), 0);
		upc_monitor_close(m);
		/* The owner must not touch it again: taken as dead by closing it. */
		munmap(shared.page, sizeof(*shared.page));
		close(shared.fd);
		memset(&shared, 0, sizeof(shared));
		assert_int_equal(upci_shared_create(name, false, &shared), 0);
	}
}

struct spinner {
	struct upc_monitor *m;
	int ready, error;
	unsigned long reads;
};

static void *spin(void *arg)
{
	struct spinner *s = arg;
	uint64_t values[UPC_COUNTERS];

	do {
		s->error = upc_monitor_read(s->m, values, NULL);
		s->reads++;
		__atomic_store_n(&s->ready, 1, __ATOMIC_RELEASE);
	} while (!s->error || s->error == UPC_ESTATE);
	return NULL;
}

/* By another process, while threads read. */
TEST_WITH(cut_off_while_read, share, unshare_it)
{
	struct spinner s[2];
	pthread_t thread[2];
	pid_t child;
	unsigned i, round;

	for (round = 0; round < 10; round++) {
		struct upc_monitor *m = open_it();

		for (i = 0; i < 2; i++) {
			s[i] = (struct spinner){.m = m};
			assert_int_equal(pthread_create(&thread[i], NULL, spin, &s[i]), 0);
		}
		for (i = 0; i < 2; i++)
			while (!__atomic_load_n(&s[i].ready, __ATOMIC_ACQUIRE))
				sched_yield();
		child = fork();
		if (!child) {
			if (!truncate(path, round % 3 * 4096))
				raise(SIGKILL);
			_exit(1);
		}
		assert_int_equal(end_of(child), -SIGKILL);
		for (i = 0; i < 2; i++) {
			pthread_join(thread[i], NULL);
			assert_int_equal(s[i].error, UPC_EGONE);
		}
		upc_monitor_close(m);
		munmap(shared.page, sizeof(*shared.page));
		close(shared.fd);
		memset(&shared, 0, sizeof(shared));
		assert_int_equal(upci_shared_create(name, false, &shared), 0);
	}
}

/* ---- all there are --------------------------------------------------------------------- */

struct listing {
	unsigned ours, others, foreign;
	char other[UPCI_SHARED_NAME_MAX + 1], planted[UPCI_SHARED_NAME_MAX + 1];
};

static int on_listed(const char *unit, uid_t user, void *arg)
{
	struct listing *l = arg;

	l->ours += !strcmp(unit, name) && user == geteuid();
	l->others += !strcmp(unit, l->other) && user == geteuid();
	l->foreign += !strcmp(unit, l->planted);
	return 0;
}

static int stop_at_once(const char *unit, uid_t user, void *arg)
{
	(void)unit, (void)user;
	++*(int *)arg;
	return 42;
}

TEST_WITH(listing, share, unshare_it)
{
	char planted[128], linked[128];
	struct listing l = {0};
	struct upci_shared other = {.page = NULL};
	int calls = 0, fd, n;

	snprintf(l.other, sizeof(l.other), "%s-b", name);
	snprintf(l.planted, sizeof(l.planted), "%s-c", name);
	assert_int_equal(upci_shared_create(l.other, true, &other), 0);
	/* In the name of a user who has not made it; a link; no file. */
	snprintf(planted, sizeof(planted), "/dev/shm/upc.%lu.%s", (unsigned long)geteuid() + 1, l.planted);
	snprintf(linked, sizeof(linked), "/dev/shm/upc.%lu.%s", (unsigned long)geteuid(), l.planted);
	fd = open(planted, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(symlink(path, linked), 0);
	n = upc_monitor_list(on_listed, &l);
	assert_true(n >= 2);
	assert_int_equal(l.ours, 1);
	assert_int_equal(l.others, 1);
	assert_int_equal(l.foreign, 0);
	assert_int_equal(upc_monitor_list(stop_at_once, &calls), 42);
	assert_int_equal(calls, 1);
	close(fd);
	unlink(planted);
	unlink(linked);
	upci_shared_destroy(&other);
}

UNIT_MAIN(monitor)
{
	if (argc == 3 && !strcmp(argv[1], "--read"))
		return read_between_marks(argv[2]);
	grow_stack();
	return run_own_tests(NULL, NULL);
}
