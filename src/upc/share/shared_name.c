/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_name.c - the directory and names of shared units, and the locks on their files, for owner and
 * monitors.
 * Terms: share/shared.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/message.h"
#include "share/shared.h"
#include "base/text.h"

/* Not configurable, so that a name means the same unit to every process. */
#define PREFIX "upc."

static bool is_shared_name(const char *name)
{
	size_t length = strnlen(name, UPCI_SHARED_NAME_MAX + 1), i;

	if (!length || length > UPCI_SHARED_NAME_MAX || name[0] == '.')
		return false;
	for (i = 0; i < length; i++)
		if (!upci_is_alnum(name[i]) && !strchr("_.-", name[i]))
			return false;
	return true;
}

int upci_shared_file(const char *name, uid_t user, char file[UPCI_SHARED_FILE_MAX])
{
	if (!name || !is_shared_name(name))
		return upci_fail(UPC_EINVAL,
				 "the name of a shared unit has 1 to %u of the characters A-Z a-z 0-9 _ . -, "
				 "and no dot in front",
				 UPCI_SHARED_NAME_MAX);
	snprintf(file, UPCI_SHARED_FILE_MAX, PREFIX "%lu.%s", (unsigned long)user, name);
	return 0;
}

bool upci_shared_parse(const char *file, uid_t *user, const char **name)
{
	const char *p = file + strlen(PREFIX);
	uint64_t number = 0;

	if (strncmp(file, PREFIX, strlen(PREFIX)) || *p < '0' || *p > '9' || (p[0] == '0' && p[1] != '.'))
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		number = 10 * number + (uint64_t)(*p - '0');
		if (number >= (uid_t)-1)
			return false;
	}
	if (*p != '.' || !is_shared_name(p + 1))
		return false;
	*user = (uid_t)number;
	*name = p + 1;
	return true;
}

int upci_shared_directory(void)
{
	/* The directory may itself be a link: some systems have it in /run. */
	int fd = upci_fd_keep(open(UPCI_SHARED_DIRECTORY, O_PATH | O_DIRECTORY | O_CLOEXEC));

	if (fd >= 0)
		return fd;
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return upci_fail(
			UPC_ENOSUPP,
			"%s: there is no such directory, in which shared units lie: mount a tmpfs there",
			UPCI_SHARED_DIRECTORY);
	case EACCES:
		return upci_fail(UPC_EPERM, "%s: not permitted to look into it", UPCI_SHARED_DIRECTORY);
	case EMFILE:
	case ENFILE:
		return upci_fd_fail(UPCI_SHARED_DIRECTORY);
	default:
		return upci_fail(UPC_ESYSTEM, "%s: %s", UPCI_SHARED_DIRECTORY, strerror(errno));
	}
}

int upci_shared_open(int directory, const char *file, bool write)
{
	/* O_NONBLOCK: another user may have put a FIFO or a device there. */
	return upci_fd_keep(
		openat(directory, file,
		       (write ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

int upci_shared_open_error(int error, const char *file)
{
	char path[sizeof(UPCI_SHARED_DIRECTORY) + UPCI_SHARED_FILE_MAX];

	snprintf(path, sizeof(path), UPCI_SHARED_DIRECTORY "/%s", file);
	switch (error) {
	case ENOENT:
		return upci_fail(UPC_ENOTASK, "%s: no such shared unit", path);
	case ELOOP:
		return upci_fail(UPC_EPERM, "%s: a symbolic link, which is not followed: remove it", path);
	case EISDIR:
	case ENXIO:
	case ENODEV:
		return upci_fail(UPC_EPERM, "%s: not a regular file: remove it", path);
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM,
				 "%s: not permitted to open it (its owner can share it with the group)",
				 path);
	case EMFILE:
	case ENFILE:
		return upci_fd_fail(path);
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%s: out of memory", path);
	default:
		return upci_fail(UPC_ESYSTEM, "%s: %s", path, strerror(error));
	}
}

/*
 * Locks of open file descriptions end with the last descriptor, however the process ends, and conflict within
 * the same process too. F_OFD_GETLK for a read lock finds only write locks, which need permission to write. A
 * process that may only read the file therefore cannot pass for its owner.
 */
bool upci_shared_locked(int fd)
{
	struct flock lock = {
		.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = UPCI_SHARED_OWNER, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool upci_shared_lock(int fd, enum upci_shared_lock which)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = which, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}
