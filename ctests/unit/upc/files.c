/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.c - fields of the real /proc: right by other means of knowing them,
 * refused in words, lost one by one, and clean after a fork.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>

#include "procfs/files.h"
#include "../unit_test.h"

static struct upci_driver field(enum upci_root root, const char *path, const char *key, unsigned occurrence,
				unsigned first)
{
	return (struct upci_driver){
		.source = UPC_SOURCE_FILE,
		.mul = 1,
		.div = 1,
		.file =
			{
				.root = root,
				.path = path,
				.key = key,
				.occurrence = occurrence,
				.first = first,
				.last = first,
			},
	};
}

static int add(struct upci_files *files, struct upci_driver d)
{
	return upci_files_add(files, &d);
}

static struct upci_files *create(void)
{
	struct upci_files *files;

	assert_int_equal(upci_files_create(getpid(), gettid(), &files), UPC_OK);
	return files;
}

static void refused(struct upci_files *files, struct upci_driver d, int error, const char *word)
{
	assert_int_equal(upci_files_add(files, &d), error);
	if (!strstr(upc_last_message(), word))
		fail_msg("\"%s\" does not say \"%s\"", upc_last_message(), word);
}

/* A thread's faults are what getrusage says, and those of fresh pages are all
 * there. */
TEST(faults)
{
	enum { PAGES = 500 };
	const size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	struct upci_files *files = create();
	int minflt = add(files, field(UPCI_ROOT_TASK, "stat", NULL, 1, 9));
	uint64_t before[1], after[1];
	struct rusage usage;
	char *memory;
	uint8_t lost[1];

	assert_int_equal(minflt, 0);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	madvise(memory, size, MADV_NOHUGEPAGE);
	assert_int_equal(upci_files_read(files, before, lost), 0);
	for (size_t i = 0; i < size; i += size / PAGES)
		memory[i] = 1;
	assert_int_equal(upci_files_read(files, after, lost), 0);
	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	/* A sanitizer's shadow memory has faults of its own. */
	assert_in_range(after[0] - before[0], PAGES, PAGES + FAULT_SLACK);
	assert_in_range((uint64_t)usage.ru_minflt - after[0], 0, FAULT_SLACK);
	munmap(memory, size);
	upci_files_destroy(files);
}

/* Bytes and packets of the loopback, and datagrams that were sent, read without libupc. */
static void read_loopback(uint64_t value[3])
{
	static const char *const path[] = {"/proc/net/dev", "/proc/net/snmp"};
	static const char *const format[] = {" lo: %lu %*u %*u %*u %*u %*u %*u %*u %*u %lu",
					     "Udp: %*u %*u %*u %lu"};
	unsigned long number[2];
	char line[512];
	int i, found;

	for (i = 0; i < 2; i++) {
		FILE *file = fopen(path[i], "r");

		assert_non_null(file);
		found = 0;
		while (!found && fgets(line, sizeof(line), file))
			found = sscanf(line, format[i], &number[0], &number[1]) == 2 - i;
		fclose(file);
		assert_true(found);
		value[2 * i] = number[0];
		if (!i)
			value[1] = number[1];
	}
}

/* Datagrams over the loopback are 28 bytes of headers and their payload. Others may use it at
 * the same time: what libupc finds lies between what is found inside and around. */
TEST(loopback)
{
	enum { SENDS = 200, SIZE = 1000 };
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	struct upci_files *files = create();
	int bytes = add(files, field(UPCI_ROOT_PROC, "net/dev", "lo", 1, 1));
	int packets = add(files, field(UPCI_ROOT_PROC, "net/dev", "lo", 1, 10));
	int sent = add(files, field(UPCI_ROOT_PROC, "net/snmp", "Udp", 2, 4));
	int in = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t before[3], after[3], around[2][3], inside[2][3];
	static char payload[SIZE];
	const uint64_t least[] = {SENDS * (SIZE + 28), SENDS, SENDS};
	uint8_t lost[3];

	if (bytes < 0 || sent < 0 || bind(in, (struct sockaddr *)&address, sizeof(address))) {
		close(in);
		upci_files_destroy(files);
		skip_because("no loopback here");
	}
	assert_true(bytes == 0 && packets == 1 && sent == 2);
	getsockname(in, (struct sockaddr *)&address, &length);
	read_loopback(around[0]);
	assert_int_equal(upci_files_read(files, before, lost), 0);
	read_loopback(inside[0]);
	for (int i = 0; i < SENDS; i++)
		assert_int_equal(sendto(in, payload, SIZE, 0, (struct sockaddr *)&address, length), SIZE);
	read_loopback(inside[1]);
	assert_int_equal(upci_files_read(files, after, lost), 0);
	read_loopback(around[1]);
	for (int i = 0; i < 3; i++) {
		assert_true(inside[1][i] - inside[0][i] >= least[i]);
		assert_in_range(before[i], around[0][i], inside[0][i]);
		assert_in_range(after[i], inside[1][i], around[1][i]);
	}
	close(in);
	upci_files_destroy(files);
}

/* By the kernel's own account. */
static uint64_t switches(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return (uint64_t)usage.ru_nvcsw;
}

TEST(switches_and_io)
{
	struct upci_files *files = create();
	int voluntary = add(files, field(UPCI_ROOT_TASK, "status", "voluntary_ctxt_switches", 1, 1));
	int wchar = add(files, field(UPCI_ROOT_TASK, "io", "wchar", 1, 1));
	uint64_t before[2], after[2], around[2], inside[2];
	char block[1000] = "";
	int pipes[2];
	uint8_t lost[2];

	assert_true(voluntary >= 0 && wchar >= 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	around[0] = switches();
	assert_int_equal(upci_files_read(files, before, lost), 0);
	inside[0] = switches();
	for (int i = 0; i < 10; i++)
		assert_int_equal(write(pipes[1], block, sizeof(block)), sizeof(block));
	/* A sleep that is over before it began is no switch. */
	while (switches() < inside[0] + 10)
		usleep(100);
	inside[1] = switches();
	assert_int_equal(upci_files_read(files, after, lost), 0);
	around[1] = switches();
	/* A checker that runs the program writes a little of its own. */
	assert_in_range(after[wchar] - before[wchar], 10 * sizeof(block),
			10 * sizeof(block) + (FAULT_SLACK > 100 ? 100000 : 1000));
	assert_in_range(before[voluntary], around[0], inside[0]);
	assert_in_range(after[voluntary], inside[1], around[1]);
	close(pipes[0]);
	close(pipes[1]);
	upci_files_destroy(files);
}

TEST(refusals)
{
	struct upci_files *files = create(), *nobody;
	unsigned descriptors = open_descriptors();
	struct upci_driver d = field(UPCI_ROOT_PROC, "vmstat", "pgfault", 1, 1);

	refused(files, field(UPCI_ROOT_PROC, "vmstat", "no_such", 1, 1), UPC_ENOSUPP, "\"no_such\"");
	refused(files, field(UPCI_ROOT_PROC, "vmstat", NULL, 1, 0), UPC_ENOSUPP, "line 1");
	refused(files, field(UPCI_ROOT_PROC, "no-such", NULL, 1, 0), UPC_ENOSUPP, "/proc/no-such");
	refused(files, field(UPCI_ROOT_PROC, "../etc/passwd", NULL, 1, 0), UPC_ENOSUPP, "beneath");
	refused(files, field(UPCI_ROOT_PROC, "self/root/etc/passwd", NULL, 1, 0), UPC_ENOSUPP, "beneath");
	refused(files, field(UPCI_ROOT_PROC, "self", NULL, 1, 0), UPC_ENOSUPP, "directory");
	refused(files, field(UPCI_ROOT_PROC, "vmstat", "pgfault", 0, 1), UPC_EINVAL, "field");
	d.div = 0;
	refused(files, d, UPC_EINVAL, "field");
	assert_int_equal(open_descriptors(), descriptors);
	assert_int_equal(upci_files_create(0, 0, &nobody), UPC_OK);
	refused(nobody, field(UPCI_ROOT_TASK, "stat", NULL, 1, 9), UPC_ENOSUPP, "thread");
	refused(nobody, field(UPCI_ROOT_PROCESS, "stat", NULL, 1, 9), UPC_ENOSUPP, "process");
	upci_files_destroy(nobody);
	assert_int_equal(upci_files_create(0x7ffffff0, 0x7ffffff0, &nobody), UPC_OK);
	refused(nobody, field(UPCI_ROOT_TASK, "stat", NULL, 1, 9), UPC_ENOTASK, "no such");
	upci_files_destroy(nobody);
	upci_files_destroy(files);
	assert_int_equal(open_descriptors(), descriptors);
}

/* As another user: what the kernel refuses is said with its remedy. */
TEST(refused_by_the_kernel)
{
	pid_t child;

	if (geteuid())
		skip_because("not root: cannot become somebody else");
	child = fork();
	if (!child) {
		struct upci_files *files;
		struct upci_driver d = field(UPCI_ROOT_PROCESS, "io", "rchar", 1, 1);
		int error;

		if (setgid(65534) || setuid(65534) || upci_files_create(getppid(), getppid(), &files))
			_exit(2);
		error = upci_files_add(files, &d);
		_exit(error != UPC_EPERM || !strstr(upc_last_message(), "run as root"));
	}
	assert_int_equal(end_of(child), 0);
}

TEST(out_of_descriptors)
{
	const rlim_t before = limit_descriptors(256);
	struct upci_files *files = create();
	int held[256], n = 0;

	do
		held[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (held[n++] < 256 - 64 - 1);
	refused(files, field(UPCI_ROOT_PROC, "vmstat", "pgfault", 1, 1), UPC_EMFILE, "ulimit");
	/* One for the file, and one for /proc while it is opened. */
	close(held[--n]);
	close(held[--n]);
	assert_int_equal(add(files, field(UPCI_ROOT_PROC, "vmstat", "pgfault", 1, 1)), 0);
	while (n)
		close(held[--n]);
	upci_files_destroy(files);
	limit_descriptors(before);
}

/* One descriptor a file, one place a handle, both given back. */
TEST(handles)
{
	static const char *const keys[] = {"pgfault", "pgfree", "pgpgin", "pgfault"};
	struct upci_files *files = create();
	unsigned descriptors = open_descriptors();
	uint64_t value[8];
	uint8_t lost[8];

	for (int i = 0; i < 4; i++)
		assert_int_equal(add(files, field(UPCI_ROOT_PROC, "vmstat", keys[i], 1, 1)), i);
	assert_int_equal(open_descriptors(), descriptors + 1);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(value[0], value[3]);
	upci_files_remove(files, 1);
	upci_files_remove(files, 1);
	upci_files_remove(files, 99);
	upci_files_remove(files, -1);
	value[1] = 12345;
	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(value[1], 12345);
	assert_int_equal(add(files, field(UPCI_ROOT_PROC, "stat", "ctxt", 1, 1)), 1);
	assert_int_equal(add(files, field(UPCI_ROOT_PROC, "stat", "cpu", 1, 4)), 4);
	assert_int_equal(add(files, field(UPCI_ROOT_PROC, "stat", "cpu", 1, 1)), 5);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	for (int i = 0; i < 6; i++)
		upci_files_remove(files, i);
	assert_int_equal(open_descriptors(), descriptors);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	upci_files_destroy(files);
}

static void *thread(void *arg)
{
	pthread_barrier_t *barrier = arg;

	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return (void *)(intptr_t)gettid();
}

/* The fields of a thread that has ended are lost, the others are not. */
TEST(thread_that_ended)
{
	pthread_barrier_t barrier;
	struct upci_files *files;
	pid_t tid = 0;
	pthread_t id;
	uint64_t value[3] = {0};
	uint8_t lost[3];
	struct dirent *entry;
	DIR *dir;

	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&id, NULL, thread, &barrier), 0);
	pthread_barrier_wait(&barrier);
	dir = opendir("/proc/self/task");
	while ((entry = readdir(dir)))
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != getpid())
			tid = atoi(entry->d_name);
	closedir(dir);
	assert_int_equal(upci_files_create(getpid(), tid, &files), UPC_OK);
	assert_int_equal(add(files, field(UPCI_ROOT_TASK, "stat", NULL, 1, 9)), 0);
	assert_int_equal(add(files, field(UPCI_ROOT_PROC, "stat", "ctxt", 1, 1)), 1);
	assert_int_equal(add(files, field(UPCI_ROOT_TASK, "status", "Tgid", 1, 1)), 2);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(value[2], getpid());
	pthread_barrier_wait(&barrier);
	pthread_join(id, NULL);
	while (!access("/proc/self/task", F_OK) && upci_files_read(files, value, lost) == 0)
		sched_yield(); /* joined is not yet gone */
	/* It may have gone between one file and the next. */
	assert_int_equal(upci_files_read(files, value, lost), 2);
	assert_true(lost[0] && lost[2] && !lost[1]);
	assert_int_equal(value[2], getpid());
	refused(files, field(UPCI_ROOT_TASK, "io", "rchar", 1, 1), UPC_ENOTASK, "");
	pthread_barrier_destroy(&barrier);
	upci_files_destroy(files);
}

/* The child reads its own files, through descriptors of its own. */
TEST(fork_reads_anew)
{
	struct upci_files *files = create();
	int pid = add(files, field(UPCI_ROOT_TASK, "stat", NULL, 1, 0));
	int ctxt = add(files, field(UPCI_ROOT_PROC, "stat", "ctxt", 1, 1));
	uint64_t value[2];
	uint8_t lost[2];
	pid_t child;
	int status;

	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(value[pid], getpid());
	child = fork();
	if (!child) {
		unsigned open_before = open_descriptors();

		upci_files_forked(files, getpid(), gettid());
		if (open_descriptors() != open_before - 2)
			_exit(1);
		if (upci_files_read(files, value, lost) || value[pid] != (uint64_t)getpid())
			_exit(2);
		status = open_descriptors() != open_before || lost[ctxt];
		upci_files_destroy(files);
		_exit(status);
	}
	assert_int_equal(end_of(child), 0);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(value[pid], getpid());
	upci_files_destroy(files);
}

/* The numbers of vmstat, in its order; n lines, with their keys if wanted. */
static int read_vmstat(uint64_t *value, char (*key)[64], int most)
{
	char *text = upci_file_slurp(UPCI_ROOT_PROC, "vmstat", NULL), *line, *rest;
	unsigned long number;
	char name[64];
	int n = 0;

	assert_non_null(text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++) {
		assert_true(n < most);
		assert_int_equal(sscanf(line, "%63s %lu", name, &number), 2);
		value[n] = number;
		if (key)
			strcpy(key[n], name);
	}
	free(text);
	return n;
}

/* Every key of vmstat at once is what the text says. */
TEST(whole_vmstat)
{
	enum { MOST = 512 };
	struct upci_files *files = create();
	uint64_t before[MOST], value[MOST], after[MOST];
	int n, same = 0, wrong = 0;
	static char key[MOST][64];
	uint8_t lost[MOST];

	n = read_vmstat(before, key, MOST);
	assert_true(n > 50);
	for (int i = 0; i < n; i++)
		assert_int_equal(add(files, field(UPCI_ROOT_PROC, "vmstat", key[i], 1, 1)), i);
	for (int pass = 0; pass < 3; pass++)
		assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(read_vmstat(before, NULL, MOST), n);
	assert_int_equal(upci_files_read(files, value, lost), 0);
	assert_int_equal(read_vmstat(after, NULL, MOST), n);
	for (int i = 0; i < n; i++) {
		same += before[i] == after[i];
		wrong += before[i] == after[i] && value[i] != after[i];
	}
	/* On a busy machine levels go there and back; a column too far would change most. */
	assert_true(same > n / 10);
	assert_true(wrong <= same / 10);
	upci_files_destroy(files);
}

UNIT_TESTS(files, NULL, NULL)
