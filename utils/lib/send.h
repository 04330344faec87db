/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * send.h - sends a whole text to a socket.
 */
#ifndef UTIL_SEND_H
#define UTIL_SEND_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Send all bytes. Return false with errno if the receiver accepts no more. */
static inline bool util_send_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

#endif
