/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_place.c - the directory of a private node. A lock identifies its holder and ends with the process, so
 * a killed process leaves no stale lock.
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"

#define LOCK "serve.lock"
#define SOCKET_MAX 107 /* limit for a socket's path, in bytes */
#define LONGEST "/run/pmcd.socket"

bool serve_place_default(char dir[PATH_MAX])
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (state && state[0] == '/')
		n = snprintf(dir, PATH_MAX, "%s/upc/serve", state);
	else if (home && home[0] == '/')
		n = snprintf(dir, PATH_MAX, "%s/.local/state/upc/serve", home);
	if (n > 0 && n < PATH_MAX)
		return true;
	util_error("there is no directory for it: $HOME is not set; give one with --dir");
	return false;
}

/* ---- finding and making ------------------------------------------------------------------- */

/* True if PCP's files can contain the path. In these files, blanks separate paths. */
static bool is_plain_path(const char *path)
{
	for (const char *c = path; *c; c++)
		if ((unsigned char)*c <= ' ' || *c == 0x7f || strchr("\"'\\#$`", *c))
			return false;
	return true;
}

static bool make_all(const char *dir)
{
	char path[PATH_MAX];
	size_t n = strlen(dir);

	if (n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(path, dir, n + 1);
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return false;
		path[i] = dir[i];
	}
	return true;
}

static bool is_empty(const char *dir)
{
	DIR *list = opendir(dir);
	const struct dirent *entry;
	bool empty = list != NULL;

	while (list && (entry = readdir(list)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = false;
	if (list)
		closedir(list);
	return empty;
}

/* True if no other user can change a directory above the node's. Programs open the node's directory by name,
 * and such a user could replace it while the node runs. */
static bool safe_above(const char *dir)
{
	char path[PATH_MAX];
	struct stat s;

	snprintf(path, sizeof(path), "%s", dir);
	for (char *slash; (slash = strrchr(path, '/'));) {
		slash[slash == path] = '\0';
		if (lstat(path, &s) != 0) {
			util_error("%s: %s", path, strerror(errno));
			return false;
		}
		if ((s.st_uid != 0 && s.st_uid != geteuid()) ||
		    ((s.st_mode & S_IWOTH) && !(s.st_mode & S_ISVTX))) {
			util_error("others may write to %s, and put another %s in its place: give another "
				   "directory with --dir",
				   path, dir);
			return false;
		}
		if (slash == path)
			break;
	}
	return true;
}

static bool is_directory_ours(const char *dir)
{
	struct stat s;

	if (stat(".", &s) != 0 || s.st_uid != geteuid()) {
		util_error("%s is another user's: give a directory of your own with --dir", dir);
		return false;
	}
	if (s.st_mode & (S_IWGRP | S_IWOTH)) {
		util_error("others may write to %s: chmod 700 it, or give another with --dir", dir);
		return false;
	}
	if (!safe_above(dir))
		return false;
	if (lstat(LOCK, &s) == 0 ? !S_ISREG(s.st_mode) : !is_empty(".")) {
		util_error(
			"%s has files that are not upc_serve's: give another directory, or a new one, with --dir",
			dir);
		return false;
	}
	return true;
}

bool serve_place_open(struct serve_place *place, const char *dir, bool make)
{
	place->lock = -1;
	if (make && !make_all(dir)) {
		util_error("cannot make %s: %s", dir, strerror(errno));
		return false;
	}
	if (!realpath(dir, place->dir) || chdir(place->dir) != 0) {
		util_error("%s: %s", dir, strerror(errno));
		return false;
	}
	if (!is_plain_path(place->dir)) {
		util_error(
			"%s has blanks or quotes in its path, which files of Performance Co-Pilot cannot have: "
			"give another directory with --dir",
			place->dir);
		return false;
	}
	if (strlen(place->dir) > SOCKET_MAX - strlen(LONGEST)) {
		util_error("%s is too long: sockets are in it, whose paths have %d bytes at most, so give a "
			   "directory of %d or fewer with --dir",
			   place->dir, SOCKET_MAX, SOCKET_MAX - (int)strlen(LONGEST));
		return false;
	}
	return is_directory_ours(place->dir);
}

/* ---- the lock ----------------------------------------------------------------------------- */

pid_t serve_place_holder(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	pid_t holder = -1;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0)
		holder = lock.l_type == F_UNLCK ? 0 : lock.l_pid;
	else
		util_error("cannot look at %s: %s", LOCK, strerror(errno));
	if (fd >= 0)
		close(fd);
	return holder;
}

bool serve_place_lock(struct serve_place *place, pid_t *holder)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	*holder = -1;
	if (fd < 0) {
		util_error("cannot write to %s: %s", place->dir, strerror(errno));
		return false;
	}
	if (fcntl(fd, F_SETLK, &lock) == 0) {
		place->lock = fd;
		if (ftruncate(fd, 0) != 0)
			util_error("cannot write %s/" LOCK ": %s", place->dir, strerror(errno));
		return true;
	}
	if (errno != EACCES && errno != EAGAIN)
		util_error("cannot lock %s/" LOCK ": %s", place->dir, strerror(errno));
	else if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		*holder = lock.l_pid;
	else
		*holder = 0;
	close(fd);
	return false;
}

void serve_place_address(char address[128])
{
	int fd = open(LOCK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, address, 127) : 0;

	address[n > 0 ? n : 0] = '\0';
	address[strcspn(address, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

bool serve_place_set_address(const struct serve_place *place, const char *address)
{
	size_t n = strlen(address);

	if (pwrite(place->lock, address, n, 0) == (ssize_t)n)
		return true;
	util_error("cannot write %s/" LOCK ": %s", place->dir, strerror(errno));
	return false;
}

/* ---- contents ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool web; /* the user nobody may pass through */
} folders[] = {{"run", true},
	       {"web", false},
	       {"web/run", false},
	       {"web/log", false},
	       {"web/tmp", false},
	       {"archive", false},
	       {"log", false},
	       {"tmp", false},
	       {"var", false},
	       {"var/config", false},
	       {"var/config/pmda", false}};

bool serve_place_fill(const struct serve_nobody *nobody)
{
	const bool apart = nobody->uid != geteuid();

	if (apart && (chown(".", geteuid(), nobody->gid) != 0 || chmod(".", 0710) != 0)) {
		util_error("cannot change the rights of the directory: %s", strerror(errno));
		return false;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *name = folders[i].name;
		const bool his = !strncmp(name, "web", 3);

		if ((mkdir(name, 0700) != 0 && errno != EEXIST) ||
		    (his && apart && lchown(name, nobody->uid, nobody->gid) != 0) ||
		    (folders[i].web && apart &&
		     (lchown(name, geteuid(), nobody->gid) != 0 || chmod(name, 0710) != 0))) {
			util_error("cannot make %s: %s", name, strerror(errno));
			return false;
		}
	}
	return true;
}

/* Remove the contents of a directory, but not the directory. Links are removed, not followed. */
static void empty_directory(int at, const char *name, int depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(list))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || depth == 0)
			continue;
		empty_directory(fd, entry->d_name, depth - 1);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(list);
}

void serve_place_empty(void)
{
	static const char *const files[] = {"pcp.conf", "pmcd.conf", "pmlogger.conf",
					    "root_upc", "root",      "processes"};
	static const char *const made[] = {"run", "web", "tmp", "var"};

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		empty_directory(AT_FDCWD, made[i], 4);
		rmdir(made[i]);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(files[i]);
}
