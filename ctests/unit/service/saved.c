/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file with the service's state. A state that was written is read back. A file that is damaged,
 * foreign or cut off is reported, and no state is taken from it; a file that another service has, and a
 * full disk, are reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "procfs/roots.h"
#include "service/saved.h"
#include "service/service_test.h"

/* A disk that is full from some byte on. */
static bool full, full_heads;

ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);
int __real_posix_fallocate(int fd, off_t at, off_t n);
int __wrap_posix_fallocate(int fd, off_t at, off_t n);

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	if ((full && at >= 4096) || full_heads) {
		errno = ENOSPC;
		return -1;
	}
	return __real_pwrite(fd, bytes, n, at);
}

int __wrap_posix_fallocate(int fd, off_t at, off_t n)
{
	return full ? ENOSPC : __real_posix_fallocate(fd, at, n);
}

/* No memory for a state's bytes. */
static bool no_bytes;

void *__real_saved_encode(const struct counters *counters, const struct saved_about *about, const char *boot,
			  size_t *length);
void *__wrap_saved_encode(const struct counters *counters, const struct saved_about *about, const char *boot,
			  size_t *length);

void *__wrap_saved_encode(const struct counters *counters, const struct saved_about *about, const char *boot,
			  size_t *length)
{
	return no_bytes ? NULL : __real_saved_encode(counters, about, boot, length);
}

/* The machine is up anew. */
static bool rebooted;

int __real_upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path);
int __wrap_upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path);

int __wrap_upci_root_open(enum upci_root root, pid_t pid, pid_t tid, const char *path)
{
	return __real_upci_root_open(root, pid, tid, rebooted ? "sys/kernel/random/uuid" : path);
}

/* Two counters on two CPUs, without a unit. */
static struct counters *make_counters(void)
{
	static struct place_cell cell[4];
	static struct place_term term[4][3];
	static struct place_cell *cells[2][2] = {{&cell[0], &cell[1]}, {&cell[2], &cell[3]}};
	static struct place place[2] = {{.name = (char *)"cpu0"}, {.name = (char *)"cpu1"}};
	static struct counters_counter counter[2] = {
		{.id = 5, .number = 1, .name = (char *)"a", .given = (char *)"A{cpu}", .halted = true},
		{.id = 9, .number = 2, .name = (char *)"b", .given = (char *)"B", .optional = true}};
	static struct counters_counter *list[2] = {&counter[0], &counter[1]};
	static struct counters c = {.next_id = 10, .next_number = 3, .generation = 77};

	for (unsigned i = 0; i < 4; i++) {
		cell[i].value = 1000 + i;
		cell[i].value_ns = 2000 + i;
		cell[i].running_ns = 3000 + i;
		cell[i].terms = i % 3;
		cell[i].term = term[i];
		for (unsigned t = 0; t < 3; t++)
			term[i][t].sum = 10 * i + t;
	}
	place[0].cell = cells[0];
	place[1].cell = cells[1];
	place[0].cells = place[1].cells = 2;
	c.place[SERVICE_CPU] = place;
	c.places[SERVICE_CPU] = 2;
	c.counter = list;
	c.counters = 2;
	return &c;
}

static const struct saved_about about = {.config = 11, .source = 12, .started_ns = 13, .samples = 14};

static void check_state(const struct saved_state *s)
{
	assert_non_null(s);
	assert_true(s->config == 11 && s->source == 12 && s->started_ns == 13 && s->samples == 14);
	assert_true(s->generation == 77 && s->next_id == 10 && s->next_number == 3);
	assert_int_equal(s->counters, 2);
	assert_true(s->counter[0].id == 5 && s->counter[0].halted && !s->counter[0].optional);
	assert_string_equal(s->counter[0].event, "A{cpu}");
	assert_true(s->counter[1].number == 2 && s->counter[1].optional);
	assert_string_equal(s->counter[1].name, "b");
	assert_int_equal(s->counter[1].cells, 2);
	assert_string_equal(s->counter[1].cell[1].place, "cpu1");
	assert_int_equal(s->counter[1].cell[1].value, 1003);
	assert_int_equal(s->counter[0].cell[1].terms, 2);
	assert_int_equal(s->counter[0].cell[1].sum[1], 21);
	assert_int_equal(s->counter[0].cell[1].running_ns, 3002);
}

TEST(bytes_and_back)
{
	size_t length;
	char *bytes = saved_encode(make_counters(), &about, "boot", &length);
	struct saved_state *s;

	s = saved_decode(bytes, length, "boot");
	check_state(s);
	assert_true(s->whole);
	saved_state_free(s);
	/* The machine was booted anew since, or its boot is not known. */
	s = saved_decode(bytes, length, "other");
	assert_false(s->whole);
	saved_state_free(s);
	s = saved_decode(bytes, length, "");
	assert_false(s->whole);
	saved_state_free(s);
	/* Bytes that are cut off anywhere are refused; with any bit changed saved_decode ends. */
	for (size_t i = 0; i < length; i++) {
		assert_null(saved_decode(bytes, i, "boot"));
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (char)(1 << bit);
			saved_state_free(saved_decode(bytes, length, "boot"));
			bytes[i] ^= (char)(1 << bit);
		}
	}
	/* A number that is too large, though its low half is not, and bytes behind the state are refused. */
	bytes[8 + 4 + 4] ^= 1;
	assert_null(saved_decode(bytes, length, "boot"));
	bytes[8 + 4 + 4] ^= 1;
	bytes = realloc(bytes, length + 8);
	assert_non_null(bytes);
	memset(bytes + length, 0, 8);
	assert_null(saved_decode(bytes, length + 8, "boot"));
	free(bytes);
}

/* Opens a file; the remark for the operator has this part and the path (NULL: there is no remark). */
static struct saved *open_file(const char *path, struct saved_state **was, const char *part)
{
	struct saved *s;
	char *remark;

	assert_int_equal(saved_open(path, &s, was, &remark), 0);
	if (part ? !remark || !strstr(remark, part) || !strstr(remark, path) : remark != NULL)
		fail_msg("it is said: %s, not: %s", remark ? remark : "nothing", part ? part : "nothing");
	free(remark);
	return s;
}

static unsigned files_there(void)
{
	DIR *dir = opendir(test_dir);
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

TEST(write_and_open)
{
	char path[256];
	struct saved_state *was;
	struct saved *s;
	struct stat status;

	snprintf(path, sizeof(path), "%s", test_path("state"));
	s = open_file(path, &was, NULL);
	assert_null(was);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(saved_write(s, make_counters(), &about), 0);
	saved_close(s);
	s = open_file(path, &was, NULL);
	check_state(was);
	assert_true(was->whole);
	saved_state_free(was);
	saved_close(s);
	assert_int_equal(files_there(), 1);
}

/* The newer slot is damaged: the older one is read, which was whole when the newer was begun. */
TEST(torn)
{
	char path[256];
	struct saved_state *was;
	struct saved_about other = about;
	struct saved *s;
	int fd;

	snprintf(path, sizeof(path), "%s", test_path("torn"));
	s = open_file(path, &was, NULL);
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	other.samples = 99;
	assert_int_equal(saved_write(s, make_counters(), &other), 0);
	saved_close(s);
	/* The second state is in the first slot, that of even numbers: a byte of it is changed. */
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "x", 1, 4096 + 100), 1);
	close(fd);
	s = open_file(path, &was, NULL);
	check_state(was);
	saved_state_free(was);
	saved_close(s);
	unlink(path);
}

TEST(grows)
{
	struct counters *c = make_counters();
	char path[256], *before = c->counter[0]->given, long_one[4000];
	static struct counters_counter *many[64];
	static struct place_cell *cells[64];
	struct saved_state *was;
	struct saved *s;

	snprintf(path, sizeof(path), "%s", test_path("grows"));
	memset(long_one, 'x', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	s = open_file(path, &was, NULL);
	c->counter[0]->given = long_one;
	for (unsigned i = 0; i < 64; i++) {
		many[i] = c->counter[0];
		cells[i] = c->place[SERVICE_CPU][0].cell[0];
	}
	c->counter = many;
	c->counters = 64;
	c->place[SERVICE_CPU][0].cell = c->place[SERVICE_CPU][1].cell = cells;
	assert_int_equal(saved_write(s, c, &about), 0);
	assert_int_equal(saved_write(s, c, &about), 0);
	many[0]->given = before;
	saved_close(s);
	s = open_file(path, &was, NULL);
	assert_int_equal(was->counters, 64);
	assert_int_equal(strlen(was->counter[63].event), sizeof(long_one) - 1);
	saved_state_free(was);
	saved_close(s);
	unlink(path);
	assert_int_equal(files_there(), 1);
}

TEST(not_ours)
{
	char path[256], command[600];
	struct saved_state *was;
	struct saved *s;

	snprintf(path, sizeof(path), "%s", test_path("foreign"));
	test_put("foreign", "# my notes\n");
	s = open_file(path, &was, "not a saved state; it was moved to");
	assert_null(was);
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	saved_close(s);
	/* The foreign file is there, under its new name, as it was. */
	snprintf(command, sizeof(command), "grep -q 'my notes' %s.refused-* && rm %s.refused-*", path, path);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "truncate -s 8000 %s", path);
	assert_int_equal(system(command), 0);
	s = open_file(path, &was, "cut off; it was moved to");
	assert_null(was);
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	saved_close(s);
	snprintf(command, sizeof(command),
		 "rm %s.refused-*; printf 'UPCSTATE\\002\\000' | dd of=%s conv=notrunc 2> /dev/null", path,
		 path);
	assert_int_equal(system(command), 0);
	s = open_file(path, &was, "another version");
	saved_close(s);
	snprintf(command, sizeof(command),
		 "rm %s.refused-*; dd if=/dev/zero of=%s bs=1 seek=4096 count=100 conv=notrunc 2> /dev/null",
		 path, path);
	assert_int_equal(system(command), 0);
	s = open_file(path, &was, "damaged");
	assert_null(was);
	saved_close(s);
	snprintf(command, sizeof(command), "rm %s*", path);
	assert_int_equal(system(command), 0);
}

TEST(unfit_paths)
{
	char path[256];
	struct saved_state *was;

	snprintf(path, sizeof(path), "%s", test_path("fifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(open_file(path, &was, "not a regular file"));
	unlink(path);
	assert_null(open_file(test_path("nowhere/state"), &was, "No such file"));
	assert_null(open_file(test_dir, &was, "Is a directory"));
	snprintf(path, sizeof(path), "%s", test_path("link"));
	assert_int_equal(symlink("state", path), 0);
	assert_null(open_file(path, &was, "Too many levels of symbolic links"));
	unlink(path);
	snprintf(path, sizeof(path), "%s", test_path("loose"));
	test_put("loose", "x");
	chmod(path, 0666);
	assert_null(open_file(path, &was, "others can write"));
	unlink(path);
}

TEST(two_at_once)
{
	struct saved_state *was;
	struct saved *s = open_file(test_path("state"), &was, NULL), *other;
	char *remark;

	saved_state_free(was);
	assert_int_equal(saved_open(test_path("state"), &other, &was, &remark), UPC_ESTATE);
	assert_null(other);
	assert_non_null(strstr(remark, "another service has it"));
	free(remark);
	saved_close(s);
}

TEST(a_full_disk)
{
	char path[256];
	struct saved_state *was;
	struct saved *s;

	snprintf(path, sizeof(path), "%s", test_path("full"));
	full = true;
	assert_null(open_file(path, &was, "No space left"));
	full = false;
	s = open_file(path, &was, NULL);
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	full = true;
	assert_int_equal(saved_write(s, make_counters(), &about), ENOSPC);
	saved_close(s);
	/* The file has an older state than was given out, and a mark that says so. */
	s = open_file(path, &was, NULL);
	check_state(was);
	assert_false(was->whole);
	saved_state_free(was);
	assert_int_equal(saved_write(s, make_counters(), &about), ENOSPC);
	full = false;
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	saved_close(s);
	s = open_file(path, &was, NULL);
	assert_true(was->whole);
	saved_state_free(was);
	/* Not even the mark can be written: then the next service must not find the file. */
	full = full_heads = true;
	assert_int_equal(saved_write(s, make_counters(), &about), ENOSPC);
	saved_close(s);
	full = full_heads = false;
	assert_int_equal(access(path, F_OK), -1);
}

static size_t copy_of(const char *path, char *copy, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(copy, 1, size, f);
	fclose(f);
	assert_in_range(n, 1, size - 1);
	return n;
}

static void put_copy(const char *path, const char *copy, size_t length)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(copy, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

/* The service ends in each way, and then the machine goes down. The state on the disk is known to be the one
 * that was given out last only after a clean end, where no service has begun again since. */
TEST(machine_goes_down)
{
	struct saved_about clean = about;
	static char copy[65536];
	size_t length = 0;
	char path[256];
	struct saved_state *was;
	struct saved *s;

	clean.clean = true;
	snprintf(path, sizeof(path), "%s", test_path("down"));
	s = open_file(path, &was, NULL);
	assert_int_equal(saved_write(s, make_counters(), &clean), 0);
	saved_close(s);
	rebooted = true;
	/* Twice: a service that ends before it has written anything leaves the file as it was. */
	for (unsigned i = 0; i < 2; i++) {
		s = open_file(path, &was, NULL);
		check_state(was);
		assert_true(was->whole);
		saved_state_free(was);
		if (i)
			length = copy_of(path, copy, sizeof(copy));
		else
			saved_close(s);
	}
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	saved_close(s);
	put_copy(path, copy, length);
	/* A service had the file open, and its samples did not get to the disk: the clean state is old. */
	s = open_file(path, &was, NULL);
	check_state(was);
	assert_false(was->whole);
	saved_state_free(was);
	assert_int_equal(saved_write(s, make_counters(), &clean), 0);
	saved_close(s);
	s = open_file(path, &was, NULL);
	assert_true(was->whole);
	saved_state_free(was);
	saved_close(s);
	rebooted = false;
}

TEST(no_memory)
{
	char path[256];
	struct saved_state *was;
	struct saved *s;

	snprintf(path, sizeof(path), "%s", test_path("memory"));
	s = open_file(path, &was, NULL);
	assert_int_equal(saved_write(s, make_counters(), &about), 0);
	no_bytes = true;
	assert_int_equal(saved_write(s, make_counters(), &about), ENOMEM);
	no_bytes = false;
	saved_close(s);
	s = open_file(path, &was, NULL);
	check_state(was);
	assert_false(was->whole);
	saved_state_free(was);
	saved_close(s);
}

int main(void)
{
	return run_own_tests(make_test_dir, test_end);
}
