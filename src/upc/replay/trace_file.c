/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace_file.c - reads a whole replay script before parsing it: a script with a mistake anywhere does
 * nothing.
 * Terms: replay/replay.h.
 */
#include "replay/trace_file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM_FIRST ((size_t)1 << 16)

/* Return the number of bytes read, 0 at the end, or -1 with errno. */
static ssize_t read_some(int fd, char *to, size_t room)
{
	ssize_t n;

	do
		n = read(fd, to, room);
	while (n < 0 && errno == EINTR);
	return n;
}

/* True if a file is already too large, so that it can be refused without reading. */
static bool is_too_large(int fd)
{
	struct stat st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	return at >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > at &&
	       (uintmax_t)(st.st_size - at) > UPCI_TRACE_BYTES_MAX;
}

/* Read the rest of a file. *text belongs to the caller, even after an error. */
static int read_whole_file(int fd, char **text, size_t *length)
{
	size_t room = 0, used = 0;
	ssize_t n;

	*text = NULL;
	if (is_too_large(fd))
		return UPC_EINVAL;
	do {
		if (used == room) {
			char *bigger;

			room = room ? 2 * room : ROOM_FIRST;
			if (room > UPCI_TRACE_BYTES_MAX)
				room = UPCI_TRACE_BYTES_MAX + 1;
			bigger = realloc(*text, room);
			if (!bigger)
				return UPC_ENOMEM;
			*text = bigger;
		}
		n = read_some(fd, *text + used, room - used);
		if (n < 0)
			return UPC_ESYSTEM;
		used += (size_t)n;
		/* The file grew, or is a pipe. */
		if (used > UPCI_TRACE_BYTES_MAX)
			return UPC_EINVAL;
	} while (n > 0);
	*length = used;
	return 0;
}

int upci_trace_load(int fd, struct upci_trace *trace, struct upci_trace_error *error)
{
	char *text;
	size_t length;
	int result = read_whole_file(fd, &text, &length), saved = errno;

	if (result == 0)
		result = upci_trace_parse(text, length, trace, error);
	free(text);
	errno = saved;
	return result;
}
