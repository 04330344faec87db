/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest_memory.c - copies to and from the guest's memory.
 *
 * The kernel copies, as in the guest's own system call. A bad pointer is therefore an error and raises no
 * fault here.
 */
#include "count/guest_memory.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t base;

void upcs_guest_set_base(uint64_t address)
{
	__atomic_store_n(&base, address, __ATOMIC_RELAXED);
}

uint64_t upcs_guest_base(void)
{
	return __atomic_load_n(&base, __ATOMIC_RELAXED);
}

/* Copy through /proc/self/mem, which is allowed where a seccomp filter forbids process_vm_readv. */
static ssize_t copy_by_file(uint64_t address, void *ours, size_t n, bool out)
{
	int fd = open("/proc/self/mem", (out ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	ssize_t copied;

	if (fd < 0)
		return -1;
	copied = out ? pwrite(fd, ours, n, (off_t)address) : pread(fd, ours, n, (off_t)address);
	close(fd);
	return copied;
}

/* Copy n bytes between our memory and the guest's: to the guest if out, else from the guest. */
static int copy_guest_bytes(uint64_t address, void *ours, size_t n, bool out)
{
	uint64_t at = upcs_guest_base() + address;
	struct iovec local = {.iov_base = ours, .iov_len = n};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)at, .iov_len = n};
	ssize_t copied = out ? process_vm_writev(getpid(), &local, 1, &remote, 1, 0)
			     : process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (copied < 0 && (errno == ENOSYS || errno == EPERM))
		copied = copy_by_file(at, ours, n, out);
	return copied == (ssize_t)n ? 0 : -EFAULT;
}

int upcs_guest_read(uint64_t address, void *to, size_t n)
{
	return copy_guest_bytes(address, to, n, false);
}

int upcs_guest_write(uint64_t address, const void *from, size_t n)
{
	return copy_guest_bytes(address, (void *)from, n, true);
}

int upcs_guest_pointer(enum upcs_guest guest, uint64_t address, uint64_t *pointer)
{
	const struct upcs_guest_info *info = &upcs_guests[guest];
	union {
		uint32_t narrow;
		uint64_t wide;
	} is;
	int error = upcs_guest_read(address, &is, upcs_guest_pointer_size(guest));

	if (error)
		*pointer = 0;
	else if (info->wide)
		*pointer = info->big ? be64toh(is.wide) : le64toh(is.wide);
	else
		*pointer = info->big ? be32toh(is.narrow) : le32toh(is.narrow);
	return error;
}

/* Read up to the end of a page at a time, because the next page may not be mapped. */
char *upcs_guest_string(uint64_t address, size_t max)
{
	size_t length = 0, room = 0;
	char *text = NULL, *larger;

	for (;;) {
		size_t n = 4096 - (upcs_guest_base() + address + length) % 4096;
		const char *end;

		if (length + n > room) {
			room = 2 * (length + n);
			larger = realloc(text, room);
			if (!larger)
				break; /* ENOMEM */
			text = larger;
		}
		if (upcs_guest_read(address + length, text + length, n)) {
			errno = EFAULT;
			break;
		}
		end = memchr(text + length, 0, n);
		if (end && (size_t)(end - text) < max)
			return text;
		length += n;
		if (end || length >= max) {
			errno = E2BIG;
			break;
		}
	}
	free(text);
	return NULL;
}

void upcs_guest_free(char **strings)
{
	size_t i;

	for (i = 0; strings && strings[i]; i++)
		free(strings[i]);
	free(strings);
}

/* Copy the next string of the guest's array to *string. Return 0, 1 at the end of the array, or -1 with
 * errno. */
static int next_string(enum upcs_guest guest, uint64_t address, char **string, size_t max)
{
	uint64_t pointer;

	*string = NULL;
	if (upcs_guest_pointer(guest, address, &pointer)) {
		errno = EFAULT;
		return -1;
	}
	if (!pointer)
		return 1;
	*string = upcs_guest_string(pointer, max);
	return *string ? 0 : -1;
}

char **upcs_guest_strings(enum upcs_guest guest, uint64_t address, size_t max)
{
	size_t size = upcs_guest_pointer_size(guest), n = 0, room = 64, bytes = 0;
	char **strings = calloc(room, sizeof(*strings)), **larger;
	int result = strings && address ? 0 : 1;

	while (result == 0 && bytes < max) {
		if (n + 2 > room) {
			room *= 2;
			larger = realloc(strings, room * sizeof(*strings));
			if (!larger) {
				result = -1;
				break;
			}
			strings = larger;
		}
		result = next_string(guest, address + n * size, &strings[n], max - bytes);
		if (result == 0) {
			bytes += strlen(strings[n]) + 1 + size;
			strings[++n] = NULL;
		}
	}
	if (result == 1)
		return strings;
	if (result == 0)
		errno = E2BIG;
	result = errno;
	upcs_guest_free(strings);
	errno = result;
	return NULL;
}
