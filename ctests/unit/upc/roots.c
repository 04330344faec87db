/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roots.c - files of /proc and /sys are opened, and no path leads out of them,
 * with openat2 and without.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "procfs/roots.h"
#include "../unit_test.h"

static bool opens(enum upci_root root, const char *path)
{
	int fd = upci_root_open(root, getpid(), gettid(), path);
	bool cloexec = fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return cloexec;
}

/* NULL, or the path with which something went wrong. */
static const char *wrong_path(void)
{
	static const char *const good_proc[] = {"stat", "self/stat", "net/dev", "./stat", "sys/fs/file-nr"};
	static const char *const bad[] = {
		"",         "/proc/stat",           "../etc/passwd", "self/../../etc/passwd",
		"self/..",  "self/root/etc/passwd", "self/cwd/.",    "thread-self/root/etc/passwd",
		"self/exe", "no-such-file",
	};

	for (unsigned i = 0; i < sizeof(good_proc) / sizeof(*good_proc); i++)
		if (!opens(UPCI_ROOT_PROC, good_proc[i]))
			return good_proc[i];
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (opens(UPCI_ROOT_PROC, bad[i]))
			return bad[i];
	if (!opens(UPCI_ROOT_TASK, "stat") || !opens(UPCI_ROOT_PROCESS, "task"))
		return "of the task";
	if (!opens(UPCI_ROOT_SYS, "kernel/mm"))
		return "kernel/mm";
	if (!access("/sys/class/net/lo/mtu", R_OK) && !opens(UPCI_ROOT_SYS, "class/net/lo/mtu"))
		return "class/net/lo/mtu";
	return NULL;
}

TEST(with_openat2)
{
	const char *wrong;

	wrong = wrong_path();
	if (wrong)
		fail_msg("\"%s\"", wrong);
}

/* openat2 answers with this error from now on, here and in children. */
static bool forbid_openat2(unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void without_openat2(unsigned error)
{
	pid_t child = fork();
	int status;

	if (!child) {
		const char *wrong;

		if (!forbid_openat2(error))
			_exit(77);
		wrong = wrong_path();
		if (wrong)
			fprintf(stderr, "without openat2: \"%s\"\n", wrong);
		_exit(wrong != NULL);
	}
	status = end_of(child);
	if (status == 77)
		skip_because("no seccomp filters here");
	assert_int_equal(status, 0);
}

TEST(kernel_without_openat2)
{
	without_openat2(ENOSYS);
}

TEST(filter_that_refuses_openat2)
{
	without_openat2(EPERM);
}

TEST(errors)
{
	assert_int_equal(upci_root_open(UPCI_ROOT_PROC, 0, 0, "../x"), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(upci_root_open(UPCI_ROOT_PROC, 0, 0, "no-such-file"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(upci_root_open(UPCI_ROOT_TASK, 1, 0x7ffffff0, "stat"), -1);
	assert_int_equal(errno, ENOENT);
}

TEST(names_of_files)
{
	char name[64], small[8];

	upci_root_name(UPCI_ROOT_TASK, 12, 34, "stat", name, sizeof(name));
	assert_string_equal(name, "/proc/12/task/34/stat");
	upci_root_name(UPCI_ROOT_PROCESS, 12, 34, "io", name, sizeof(name));
	assert_string_equal(name, "/proc/12/io");
	upci_root_name(UPCI_ROOT_SYS, 0, 0, "class", name, sizeof(name));
	assert_string_equal(name, "/sys/class");
	upci_root_name(UPCI_ROOT_PROC, 0, 0, "meminfo", small, sizeof(small));
	assert_string_equal(small, "/proc/m");
}

TEST(directories)
{
	struct dirent **list;
	int n = upci_root_list(UPCI_ROOT_SYS, "devices/system/cpu", "cpu0", &list);

	assert_int_equal(n, 1);
	assert_string_equal(list[0]->d_name, "cpu0");
	free(list[0]);
	free(list);
	assert_int_equal(upci_root_list(UPCI_ROOT_SYS, "no/such", "", &list), 0);
	free(list);
	assert_int_equal(upci_root_list(UPCI_ROOT_PROC, "self/root", "", &list), 0);
	free(list);
	assert_int_equal(upci_root_list(UPCI_ROOT_PROC, "..", "", &list), 0);
	free(list);
}

UNIT_TESTS(roots, NULL, NULL)
