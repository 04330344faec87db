/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of a process: what is written is read, of two slots the one that is whole, and a file that is
 * damaged or cut anywhere ends nothing.
 */
#include "../unit_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region/record.h"
#include "region/recorded.h"

enum { ROWS = 40, DAMAGED = 3000 };

static char prefix[128], other[160], made[160];
static struct upcr_record_row *rows[ROWS];

static void put_values(struct upcr_record_row *row, uint64_t count)
{
	*upcr_record_slot_begin(row, 1) = upcr_exact(count);
	upcr_record_slot_end(row, 1);
}

static void put_row(struct upcr_record_thread *thread, struct upcr_record_row *row, unsigned number)
{
	rows[number] = row;
	row->parent = number ? number - 1 : 0;
	row->name = number < 3 ? number : 2;
	atomic_store(&row->calls, number + 1);
	atomic_store(&row->ns, 1000 * (number + 1));
	put_values(row, 100 * number);
	atomic_store(&thread->marks.rows, number + 1);
}

/* A thread with a path of 40 regions, and one event. */
static int make(void **state)
{
	struct upcr_record_thread *thread;
	char *at = NULL;
	unsigned left = 0, i;

	(void)state;
	snprintf(prefix, sizeof(prefix), "/dev/shm/upc_record_test.%d", (int)getpid());
	snprintf(other, sizeof(other), "%s.other", prefix);
	snprintf(made, sizeof(made), "%s.made", prefix);
	if (!upcr_record_begin(prefix, 1, 500, false))
		return -1;
	upcr_record_add(UPCR_RECORD_HEAD, 0, "{\"upc_regions\":1", 16);
	upcr_record_add(UPCR_RECORD_NAME, 1, "solve", 5);
	upcr_record_add(UPCR_RECORD_NAME, 2, "step", 4);
	upcr_record_add(UPCR_RECORD_EVENT, 0, "FAULTS", 6);
	thread = upcr_record_add_thread(7);
	if (!thread)
		return -1;
	thread->begun = 600;
	for (i = 0; i < ROWS; i++) {
		if (!left)
			at = upcr_record_add_rows(7, i, &left);
		if (!at)
			return -1;
		put_row(thread, (struct upcr_record_row *)(void *)at, i);
		at += upcr_record_stride(1);
		left--;
	}
	atomic_store(&thread->marks.counts, UPCR_RECORD_COUNTS);
	atomic_store(&thread->marks.mark, 5600);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	upcr_record_set_state(UPCR_RECORD_OVER);
	upcr_record_end();
	unlink(other);
	unlink(made);
	return access(upcr_record_path(), F_OK) == 0 ? -1 : 0;
}

/* The JSON file of a record; 0: it could not be made. */
static size_t text_of(const char *record, char *text, size_t size)
{
	struct upcr_recorded recorded;
	size_t n = 0;
	FILE *file;

	if (!upcr_recorded_open(&recorded, record))
		return 0;
	assert_true(upcr_recorded_write(&recorded, NULL, made, "signal 9 (Killed)"));
	upcr_recorded_free(&recorded);
	file = fopen(made, "r");
	assert_non_null(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
	return n;
}

TEST(test_written_and_read)
{
	static char text[1 << 16];

	assert_int_not_equal(text_of(upcr_record_path(), text, sizeof(text)), 0);
	assert_non_null(
		strstr(text, "{\"upc_regions\":1,\"seconds\":0.000005100,\"ended\":\"signal 9 (Killed)\""));
	assert_non_null(strstr(text, "\"names\":[\"others\",\"solve\",\"step\"]"));
	assert_non_null(strstr(text, "{\"thread\":7,"));
	assert_non_null(strstr(text, "{\"path\":[1,2],\"calls\":3,\"seconds\":0.000003000,\"values\":"
				     "[{\"value\":200,\"exact\":true}]}"));
	assert_non_null(strstr(
		text, "\"calls\":40,\"seconds\":0.000040000,\"values\":[{\"value\":3900,\"exact\":true}]}"));
}

TEST(test_slots)
{
	static char text[1 << 16];

	/* The time of the row has gone on: the values are older. */
	atomic_store(&rows[39]->ns, 41000);
	text_of(upcr_record_path(), text, sizeof(text));
	assert_non_null(strstr(text, "\"calls\":40,\"seconds\":0.000041000,\"values\":[{\"value\":3900,"));
	assert_null(strstr(text, "{\"value\":3900,\"exact\":true}"));
	put_values(rows[39], 4000);
	text_of(upcr_record_path(), text, sizeof(text));
	assert_non_null(strstr(text, "{\"value\":4000,\"exact\":true}"));
	/* A kill in the middle of a slot. */
	upcr_record_slot_begin(rows[39], 1)->whole = 12345;
	text_of(upcr_record_path(), text, sizeof(text));
	assert_non_null(strstr(text, "{\"value\":4000,\"exact\":true}"));
	assert_null(strstr(text, "12345"));
	upcr_record_slot_end(rows[39], 1);
}

static void write_file(const char *bytes, size_t n)
{
	FILE *file = fopen(other, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

TEST(test_damaged)
{
	static char whole[1 << 18], bytes[1 << 18], text[1 << 22];
	FILE *file = fopen(upcr_record_path(), "r");
	const size_t n = fread(whole, 1, sizeof(whole), file);
	unsigned long seed = 1;
	unsigned i, k;
	size_t cut;

	fclose(file);
	assert_true(n > 4 * UPCR_RECORD_PAGE);
	for (cut = 0; cut < n; cut += UPCR_RECORD_PAGE / 2) {
		write_file(whole, cut);
		(void)text_of(other, text, sizeof(text));
	}
	for (i = 0; i < DAMAGED; i++) {
		memcpy(bytes, whole, n);
		for (k = 0; k < 4; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/* Most of the numbers are at the beginnings of pages. */
			bytes[(seed >> 33) % (n / UPCR_RECORD_PAGE) * UPCR_RECORD_PAGE + (seed >> 20) % 96] =
				(char)(seed >> 56);
		}
		write_file(bytes, n);
		(void)text_of(other, text, sizeof(text));
	}
}

UNIT_TESTS(region_record, make, drop)
