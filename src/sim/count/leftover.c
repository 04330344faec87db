/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leftover.c - finds files that belong to no run, and removes them.
 */
#include "count/leftover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RANDOM 6 /* characters behind the prefix, from mkostemp */
#define LENGTH (sizeof(UPCS_LEFTOVER_PREFIX) - 1 + RANDOM)

bool upcs_leftover_hold(int fd)
{
	/* The lock belongs to the open file description, so it ends with the last descriptor, however the
	 * process ends. */
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	struct stat st;

	return fcntl(fd, F_OFD_SETLK, &lock) == 0 && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static bool is_leftover_name(const char *name)
{
	return strncmp(name, UPCS_LEFTOVER_PREFIX, sizeof(UPCS_LEFTOVER_PREFIX) - 1) == 0 &&
	       strlen(name) >= LENGTH && (!name[LENGTH] || name[LENGTH] == '.');
}

/* Remove a results file that no upc_run holds. An upc_run that has just created the file sees afterwards that
 * the file is gone. */
static void remove_results(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && upcs_leftover_hold(fd))
		(void)unlinkat(directory, name, 0);
	close(fd);
}

static void remove_counts(int directory, const char *name)
{
	char results[LENGTH + 1] = "";
	struct stat st;

	memcpy(results, name, LENGTH);
	if (fstatat(directory, results, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return;
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid())
		(void)unlinkat(directory, name, 0);
}

void upcs_leftover_remove(void)
{
	DIR *directory = opendir(UPCS_LEFTOVER_DIRECTORY);
	struct dirent *entry;
	bool counts;
	int pass;

	if (!directory)
		return;
	/* Counts are leftovers once their results file is gone. */
	for (pass = 0; pass < 2; pass++) {
		rewinddir(directory);
		while ((entry = readdir(directory))) {
			if (!is_leftover_name(entry->d_name))
				continue;
			counts = entry->d_name[LENGTH] == '.';
			if (counts && pass == 1)
				remove_counts(dirfd(directory), entry->d_name);
			else if (!counts && pass == 0)
				remove_results(dirfd(directory), entry->d_name);
		}
	}
	closedir(directory);
}
