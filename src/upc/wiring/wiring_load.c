/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_load.c - reads a wiring file, after checking that it can be trusted, and computes its hash.
 * Terms: wiring/wiring.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>
#include <nettle/version.h>

#include "base/message.h"
#include "wiring/wiring.h"
#include "wiring/wiring_words.h"

static void hash_hex(const char *text, size_t length, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx context;
	size_t i;

	sha256_init(&context);
	sha256_update(&context, length, (const uint8_t *)text);
#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(&context, digest);
#else
	sha256_digest(&context, sizeof(digest), digest);
#endif
	for (i = 0; i < sizeof(digest); i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[64] = 0;
}

/* Check the open file, so that no one can replace it afterwards. Return 0, or an error with message. */
static int check_wiring_file(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st))
		return upci_fail(UPC_EWIRING, "%.200s: cannot be examined: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return upci_fail(UPC_EWIRING, "%.200s: expected a regular file", path);
	if (geteuid() == 0 && (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH))))
		return upci_fail(
			UPC_EPERM,
			"%.200s: root takes a wiring file only if it is root's and nobody else can write "
			"it (chown root, chmod go-w)",
			path);
	return 0;
}

int upci_wiring_read(int fd, const char *path, char **text, size_t *length)
{
	size_t size = UPCI_WIRING_BYTES_MAX + 1, used = 0;
	char *buffer = malloc(size);

	if (!buffer)
		return upci_fail(UPC_ENOMEM, "%.200s: no memory to read it", path);
	while (used < size) {
		ssize_t n = read(fd, buffer + used, size - used);

		if (n == 0)
			break;
		if (n > 0) {
			used += (size_t)n;
		} else if (errno != EINTR) {
			int error = errno;

			free(buffer);
			return upci_fail(UPC_EWIRING, "%.200s: cannot be read: %s", path, strerror(error));
		}
	}
	*text = buffer;
	*length = used;
	return 0;
}

int upci_wiring_load(struct upc_catalogue *c, const char *path, char hash[65])
{
	/* O_NONBLOCK: a FIFO must not block the program before it is refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char *text = NULL;
	size_t length = 0;
	int error;

	if (fd < 0) {
		error = errno == EACCES || errno == EPERM ? UPC_EPERM : UPC_EWIRING;
		return upci_fail(error, "%.200s: the wiring file cannot be opened: %s", path,
				 strerror(errno));
	}
	error = check_wiring_file(fd, path);
	if (!error)
		error = upci_wiring_read(fd, path, &text, &length);
	close(fd);
	if (!error)
		error = upci_wiring_parse(c, text, length, path);
	if (!error)
		hash_hex(text, length, hash);
	free(text);
	return error;
}
