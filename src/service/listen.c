/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.c - the service's socket in the file system: checks its directory and owner, and whether the service
 * that left a socket still lives.
 *
 * Two services that start at the same time could each take the other's new socket for a dead one. The
 * directory is therefore locked from the check until the socket listens.
 * Terms: service/service.h.
 */
#include "service/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "service/say.h"
#include "upc.h"

#define BACKLOG 64
#define LOCK_TRIES 200 /* 10 ms each: another process may hold the lock for any time */

/* ---- the directory ------------------------------------------------------------------ */

static int check_directory(const char *directory, const struct stat *status, char **message)
{
	if (!S_ISDIR(status->st_mode))
		return service_fail(message, UPC_EPERM, "%s is %s", directory,
				    S_ISLNK(status->st_mode) ? "a symbolic link: name the directory itself"
							     : "no directory");
	if (status->st_uid != geteuid() && status->st_uid != 0)
		return service_fail(
			message, UPC_EPERM,
			"%s belongs to uid %u, who could put another socket there: take a directory of "
			"your own",
			directory, (unsigned)status->st_uid);
	if ((status->st_mode & (S_IWGRP | S_IWOTH)) != 0 && (status->st_mode & S_ISVTX) == 0)
		return service_fail(
			message, UPC_EPERM,
			"others may write to %s, and could put another socket there: chmod 700 it, or take "
			"another",
			directory);
	return 0;
}

/* Return the directory's descriptor, or a negative code. */
static int open_socket_directory(const char *directory, char **message)
{
	struct stat status;
	int fd, error;

	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return service_fail(message, errno == EACCES || errno == EPERM ? UPC_EPERM : UPC_ESYSTEM,
				    "cannot make %s: %s", directory, strerror(errno));
	/* Check for a directory here, since the message is clearer than that of open's error. */
	if (lstat(directory, &status) == 0 && !S_ISDIR(status.st_mode))
		return check_directory(directory, &status, message);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return service_fail(message, error == EACCES ? UPC_EPERM : UPC_ESYSTEM, "cannot open %s: %s",
				    directory, strerror(error));
	}
	error = check_directory(directory, &status, message);
	if (error != 0)
		close(fd);
	return error != 0 ? error : fd;
}

static int lock_socket_file(int directory, const char *path, char **message)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(directory, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	return service_fail(message, UPC_ESTATE, "somebody keeps the directory of %s locked: %s", path,
			    strerror(errno));
}

/* ---- the old socket ------------------------------------------------------------------ */

/* Return 0 if the socket is dead, which means that no process listens any more; otherwise a negative code. */
static int is_dead(const struct sockaddr_un *address, char **message)
{
	const char *path = address->sun_path;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return service_fail(message, UPC_ESYSTEM, "cannot make a socket: %s", strerror(errno));
	error = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ? 0 : errno;
	close(fd);
	if (error == ECONNREFUSED)
		return 0;
	/* EAGAIN: the backlog of a service that listens is full. */
	if (error == 0 || error == EAGAIN)
		return service_fail(message, UPC_ESTATE, "a service listens at %s already", path);
	return service_fail(message, UPC_EPERM, "cannot find out whether a service listens at %s: %s", path,
			    strerror(error));
}

static int make_socket_room(const struct sockaddr_un *address, char **message)
{
	const char *path = address->sun_path;
	struct stat status;
	int error;

	if (lstat(path, &status) != 0)
		return errno == ENOENT ? 0
				       : service_fail(message, UPC_ESYSTEM, "cannot look at %s: %s", path,
						      strerror(errno));
	if (S_ISLNK(status.st_mode))
		return service_fail(message, UPC_EPERM, "%s is a symbolic link: no socket is put there",
				    path);
	if (!S_ISSOCK(status.st_mode))
		return service_fail(message, UPC_EPERM, "%s is there, and no socket: it stays", path);
	if (status.st_uid != geteuid())
		return service_fail(message, UPC_EPERM, "the socket at %s belongs to uid %u: it stays", path,
				    (unsigned)status.st_uid);
	error = is_dead(address, message);
	if (error == 0 && unlink(path) != 0 && errno != ENOENT)
		error = service_fail(message, UPC_EPERM, "cannot replace the dead socket %s: %s", path,
				     strerror(errno));
	return error;
}

/* ---- the socket --------------------------------------------------------------------- */

static int bind_there(struct listen *l, char **message)
{
	const char *path = l->address.sun_path;
	struct stat status;

	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	/* The mode is set before the name exists, so that other users cannot connect at any moment. */
	if (l->fd < 0 || fchmod(l->fd, 0600) != 0 ||
	    bind(l->fd, (const struct sockaddr *)&l->address, sizeof(l->address)) != 0 ||
	    chmod(path, 0600) != 0 || lstat(path, &status) != 0 || listen(l->fd, BACKLOG) != 0) {
		int error = errno;

		if (l->fd >= 0)
			close(l->fd);
		l->fd = -1;
		return service_fail(message, error == EACCES || error == EPERM ? UPC_EPERM : UPC_ESYSTEM,
				    "cannot listen at %s: %s", path, strerror(error));
	}
	l->device = status.st_dev;
	l->inode = status.st_ino;
	return 0;
}

static int open_locked_socket(int directory, struct listen *l, char **message)
{
	int error = lock_socket_file(directory, l->address.sun_path, message);

	if (error == 0)
		error = make_socket_room(&l->address, message);
	if (error == 0)
		error = bind_there(l, message);
	return error;
}

int listen_open(const char *path, struct listen *l, char **message)
{
	char directory[sizeof(l->address.sun_path)];
	size_t length = strlen(path);
	int fd, error;

	*message = NULL;
	*l = (struct listen){.fd = -1, .address = {.sun_family = AF_UNIX}};
	if (length == 0 || path[length - 1] == '/')
		return service_fail(message, UPC_EINVAL, "'%s' is no path of a socket", path);
	if (length >= sizeof(l->address.sun_path))
		return service_fail(
			message, UPC_EINVAL,
			"the path of the socket has %zu bytes, and at most %zu are possible: take a shorter "
			"one",
			length, sizeof(l->address.sun_path) - 1);
	strcpy(l->address.sun_path, path);
	strcpy(directory, path);
	fd = open_socket_directory(dirname(directory), message);
	if (fd < 0)
		return fd;
	error = open_locked_socket(fd, l, message);
	close(fd); /* also releases the lock */
	return error;
}

void listen_close(struct listen *l)
{
	struct stat status;

	if (l->fd < 0)
		return;
	close(l->fd);
	l->fd = -1;
	if (lstat(l->address.sun_path, &status) == 0 && status.st_dev == l->device &&
	    status.st_ino == l->inode)
		unlink(l->address.sun_path);
}
