/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.c - see descriptor.h; this file alone accesses perf events of other processes.
 *
 * /proc shows only that a descriptor is a perf event, not its type. But tools that trace by eBPF hold
 * software events for as long as they run, and the service must not step aside for these. The kernel reveals
 * the type in the error of an attempt to change it: PERF_EVENT_IOC_MODIFY_ATTRIBUTES fails with EINVAL if the
 * type differs, and with EOPNOTSUPP if it is the event's type (Linux 4.17 and later). The attempt changes
 * nothing, except for a breakpoint's type, which this file never tries. A type that belongs to no named PMU
 * is a breakpoint's, or that of the kernel's own clocks, which have no name.
 *
 * The attempts use a temporary copy of the process's descriptor (pidfd_getfd). The process may close its
 * descriptor meanwhile, and open another file with the same number, so the copy is checked to be a perf event
 * first.
 * Terms: service/service.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "service/descriptor.h"

#define PMUS "/sys/bus/event_source/devices"

bool descriptor_pmu_is_hardware(const char *name)
{
	/* PMUs for tracing, and registers that everybody may read at any time. */
	static const char *const none[] = {"software", "tracepoint", "breakpoint", "kprobe",
					   "uprobe",   "msr",        "power"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strcmp(name, none[i]))
			return false;
	return strncmp(name, "cstate_", 7) != 0;
}

void descriptor_pmus_read(struct descriptor_pmus *pmus)
{
	DIR *dir = opendir(PMUS);
	struct dirent *entry;

	pmus->count = 0;
	pmus->known = dir != NULL;
	while (dir && (entry = readdir(dir))) {
		char path[sizeof(entry->d_name) + 16], text[16] = "";
		ssize_t got = -1;
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/type", entry->d_name);
		fd = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			got = read(fd, text, sizeof(text) - 1);
			close(fd);
		}
		if (got <= 0 || pmus->count == DESCRIPTOR_PMUS) {
			pmus->known = false;
			continue;
		}
		pmus->pmu[pmus->count].type = (uint32_t)strtoul(text, NULL, 10);
		pmus->pmu[pmus->count++].hardware = descriptor_pmu_is_hardware(entry->d_name);
	}
	if (dir)
		closedir(dir);
}

int descriptor_process(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool is_perf_event(int fd)
{
	static const char wanted[] = "anon_inode:[perf_event]";
	char path[32], to[sizeof(wanted) + 1];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, to, sizeof(to));
	return length == (ssize_t)sizeof(wanted) - 1 && !memcmp(to, wanted, sizeof(wanted) - 1);
}

enum answer { NO, YES, NOT_SAID };

static enum answer is_of_type(int fd, uint32_t type)
{
	struct perf_event_attr attr = {.type = type, .size = PERF_ATTR_SIZE_VER0};

	if (!ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) || errno == EOPNOTSUPP)
		return YES;
	return errno == EINVAL ? NO : NOT_SAID;
}

static bool ask_descriptor_type(const struct descriptor_pmus *pmus, int fd)
{
	static const struct {
		uint32_t type;
		bool hardware;
	} fixed[] = {{PERF_TYPE_SOFTWARE, false},
		     {PERF_TYPE_HARDWARE, true},
		     {PERF_TYPE_RAW, true},
		     {PERF_TYPE_TRACEPOINT, false},
		     {PERF_TYPE_HW_CACHE, true}};
	enum answer answer;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		answer = is_of_type(fd, fixed[i].type);
		if (answer != NO)
			return answer == NOT_SAID || fixed[i].hardware;
	}
	for (unsigned i = 0; i < pmus->count; i++) {
		if (pmus->pmu[i].type <= PERF_TYPE_BREAKPOINT)
			continue;
		answer = is_of_type(fd, pmus->pmu[i].type);
		if (answer != NO)
			return answer == NOT_SAID || pmus->pmu[i].hardware;
	}
	return !pmus->known;
}

bool descriptor_is_hardware(const struct descriptor_pmus *pmus, int pidfd, int fd)
{
	bool hardware;
	int copy;

	if (pidfd < 0)
		return true;
	copy = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	/* If the descriptor was closed or the process has ended meanwhile, it takes no counter. */
	if (copy < 0)
		return errno != EBADF && errno != ESRCH;
	hardware = is_perf_event(copy) && ask_descriptor_type(pmus, copy);
	close(copy);
	return hardware;
}
