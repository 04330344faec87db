/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the memory of a shared unit, before a monitor opens it or after, of any
 * length, with an owner that lives or one that does not: an error with a message, or
 * counts; names that can be printed, kinds that there are; and nothing ever waits.
 * With UPC_FUZZ_MAIN a program without libFuzzer, for files given to it.
 *
 * Input: a byte of UPCI_FUZZ_* bits; four bytes of offset (little-endian); what is
 * written there over a unit that is as it should be.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "share/shared.h"
#include "fuzz_main.h"

#define BEFORE 1 /* written before the monitor opens the unit, not after */
#define CUT 2    /* the file ends behind what was written                */
#define AGAIN 4  /* and is then made as long again                       */
#define DEAD 8   /* the owner's lock is gone                             */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct upci_shared shared;
static struct upci_shared_page good;
static char name[40];

static void clean_up(void)
{
	/* The page may be cut off, so it is not touched. */
	char path[64 + UPCI_SHARED_FILE_MAX];

	snprintf(path, sizeof(path), "/dev/shm/%s", shared.file);
	unlink(path);
}

static void set_up(void)
{
	unsigned i;

	if (shared.page)
		return;
	snprintf(name, sizeof(name), "fuzz-%d", (int)getpid());
	if (upci_shared_create(name, false, &shared)) {
		fprintf(stderr, "%s\n", upc_last_message());
		exit(1);
	}
	atexit(clean_up);
	upci_shared_begin(&shared);
	upci_shared_registers(&shared, true, 4096);
	for (i = 0; i < UPC_COUNTERS; i++) {
		upci_shared_count(&shared, i, i);
		upci_shared_event(&shared, i, "perf::PAGE-FAULTS", "kB", UPC_KIND_LEVEL);
	}
	upci_shared_end(&shared, true);
	memcpy(&good, shared.page, sizeof(good));
	munmap(shared.page, sizeof(*shared.page));
}

static void lock(short type)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = UPCI_SHARED_OWNER, .l_len = 1};

	check(fcntl(shared.fd, F_OFD_SETLK, &l) == 0);
}

static void spoil(unsigned how, size_t offset, const uint8_t *data, size_t size)
{
	check(pwrite(shared.fd, data, size, (off_t)offset) == (ssize_t)size);
	if (how & CUT)
		check(ftruncate(shared.fd, (off_t)(offset + size)) == 0);
	if (how & AGAIN)
		check(ftruncate(shared.fd, sizeof(good)) == 0);
	if (how & DEAD)
		lock(F_UNLCK);
}

static void check_text(const char *text, size_t size)
{
	size_t i, length = strnlen(text, size);

	check(length < size);
	for (i = 0; i < length; i++)
		check(isascii(text[i]) && isprint(text[i]));
	for (; i < size; i++)
		check(!text[i]);
}

static void check_error(int error)
{
	check(error == UPC_EGONE || error == UPC_ESTATE);
	check(upc_last_message()[0]);
}

/* One that lives and seems to be in the middle of a change is waited for: patience that
 * the unit test has. */
static void kill_unless_at_rest(void)
{
	uint64_t change = 0, stamp = 1, sequence = 1;

	if (pread(shared.fd, &change, 8, offsetof(struct upci_shared_page, change)) == 8 &&
	    pread(shared.fd, &stamp, 8,
		  (off_t)(offsetof(struct upci_shared_page, slot) +
			  le64toh(change) % UPCI_SHARED_SLOTS * sizeof(struct upci_shared_slot))) == 8 &&
	    pread(shared.fd, &sequence, 8, offsetof(struct upci_shared_page, sequence)) == 8 &&
	    le64toh(stamp) == 2 * le64toh(change) && !(le64toh(sequence) & 1))
		return;
	lock(F_UNLCK);
}

/* Twice: the first look may be what finds the file cut off. */
static void look(struct upc_monitor *m)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	struct upc_monitor_event event = UPC_OPTIONS_INIT(upc_monitor_event);
	uint64_t values[UPC_COUNTERS];
	int i, error = upc_monitor_read(m, values, &info);

	if (error)
		check_error(error);
	else
		check((info.running | info.ended | 1) == 1);
	for (i = 0; i < UPC_COUNTERS; i += error ? 255 : 5) {
		int result = upc_monitor_counter(m, i, &event);

		if (result) {
			check_error(result);
			continue;
		}
		check((event.bound | 1) == 1 &&
		      (event.kind == UPC_KIND_COUNT || event.kind == UPC_KIND_LEVEL));
		check_text(event.name, sizeof(event.name));
		check_text(event.unit, sizeof(event.unit));
	}
	check((upc_monitor_alive(m) | 1) == 1);
}

static int on_listed(const char *unit, uid_t user, void *arg)
{
	*(int *)arg |= !strcmp(unit, name) && user == geteuid();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct upc_monitor *m = NULL;
	size_t offset;
	unsigned how;
	int error, listed = 0;

	if (size < 5)
		return 0;
	set_up();
	check(ftruncate(shared.fd, sizeof(good)) == 0);
	check(pwrite(shared.fd, &good, sizeof(good), 0) == (ssize_t)sizeof(good));
	lock(F_WRLCK);
	how = data[0];
	offset = (data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16) % (sizeof(good) + 4096);
	if (how & BEFORE)
		spoil(how, offset, data + 5, size - 5);
	kill_unless_at_rest();
	error = upc_monitor_open(name, NULL, &m);
	if (error) {
		check((how & BEFORE) && !m && upc_last_message()[0]);
		check(error == UPC_ENOSUPP || error == UPC_EGONE || error == UPC_ESTATE);
		return 0;
	}
	if (!(how & BEFORE))
		spoil(how, offset, data + 5, size - 5);
	kill_unless_at_rest();
	look(m);
	look(m);
	upc_monitor_close(m);
	if (how & 0x80) {
		check(upc_monitor_list(on_listed, &listed) >= 1);
		check(listed);
	}
	return 0;
}
