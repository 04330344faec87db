/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.c - the file of -o: opened before anything runs, emptied when there is something to write.
 *
 * The file is written in place: a reader sees intervals as they arrive, and the file keeps its owner, links
 * and mode.
 */
#include "lib/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/common.h"

static int output_fail(const char *path, int error)
{
	const char *what =
		error == ENOENT || error == ENOTDIR ? "make its directory first" : "name another file";

	util_error("cannot write '%.200s': %s; %s", path, strerror(error), what);
	return UTIL_FAILED;
}

/* Use a standard stream, which may be closed or read-only. */
static int output_open_standard(struct util_output *output, FILE *stream)
{
	int flags = fcntl(fileno(stream), F_GETFL);

	output->file = stream;
	output->name = stream == stdout ? "standard output" : "standard error";
	if (flags != -1 && (flags & O_ACCMODE) != O_RDONLY)
		return 0;
	util_error("cannot write to %s: it is closed, or open for reading only", output->name);
	return UTIL_FAILED;
}

int util_output_open(struct util_output *output, const char *path, FILE *standard)
{
	int fd;

	*output = (struct util_output){.name = path};
	if (path == NULL)
		return output_open_standard(output, standard);
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return output_open_standard(output, stdout);
	if (strcmp(path, "/dev/stderr") == 0)
		return output_open_standard(output, stderr);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT) {
		output->made = true;
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	}
	if (fd < 0)
		return output_fail(path, errno);
	output->own = true;
	output->file = fdopen(fd, "w");
	if (output->file != NULL)
		return 0;
	close(fd);
	util_error("out of memory");
	return UTIL_FAILED;
}

void util_output_begin(struct util_output *output)
{
	struct stat about;
	int fd = fileno(output->file);

	if (output->own && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && ftruncate(fd, 0) != 0)
		util_error("cannot empty '%.200s': %s", output->name, strerror(errno));
	output->made = false;
}

int util_output_made(struct util_output *output, bool done)
{
	const int error = errno;

	if (done)
		return 0;
	if (!ferror(output->file)) {
		util_error("the report cannot be made: out of memory");
	} else if (error != 0 && error != EPIPE) {
		util_error("cannot write to %.200s: %s", output->name, strerror(error));
		clearerr(output->file);
	}
	return UTIL_FAILED;
}

int util_output_end(struct util_output *output)
{
	int failed = util_flush(output->file, output->name);

	/* Some file systems report write errors only in close. */
	if (output->own && fclose(output->file) != 0 && failed == 0) {
		util_error("cannot write to %.200s: %s", output->name, strerror(errno));
		failed = -1;
	}
	*output = (struct util_output){.file = NULL};
	return failed >= 0 ? 0 : UTIL_FAILED;
}

void util_output_drop(struct util_output *output)
{
	if (output->made)
		unlink(output->name);
	if (output->own)
		fclose(output->file);
	*output = (struct util_output){.file = NULL};
}

int util_output_check_place(const char *path)
{
	char *copy = strdup(path);
	const char *place = copy != NULL ? dirname(copy) : "/";
	int error = 0;

	if (access(place, W_OK | X_OK) != 0) {
		error = errno;
		util_error("cannot make files in '%.200s': %s; %s", place, strerror(error),
			   error == ENOENT || error == ENOTDIR ? "make that directory first"
							       : "name another directory");
	}
	free(copy);
	return error == 0 ? 0 : UTIL_FAILED;
}
