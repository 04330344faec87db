/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * guest.c - numbers of system calls, and copies of the guest's memory.
 *
 * The kernel copies, as it would for the guest's own call: a bad pointer is an error, and no
 * fault of ours.
 */
#include "count/guest.h"

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

/* ---- numbers ------------------------------------------------------------------------- */

/* clang-format off */
static const struct {
	int16_t number;
	uint8_t call;
} calls[UPCS_GUESTS][24] = {
	[UPCS_X86_64] = {{59, UPCS_CALL_EXECVE}, {322, UPCS_CALL_EXECVEAT}, {13, UPCS_CALL_ACTION},
			 {9, UPCS_CALL_MMAP}, {11, UPCS_CALL_MAP}, {25, UPCS_CALL_MAP},
			 {30, UPCS_CALL_SHARE}, {62, UPCS_CALL_KILL}, {129, UPCS_CALL_KILL},
			 {200, UPCS_CALL_KILL}, {234, UPCS_CALL_KILL}, {297, UPCS_CALL_KILL},
			 {56, UPCS_CALL_CLONE}, {60, UPCS_CALL_EXIT}, {231, UPCS_CALL_END}, {202, UPCS_CALL_FUTEX}},
	[UPCS_AARCH64] = {{221, UPCS_CALL_EXECVE}, {281, UPCS_CALL_EXECVEAT}, {134, UPCS_CALL_ACTION},
			  {222, UPCS_CALL_MMAP}, {215, UPCS_CALL_MAP}, {216, UPCS_CALL_MAP},
			  {196, UPCS_CALL_SHARE}, {129, UPCS_CALL_KILL}, {130, UPCS_CALL_KILL},
			  {131, UPCS_CALL_KILL}, {138, UPCS_CALL_KILL}, {240, UPCS_CALL_KILL},
			  {220, UPCS_CALL_CLONE}, {93, UPCS_CALL_EXIT}, {94, UPCS_CALL_END}, {98, UPCS_CALL_FUTEX}},
	/* With the older calls: sigaction, signal, mmap as mmap2; ipc, which is shmat among others. */
	[UPCS_PPC] = {{11, UPCS_CALL_EXECVE}, {362, UPCS_CALL_EXECVEAT}, {173, UPCS_CALL_ACTION},
		      {67, UPCS_CALL_ACTION}, {48, UPCS_CALL_SIGNAL}, {90, UPCS_CALL_MMAP}, {192, UPCS_CALL_MMAP},
		      {91, UPCS_CALL_MAP}, {163, UPCS_CALL_MAP}, {117, UPCS_CALL_SHARE},
		      {397, UPCS_CALL_SHARE}, {37, UPCS_CALL_KILL}, {177, UPCS_CALL_KILL},
		      {208, UPCS_CALL_KILL}, {250, UPCS_CALL_KILL}, {322, UPCS_CALL_KILL},
		      {120, UPCS_CALL_CLONE}, {1, UPCS_CALL_EXIT}, {234, UPCS_CALL_END}, {221, UPCS_CALL_FUTEX},
		      {422, UPCS_CALL_FUTEX}},
};
/* clang-format on */

enum upcs_call upcs_guest_call(enum upcs_guest guest, int64_t number)
{
	unsigned i;

	for (i = 0; calls[guest][i].call; i++)
		if (calls[guest][i].number == number)
			return calls[guest][i].call;
	return UPCS_CALL_OTHER;
}

/* ---- memory -------------------------------------------------------------------------- */

/* Where process_vm_readv is not allowed (a filter of system calls), the file of our memory is. */
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

/* Between our memory and the guest's, out to that or in. */
static int copy(uint64_t address, void *ours, size_t n, bool out)
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
	return copy(address, to, n, false);
}

int upcs_guest_write(uint64_t address, const void *from, size_t n)
{
	return copy(address, (void *)from, n, true);
}

size_t upcs_guest_pointer_size(enum upcs_guest guest)
{
	return guest == UPCS_PPC ? 4 : 8;
}

int upcs_guest_pointer(enum upcs_guest guest, uint64_t address, uint64_t *pointer)
{
	uint32_t word;
	int error;

	if (guest == UPCS_PPC) {
		error = upcs_guest_read(address, &word, sizeof(word));
		*pointer = error ? 0 : be32toh(word);
	} else {
		error = upcs_guest_read(address, pointer, sizeof(*pointer));
		*pointer = error ? 0 : le64toh(*pointer);
	}
	return error;
}

/* Up to the end of a page at a time: what lies behind it may not be there. */
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

/* The next of them into *strings, which has room for one more and its end. 1: that was the last. */
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
